"""Long blocks in pieces, each a function of its own.

The passes of LLVM go over the whole function for each loop in it: a function of 800 loops took 25
seconds. Pieces of it take as long as they would alone, and are compiled at the same time.

`define hidden i64 @piece(ptr %data, ptr %work)` gives 0, or the status with which the function
around ends. What it reads of that stands in a row of words, as what parts of work read does; cells
that both use are those of the function around.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Call,
    CallOut,
    Cell,
    Contract,
    Copy,
    Dim,
    Escape,
    For,
    Let,
    MakeArray,
    PairwiseSum,
    Poll,
    Program,
    Register,
    Statement,
    While,
    walk,
)
from runtime.lowering.kernels.llvm_types import llvm_type
from runtime.lowering.kernels.scalar import Expr, parts_of
from runtime.lowering.llvm.recursive_text import is_part_of
from runtime.lowering.rewrites.parallel import Part, given_to

__all__ = ["Uses", "declared", "written"]

# The loops of a block from which on it is in pieces, and of a piece. A sum is several, and of what
# stands in no loop, so many operations are as much work as one.
_MANY, _PIECE, _OPERATIONS = 200, 60, 40
_LOOPS = {PairwiseSum: 3, For: 1, While: 1, Contract: 1}
# A block of fewer statements has too few of those.
_LONG = 200


class Uses:
    """How many statements of a program, and of its results, name each register and cell."""

    def __init__(self, program: Program) -> None:
        self._counts = _counted(walk(program.body))
        self._counts.update(x for r in program.results if r.value for x in _read([r.value]))
        self.polls = any(isinstance(s, Poll) for s in walk(program.body))

    def shared(self, run: Block) -> list[Any]:
        """What a run of statements gives values that others read, or others give it."""
        own = _counted(walk(run))
        return [x for x, count in own.items() if self._counts[x] > count]


def _counted(statements: Iterable[Statement]) -> Counter[Any]:
    counts: Counter[Any] = Counter()
    for s in statements:
        counts.update({*_read(_computed(s)), *_given(s)})
    return counts


def _computed(s: Statement) -> list[Dim]:
    return list(s.source.shape) if isinstance(s, Copy) else [*s.computed()]


def _read(found: Iterable[Dim]) -> Iterator[Any]:
    for x in found:
        if isinstance(x, Expr):
            yield from (part.value for part in x.sources if part.function == "read")


def _given(s: Statement) -> list[Register | Cell]:
    """The registers and cells to which a statement gives values."""
    if isinstance(s, Let):
        return [s.register]
    if isinstance(s, Assign | PairwiseSum):
        return [s.cell]
    if isinstance(s, CallOut):
        return [handed.cell for handed in s.results if handed.cell is not None]
    return list(s.results) if isinstance(s, Call) else []


def _loops(s: Statement) -> int:
    return sum(_LOOPS[type(x)] for x in walk([s]) if type(x) in _LOOPS)


def _operations(s: Statement) -> int:
    return len(parts_of(*s.computed()))


def written(w: Any, block: Block, write: Callable[[Block], None]) -> None:
    """Write a block: as it is with `write`, or in pieces."""
    loops: list[float] = [_loops(s) for s in block]
    if len(block) >= _LONG:
        loops = [n or _operations(s) / _OPERATIONS for n, s in zip(loops, block, strict=True)]
    if sum(loops) < _MANY or w.around is not None:
        write(block)
        return
    run: Block = []
    count = 0.0
    for s, more in zip(block, loops, strict=True):
        # Functions that call themselves read what is around them by their own means, no piece goes
        # on elsewhere than behind its call, and none knows where results are put.
        is_apart = any(isinstance(x, Call | Escape | MakeArray) for x in walk([s]))
        if run and (is_apart or count + more > _PIECE):
            _piece(w, run) if count > 1 else write(run)
            run, count = [], 0
        if is_apart:
            write([s])
        else:
            run.append(s)
            count += more
    _piece(w, run) if count > 1 else write(run)


def _piece(w: Any, run: Block) -> None:
    """Write the call of a piece, and its function."""
    shared = w.uses.shared(run)
    for cell in shared:
        if isinstance(cell, Cell):
            w._cell(cell)
    own = {s.register for s in run if isinstance(s, Let)}
    given = [x for x in shared if isinstance(x, Register) and x in own]
    rooms = [w.name() for _ in given]
    for register, room in zip(given, rooms, strict=True):
        w.first.append(f"{room} = alloca {llvm_type(register.type)}")
    part, number = Part(w), len(w.pieces)
    w.pieces.append("")  # pieces within it come behind
    child = is_part_of(w, part)
    child.first.append("%status = alloca i64")
    child._block(run)
    for register, room in zip(given, rooms, strict=True):
        kind = llvm_type(register.type)
        child.add(f"store {kind} {child.places[register]}, ptr {part.capture(room, 'ptr')}")
    child._leave("0")
    lines = [
        f"define {declared(number)[: -len('ptr, ptr)')]}ptr %data, ptr %work) noinline {{",
        "entry:",
        *(f"  {line}" for line in (*part.entry, *child.first)),
        "  br label %start",
        "start:",
        *child.lines,
        "leave:",
        "  %given = load i64, ptr %status",
        "  ret i64 %given",
        "}",
    ]
    w.pieces[number] = "\n".join(lines)
    work = "%work" if w.uses.polls else "null"
    w._leave_unless_done(w.do(f"call i64 @piece{number}(ptr {given_to(w, part)}, ptr {work})"))
    for register, room in zip(given, rooms, strict=True):
        w.places[register] = w.do(f"load {llvm_type(register.type)}, ptr {room}")


def declared(number: int) -> str:
    """What a module that calls a piece declares."""
    return f"hidden i64 @piece{number}(ptr, ptr)"
