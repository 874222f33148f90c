"""Arrays without elements: what is reduced of them is as NumPy has it, however long it is."""

import re

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check

REDUCED = {
    "sum": lambda x: np.sum(x, axis=0),
    "kept": lambda x: np.sum(x, axis=0, keepdims=True) + x.sum(axis=0),
    "prod": lambda x: np.prod(x, axis=0),
    "min": lambda x: np.min(x, axis=0, initial=5.0),
    "max": lambda x: x.max(axis=0, initial=-1.0) * 2,
    "any": lambda x: np.any(x, axis=0),
    "all": lambda x: np.all(x > 0, axis=0),
    "mean": lambda x: np.abs(np.mean(x, axis=0)),
    "var": lambda x: np.abs(np.var(x, axis=0)),
    "std": lambda x: np.abs(np.std(x, axis=0)),
    "norm": lambda x: np.linalg.norm(x, axis=0),
    "counted": lambda x: np.count_nonzero(x, axis=0),
    "of integers": lambda x: x.astype(np.int32).sum(axis=0),
    "of complex numbers": lambda x: x.astype(np.complex128).sum(axis=0),
    "reduce": lambda x: np.maximum.reduce(x, axis=0, initial=-1.0),
    "of a broadcast": lambda x: np.broadcast_to(x[:, :1], x.shape).sum(axis=0),
    "of axes": lambda x: np.zeros((3, 0, 1)).sum(axis=1) + x.sum(axis=0),
    "first axes": lambda x: x[:, None, :].sum(axis=(0, 1)),
    "last axis": lambda x: x.T.sum(axis=1),
    "product": lambda x: x.T[:3] @ x,
    "of a vector": lambda x: x.T @ x[:, 0],
    "einsum": lambda x: np.einsum("ij,ik->k", x, x),
    "tensordot": lambda x: np.tensordot(x, x[:, :2], axes=([0], [0])),
    "then accumulated": lambda x: np.cumsum(np.exp(x.prod(axis=0))),
    "accumulated": lambda x: np.cumsum(x, axis=0).sum(axis=0),
    "put together": lambda x: np.concatenate([x, x], axis=1).sum(axis=0),
    "softmax": lambda x: np.exp(x - x.max(axis=1, initial=0.0, keepdims=True)).sum(axis=0),
    "gradient": lambda x: ag.grad(lambda y: np.sum(np.sum(y, axis=0) ** 2))(x),
    "gradient of a variance": lambda x: ag.grad(lambda y: np.sum(np.var(y, axis=0)))(x),
    "gradient of a product": lambda x: ag.grad(lambda y: np.sum(y.T[:2] @ y))(x),
}
# Of these there is no native code; as plans they are NumPy's own.
NOT_NATIVE = {"min", "max", "reduce", "softmax", "of complex numbers"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", REDUCED)
def test_what_is_reduced_of_nothing_is_as_long_as_numpy_has_it(name):
    if not name.startswith("gradient"):  # plain Python has none
        for size in (2, 100):
            check(REDUCED[name], (np.empty((0, size)),))
    if name in NOT_NATIVE:
        return
    lines = []
    for size in (1000, 1_000_000):
        function = ag.convert(REDUCED[name])
        x = np.empty((0, size))
        assert np.shape(function(x)) == np.shape(REDUCED[name](x))
        kernels = function.get_concrete_function(x).lower("kernels")
        lines.append(re.sub(r"\d+", "0", kernels).count("\n"))
    # Loops over many elements are written with a few more lines for what the lanes leave.
    assert abs(lines[0] - lines[1]) < 10 and lines[0] < 200, "what is compiled grows"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["sum", "prod", "min", "any", "std", "of integers", "product"])
def test_what_no_memory_holds_is_a_memory_error(name):
    x = np.empty((0, 10**15))
    with pytest.raises(MemoryError) as expected:
        REDUCED[name](x)
    with pytest.raises(MemoryError) as caught:
        ag.convert(REDUCED[name])(x)
    assert str(caught.value).startswith(str(expected.value)[:20])


def rows_are_moved(n):
    rows = np.zeros((101, 0), np.int64)
    for i in range(n):
        rows[i] = rows[i + 1]
    return rows


def rows_are_set(n):
    rows = np.ones((101, 0))
    for i in range(n):
        rows[i] = 3
    return rows, rows[n].sum()


def rows_are_summed(n):
    rows, total = np.zeros((101, 0), np.complex128), np.complex128(0)
    for i in range(n):
        total += rows[i].sum()
    return total


@pytest.mark.parametrize("function", [rows_are_moved, rows_are_set, rows_are_summed])
def test_rows_without_elements_are_made_in_the_graph(function):
    check(function, (np.int64(3),), (np.int64(0),))
