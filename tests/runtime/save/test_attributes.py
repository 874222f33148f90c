"""Which attributes a node of a file may have: those that the kernels declare."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing

import numpy as np
import pytest

import runtime
from autograph.tracing.replay import Writers
from runtime.effects import control, generators
from runtime.graph.check import is_control
from runtime.graph.ir import Op
from runtime.lowering.kernels import sharing
from runtime.ops.declaration.declare import REGISTRY
from runtime.random import generator
from runtime.save.attributes import check_attributes, operation
from runtime.save.reading import Malformed
from runtime.structure.templates import Line

CODE = "__import__('os').abort()"


def all_ops():
    for found in pkgutil.walk_packages(runtime.__path__, "runtime."):
        module = importlib.import_module(found.name)
        yield from (x for x in vars(module).values() if isinstance(x, Op))


def test_every_op_is_found_by_its_name():
    """Those that call Python code, draw of a generator of the process, or lowering makes are not."""
    ops = {*all_ops(), *(primitive.op for primitive in REGISTRY.values())}
    for module in (generators, sharing):
        ops -= {op for op in vars(module).values() if isinstance(op, Op)}
    for op in (op for op in ops if op.effect != "host"):
        assert operation(op.name) is op, f"{op} is made in a module that `attributes` does not know"
    assert operation("no_such") is None


def test_every_op_that_holds_graphs_is_checked():
    holding = [op for op in all_ops() if "graphs" in op.kernel.__code__.co_varnames]
    assert {op.name for op in holding} >= {"cond", "while", "call", "custom_gradient", "try"}
    assert all(is_control(op.name) for op in holding)


def test_every_attribute_has_a_declared_type():
    ops = {*all_ops(), *(primitive.op for primitive in REGISTRY.values())}
    for op in (op for op in ops if op.effect not in ("host", "store")):
        hints = typing.get_type_hints(op.kernel)
        primitive = REGISTRY.get(op.name)
        parameters = inspect.signature(op.kernel).parameters.values()
        named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "graphs"]
        for name in named if primitive is None else primitive.attributes:
            assert hints.get(name, typing.Any) is not typing.Any, f"{op.name}.{name}"


@pytest.mark.parametrize(
    ("op", "name", "wrong"),
    [
        (control.PRINT, "file", 3),
        (control.PRINT, "file", "stdout"),
        (control.PRINT, "file", Line((), " ", "")),
        (control.PRINT, "render", Writers(())),
        (control.TEXT, "render", Writers(())),
        (control.PENDING, "write", Line((), " ", "")),
        (REGISTRY["constant"].op, "value", "text"),
        (REGISTRY["fft"].op, "norm", "x"),
        (REGISTRY["convolution"].op, "padding", "full"),
        (REGISTRY["roll"].op, "shift", None),
        (REGISTRY["tensordot"].op, "axes", (1, 0)),
        (REGISTRY["round"].op, "decimals", 10**30),
        (generator.ADVANCE, "shape", "x"),
    ],
)
def test_values_of_other_types_are_refused(op, name, wrong):
    with pytest.raises(Malformed, match=f"attribute '{name}' of op `{op.name}` cannot be"):
        _matching(op, name, wrong)


def _matching(op, name, value):
    """What the op's attributes are with one that a file gives, if its type is right."""
    try:
        check_attributes(op, {name: value})
    except Malformed as error:
        if "needs the attribute" not in str(error):  # of another one
            raise


def test_values_of_the_declared_types_are_accepted():
    for op, name, value in [
        (control.PRINT, "file", None), (control.PRINT, "file", "stderr"),
        (control.PRINT, "render", Line((), " ", "")), (control.PENDING, "write", Writers(())),
        (control.PENDING, "write", None), (REGISTRY["round"].op, "decimals", -2),
    ]:  # fmt: skip
        _matching(op, name, value)


def test_no_attribute_that_is_written_into_code_takes_text():
    """Text could be code; where ops write source themselves, they take none."""
    attributes = [(p, attribute) for p in REGISTRY.values() for attribute in p.attributes]
    for primitive, attribute in attributes:
        hints = typing.get_type_hints(primitive.op.kernel)
        sound = {n: d for n, d in primitive.attributes.items() if d is not inspect.Parameter.empty}
        takes_text = hints[attribute] in (str, str | None)
        for value in (CODE, (CODE,), ((CODE,),), (("int", CODE),), {CODE: 1}):
            try:
                check_attributes(primitive.op, {**sound, attribute: value})
            except Malformed:
                continue
            taken = primitive.op.name, attribute, value
            assert takes_text or "str" in str(hints[attribute]), taken
            assert not {"source", "statement"} & primitive.op.options.keys()


def test_the_attributes_of_all_samples_are_accepted():
    with_samples = [primitive for primitive in REGISTRY.values() if primitive.op.samples]
    samples = [(p, attrs) for p in with_samples for _, attrs in p.op.samples()]
    for primitive, attrs in samples:
        static = {k: np.dtype(v) if k == "dtype" and v is not None else v for k, v in attrs.items()}
        given = {**primitive.attributes, **static}
        assert check_attributes(primitive.op, given).keys() == given.keys(), primitive.op.name


def test_missing_attributes_have_their_defaults():
    """A file that an older release wrote may lack what was added since."""
    assert check_attributes(REGISTRY["sum"].op, {"axis": 0})["keepdims"] is False
    with pytest.raises(Malformed, match="needs the attribute 'shape'"):
        check_attributes(REGISTRY["zeros"].op, {})
    with pytest.raises(Malformed, match="has no attribute 'graphs'"):
        check_attributes(control.WHILE, {"captures": 0, "maximum": None, "graphs": ()})
