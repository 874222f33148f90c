"""The namespace against the array API standard 2023.12.

`array_api_strict` has the names, parameters and dtypes of the standard, and refuses everything else.
So names, parameters and operators are compared with it, and the functions that tests/array_api does
not have, over all dtypes; what `array_api_strict` refuses, the standard does not ask for.
"""

from __future__ import annotations

import inspect
import itertools
import math
import warnings

import array_api_strict as strict
import numpy as np
import pytest

import autograph as ag

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")
FLAGS = {"ArrayAPIStrictFlags", "Device", "get_array_api_strict_flags", "__version__",
         "reset_array_api_strict_flags", "set_array_api_strict_flags", "broadcast_shapes", "isin"}  # fmt: skip
MODULES = {"": (strict, ag), "linalg": (strict.linalg, ag.linalg), "fft": (strict.fft, ag.fft)}


@pytest.fixture(autouse=True)
def _version():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with strict.ArrayAPIStrictFlags(api_version="2024.12"):
            yield


def _names():
    for space, (theirs, _) in MODULES.items():
        for name in theirs.__all__:
            if name not in FLAGS and name not in ("fft", "linalg") or space:
                yield pytest.param(space, name, id=f"{space}.{name}" if space else name)


NAMES = list(_names())
FUNCTIONS = [
    p for p in NAMES
    if callable(thing := getattr(MODULES[p.values[0]][0], p.values[1]))
    and not inspect.isclass(thing)
]  # fmt: skip


# ---- dtypes --------------------------------------------------------------------------------------

DTYPE_NAMES = [name for name, x in vars(strict).items() if isinstance(x, type(strict.float32))]


@pytest.mark.parametrize("name", [*DTYPE_NAMES, "float16"])
def test_dtypes_are_numpys_classes_and_make_scalars(name):
    kind = getattr(ag, name)
    assert kind is getattr(np, name)
    # NumPy takes an object `dtype("float64")` to equal None.
    assert kind == np.dtype(name) and (kind == None) is False  # noqa: E711
    assert isinstance(kind(1), np.generic) and kind(1).dtype == name


@pytest.mark.parametrize("name", ["bool", "int8", "uint32", "float16", "float32", "float64"])
def test_a_dtype_makes_scalars_of_a_graph(name, tmp_path):
    kind = getattr(ag, name)

    @ag.convert
    def counted(xs, threshold):
        found = kind(0)
        for x in xs:
            if x > threshold:
                found = found + kind(x)
        return found, np.zeros(2, dtype=kind) + kind(threshold)

    xs = np.array([0.0, 2.0, 3.0])
    want = counted.python_function(xs, 1.0)
    results = [counted(xs, 1.0), counted(xs, 1.0)]
    assert counted.experimental_get_tracing_count() == 1
    ag.save(counted, tmp_path / "counted.agz")
    results.append(ag.load(tmp_path / "counted.agz")(xs, 1.0))
    for got in results:
        assert [x.dtype for x in got] == [x.dtype for x in want] == [np.dtype(name)] * 2
        for mine, theirs in zip(got, want, strict=True):
            np.testing.assert_array_equal(mine, theirs)


# ---- names and parameters ------------------------------------------------------------------------


@pytest.mark.parametrize(("space", "name"), NAMES)
def test_each_name_of_the_standard_is_there(space, name):
    theirs, ours = (getattr(module, name) for module in MODULES[space])
    if isinstance(theirs, float):
        assert ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    elif theirs is None:
        assert ours is None
    elif isinstance(theirs, type(strict.float32)):
        assert ours == np.dtype(name)


@pytest.mark.parametrize(("space", "name"), FUNCTIONS)
def test_a_function_can_be_called_with_the_parameters_of_the_standard(space, name):
    theirs, ours = (inspect.signature(getattr(module, name)) for module in MODULES[space])
    mine = list(ours.parameters.values())
    for i, p in enumerate(theirs.parameters.values()):
        if p.kind is p.VAR_POSITIONAL:
            assert any(q.kind is p.kind for q in mine)
            continue
        if p.kind is not p.KEYWORD_ONLY and not any(q.kind is q.VAR_POSITIONAL for q in mine):
            assert mine[i].kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        if p.kind is not p.POSITIONAL_ONLY:
            assert ours.parameters[p.name].kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        if p.default is p.empty:
            continue
        own = ours.parameters[p.name].default if p.name in ours.parameters else mine[i].default
        same = {("norm", None): "backward", ("correction", None): 0.0, ("ord", None): 2}
        assert same.get((p.name, own), own) == p.default or "UNDEF" in str(p.default)
    required = [q for q in mine if q.default is q.empty and q.kind is q.KEYWORD_ONLY]
    assert not required


# ---- results -------------------------------------------------------------------------------------


def _array(shape, dtype, salt=0):
    """Small numbers of all signs, for floating dtypes with nan, infinities and zeros of both."""
    count = math.prod(shape)
    rng = np.random.default_rng([count, salt, ord(dtype[0])])
    if dtype == "?":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype[0] in "iu":
        return rng.integers(-5 if dtype[0] == "i" else 0, 6, shape).astype(dtype)
    x = rng.normal(0, 2, shape).astype(dtype)
    if dtype[0] == "c":
        return (x + 1j * rng.normal(0, 2, shape)).astype(dtype)
    flat = x.reshape(-1)
    for i, special in enumerate((np.nan, np.inf, -0.0, -np.inf, 0.0)):
        if salt == 0 and count > 3 and i < count - 2:
            flat[i] = special
    return x


def _given(space, x):
    """A value as the one or the other namespace has it."""
    xp = MODULES[""][space]
    if isinstance(x, (np.ndarray, np.generic)):
        return xp.asarray(np.array(x))
    if isinstance(x, np.dtype):
        return getattr(xp, x.name)
    if isinstance(x, (list, tuple)):
        return type(x)(_given(space, part) for part in x)
    return x


def _raw(x):
    if isinstance(x, (list, tuple)):
        return [_raw(part) for part in x]
    if isinstance(x, ag.Tensor):
        return np.asarray(x.numpy())
    if isinstance(x, type(strict.float32)):
        return x._np_dtype
    return np.asarray(x._array) if isinstance(x, type(strict.ones(1))) else x


def _flat(x):
    return [y for part in x for y in _flat(part)] if isinstance(x, list) else [x]


def _compare(name, args, kwargs):
    """Whether the standard has this call; if so, both results are the same."""
    try:
        expected = getattr(strict, name)(
            *_given(0, args), **{k: _given(0, v) for k, v in kwargs.items()}
        )
    except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
        return False
    found = getattr(ag, name)(*_given(1, args), **{k: _given(1, v) for k, v in kwargs.items()})
    ones, others = _flat(_raw(found)), _flat(_raw(expected))
    assert len(ones) == len(others), (args, kwargs)
    for a, b in zip(ones, others, strict=True):
        if isinstance(b, np.ndarray):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), (args, kwargs, found, expected)
            tolerance = 1e-4 if b.dtype.char in "fF" else 1e-11
            np.testing.assert_allclose(
                a, b, rtol=tolerance, atol=tolerance, err_msg=f"{args}{kwargs}"
            )
        else:
            assert a == b, (args, kwargs, a, b)
    return True


SHAPES = ((), (3,), (2, 4), (0, 2), (1, 3, 2))
PAIRS = (((3,), (3,)), ((2, 4), (4,)), ((2, 1), (3,)), ((), (2,)), ((0, 2), (2,)), ((1,), (3, 1)))
AXES = (None, 0, -1, (0, 1), ())
ONE, TWO = (3,), (2, 4)


def each_dtype(*shapes, dtypes=DTYPES, **kwargs):
    return [((_array(s, d),), kwargs) for d in dtypes for s in (shapes or SHAPES)]


def options(shape, dtypes=DTYPES, **several):
    """One array, with each choice of the keyword arguments."""
    return [
        ((_array(shape, d),), dict(zip(several, chosen, strict=True)))
        for d in dtypes
        for chosen in itertools.product(*several.values())
    ]


def binary():
    first = [(_array(ONE, d), _array(ONE, e, 1)) for d in DTYPES for e in DTYPES]
    shapes = [(_array(a, d), _array(b, d, 1)) for d in DTYPES for a, b in PAIRS]
    numbers = [
        pair
        for d in DTYPES for n in (True, 2, 1.5, 1 + 2j)
        for pair in ((_array(ONE, d), n), (n, _array(ONE, d)))
    ]  # fmt: skip
    return [(args, {}) for args in (*first, *shapes, *numbers)]


# What the standard has since 2024; the rest is in tests/array_api.
CASES = {
    "count_nonzero": lambda: [
        *each_dtype(), *options(TWO, axis=AXES, keepdims=(False, True)),
        *options((0, 2), axis=(0, 1)),
    ],
    "cumulative_prod": lambda: [
        *each_dtype(ONE), *options(TWO, axis=(0, 1, -1), include_initial=(False, True)),
        *options(ONE, dtype=(np.dtype("f4"), np.dtype("f8"), np.dtype("i8"), np.dtype("c16"))),
    ],
    "diff": lambda: [
        *options(TWO, axis=(0, 1, -1), n=(0, 1, 2)),
        *[((x := _array(TWO, d),), {"prepend": x[:, :1], "append": x}) for d in DTYPES],
    ],
    "nextafter": lambda: binary(),
    "reciprocal": lambda: each_dtype(),
    "take_along_axis": lambda: [
        ((_array(TWO, d), np.array([[1, 0, 1, 1], [0, 0, 3, 2]]) % n), {"axis": a})
        for d in DTYPES for a, n in ((0, 2), (-1, 4))
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_function_gives_what_the_standard_says(name):
    asked = [_compare(name, args, kwargs) for args, kwargs in CASES[name]()]
    assert sum(asked) >= 3


# ---- arrays and the namespace ---------------------------------------------------------------------


def test_an_array_knows_its_namespace():
    x = ag.ones(2)
    assert x.__array_namespace__() is ag
    assert x.__array_namespace__(api_version="2023.12") is ag
    assert ag.__array_api_version__ == "2023.12"
    with pytest.raises(ValueError, match="'1999.01' is not served"):
        x.__array_namespace__(api_version="1999.01")


def test_the_namespace_tells_what_it_can():
    found, expected = ag.__array_namespace_info__(), strict.__array_namespace_info__()
    assert found.capabilities() == expected.capabilities()
    assert found.default_device() == "/cpu:0" and found.devices() == ag.list_devices()
    for kind in (None, "bool", "integral", "numeric", ("real floating", "bool")):
        theirs = expected.dtypes(kind=kind)
        assert found.dtypes(kind=kind) == {name: d._np_dtype for name, d in theirs.items()}
        assert all(getattr(ag, name) == d for name, d in found.dtypes(kind=kind).items())
    assert found.default_dtypes(device="/cpu:0") == {
        name: dtype._np_dtype for name, dtype in expected.default_dtypes().items()
    }
    with pytest.raises(ValueError, match="no device"):
        found.dtypes(device="/abacus:0")


ATTRIBUTES = ("dtype", "device", "mT", "ndim", "shape", "size", "T")
METHODS = [
    name for name in dir(type(strict.ones(1)))
    if name.startswith("__") and name.endswith("__") and name not in dir(object)
    and name not in ("__module__", "__annotations__", "__weakref__", "__dict__", "__buffer__")
]  # fmt: skip


@pytest.mark.parametrize("name", [*ATTRIBUTES, *METHODS, "to_device"])
def test_an_array_has_what_the_standard_gives_it(name):
    assert hasattr(ag.ones((2, 2)), name)


OPERATORS = ("add", "and", "eq", "floordiv", "ge", "gt", "le", "lshift", "lt", "matmul", "mod", "mul",
             "ne", "or", "pow", "rshift", "sub", "truediv", "xor")  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.filterwarnings("ignore")
def test_operators_give_what_the_standard_says(name):
    asked = 0
    for args, _ in binary():
        x, y = args
        for spelling in (f"__{name}__", f"__r{name}__", f"__i{name}__"):
            theirs = _given(0, x)
            if not hasattr(theirs, spelling):
                continue
            try:
                expected = getattr(theirs, spelling)(_given(0, y))
            except (TypeError, ValueError, OverflowError):
                continue
            if expected is NotImplemented:
                continue
            found = getattr(_given(1, x), spelling)(_given(1, y))
            a, b = _raw(found), _raw(expected)
            assert (a.dtype, a.shape) == (b.dtype, b.shape), (spelling, x, y)
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            asked += 1
    assert asked > 3


def test_scalars_become_python_numbers():
    assert complex(ag.asarray(1 + 2j)) == 1 + 2j and complex(ag.asarray(2)) == 2
    assert float(ag.asarray(1.5)) == 1.5 and int(ag.asarray(2)) == 2
    assert [1, 2, 3][ag.asarray(1)] == 2 and bool(ag.asarray(True)) is True


# ---- the memory of other libraries ----------------------------------------------------------------


def test_numpy_reads_the_memory_of_a_tensor():
    x = ag.asarray([1.0, 2.0, 3.0])
    y = np.from_dlpack(x)
    assert np.shares_memory(y, x.numpy())
    assert x.__dlpack_device__() == np.ones(1).__dlpack_device__()
    x[0] = 9.0  # what another library reads is never written any more
    assert y[0] == 1.0 and x[0] == 9.0


def test_a_tensor_has_the_memory_of_numpy():
    x = np.array([1.0, 2.0])
    shared, own = ag.from_dlpack(x), ag.from_dlpack(x, copy=True)
    x[0] = 5.0
    assert shared[0] == 5.0 and own[0] == 1.0
    assert np.shares_memory(shared.numpy(), x)


def test_a_tensor_shares_the_memory_of_an_array_when_told():
    x = np.array([1.0, 2.0])
    shared, own = ag.asarray(x, copy=False), ag.asarray(x, copy=True)
    x[0] = 5.0
    assert shared[0] == 5.0 and own[0] == 1.0
    for impossible in ([1, 2], 1.5):
        with pytest.raises(ValueError, match="no memory to share"):
            ag.asarray(impossible, copy=False)
    with pytest.raises(ValueError, match="cannot share memory"):
        ag.asarray(x, dtype=np.float32, copy=False)


def test_rank_0_shares_its_memory_with_no_array():
    x = np.array(1.0)
    for impossible in (x, x[()]):
        with pytest.raises(ValueError, match="rank 0 cannot share memory"):
            ag.asarray(impossible, copy=False)
    with pytest.raises(BufferError, match="rank 0 cannot share memory"):
        ag.from_dlpack(x, copy=False)
    assert ag.asarray(x) == ag.from_dlpack(x) == 1.0


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_converted_function_shares_what_it_may_not_copy(shape):
    def written(x):
        xp = x.__array_namespace__()
        shared, own = xp.asarray(x, copy=False), xp.asarray(x, copy=True)
        x[...] = 5.0
        return shared, own

    for function in (written, ag.convert(written)):
        shared, own = function(ag.ones(shape))
        assert ag.all(shared == 5.0) and ag.all(own == 1.0)


def test_what_is_asked_of_dlpack_is_passed_on():
    x = ag.ones(2)
    assert np.shares_memory(np.from_dlpack(x), np.from_dlpack(x))
    with pytest.raises(TypeError):
        x.__dlpack__(streams=None)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_a_scalar_goes_to_another_library_too():
    assert np.from_dlpack(ag.asarray(2.5)) == 2.5


def test_the_memory_of_a_traced_tensor_is_not_there():
    f = ag.convert(lambda x: np.from_dlpack(x * 2))
    with pytest.raises(ag.StagingError, match="known only when the graph runs"):
        f(ag.ones(2))


def test_an_array_of_another_library_is_read_at_each_call():
    x = np.array([1.0, 2.0])

    f = ag.convert(lambda y: ag.from_dlpack(x) * y)
    assert f(np.float64(2.0)).tolist() == [2.0, 4.0]
    x[0] = 5.0
    assert f(np.float64(2.0)).tolist() == [10.0, 4.0]
