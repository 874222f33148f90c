"""The decorator, the primitives it makes, and the registry."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from runtime import ops
from runtime.errors import StagingError
from runtime.ops.declaration import declare
from runtime.ops.declaration.inference import same
from runtime.ops.declaration.operands import Abstract, encode_shape, shape_of, type_of
from runtime.spec import TensorType
from runtime.tensor import Tensor
from runtime.variable import Variable


def test_a_primitive_shows_name_signature_and_documentation():
    assert ops.add.__name__ == "add"
    assert list(inspect.signature(ops.sum).parameters) == ["x", "axis", "dtype", "keepdims"]
    assert ops.add.__doc__.startswith("Sum of")


def test_attributes_may_be_given_by_position_and_operands_by_name():
    x = np.arange(6.0).reshape(2, 3)
    assert ops.sum(x, 0).tolist() == ops.sum(x=x, axis=0).tolist() == [3.0, 5.0, 7.0]


@pytest.mark.parametrize("axis", [np.int64(1), Tensor(1), [1], (np.int32(1),)], ids=repr)
def test_attributes_are_made_static(axis, run_graph):
    x = np.ones((2, 3))
    assert ops.sum(x, axis=axis).tolist() == [3.0, 3.0]


def test_an_attribute_dtype_may_be_anything_numpy_takes():
    for dtype in ("float32", np.float32, np.dtype("f4")):
        assert ops.sum(np.ones(2), dtype=dtype).dtype == np.float32


@pytest.mark.parametrize(
    "call", [lambda: ops.add(1), lambda: ops.add(1, 2, 3), lambda: ops.sum(1, axes=0)]
)
def test_wrong_arguments_raise_type_error(call):
    with pytest.raises(TypeError):
        call()


def test_an_op_cannot_be_declared_twice():
    with pytest.raises(ValueError, match="'add' is declared twice"):
        declare.op(inputs=1, infer=same, name="add")(lambda xp, x: x)


@pytest.mark.parametrize("name", ["add", "linalg.inv", "concatenate", "where", "arctan2"])
def test_functions_are_found_by_the_names_of_numpy(name):
    assert declare.numpy_function(name) is declare.by_numpy_name()[name]


def test_what_has_no_meaning_here_is_not_found():
    assert declare.numpy_function("busday_count") is None


def test_rules_are_asked_only_for_inputs_that_can_have_a_gradient():
    g = Tensor(np.ones(2))
    gx, gy = ops.multiply.op.vjp(g, None, Tensor(np.ones(2)), Tensor(np.array([1, 2])))
    assert gx.tolist() == [1.0, 2.0]
    assert gy is None


def test_an_abstract_has_type_shape_dtype_and_rank():
    x = Abstract(TensorType(np.dtype("f4"), (2, None)), shape=(2, Tensor(3)))
    assert (x.dtype, x.ndim, type_of(x).shape) == (np.float32, 2, (2, None))
    assert shape_of(x)[1].array == 3


def test_a_rank_that_is_needed_and_not_known_is_an_error():
    with pytest.raises(StagingError, match="number of axes"):
        shape_of(Abstract(TensorType(np.dtype("f4"), None)))


def test_shapes_are_taken_apart_into_a_static_part_and_operands():
    size = Tensor(3)
    assert encode_shape((2, size, np.int64(4))) == ((2, None, 4), (size,))
    assert encode_shape(5) == ((5,), ())


def test_ops_that_cannot_raise_say_so():
    x = type_of(np.ones((2, 3)))
    unknown = TensorType(np.dtype("f8"), (None, 3))
    for name, types, attrs, can_raise in [
        ("add", (x, x), {}, False),
        ("add", (x, unknown), {}, True),
        ("add", (unknown, type_of(2.0)), {}, False),
        ("add", (type_of(1), type_of(2)), {}, True),
        ("add", (type_of(1), type_of(2.0)), {}, False),
        ("divide", (type_of(1), type_of(2)), {}, True),
        ("divide", (x, type_of(2)), {}, False),
        ("max", (x,), {"axis": None, "keepdims": False}, False),
        ("max", (unknown,), {"axis": None, "keepdims": False}, True),
        ("getitem", (x,), {"index": (("int", 1),)}, False),
        ("getitem", (unknown,), {"index": (("int", 1),)}, True),
        ("getitem", (unknown,), {"index": (("slice", 1, None, None),)}, False),
        ("getitem", (x, type_of(1)), {"index": (("array",),)}, True),
        ("add", (type_of(np.zeros(3, "u1")), type_of(1)), {}, True),
        ("index_update", (x, type_of(1.0)), {"index": (("int", 1),)}, False),
        ("index_update", (type_of(np.zeros(3, "u1")), type_of(1)), {"index": (("int", 1),)}, True),
        ("index_update", (x, x, type_of(1)), {"index": (("slice", 0, "operand", None),)}, True),
    ]:
        assert ops.REGISTRY[name].op.can_raise(types, attrs) is can_raise, (name, types)


def test_a_variable_stands_for_what_it_holds():
    v = Variable([1.0, 2.0])
    assert ops.concat([v, v]).tolist() == [1.0, 2.0, 1.0, 2.0]
    assert ops.getitem(v, 1).item() == 2.0
    assert ops.index_update(v, 5.0, 0).tolist() == [5.0, 2.0]
    assert ops.sum(ops.reshape(v, (2, 1)), axis=1).tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [1.0, 2.0]
