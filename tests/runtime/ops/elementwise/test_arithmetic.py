"""Numbers: weak operands as Python, strong ones as NumPy."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from runtime import eager, ops
from runtime.ops.declaration.operands import type_of
from runtime.tensor import Tensor

WEAK = [True, 3, -2, 2.5, 1 + 2j]
OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod,
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt,
    "greater_equal": operator.ge, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor, "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
}  # fmt: skip
DTYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def outcome(function, *args):
    try:
        return function(*args)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError) as error:
        return type(error)


@pytest.mark.parametrize("name", OPERATORS)
def test_python_numbers_meet_as_in_python(name):
    for x, y in itertools.product(WEAK, repeat=2):
        expected = outcome(OPERATORS[name], x, y)
        actual = outcome(lambda x=x, y=y: getattr(ops, name)(x, y).array)
        assert (actual, type(actual)) == (expected, type(expected)), (x, y)
        if not isinstance(expected, type):
            types = ops.REGISTRY[name].op.infer_all([type_of(x), type_of(y)], {})
            assert types == (type_of(expected),), (x, y)


@pytest.mark.parametrize("x", WEAK)
@pytest.mark.parametrize("name", ["negative", "positive", "abs", "bitwise_invert", "logical_not"])
def test_unary_operators_of_python_numbers_are_those_of_python(name, x):
    python = {
        "negative": "neg",
        "positive": "pos",
        "bitwise_invert": "invert",
        "logical_not": "not_",
    }
    function = getattr(operator, python.get(name, name))
    if name == "bitwise_invert" and x is True:
        assert ops.bitwise_invert(x).array == -2
        return
    expected = outcome(function, x)
    actual = outcome(lambda: getattr(ops, name)(x).array)
    assert actual == expected
    assert type(actual) is type(expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 1.5, 2j])
@pytest.mark.parametrize("name", ["add", "multiply", "divide", "less", "pow", "maximum", "where"])
def test_a_python_number_adapts_to_the_array_as_in_numpy(name, number, dtype):
    x = np.array([1, 2], dtype)
    lead = (np.array([True, False]),) if name == "where" else ()
    numpy_name = {"pow": "power"}.get(name, name)
    for args in ((x, number), (number, x), (x[0], number)):
        expected = outcome(getattr(np, numpy_name), *lead, *args)
        if isinstance(expected, type):
            with pytest.raises(expected):
                getattr(ops, name)(*lead, *args)
            continue
        actual = getattr(ops, name)(*lead, *args)
        assert actual.dtype == np.result_type(expected)
        (inferred,) = ops.REGISTRY[name].op.infer_all([type_of(a) for a in (*lead, *args)], {})
        assert inferred.dtype == actual.dtype
        np.testing.assert_array_equal(actual.numpy(), expected)


@pytest.mark.parametrize("name", ["add", "divide", "floor_divide", "pow", "equal", "hypot"])
def test_dtypes_promote_as_in_numpy(name):
    rule = ops.REGISTRY[name].op.infer_all
    for left, right in itertools.product(DTYPES, repeat=2):
        x, y = np.array([3, 2], left), np.array([1, 2], right)
        expected = outcome(getattr(np, {"pow": "power"}.get(name, name)), x, y)
        found = outcome(rule, [type_of(x), type_of(y)], {})
        if isinstance(expected, type):
            assert issubclass(found, expected), (left, right)
        else:
            assert found[0].dtype == expected.dtype, (left, right)


def test_python_ints_do_not_grow_beyond_64_bits():
    with pytest.raises(OverflowError, match="64 bits"):
        ops.multiply(2**62, 4)
    with pytest.raises(OverflowError):
        ops.strengthen(ops.add(2**62, 2**62))


def test_integers_of_arrays_wrap():
    assert ops.add(np.array([127], "i1"), np.array([1], "i1")).tolist() == [-128]


def test_division_by_zero_raises_for_python_numbers_only():
    for name in ("divide", "floor_divide", "remainder"):
        with pytest.raises(ZeroDivisionError):
            getattr(ops, name)(1, 0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert ops.floor_divide(np.array([7]), 0).tolist() == [0]


def test_a_power_whose_type_depends_on_its_value_is_refused():
    with pytest.raises(ValueError, match="write the base as a float"):
        ops.pow(2, -1)
    with pytest.raises(ValueError, match="complex"):
        ops.pow(-2.0, 0.5)
    with pytest.raises(ValueError, match="negative integer powers"):
        ops.pow(np.array([2]), -1)
    assert ops.pow(2.0, -1).array == 0.5


@pytest.mark.parametrize("kind", [int, float, bool, complex])
@pytest.mark.parametrize("x", [np.float64(2.0), np.int32(0), np.bool_(True), 3])
def test_as_weak_gives_the_python_number(kind, x):
    result = ops.as_weak(x, kind=kind.__name__).array
    assert type(result) is kind
    assert result == kind(x)


@pytest.mark.parametrize(("value", "error"), [(np.nan, ValueError), (np.inf, OverflowError)])
def test_as_weak_raises_as_python_does(value, error):
    with pytest.raises(error):
        ops.as_weak(np.float64(value), kind="int")
    with pytest.raises(OverflowError):
        ops.as_weak(np.uint64(2**63))


def test_arrays_are_not_python_numbers():
    with pytest.raises(TypeError):
        ops.REGISTRY["as_weak"].op.infer(type_of(np.zeros(2)), kind="int")


def test_operators_of_tensors_are_the_ops():
    x = Tensor(np.array([1.0, 2.0]))
    assert (2 - x / 2 + x**2 % 3).tolist() == [2 - 0.5 + 1.0, 2 - 1.0 + 1.0]


def test_weak_results_have_the_types_that_are_inferred():
    for name, primitive in ops.REGISTRY.items():
        if primitive.op.python is None or primitive.inputs != 2:
            continue
        for x in (True, 2, 2.0):
            for y in (True, 2, 2.0):
                result = outcome(eager.compute, primitive.op, [x, y], {})
                if not isinstance(result, type):
                    (t,) = primitive.op.infer_all([type_of(x), type_of(y)], {})
                    assert t == type_of(result), name
