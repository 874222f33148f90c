"""The namespace under test, and what its tests have in common.

    ARRAY_API_TESTS_MODULE=numpy python -m pytest tests/array_api

tests another one; ARRAY_API_TESTS_MAX_EXAMPLES says how many examples each test draws. What is
expected is computed by Python's own numbers from the text of the standard, version 2023.12: no
array library is compared with.
"""

from __future__ import annotations

import cmath
import importlib
import itertools
import math
import os
import warnings

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning
from hypothesis.extra.array_api import make_strategies_namespace

xp = importlib.import_module(os.environ.get("ARRAY_API_TESTS_MODULE", "autograph"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", HypothesisWarning)
    xps = make_strategies_namespace(xp, api_version="2022.12")

EXAMPLES = int(os.environ.get("ARRAY_API_TESTS_MAX_EXAMPLES", "10"))
few = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)

BITS = (8, 16, 32, 64)
SIGNED = tuple(f"int{n}" for n in BITS)
UNSIGNED = tuple(f"uint{n}" for n in BITS)
INTEGERS = (*SIGNED, *UNSIGNED)
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = (*REAL, *COMPLEX)
REAL_NUMBERS = (*INTEGERS, *REAL)
NUMBERS = (*REAL_NUMBERS, *COMPLEX)
ALL = ("bool", *NUMBERS)
PYTHON = {
    "bool": bool,
    **dict.fromkeys(INTEGERS, int),
    **dict.fromkeys(REAL, float),
    **dict.fromkeys(COMPLEX, complex),
}
PARTS = {"complex64": "float32", "complex128": "float64"}


def dtype(name):
    return getattr(xp, name)


def limits(name):
    """Least and greatest integer of a dtype."""
    bits = int(name.lstrip("uint"))
    return (0, 2**bits - 1) if name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def promoted(a, b):
    """The dtype that two make, by the tables of the standard; None where they have no say."""
    if a == b:
        return a
    if {a, b} <= {*SIGNED} or {a, b} <= {*UNSIGNED} or {a, b} <= {*REAL} or {a, b} <= {*COMPLEX}:
        return max(a, b, key=lambda name: int(name.lstrip("uintfloacmpex")))
    if {a, b} <= {*INTEGERS}:
        signed, unsigned = sorted((a, b))  # "int..." is before "uint..."
        bits = max(int(signed[3:]), 2 * int(unsigned[4:]))
        return f"int{bits}" if bits <= 64 else None
    if {a, b} <= {*FLOATING}:
        parts = promoted(*(PARTS.get(name, name) for name in (a, b)))
        return {own: name for name, own in PARTS.items()}[parts]
    return None


def values(x):
    """The elements as Python numbers, in row-major order."""
    kind = PYTHON[name_of(x.dtype)]
    return [kind(x[i]) for i in itertools.product(*map(range, x.shape))]


def name_of(found):
    return next(name for name in ALL if dtype(name) == found)


def assert_array(x, name, shape, expected=None, close=None):
    """The dtype and shape of an array, and its elements in row-major order."""
    assert x.dtype == dtype(name), (x.dtype, name)
    assert x.shape == tuple(shape), (x.shape, shape)
    if expected is not None:
        found = values(x)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert is_same(a, b) if close is None else is_close(a, b, close), (found, expected)


def is_same(a, b):
    """Equal, zeros with their signs and nan included."""
    if isinstance(b, complex):
        return is_same(a.real, b.real) and is_same(a.imag, b.imag)
    if isinstance(b, float):
        if math.isnan(b):
            return math.isnan(a)
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b


def is_close(a, b, tolerance):
    if isinstance(b, complex):
        return cmath.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
    return is_same(a, b) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


def tolerance(name):
    return 1e-3 if name in ("float32", "complex64") else 1e-8


def broadcast(*shapes):
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + tuple(s) for s in shapes]
    return tuple(next((n for n in sizes if n != 1), 1) for sizes in zip(*padded, strict=True))


def at(shape, index):
    """Where an element of a broadcast array is in row-major order of the array itself."""
    place = 0
    for size, i in zip(shape, index[len(index) - len(shape) :], strict=True):
        place = place * size + (i if size > 1 else 0)
    return place


def indices(shape):
    return list(itertools.product(*map(range, shape)))


def elements(name, small=False):
    """Numbers of a dtype, as NumPy and Python agree on them: finite and of moderate size."""
    if name == "bool":
        return st.booleans()
    if name in INTEGERS:
        low, high = limits(name)
        return st.integers(max(low, -5) if small else low, min(high, 5) if small else high)
    bound = 4 if small else 2**20
    parts = st.integers(-8 * bound, 8 * bound).map(lambda n: n / 8)
    return parts if name in REAL else st.builds(complex, parts, parts)


SHAPES = ((), (1,), (3,), (0,), (2, 3), (2, 1), (1, 3), (2, 0), (2, 1, 3))
shapes = st.sampled_from(SHAPES)
PAIRS = tuple(
    (a, b)
    for a in SHAPES
    for b in SHAPES
    if all(1 in (m, n) or m == n for m, n in zip(a[::-1], b[::-1], strict=False))
)


@st.composite
def arrays(draw, names, shape=shapes, small=True):
    """A dtype, a shape, numbers in row-major order, and the array of them."""
    name = draw(names if isinstance(names, st.SearchStrategy) else st.sampled_from(names))
    sizes = draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    count = math.prod(sizes)
    numbers = draw(st.lists(elements(name, small), min_size=count, max_size=count))
    return name, sizes, numbers, made(name, sizes, numbers)


def made(name, shape, numbers):
    """An array of numbers that are given in row-major order."""
    return xp.reshape(xp.asarray(numbers, dtype=dtype(name)), shape)
