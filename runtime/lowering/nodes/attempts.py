"""The ways out of a `try`: from where an error is raised that one of its clauses takes.

Only where the class of the error is known. What else may fail within a `try` leaves the call to the
plan, as it does elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from runtime.effects.control import RAISE
from runtime.errors import GraphLimit
from runtime.execute.recovery import positions
from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Block, If
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr

__all__ = ["Exit", "Open", "escapes", "kind_of"]


class Exit(Record):
    """A way out: what is done on it, which clause takes the error, and the results; None: any."""

    block: Block
    clause: int
    forms: Sequence[Form | None]


class Open(Record):
    """A `try` whose body is being lowered."""

    node: Node
    exits: list[Exit] = field(default_factory=list)


def kind_of(node: Node) -> type[BaseException] | None:
    """The class of the errors that a node raises; None where they may be of several."""
    if node.op is RAISE:
        kind: type[BaseException] = node.attrs["template"].kind
        return kind
    kinds = node.op.options.get("errors", ())
    return kinds[0] if len(kinds) == 1 else None


def escapes(b: Builder, node: Node, failed: Expr, kind: type[BaseException] | None) -> bool:
    """Go on behind the `try` that takes the errors of a class, where `node` raises one; or False.

    Refusal where it cannot be known whether one takes it, and the plan could not begin again.
    """
    if not b.attempts or (kind is not None and issubclass(kind, GraphLimit)):
        return False
    open_, clause = _taking(b, kind) if kind is not None else (None, 0)
    pending = b.pending.get(node)
    saved = None
    if open_ is not None and pending is not None:
        saved = positions(pending, open_.node.attrs["token"])
    if open_ is not None and pending is not None and saved is not None:
        block: Block = []
        forms = [None if k is None else b.forms[pending.inputs[k]] for k in saved]
        open_.exits.append(Exit(block, clause, forms))
        b.emit(If(failed, block, []))
        return True
    if b.program.has_effects and (kind is None or open_ is not None):
        raise Refusal("an error that may be caught, beside what may happen only once")
    return False


def _taking(b: Builder, kind: type[BaseException]) -> tuple[Open | None, int]:
    """The innermost `try` around that takes errors of a class, and the number of its clause."""
    for open_ in reversed(b.attempts):
        for clause, kinds in enumerate(open_.node.attrs["clauses"], 1):
            if issubclass(kind, kinds):
                return open_, clause
    return None, 0
