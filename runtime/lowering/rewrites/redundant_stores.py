"""Cells that are given what they hold already are left alone.

A loop carries where an array begins and how long it is from round to round, and most loops change
neither. What no round changes is known behind the loop as it was before it.
"""

from __future__ import annotations

from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Call,
    Cell,
    If,
    Let,
    Program,
    Register,
    Statement,
    While,
    assigned,
    walk,
)
from runtime.lowering.kernels.scalar import Expr

__all__ = ["keep"]

# What cells and registers hold: the same number stands for the same value.
_Contents = dict[Cell | Register, int]


def keep(program: Program) -> None:
    """Change the loops of a program, in place."""
    if any(isinstance(s, While) for s in walk(program.body)):
        _Keeping().block(program.body, {})


class _Keeping:
    def __init__(self) -> None:
        self._count = 0

    def block(self, block: Block, held: _Contents) -> None:
        """Leave out what changes nothing; `held` is what places hold: before, and then behind."""
        made: Block = []
        for s in block:
            if isinstance(s, Let):
                self._give(s.register, self._content(s.value, held), held)
            elif isinstance(s, Assign):
                content = self._content(s.value, held)
                if content is not None and self._of(s.cell, held) == content:
                    continue
                self._give(s.cell, content, held)
            else:
                self._statement(s, held)
            made.append(s)
        block[:] = made

    def _statement(self, s: Statement, held: _Contents) -> None:
        given = dict.fromkeys(assigned(s))
        if isinstance(s, If):
            for cell in given:
                self._of(cell, held)
            yes, no = dict(held), dict(held)
            self.block(s.yes, yes)
            self.block(s.no, no)
            for cell in given:
                self._give(cell, yes[cell] if yes[cell] == no[cell] else None, held)
            return
        # Functions that call themselves are left as they are: a call may change what it reads.
        for inner in () if isinstance(s, Call) else s.blocks():
            inside = dict(held)
            for cell in given:  # the rounds before have given them others
                self._give(cell, None, inside)
            self.block(inner, inside)
        for cell in assigned(s):
            self._give(cell, None, held)

    def _of(self, place: Cell | Register, held: _Contents) -> int:
        if place not in held:
            self._give(place, None, held)
        return held[place]

    def _give(self, place: Cell | Register, content: int | None, held: _Contents) -> None:
        if content is None:
            self._count += 1
            content = self._count
        held[place] = content

    def _content(self, x: Expr, held: _Contents) -> int | None:
        """What an expression reads; None of those that compute."""
        return self._of(x.value, held) if x.function == "read" else None
