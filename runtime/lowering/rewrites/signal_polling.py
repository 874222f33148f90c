"""Loops that count look for signals between runs of rounds, not in each round.

A look in each round costs as much as a short round, and keeps LLVM from making vectors of it. So a
loop of few rounds looks once, behind its last, also where data ends it before; a longer one goes in
runs of as many rounds as are done between two looks anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Call,
    CallOut,
    Cell,
    Contract,
    For,
    Let,
    Poll,
    Program,
    Register,
    Statement,
    Store,
    While,
    assigned,
    read,
    walk,
)
from runtime.lowering.kernels.merging import renamed
from runtime.lowering.kernels.scalar import Expr, call, const, index, limits, select

__all__ = ["Counting", "Limit", "counting", "goes_over_elements", "pace"]

# Operations between two looks: a part of what is done in the time between two that ask Python.
_RUN = 1 << 15
# Rounds that go in runs are at least so many in each.
_FEW = 8
_OTHER = (Call, CallOut, Poll, While)


class Limit(NamedTuple):
    """A loop that goes so many rounds at most, each of which adds `by` to a cell."""

    cell: Cell
    by: int
    rounds: int


def pace(program: Program, limits: Mapping[While, Limit]) -> None:
    """Change the loops of a program, in place; of some it is known how long they go at most."""
    _block(program.body, limits)


def _block(block: Block, limits: Mapping[While, Limit]) -> None:
    made: Block = []
    for s in block:
        for inner in s.blocks():
            _block(inner, limits)
        made += _paced(s, made, limits.get(s)) if isinstance(s, While) else [s]
    block[:] = made


class Counting(NamedTuple):
    """A loop whose rounds are counted: while `cell` is less than `bound`, which stays the same.

    `now` is the register that its test reads the cell into.
    """

    cell: Cell
    now: Register
    bound: Expr


def counting(loop: While, condition: Expr | None = None, by: int = 1) -> Counting | None:
    """How the rounds of a loop are counted; None where data ends it, or a round may leave it.

    With one of the conditions that each round needs: how it counts those that there are at most.
    With -1, it counts down, while the cell is more than the bound or the same.
    """
    given = {s.register: s.value for s in loop.test if isinstance(s, Let)}
    test = _value(loop.condition if condition is None else condition, given)
    if test.function not in (("lt",) if by == 1 else ("gt", "ge")):
        return None
    now, bound = test.args
    cell = _value(now, given).value
    if now.type != "i8":
        return None
    if now.function != "read" or not isinstance(now.value, Register) or not isinstance(cell, Cell):
        return None
    if bound.function != "const" and not (
        bound.function == "read" and isinstance(bound.value, Register) and bound.value not in given
    ):
        return None
    steps = [s for s in loop.body if isinstance(s, Assign) and s.cell is cell]
    changes = [c for s in (*loop.test, *loop.body) for c in assigned(s) if c is cell]
    if len(steps) != 1 or len(changes) != 1:
        return None
    within = {s.register: s.value for s in loop.body if isinstance(s, Let)}
    one, other = _summands(_value(steps[0].value, within))
    one, other = _value(one, within), _value(other, within)
    if one.function == "const":
        one, other = other, one
    is_next = one.function == "read" and one.value is cell and other.function == "const"
    return Counting(cell, now.value, bound) if is_next and other.value == by else None


def _summands(x: Expr) -> tuple[Expr, Expr]:
    """The operands of a sum, also of one that is checked; what is no sum, and 0."""
    if x.function == "first":
        (x,) = x.args
    if x.function in ("add", "checked_add"):
        one, other = x.args
        return one, other
    if x.function in ("sub", "checked_sub") and x.args[1].function == "const":
        return x.args[0], const(-int(x.args[1].value), x.type)
    return x, index(0)


def goes_over_elements(block: Block) -> bool:
    """Whether one of the innermost loops writes arrays, or counts, and reads arrays.

    What lists have is no array here: they have many loops of few rounds. Nor are the rounds those
    of an operation on whole arrays, which are written as vectors without LLVM's help.
    """
    return any(isinstance(s, While) and _is_over_elements(s) for s in walk(block))


def _is_over_elements(loop: While) -> bool:
    inside = list(walk(loop.body))
    if any(isinstance(s, Call | CallOut | Contract | For | While) for s in inside):
        return False
    if any(isinstance(s, Store) and s.buffer.role != "stack" for s in inside):
        return True
    if any(isinstance(s, Poll) for s in inside) or counting(loop) is None:
        return False
    sources = (part for s in inside for x in s.computed() for part in x.sources)
    return any(isinstance(s, Store) for s in inside) or any(x.function == "load" for x in sources)


def _value(x: Expr, given: dict[Register, Expr]) -> Expr:
    """An expression, or what a register that it reads was given."""
    while x.function == "read" and x.value in given:
        x = given[x.value]
    return x


def _paced(loop: While, before: Block, limit: Limit | None) -> Block:
    """A loop without a look in its rounds, and what stands around it; itself where it needs one."""
    found = counting(loop)
    if not loop.body:
        return [loop]
    *body, last = loop.body
    if not isinstance(last, Poll) or last.cost.function != "const":
        return [loop]
    cost = max(int(last.cost.value), 1)
    if any(isinstance(s, _OTHER) for s in walk([*loop.test, *body])):
        return [loop]
    if found is None:
        return [loop] if limit is None else _looked_at_behind(loop, body, limit, last, cost)
    if not all(isinstance(s, Let | Assign) for s in loop.test):
        return [loop]
    first, bound = _first(found.cell, before), found.bound
    if first is not None and bound.function == "const":
        total = (bound.value - first) * cost
        if total <= _RUN:
            return [While(loop.test, loop.condition, body), Poll(last.site, index(max(total, 1)))]
    if cost * _FEW > _RUN:
        return [loop]
    return [_in_runs(loop, body, found, last, cost)]


def _looked_at_behind(
    loop: While, body: Block, limit: Limit, look: Poll, cost: int
) -> list[Statement]:
    """A loop of few rounds at most, with a look behind its last; itself where it may go on."""
    if limit.rounds * cost > _RUN:
        return [loop]
    first, end = Register(f"{limit.cell.name}.first", "i8"), read(limit.cell)
    rounds = (end, read(first)) if limit.by == 1 else (read(first), end)
    work = call("mul", call("sub", *rounds), index(cost))
    begin = Let(first, read(limit.cell))
    return [begin, While(loop.test, loop.condition, body), Poll(look.site, work)]


def _first(cell: Cell, before: Block) -> int | None:
    """The number that a cell is given before a loop."""
    for s in reversed(before):
        if isinstance(s, Assign) and s.cell is cell:
            return int(s.value.value) if s.value.function == "const" else None
        if any(other is cell for other in assigned(s)):
            return None
    return None


def _in_runs(loop: While, body: Block, found: Counting, look: Poll, cost: int) -> While:
    """Rounds in runs, with a look behind each run."""
    length = max(_RUN // cost, 1)
    name, now = found.cell.name, read(found.now)
    stop, reached = Register(f"{name}.stop", "i8"), Register(f"{name}.reached", "i8")
    following = call("add", now, index(length))
    is_last = call("ge", following, found.bound)
    # Where the sum is beyond the largest number, nothing of it is used.
    near_end = call("gt", now, const(limits("i8")[1] - length, "i8"))
    end = select(near_end, found.bound, select(is_last, found.bound, following))
    test, moved = _copied(loop.test)
    own = moved[found.now]
    rounds = While(test, call("lt", own, read(stop)), body)
    work = call("mul", call("sub", read(reached), now), index(cost))
    run: list[Statement] = [
        Let(stop, end),
        rounds,
        Let(reached, read(found.cell)),
        Poll(look.site, work),
    ]
    return While(loop.test, loop.condition, run)


def _copied(test: Block) -> tuple[Block, dict[Register, Expr]]:
    """A test with registers of its own, and what its registers are in it."""
    moved: dict[Register, Expr] = {}
    made: Block = []
    for s in test:
        (s,) = renamed([s], moved)
        if isinstance(s, Let):
            register = Register(s.register.name, s.register.type)
            moved[s.register] = read(register)
            s = Let(register, s.value)
        made.append(s)
    return made, moved
