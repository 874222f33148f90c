"""Tests of `runtime.ops.signals.fourier`: what goes past NumPy's functions has their bits."""

import numpy as np
import pytest

from runtime.ops.signals import fourier

RNG = np.random.default_rng(3)
REAL = RNG.normal(size=(3, 4, 7))
COMPLEX = REAL + 1j * RNG.normal(size=(3, 4, 7))
ARRAYS = {
    "of one axis": lambda x: x[0, 0].copy(),
    "of an even number": lambda x: x[0, 0, :6].copy(),
    "of one number": lambda x: x[0, 0, :1].copy(),
    "of three axes": lambda x: x,
    "backwards": lambda x: x[..., ::-1],
    "in columns": lambda x: np.asfortranarray(x),
    "of none": lambda x: x[:0],
    "narrow": lambda x: x.astype("c8" if x.dtype.kind == "c" else "f4"),
    "of ints": lambda x: x.real.astype(int),
}


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("axis", [-1, 0])
@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_transforms_along_an_axis_have_the_bits_of_numpy(x, axis, kind):
    x = ARRAYS[kind](x)
    if x.shape[axis] == 0:
        return
    cases = [(fourier.fft_, np.fft.fft, {}, {}), (fourier.ifft_, np.fft.ifft, {}, {})]
    cases += [(fourier.irfft_, np.fft.irfft, {"size": (n,)}, {"n": n}) for n in (1, 6, 7, 20)]
    if x.dtype.kind != "c":
        cases.append((fourier.rfft_, np.fft.rfft, {}, {}))
    for ours, theirs, own, given in cases:
        for norm in ("backward", "ortho"):
            found = ours.op.kernel(np, x, axis=axis, norm=norm, **own)
            expected = theirs(x, axis=axis, norm=norm, **given)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
