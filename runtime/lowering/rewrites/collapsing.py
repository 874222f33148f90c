"""Two loops of which one does nothing but run the other become one over all their rounds.

Of `for i < n: for j < m: ...` a single index is left if each element that is read or written is as
far from that of the next `i` as from that of the `j` that lies `m` further on.
"""

from __future__ import annotations

from runtime.lowering.kernels.kernel import (
    Block,
    For,
    Let,
    Program,
    Register,
    Store,
    read,
)
from runtime.lowering.kernels.merging import Renaming, changed, linear
from runtime.lowering.kernels.scalar import Expr, index, parts_of

__all__ = ["collapse", "flattened", "is_read"]


def collapse(program: Program) -> None:
    """Collapse loops of a program, in place, where another loop has as many rounds as both.

    A reduction goes through the rows of an array of any rank in a single loop: what is done before
    and after it can then be merged with it.
    """
    _block(program.body)


def _block(block: Block) -> None:
    sizes = {s.size for s in block if isinstance(s, For) and isinstance(s.size, int)}
    for at, s in enumerate(block):
        for inner in s.blocks():
            _block(inner)
        whole = s if isinstance(s, For) else None
        while whole is not None:
            if whole.size in sizes:
                block[at] = whole
            whole = _collapsed(whole)


def flattened(loop: For) -> For:
    """The loop with as few loops in it as there can be."""
    inner = _only(loop)
    if inner is None:
        return loop
    both = _collapsed(loop)
    if both is not None:
        return flattened(both)
    return For(loop.index, loop.size, [flattened(inner)], loop.serial, loop.most)


def _only(loop: For) -> For | None:
    """The loop that is all that a loop runs."""
    inner = loop.body[0] if len(loop.body) == 1 else None
    return inner if isinstance(inner, For) else None


def _collapsed(outer: For) -> For | None:
    """One loop that does the work of a loop and of the one in it, if that can be."""
    inner = _only(outer)
    if inner is None or outer.serial or inner.serial:
        return None
    if not (isinstance(outer.size, int) and isinstance(inner.size, int)):
        return None
    if not _Steps(outer.index, inner.index, inner.size).fit(inner.body):
        return None
    both = Register(inner.index.name, "i8")
    change = _Moved({outer.index: index(0), inner.index: read(both)})
    body = [changed(s, change) for s in inner.body]
    return For(both, outer.size * inner.size, body)


class _Steps:
    """How far apart two indices put the elements that are read and written."""

    def __init__(self, outer: Register, inner: Register, size: int) -> None:
        self.outer, self.inner, self.size = outer, inner, size
        # What registers of offsets stand for.
        self.known: dict[Register, Expr] = {}

    def fit(self, block: Block) -> bool:
        """Whether the indices serve for offsets only, and one goes on where the other ends."""
        return all(self._fits(s) for s in block)

    def _fits(self, s: object) -> bool:
        if isinstance(s, Let):
            if s.register.type == "i8" and linear(s.value, self.known) is not None:
                self.known[s.register] = s.value
                return True
            return self._value(s.value)
        if isinstance(s, Store):
            return self._offset(s.offset) and self._value(s.value)
        if isinstance(s, For):
            return isinstance(s.size, int) and self.fit(s.body)
        return False

    def _value(self, x: Expr) -> bool:
        """Whether the indices are asked for in offsets only."""
        for part in parts_of(x, whole=lambda part: part.function == "load"):
            if part.function == "load" and not self._offset(part.args[0]):
                return False
            is_register = part.function == "read" and isinstance(part.value, Register)
            if is_register and any(self._of_indices(part)):
                return False
        return True

    def _offset(self, x: Expr) -> bool:
        if linear(x, self.known) is None:
            return self._value(x)
        outer, inner = self._of_indices(x)
        return outer == inner * self.size

    def _of_indices(self, x: Expr) -> tuple[int, int]:
        """How often both indices are in a linear function."""
        found = linear(x, self.known)
        if found is None:
            return 0, 0
        return found.terms.get(self.outer, 0), found.terms.get(self.inner, 0)


class _Moved(Renaming):
    """Expressions with others in the place of registers, without zeros."""

    def _new(self, x: Expr) -> Expr:
        new = super()._new(x)
        if new.type == "i8" and new.function in ("add", "mul"):
            one, other = new.args
            if _is_zero(one):
                return other if new.function == "add" else one
            if _is_zero(other):
                return one if new.function == "add" else other
        return new


def _is_zero(x: Expr) -> bool:
    return x.function == "const" and x.value == 0


def is_read(x: Expr, of: Register) -> bool:
    """Whether it is the value of a register."""
    return x.function == "read" and x.value is of
