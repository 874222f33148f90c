"""Floats of `ml_dtypes`: as plain Python has them, in graphs, with gradients, saved and loaded."""

import subprocess
import sys

import numpy as np
import pytest

import autograph as ag
from runtime.dtypes import NARROW, dtype_from, is_narrow, kind_of, stored_as

NAMES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


def test_a_package_that_lacks_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    for make in (lambda: dtype_from("bfloat16"), lambda: ag.zeros(2, dtype="float8_e5m2")):
        with pytest.raises(ModuleNotFoundError, match=r"ml_dtypes.*autograph-numpy\[ml-dtypes\]"):
            make()
    with pytest.raises(TypeError, match="bfloat17"):
        dtype_from("bfloat17")


def test_dtypes_of_numpy_are_what_they_were():
    for dtype in map(np.dtype, ("?", "i4", "u8", "f2", "f8", "c16", "U3", "V2", "f4,f4")):
        assert kind_of(dtype) == dtype.kind and not is_narrow(dtype) and stored_as(dtype) == dtype


ml_dtypes = pytest.importorskip("ml_dtypes", reason="floats of less than 16 bits are its")


@pytest.mark.parametrize("name", NARROW)
def test_its_floats_are_floats(name):
    dtype = dtype_from(name)
    assert dtype == getattr(ml_dtypes, name) and is_narrow(dtype) and kind_of(dtype) == "f"
    assert stored_as(dtype).itemsize == dtype.itemsize
    x = ag.constant([0.5, 1.0], dtype=name)
    assert x.dtype == dtype and x.tolist() == [0.5, 1.0]
    assert ag.TensorSpec([None], name).dtype == ag.Variable(x).dtype == dtype


@pytest.mark.parametrize("name", NAMES)
def test_infinities_become_the_largest_numbers(name):
    limits = ag.finfo(dtype_from(name))
    assert (limits.max, limits.eps) == tuple(
        float(getattr(ml_dtypes.finfo(name), limit)) for limit in ("max", "eps")
    )
    x = np.array([1, np.nan, np.inf, -np.inf]).astype(dtype_from(name))
    largest = 0 if np.isnan(x[2]) else limits.max  # a dtype may have no infinity
    for convert in (lambda f: f, ag.convert):
        found = convert(ag.nan_to_num)(x)
        assert np.asarray(found).tolist() == [1, 0, largest, -largest] and found.dtype == x.dtype


def chosen(x, y):
    if x[0, 0] < y[0, 0]:
        x = x + y
    else:
        x = x * y
    return x


def rounds(x, y):
    total = x[0]
    for row in y:
        total = total * row + total
    return total


def written(x, y):
    x[0] = y[1] + 1
    x[:, 1] += 2
    return x, x[::-1] + 0


# What NumPy computes with the scalar types of `ml_dtypes`, bit for bit.
COMPUTED = [
    lambda x, y: (x + y, x - y, x * y, x / y, -x, x // y, x**2),
    lambda x, y: (x * 2, x * 1.5, x + y.astype(np.float32), x * np.float64(2), 1 - x),
    lambda x, y: (np.exp(x), np.log(y), np.tanh(x), np.sqrt(y), np.square(x), np.abs(x)),
    lambda x, y: (x < y, x == y, np.isnan(x), np.maximum(x, y), np.minimum(x, 1), np.sign(x)),
    lambda x, y: (x.sum(0), x.sum(), x.prod(1), x.max(), x.min(0), x.argmax(), x.cumsum(0)),
    lambda x, y: (x.mean(), x.mean(0), x.std(), x.var(1)),
    lambda x, y: (np.where(x > 1, x, 0), np.where(x > 1, x, y), np.concatenate([x, y])),
    lambda x, y: (x[1], x[:, ::2], x.T, x.reshape(3, 2), np.stack([x, y]), np.sort(x, axis=1)),
    lambda x, y: (x.astype(np.float32), x.astype("i4"), y.astype(np.float16), float(x[0, 1])),
    chosen,
    rounds,
    written,
]  # fmt: skip


def operands(name):
    x = np.array([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]])
    return x.astype(name), (np.abs(x)[::-1] + 0.25).astype(name)


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def assert_same(found, expected):
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        a = a.numpy() if isinstance(a, ag.Tensor) else a
        assert type(a) is type(b) and getattr(a, "dtype", None) == getattr(b, "dtype", None)
        np.testing.assert_array_equal(a, b)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_programs_compute_what_plain_python_computes(name):
    for function in COMPUTED:
        expected = function(*operands(name))
        staged = ag.convert(function)
        for _ in range(2):
            assert_same(staged(*operands(name)), expected)
        assert staged.trace_count == 1
        if function is not written:
            with ag.eager():
                assert_same(staged(*map(ag.constant, operands(name))), expected)


AS_NUMBERS = [
    lambda x, y: (x[0, 0].item() * 2, x.item(1), y[0].tolist()),
    lambda x, y: [v * 2 for v in x[0].tolist()],
    lambda x, y: round(sum(y[0].tolist()), 3),
    lambda x, y: (float(x[0, 0]), int(y[0, 1] * 8), complex(x[0, 1])),
    lambda x, y: x.dtype.type(float(x[0, 0]) * 2) + ml_dtypes.bfloat16(y[0, 0].item()),
    lambda x, y: sorted(x[0].tolist()),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", AS_NUMBERS)
def test_elements_are_numbers_of_python_and_numbers_are_its_floats(name, function):
    staged, expected = ag.convert(function), function(*operands(name))
    assert repr(staged(*operands(name))) == repr(expected)


@pytest.mark.parametrize("name", NAMES)
def test_batches_of_them_are_taken_one_by_one(name):
    def total(batches, start):
        for batch in batches:
            start = start + batch.sum()
        return start

    x, y = operands(name)
    staged = ag.convert(total)
    assert repr(staged([x[0], y[0]], x[0, 0])) == repr(total([x[0], y[0]], x[0, 0]))
    rows = ag.data.Dataset.from_tensor_slices([x[0, 0], x[0, 1]]).batch(2)
    assert [row.dtype for row in rows] == [np.dtype(name)]


PRODUCTS = [
    lambda x, y: x @ y.T,
    lambda x, y: x @ y[0],
    lambda x, y: np.dot(x, y.T),
    lambda x, y: np.einsum("ij,kj->ik", x, y),
    lambda x, y: np.tensordot(x, y, 2),
    lambda x, y: np.vecdot(x, y),
]


@pytest.mark.parametrize("name", NAMES)
def test_products_are_summed_in_single_precision_and_rounded_once(name):
    for function in PRODUCTS:
        wide = function(*(x.astype(np.float32) for x in operands(name)))
        expected = np.asarray(wide).astype(name)
        for found in (
            ag.convert(function)(*operands(name)),
            function(*map(ag.constant, operands(name))).numpy(),
        ):
            assert found.dtype == name
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_have_the_dtype_of_what_they_are_of(name):
    def loss(x, y):
        return ag.sum(ag.nn.relu(x @ y.T) * x[:, :2]) + ag.mean(x * x)

    x, y = operands(name)
    slopes = ag.grad(ag.convert(loss))(x, y)
    single = ag.grad(loss)(x.astype("f4"), y.astype("f4"))
    assert slopes.dtype == name
    bound = 4 * float(ml_dtypes.finfo(name).eps)
    np.testing.assert_allclose(slopes.astype("f4"), single, rtol=bound, atol=bound)
    _, moved = ag.jvp(ag.convert(lambda x: x * x), (x,), (x,))
    np.testing.assert_array_equal(moved, 2 * x * x)
    lanes = ag.vmap(lambda row: row @ row)(x)
    assert lanes.dtype == name and lanes.shape == (2,)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_and_its_variables_are_saved_and_loaded(name, tmp_path):
    x, y = operands(name)
    weights = ag.Variable(y)
    large = np.arange(80).astype(name)

    @ag.convert
    def step(x):
        weights.assign_add(x)
        return x @ weights.T + large[1], ag.astype(x, name), x + np.asarray(1, name)

    step(x)
    ag.save(step, tmp_path / "step.agz")
    loaded = ag.load(tmp_path / "step.agz")
    assert_same(loaded(x), tuple(r.numpy() for r in step(x)))
    kept = ag.Checkpoint(weights=weights)
    before = weights.numpy().copy()
    kept.save(tmp_path / "weights.agz")
    weights.assign(x)
    kept.restore(tmp_path / "weights.agz")
    assert_same(weights.numpy(), before)


@pytest.mark.parametrize("name", NAMES)
def test_activations_and_normalizations_keep_the_dtype(name):
    x, _ = operands(name)
    for function in (
        ag.nn.relu, ag.nn.gelu, ag.nn.elu, ag.nn.silu, ag.nn.softmax, ag.nn.leaky_relu,
        ag.nn.layer_norm, ag.nn.sigmoid,
    ):  # fmt: skip
        single = function(x.astype("f4")).numpy()
        found = function(x)
        assert found.dtype == name, function
        bound = 3 * float(ml_dtypes.finfo(name).eps)
        np.testing.assert_allclose(found.numpy().astype("f4"), single, rtol=bound, atol=bound)


def test_matrices_are_decomposed_in_double_precision_as_numpy_does_it():
    x = np.array([[2.0, 1.0], [1.0, 4.0]]).astype("bfloat16")
    for name in ("inv", "det", "cholesky"):
        assert_same(getattr(ag.linalg, name)(x), getattr(np.linalg, name)(x))
    assert ag.grad(ag.convert(np.linalg.det))(x).dtype == "bfloat16"


def test_it_is_not_imported_unless_it_is_asked_for():
    program = "import autograph, sys; assert 'ml_dtypes' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("limits", [(0.0, 1.5), (0, None), (None, 1.5), (1, 2)])
def test_limits_give_the_dtype_that_numpy_gives(name, limits):
    x = np.array([-1.0, 1.0, 3.0]).astype(name)
    expected, found = np.clip(x, *limits), ag.convert(lambda x: np.clip(x, *limits))(x)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.astype("f4"), expected.astype("f4"))
