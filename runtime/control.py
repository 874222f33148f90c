"""Ops that hold graphs (`cond`, `while`, `call`) and ordered effects (`print`, `raise`, `store`).

A sub-graph is closed: outer values that it uses are inputs of the node, the same list for all the
node's graphs. These ops need graph building for their gradients, so they stand right of `building`.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from typing import Any

from runtime import ops, trace
from runtime.building import Builder, traced
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.spec import TensorType, Type
from runtime.tensor import Tensor

__all__ = [
    "CALL",
    "COND",
    "PRINT",
    "RAISE",
    "STORE",
    "WHILE",
    "ExceptionTemplate",
    "coerce",
    "emit_cond",
    "emit_while",
]


# ---- ops that hold graphs --------------------------------------------------------------------


def _cond(xp: Any, pred: Any, *captures: Any, graphs: Sequence[Callable[..., Any]]) -> Any:
    return graphs[0 if pred else 1](*captures)


def _while(
    xp: Any,
    *operands: Any,
    captures: int,
    maximum: int | None,
    graphs: Sequence[Callable[..., Any]],
) -> Any:
    outer, carried = operands[:captures], operands[captures:]
    test, body = graphs
    trips = 0
    while (maximum is None or trips < maximum) and test(*outer, *carried)[0]:
        carried = body(*outer, *carried)
        trips += 1
    return tuple(carried)


def _call(xp: Any, *operands: Any, graphs: Sequence[Callable[..., Any]]) -> Any:
    return graphs[0](*operands)


def _given(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    raise TypeError("the types of a control-flow node are given by its graphs")


COND = Op("cond", _cond, _given, doc="Run the first graph if the operand is true, else the second.")
WHILE = Op("while", _while, _given, doc="Run the second graph as long as the first gives true.")
CALL = Op("call", _call, _given, doc="Run a graph.")


# ---- effects ---------------------------------------------------------------------------------


def _nothing(*types: Type, **attrs: Any) -> tuple[Type, ...]:
    return ()


def _print(xp: Any, *operands: Any, render: Callable[..., str], file: Any, flush: bool) -> Any:
    stream = sys.stdout if file is None else file
    stream.write(render(*operands))
    if flush:
        stream.flush()
    return ()


def _raise(xp: Any, *operands: Any, template: ExceptionTemplate, arrays: int = 0) -> Any:
    """Raise; the last `arrays` pairs of operands are an array of the caller's and its content."""
    first = len(operands) - 2 * arrays
    for k in range(first, len(operands), 2):
        if operands[k] is not operands[k + 1]:
            operands[k][...] = operands[k + 1]
    raise template.build(operands[:first])


def _store(xp: Any, *operands: Any, write: Callable[..., None], target: str) -> Any:
    write(*operands)
    return ()


PRINT = Op("print", _print, _nothing, effect="print", doc="Write text with values.")
RAISE = Op(
    "raise",
    _raise,
    _nothing,
    effect="raise",
    raises=lambda types, attrs: True,
    doc="Raise the user's exception, its message filled in.",
)
STORE = Op("store", _store, _nothing, effect="store", doc="Write into a Python object.")


class ExceptionTemplate:
    """A user's exception whose parts may hold traced values; built anew at each raise.

    `fill(part, operands)` replaces the traced values in a part. The exception is rebuilt without
    calling its `__init__`, whose parameters are the user's business.
    """

    def __init__(self, error: BaseException, fill: Callable[[Any, Sequence[Any]], Any]) -> None:
        self.error = error.with_traceback(None)
        self.fill = fill

    def build(self, operands: Sequence[Any]) -> BaseException:
        """The exception with the run-time values."""
        args = tuple(self.fill(a, operands) for a in self.error.args)
        made = type(self.error).__new__(type(self.error), *args)
        made.args = args
        for name, part in vars(self.error).items():
            setattr(made, name, self.fill(copy.copy(part), operands))
        made.__cause__ = self.error.__cause__
        made.__suppress_context__ = self.error.__suppress_context__
        return made

    def __repr__(self) -> str:
        return f"{type(self.error).__name__}"


# ---- emission --------------------------------------------------------------------------------


def coerce(x: Any, type_: TensorType) -> Any:
    """`x` with dtype and weakness of `type_`, which its own type joins to."""
    given = x.type if isinstance(x, Tensor) else None
    if given is None or (given.dtype == type_.dtype and given.weak == type_.weak):
        return x
    if type_.weak:
        kinds = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
        return ops.as_weak(x, kind=kinds[type_.dtype.kind])
    if given.dtype == type_.dtype:
        return ops.strengthen(x)
    return ops.astype(x, type_.dtype)


def _align(
    parent: Builder, bodies: Sequence[Builder], own: Sequence[Sequence[Value]]
) -> list[Value]:
    """Give all bodies the same captured inputs, before their own; the parent's values of them."""
    outers: dict[Value, None] = {}
    pairs = []
    for body in bodies:
        of_body = {parent.capture(outer): inner for outer, inner in body.captured()}
        pairs.append(of_body)
        outers.update(dict.fromkeys(of_body))
    for body, of_body, inputs in zip(bodies, pairs, own, strict=True):
        body.graph.inputs = [
            of_body[v] if v in of_body else Value(v.type, name=v.name) for v in outers
        ] + list(inputs)
    return list(outers)


def emit_cond(
    parent: Builder, pred: Value, bodies: tuple[Builder, Builder], types: Sequence[Type]
) -> list[Tensor]:
    """A cond node in `parent` from two traced branches whose graphs have outputs of `types`."""
    outers = _align(parent, bodies, ((), ()))
    graphs = [b.graph for b in bodies]
    return _finish(parent, COND, [pred, *outers], {}, graphs, types)


def emit_while(
    parent: Builder,
    test: Builder,
    body: Builder,
    init: Sequence[Value],
    types: Sequence[Type],
    maximum: int | None = None,
) -> list[Tensor]:
    """A while node in `parent`; both graphs have one own input per carried value.

    The own inputs of each body are its first `len(init)` inputs; captured ones came after.
    """
    own = [b.graph.inputs[: len(init)] for b in (test, body)]
    outers = _align(parent, (test, body), own)
    attrs = {"captures": len(outers), "maximum": maximum}
    return _finish(parent, WHILE, [*outers, *init], attrs, [test.graph, body.graph], types)


def _finish(
    parent: Builder,
    op: Op,
    inputs: list[Value],
    attrs: dict[str, Any],
    graphs: list[Graph],
    types: Sequence[Type],
) -> list[Tensor]:
    node: Node = parent.emit(op, inputs, attrs, graphs, types)
    outputs = tuple(traced(v) for v in node.outputs)
    if trace.tapes():
        parent.tell_tapes(node, [traced(v) for v in inputs], outputs)
    return list(outputs)
