"""New contents of variables are written over the old ones where nothing reads those any more.

An update such as that of an optimizer computes each element of the new content from the same
element of the old one: then there is no need for other memory. What fails must leave variables as
they were, so nothing that can fail follows the first element that is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.execute.native.signature import LARGE
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Block,
    Buffer,
    Call,
    CallOut,
    Check,
    Copy,
    For,
    Let,
    MakeArray,
    Poll,
    Program,
    Register,
    Reserve,
    Statement,
    Store,
    Swap,
    While,
    product,
    walk,
    written,
)
from runtime.lowering.kernels.merging import Access, Summary, linear, mentioned

__all__ = ["gives", "is_allocation", "is_by_element", "overwrite"]

_FAILING = (Call, CallOut, Check, MakeArray, Poll, Reserve, Swap, While)


def overwrite(program: Program, contents: Sequence[tuple[int, int]]) -> None:
    """Have results be written over parameters, each of which is told with its result.

    Those results are none any more; `program.overwritten` has the positions of the parameters.
    """
    done = set()
    for position, number in contents:
        old, new = program.parameters[position].buffer, program.results[number].buffer
        if old is None or new is None or not _may_overwrite(program, old, new):
            continue
        program.shared[new] = old
        new.name = old.name
        program.body[:] = [s for s in program.body if not is_allocation(s, new)]
        program.overwritten.append(position)
        done.add(number)
    program.results[:] = [r for k, r in enumerate(program.results) if k not in done]


def is_allocation(s: Statement, buffer: Buffer) -> bool:
    """Whether the use of a buffer begins there."""
    return isinstance(s, Allocate) and s.buffer is buffer


def _may_overwrite(program: Program, old: Buffer, new: Buffer) -> bool:
    """Whether the elements of a result may be where those of a parameter are."""
    size = product(old.shape)
    if not isinstance(size, int) or size < LARGE or (old.type, old.shape) != (new.type, new.shape):
        return False
    if {old, new} & {*program.shared, *program.shared.values()} or gives(program, old):
        return False
    users = [k for k, s in enumerate(program.body) if new in mentioned(s)]
    if not users:
        return False
    first = users[0]
    writer, behind = program.body[first], program.body[first + 1 :]
    if any(isinstance(s, _FAILING) for k in (writer, *behind) for s in walk([k])):
        return False
    if any(old in mentioned(s) for s in behind):
        return False
    return is_by_element(program.body, writer, old, new)


def gives(program: Program, buffer: Buffer) -> bool:
    """Whether a result is computed of a buffer when all else is done."""
    what = Summary()
    for result in program.results:
        if result.value is not None:
            what.expression(result.value)
    return any(access.buffer is buffer for access in what.accesses) or any(
        result.buffer is buffer for result in program.results
    )


def is_by_element(block: Block, writer: Statement, old: Buffer, new: Buffer) -> bool:
    """Whether one store in a nest of loops writes each element of `new` once, in a round that reads
    no other element of `old`, and that one before; or one copy of something else.

    All that writes `new` is in the block, of which `writer` is a statement.
    """
    stores = [s for s in walk(block) if _writes(s, new)]
    if len(stores) == 1 and isinstance(writer, Copy):
        return writer.target is new and writer.source is not old
    if len(stores) != 1 or not isinstance(stores[0], Store):
        return False
    loops, block = _nest(writer, stores[0])
    what = Summary().add([writer])
    place = linear(stores[0].offset, what.known)
    if not loops or not what.is_plain or place is None:
        return False
    if {r for r, n in place.terms.items() if n} != {loop.index for loop in loops}:
        return False
    if not _is_one_to_one(place.terms, what.ranges):
        return False
    before: Block = [
        s for s in block[: block.index(stores[0]) + 1] if isinstance(s, Let | Assign | Store)
    ]
    reads = _reads(what, old)
    if len(reads) != len(_reads(Summary().add(before), old)):
        return False
    found = [linear(read.offset, what.known) for read in reads]
    return all(read is not None and read.key() == place.key() for read in found)


def _reads(what: Summary, buffer: Buffer) -> list[Access]:
    return [access for access in what.accesses if access.buffer is buffer]


def _writes(s: Statement, buffer: Buffer) -> bool:
    """Whether a statement writes into a buffer."""
    return not isinstance(s, Allocate) and buffer in written([s])


def _nest(writer: Statement, store: Store) -> tuple[list[For], Block]:
    """The loops around a store, one in the other and in no order, and the block that it is in."""
    loops: list[For] = []
    block: Block = [writer]
    while store not in block:
        inner = [s for s in block if isinstance(s, For) and store in walk([s])]
        if len(inner) != 1 or inner[0].serial:
            return [], []
        loops.append(inner[0])
        block = inner[0].body
    return loops, block


def _is_one_to_one(terms: Mapping[Register, int], ranges: Mapping[Register, int]) -> bool:
    """Whether different rounds have different offsets."""
    reach = 0
    for step, register in sorted(((n, r) for r, n in terms.items() if n), key=lambda term: term[0]):
        if register not in ranges or step <= reach:
            return False
        reach += step * (ranges[register] - 1)
    return True
