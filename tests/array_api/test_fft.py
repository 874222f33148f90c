"""Fourier transforms against their sums."""

from __future__ import annotations

import cmath
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    COMPLEX,
    PARTS,
    REAL,
    arrays,
    assert_array,
    at,
    dtype,
    few,
    indices,
    tolerance,
    values,
    xp,
)

WHOLE = {own: name for name, own in PARTS.items()}
NORMS = {"backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}


def resized(numbers, size):
    return (numbers + [0] * size)[:size]


def transformed(numbers, sign, norm):
    """The sum, scaled as `norm` says: by a power of the size that is 0, -1/2 or -1."""
    n = len(numbers)
    scale = n ** -(NORMS[norm][0] if sign < 0 else NORMS[norm][1])
    angle = sign * 2 * math.pi / n
    return [
        scale * sum((x * cmath.exp(1j * angle * j * k) for j, x in enumerate(numbers)), 0j)
        for k in range(n)
    ]


@st.composite
def signals(draw, names):
    name, _, numbers, x = draw(arrays(names, (draw(st.integers(1, 5)),)))
    size = draw(st.none() | st.integers(1, 6))
    return name, resized(numbers, size or len(numbers)), x, size, draw(st.sampled_from([*NORMS]))


@pytest.mark.parametrize(("function", "sign"), [("fft", -1), ("ifft", 1)])
@few
@given(st.data())
def test_transforms_of_complex_numbers(function, sign, data):
    name, numbers, x, size, norm = data.draw(signals(COMPLEX))
    expected = transformed(numbers, sign, norm)
    found = getattr(xp.fft, function)(x, n=size, norm=norm)
    assert_array(found, name, (len(numbers),), expected, 10 * tolerance(name))


@few
@given(signals(REAL))
def test_transforms_of_real_numbers(drawn):
    name, numbers, x, size, norm = drawn
    half = len(numbers) // 2 + 1
    close = 10 * tolerance(name)
    expected = transformed(numbers, -1, norm)[:half]
    found = xp.fft.rfft(x, n=size, norm=norm)
    assert_array(found, WHOLE[name], (half,), expected, close)
    again = xp.fft.irfft(found, n=len(numbers), norm=norm)
    assert_array(again, name, (len(numbers),), [float(n) for n in numbers], close)
    other = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    inverse = [z.conjugate() for z in transformed(numbers, -1, other)[:half]]
    assert_array(xp.fft.ihfft(x, n=size, norm=norm), WHOLE[name], (half,), inverse, close)
    back = xp.fft.hfft(xp.fft.ihfft(x, n=size, norm=norm), n=len(numbers), norm=norm)
    assert_array(back, name, (len(numbers),), [float(n) for n in numbers], close)


@few
@given(st.data())
def test_transforms_over_several_axes_are_one_after_the_other(data):
    name, shape, _, x = data.draw(arrays(COMPLEX, (2, 3, 2)))
    axes = data.draw(st.sampled_from((None, (0,), (0, 1), (-1, 0))))
    norm = data.draw(st.sampled_from([*NORMS]))
    for several, one in ((xp.fft.fftn, xp.fft.fft), (xp.fft.ifftn, xp.fft.ifft)):
        expected = x
        for axis in (0, 1, 2) if axes is None else axes:
            expected = one(expected, axis=axis, norm=norm)
        found = several(x, axes=axes, norm=norm)
        assert_array(found, name, shape, values(expected), 10 * tolerance(name))
    own = xp.real(x)
    half = xp.fft.rfftn(own, axes=axes, norm=norm)
    sizes = [shape[a] for a in axes] if axes else list(shape)
    again = xp.fft.irfftn(half, s=sizes, axes=axes or (0, 1, 2), norm=norm)
    assert_array(again, PARTS[name], shape, values(own), 10 * tolerance(name))


@few
@given(st.integers(1, 9), st.sampled_from((0.5, 1.0, 2.0)))
def test_frequencies(n, d):
    whole = [(k if k < (n + 1) // 2 else k - n) / (n * d) for k in range(n)]
    assert_array(xp.fft.fftfreq(n, d=d), "float64", (n,), whole, 1e-12)
    half = [k / (n * d) for k in range(n // 2 + 1)]
    assert_array(xp.fft.rfftfreq(n, d=d), "float64", (n // 2 + 1,), half, 1e-12)


@few
@given(st.data())
def test_shifts(data):
    name, shape, numbers, x = data.draw(arrays((*REAL, *COMPLEX), (2, 3)))
    axes = data.draw(st.sampled_from((None, 0, 1, (0, 1))))
    own = (0, 1) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    expected = [
        numbers[
            at(shape, tuple((n - shape[k] // 2 * (k in own)) % shape[k] for k, n in enumerate(i)))
        ]
        for i in indices(shape)
    ]
    found = xp.fft.fftshift(x, axes=axes)
    assert_array(found, name, shape, expected)
    assert_array(xp.fft.ifftshift(found, axes=axes), name, shape, numbers)
    assert found.dtype == dtype(name)
