"""Tests of `runtime.dispatch`: NumPy's own functions on tensors."""

import numpy as np
import pytest
from scipy import special

from runtime.autodiff.tape import GradientTape
from runtime.building import constant, trace_function
from runtime.errors import StagingError
from runtime.spec import TensorType, type_of_number
from runtime.tensor import Tensor
from runtime.variable import Variable

X = np.array([1.0, 2.0, 4.0])


def test_a_ufunc_gives_a_tensor():
    result = np.add(constant(X), 1)
    assert isinstance(result, Tensor) and result.tolist() == [2.0, 3.0, 5.0]


def test_a_ufunc_gives_a_scalar_even_for_a_python_number():
    assert np.sin(Tensor(0.0)).type == TensorType(np.dtype("f8"), ())


@pytest.mark.parametrize("out", [constant(np.zeros(3)), np.zeros(3)], ids=["tensor", "ndarray"])
def test_a_ufunc_writes_into_out(out):
    assert np.add(constant(X), 1, out=out) is out
    assert np.asarray(out).tolist() == [2.0, 3.0, 5.0]


def test_a_traced_result_does_not_go_into_an_ndarray():
    with pytest.raises(StagingError, match="out= an ndarray"):
        trace_function(lambda x: np.add(x, 1, out=np.zeros(3)), [TensorType(X.dtype, (3,))])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: np.add(x, 1, where=x > 1), "where= but no out="),
        (lambda x: np.add(x, 1, signature="dd->d"), "`signature`"),
        (lambda x: np.frompyfunc(max, 2, 1).reduce(x, axis=0), "no tensor form"),
        (lambda x: np.busday_count(x, x), "`np.busday_count`"),
    ],
)
def test_what_has_no_meaning_is_named(call, name):
    with pytest.raises(StagingError, match=name):
        call(constant(X))


@pytest.mark.parametrize("made", [constant, Variable], ids=["tensor", "variable"])
def test_ufuncs_that_no_operation_stands_for_compute_known_values(made):
    magnitude = special.jv(0, made(X))
    assert isinstance(magnitude, Tensor) and magnitude.type == TensorType(X.dtype, X.shape)
    np.testing.assert_array_equal(magnitude, special.jv(0, X), strict=True)
    one, other = special.sici(made(X)[0])
    assert (one.item(), other.item()) == special.sici(X[0]) and one.type.rank == 0
    assert special.jv.outer(X, made(X)).tolist() == special.jv.outer(X, X).tolist()
    objects = np.frompyfunc(lambda v: v + 1, 1, 1)(made(X))
    assert objects.dtype == object and objects.tolist() == [2.0, 3.0, 5.0]


def test_ufuncs_that_no_operation_stands_for_are_refused_where_a_tape_watches():
    x = constant(X)
    with GradientTape() as tape, pytest.raises(StagingError, match="no tensor form"):
        tape.watch(x)
        special.jv(0, x)


@pytest.mark.parametrize("made", [constant, Variable], ids=["tensor", "variable"])
@pytest.mark.parametrize("value", [X, np.float64(2.5), np.arange(6).reshape(2, 3)])
def test_what_writes_values_or_tells_of_them_takes_known_ones(made, value, tmp_path):
    x, path = made(value), tmp_path / "x.npz"
    np.save(tmp_path / "x.npy", x)
    np.savez(path, x, named=x, both=[x, x])
    with np.load(path) as found:
        for name in ("arr_0", "named"):
            np.testing.assert_array_equal(found[name], np.asarray(value), strict=True)
        np.testing.assert_array_equal(found["both"], [value, value], strict=True)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.asarray(value), strict=True)
    assert np.array_repr(x) == np.array_repr(np.asarray(value))
    assert np.array2string(x, precision=1) == np.array2string(np.asarray(value), precision=1)
    assert not np.shares_memory(x, np.asarray(value))
    assert np.einsum_path("...,...->...", x, x)[0] == ["einsum_path", (0, 1)]
    assert np.min_scalar_type(x) == np.min_scalar_type(np.asarray(value))


def test_a_tensor_shares_memory_with_the_array_that_it_gives():
    x = constant(X)
    assert np.shares_memory(x, x.numpy()) and np.may_share_memory(x.numpy(), x)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: np.array2string(a=x), "array2string"),
        (lambda x: np.einsum_path("i,i->i", x, x), "einsum_path"),
        (lambda x: np.savez("never.npz", named=x), "savez"),
    ],
)
def test_what_tells_of_values_is_refused_of_unknown_ones(call, name):
    with pytest.raises(StagingError, match=f"`np.{name}` has no tensor form"):
        trace_function(call, [TensorType(X.dtype, (3,))])


def kinds(function, *types):
    result = trace_function(function, types)[2]
    return [x.is_array for x in (result if isinstance(result, tuple) else (result,))]


SCALAR = TensorType(np.dtype("f8"), ())


def test_results_of_rank_0_are_arrays_where_numpys_are():
    assert kinds(lambda x: np.where(x > 0, x, 0.0), SCALAR) == [True]
    assert kinds(lambda x: np.tensordot(x, x, 1), TensorType(np.dtype("f8"), (3,))) == [True]
    assert kinds(lambda x: np.sum(x), TensorType(np.dtype("f8"), (3,))) == [False]
    assert kinds(lambda x: np.broadcast_arrays(x, x), SCALAR) == [True, True]


def test_some_keep_what_they_are_given():
    assert kinds(lambda x: (np.squeeze(x), np.squeeze(x.as_array())), SCALAR) == [False, True]
    assert kinds(lambda x: np.real(x), type_of_number(1j)) == [False]
