"""Which attributes a node of a file may have: those that the kernels declare."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing

import numpy as np
import pytest

import runtime
from runtime import control
from runtime.graph.check import is_control
from runtime.graph.ir import Op
from runtime.ops.declare import REGISTRY
from runtime.save.attributes import check_attributes, operation
from runtime.save.reading import Malformed

CODE = "__import__('os').abort()"


def all_ops():
    for found in pkgutil.walk_packages(runtime.__path__, "runtime."):
        module = importlib.import_module(found.name)
        yield from (x for x in vars(module).values() if isinstance(x, Op))


def test_every_op_is_found_by_its_name():
    """Those that call Python code have no place in a file."""
    ops = {*all_ops(), *(primitive.op for primitive in REGISTRY.values())}
    for op in (op for op in ops if op.effect != "host"):
        assert operation(op.name) is op, f"{op} is made in a module that `attributes` does not know"
    assert operation("no_such") is None


def test_every_op_that_holds_graphs_is_checked():
    holding = [op for op in all_ops() if "graphs" in op.kernel.__code__.co_varnames]
    assert {op.name for op in holding} >= {"cond", "while", "call", "custom_gradient", "try"}
    assert all(is_control(op.name) for op in holding)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_no_attribute_that_is_written_into_code_takes_text(name):
    """Text could be code; where ops write source themselves, they take none."""
    primitive = REGISTRY[name]
    hints = typing.get_type_hints(primitive.op.kernel)
    sound = {n: d for n, d in primitive.attributes.items() if d is not inspect.Parameter.empty}
    for attribute in primitive.attributes:
        takes_text = hints[attribute] in (str, str | None, typing.Any)
        for value in (CODE, (CODE,), ((CODE,),), (("int", CODE),), {CODE: 1}):
            try:
                check_attributes(primitive.op, {**sound, attribute: value})
            except Malformed:
                continue
            assert takes_text or "str" in str(hints[attribute]), (attribute, value)
            assert not {"source", "statement"} & primitive.op.options.keys()


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_attributes_of_all_samples_are_accepted(name):
    primitive = REGISTRY[name]
    for _, attrs in primitive.op.samples() if primitive.op.samples else ():
        static = {k: np.dtype(v) if k == "dtype" and v is not None else v for k, v in attrs.items()}
        given = {**primitive.attributes, **static}
        assert check_attributes(primitive.op, given).keys() == given.keys()


def test_missing_attributes_have_their_defaults():
    """A file that an older release wrote may lack what was added since."""
    assert check_attributes(REGISTRY["sum"].op, {"axis": 0})["keepdims"] is False
    with pytest.raises(Malformed, match="needs the attribute 'shape'"):
        check_attributes(REGISTRY["zeros"].op, {})
    with pytest.raises(Malformed, match="has no attribute 'graphs'"):
        check_attributes(control.WHILE, {"captures": 0, "maximum": None, "graphs": ()})
