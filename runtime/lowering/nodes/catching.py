"""Lowering of `try`: its body, and the results on each way out of it.

The results are in places that all ways write, as those of branches are. A way out of loops and
branches is a jump behind the body.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Attempt, Block, Escape, read
from runtime.lowering.kernels.scalar import TRUE, Expr, const, index
from runtime.lowering.nodes.attempts import Open
from runtime.lowering.nodes.control import (
    Lower,
    Place,
    advance_rows,
    bind,
    check_type,
    hand_over,
    has_memory,
    is_of_rows,
    lower_inside,
    owned_buffers,
    place_for,
    place_of_rows,
    write,
)
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import converted
from runtime.spec import TensorType

__all__ = ["attempt", "reraise"]


def attempt(b: Builder, node: Node, lower: Lower) -> list[Form]:
    """`try`: the number of the clause that takes an error, the error, and the results."""
    (graph,) = node.graphs
    for value in node.inputs:
        has_memory(b, value)
    made, open_ = Attempt(b.fresh("attempt"), []), Open(node)
    bind(b, graph, [b.forms[value] for value in node.inputs])
    hand_over(b, node, node.inputs, graph.inputs)
    b.attempts.append(open_)
    with b.in_branch(made.body):
        lower_inside(b, graph, lower)
    b.attempts.pop()
    ends: list[tuple[Block, list[Form | None]]] = [
        (made.body, [b.forms[value] for value in graph.outputs])
    ]
    for out in open_.exits:
        missing = len(graph.outputs) - len(out.forms)  # what gradients added: nobody reads it
        given = [*out.forms, *[None] * missing]
        pairs = zip(given, node.outputs[2:], strict=True)
        with b.inside(out.block):
            ends.append((out.block, [_joined(form, value) for form, value in pairs]))
    clause = b.cell("clause", index(0))
    results = _places(b, node, ends)
    for out in open_.exits:
        with b.inside(out.block):
            b.emit(Assign(clause, index(out.clause)))
            b.emit(Escape(made.name))
    b.emit(made)
    forms = [
        form.form(b, value.name) if isinstance(form, Place) else form
        for form, value in zip(results, node.outputs[2:], strict=True)
    ]
    return [b.let(read(clause)), const(0, "i8"), *forms]


def _places(
    b: Builder, node: Node, ends: Sequence[tuple[Block, Sequence[Form | None]]]
) -> list[Form | Place]:
    """Write the results at all ends to places, had in the block before."""
    found: list[Form | Place] = []
    before: Block = []
    rows: list[tuple[Place, list[Form | None]]] = []
    for k, value in enumerate(node.outputs[2:]):
        given = [forms[k] for _, forms in ends]
        present = [form for form in given if form is not None]
        final = present[0]
        its_end = ends[next(n for n, form in enumerate(given) if form is final)][0]
        check_type(final, value)
        if any(is_of_rows(b, final, other, value) for other in present):
            taken = {place.buffer for place, _ in rows}
            place = place_of_rows(b, node, present, value, taken)
            rows.append((place, given))
        elif isinstance(final, Stored) and _are_in_place(present):
            found.append(final)
            if final.buffer in owned_buffers(b, node):
                b.owned.add(value)
            continue
        else:
            with b.inside(its_end):  # where what it is computed of is known
                place = place_for(b, final, value, before)
            for (block, _), form in zip(ends, given, strict=True):
                if form is not None:
                    with b.inside(block):
                        write(b, place, form)
            b.owned.add(value)
        before += [Assign(cell, const(0, cell.type)) for cell in place.cells]
        found.append(place)
    for k, (block, _) in enumerate(ends):  # at last: what is written above may be read out of them
        pairs = [(place, given[k]) for place, given in rows]
        with b.inside(block):
            advance_rows(b, [(place, form) for place, form in pairs if form is not None])
    for statement in before:
        b.emit(statement)
    return found


def _are_in_place(forms: Sequence[Form]) -> bool:
    """Whether an array was updated in its place, or not at all, at all ends."""
    buffers = {form.buffer if isinstance(form, Stored) else None for form in forms}
    return len(buffers) == 1 and None not in buffers


def _joined(form: Form | None, value: Value) -> Form | None:
    """A result on a way out, in the type that all have."""
    if form is None or not isinstance(value.type, TensorType):
        return form
    kind = machine_type(tensor_type(value.type).dtype)
    if form.type == kind:
        return form
    return converted(form, kind) if isinstance(form, Expr) else form


def reraise(b: Builder, node: Node) -> list[Form]:
    """What was caught is raised again: by the plan, which knows it."""
    b.leave_where(TRUE)
    return []
