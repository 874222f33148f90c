"""Contractions as LLVM IR text: sums of products over axes of any steps, for all sizes and types.

A tile of the result, some rows by some vectors of columns, stays in registers while the sums run
over the inner axes: each element of `x` is multiplied with vectors of `y`, as in the innermost
loops of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008). `x` is
read where it is, whatever its steps, so that the windows of a convolution need no copy. Columns of
`y` that do not lie side by side, or that many rows read, are packed, panel by panel. Where both
operands lie side by side along the sum, and columns do not, the sum itself runs in vectors.

How the sizes are cut depends on nothing but the sizes and the processor, nor does the order of
the sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from runtime.lowering.kernels.kernel import Axis, Contract, Dim, product
from runtime.lowering.kernels.scalar import Expr
from runtime.lowering.kernels.tiles import (
    STREAMED,
    TERMS,
    ahead_of,
    around,
    cut,
    is_cut,
    packs,
    pieces,
    runs_along_sum,
    streams,
)
from runtime.lowering.llvm.lines import is_number
from runtime.lowering.llvm.vectors import Vectors

__all__ = ["NAME", "contraction_text"]

# What stands for the name of the function, so that equal ones can be told.
NAME = "@contraction"
# Squares of more lanes are not turned: their text is long.
_MOST_LANES = 16


class _Piece(NamedTuple):
    """A piece of the sums of a panel."""

    # The axes of the piece; how long the first of them is in it.
    inner: list[Axis]
    length: str
    vectors: int
    # How many columns there are, if not all.
    left: str | None
    # Whether pieces before it are in the result; empty: there are none.
    adds: str
    is_packed: bool


def contraction_text(
    c: Contract, vector_bytes: int, is_narrow: bool = False
) -> tuple[str, set[str], list[Expr]]:
    """A function that computes parts of a contraction; what it declares; sizes that it takes.

    `void @NAME(ptr x, ptr y, ptr out, <sizes>, i64 first, i64 end, i64 block, i64 stop, i64 panel,
    i64 last)`: where the first elements are, and ranges of the parts that `counts_of_parts` counts.
    """
    return _Contraction(c, vector_bytes, is_narrow).text()


class _Contraction:
    def __init__(self, c: Contract, vector_bytes: int, is_narrow: bool) -> None:
        self.c = c
        self.tile = cut(c, vector_bytes)
        axes = (*c.outer, c.row, c.column, *c.inner)
        fixed = all(isinstance(n, int) for a in axes for n in (a.size, a.x, a.y, a.out))
        self.code = Vectors(c.target.type, self.tile.lanes, fixed=fixed, is_narrow=is_narrow)
        self.sizes: list[Expr] = []

    def of(self, dim: Dim) -> str:
        """A size or step: a number, or a parameter of the function."""
        if isinstance(dim, int):
            return str(dim)
        if dim not in self.sizes:
            self.sizes.append(dim)
        return f"%s{self.sizes.index(dim)}"

    def text(self) -> tuple[str, set[str], list[Expr]]:
        code, c = self.code, self.c
        pointers = ["%x", "%y", "%out"]
        if runs_along_sum(c):
            self._outer(list(c.outer), pointers, self._blocks_along_sum, is_first=True)
        else:
            batch, rest = around(c)
            is_first = bool(batch)
            self._outer(batch, pointers, lambda p: self._panels(p, rest, not is_first), is_first)
        sizes = "".join(f", i64 %s{k}" for k in range(len(self.sizes)))
        lines = [
            f"define hidden void {NAME}(ptr readonly %x, ptr readonly %y, "
            f"ptr noalias %out{sizes}, "
            "i64 %first, i64 %end, i64 %block, i64 %stop, i64 %panel, i64 %last) noinline {",
            "entry:",
            *code.first,
            "  br label %start",
            "start:",
            *code.lines,
            "  ret void",
            "}",
        ]
        return "\n".join(lines), code.intrinsics, self.sizes

    # ---- addresses ---------------------------------------------------------------------------

    def at(self, pointer: str, offset: str, kind: str = "") -> str:
        if offset == "0":
            return pointer
        return self.code.do(
            f"getelementptr inbounds {kind or self.code.kind}, ptr {pointer}, i64 {offset}"
        )

    def along(self, pointer: str, index: str, step: Dim) -> str:
        """The element at an index of an axis."""
        return self.at(pointer, self.code.times(index, self.of(step)))

    @contextmanager
    def _walk(self, end: str, *walks: tuple[str, Dim]) -> Iterator[list[str]]:
        """A loop of so many rounds, in which pointers go on by so many elements each."""
        if self.code.fixed:
            known = [(start, step) for start, step in walks if isinstance(step, int)]
            with self.code.walk(end, *known) as inside:
                yield inside
        else:
            with self.code.loop("0", end) as i:
                yield [self.along(start, i, step) for start, step in walks]

    def _outer(
        self,
        axes: list[Axis],
        pointers: list[str],
        body: Callable[[list[str]], None],
        is_first: bool,
    ) -> None:
        """Loops over axes around; the first of all is cut by the parameters of the function."""
        if not axes:
            body(pointers)
            return
        axis, *rest = axes
        bounds = ("%first", "%end") if is_first else ("0", self.of(axis.size))
        with self.code.loop(*bounds) as i:
            x, y, out = pointers
            inside = [
                self.along(x, i, axis.x), self.along(y, i, axis.y), self.along(out, i, axis.out)
            ]  # fmt: skip
            self._outer(rest, inside, body, is_first=False)

    # ---- columns in vectors ------------------------------------------------------------------

    def _panels(self, pointers: list[str], outer: list[Axis], is_first: bool) -> None:
        """All panels of columns; of few rows, some terms of all of them before the next ones."""
        c, code = self.c, self.code
        if not streams(c, self.tile):
            self._each_panel(pointers, lambda p, left: self._terms(p, outer, is_first, left))
            return
        (axis,) = c.inner
        size, (x, y, out) = self.of(axis.size), pointers
        with code.loop("0", size, STREAMED) as k:
            count = code.do(f"sub i64 {code.least(code.plus(k, str(STREAMED)), size)}, {k}")
            if isinstance(axis.size, int) and axis.size % STREAMED == 0:
                count = str(STREAMED)
            adds = code.do(f"icmp sgt i64 {k}, 0")

            def panel(pointers: list[str], left: str | None) -> None:
                piece = _Piece([axis], count, self._vectors(left), left, adds, False)
                self._outer(outer, pointers, lambda p: self._rows(p, piece), is_first)

            self._each_panel([self.along(x, k, axis.x), self.along(y, k, axis.y), out], panel)

    def _each_panel(
        self, pointers: list[str], write: Callable[[list[str], str | None], None]
    ) -> None:
        """Panels of columns: whole ones, then what is left of them."""
        c, code, width = self.c, self.code, self.tile.vectors * self.code.lanes
        columns = self.of(c.column.size)
        whole = (
            code.do(f"sdiv i64 {columns}, {width}")
            if columns.startswith("%")
            else str(int(columns) // width)
        )
        end = code.least("%last", whole)
        x, y, out = pointers

        def panel(p: str, left: str | None) -> None:
            start = code.times(p, str(width))
            inside = [x, self.along(y, start, c.column.y), self.at(out, start)]
            write(inside, left)

        if whole != "0":
            with code.loop("%panel", end) as p:
                panel(p, None)
        left = code.plus(columns, code.times(whole, str(-width)))
        if left != "0":
            begin = code.most("%panel", whole)
            with code.loop(begin, "%last") as p:
                panel(p, left)

    def _vectors(self, left: str | None) -> int:
        """How many vectors of columns there are, of what is left if that is told."""
        is_less = left is not None and is_number(left)
        return -(-int(left or 0) // self.code.lanes) if is_less else self.tile.vectors

    def _terms(
        self, pointers: list[str], outer: list[Axis], is_first: bool, left: str | None
    ) -> None:
        """The pieces that sums are cut into; those but the first are added to the result."""
        code = self.code
        around, axis, rest = pieces(self.c, self.tile)
        vectors = self._vectors(left)
        is_packed = packs(self.c, self.tile)
        others = math.prod(a.size for a in rest if isinstance(a.size, int))
        step = max(TERMS // max(others, 1), 1)
        size = self.of(axis.size)
        if isinstance(axis.size, int):
            step = max(-(-axis.size // max(-(-axis.size // step), 1)), 1)
        is_whole = not is_cut(self.c, self.tile) or (
            isinstance(axis.size, int) and axis.size <= step
        )
        block = self._room(axis, rest, step, vectors, is_whole) if is_packed else ""

        def piece(pointers: list[str], k: str, before: str) -> None:
            x, y, out = pointers
            end = size if is_whole else code.least(code.plus(k, str(step)), size)
            count = end if k == "0" else code.do(f"sub i64 {end}, {k}")
            source = self.along(y, k, axis.y)
            adds = before
            if not is_whole:
                here = code.do(f"icmp sgt i64 {k}, 0")
                adds = code.do(f"or i1 {before}, {here}") if before else here
            found = _Piece([axis, *rest], count, vectors, left, adds, bool(block))
            if is_packed:
                self._pack(block, source, found)
            inside = [self.along(x, k, axis.x), block or source, out]
            self._outer(outer, inside, lambda p: self._rows(p, found), is_first)

        def nest(axes: list[Axis], pointers: list[str], before: str) -> None:
            if axes:
                first, *more = axes
                x, y, out = pointers
                with code.loop("0", self.of(first.size)) as i:
                    here = code.do(f"icmp sgt i64 {i}, 0")
                    adds = code.do(f"or i1 {before}, {here}") if before else here
                    inside = [self.along(x, i, first.x), self.along(y, i, first.y), out]
                    nest(more, inside, adds)
            elif is_whole:
                piece(pointers, "0", before)
            else:
                with code.loop("0", size, step) as k:
                    piece(pointers, k, before)

        nest(around, pointers, "")

    def _room(self, axis: Axis, rest: list[Axis], step: int, vectors: int, is_whole: bool) -> str:
        """Memory for a packed piece of a panel."""
        count = axis.size if is_whole else step
        for size in [a.size for a in rest]:
            assert isinstance(size, int), "only one axis of sums is cut"
            assert isinstance(count, int)
            count *= size
        assert isinstance(count, int)
        return self.code.alloca(f"[{max(count, 1) * vectors} x {self.code.vector}]")

    def _pack(self, block: str, y: str, piece: _Piece) -> None:
        """Copy a piece of a panel: its rows side by side."""
        code, column = self.code, self.c.column
        vectors, left = piece.vectors, piece.left
        width = vectors * code.lanes
        first, *rest = piece.inner

        def copy(pointers: list[str], number: str) -> None:
            target = self.at(block, code.times(number, str(width)))
            (source,) = pointers
            if column.y == 1:
                for v in range(vectors):
                    mask = code.mask(v, left)
                    value = code.load(self.at(source, str(v * code.lanes)), mask)
                    code.add(
                        f"store {code.vector} {value}, ptr {self.at(target, str(v * code.lanes))}"
                    )
                return
            wanted = str(width) if left is None else left
            if left is not None:  # processors are slow with tiny numbers, which may lie there
                for v in range(int(left) // code.lanes if is_number(left) else 0, vectors):
                    there = self.at(target, str(v * code.lanes))
                    code.add(f"store {code.vector} zeroinitializer, ptr {there}")
            with code.loop("0", wanted) as j:
                value = code.do(f"load {code.kind}, ptr {self.along(source, j, column.y)}")
                code.add(f"store {code.kind} {value}, ptr {self.at(target, j)}")

        def turn(source: str, number: str) -> None:
            """Copy as many terms as a vector has lanes, from columns in vectors of terms."""
            with code.loop("0", str(vectors)) as v:
                begin = code.times(v, str(code.lanes))
                columns = [code.plus(begin, str(k)) for k in range(code.lanes)]
                if left is not None:  # the last column again where there are no more
                    last = code.plus(left, "-1")
                    columns = [code.least(k, last) for k in columns]
                found = [code.load(self.along(source, k, column.y), None) for k in columns]
                target = self.at(block, code.plus(code.times(number, str(width)), begin))
                for k, value in enumerate(code.transposed(found)):
                    there = self.at(target, str(k * width))
                    code.add(f"store {code.vector} {value}, ptr {there}")

        def nest(axes: list[Axis], source: str, number: str) -> None:
            if not axes:
                copy([source], number)
                return
            axis, *others = axes
            bound = piece.length if axis is first else self.of(axis.size)
            begin = "0"

            def inside(i: str) -> tuple[str, str]:
                before = code.times(number, self.of(axis.size))
                place = code.plus(before, i) if axis is not first else i
                return self.along(source, i, axis.y), place

            if not others and axis.y == 1 and column.y != 1 and 1 < code.lanes <= _MOST_LANES:
                begin = code.times(code.whole("sdiv", bound, str(code.lanes)), str(code.lanes))
                if begin != "0":
                    with code.loop("0", begin, code.lanes) as i:
                        turn(*inside(i))
            if begin != bound:
                with code.loop(begin, bound) as i:
                    nest(others, *inside(i))

        nest([first, *rest], y, "0")

    # ---- rows --------------------------------------------------------------------------------

    def _rows(self, pointers: list[str], piece: _Piece) -> None:
        """Blocks of rows: some of one row more where they do not come out even."""
        self._row_blocks(
            pointers, lambda p, height, rows_left: self._tile(p, height, piece, rows_left)
        )

    def _row_blocks(
        self, pointers: list[str], tile: Callable[[list[str], int, str | None], None]
    ) -> None:
        code, row = self.code, self.c.row
        x, y, out = pointers

        def place(start: str) -> list[str]:
            return [self.along(x, start, row.x), y, self.along(out, start, row.out)]

        if not isinstance(row.size, int):
            size, most = self.of(row.size), self.tile.rows
            with code.loop("%block", "%stop") as i:
                start = code.times(i, str(most))
                tile(place(start), most, code.do(f"sub i64 {size}, {start}"))
            return
        blocks = -(-row.size // self.tile.rows)
        if blocks == 0:
            return
        height, longer = divmod(row.size, blocks)
        if longer:
            with code.loop("%block", code.least("%stop", str(longer))) as i:
                tile(place(code.times(i, str(height + 1))), height + 1, None)
        begin = code.most("%block", str(longer)) if longer else "%block"
        with code.loop(begin, "%stop") as i:
            tile(place(code.plus(code.times(i, str(height)), str(longer))), height, None)

    # ---- a tile ------------------------------------------------------------------------------

    def _tile(self, pointers: list[str], height: int, piece: _Piece, rows_left: str | None) -> None:
        """The sums of a tile, in registers."""
        code, row = self.code, self.c.row
        inner, vectors, is_packed = piece.inner, piece.vectors, piece.is_packed
        left = piece.left
        x, y, out = pointers
        places = [self._row_number(r, rows_left) for r in range(height)]
        sums = [[code.alloca(code.vector) for _ in range(vectors)] for _ in range(height)]
        for line in sums:
            for place in line:
                code.add(f"store {code.vector} zeroinitializer, ptr {place}")
        masks = [code.mask(v, left) if not is_packed else None for v in range(vectors)]
        width = vectors * code.lanes
        ahead = 0 if is_packed else ahead_of(self.c)

        def term(x: str, y: str) -> None:
            found = [code.load(self.at(y, str(v * code.lanes)), masks[v]) for v in range(vectors)]
            if ahead:
                self._fetch(y, ahead, vectors)
            for r, line in enumerate(sums):
                one = code.splat(
                    code.do(f"load {code.kind}, ptr {self.along(x, places[r], row.x)}")
                )
                for place, other in zip(line, found, strict=True):
                    code.add_product(place, one, other)

        def nest(axes: list[Axis], x: str, y: str) -> None:
            if not axes:
                term(x, y)
                return
            axis, *rest = axes
            end = piece.length if axis is inner[0] else self.of(axis.size)
            step = product([width, *(a.size for a in rest)]) if is_packed else axis.y
            with self._walk(end, (x, axis.x), (y, step)) as inside:
                nest(rest, *inside)

        nest(inner, x, y)
        # A row may be there more than once: all are read before any is written.
        given = []
        for r, line in enumerate(sums):
            target = self.along(out, places[r], row.out)
            for v, place in enumerate(line):
                at, mask = self.at(target, str(v * code.lanes)), code.mask(v, left)
                given.append((at, self._total(at, place, mask, piece.adds), mask))
        for at, total, mask in given:
            code.store(at, total, mask)

    def _fetch(self, y: str, ahead: int, vectors: int) -> None:
        """Have what will be read brought from memory; there need be nothing any more."""
        code = self.code
        code.intrinsic("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        for v in range(vectors):
            there = code.do(f"getelementptr {code.kind}, ptr {y}, i64 {ahead + v * code.lanes}")
            code.add(f"call void @llvm.prefetch.p0(ptr {there}, i32 0, i32 3, i32 1)")

    def _row_number(self, r: int, rows_left: str | None) -> str:
        """The number of a row in its block: the last one again where there are no more."""
        if rows_left is None or r == 0:
            return str(r)
        last = self.code.do(f"sub i64 {rows_left}, 1")
        return self.code.least(str(r), last)

    def _total(self, at: str, place: str, mask: str | None, adds: str) -> str:
        """The sum in a register, with what the pieces before gave."""
        code, bits = self.code, f"<{self.code.lanes} x i1>"
        total = code.do(f"load {code.vector}, ptr {place}")
        if not adds:
            return total
        wanted = code.do(f"select i1 {adds}, {bits} {code.all}, {bits} zeroinitializer")
        if mask is not None:
            wanted = code.do(f"and {bits} {wanted}, {mask}")
        return code.added(code.load(at, wanted), total)

    # ---- sums in vectors ---------------------------------------------------------------------

    def _blocks_along_sum(self, pointers: list[str]) -> None:
        """Tiles of few columns: the lanes are parts of the sums, and are added in the end."""
        c, code = self.c, self.code
        x, y, out = pointers
        size, width = c.column.size, self.tile.vectors

        def block(j: str, wide: int, columns_left: str | None) -> None:
            start = code.times(j, str(width))
            inside = [x, self.along(y, start, c.column.y), self.along(out, start, c.column.out)]
            self._row_blocks(
                inside,
                lambda p, height, rows_left: self._dots(p, height, wide, rows_left, columns_left),
            )  # fmt: skip

        if not isinstance(size, int):
            whole = self.of(size)
            with code.loop("%panel", "%last") as j:
                block(j, width, code.do(f"sub i64 {whole}, {code.times(j, str(width))}"))
            return
        count, rest = divmod(size, width)
        if count:
            with code.loop("%panel", code.least("%last", str(count))) as j:
                block(j, width, None)
        if rest:
            with code.loop(code.most("%panel", str(count)), "%last") as j:
                block(j, rest, None)

    def _dots(
        self, pointers: list[str], height: int, wide: int, rows_left: str | None,
        columns_left: str | None,
    ) -> None:  # fmt: skip
        code, c = self.code, self.c
        x, y, out = pointers
        rows = [self._row_number(r, rows_left) for r in range(height)]
        columns = [self._row_number(j, columns_left) for j in range(wide)]
        sums = [[code.alloca(code.vector) for _ in columns] for _ in rows]
        for line in sums:
            for place in line:
                code.add(f"store {code.vector} zeroinitializer, ptr {place}")

        def terms(x: str, y: str, mask: str | None) -> None:
            found = [code.load(self.along(y, j, c.column.y), mask) for j in columns]
            for r, line in zip(rows, sums, strict=True):
                one = code.load(self.along(x, r, c.row.x), mask)
                for place, other in zip(line, found, strict=True):
                    code.add_product(place, one, other)

        def nest(axes: list[Axis], x: str, y: str) -> None:
            axis, *rest = axes
            if rest:
                with code.loop("0", self.of(axis.size)) as i:
                    nest(rest, self.along(x, i, axis.x), self.along(y, i, axis.y))
                return
            size = self.of(axis.size)
            whole = (
                code.do(f"and i64 {size}, {-code.lanes}")
                if size.startswith("%")
                else str(int(size) // code.lanes * code.lanes)
            )
            if whole != "0":
                with code.loop("0", whole, code.lanes) as i:
                    terms(self.at(x, i), self.at(y, i), None)
            left = code.plus(size, code.times(whole, "-1"))
            if left != "0":
                mask = code.mask(0, left)
                terms(self.at(x, whole), self.at(y, whole), mask)

        nest(list(c.inner), x, y)
        # As many sums at once as a vector has lanes: of several rows, or of some columns.
        few = min(wide, code.lanes)
        for first, j in itertools.product(range(0, height, code.lanes // few), range(0, wide, few)):
            block = [line[j : j + few] for line in sums[first : first + code.lanes // few]]
            self._write_sums(out, rows[first:], columns[j : j + few], block, columns_left is None)

    def _write_sums(
        self, out: str, rows: list[str], columns: list[str], sums: list[list[str]], is_whole: bool
    ) -> None:
        """Write the sums over the lanes of vectors; side by side if all columns are there."""
        code, row, column = self.code, self.c.row, self.c.column
        places = [place for line in sums for place in line]
        totals, lanes = code.over_lanes([code.do(f"load {code.vector}, ptr {p}") for p in places])
        kind = f"<{lanes} x {code.kind}>"
        size = len(columns) if is_whole and column.out == 1 else 1
        for k in range(0, len(places), size):
            r, j = divmod(k, len(columns))
            part = code.picked(kind, totals, totals, range(k, k + size))
            at = self.along(self.along(out, rows[r], row.out), columns[j], column.out)
            code.add(f"store <{size} x {code.kind}> {part}, ptr {at}, align {code.align}")
