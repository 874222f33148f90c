"""Lowering of what variables are given, and what is taken of them, where Python code is called."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Block, Buffer, Cell, Handed, If, read
from runtime.lowering.kernels.sharing import TAKE
from runtime.lowering.nodes.call_outs import called_outside, form_of, result_of
from runtime.lowering.nodes.elements import tensor_type
from runtime.lowering.nodes.updates import may_overwrite
from runtime.spec import type_of_number

__all__ = ["put_if_raised", "take"]


def take(b: Builder, node: Node) -> list[Form]:
    """Contents of variables, in the memory of the old ones where nothing reads those any more.

    There the old one stays where it is the variable's own yet.
    """
    at, asked = node.attrs["at"], node.attrs["asked"]
    results = [_place(b, node, k) for k in range(len(at))]
    stays = [
        x.buffer is not None and x.buffer is _memory(b, node, k) for k, x in enumerate(results)
    ]
    if_other = [k for k, is_there in enumerate(stays) if is_there and at[k] in asked]
    at_once = [k for k in range(len(at)) if k not in if_other]
    truth = type_of_number(False)
    cells = [Cell(b.fresh("is_other"), "b1") for _ in if_other]
    answers = [Handed(truth, cell=cell) for cell in cells]
    _taken(b, node, [at[k] for k in if_other], at_once, [*(results[k] for k in at_once), *answers])
    for k, cell in zip(if_other, cells, strict=True):
        block: Block = []
        with b.in_branch(block):
            _taken(b, node, [], [k], [results[k]])
        b.emit(If(read(cell), block, []))
    return [form_of(b, value, x) for value, x in zip(node.outputs, results, strict=True)]


def _taken(
    b: Builder, node: Node, asked: list[int], taken: list[int], results: list[Handed]
) -> None:
    """Have Python give some contents, and say whether others are other ones."""
    at, types = (tuple(node.attrs[name][k] for k in taken) for name in ("at", "types"))
    attrs = {"at": at, "types": types, "asked": tuple(asked)}
    made = Node(TAKE, node.inputs, attrs, (), TAKE.infer(**attrs), node.origin)
    kept = tuple(range(len(results)))
    called_outside(b, made, results, kept, operands=(), is_rare=True)  # it is the call's own matter


def _memory(b: Builder, node: Node, k: int) -> Buffer | None:
    form = b.forms[node.inputs[k]]
    return form.buffer if isinstance(form, Stored) else None


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
