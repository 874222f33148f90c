"""The reverse sweep, on records made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff.cotangents import cotangent_type, is_differentiable
from runtime.autodiff.sweep import Adjoints, CustomRecord, OpRecord, key_of, sweep
from runtime.ops.indexing.indexing import getitem_
from runtime.spec import StackType, TensorType, VariableType, type_of_number
from runtime.tensor import Tensor
from runtime.variable import Variable

F8, I8 = np.dtype("f8"), np.dtype("i8")


def record(op, inputs, outputs, **attrs):
    return OpRecord(
        op, attrs, inputs, outputs, tuple(map(key_of, inputs)), tuple(map(key_of, outputs))
    )


def everything(key):
    return key is not None


def test_keys_belong_to_values_not_to_wrappers():
    x, v, a = Tensor(np.ones(3)), Variable(1.0), np.ones(2)
    assert key_of(x) == key_of(x.current())
    assert key_of(v) is v
    assert key_of(a) == key_of(a) != key_of(a.copy())
    assert key_of(2.0) is None
    before = key_of(x)
    x[0] = 5.0
    x.cell().store(Tensor(np.zeros(3)))
    assert key_of(x) != before


def test_contributions_are_summed():
    x = Tensor(np.array([2.0, 3.0]))
    y, z = Tensor(x.array * x.array), Tensor(x.array**3)
    records = [
        record(ops.multiply.op, (x, x), (y,)),
        record(ops.multiply.op, (y, x), (z,)),
    ]
    adjoints = Adjoints(kept={key_of(x)})
    adjoints.add(key_of(z), Tensor(np.ones(2)))
    sweep(records, adjoints, everything)
    np.testing.assert_array_equal(adjoints.get(key_of(x)).array, 3 * x.array**2)
    assert adjoints.get(key_of(y)) is None  # used and freed


def test_unwanted_inputs_cost_nothing():
    def refuse(g, out, x, y):
        raise AssertionError("not asked for")

    from runtime.graph.ir import Op
    from runtime.ops.declaration.declare import _joined

    op = Op("op", ops.multiply.op.kernel, None, vjp=_joined((lambda g, out, x, y: g * y, refuse)),
            elementwise=True)  # fmt: skip
    x, y, z = (Tensor(np.ones(2)) for _ in range(3))
    adjoints = Adjoints()
    adjoints.add(key_of(z), Tensor(np.ones(2)))
    sweep([record(op, (x, y), (z,))], adjoints, {key_of(x)}.__contains__)
    assert adjoints.get(key_of(x)) is not None


def test_parts_are_added_into_one_array():
    x = Tensor(np.zeros(4))
    adjoints = Adjoints(kept={key_of(x)})
    items = [Tensor(np.float64(0)) for _ in range(3)]
    for item in items:
        adjoints.add(key_of(item), Tensor(np.float64(1.5)))
    records = [record(getitem_.op, (x,), (item,), index=(("int", 1),)) for item in items]
    records[0].pull_back(adjoints, everything)
    array = adjoints._sums[key_of(x)]._array
    sweep(records[1:], adjoints, everything)
    assert adjoints.get(key_of(x))._array is array
    np.testing.assert_array_equal(array, [0.0, 4.5, 0.0, 0.0])


def test_an_adjoint_that_was_handed_out_is_not_written_to():
    x = Tensor(np.zeros(2))
    adjoints = Adjoints(kept={key_of(x)})
    where = {"index": (("int", 0),)}
    adjoints.add_at(key_of(x), Tensor(np.float64(1)), x, (), where)
    seen = adjoints.get(key_of(x)).array
    adjoints.add_at(key_of(x), Tensor(np.float64(1)), x, (), where)
    assert seen[0] == 1.0
    assert adjoints.get(key_of(x)).array[0] == 2.0


def test_custom_records():
    x, y = Tensor(1.0), Tensor(2.0)
    adjoints = Adjoints()
    adjoints.add(key_of(y), Tensor(np.float64(3)))
    rule = CustomRecord(lambda gs: [gs[0] * 2.0, None], (key_of(x), None), (key_of(y),))
    sweep([rule], adjoints, everything)
    assert adjoints.get(key_of(x)).array == 6.0


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (TensorType(F8, (2,)), TensorType(F8, (2,))),
        (type_of_number(1.0), TensorType(F8, ())),
        (StackType(type_of_number(1.0)), StackType(TensorType(F8, ()))),
        (VariableType(F8, (3,)), TensorType(F8, (3,))),
    ],
)
def test_types_of_cotangents(type_, expected):
    assert is_differentiable(type_)
    assert cotangent_type(type_) == expected


def test_integers_and_stacks_of_them_have_no_cotangents():
    assert not is_differentiable(TensorType(I8, ()))
    assert not is_differentiable(StackType(TensorType(I8, ())))


def test_sums_of_stacks_count_what_lacks_as_zero():
    add = ops.accumulate.op.kernel
    a = (np.float64(1), (np.float64(2), None))
    b = (np.float64(10), None)
    assert add(np, a, b) == ((11.0, (2.0, None)),)
    assert add(np, b, a) == ((11.0, (2.0, None)),)
    assert add(np, None, b) == (b,)
    assert add(np, (b, None), (a, None)) == (((11.0, (2.0, None)), None),)
    assert ops.stack_take.op.kernel(np, None, np.float32(3)) == (None, np.float32(0))
    long = None
    for _ in range(100_000):
        long = (np.float64(1), long)
    assert add(np, long, long)[0][0] == 2.0
