"""Derivatives at the edge: strong zeros, and what each op's derivative is where it is no number."""

import itertools
import math
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.autodiff import jvp, vjp
from runtime.ops.declaration.declare import FUNCTIONS, REGISTRY
from runtime.ops.matrices import general_matrices  # noqa: F401 - not brought in by `ops`

INF, NAN = math.inf, math.nan
POINTS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0)
BEYOND = (*POINTS, INF, -INF, NAN)

# Of an op at a point, where it or its derivative is singular: the derivative by each operand. Where
# a root, norm or angle is 0 it is 0, as that of `abs`; a vertical tangent and a pole are infinite.
SINGULAR = {
    "abs": {(0.0,): 0.0},
    "acos": {(1.0,): -INF, (-1.0,): -INF},
    "acosh": {(1.0,): INF},
    "angle": {(0j,): 0.0},
    "asin": {(1.0,): INF, (-1.0,): INF},
    "atan2": {(0.0, 0.0): (0.0, 0.0)},
    "atanh": {(1.0,): INF, (-1.0,): INF},
    "beta": {(1.0, -1.0): (-INF, NAN)},
    "beta_part": {(0.0, 1.0, 0.0): (0.0, 0.0, NAN)},
    "betaln": {(1.0, -1.0): (INF, NAN)},
    "boxcox": {(0.0, 0.5): (0.0, 4.0), (0.0, 1.0): (1.0, 1.0), (0.0, 2.0): (0.0, 0.25)},
    "cbrt": {(0.0,): 0.0},
    "complex_modulus": {(0j,): 0.0},
    "divide": {(1.0, 0.0): (INF, -INF), (-1.0, 0.0): (INF, INF)},
    "entr": {(0.0,): INF},
    "erfinv": {(1.0,): INF},
    "float_power": {(0.0, 0.5): (0.0, 0.0), (-1.0, 2.0): (-2.0, NAN)},
    "gamma_part": {(0.5, 0.0): (0.0, INF)},
    "hypot": {(0.0, 0.0): (0.0, 0.0)},
    "inv_boxcox": {(-1.0, 1.0): (1.0, 0.0), (-0.5, 2.0): (0.0, 0.0), (-2.0, 0.5): (0.0, 0.0)},
    "kl_div": {(0.0, 0.0): (0.0, 1.0), (0.0, 1.0): (-INF, 1.0)},
    "log": {(0.0,): INF},
    "log1p": {(-1.0,): INF},
    "logaddexp": {(-INF, -INF): (0.0, 0.0), (-INF, 1.0): (0.0, 1.0)},
    "logaddexp2": {(-INF, -INF): (0.0, 0.0), (1.0, -INF): (1.0, 0.0)},
    "logit": {(0.0,): INF, (1.0,): INF},
    "pow": {(0.0, 0.5): (0.0, 0.0), (0.0, 1.0): (1.0, 0.0), (0.0, -1.0): (-INF, 0.0),
            (0.0, 0.0): (0.0, 0.0), (-1.0, 2.0): (-2.0, NAN)},
    "power": {(0.0, 0.5): (0.0, 0.0), (0.0, 2.0): (0.0, 0.0), (-1.0, 2.0): (-2.0, NAN)},
    "pseudo_huber": {(0.0, 0.0): (0.0, 0.0), (0.0, 2.0): (2.0, 0.0)},
    "reciprocal": {(0.0,): -INF},
    "rel_entr": {(0.0, 0.0): (1.0, 0.0), (0.0, 1.0): (-INF, 0.0)},
    "sign": {(0j,): 0.0},
    "sqrt": {(0.0,): 0.0},
    "strong_quotient": {(0.0, 0.0): (INF, 0.0), (1.0, 0.0): (INF, -INF)},
    "xlog1py": {(0.0, -1.0): (0.0, 0.0), (0.0, 1.0): (math.log(2.0), 0.0)},
    "xlogy": {(0.0, 0.0): (0.0, 0.0), (0.0, 1.0): (0.0, 0.0), (1.0, 0.0): (-INF, INF)},
}  # fmt: skip


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def elementwise():
    """Ops of numbers that have a derivative, with the kinds of their operands and attributes."""
    for name, primitive in sorted(REGISTRY.items()):
        op = primitive.op
        if op.elementwise and op.samples is not None and op.vjp is not None:
            inputs, attrs = next(iter(op.samples()))
            kinds = [np.asarray(x).dtype.kind for x in inputs]
            if "f" in kinds or "c" in kinds:
                yield pytest.param(primitive, kinds, attrs, id=name)


def at(point, kinds):
    """Operands of these kinds at a point."""
    for x, kind in zip(point, kinds, strict=True):
        if kind in "fc":
            yield np.array([x], "f8" if kind == "f" else "c16")
        else:
            yield np.array([x > 0 if kind == "b" else int(np.nan_to_num(x, posinf=9, neginf=-9))])


def of_varied(primitive, operands, attrs):
    """The op as a function of what has a derivative, and these operands."""
    varied = [i for i, x in enumerate(operands) if x.dtype.kind in "fc"]

    def function(*xs):
        given = dict(zip(varied, xs, strict=True))
        return primitive(*(given.get(i, x) for i, x in enumerate(operands)), **attrs)

    return function, [operands[i] for i in varied]


def values_at(primitive, kinds, attrs, points):
    """Value, pull-back, function and operands wherever the op is defined."""
    for point in itertools.product(points, repeat=len(kinds)):
        function, xs = of_varied(primitive, list(at(point, kinds)), attrs)
        try:
            value, pull_back = vjp(function, *xs)
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            continue
        yield point, value, pull_back, function, xs


@pytest.mark.parametrize(("primitive", "kinds", "attrs"), list(elementwise()))
def test_no_singular_point_is_missing_from_the_table(primitive, kinds, attrs):
    """Where the value is a number, so are derivatives, but of ops that are in the table."""
    if primitive.op.name in SINGULAR:
        return
    for point, value, pull_back, *_ in values_at(primitive, kinds, attrs, POINTS):
        if np.isfinite(value).all():
            found = pull_back(np.ones_like(value))
            assert all(np.isfinite(g).all() for g in found), point


@pytest.mark.parametrize(("primitive", "kinds", "attrs"), list(elementwise()))
def test_zeros_stay_zero_at_every_point(primitive, kinds, attrs):
    """Cotangents and tangents, infinite and missing operands included."""
    points = BEYOND if len(kinds) < 3 else (0.0, 1.0, INF)
    for point, value, pull_back, function, xs in values_at(primitive, kinds, attrs, points):
        assert not any(np.any(g) for g in pull_back(np.zeros_like(value))), point
        if len(kinds) == 1:
            _, tangent = jvp(function, xs, [np.zeros_like(x) for x in xs])
            assert not np.any(tangent), point


@pytest.mark.parametrize(
    ("name", "point", "wanted"),
    [(name, point, wanted) for name, rows in SINGULAR.items() for point, wanted in rows.items()],
)
def test_derivatives_at_singular_points(name, point, wanted):
    xs = [np.array([x]) for x in point]
    value, pull_back = vjp(REGISTRY[name], *xs)
    found = pull_back(np.ones_like(value))
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for i, (x, g, one) in enumerate(zip(xs, found, wanted, strict=True)):
        np.testing.assert_allclose(g.real, [one], rtol=1e-12)
        if x.dtype.kind == "f" and not np.iscomplexobj(value):
            along = [np.array([float(i == k)]) for k in range(len(xs))]
            if not np.isnan(one):
                np.testing.assert_allclose(jvp(REGISTRY[name], xs, along)[1], [one], rtol=1e-12)


def test_nan_of_the_data_stays():
    for name in ("abs", "sqrt", "cbrt", "multiply", "divide", "log", "pow", "hypot", "exp"):
        primitive = REGISTRY[name]
        xs = [np.array([NAN])] * primitive.inputs
        value, pull_back = vjp(primitive, *xs)
        assert all(np.isnan(g).all() for g in pull_back(np.ones_like(value))), name


# ---- over axes ---------------------------------------------------------------------------------

# What has no derivative where eigenvalues coincide or a matrix has no inverse: said in the guide.
DECOMPOSED = {"eig", "eigh", "svd", "linalg.eig", "linalg.eigh", "linalg.svd"}


def over_axes():
    """Ops and functions that are not element by element, with samples of floats."""
    for name, primitive in sorted(REGISTRY.items()):
        op = primitive.op
        if not op.elementwise and op.samples is not None and op.vjp is not None:
            yield pytest.param(primitive, op.samples, id=name)
    for name, (function, _, samples) in sorted(FUNCTIONS.items()):
        if samples is not None and name not in REGISTRY:
            yield pytest.param(function, samples, id=name)


FILLS = (np.zeros_like, np.ones_like, lambda x: np.where(np.arange(x.size).reshape(x.shape), x, 0))


@pytest.mark.broad(3)
@pytest.mark.parametrize(("function", "samples"), list(over_axes()))
def test_derivatives_over_axes_are_numbers_where_values_are(function, samples, request):
    """Of arrays of zeros and of ones: norms, deviations, products, logarithms of sums."""
    if request.node.callspec.id in DECOMPOSED:
        return
    for inputs, attrs in itertools.islice(samples(), 6):
        varied = [isinstance(x, np.ndarray) and x.dtype.kind in "fc" and x.size for x in inputs]
        if not any(varied):
            continue
        for fill in FILLS:
            filled = [fill(x) if v else x for x, v in zip(inputs, varied, strict=True)]
            _check_over_axes(function, filled, varied, attrs)


def _check_over_axes(function, inputs, varied, attrs):
    def of_floats(*xs):
        rest = iter(xs)
        given = [next(rest) if v else x for x, v in zip(inputs, varied, strict=True)]
        results = function(*given, **attrs)
        leaves = results if isinstance(results, (tuple, list)) else [results]
        return [y for y in leaves if getattr(y, "dtype", np.dtype(int)).kind in "fc"]

    try:
        values, pull_back = vjp(of_floats, *(x for x, v in zip(inputs, varied, strict=True) if v))
    except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return
    if values and all(np.isfinite(y).all() for y in values):
        for start in (np.ones_like, np.zeros_like):
            try:
                found = pull_back([start(y) for y in values])
            except np.linalg.LinAlgError:
                return
            assert all(np.isfinite(g).all() for g in found), inputs


NORMS = [(order, None) for order in (None, 1, 2, 3, 0.5, INF, -INF, 0)]
NORMS += [(order, (0, 1)) for order in (None, "fro", "nuc", 1, 2, INF, -1, -2, -INF)]
NORMS += [(order, axis) for order in (None, 1, 2, 3, INF) for axis in (0, 1)]


@pytest.mark.parametrize(("order", "axis"), NORMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_norms_of_zeros_have_the_derivative_zero(order, axis, dtype):
    x = np.zeros((2, 2) if axis is not None else 3, dtype)
    value, pull_back = vjp(lambda x: ops.linalg.norm(x, order, axis), x)
    (found,) = pull_back(np.ones_like(value))
    np.testing.assert_array_equal(found, np.zeros_like(x))


# ---- the ops of rules ----------------------------------------------------------------------------


def test_zero_times_infinity_is_zero_and_nan_stays():
    product = REGISTRY["strong_product"]
    quotient = REGISTRY["strong_quotient"]
    g = np.array([0.0, INF, 2.0, NAN, 0.0, NAN, INF, 2.0, NAN])
    factor = np.array([INF, 0.0, 3.0, 1.0, NAN, 0.0, INF, NAN, INF])
    products = [0.0, 0.0, 6.0, NAN, 0.0, NAN, INF, NAN, NAN]
    quotients = [0.0, INF, 2 / 3, NAN, 0.0, NAN, 0.0, NAN, NAN]
    for op, expected in ((product, products), (quotient, quotients)):
        for found in (op(g, factor), ag.convert(lambda g, y, op=op: op(g, y))(g, factor)):
            np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_nan_in_the_data_reaches_what_is_multiplied_by_zero(dtype):
    x, y = np.array([0.0, 1.0], dtype), np.array([np.nan, 1.0], dtype)

    def loss(w):
        return ((w * x - y) ** 2).mean()

    for gradient in (ag.grad(loss), ag.convert(ag.grad(loss))):
        np.testing.assert_array_equal(np.isnan(gradient(np.ones(2, dtype))), [True, False])


def test_rules_of_ordinary_numbers_have_no_strong_product():
    """Nothing is asked of each element where the factor is known."""
    graph = _gradient_graph(lambda x: ((3.0 * x - 1.0) / 4.0).sum())
    assert not {node.op.name for node in graph.walk()} & {"strong_product", "strong_quotient"}


def _gradient_graph(function):
    return ag.convert(ag.grad(function)).get_concrete_function(np.ones(3)).graph
