"""Tests of `runtime.spec`: promotion, broadcasting, joins."""

import itertools

import numpy as np
import pytest

from runtime.spec import (
    StackType,
    TensorSpec,
    TensorType,
    VariableType,
    broadcast_shapes,
    is_compatible,
    join,
    promote,
    type_of_number,
    weak_number,
)

NUMBERS = (True, 2, 1.5, 2j)
DTYPES = [np.dtype(c) for c in "?bBhHiIlLefdFD"]


def strong(dtype, shape=()):
    return TensorType(np.dtype(dtype), shape)


@pytest.mark.parametrize(("a", "b"), [*itertools.product(DTYPES, DTYPES)])
def test_dtypes_promote_as_in_numpy(a, b):
    assert promote(strong(a), strong(b)).dtype == np.result_type(a, b)


@pytest.mark.parametrize(("number", "dtype"), [*itertools.product(NUMBERS, DTYPES)])
def test_python_numbers_adapt_to_arrays(number, dtype):
    expected = np.add(np.ones(2, dtype), number).dtype if dtype.kind != "b" else None
    found = promote(type_of_number(number), strong(dtype, (2,)))
    assert not found.weak and found.shape == ()
    assert expected is None or found.dtype == expected


@pytest.mark.parametrize(("a", "b"), [*itertools.combinations_with_replacement(NUMBERS, 2)])
def test_python_numbers_among_themselves_stay_weak(a, b):
    joined = join(type_of_number(a), type_of_number(b))
    assert joined.weak
    assert isinstance(weak_number(1, joined), type(b))


def test_an_int_beyond_64_bits_has_no_type():
    assert type_of_number(2**63 - 1).weak
    with pytest.raises(OverflowError, match="64 bits"):
        type_of_number(2**63)


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((3, 1), (4,)), (3, 4)),
        (((None,), (3,)), (3,)),
        (((None,), (1,)), (None,)),
        (((), (2, None)), (2, None)),
        ((None, (3,)), None),
        (((0,), (1,)), (0,)),
    ],
)
def test_shapes_broadcast_as_far_as_they_are_known(shapes, expected):
    assert broadcast_shapes(*shapes) == expected


def test_shapes_that_contradict_are_shown():
    with pytest.raises(ValueError, match=r"shapes \(2,\?\) \(3,4\)"):
        broadcast_shapes((2, None), (3, 4))


def test_a_join_relaxes_sizes_and_then_the_rank():
    assert join(strong("f4", (2, 3)), strong("f8", (2, 4))) == strong("f8", (2, None))
    assert join(strong("f4", (2,)), strong("f4", (2, 3))) == strong("f4", None)


def test_what_is_of_another_kind_does_not_join():
    stack = StackType(strong("f4"))
    assert join(stack, strong("f4")) is None
    assert join(stack, StackType(strong("f8"))) == StackType(strong("f8"))
    assert join(VariableType(np.dtype("f4"), ()), strong("f4")) is None


def test_a_value_is_compatible_with_a_more_general_type():
    assert is_compatible(strong("f4", (None, 3)), strong("f4", (2, 3)))
    assert is_compatible(strong("f4", None), strong("f4", ()))
    assert not is_compatible(strong("f4", (2, 3)), strong("f4", (None, 3)))
    assert not is_compatible(strong("f8"), type_of_number(1.0))


def test_types_are_short_in_text():
    shown = [strong("f4", (None, 3)), strong("i8", None), type_of_number(1), StackType(strong("?"))]
    assert list(map(str, shown)) == ["float32[?, 3]", "int64[...]", "int", "stack<bool[]>"]


def test_specs_are_equal_by_content():
    assert TensorSpec([None, 3], "float32") == TensorSpec((None, 3), np.float32)
    assert len({TensorSpec([2], "f4"), TensorSpec((2,), np.float32), TensorSpec([2], "f8")}) == 2


def test_sizes_of_specs_may_have_names():
    """C06: a name stands for an open size."""
    assert TensorSpec(("b", np.int64(3), None)).shape == (None, 3, None)
    assert type(TensorSpec((np.int64(3),)).shape[0]) is int


@pytest.mark.parametrize(
    ("size", "error"), [(1.5, TypeError), ([2], TypeError), (-1, ValueError), (slice(3), TypeError)]
)
def test_what_is_no_size_is_refused(size, error):
    with pytest.raises(error, match="a size"):
        TensorSpec((2, size))


@pytest.mark.parametrize("shape", ["float64", "", 3, np.float64(2)])
def test_what_is_no_shape_is_refused(shape):
    with pytest.raises(TypeError, match="a shape is a sequence of sizes, or None, not"):
        TensorSpec(shape, "float64")
