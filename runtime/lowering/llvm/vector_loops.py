"""Loops over elements that are written as vectors, so that LLVM need not make them.

LLVM takes a third of its time for a loop to find out that its rounds can be done side by side, and
as long again to tidy up around that. Of work that is done in parts, loops over floats of known
number are written in lanes here; a part that has no other loops goes through as few passes as the
functions of contractions do. The last elements are a vector of which a part is masked.
"""

from __future__ import annotations

from typing import Any

from runtime.execute.native.processor import vector_bytes
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Call,
    For,
    Let,
    PairwiseSum,
    Register,
    Statement,
    Store,
    walk,
)
from runtime.lowering.kernels.merging import linear
from runtime.lowering.kernels.scalar import Expr, parts_of
from runtime.lowering.llvm.lines import AS_IT_IS

__all__ = ["has_none", "lanes_of", "serves", "serves_all", "write"]

# Vectors of so many bytes have masks for each lane: those of AVX-512.
_BYTES = 64
# Fewer elements are written out by LLVM.
_FEWEST = 9
# One body with masks serves so few elements: two bodies take longer to compile.
_FEW = 256
# What is computed in lanes as it is of one element.
_FUNCTIONS = frozenset((
    "const", "read", "load", "add", "sub", "mul", "div", "product", "muladd",
    "eq", "ne", "lt", "le", "gt", "ge", "select", "and", "or", "xor", "not", "neg", "shl", "ashr",
    "lshr", "abs", "sqrt", "floor", "ceil", "trunc", "rint", "copysign", "scaled", "bitcast",
))  # fmt: skip


def serves(s: For) -> bool:
    """Whether all loops in a statement are written in lanes."""
    if vector_bytes() != _BYTES:
        return False
    return lanes_of(s) is not None or (_is_around(s) and all(map(_is_served, s.body)))


def has_none(block: Block) -> bool:
    """Whether there is no loop over elements in a block, of which vectors could be made."""
    return not any(isinstance(s, For | PairwiseSum) for s in walk(block))


def serves_all(block: Block) -> bool:
    """Whether there are loops in a block, and all are written in lanes or those of products."""
    statements = list(walk(block))
    if vector_bytes() != _BYTES or not any(isinstance(s, For) for s in statements):
        return False
    if any(isinstance(s, Call) for s in statements):  # functions that call themselves are others
        return False
    return all(map(_is_served_outside, block))


def _is_served_outside(s: Statement) -> bool:
    """As `_is_served`, of what stands in no loop over elements, but in a `while` or a branch."""
    if isinstance(s, For | PairwiseSum):
        return _is_served(s)
    return all(_is_served_outside(x) for block in s.blocks() for x in block)


def _is_around(s: For) -> bool:
    return any(isinstance(x, For | PairwiseSum) for x in s.body)


def _is_served(s: object) -> bool:
    if isinstance(s, For):
        return serves(s)
    if isinstance(s, PairwiseSum):
        return all(isinstance(x, Let) for x in s.body)
    return isinstance(s, Let | Store | Assign | Allocate)


def lanes_of(s: For) -> int | None:
    """How many elements a vector has; None for a loop that is not written in lanes."""
    stores = [x for x in s.body if isinstance(x, Store)]
    if s.serial or not isinstance(s.size, int) or s.size < _FEWEST or not stores:
        return None
    if not all(isinstance(x, Let | Store) for x in s.body):
        return None
    kind = stores[0].buffer.type
    if kind not in ("f4", "f8"):
        return None
    own = {x.register for x in s.body if isinstance(x, Let)}
    types = {kind, f"i{kind[1:]}", "b1"}
    for x in s.body:
        if isinstance(x, Store):
            step = _step(x.offset, s.index, own)
            if x.buffer.type != kind or step != 1:
                return None
        if not _is_apt(x.value, s.index, own, types, kind):  # type: ignore[attr-defined]
            return None
    return _BYTES // int(kind[1:])


def _is_apt(x: Expr, index: Register, own: set[Register], types: set[str], kind: str) -> bool:
    """Whether the lanes of an expression can be computed at once."""
    for part in parts_of(x, whole=lambda part: part.function == "load"):
        if part.type not in types or part.function not in _FUNCTIONS:
            return False
        if part.function == "read" and part.value is index:
            return False
        if part.function == "load":
            is_same = part.type == kind
            if not is_same or _step(part.args[0], index, own) not in (0, 1):
                return False
    return True


def _step(offset: Expr, index: Register, own: set[Register]) -> int | None:
    """How far an offset moves with each round; None if it is not known so easily."""
    found = linear(offset, {})
    if found is None or any(register in own for register in found.terms):
        return None
    return found.terms.get(index, 0)


def write(w: Any, s: For) -> None:
    """Write the loop in lanes."""
    lanes = lanes_of(s)
    assert lanes is not None and isinstance(s.size, int)
    whole, rest = s.size // lanes * lanes, s.size % lanes
    before = w.lanes
    w.lane, w.lanes = s.index, lanes
    if rest and whole and s.size < _FEW:
        with w._counted(s.index, "0", str(whole + lanes), lanes, AS_IT_IS):
            bits = f"<{lanes} x i1>"
            call = f"@llvm.get.active.lane.mask.v{lanes}i1.i64"
            w.intrinsic(f"{bits} {call}(i64, i64)")
            w.mask = w.do(f"call {bits} {call}(i64 {w.places[s.index]}, i64 {s.size})")
            w._block(s.body)
    else:
        if whole > lanes:
            with w._counted(s.index, "0", str(whole), lanes, AS_IT_IS):
                w._block(s.body)
        elif whole:
            w.places[s.index] = "0"
            w._block(s.body)
        if rest:
            w.places[s.index] = str(whole)
            if rest == lanes // 2:
                w.lanes = rest
            else:
                truths = ", ".join(f"i1 {'true' if k < rest else 'false'}" for k in range(lanes))
                w.mask = f"<{truths}>"
            w._block(s.body)
    w.lane, w.lanes, w.mask = None, before, None
