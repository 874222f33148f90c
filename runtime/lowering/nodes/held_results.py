"""Lowering of calls of Python that give arrays of which only the run tells how long they are."""

from __future__ import annotations

from runtime.effects.held_results import FETCH, HOLD, is_held
from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Form
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Handed
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, index
from runtime.lowering.nodes.call_outs import call_out, called_outside
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.rows import rows_in
from runtime.spec import TensorType

__all__ = ["held_results"]


def held_results(b: Builder, node: Node) -> list[Form]:
    """The results, some of them in memory that is had when it is known how long they are."""
    held = [k for k, value in enumerate(node.outputs) if is_held(value.type)]
    objects = [v for v in node.outputs if not isinstance(v.type, TensorType) and b.is_needed(v)]
    if not held or objects:
        raise Refusal("op `host_call` has no native form")
    types = HOLD.infer(**node.attrs)
    call = Node(HOLD, node.inputs, node.attrs, (), types, node.origin)
    if node in b.pending:
        b.pending[call] = b.pending[node]
    forms = call_out(b, call, "op `host_call` has no native form")
    known = [k for k in range(len(node.outputs)) if k not in held]
    found = dict(zip(known, forms, strict=False))
    number = call.outputs[len(known)]
    b.forms[number], *sizes = forms[len(known) :]
    for position, (k, size) in enumerate(zip(held, sizes, strict=True)):
        assert isinstance(size, Expr)
        attrs = {"position": position, "is_last": k == held[-1]}
        type_ = tensor_type(node.outputs[k].type)
        fetch = Node(FETCH, [number], attrs, (), (type_,), node.origin)
        found[k] = _fetched(b, fetch, node.outputs[k], b.let(size))
    return [found[k] for k in range(len(node.outputs))]


def _fetched(b: Builder, fetch: Node, value: Value, count: Expr) -> Form:
    type_ = tensor_type(value.type)
    row = tuple(n for n in (type_.shape or ())[1:] if n is not None)
    size = b.size_of_the_run(count, None)
    buffer = b.growing(value.name, machine_type(type_.dtype), (size, *row))
    called_outside(b, fetch, [Handed(type_, buffer=buffer, shape=(size, *row))], (0,), is_rare=True)
    b.owned.add(value)
    return rows_in(b, buffer, index(0), count, row)
