"""What all rounds of a loop would read alike is read before it.

LLVM does so only if it can show that nothing of it is written meanwhile, which it cannot for what
threads share; and a position in memory that it does not know to stay the same is one vector of
positions for each element.
"""

from __future__ import annotations

from runtime.lowering.kernels.kernel import (
    Block,
    For,
    If,
    Let,
    Program,
    Register,
    Store,
    read,
)
from runtime.lowering.kernels.merging import Renaming, changed
from runtime.lowering.kernels.scalar import Expr, call, index

__all__ = ["hoist"]


def hoist(program: Program) -> None:
    """Change the loops of a program, in place."""
    _block(program.body)


def _block(block: Block) -> None:
    made: Block = []
    for s in block:
        made += _split(s) if isinstance(s, For) else [s]
    for s in made:
        for inner in s.blocks():
            _block(inner)
    block[:] = made


def _split(loop: For) -> Block:
    """What stands before a loop, and the loop.

    Only if there is a round: else an element that it would read need not be there.
    """
    if not all(isinstance(s, Let | Store) for s in loop.body) or loop.size in (0, 1):
        return [loop]
    change = _Before(loop)
    body: Block = []
    for s in loop.body:
        if isinstance(s, Let) and change.is_fixed(s.value):
            change.before.append(s)
            continue
        if isinstance(s, Let):
            change.own.add(s.register)
        body.append(changed(s, change))
    made: Block = [*change.before, For(loop.index, loop.size, body, loop.serial, loop.most)]
    if isinstance(loop.size, int) or not change.before:
        return made
    return [If(call("gt", loop.size, index(0)), made, [])]


class _Before(Renaming):
    """Takes what is read from registers that are given their values before the loop."""

    def __init__(self, loop: For) -> None:
        super().__init__({})
        self.own: set[Register] = {loop.index}
        self.written = {s.buffer for s in loop.body if isinstance(s, Store)}
        self.before: list[Let] = []

    def is_fixed(self, x: Expr) -> bool:
        """Whether it is the same in all rounds."""
        for part in x.sources:
            if part.function == "read" and part.value in self.own:
                return False
            if part.function == "read" and not isinstance(part.value, Register):
                return False
            if part.function == "load" and part.value in self.written:
                return False
        return True

    def _new(self, x: Expr) -> Expr:
        if x.function != "load" or not self.is_fixed(x):
            return super()._new(x)
        register = Register(f"{x.value.name}.at{len(self.before)}", x.type)
        self.before.append(Let(register, x))
        return read(register)
