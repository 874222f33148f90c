"""Two loops of which one does nothing but run the other become one over all their rounds.

Of `for i < n: for j < m: ...` whose body asks for `i * m + j` only, a single index is left. That is
done where another loop has as many rounds: a reduction goes through the rows of an array of any
rank in a single loop, and what is done before and after it can then be merged with it.
"""

from __future__ import annotations

from runtime.lowering.kernel import Block, For, Program, Register, inner_blocks, read
from runtime.lowering.merging import Renaming, Summary, changed
from runtime.lowering.scalar import Expr

__all__ = ["collapse", "collapsed", "is_position", "is_read"]


def collapse(program: Program) -> None:
    """Collapse the loops of a program, in place."""
    _block(program.body)


def _block(block: Block) -> None:
    sizes = {s.size for s in block if isinstance(s, For) and isinstance(s.size, int)}
    for at, s in enumerate(block):
        for inner in inner_blocks(s):
            _block(inner)
        whole = s if isinstance(s, For) else None
        while whole is not None:
            if whole.size in sizes:
                block[at] = whole
            whole = collapsed(whole)


def collapsed(outer: For) -> For | None:
    """One loop that does the work of a loop and of the one in it, if that can be."""
    inner = outer.body[0] if len(outer.body) == 1 else None
    if not isinstance(inner, For) or outer.serial or inner.serial:
        return None
    if not (isinstance(outer.size, int) and isinstance(inner.size, int)):
        return None
    if not Summary().add(inner.body).is_plain:
        return None
    change = _Joined(outer.index, inner.index, inner.size)
    body = [changed(s, change) for s in inner.body]
    return None if change.is_split else For(change.index, outer.size * inner.size, body)


class _Joined(Renaming):
    """One index in the place of the position that two of them stand for."""

    def __init__(self, outer: Register, inner: Register, size: int) -> None:
        super().__init__({})
        self.outer, self.inner, self.size = outer, inner, size
        self.index = Register(inner.name, "i8")
        # Whether something needs one of the two by itself.
        self.is_split = False

    def _new(self, x: Expr) -> Expr:
        if is_position(x, self.outer, self.inner, self.size):
            return read(self.index)
        if is_read(x, self.outer) or is_read(x, self.inner):
            self.is_split = True
        return super()._new(x)


def is_position(x: Expr, outer: Register, inner: Register, size: int) -> bool:
    """Whether it is `outer * size + inner`: a position among rows of that size."""
    if x.function != "add" or x.args[0].function != "mul":
        return False
    (row, count), column = x.args[0].args, x.args[1]
    is_whole = count.function == "const" and count.value == size
    return is_whole and is_read(row, outer) and is_read(column, inner)


def is_read(x: Expr, of: Register) -> bool:
    """Whether it is the value of a register."""
    return x.function == "read" and x.value is of
