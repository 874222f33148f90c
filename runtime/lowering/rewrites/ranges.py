"""What whole numbers can be: checks that cannot fail, and what follows from them, are left out.

A position that a loop counts is between its first value and its bound, so most of them are known
to be inside their arrays, not to be negative, and to leave the integers at no sum. Each number has
the least and the greatest that it can be, and where sizes are only known when the program runs,
of which register it is less, and by how much (intervals with widening: P. and R. Cousot, Abstract
interpretation, 1977). LLVM finds some of this itself, but not behind loops that go in runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runtime.lowering.kernels.kernel import (
    Assign,
    Attempt,
    Block,
    Cell,
    Check,
    For,
    If,
    Let,
    PairwiseSum,
    Program,
    Register,
    Statement,
    Store,
    While,
    assigned,
    walk,
)
from runtime.lowering.kernels.merging import Renaming, changed
from runtime.lowering.kernels.scalar import (
    FALSE,
    TRUE,
    Expr,
    both,
    call,
    const,
    either,
    invert,
    is_int,
    select,
)
from runtime.lowering.rewrites.intervals import LESS, Numbers, Range, all_of, in_order, is_same
from runtime.lowering.rewrites.signal_polling import Counting, Limit, counting

__all__ = ["prove"]

# Arrays are smaller.
_LARGEST_SIZE = 1 << 60
# Rounds until the numbers of a loop must have settled; of longer loops no number is followed.
_ROUNDS, _LONGEST = 5, 2000
_OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def prove(program: Program) -> dict[While, Limit]:
    """Change the statements of a program, in place; how many rounds loops go at most."""
    known = _Known()
    if not any(isinstance(s, While) for s in walk(program.body)):
        return known.limits
    for register, _, _ in program.sizes:
        known.registers[register] = Range(0, _LARGEST_SIZE)
    known.block(program.body, {}, is_last=True)
    return known.limits


# ---- statements ----------------------------------------------------------------------------------


_Cells = dict[Cell, Range]


class _Known(Numbers):
    """What is known at a place of the program, statement by statement."""

    def __init__(self) -> None:
        super().__init__()
        # The register that was given what is in a cell, which is still that.
        self._held: dict[Cell, Register] = {}
        # What holds where a truth does: one in a cell, and one that a register was given of it.
        self._reasons: dict[Cell | Register, tuple[Expr, ...]] = {}
        self.limits: dict[While, Limit] = {}
        # Of statements that hold others, which are looked at over and over: what they give values.
        self._changed: dict[Statement, tuple[Cell, ...]] = {}
        self._own: dict[While, set[Cell]] = {}
        self._read: dict[While, list[Cell | Register]] = {}
        # What was found of loops, and what was known before: within others, they are met again.
        self._solved: dict[While, tuple[dict[Any, Any], _Cells, _Cells]] = {}
        self._truths: dict[If, tuple[tuple[Cell, Expr, Expr], ...]] = {}

    def block(self, block: Block, cells: _Cells, *, is_last: bool) -> _Cells:
        """What cells can be behind a block; if it `is_last`, what is proven is left out of it."""
        before, self.cells = self.cells, cells
        if is_last:
            proving = _Proving(self)
            made: Block = []
            for s in block:
                s = _proven(s, proving)
                if not isinstance(s, Check) or s.failed is not FALSE:
                    self._statement(s, is_last=True)
                    made.append(s)
            block[:] = made
        else:
            for s in block:
                self._statement(s, is_last=False)
        after, self.cells = self.cells, before
        return after

    def _statement(self, s: Statement, *, is_last: bool) -> None:
        if isinstance(s, Let):
            if is_int(s.register.type) or s.register.type == "b1":
                self._let(s)
        elif isinstance(s, Assign):
            found = self._given_to(s) if is_int(s.cell.type) else None
            self._forget(s)
            if found is not None:
                self.cells[s.cell] = found
        elif isinstance(s, Check):
            self._assume(invert(s.failed))
        elif not s.is_around:
            self._forget(s)
        elif isinstance(s, While):
            self._while(s, is_last=is_last)
        elif isinstance(s, If):
            self._if(s, is_last=is_last)
        elif isinstance(s, For | PairwiseSum):
            self._each(s, is_last=is_last)
        elif isinstance(s, Attempt):
            outside = dict(self.registers)
            self.block(s.body, dict(self.cells), is_last=is_last)
            self.registers = outside
            self._forget(s)  # it may end anywhere
        else:
            self._forget(s)

    def _let(self, s: Let) -> None:
        self.given[s.register] = s.value
        self.registers[s.register] = self.range(s.value)
        if s.value.function == "read" and isinstance(s.value.value, Cell):
            self._held[s.value.value] = s.register
            self._reasons[s.register] = self._reasons.get(s.value.value, ())

    def _given_to(self, s: Assign) -> Range:
        found, place = self.range(s.value), s.value.value
        if s.value.function == "read" and isinstance(place, Register) and found.same is None:
            return found._replace(same=place)
        return found

    def _forget(self, s: Statement) -> None:
        """Know no more of the cells that a statement gives values."""
        for cell in self._cells_of(s):
            self.cells.pop(cell, None)
            self._held.pop(cell, None)
            self._reasons.pop(cell, None)

    def _cells_of(self, s: Statement) -> Sequence[Cell]:
        """The cells that a statement, or one that it holds, gives values."""
        if not s.is_around:
            return s.given()
        found = self._changed.get(s)
        if found is None:
            found = self._changed[s] = tuple(dict.fromkeys(assigned(s)))
        return found

    def _truths_of(self, s: If) -> tuple[tuple[Cell, Expr, Expr], ...]:
        """The truths that each branch gives a cell."""
        found = self._truths.get(s)
        if found is None:
            found = self._truths[s] = tuple(_given_on_both(s))
        return found

    def _each(self, s: For | PairwiseSum, *, is_last: bool) -> None:
        size = self.range(s.size).greatest if isinstance(s.size, Expr) else s.size
        outside = dict(self.registers)
        self.registers[s.index] = Range(0, max(size - 1, 0))
        self._forget(s)
        self.block(s.body, dict(self.cells), is_last=is_last)
        self._forget(s)
        self.registers = outside

    def _if(self, s: If, *, is_last: bool) -> None:
        outside, cells, held, reasons = self.registers, self.cells, self._held, self._reasons
        ends = []
        for block, condition in ((s.yes, s.condition), (s.no, invert(s.condition))):
            self.registers, self.cells = dict(outside), dict(cells)
            self._held, self._reasons = dict(held), dict(reasons)
            self._assume(condition)
            ends.append(self.block(block, self.cells, is_last=is_last))
        self.registers, self.cells = outside, cells
        self._held, self._reasons = held, reasons
        self._forget(s)
        one, other = ends
        # Most cells are as they were before the branches.
        self.cells = {
            cell: found if found is other[cell] else found.joined(other[cell])
            for cell, found in one.items() if cell in other
        }  # fmt: skip
        for cell, yes, no in self._truths_of(s):
            if _is_false(no, s):
                self._reasons[cell] = (s.condition, yes)
            elif yes is FALSE:
                self._reasons[cell] = (invert(s.condition), no)

    def _while(self, s: While, *, is_last: bool) -> None:
        found, start = _limited(s), dict(self.cells)
        own = self._own.get(s)
        if own is None:
            own = self._own[s] = _given_in_each_round(s)
        cells = dict.fromkeys(self._cells_of(s))
        begin = 0 if found is None else start.get(found.cell, all_of(found.cell.type)).least
        state = {c: x for c, x in start.items() if c not in cells}
        before = self._known_before(s)
        solved = self._solved.get(s)
        if solved is None or solved[0] != before:
            changing = [c for c in cells if is_int(c.type) and c not in own]
            for cell in changing:
                state[cell] = start.get(cell, all_of(cell.type)).plain
            if found is not None:
                most = max(state[found.cell].greatest, self.range(found.bound).greatest)
                state[found.cell] = Range(begin, most)
                changing.remove(found.cell)
            self._settle(s, found, begin, changing, state)
            within = {} if found is None else self._counted(s, found, begin, changing, start, state)
            solved = before, {c: state[c] for c in cells if c in state}, within
            self._solved[s] = solved
        state |= solved[1]
        outside = dict(self.registers)
        if is_last:
            self._limit(s, start)
            self._round(s, found, begin, state, solved[2], is_last=True)
        else:
            self._test(s, state, is_last=False)
        self._held, self._reasons = {}, {}
        tested = {x.register for x in s.test if isinstance(x, Let)}
        outside |= {x: self.registers[x] for x in tested if x in self.registers}
        self.registers, self.cells = outside, state

    def _known_before(self, s: While) -> dict[Any, Any]:
        """What is known of all that a loop reads or changes, and of what that is known by."""
        if s not in self._read:
            inside = walk([s])
            own = {x.register for x in inside if isinstance(x, Let)}
            own |= {x.index for x in inside if isinstance(x, For | PairwiseSum)}
            parts = (part for inner in inside for x in inner.computed() for part in x.sources)
            named = {x.value for x in parts if x.function == "read"}
            self._read[s] = [*(named - own), *self._cells_of(s)]
        todo, known = list[Any](self._read[s]), dict[Any, Any]()
        while todo:
            place = todo.pop()
            if place in known:
                continue
            found = self.registers.get(place) or self.cells.get(place)
            value = self.given.get(place)
            known[place] = found, value
            if value is not None:
                todo += [x.value for x in value.sources if x.function == "read"]
            if found is not None:
                todo += [x for x in (found.base, found.same) if x is not None]
        return known

    def _limit(self, s: While, start: _Cells) -> None:
        """Find how many rounds a loop goes at most."""
        for by in (1, -1):
            found = _limited(s, by)
            if found is not None:
                first, bound = start.get(found.cell, all_of("i8")), self.range(found.bound)
                ends = (first, bound) if by == 1 else (bound, first)
                rounds = max(ends[1].greatest - ends[0].least + 1, 0)
                self.limits[s] = Limit(found.cell, by, rounds)

    def _settle(
        self, s: While, found: Counting | None, begin: int, changing: list[Cell], state: _Cells
    ) -> None:
        """Find what holds before each round, of what holds before the first: into `state`."""
        outside = self.registers
        is_short = sum(1 for _ in walk([s])) <= _LONGEST
        open_ = [c for c in changing if state[c] != all_of(c.type)]
        for k in range(_ROUNDS if is_short and open_ else 0):
            self.registers = dict(outside)
            after = self._round(s, found, begin, state, {}, is_last=False)
            self.registers = outside
            ends = {c: after.get(c, all_of(c.type)) for c in changing}
            if all(state[c].holds(end) for c, end in ends.items()):
                return
            for cell, end in ends.items():
                old = state[cell]
                state[cell] = (
                    old.joined(end.plain) if k == 0 else old.widened(end, all_of(cell.type))
                )
        for cell in changing:
            state[cell] = all_of(cell.type)

    def _counted(
        self,
        s: While,
        found: Counting,
        begin: int,
        changing: list[Cell],
        start: _Cells,
        state: _Cells,
    ) -> _Cells:
        """What cells can be in a round to which each adds a number at most; into `state`, too."""
        tested = {c for part in s.test for c in assigned(part)}
        counters = [
            c for c in changing
            if c not in tested and state[c].greatest == all_of(c.type).greatest
            and c in start and (start[c] != state[c] or start[c].base is not None)
        ]  # fmt: skip
        if not counters or sum(1 for _ in walk([s])) > _LONGEST:
            return {}
        outside = self.registers
        before = {c: Register(c.name, c.type) for c in counters}
        self.registers = outside | {before[c]: state[c] for c in counters}
        trial = {c: state[c]._replace(base=before[c], most=0) for c in counters}
        after = self._round(s, found, begin, state | trial, {}, is_last=False)
        self.registers = outside
        rounds = max(self.range(found.bound).greatest - begin, 0)
        within = {}
        for c in counters:
            end, first, (least, greatest, *_) = after.get(c), start[c], state[c]
            if end is None or end.base is not before[c]:
                continue
            each = max(end.most, 0)
            last = first.greatest + rounds * each
            most = first.most + rounds * each if first.base is not None else 0
            state[c] = Range(least, min(last, greatest), first.base, most)
            within[c] = Range(least, min(last - each, greatest)) if rounds else state[c]
        return within

    def _round(
        self,
        s: While,
        found: Counting | None,
        begin: int,
        state: _Cells,
        within: _Cells,
        *,
        is_last: bool,
    ) -> _Cells:
        """What cells can be behind a round, if before it they can be what `state` says.

        They are what `within` says if there is one more round.
        """
        cells = self._test(s, state, is_last=is_last)
        tested = dict(self.registers)
        outside, self.cells = self.cells, cells
        self._assume(s.condition)
        self.cells = outside
        if found is not None:
            bound = self.range(found.bound)
            base, more = self.sum_of(found.bound, is_positive=begin >= 0)
            most = max(bound.greatest - 1, begin)
            self.registers[found.now] = cells[found.cell] = Range(begin, most, base, more - 1)
            cells |= within
        end = self.block(s.body, cells, is_last=is_last)
        self.registers, self._held, self._reasons = tested, {}, {}
        return end

    def _test(self, s: While, state: _Cells, *, is_last: bool) -> _Cells:
        """What cells can be behind the test of a loop."""
        self._held, self._reasons = {}, {}  # registers may be those of the round before
        return self.block(s.test, dict(state), is_last=is_last)

    # ---- conditions --------------------------------------------------------------------------

    def _assume(self, condition: Expr) -> None:
        """Know of registers what a condition says, which holds."""
        condition = self._value(condition)
        name, args = condition.function, condition.args
        if name == "read":
            for part in self._reasons.get(condition.value, ()):
                self._assume(part)
            return
        if name == "not":
            inner = self._value(args[0])
            if inner.function == "or":
                for part in inner.args:
                    self._assume(invert(part))
                return
            name, args = _OPPOSITE.get(inner.function, ""), inner.args
        elif name == "and" and condition.type == "b1":
            for part in args:
                self._assume(part)
            return
        if name not in LESS or not is_int(args[0].type):
            return
        small, large, gap = in_order(name, args)
        one, other = self.range(small), self.range(large)
        base, more = self.sum_of(large)
        for register in self._names(small):
            self._narrow(register, one.least, min(one.greatest, other.greatest - gap))
            found = self.registers.get(register)
            if found is not None and found.base is None and base is not register:
                self.registers[register] = found._replace(base=base, most=more - gap if base else 0)
        for register in self._names(large):
            self._narrow(register, max(other.least, one.least + gap), other.greatest)

    def _names(self, x: Expr) -> Iterator[Register]:
        """The registers that hold just what an expression reads."""
        while x.function == "read" and isinstance(x.value, Register):
            yield x.value
            if x.value not in self.given:
                return
            x = self.given[x.value]

    def _narrow(self, register: Register, least: int, greatest: int) -> None:
        old = self.registers.get(register, all_of(register.type))
        least, greatest = max(old.least, least), min(old.greatest, greatest)
        if least <= greatest:  # else this is never reached
            self.registers[register] = old._replace(least=least, greatest=greatest)
            for cell, held in self._held.items():
                if held is register:
                    self.cells[cell] = self.registers[register]
            self._narrow_summand(register, least, greatest)

    def _narrow_summand(self, register: Register, least: int, greatest: int) -> None:
        """Know of a register what follows of its sum with a number, which may have wrapped."""
        given = self.given.get(register)
        if given is None or given.function not in ("add", "sub") or not is_int(given.type):
            return
        one, other = given.args
        if given.function == "add" and one.function == "const":
            one, other = other, one
        if other.function != "const" or one.function != "read":
            return
        more = int(other.value) if given.function == "add" else -int(other.value)
        ends = Range(least - more, greatest - more)
        if isinstance(one.value, Register) and all_of(one.type).holds(ends):
            self._narrow(one.value, *ends[:2])

    def _value(self, x: Expr) -> Expr:
        """What a register was given, unless it was of cells, which may have changed since."""
        while x.function == "read" and x.value in self.given:
            given = self.given[x.value]
            if _reads_cells(given):
                return x
            x = given
        return x


def _reads_cells(x: Expr) -> bool:
    return any(isinstance(part.value, Cell) for part in x.sources)


def _given_on_both(s: If) -> Iterator[tuple[Cell, Expr, Expr]]:
    """The truths that each branch gives a cell, in terms of registers."""
    if _reads_cells(s.condition):
        return
    yes, no = ({x.cell: x.value for x in part if isinstance(x, Assign)} for part in (s.yes, s.no))
    inner = {c for x in (*s.yes, *s.no) if not isinstance(x, Assign) for c in assigned(x)}
    for cell in yes:
        is_truth = cell.type == "b1" and cell in no and cell not in inner
        if is_truth and not _reads_cells(yes[cell]) and not _reads_cells(no[cell]):
            yield cell, yes[cell], no[cell]


def _limited(loop: While, by: int = 1) -> Counting | None:
    """How a loop counts its rounds, or those that there are at most, as where it has a `break`."""
    found = counting(loop, by=by)
    asked = {s.register: s.value.value for s in loop.test if isinstance(s, Let)}
    for s in loop.test if found is None else ():
        if isinstance(s, If):
            for cell, _, no in _given_on_both(s):
                if asked.get(loop.condition.value) is cell and _is_false(no, s):
                    found = counting(loop, s.condition, by)
    return found


def _is_false(x: Expr, s: If) -> bool:
    """Whether a truth does not hold where the condition of a branch does not."""
    return x is FALSE or is_same(x, s.condition)


def _given_in_each_round(loop: While) -> set[Cell]:
    """The cells that each round gives a value before it reads them."""
    own: set[Cell] = set()
    met: set[Cell] = set()
    for s in (*loop.test, *loop.body):
        met |= {x.value for inner in walk([s]) for e in inner.computed() for x in e.sources}
        if isinstance(s, Assign) and s.cell not in met:
            own.add(s.cell)
        met.update(assigned(s))
    return own


# ---- what is proven ------------------------------------------------------------------------------


def _proven(s: Statement, proving: _Proving) -> Statement:
    """A statement without what is decided in its own expressions."""
    if isinstance(s, Let | Assign | Store):
        return changed(s, proving)
    if isinstance(s, Check):
        return Check(s.site, proving(s.failed), s.operands)
    return If(proving(s.condition), s.yes, s.no) if isinstance(s, If) else s


class _Proving(Renaming):
    """Expressions of a block without what is decided; what was proven once holds behind it."""

    def __init__(self, known: _Known) -> None:
        super().__init__({})
        self._known = known

    def __call__(self, x: Expr) -> Expr:
        if x in self.made and _reads_cells(x):  # they may hold others by now
            self.made.pop(x, None)
        return super().__call__(x)

    def _new(self, x: Expr) -> Expr:
        x = super()._new(x)
        name = x.function
        if name in ("first", "second"):
            (pair,) = x.args
            if not all_of("i8").holds(self._known.exactly(pair)):
                return x
            plain = pair.function.removeprefix("checked_")
            return FALSE if name == "second" else call(plain, *pair.args)
        if name == "select":
            return select(*x.args)
        if name in ("and", "or") and x.type == "b1":
            return both(*x.args) if name == "and" else either(*x.args)
        if name == "not" and x.type == "b1":
            return invert(x.args[0])
        if name in ("eq", "ne") and all(part in (TRUE, FALSE) for part in x.args):
            return call(name, *x.args)
        answer = self._known.decided(x)
        return x if answer is None else const(answer, "b1")
