"""E1: every function of NumPy on a traced value: what NumPy gives, or an error that says where.

Each is called in several ways on values of several ranks and dtypes. Calls that NumPy itself
refuses, or is about to, say nothing.
"""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import autograph as ag

VALUES = {
    "float": np.float64(0.75),
    "integer": np.int64(2),
    "vector": np.array([0.5, 1.5, -2.0]),
    "integers": np.array([2, 0, 1]),
    "bools": np.array([True, False, True]),
    "matrix": np.array([[2.0, 0.5], [0.5, 3.0]]),
}
CALLS = {
    "(x)": lambda f, x: f(x),
    "(x, x)": lambda f, x: f(x, x),
    "(x, 1)": lambda f, x: f(x, 1),
    "(1, x)": lambda f, x: f(1, x),
    "(x, x, x)": lambda f, x: f(x, x, x),
    "(x, 0, 1)": lambda f, x: f(x, 0, 1),
    "(1, 2, x)": lambda f, x: f(1, 2, x),
    "([x, x])": lambda f, x: f([x, x]),
    "([1.0, x], 0)": lambda f, x: f([1.0, x], 0),
}
SPACES = {"": np, "linalg": np.linalg, "fft": np.fft}
# Files, settings and memory: no business of a graph.
HOST = frozenset(
    (
        "errstate", "fromfile", "fromregex", "genfromtxt", "get_include", "info", "load", "loadtxt",
        "memmap", "printoptions", "save", "savetxt", "savez", "savez_compressed", "set_printoptions",
        "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime", "test",
    )
)  # fmt: skip
NAMES = [
    f"{space}.{name}" if space else name
    for space, module in SPACES.items()
    for name in sorted(module.__all__)
    if name not in HOST
    and callable(thing := getattr(module, name))
    and not (inspect.isclass(thing) and issubclass(thing, (BaseException, Warning)))
]

# What has no one result, by name and way of calling (None: any), with the reason.
UNDEFINED = {
    ("empty", None): "memory as it is found",
    ("empty_like", None): "memory as it is found",
    ("recarray", None): "memory as it is found",
    ("ndarray", None): "memory as it is found",
    ("interp", "(x, x, x)"): "points that do not increase",
    ("intersect1d", "(x, 0, 1)"): "said to be unique, which it is not",
    ("setxor1d", "(x, 0, 1)"): "said to be unique, which it is not",
    ("modf", "(x, x, x)"): "two results into one array",
    ("frexp", "(x, x, x)"): "two results into one array",
    ("vecdot", "(x, x, x)"): "a result into its own operand, read while it is written",
    ("vecmat", "(x, x, x)"): "a result into its own operand, read while it is written",
    ("matvec", "(x, x, x)"): "a result into its own operand, read while it is written",
    ("matmul", "(x, x, x)"): "a result into its own operand, read while it is written",
}
# Where a TypeError or ValueError of Python is raised at the user's line though NumPy has a result.
STRICTER = {
    ("array_equal", "([1.0, x], 0)"): "a list that makes no array is equal to nothing",
    ("array_equiv", "([1.0, x], 0)"): "a list that makes no array is equal to nothing",
    ("put", "(x, x, x)"): "NumPy's scalars take numbers that are no integers as positions",
    ("take", "(x, x)"): "NumPy's scalars take numbers that are no integers as positions",
    ("take", "(1, x)"): "NumPy's scalars take numbers that are no integers as positions",
} | {
    (name, way): "NumPy cuts off what the number of a diagonal is over a whole one"
    for name in ("tril_indices", "triu_indices")
    for way in ("(x, x)", "(1, x)", "(x, x, x)")
    if np.lib.NumpyVersion(np.__version__) < "2.5.0"  # which says that it will refuse them
}


def find(name):
    space, _, own = name.rpartition(".")
    return getattr(SPACES[space], own)


def plain(call, function, x):
    """What NumPy gives, in a list; an empty one where it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return [call(function, x.copy())]
        except Exception:
            return []


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, (tuple, list)) else [x]


# What NumPy gives is real or complex by data; in a graph it is complex.
COMPLEX = frozenset(("linalg.eig", "linalg.eigvals", "real_if_close", "roots"))


def as_complex(x):
    """What NumPy gives as a graph has it."""
    if isinstance(x, tuple):
        return type(x)._make(map(as_complex, x))
    return x.astype(np.result_type(x, np.complex64))


def assert_same(found, expected):
    assert type(found) is type(expected)
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert type(a) is type(b)
        if isinstance(b, (np.ndarray, np.generic)) and b.dtype.kind in "biufc":
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15, strict=True)
        elif not isinstance(b, np.generic):
            assert repr(a) == repr(b)


def staged(call, function):
    """A converted function that does the call. What it prints makes sure that there is a graph."""

    @ag.convert
    def f(x):
        given = x & True if x.dtype == bool else x * 1
        result = call(function, given)
        print(given)
        return result

    return f


@pytest.mark.broad(6)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_a_function_gives_what_numpy_gives_or_is_refused_at_its_line(name):
    function = find(name)
    for way, call in CALLS.items():
        if (name, way) in UNDEFINED or (name, None) in UNDEFINED:
            continue
        for x in VALUES.values():
            for expected in plain(call, function, x):
                try:
                    found = staged(call, function)(x.copy())
                except ag.StagingError as error:
                    is_located = error.origin is not None and error.origin.filename == __file__
                    refused = is_located and str(error).startswith(__file__)
                except (TypeError, ValueError):
                    refused = (name, way) in STRICTER
                else:
                    is_joined = name in COMPLEX and np.iscomplexobj(leaves(found)[0])
                    assert_same(found, as_complex(expected) if is_joined else expected)
                    continue
                assert refused, (way, x)


@pytest.mark.parametrize(("name", "way"), STRICTER)
def test_a_function_is_still_stricter_than_numpy(name, way):
    outcomes = []
    for x in VALUES.values():
        for _ in plain(CALLS[way], find(name), x):
            try:
                staged(CALLS[way], find(name))(x.copy())
            except (TypeError, ValueError) as error:
                outcomes.append(error)
    assert outcomes, "take it off the list"


REFUSED = (
    "array_repr", "array_str", "asmatrix",
    "shares_memory", "asfortranarray", "frombuffer", "array2string",
    "isfortran",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.array([1.5, 2.0])], ids=["weak", "0", "1"])
def test_what_has_no_tensor_form_is_refused_by_name(name, x):
    function = find(name)

    @ag.convert
    def f(x):
        return function(x, x) if name == "shares_memory" else function(x)

    with pytest.raises(ag.StagingError, match=rf"in `f`: `np\.{name}` has no tensor form") as error:
        f(x)
    assert error.value.origin.filename == __file__


# ---- numbers of a type ---------------------------------------------------------------------------

KINDS = (
    np.bool_, np.int8, np.int64, np.uint16, np.uint64, np.float16, np.float32, np.float64,
    np.complex64, np.complex128,
)  # fmt: skip
GIVEN = (0, 1.75, -3, 2.0, np.float64(-2.5), np.int64(300), np.array([1.5, -2.0]), np.array(3.0))


@pytest.mark.filterwarnings("ignore:.*cast:RuntimeWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_made_of_traced_values(kind):
    made = ag.convert(lambda x: kind(x))
    computed = ag.convert(lambda x: kind(x + 0))
    for f in (made, computed):
        for x in GIVEN:
            try:
                expected = kind(x)
            except (OverflowError, TypeError) as error:
                with pytest.raises(type(error)):
                    f(x)
            else:
                assert_same(f(x), expected)


def test_a_number_that_does_not_fit_raises_at_run_time():
    f = ag.convert(lambda x: np.uint8(x))
    assert f(7) == 7 and f(8) == 8
    with pytest.raises(OverflowError):
        f(300)


def test_gradients_go_through_a_type():
    f = ag.convert(lambda x: np.float32(x) ** 2)
    assert ag.grad(f)(3.0) == 6.0


# ---- several results into arrays -----------------------------------------------------------------


@pytest.mark.parametrize("function", [np.divmod, np.modf, np.frexp])
def test_one_of_two_results_goes_into_out(function):
    x = np.array([2.5, -1.5, 4.0])
    args = (x, 2.0) if function is np.divmod else (x,)
    expected = np.empty(3), None
    second = function(*args, out=expected)[1]

    @ag.convert
    def f(x):
        first = np.zeros(3)
        results = function(*((x, 2.0) if function is np.divmod else (x,)), out=(first, None))
        return first, results[0] is first, results[1]

    first, is_out, rest = f(x)
    assert_same((first, rest), (expected[0], second))
    assert is_out


def test_a_result_that_does_not_fit_into_out_is_refused_as_numpy_does():
    with pytest.raises(TypeError, match="Cannot cast ufunc 'sqrt' output from"):
        np.sqrt(ag.asarray([4.0]), out=ag.asarray([1]))
