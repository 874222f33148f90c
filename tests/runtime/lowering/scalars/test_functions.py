"""Functions of elements: one number has one result, wherever it stands, on each kind of machine."""

import numpy as np
import pytest

from runtime import config, ops
from runtime.execute.native import processor
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.declaration.operands import type_of
from tests.last_bits import WITHIN_TWO_UNITS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SIZE = 331
CUTS = [(0, 1), (1, 4), (3, 11), (2, 19), (5, 38), (7, 71), (100, 229), (1, SIZE)]
each_processor = pytest.mark.parametrize("cpu", ["native", *processor.levels()])


def numbers(dtype, seed):
    """Numbers of all sizes, and special ones."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.integers(0, 2**63, 60).astype(f"u{np.dtype(dtype).itemsize}").view(dtype),
        rng.normal(size=80),
        rng.normal(size=80) * 20,
        rng.uniform(0, 700, 50),
        1 + rng.normal(size=50) * 1e-3,
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.625, 1e-40, 2.5, np.pi],
    ]
    return rng.permutation(np.concatenate([np.asarray(part, dtype) for part in parts]))


def vectors(primitive, dtype):
    """Operands, as arrays; None where the op is not one of numbers of the type."""
    xs = [numbers(dtype, seed) for seed in range(primitive.inputs)]
    try:
        (found,) = primitive.op.infer_all([type_of(x) for x in xs], dict(primitive.attributes))
    except TypeError:
        return None
    return xs if found.shape == (SIZE,) else None


CASES = [
    (name, dtype)
    for name, primitive in REGISTRY.items()
    for dtype in ("f4", "f8")
    if primitive.op.options.get("scalar") and vectors(primitive, dtype) is not None
]


def everywhere(function, count):
    """A function of vectors, of parts of them, and in loops over rows of eleven equal numbers."""

    def made(*given):
        xs, rows = given[:count], given[count:]
        found = [function(*xs), *(function(*(x[a:b] for x in xs)) for a, b in CUTS)]
        ends = [ops.max(function(*rows), axis=1), ops.min(function(*rows), axis=1)]
        return (*found, *ends)

    return made


def bits(x):
    """The bits of the elements of an array; any nan is as good as another."""
    return np.where(x != x, np.nan, x).view(f"u{x.itemsize}") if x.dtype.kind == "f" else x


def results(name, dtype, traced, native_of):
    """What an op gives for a vector, of which each element has the same bits elsewhere."""
    function = REGISTRY[name]
    xs = vectors(function, dtype)
    rows = [np.repeat(x[:, None], 11, axis=1) for x in xs]
    whole, *others = native_of(traced(everywhere(function, len(xs)), *xs, *rows))(*xs, *rows)
    alone = native_of(traced(function, *(x[0] for x in xs)))
    numbers = [alone(*element)[0] for element in zip(*xs, strict=True)]
    for (a, b), part in zip([*CUTS, *[(0, SIZE)] * 3], [*others, np.array(numbers)], strict=True):
        np.testing.assert_array_equal(bits(part), bits(whole[a:b]), strict=True)
    return whole


@pytest.mark.broad(20)
@each_processor
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_an_element_has_the_same_bits_wherever_it_stands(name, dtype, cpu, traced, native_of):
    with config.cpu.using(cpu):
        found = results(name, dtype, traced, native_of)
    native = results(name, dtype, traced, native_of)
    if name in WITHIN_TWO_UNITS and found.dtype.kind == "f":
        np.testing.assert_array_max_ulp(found, native, 3)  # each is less than two units off
    else:
        np.testing.assert_array_equal(bits(found), bits(native))


@pytest.mark.broad(3)
@each_processor
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(5, 3, 7), (23, 17, 9), (64, 200, 33), (1, 50, 70), (40, 61, 1)])
def test_an_element_of_a_product_has_the_same_bits_wherever_it_stands(
    shape, dtype, cpu, traced, native_of
):
    rng = np.random.default_rng(3)
    rows, terms, columns = shape
    x = np.repeat(rng.normal(size=(1, terms)), rows, axis=0).astype(dtype)
    y = np.repeat(rng.normal(size=(terms, 1)), columns, axis=1).astype(dtype)
    with config.cpu.using(cpu):
        (found,) = native_of(traced(lambda x, y: x @ y, x, y))(x, y)
    np.testing.assert_array_equal(found, np.full_like(found, found[0, 0]))
