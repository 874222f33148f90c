"""Toy ops and a small graph builder, so that graph tools and executors are tested on their own."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np
import pytest

from runtime.errors import Origin
from runtime.graph.check import check
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import StackType, TensorType, broadcast_shapes, promote, type_of_number

FILE = "/home/user/train.py"


def _arithmetic(*given):
    promoted = promote(*given)
    return TensorType(promoted.dtype, broadcast_shapes(*(t.shape for t in given)), promoted.weak)


def _comparison(*given):
    result = _arithmetic(*given)
    return TensorType(np.dtype(bool), result.shape, result.weak)


def _weak_raises(given, attrs):
    return all(t.weak for t in given)


def _constant_type(value):
    if isinstance(value, (np.generic, np.ndarray)):
        return TensorType(value.dtype, value.shape)
    return type_of_number(value)


def _written(xp, x, value, index):
    x[index] = value
    return x


def _fail(xp, x):
    raise KeyError("toy failure")


ADD = Op(
    "add",
    lambda xp, x, y: xp.add(x, y),
    _arithmetic,
    python=operator.add,
    expression="{0} + {1}",
)
MUL = Op(
    "mul",
    lambda xp, x, y: xp.multiply(x, y),
    _arithmetic,
    python=operator.mul,
    expression="{0} * {1}",
)
DIVIDE = Op(
    "truediv",
    lambda xp, x, y: xp.true_divide(x, y),
    lambda x, y: TensorType(np.dtype("f8"), _arithmetic(x, y).shape, _arithmetic(x, y).weak),
    python=operator.truediv,
    expression="{0} / {1}",
    raises=_weak_raises,
)
LESS = Op(
    "less",
    lambda xp, x, y: xp.less(x, y),
    _comparison,
    python=operator.lt,
    expression="{0} < {1}",
)
SUM = Op(
    "sum",
    lambda xp, x, axis=None: xp.sum(x, axis=axis),
    lambda x, axis=None: TensorType(x.dtype, () if axis is None else x.shape[1:]),
)
RESHAPE = Op(
    "reshape",
    lambda xp, x, shape: xp.reshape(x, shape),
    lambda x, shape: TensorType(x.dtype, shape),
    view=True,
)
GETITEM = Op(
    "getitem",
    lambda xp, x, i: x[i],
    lambda x, i: TensorType(x.dtype, x.shape[1:]),
    view=True,
    raises=lambda given, attrs: True,
)
SETITEM = Op(
    "index_update",
    lambda xp, x, value, i: _written(xp, x.copy(), value, i),
    lambda x, value, i: x,
    raises=lambda given, attrs: True,
    options={"inplace": _written},
)
WRITE = Op(
    "index_write",
    SETITEM.kernel,
    SETITEM.infer,
    raises=SETITEM.raises,
    options={"statement": lambda sources, types: "{0}[{2}] = {1}".format(*sources)},
)
PUSH = Op("stack_push", lambda xp, s, v: (v, s), lambda s, v: s)
POP = Op("stack_pop", lambda xp, s: s, lambda s: (s.element, s))
EMPTY = Op("stack_empty", lambda xp, element: None, lambda element: StackType(element))
PARTS = Op("parts", lambda xp, x: (x, x), lambda x: (x, x))
LONG = Op("dim", lambda xp, x: len(x), lambda x: type_of_number(1), options={"bounded": True})
FAIL = Op("fail", _fail, lambda x, **attrs: x, raises=lambda given, attrs: True)
PRINT = Op("print", lambda xp, *values: print(*values) or (), lambda *t: (), effect="print")
TWICE = Op("twice", lambda xp, x, graphs: graphs[0](*graphs[0](x)), None)
CONSTANT = Op("constant", lambda xp, value: value, _constant_type)
COND, WHILE, CALL = Op("cond", None, None), Op("while", None, None), Op("call", None, None)


class Builder:
    """Builds a graph: `b = Builder(x=type)`, `b.x`, `b(op, value, ...)`, `b.done(value, ...)`."""

    def __init__(self, name: str = "f", function: str = "step", /, **inputs: Any) -> None:
        self.graph = Graph([Value(t, name=key) for key, t in inputs.items()], name=name)
        self.function = function
        self.lineno = 0

    def __getattr__(self, key: str) -> Value:
        return next(value for value in self.graph.inputs if value.name == key)

    def __call__(self, op, *inputs, graphs=(), types=None, **attrs):
        self.lineno += 1
        inputs = [v if isinstance(v, Value) else self.constant(v) for v in inputs]
        if types is None:
            types = op.infer_all([v.type for v in inputs], attrs)
        origin = Origin(FILE, self.lineno, self.function)
        node = Node(op, inputs, attrs, graphs, types, origin)
        self.graph.nodes.append(node)
        return node.outputs[0] if len(node.outputs) == 1 else tuple(node.outputs)

    def constant(self, value):
        node = Node(CONSTANT, (), {"value": value}, (), [_constant_type(value)])
        self.graph.nodes.append(node)
        return node.outputs[0]

    def done(self, *outputs):
        self.graph.outputs = [v if isinstance(v, Value) else self.constant(v) for v in outputs]
        check(self.graph)
        return self.graph


def _decay():
    """x[i] = x[i-1] * w for i from 1 to n - 1."""
    inputs = {"n": INT, "w": SCALAR, "i": INT, "x": VECTOR}
    test = Builder("test", **inputs)
    body = Builder("body", **inputs)
    before = body(GETITEM, body.x, body(ADD, body.i, -1))
    row = body(SETITEM, body.x, body(MUL, before, body.w), body.i)
    b = Builder("decay", x=VECTOR, w=SCALAR, n=INT)
    graphs = [test.done(test(LESS, test.i, test.n)), body.done(body(ADD, body.i, 1), row)]
    _, x = b(WHILE, b.n, b.w, 1, b.x, graphs=graphs, types=[INT, VECTOR], captures=2)
    return b.done(x)


INT = type_of_number(1)
SCALAR = TensorType(np.dtype("f8"), ())
VECTOR = TensorType(np.dtype("f8"), (None,))


@pytest.fixture
def toy():
    """Toy ops, types and the `Builder`."""
    names = {name: thing for name, thing in globals().items() if name.isupper()}
    return types.SimpleNamespace(Builder=Builder, decay=_decay, **names)
