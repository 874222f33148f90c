"""Lowering of what variables are given, and what is taken of them, where Python code is called."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Handed
from runtime.lowering.nodes.call_outs import called_outside, form_of, result_of
from runtime.lowering.nodes.elements import tensor_type
from runtime.lowering.nodes.updates import may_overwrite

__all__ = ["put_if_raised", "take"]


def take(b: Builder, node: Node) -> list[Form]:
    """Contents of variables, in the memory of the old ones where nothing reads those any more."""
    results = [_place(b, node, k) for k in range(len(node.outputs))]
    kept = tuple(range(len(results)))
    called_outside(b, node, results, kept, operands=(), is_rare=True)  # it is the call's own matter
    return [form_of(b, value, x) for value, x in zip(node.outputs, results, strict=True)]


def _place(b: Builder, node: Node, k: int) -> Handed:
    old = node.inputs[k]
    form, type_ = b.forms[old], tensor_type(node.outputs[k].type)
    if not (isinstance(form, Stored) and may_overwrite(b, node, old)):
        return result_of(b, node, k)
    if not form.buffer.shape == form.shape == type_.shape:
        return result_of(b, node, k)
    return Handed(type_, buffer=form.buffer, shape=form.buffer.shape)


def put_if_raised(b: Builder, node: Node) -> list[Form]:
    """Nothing here: what raises behind it looks at it."""
    return []
