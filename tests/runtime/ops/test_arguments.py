"""Rarer arguments of NumPy's functions mean what they mean there, and wrong ones raise its errors."""

import numpy as np
import pytest

import autograph as ag

A = np.arange(4.0)
M = np.arange(6.0).reshape(2, 3)
NAMES = {
    "A": A,
    "M": M,
    "I": np.array([2, 0, 1]),
    "inf": np.inf,
    "nan": np.nan,
    "f4": np.float32(2.5),
}

MEANT = """
gradient(A, 2)
gradient(A, np.array([0, 1, 3, 7]))
gradient(M, 2.0, np.array([0.0, 1.0, 3.0]))
gradient(M, axis=1, edge_order=2)
block([[M, M], [M, M]])
block([A, 1.0])
block(A)
pad(A, 1, constant_values=(7.0, 8.0))
pad(M, ((1, 0), (0, 2)), constant_values=((1.0, 2.0), (3.0, 4.0)))
pad(M, (1, 2), constant_values=5)
pad(M, ((1, 1),), mode="mean", stat_length=1)
pad(M, ((1, 1), (2, 0)), mode="maximum", stat_length=((1, 2), (2, 1)))
pad(A, (2, 3), mode="linear_ramp", end_values=(-1.0, 9.0))
pad(A, (0, 0), mode="edge")
pad(A, 6, mode="wrap")
pad(A, 6, mode="reflect", reflect_type="odd")
pad(np.array([3.0]), 2, mode="reflect")
polyint([3.0, 2.0], 2, [1.0, 4.0])
polyint([3.0, 2.0], 2, 5.0)
polyder([3.0, 2.0, 1.0], 0)
polyfit(A, A**2 + 1.0, 2)
polyfit(A, np.stack([A, A * 2], axis=1), 1)
polyfit(A, A, 1, w=np.array([1.0, 2.0, 1.0, 1.0]))
polyfit([0, 1, 2, 3], A, 1)
polyfit(A, (1.0, 2.0, 0.0, 5.0), 2, w=[1, 2, 1, 1])
vstack([[A[0], 2.0], [3.0, A[1]]])
hstack([[A[0], 2.0], (3.0, A[1])])
dstack([[A[0], 2.0], [3.0, A[1]]])
column_stack([[A[0], 2.0], A[:2]])
poly([])
histogram(A, 3, range=(0.0, 5.0))
histogram(A, [0.0, 1.0, 4.0], weights=A, density=True)
histogram2d(A, A**2, bins=[2, 3])
histogram2d(A, A**2, bins=2, range=[[0.0, 4.0], [0.0, 10.0]])
histogramdd(np.stack([A, A], 1), bins=(2, 2), weights=A)
rollaxis(M, 1)
rollaxis(M, 0, 2)
resize(M, (3, 3))
resize(M, (0,))
trim_zeros(np.array([0.0, 1.0, 0.0]), "f")
trim_zeros(np.array([0.0, 1.0, 0.0]), trim="b")
apply_along_axis(np.sort, 0, M)
quantile(np.float32([1, 2, 4]), 0.5)
percentile(M, [10, 50], axis=1, keepdims=True)
quantile(A, 0.3, method="nearest")
take_along_axis(M, I[None], 1)
take_along_axis(M, np.array([5, 0]), None)
ravel_multi_index((np.array([1, 0]), np.array([7, -1])), (2, 3), mode=("raise", "clip"))
ravel_multi_index((np.array([1, 0]), np.array([4, 1])), (2, 3), mode="wrap", order="F")
result_type(A, f4)
result_type(np.float32, 3)
vander(A, 2, increasing=True)
trapezoid(A, np.array([0.0, 1.0, 3.0, 4.0]))
interp(2.5, A, A**2, left=-1.0, right=-2.0)
max(M, axis=0, initial=2.0)
min(M, initial=-1.0)
sum(M, axis=1, initial=2.5, where=M > 1)
mean(M, where=M > 1)
var(M, mean=2.0)
nanmax(M, axis=0, initial=2.0)
add(M, 1, dtype=np.float32)
exp(I, dtype="f4")
add(1, 2.5, dtype=np.float32)
isin(M, A, assume_unique=True, kind="sort")
cross(np.ones((3, 2)), np.eye(3)[:2], axisa=0, axisc=0)
linspace(0.0, A, 5, retstep=True)
linspace(A, 9.0, num=3, axis=1)
hstack([A, A], dtype="f4")
stack([[1, 2], [3, 4]], dtype="f8", casting="unsafe")
sort(M, axis=0, kind="stable")
linalg.norm(x=A)
""".strip().splitlines()

WRONG = """
gradient(A, [[1.0]])
gradient(A, np.array([0.0, 1.0]))
gradient(A, 1.0, 2.0)
gradient(A, edge_order=3)
gradient(np.array([1.0]))
block([(A, A)])
block([[A], []])
block([[A], A])
vsplit(A, 2)
hsplit(np.float64(1.0), 1)
dsplit(M, 1)
rollaxis(M, 2)
rollaxis(M, 0, 4)
resize(M, (-1, 2))
trim_zeros(A, "x")
apply_along_axis(np.sort, 0, np.zeros((0, 2)).T[:, :0])
histogram(A, range=(2.0, 1.0))
histogram(A, range=(0.0, inf))
histogram(A, M)
histogram(A, [0.0, 2.0, 1.0])
histogram(A, 0)
histogram(A, weights=M)
histogramdd(M, bins=(1, 2))
histogramdd(M, range=[(0, 1)])
histogram2d(A, M[0])
pad(A, 1.5)
pad(A, -1)
pad(A, 1, mode="maximum", stat_length=0)
pad(A, 1, mode="nonsense")
pad(A, 1, mode="edge", constant_values=2)
polyder(A, -1)
polyint(A, -1)
polyint(A, 3, [1.0, 2.0])
polyfit(A, A, -1)
polyfit(M, A, 1)
matvec(A, A)
vecmat(A, A)
vecmat(A[0], M)
polyfit(A, A[:2], 1)
polyfit(A, A, 1, w=A[:2])
polyfit(A, A, 1, w=M)
polyfit(A[:0], A[:0], 1)
polyfit(A, np.ones((4, 1, 1)), 1)
eye(3, k=1.5)
linalg.cond(np.zeros((2, 0)))
linalg.cond(np.zeros((0, 0)), 1)
unravel_index(np.array([1.5]), (2, 3))
ravel_multi_index((np.array([1]), np.array([7])), (2, 3), mode="nonsense")
take_along_axis(M, np.array([0, 1]), 1)
quantile(np.array([1j, 2j]), 0.5)
result_type()
A[::0]
A[slice(0.5, None)]
reshape(A, (2.0, 2.0))
""".strip().splitlines()


def evaluated(expression, module):
    names = {**vars(np), **NAMES, "np": np}
    if module is ag:
        names.update({name: getattr(ag, name) for name in ag.__all__}, A=ag.constant(A))
        names.update(I=ag.constant(NAMES["I"]), M=ag.constant(M))
    return eval(expression, names)


def leaves(x):
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in leaves(part)]
    return [np.asarray(x.numpy() if isinstance(x, ag.Tensor) else x)]


@pytest.mark.parametrize("expression", MEANT)
def test_an_argument_means_what_it_means_in_numpy(expression):
    found, wanted = (leaves(evaluated(expression, module)) for module in (ag, np))
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12) if a.dtype.kind in "fc" else (
            np.testing.assert_array_equal(a, b)
        )


@pytest.mark.parametrize("expression", WRONG)
def test_a_wrong_argument_raises_what_numpy_raises(expression):
    with pytest.raises(Exception) as wanted:
        evaluated(expression, np)
    with pytest.raises(type(wanted.value)):
        evaluated(expression, ag)


def test_padding_by_a_function_is_refused():
    with pytest.raises(ag.StagingError, match="pad in steps"):
        ag.pad(A, 1, lambda *_: None)


def test_a_copy_is_made_or_refused_as_it_is_said():
    x = ag.constant(A)
    ag.asarray(x, copy=True)[0] = 5.0
    ag.asarray(x)[1] = 7.0
    assert x.numpy().tolist() == [0.0, 7.0, 2.0, 3.0]
    assert ag.asarray([x, A], dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="cannot share memory"):
        ag.asarray(x, dtype=np.float32, copy=False)
    with pytest.raises(ValueError, match="no memory to share"):
        ag.asarray([1.0, 2.0], copy=False)
    with pytest.raises(TypeError, match="cannot hold"):
        ag.asarray("text")
