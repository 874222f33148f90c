"""Large statements as LLVM IR: contractions, loops and sums, in parts for several threads.

`w` is the writer of the function around them, in `llvm`.
"""

from __future__ import annotations

from typing import Any

from runtime.execute.native.processor import has_slow_subnormals, vector_bytes
from runtime.lowering.kernels.kernel import Contract, Dim, For, PairwiseSum
from runtime.lowering.kernels.tiles import (
    ahead_of,
    around,
    counts_of_parts,
    most_parts_of_rows,
    products,
)
from runtime.lowering.llvm.contractions import NAME, contraction_text
from runtime.lowering.llvm.subnormals import DECLARED, Careful, careful
from runtime.lowering.llvm.vector_loops import serves
from runtime.lowering.rewrites.narrow import DECLARED as NEEDED
from runtime.lowering.rewrites.narrow import Narrow, narrow
from runtime.lowering.rewrites.parallel import (
    LARGE,
    PARTS,
    Part,
    cells_assigned,
    is_divisible,
    launch,
    work,
)

__all__ = ["Products", "contract", "rounds", "sum_of", "work_of"]

# How NumPy sums: blocks of so many elements, and so many sums at once in them.
_BLOCK, _LANES = 128, 8


class Products:
    """The functions of a program's contractions, equal ones being one."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        # What they declare.
        self.needs: set[str] = set()

    def add(self, text: str, declared: set[str]) -> str:
        """The name of a function."""
        self.needs |= declared
        return self._names.setdefault(text, f"@contract{len(self._names)}")

    @property
    def declarations(self) -> list[str]:
        """What a module that calls them declares."""
        return [
            f"hidden void {name}({', '.join(_types(text))}) nounwind"
            for text, name in self._names.items()
        ]

    @property
    def functions(self) -> list[str]:
        """Their texts."""
        return [text.replace(f"{NAME}(", f"{n}(") for text, n in self._names.items()]


def _types(text: str) -> list[str]:
    """The types of the parameters of a function."""
    given = text.partition("(")[2].partition(")")[0]
    return [" ".join(x.split()[:-1]) for x in given.split(",")]


def contract(w: Any, s: Contract) -> None:
    places = [
        f"ptr {w._address(buffer, w._size(start))}"
        for buffer, start in zip((s.x, s.y, s.target), s.starts, strict=True)
    ]
    looks = narrow(s)
    if looks is None:
        _contracted(w, s, places)
        return
    small, whole, done = w.labels("small", "whole", "done")
    w.add(f"br i1 {_are_narrow(w, s, looks, places)}, label %{small}, label %{whole}")
    kept = dict(w.known)
    for label in (small, whole):
        w.begin(label)
        _contracted(w, s, places, is_narrow=label == small)
        w.add(f"br label %{done}")
        w.known = dict(kept)
    w.begin(done)


def _are_narrow(w: Any, s: Contract, looks: Narrow, places: list[str]) -> str:
    """Whether the numbers of both operands are, which may be the same."""
    if looks.text not in w.helpers:
        w.helpers.append(looks.text)
        w.intrinsic(NEEDED)
    operands = dict.fromkeys(zip((s.x, s.y), s.starts[:2], looks.counts, strict=True))
    found = [
        str(w.do(f"call i1 {looks.name}({place}, i64 {count})"))
        for (_, _, count), place in zip(operands, places, strict=False)
    ]
    return found[0] if len(found) == 1 else str(w.do(f"and i1 {found[0]}, {found[1]}"))


def _contracted(w: Any, s: Contract, places: list[str], is_narrow: bool = False) -> None:
    text, declared, sizes = contraction_text(s, vector_bytes(), is_narrow)
    name = w.products.add(text, declared)
    given = [*places, *(f"i64 {w.value(size)}" for size in sizes)]
    ends = [w._size(count) for count in counts_of_parts(s, vector_bytes())]
    work = products(s)
    looks = careful(s) if w.loops and w.around is None and has_slow_subnormals() else None
    is_little = isinstance(work, int) and work < LARGE
    if looks is not None and is_little and not sizes:
        w.add(f"call void {_looking(w, looks, name, places)}, {_ends(ends)})")
    elif w.around is not None or is_little:
        w.add(f"call void {name}({', '.join([*given, *_ranges(['0'] * 3, ends)])})")
    else:
        # What is copied of `y` is copied again for other rows, not for what is around with it.
        order = (2, 0, 1) if around(s)[0] else (2, 1, 0)
        most = list(ends)
        rows = most_parts_of_rows(s, vector_bytes())
        if rows is not None:
            most[1] = w.least(ends[1], w._size(rows))
        if ahead_of(s) > 0:  # what comes from memory is read by one part alone
            most[0] = most[1] = "1"
        _contract_in_parts(w, name, given, ends, most, order, work)


def _looking(w: Any, looks: Careful, name: str, places: list[str]) -> str:
    """The call of a contraction that looks at its operands first, but for the ranges."""
    if looks.text not in w.helpers:
        w.helpers.append(looks.text)
        for declared in DECLARED:
            w.intrinsic(declared)
    state = w.name()
    w.first += [f"{state} = alloca i1", f"store i1 false, ptr {state}"]
    given = ", ".join(f"{p}, i64 {n}" for p, n in zip(places, looks.counts, strict=True))
    return f"{looks.name}(ptr {state}, ptr {name}, {given}"


def _contract_in_parts(
    w: Any, name: str, given: list[str], ends: list[str], most: list[str], order: tuple[int, ...],
    work: Dim,
) -> None:  # fmt: skip
    """Parts of columns, and where these are few of what is around and of rows: `most` of each."""
    alone, done = None, "1"
    counts = ["1"] * len(ends)
    for k in order:
        missing = w.whole("sdiv", w.whole("add", done, str(PARTS - 1)), done)
        counts[k] = w.most(w.least(most[k], missing), "1")
        done = w.whole("mul", done, counts[k])
    if not isinstance(work, int):
        alone = w.do(f"icmp slt i64 {w.value(work)}, {LARGE}")
        counts = [w.do(f"select i1 {alone}, i64 1, i64 {count}") for count in counts]
    part = Part(w)
    inside = [
        f"{kind} {part.capture(value, kind)}" for kind, value in (x.split(" ", 1) for x in given)
    ]
    child, left = w._child(part), "%k"
    child.in_lanes = True  # it has no loops
    firsts, lasts = ["0"] * len(ends), ["0"] * len(ends)
    for k in order:
        own_end, own_count = part.capture(ends[k], "i64"), part.capture(counts[k], "i64")
        number = child.whole("srem", left, own_count)
        left = child.whole("sdiv", left, own_count)
        bounds = [
            child.whole("sdiv", child.whole("mul", n, own_end), own_count)
            for n in (number, child.whole("add", number, "1"))
        ]
        firsts[k], lasts[k] = bounds
    child.add(f"call void {name}({', '.join([*inside, *_ranges(firsts, lasts)])})")
    launch(w, part, w._finish(child, part), done, alone)


def rounds(w: Any, s: For, work: Dim) -> None:
    """The rounds of a loop, some at a time."""
    is_flat = not any(isinstance(x, For | PairwiseSum | Contract) for x in s.body)
    size, alone = w._size(s.size), None
    each = w.whole("sdiv", w.whole("add", size, str(PARTS - 1)), str(PARTS))
    if is_flat:  # whole lines of memory, and vectors
        each = w.whole("mul", w.whole("sdiv", w.whole("add", each, "1023"), "1024"), "1024")
    if not isinstance(work, int):
        alone = w.do(f"icmp slt i64 {w.value(work)}, {LARGE}")
        each = w.do(f"select i1 {alone}, i64 {size}, i64 {each}")
    each = w.most(each, "1")
    part = Part(w)
    child = w._child(part)
    own_size, own_each = part.capture(size, "i64"), part.capture(each, "i64")
    first = child.whole("mul", "%k", own_each)
    end = child.least(child.whole("add", first, own_each), own_size)
    child.in_lanes = not is_flat and serves(s)
    child._rounds(s, first, end)
    up = w.whole("sub", w.whole("add", size, each), "1")
    launch(w, part, w._finish(child, part), w.whole("sdiv", up, each), alone)


def work_of(w: Any, s: For) -> Dim | None:
    """About how much there is to do, if that may be enough for several threads."""
    if w.around is not None or not is_divisible(s):
        return None
    found = work(s)
    if isinstance(found, int) and found < LARGE:
        return None
    return None if any(cell in w.cells for cell in cells_assigned(s.body)) else found


def sum_of(w: Any, s: PairwiseSum) -> str:
    """Halves of halves, each by one thread, added up as one alone would."""
    assert isinstance(s.size, int)
    kind = "float" if s.cell.type == "f4" else "double"
    least = max(-(-s.size // PARTS), _BLOCK)
    found = _leaves(0, s.size, least)
    rows = [_row(w, [leaf[k] for leaf in found]) for k in (0, 1)]
    sums = w.name()
    w.first.append(f"{sums} = alloca [{len(found)} x {kind}], align 64")
    part = Part(w)
    own = part.capture(sums, "ptr")
    child = w._child(part)
    start, count = (
        child.do(f"load i64, ptr {child.do(f'getelementptr i64, ptr {row}, i64 %k')}")
        for row in rows
    )
    child._halves(s, start, count)
    total = child.do(f"load {kind}, ptr {child._cell(s.cell)}")
    at = child.do(f"getelementptr {kind}, ptr {own}, i64 %k")
    child.add(f"store {kind} {total}, ptr {at}")
    launch(w, part, w._finish(child, part), str(len(found)), None)
    values: list[str] = [
        w.do(f"load {kind}, ptr {w.do(f'getelementptr {kind}, ptr {sums}, i64 {k}')}")
        for k in range(len(found))
    ]

    def added(start: int, count: int) -> str:
        if count <= least:
            return values.pop(0)
        half = _half(count)
        one, other = added(start, half), added(start + half, count - half)
        return str(w.do(f"fadd {kind} {one}, {other}"))

    return added(0, s.size)


def _row(w: Any, numbers: list[int]) -> str:
    """Numbers in memory."""
    name = f"@constant{len(w.globals)}"
    items = ", ".join(f"i64 {n}" for n in numbers)
    w.globals.append(f"{name} = internal constant [{len(numbers)} x i64] [{items}]")
    return name


def _half(count: int) -> int:
    """How many elements NumPy sums first, of many."""
    return count // 2 // _LANES * _LANES


def _leaves(start: int, count: int, least: int) -> list[tuple[int, int]]:
    """Start and length of the halves that are no longer than `least`."""
    if count <= least:
        return [(start, count)]
    half = _half(count)
    return [*_leaves(start, half, least), *_leaves(start + half, count - half, least)]


def _ends(ends: list[str]) -> str:
    return ", ".join(f"i64 {n}" for n in ends)


def _ranges(firsts: list[str], ends: list[str]) -> list[str]:
    return [f"i64 {n}" for pair in zip(firsts, ends, strict=True) for n in pair]
