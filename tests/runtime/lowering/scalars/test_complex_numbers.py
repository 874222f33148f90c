"""Complex numbers natively: the bits of NumPy's loops, of its scalars, and of Python's numbers."""

import operator

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.prepared import Native
from tests.runtime.lowering.conftest import assert_same_bits

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

PARTS = (0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e308, 5e-324, 3e-160)


def specials(dtype):
    """Each of these numbers beside each."""
    re, im = np.meshgrid(PARTS, PARTS)
    made = np.empty(re.shape, "c16")
    made.real, made.imag = re, im
    with np.errstate(all="ignore"):
        return made.ravel().astype(dtype)


def drawn(*shape, dtype="c16"):
    rng = np.random.default_rng(0)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def natively(function, *args):
    """The result of a function that is converted; it runs as native code as a whole."""
    converted = ag.convert(function)
    with np.errstate(all="ignore"):
        found = converted(*args)
    run = converted.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    return found


def same(function, *args):
    with np.errstate(all="ignore"):
        expected = function(*args)
    found = natively(function, *args)
    many = isinstance(expected, tuple)
    assert_same_bits(found if many else [found], expected if many else [expected])


BINARY = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
UNARY = {
    "negative": lambda x: -x, "conj": np.conj, "real": lambda x: x.real, "imag": lambda x: x.imag,
    "square": np.square, "power": lambda x: x**2, "cube": lambda x: x**3, "isnan": np.isnan, "isfinite": np.isfinite,
    "isinf": np.isinf, "bool": lambda x: x.astype(bool), "narrow": lambda x: x.astype("c8"),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("name", BINARY)
def test_arrays_of_two_operands(name, dtype):
    """Each pair of special numbers, and numbers beside real ones."""
    x, some = specials(dtype), drawn(31, dtype=dtype)
    y = np.ascontiguousarray(x[::3, None])
    with_real = some.real.copy()
    other = some[::-1].copy()
    same(
        lambda x, y, a, z, r: tuple(BINARY[name](*p) for p in ((x, y), (a, z), (a, r), (a, 3))),
        *(x, y, some, other, with_real),
    )


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_arrays_of_one_operand(dtype):
    same(
        lambda x, y: tuple(f(a) for f in UNARY.values() for a in (x, y)),
        specials(dtype),
        drawn(31, dtype=dtype),
    )


@pytest.mark.parametrize("kind", [complex, np.complex128, np.complex64])
@pytest.mark.parametrize("name", BINARY)
def test_numbers(name, kind):
    """Python's and NumPy's: what NumPy's arrays round once, these round twice."""
    function = ag.convert(BINARY[name])
    pairs = zip(drawn(12), drawn(24)[12:], strict=True)
    for x, y in (*pairs, (0, 1 + 2j), (1e308 + 1e308j, 1e-5j), (2, complex(0, -0.0) + 1)):
        x, y = kind(x), kind(y)
        with np.errstate(all="ignore"):
            assert_same_bits([function(x, y)], [BINARY[name](x, y)])
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("shape", [(), (6,), (2, 3)])
def test_what_no_operation_takes(shape, dtype):
    x = drawn(*shape, dtype=dtype)[()]
    found = ag.convert(lambda x: x)
    assert_same_bits([found(x)], [x])
    run = found.traces()[-1]._differentiable.run
    assert run.code.signature.results[0].rank == len(shape)  # else it writes beyond the result
    assert_same_bits(run(x), [x])


def test_python_numbers_raise():
    def quotient(x, y):
        return x / y

    def size(x):
        return abs(x)

    for function, args, error in (
        (quotient, (1 + 2j, 0j), ZeroDivisionError),
        (size, (complex(1.5e308, 1.5e308),), OverflowError),
    ):
        assert natively(function, *[1 + 1j] * len(args)) == function(*[1 + 1j] * len(args))
        converted = ag.convert(function)
        converted(*[1 + 1j] * len(args))
        with pytest.raises(error) as actual:
            converted(*args)
        with pytest.raises(error) as expected:
            function(*args)
        assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_functions_are_within_two_units(dtype):
    """Each part, in units of the whole number."""
    x = np.concatenate([drawn(500, dtype=dtype), drawn(50, dtype=dtype) * 30])
    for function in (np.abs, np.exp, np.log, np.angle):
        found = natively(function, x)
        exact = function(x.astype("G"))
        assert found.dtype == function(x).dtype
        off = np.abs(found - exact) / np.abs(exact)
        assert off.max() < 2 * np.finfo(found.dtype).eps, function


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_parts_of_logarithms_are_within_two_units(dtype):
    """Where the modulus is about 1, too, and where it is no normal number."""
    limits, angle = np.finfo(dtype), np.exp(1j * drawn(1000).real)
    near = [angle * (1 + s) for s in (0, 1e-7, -1e-3)]
    x = np.concatenate([*near, drawn(1000), angle * limits.max / 2, angle * limits.tiny / 9])
    x = x.astype(dtype)
    exact = np.log(x.astype("G"))
    found = natively(np.log, x)
    for a, e in ((found.real, exact.real), (found.imag, exact.imag)):
        assert (np.abs(a - e) / np.spacing(np.abs(e).astype(a.dtype))).max() < 2


def test_special_values_of_functions():
    """As NumPy gives them; signs of zeros too."""
    x = specials("c16")
    large = np.array([709.5 + 1j, 720 + 1.5707j, 1500 + 1j, -745.0 + 2j, -800 + 2j])
    for function in (np.exp, np.log, np.abs):
        with np.errstate(all="ignore"):
            expected = function(np.concatenate([x, large]))
        found = natively(function, np.concatenate([x, large]))
        for a, e in ((found.real, expected.real), (found.imag, expected.imag)):
            np.testing.assert_allclose(a, e, rtol=1e-15, atol=0)


@pytest.mark.broad(2)
@pytest.mark.parametrize("n", [1, 3, 4, 7, 64, 65, 129, 1000])
def test_sums_have_the_bits_of_numpy(n):
    same(lambda x: (np.sum(x), np.prod(x[:5]), np.mean(x), np.sum(x * x)), drawn(n))
    same(lambda x: (x.sum(0), x.sum(1), x.sum(), np.count_nonzero(x)), drawn(n, 5))
    same(np.sum, drawn(n, dtype="c8"))


@pytest.mark.broad(2)
@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4, 5)), ((40, 30), (30, 20)), ((7,), (7,)), ((7,), (7, 3)), ((4, 7), (7,)),
     ((2, 4, 5), (2, 5, 3)), ((2, 4, 5), (5, 3))],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_products_of_matrices(shapes, dtype):
    x, y = (drawn(*shape, dtype=dtype) for shape in shapes)
    found, expected = natively(np.matmul, x, y), x @ y
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.abs(found - expected).max() < 20 * np.finfo(dtype).eps * np.abs(expected).max()
    mixed = natively(np.matmul, x, y.real.copy())
    np.testing.assert_allclose(mixed, x @ y.real, rtol=1e-4 if dtype == "c8" else 1e-12)


def mandelbrot(width, height, rounds):
    out = np.zeros((height, width), dtype=np.int64)
    for i in range(height):
        for j in range(width):
            c = complex(-2 + 3 * j / width, -1.5 + 3 * i / height)
            z = 0j
            k = 0
            while abs(z) <= 2 and k < rounds:
                z = z * z + c
                k += 1
            out[i, j] = k
    return out


def escapes(c, rounds):
    z = np.zeros_like(c)
    n = np.zeros(c.shape, dtype=np.int64)
    for _ in range(rounds):
        z = np.where(np.abs(z) <= 2, z * z + c, z)
        n = n + (np.abs(z) <= 2)
    return n


def butterflies(x):
    n = len(x)
    out = x.copy()
    size = 2
    while size <= n:
        w = np.exp(-2j * np.pi / size)
        for i in range(0, n, size):
            f = 1.0 + 0.0j
            for k in range(size // 2):
                u = out[i + k]
                v = out[i + k + size // 2] * f
                out[i + k] = u + v
                out[i + k + size // 2] = u - v
                f = f * w
        size = size * 2
    return out


def horner(coefficients, z):
    total = 0j
    for c in coefficients:
        total = total * z + c
    return total


def newton(z):
    steps = 0
    while abs(z**3 - 1) > 1e-9 and steps < 60:
        z = z - (z**3 - 1) / (3 * z**2)
        steps += 1
    return z, steps


def collected(z, n):
    found = []
    for _ in range(n):
        z = z * (0.6 + 0.7j)
        found.append(z)
    return np.array(found)


def printed(z, n):
    for k in range(n):
        z = z * 1j
        if z.real > 1e9:
            print(k, z)
    return z


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (mandelbrot, (9, 8, 30)),
        (escapes, (drawn(9, 7), 20)),
        (butterflies, (drawn(16),)),
        (horner, (drawn(7), np.complex128(0.5 + 0.2j))),
        (newton, (np.complex128(0.3 + 0.9j),)),
        (collected, (np.complex128(1 + 1j), 20)),
        (printed, (np.complex128(1 + 1j), np.int64(7))),
        (printed, (1 + 1j, np.int64(7))),
    ],
)
def test_programs(function, args):
    same(function, *args)


def test_a_call_out_takes_and_gives_complex_numbers():
    """In a loop, what has no native form is computed by Python."""

    def rounds(z, n):
        while n > 0:
            z = np.arcsin(z) + 0.1j
            n = n - 1
        return z

    same(rounds, np.complex128(0.3 + 0.2j), np.int64(4))
    same(rounds, drawn(5), np.int64(4))


def test_sizes_that_are_not_known(compare):
    compare(
        lambda x, y: (ag.add(ag.multiply(x, y), 1j), ag.sum(x)), drawn(9), drawn(9), unknown=True
    )


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_gradients(dtype):
    """Those of the plan, natively: products, quotients, powers, sums, matrices."""

    def loss(x, y):
        z = x * y + x / (y + 2) - np.exp(x * 0.1)
        return np.sum(np.abs(z @ z) ** 2) + np.sum(x.real * y.imag)

    x, y = drawn(4, 4, dtype=dtype), drawn(4, 4, dtype=dtype)[::-1].copy()
    found = ag.convert(ag.grad(loss, (0, 1)))(x, y)
    expected = ag.convert(ag.grad(loss, (0, 1)), native=False)(x, y)
    for a, e in zip(found, expected, strict=True):
        assert a.dtype == e.dtype
        np.testing.assert_allclose(a, e, rtol=3e-5 if dtype == "c8" else 1e-12)


@pytest.mark.parametrize("function", [np.sort, np.cumprod, np.linalg.inv])
def test_what_has_no_form_is_a_plan(function):
    x = drawn(4, 4)
    converted = ag.convert(lambda x: function(x))
    np.testing.assert_array_equal(converted(x), function(x))
    assert "native form" in converted.traces()[-1]._differentiable.run.reason


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("n", [5, 100, 1001])
def test_what_is_reduced_of_parts(n, dtype):
    """Parts lie every second place in memory, and are combined in vectors."""
    x = drawn(n, dtype=dtype)

    def of_parts(x):
        re, im = x.real, x.imag
        sums = re.sum(), (im * 2).sum(), np.sum(re * re + im * im), im.mean()
        return *sums, re.max(), im.min(), np.argmax(re), np.argmin(im), np.sum(x - 1)

    same(of_parts, x)
    same(lambda x: (x.real.max(0), x.imag.sum(1), np.argmax(x.imag, 1)), drawn(60, 40, dtype=dtype))
