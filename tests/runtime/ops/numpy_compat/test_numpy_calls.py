"""NumPy's parameters: each is honoured, has no meaning, or is refused by name."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.dispatch import call_numpy
from runtime.errors import StagingError
from runtime.ops.declaration.declare import by_numpy_name
from runtime.ops.numpy_compat.numpy_calls import (
    _HARMLESS,
    call_as_numpy,
    parameters_of,
    signature_of,
)
from runtime.tensor import Tensor


def _found(name):
    try:
        return functools.reduce(getattr, name.split("."), np)
    except AttributeError:  # this version of NumPy does not have it
        return None


FUNCTIONS = {
    name: (function, own)
    for name, own in sorted(by_numpy_name().items())
    if (function := _found(name)) is not None
    and not isinstance(function, np.ufunc)
    and parameters_of(function, own) is not None
}


def _parameters(name):
    """The parameters of a NumPy function that have names."""
    signature, _ = parameters_of(*FUNCTIONS[name])
    every = signature.parameters.values()
    return [p for p in every if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


class _Odd:
    """A value that no parameter has by default."""


def _call(name, parameter, value):
    """Call the meaning of a NumPy function, `parameter` given, all that it needs anything."""
    function, own = FUNCTIONS[name]
    needed = inspect.signature(function).parameters.values()
    positional = [
        value if p.name == parameter else None
        for p in needed
        if p.kind is p.POSITIONAL_ONLY or (p.default is p.empty and p.kind is not p.KEYWORD_ONLY)
    ]
    positional = [] if any(p.kind is p.VAR_POSITIONAL for p in needed) else positional
    given = [p.name for p in needed][: len(positional)]
    keywords = {} if parameter in given else {parameter: value}
    return call_as_numpy(function, own, tuple(positional), keywords)


def test_signatures_are_those_that_inspect_tells():
    kinds = set()
    for space in (np, np.linalg, np.fft, math, operator):
        for function in vars(space).values():
            if not callable(function) or isinstance(function, type):
                continue
            try:
                want = inspect.signature(function)
            except ValueError:
                continue
            assert signature_of(function) == want, function
            kinds.add(type(function))
    assert {type(np.array), type(np.concatenate), type(np.mean)} <= kinds


def test_the_signature_of_a_built_in_function_is_not_read_token_by_token(monkeypatch):
    def refuse(*args):
        raise AssertionError(args)

    monkeypatch.setattr(inspect, "_signature_fromstr", refuse)
    for function in (np.array, np.asarray, np.zeros, np.concatenate, np.dot, np.where):
        assert signature_of(function).parameters
    with pytest.raises(AssertionError):
        inspect.signature(np.array)


def test_what_numpy_requires_is_honoured():
    for name, pair in FUNCTIONS.items():
        _, names = parameters_of(*pair)
        for parameter in _parameters(name):
            is_optional = parameter.default is not parameter.empty
            assert is_optional or parameter.name in names, (name, parameter)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_parameter_of_numpy_is_honoured_or_refused_by_name(name):
    _, names = parameters_of(*FUNCTIONS[name])
    for parameter in (p.name for p in _parameters(name)):
        is_taken = parameter in names or parameter == "out"
        if is_taken or (parameter in _HARMLESS and _HARMLESS[parameter](_Odd())):
            continue
        with pytest.raises(
            StagingError, match=f"^`np[.].*` of a traced value has no `{parameter}` yet"
        ):
            _call(name, parameter, _Odd())


# Where NumPy's default is a mark for "not given", or ours says the same in another way.
SAME_DEFAULTS = {
    ("permute_dims", "axes"), ("expand_dims", "axis"), ("linalg.pinv", "rcond"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_defaults_are_those_of_numpy(name):
    function, own = FUNCTIONS[name]
    _, names = parameters_of(function, own)
    for parameter, theirs in ((p.name, p.default) for p in _parameters(name)):
        if parameter not in names or (name, parameter) in SAME_DEFAULTS:
            continue
        ours = inspect.signature(own).parameters[names[parameter]].default
        if theirs is np._NoValue:
            assert ours is theirs or ours in (None, False, True, 0), parameter
        elif parameter == "dtype" and theirs is None:
            assert ours is None
        elif theirs is inspect.Parameter.empty:
            assert ours in (inspect.Parameter.empty, None), parameter
        else:
            assert ours == theirs and type(ours) is type(theirs), parameter


X = np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 0.5]])
S = X @ X.T


CALLS = [
    (np.stack, (), {"arrays": [X, X]}), (np.sum, (), {"a": X, "axis": 0}),
    (np.clip, (X,), {"a_min": 1.0, "a_max": 2.0}), (np.clip, (X,), {"max": 2.0}),
    (np.concatenate, ([X, X],), {"axis": 1}), (np.cov, (X[0], X[1]), {}),
    (np.linalg.svd, (X,), {"compute_uv": False}), (np.linalg.solve, (), {"a": S, "b": X}),
    (np.reshape, (X,), {"shape": (3, 2)}), (np.tile, (), {"A": X, "reps": 2}),
    (np.split, (), {"ary": X, "indices_or_sections": 2}), (np.tensordot, (), {"a": X, "b": X}),
    (np.interp, (), {"x": 1.5, "xp": X[0], "fp": X[1]}), (np.round, (X,), {"decimals": 1}),
    (np.argmax, (X, 0), {"keepdims": True}), (np.std, (X, 0), {"ddof": 1, "keepdims": True}),
    (np.pad, (X, 1), {"constant_values": 2.0}), (np.meshgrid, (X[0], X[1]), {"copy": True}),
    (np.einsum, ("ij,kj->ik", X, X), {"optimize": True}), (np.isin, (X, X[0]), {"kind": "sort"}),
    (np.sort, (), {"a": X, "kind": "stable"}), (np.linalg.cholesky, (S,), {"upper": True}),
    (np.gradient, (X, 2.0, 0.5), {"axis": (0, 1)}), (np.gradient, (), {"f": X[0], "edge_order": 2}),
    (np.piecewise, (X[0], [X[0] > 1], [lambda v, n: v * n, -1.0], 3.0), {}),
    (np.argsort, (), {"a": X, "kind": "stable"}), (np.quantile, (X, 0.3), {"method": "hazen"}),
    (np.fft.fft, (), {"a": X, "n": 5, "norm": "ortho"}), (np.select, ([X > 1], [X]), {}),
    (np.fft.fftn, (), {"a": X, "s": (2, 4), "axes": (0, 1)}), (np.linalg.trace, (S,), {"offset": 1}),
    (np.choose, (np.array([1, 0, 1]), [X[0], X[1]]), {}), (np.linalg.pinv, (S,), {"rtol": 1e-9}),
    (np.linalg.norm, (), {"x": X, "ord": "nuc"}), (np.searchsorted, (), {"a": X[0], "v": 3.0}),
]  # fmt: skip


def _tensors(x):
    if isinstance(x, list):
        return [_tensors(part) for part in x]
    return Tensor(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
def test_numpys_spelling_of_a_call_gives_what_numpy_gives(function, args, kwargs):
    kwargs_ = {name: _tensors(value) for name, value in kwargs.items()}
    found = function(*map(_tensors, args), **kwargs_)
    expected = function(*args, **kwargs)
    pairs = zip(found, expected, strict=True) if isinstance(expected, (list, tuple)) else [
        (found, expected)
    ]  # fmt: skip
    for one, other in pairs:
        np.testing.assert_allclose(
            one.array, other, rtol=1e-12, strict=isinstance(other, np.ndarray)
        )


def test_what_numpy_refuses_raises_as_in_numpy():
    with pytest.raises(TypeError, match="axes"):
        call_numpy(np.sum, ops.numpy_function("sum"), (Tensor(X),), {"axes": 0})


def test_a_result_goes_into_out():
    out = Tensor(np.zeros(3))
    assert np.max(Tensor(X), axis=0, out=out) is out
    np.testing.assert_array_equal(out.array, [3.0, 5.0, 4.0])


# Arguments that are legal and rare, and some that NumPy refuses, of V, W, I and N.
RARE = [
    "np.digitize(V, W[::-1])",
    "np.digitize(V, W[::-1], right=True)",
    "np.digitize(V, np.ones(2))",
    "np.digitize(V, V)",
    "np.histogram(V, V)",
    "np.histogram(F)",
    "np.histogram_bin_edges(W, W)",
    "np.median(E)",
    "np.median(M[:, :0], axis=1, keepdims=True)",
    "np.interp(V, E, E)",
    "np.interp(V, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], period=2)",
    "np.einsum('ii', M)",
    "np.clip(U, -1, 300)",
    "np.clip(U, 5, 300)",
    "U.clip(-1)",
    "np.clip(U, 300, None)",
    "np.clip(U, None, -1)",
    "np.einsum('iij->j', M[None])",
    "np.cov(V, ddof=5)",
    "np.cov(V, fweights=I, ddof=3)",
    "np.average(V, weights=N - 2.0)",
    "np.average(V, weights=W[:2])",
    "np.average(M, axis=1, weights=V[:2])",
    "np.average(M, axis=0, weights=[1, 2])",
    "np.max(M[:0], axis=(0,), initial=1.0, keepdims=True)",
    "np.dot(H, 2)",
    "np.dot(0.5, H)",
    "np.dot(U, -1)",
    "H.dot(2.5)",
    "np.inner(H, 2)",
    "np.inner(-1, U)",
    "np.append(H, 2)",
    "np.append(U, 300)",
    "np.concatenate((H, 2.5, 3), axis=None)",
    "np.concatenate((2, U), axis=None)",
    "np.concatenate((-1, U, 300), axis=None)",
    "np.concatenate((U, 0.5), axis=None)",
    "np.polyval([2, 1], H)",
    "np.polyval([0.5, 1], U)",
    "np.polyval([], H)",
    "np.ediff1d(U, to_end=2)",
    "np.ediff1d(I, to_begin=0.5)",
    "np.ediff1d(I, to_end=[2, 3])",
]
GIVEN = {
    "V": np.array([3.0, 1.0, 2.0]),
    "W": np.array([1.0, 2.0, 2.5]),
    "I": np.array([1, 0, 2]),
    "N": np.array([1, 1, 4]),
    "F": np.array([np.nan, 1.0]),
    "M": np.arange(6.0).reshape(2, 3),
    "E": np.zeros(0),
    "U": np.array([3, 7, 250], "u1"),
    "H": np.array([0.5, -2.0], "f4"),
}


@pytest.mark.parametrize("how", ["eager", "plan", "native"])
@pytest.mark.parametrize("call", RARE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_rare_arguments_mean_what_they_mean_to_numpy(call, how):
    names = [n for n in GIVEN if re.search(rf"\b{n}\b", call)]
    source = f"import numpy as np\ndef f({', '.join(names)}):\n    return {call}\n"
    f = ag.convert_source(source).f
    args = [GIVEN[n] for n in names]
    run = f if how == "eager" else ag.convert(f, native=None if how == "native" else False)
    given = [ag.constant(x) for x in args] if how == "eager" else args
    try:
        wanted = f(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            run(*given)
        return
    found = run(*given)
    if not isinstance(wanted, tuple):
        found, wanted = [found], [wanted]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)
        assert np.asarray(a).dtype == np.asarray(b).dtype


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.round(x, 1.5),
        lambda x: x.round(decimals=2.0),
        lambda x: np.partition(x, 1.5),
        lambda x: np.argpartition(x, [0, 1.0]),
        lambda x: np.bincount(np.arange(3), minlength=2.5) + x[0],
        lambda x: np.partition(x, True),
        lambda x: np.argpartition(x, [True]),
        lambda x: np.vander(x, True),
    ],
)
def test_what_must_be_an_integer_is_no_float_or_bool(call):
    with pytest.raises((TypeError, ValueError)) as expected:
        call(np.arange(4.0))
    with pytest.raises(expected.type, match=str(expected.value)):
        ag.convert(call)(np.arange(4.0))


@pytest.mark.parametrize("function", [np.partition, np.argpartition])
@pytest.mark.parametrize(("shape", "axis"), [((0,), -1), ((3, 0), 1), ((3, 0), 0), ((3, 0), None)])
def test_nothing_is_partitioned_at_any_place(function, shape, axis):
    x = np.empty(shape)
    expected, found = (f(x, [1, -2], axis=axis) for f in (function, ag.convert(function)))
    assert found.shape == expected.shape and found.dtype == expected.dtype
