"""Converted functions in the hands of SciPy, pandas, Matplotlib, json and NumPy itself."""

import importlib
import json
import pickle
import sys
import textwrap

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check


@ag.convert
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


@ag.convert
def relu(x):
    return np.where(x > 0, x, 0.0)


@ag.convert
def decay(t, y):
    if t > 0.5:
        return -2.0 * y
    return -y


def test_scipy_minimize_with_value_and_grad():
    optimize = pytest.importorskip("scipy.optimize")
    start = np.array([-1.2, 1.0, 0.5])
    result = optimize.minimize(ag.value_and_grad(rosenbrock), start, jac=True, method="BFGS")
    np.testing.assert_allclose(result.x, np.ones(3), atol=1e-4)
    separate = optimize.minimize(rosenbrock, start, jac=ag.grad(rosenbrock), method="L-BFGS-B")
    np.testing.assert_allclose(separate.x, np.ones(3), atol=1e-3)
    assert rosenbrock.trace_count <= 2  # for arrays, and for the tensors of gradients


def test_scipy_root_and_quad():
    optimize, integrate = (pytest.importorskip(f"scipy.{m}") for m in ("optimize", "integrate"))
    cubic = ag.convert(lambda x: x**3 - 2 * x - 5)
    root = optimize.newton(cubic, 2.0, fprime=ag.grad(cubic))
    np.testing.assert_allclose(root, 2.0945514815423265)
    assert optimize.brentq(cubic, 2.0, 3.0) == pytest.approx(root)
    kink = ag.convert(lambda x: x if x > 0 else -x)
    assert integrate.quad(kink, -1.0, 1.0, points=[0.0])[0] == pytest.approx(1.0)
    assert kink.trace_count == 1


def test_scipy_solve_ivp():
    integrate = pytest.importorskip("scipy.integrate")
    solution = integrate.solve_ivp(decay, (0.0, 1.0), np.array([1.0, 2.0]), rtol=1e-8, atol=1e-10)
    plain = integrate.solve_ivp(decay.python_function, (0.0, 1.0), np.array([1.0, 2.0]), rtol=1e-8,
                                atol=1e-10)  # fmt: skip
    np.testing.assert_array_equal(solution.y, plain.y)


def test_scipy_curve_fit():
    optimize = pytest.importorskip("scipy.optimize")
    model = ag.convert(lambda x, a, b: a * np.exp(-b * x))
    x = np.linspace(0.0, 2.0, 20)
    fitted, _ = optimize.curve_fit(model, x, 2.0 * np.exp(-1.5 * x), p0=(1.0, 1.0))
    np.testing.assert_allclose(fitted, [2.0, 1.5], rtol=1e-5)


def test_matplotlib_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    x = np.linspace(-1.0, 1.0, 5)
    (line,) = axes.plot(x, relu(x))
    np.testing.assert_array_equal(line.get_ydata(), np.maximum(x, 0.0))
    (line,) = axes.plot(x, relu(ag.constant(x)))
    np.testing.assert_array_equal(np.asarray(line.get_ydata()), np.maximum(x, 0.0))


def test_pandas_frame_and_series():
    pandas = pytest.importorskip("pandas")
    x = np.arange(6.0).reshape(3, 2) - 2
    frame = pandas.DataFrame(relu(x), columns=["a", "b"])
    assert frame["b"].tolist() == [0.0, 1.0, 3.0]
    assert pandas.Series(relu(x[:, 0])).sum() == 2.0
    series = pandas.Series([1.0, -2.0, 3.0])
    assert series.apply(ag.convert(lambda v: v if v > 0 else -v)).tolist() == [1.0, 2.0, 3.0]
    assert frame.apply(lambda column: rosenbrock(column.to_numpy())).shape == (2,)


def gives_result_or_one_line(function, argument):
    try:
        return np.asarray(function(argument))
    except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
        first = str(error).splitlines()[0]
        assert first and len(first) < 300
        return None


def test_series_as_argument():
    pandas = pytest.importorskip("pandas")
    result = gives_result_or_one_line(relu, pandas.Series([1.0, -2.0]))
    assert result is None or result.tolist() == [1.0, 0.0]
    frame = pandas.DataFrame({"a": [1.0, -2.0]})
    result = gives_result_or_one_line(relu, frame)
    assert result is None or result.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("argument", [
    [1.0, -2.0], [[1.0], [2.0]], (1, 2), np.array([1.0, "a"], dtype=object),
    np.array([1.0, 2.0], dtype=object), np.array(["a", "b"]), np.array(["2020-01-01"], "M8[D]"),
    np.ma.masked_array([1.0, 2.0], [True, False]), memoryview(b"ab"),
    range(3), {1.0, 2.0}, np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "text",
    np.float16([1.0, 2.0]), np.longdouble(1.0), np.array([1.0, 2.0], ">f8"),
])  # fmt: skip
def test_other_arguments_get_a_result_or_one_line(argument):
    def f(x):
        return np.asarray(x) + 1

    try:
        expected = f(argument)
    except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
        expected = None
    result = gives_result_or_one_line(ag.convert(f), argument)
    assert result is None or (expected is not None and np.array_equal(result, expected))


def test_list_of_floats():
    f = ag.convert(lambda x: np.sum(np.asarray(x) * 2))
    assert f([1.0, 2.0]) == 6.0 and f([2.0, 2.0]) == 8.0 and f.trace_count == 1
    assert ag.convert(lambda x: sum(x) + max(x))([1.0, 2.0]) == 5.0


def test_json():
    total = ag.convert(lambda x: (x * x).sum())
    assert json.loads(json.dumps(float(total(np.ones(3))))) == 3.0
    assert json.dumps({"n": ag.convert(lambda x: x * 2)(1.5)}) == '{"n": 3.0}'
    assert json.dumps(ag.convert(lambda n: n * 2)(3)) == "6"
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(total(ag.constant([1.0])))
    assert json.dumps(total(ag.constant([1.0])).item()) == "1.0"


def test_pickle_and_isinstance_of_results():
    result = relu(np.ones(2))
    assert isinstance(result, np.ndarray)
    assert pickle.loads(pickle.dumps(result)).tolist() == [1.0, 1.0]
    assert pickle.loads(pickle.dumps(relu(ag.constant([1.0])))).numpy().tolist() == [1.0]


def test_numpy_functions_that_call_back():
    f = ag.convert(lambda x: x if x > 0 else -x)
    np.testing.assert_array_equal(np.vectorize(f)(np.array([1.0, -2.0])), [1.0, 2.0])
    np.testing.assert_array_equal(np.apply_along_axis(rosenbrock, 1, np.zeros((2, 3))), [2.0, 2.0])
    np.testing.assert_array_equal(
        np.fromfunction(ag.convert(lambda i, j: i * 2 + j), (2, 2)), [[0, 1], [2, 3]]
    )
    assert sorted([3.0, -1.0, 2.0], key=f) == [-1.0, 2.0, 3.0]
    assert list(map(f, [1.0, -1.0])) == [1.0, 1.0]


@pytest.mark.parametrize("function", [
    np.sum, np.mean, np.max, np.sort, np.cumsum, np.sin, np.prod, np.linalg.norm, np.std, np.argmax,
    np.asarray, np.array, lambda a: np.dot(a, a), lambda a: np.maximum(a, [0.5, 9.0, -1.0]),
    lambda a: np.where([a[0] > 0, a[1] > 4, True], a, 0.0), lambda a: np.stack(a),
], ids=lambda f: f.__name__)  # fmt: skip
def test_numpy_functions_of_a_list_of_computed_values(function):
    def body(x):
        return function([x, x * 2, 1.0])

    f = ag.convert(body)
    for x in (1.5, -2.0):
        result, expected = f(x), body(x)
        np.testing.assert_allclose(result, expected, rtol=1e-15)
        assert type(result) is type(expected)
    assert f.trace_count == 1


def test_results_write_like_numpy():
    result = ag.convert(lambda x: x * 2)(np.ones(3))
    result[0] = 5.0
    assert result.flags.writeable and result.flags.owndata and result.tolist() == [5.0, 2.0, 2.0]


def test_out_argument_and_ufunc_methods_with_tensors():
    t = ag.convert(lambda x: x * 2)(ag.constant([1.0, 2.0]))
    assert float(np.sum(t)) == 6.0 and np.asarray(t).tolist() == [2.0, 4.0]
    assert np.add.reduce(np.asarray(t)) == 6.0


# ---- code for several array modules --------------------------------------------------------------

# What `cupy.get_array_module` is, and the parts of `array_api_compat` that look at arrays: neither
# need be installed.
_CUPY = """
import sys, numpy as _numpy
class ndarray: pass
def get_array_module(*args):
    for arg in args:
        if isinstance(arg, ndarray):
            return sys.modules[__name__]
    return _numpy
"""
_COMPAT = """
import numpy as np
def _check_device(bare_xp, device):
    if device not in ["cpu", None]:
        raise ValueError(f"Unsupported device for NumPy: {device!r}")
class namespace:
    @staticmethod
    def asarray(obj, /, *, dtype=None, device=None, copy=None, **kwargs):
        _check_device(np, device)
        if copy is None:
            copy = np._CopyMode.IF_NEEDED
        elif copy is False:
            copy = np._CopyMode.NEVER
        return np.array(obj, copy=copy, dtype=dtype, **kwargs)
    @staticmethod
    def clip(x, /, min=None, max=None):
        low = np.broadcast_to(np.asarray(min, dtype=x.dtype), x.shape)
        high = np.broadcast_to(np.asarray(max, dtype=x.dtype), x.shape)
        out = np.empty(x.shape, dtype=x.dtype)
        np.clip(x, low, high, out=out, casting="no")
        return out[()]
    def __getattr__(self, name):
        return getattr(np, name)
_namespace = namespace()
def array_namespace(*xs):
    for x in xs:
        if not isinstance(x, (np.ndarray, np.generic)):
            raise TypeError(f"{type(x).__name__} is not a supported array type")
    return _namespace
def device(x):
    return "cpu" if isinstance(x, np.ndarray) else x.device
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Modules that stand for CuPy and array_api_compat, with source."""
    for name, source in (("cupy", _CUPY), ("array_api_compat", _COMPAT)):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    found = [importlib.import_module(name) for name in ("cupy", "array_api_compat")]
    yield found
    for module in found:
        sys.modules.pop(module.__name__, None)


def test_code_that_asks_for_the_module_of_its_arrays(modules):
    cupy, compat = modules

    def of_cupy(x):
        xp = cupy.get_array_module(x)
        y = xp.exp(x) + xp.where(x > 0, x, -x)
        if y.sum() > 3:
            y = xp.concatenate([y, xp.zeros(2)])
        return xp.sum(y**2)

    def of_compat(x):
        xp = compat.array_namespace(x)
        total = xp.zeros_like(x)
        for shift in range(len(x)):
            total = total + xp.roll(x, shift) * xp.asarray([0.5, 2.0], device=compat.device(x))[0]
            if xp.any(total > 5):
                total = xp.clip(total, -1.0, 5.0)
        return xp.asarray(total, copy=True), xp.asarray(x) is x, xp.sum(total)

    x = np.linspace(-1.0, 2.0, 18)
    checked = check(of_cupy, (x,), (x - 9,), conds=1)
    assert checked.function.trace_count == 1
    steps = 1e-6 * np.eye(18)
    slopes = [(of_cupy(x + step) - of_cupy(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(ag.grad(ag.convert(of_cupy))(x), slopes, rtol=1e-6)
    check(of_compat, (x,), (x - 9,), tensors=False, whiles=1)


def test_an_array_says_that_it_is_on_the_cpu():
    def sample(x, y):
        made = np.zeros(3, device=x.device) + x[:3].to_device(x.device)
        if x.device == "cpu":
            made = made * 2
        return made, x.device, y.device, (x * y).device

    check(sample, (np.arange(4.0), np.float64(2)), tensors=False)
    assert ag.convert(lambda x: x.device)(ag.constant([1.0])) == "/cpu:0"


def test_a_view_of_all_elements():
    def sample(x, y):
        view = x.view()
        view[0] = y
        part = x.view(np.ndarray)[1:]
        part += view[0]
        return view, view is x, x.view(x.dtype).sum(), y.view()

    check(sample, (np.arange(4.0), np.float64(2)))
    check(lambda x: x.view(), (np.arange(6.0).reshape(2, 3),))
    with pytest.raises(ag.StagingError, match="as another class"):
        ag.convert(lambda x: (x * 2).view(np.matrix))(np.ones(3))


def test_a_view_of_memory_as_another_dtype():
    def sample(x, y):
        bits = x.view(np.int64)
        bits[0] = 0x3FF0000000000000
        parts = x.view("f4")
        x[2] = y
        return bits & 0xFFF, parts[::2] + 0, x, (x + 1j).view(np.float64), y.view(np.uint64)

    check(sample, (np.arange(4.0), np.float64(2)), tensors=False)
    for dtype in (np.float64, np.complex64):  # three of four bytes are no larger ones
        with pytest.raises(ValueError, match="must be a divisor"):
            ag.convert(lambda x: x.view(dtype))(np.ones(3, np.float32))
    slopes = ag.grad(ag.convert(lambda z: ag.sum(z.view("f4")[1:] ** 2)))(np.array([1 + 2j], "c8"))
    assert slopes.dtype == np.complex64 and slopes.tolist() == [4j]
    whole = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(ag.vmap(lambda x: x.view("i4"))(whole), whole.view("i4"))


def test_a_view_shows_bools_as_numbers_and_the_reverse():
    def sample(x):
        is_large = x > 1
        bits = is_large.view(np.uint8)
        bits[0] = 1
        words = is_large.view("u8")
        bools = (x > 2).astype("i1").view(bool)
        bools[1] = True
        return is_large, bits, words, bools, bools.sum(), (x > 3).view("i1").sum()

    x = np.array([0.0, 1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 1.0])
    check(sample, (x,), tensors=False)
    counted = ag.convert(lambda x: (x > 1).view("i1") * 2, native=True)
    np.testing.assert_array_equal(counted(x), (x > 1).view("i1") * 2)
    # A byte that is neither 0 nor 1 is a bool that NumPy's functions disagree about.
    bits, whole = np.array([1, 2], np.uint8), ag.TensorSpec([None], np.uint8)
    staged = ag.convert(lambda x: x.view(bool), input_signature=[whole])
    for way in (lambda x: ag.constant(x).view(bool), staged):
        with pytest.raises(ValueError, match="0 or 1"):
            way(bits)
        np.testing.assert_array_equal(way(bits & 1), [True, False])
