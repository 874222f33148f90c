"""How a contraction is cut into tiles, panels, pieces and parts: by its sizes alone.

So results depend on nothing else, and least of all on how many threads there are.

The BLAS that NumPy ships is not called: its sums depend on how many threads it has. (OpenBLAS
0.3.31: 48 of 120 products of 15 shapes, plain and transposed, differ between one thread and two.)
One thread each, single precision, AVX-512 (Zen 4, whose limit is about 118), GFLOP/s:

    rows x sum x columns          these   OpenBLAS
    32 x 64 x 64                     88         76
    32 x 784 x 128                  115         85
    256 x 256 x 256                 114        100
    512 x 512 x 512                 106        103
    1024 x 1024 x 1024              110        103
    1680 x 1000 x 2000              105        102
    1024 x 1024 x 1024, x.T          83         99
    1680 x 28 x 1000                109         95
    1 x 1000 x 1000                  40         41
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from runtime.lowering.kernels.kernel import Axis, Contract, Dim, product
from runtime.lowering.kernels.scalar import call, index

__all__ = [
    "STREAMED",
    "TERMS",
    "Cut",
    "ahead_of",
    "around",
    "counts_of_parts",
    "cut",
    "is_cut",
    "most_parts_of_rows",
    "packs",
    "pieces",
    "products",
    "runs_along_sum",
    "streams",
]

# Sums are cut into equal pieces of at most about this many terms: what a tile reads of `y` stays in
# the cache of its core. Each piece reads and writes the result once more: two cores of a Xeon do
# 265 GFLOP/s of 1680 x 1000 x 2000 in pieces of 256, 295 in pieces of 384, 305 in pieces of 512.
# With 384, packed sums of up to 768 terms have the bits of OpenBLAS's for most sizes.
TERMS = 384
# Terms of all columns that are read before the next ones, where there are few rows.
STREAMED = 4
# `y` is packed where as many tiles read it, if its rows are far apart.
_READERS = 16
_FAR = 1 << 18
# The nearest cache keeps so many lines of the same place in their pages. 128 x 128 x 64 float64
# take 37 us where rows of `y` collide, and 25 packed, which so many rows pay for.
_PAGE, _WAYS, _ROWS_OF_SETS = 1 << 12, 8, 32
# Sums that run in vectors pay for the sum over the lanes where they are shorter.
_SHORT = 64
# Few columns leave lanes empty: sums of several axes run in vectors from so many terms in a row on.
_FEW_COLUMNS, _SHORT_ROW = 4, 8
# Fewer products than these are computed in some tens of microseconds; a vector of a tile takes as
# long to compile as so many, many times.
_LITTLE, _VECTOR = 1 << 23, 5000
# Rows of `y` of so many bytes or more, so many bytes in all, are fetched so many rows ahead.
_STRIDE, _STREAM, _AHEAD = 512, 1 << 22, 16
# With rows of more bytes down a column, or more than one for so many terms, packing is worth it: it
# takes about as long as the products of ten rows, the sums over lanes as some eighty terms.
_FEW_ROWS, _EACH = 128, 8
# So many rows pay for what is packed for them: parts have no fewer.
_PAYING = 64


class Cut(NamedTuple):
    """How a result is cut into tiles: lanes of a vector, vectors and rows of a tile."""

    lanes: int
    vectors: int
    rows: int


def _has_few_columns(c: Contract) -> bool:
    """Whether most lanes of a vector of columns would be empty, as of the channels of pictures."""
    return isinstance(c.column.size, int) and c.column.size <= _FEW_COLUMNS and c.column.y != 1


def _has_few_terms(inner: Sequence[Axis]) -> bool:
    """Whether sums over all inner axes are too short to be run in vectors of the last of them."""
    sizes = [axis.size for axis in inner if isinstance(axis.size, int)]
    if len(sizes) < len(inner):
        return False
    return math.prod(sizes) < _SHORT or sizes[-1] < _SHORT_ROW


def runs_along_sum(c: Contract) -> bool:
    """Whether sums run in vectors, not columns."""
    if not c.inner or c.inner[-1].x != 1 or c.inner[-1].y != 1:
        return False
    if c.column.size == 1:
        return True
    if _has_few_columns(c):
        return not _has_few_terms(c.inner)
    rows = product([axis.size for axis in (*c.outer, c.row) if axis.y == 0])
    if c.column.y == 1 or rows == 1:
        return c.column.y != 1
    terms = product([axis.size for axis in c.inner])
    most = (terms if isinstance(terms, int) else TERMS) // _EACH
    few = _FEW_ROWS // int(c.target.type[1:])
    return (rows if isinstance(rows, int) else few) <= min(most, few)


def cut(c: Contract, vector_bytes: int) -> Cut:
    """The tiles of a contraction: those with the least work for the sizes."""
    lanes = max(vector_bytes // int(c.target.type[1:]), 1)
    columns, rows = c.column.size, c.row.size
    if runs_along_sum(c):
        if rows == 1 or columns == 1:
            return Cut(lanes, _known_most(columns, 8), _known_most(rows, 8))
        wide = 4 if vector_bytes == 64 else 3  # of 16 registers, 12 are sums
        return Cut(lanes, _known_most(columns, wide), _known_most(rows, 4))
    if isinstance(columns, int):
        while lanes > 4 and lanes // 2 >= columns:
            lanes //= 2
    registers = 24 if vector_bytes == 64 else 12
    best, least = Cut(lanes, 1, 1), math.inf
    # Beside the sums of a step: a row of `y`, and an element of `x` for all lanes.
    beside = registers * 4 // 3 - 1
    tiles = [(n, min(registers, beside - n) // n) for n in (1, 2, 3, 4, 6)]
    little = _little(c)
    if little is not None:
        tiles += [(n, k) for n, most in tiles for k in range(4, most)]
    for tile in dict.fromkeys(Cut(lanes, n, _known_most(rows, most)) for n, most in tiles):
        work = _work(tile, rows, columns) * _price_of_variants(tile, rows, columns)
        if little is not None:
            work *= _price_of_text(little, tile, rows, columns)
        if work < least:
            best, least = tile, work
    return best


def _known_most(size: Dim, most: int) -> int:
    """`most`, or less where equal parts of `size` are smaller."""
    if not isinstance(size, int):
        return most
    return max(-(-size // max(-(-size // most), 1)), 1)


def _price_of_variants(tile: Cut, rows: Dim, columns: Dim) -> float:
    """Tiles of several forms take longer to compile: a part of the work is worth one."""
    price = 1.0
    if isinstance(rows, int) and rows and rows % -(-rows // tile.rows):
        price *= 1.02
    width = tile.vectors * tile.lanes
    if isinstance(columns, int) and columns > width and columns % width:
        price *= 1.02
    return price


def _little(c: Contract) -> int | None:
    """How many products there are; None where it takes less time to compile them than to compute
    them a hundred times."""
    count = products(c)
    return count if isinstance(count, int) and count < _LITTLE else None


def _price_of_text(count: int, tile: Cut, rows: Dim, columns: Dim) -> float:
    """Where there is little to do, some percent of the work are worth a shorter text."""
    bodies = 1
    if isinstance(rows, int) and rows and rows % -(-rows // tile.rows):
        bodies *= 2
    width = tile.vectors * tile.lanes
    if isinstance(columns, int) and columns > width and columns % width:
        bodies *= 2
    return 1 + min(0.01, _VECTOR / max(count, 1)) * bodies * tile.vectors * tile.rows


def _work(tile: Cut, rows: Dim, columns: Dim) -> float:
    """About how many cycles a step of the sum takes for all tiles, if sizes are many or known."""
    vectors = -(-columns // tile.lanes) if isinstance(columns, int) else 12 * tile.vectors
    count = rows if isinstance(rows, int) else 24 * tile.rows

    blocks = max(-(-count // tile.rows), 1)
    high = count / blocks

    def cycles(wide: int) -> float:
        # Beside the products: what a tile reads of `y`, and of `x`, comes from farther away.
        return max(wide * high, 4) + 0.4 * wide + high / 3 + 1

    whole, rest = divmod(vectors, tile.vectors)
    return blocks * (whole * cycles(tile.vectors) + (cycles(rest) if rest else 0))


def counts_of_parts(c: Contract, vector_bytes: int) -> tuple[Dim, Dim, Dim]:
    """How many parts there are to compute: along the first axis, of rows, and of columns."""
    tile = cut(c, vector_bytes)
    along_sum = runs_along_sum(c)
    axes = list(c.outer) if along_sum else in_loops(c.outer)
    panels = _blocks(c.column.size, tile.vectors * (1 if along_sum else tile.lanes))
    return axes[0].size if axes else 1, _blocks(c.row.size, tile.rows), panels


def most_parts_of_rows(c: Contract, vector_bytes: int) -> Dim | None:
    """In how many parts rows are cut at most, since each packs its panels; None: in any."""
    tile = cut(c, vector_bytes)
    return None if runs_along_sum(c) or not packs(c, tile) else _blocks(c.row.size, _PAYING)


def in_loops(axes: Sequence[Axis]) -> list[Axis]:
    """The axes around in the order of their loops: first those that all operands have."""
    return sorted(axes, key=lambda axis: axis.y == 0)


def products(c: Contract) -> Dim:
    """How many products there are."""
    return product([axis.size for axis in (*c.outer, c.row, c.column, *c.inner)])


def _blocks(size: Dim, most: int) -> Dim:
    if isinstance(size, int):
        return -(-size // most)
    return call("quotient", call("add", size, index(most - 1)), index(most))


def around(c: Contract) -> tuple[list[Axis], list[Axis]]:
    """The axes around that all operands have, and those that `y` has not."""
    return [a for a in c.outer if a.y != 0], [a for a in c.outer if a.y == 0]


def ahead_of(c: Contract) -> int:
    """How many elements ahead `y` is to be fetched from memory; 0: processors do so themselves.

    They do not follow steps of many lines, nor across pages. It pays for what is read only once.
    """
    rows, step = c.row.size, c.inner[-1].y if c.inner else 0
    terms = product([a.size for a in c.inner])
    if not (isinstance(rows, int) and isinstance(step, int) and isinstance(terms, int)):
        return 0
    size = int(c.target.type[1:])
    is_far = step * size >= _STRIDE and terms * step * size >= _STREAM
    return _AHEAD * step if is_far and rows <= _READERS and not c.outer else 0


def packs(c: Contract, tile: Cut) -> bool:
    """Whether panels of `y` are copied: where columns are apart, or many tiles read far rows."""
    if c.column.y != 1:
        return True
    _, outer = around(c)
    tiles = product([*(a.size for a in outer), c.row.size])
    terms = product([a.size for a in c.inner])
    step = c.inner[-1].y if c.inner else 0
    if not isinstance(tiles, int) or not isinstance(terms, int) or not isinstance(step, int):
        return False
    size = int(c.target.type[1:])
    if tiles >= _READERS * tile.rows and terms * abs(step) * size >= _FAR:
        return True
    return tiles >= _ROWS_OF_SETS and _collides(
        step * size, terms, tile.vectors * tile.lanes * size
    )


def _collides(step: int, rows: int, size: int) -> bool:
    """Whether rows of a panel, of so many bytes each, are where a cache has too little room.

    Bytes of the same place in their pages share it: with steps of 1,024, four rows do in turn.
    """
    covered = _PAGE // math.gcd(step, _PAGE) * size
    return covered < _PAGE and rows * size > _WAYS * covered


def streams(c: Contract, tile: Cut) -> bool:
    """Whether a few rows of `y` are read to their ends before the next ones.

    Processors follow steps along memory, not those from row to row, and `y` is read only once.
    """
    if len(c.inner) != 1 or packs(c, tile):
        return False
    rows = product([axis.size for axis in (*c.outer, c.row)])
    step = c.inner[0].y
    if not isinstance(rows, int) or not isinstance(step, int) or c.outer:
        return False
    return rows <= tile.rows and step * int(c.target.type[1:]) >= _STRIDE


def is_cut(c: Contract, tile: Cut) -> bool:
    """Whether sums are cut into pieces."""
    return packs(c, tile) or is_long(c.inner)


def pieces(c: Contract, tile: Cut) -> tuple[list[Axis], Axis, list[Axis]]:
    """The axes of sums: those around pieces, the one that is cut, and those of a piece."""
    inner = list(c.inner) or [Axis(1, 0, 0, 0)]
    k = 0
    if is_cut(c, tile):
        k = len(inner) - 1
        terms = 1
        while k > 0:
            size = inner[k].size
            if not isinstance(size, int) or terms * size > TERMS:
                break
            terms *= size
            k -= 1
    return inner[:k], inner[k], inner[k + 1 :]


def is_long(inner: Sequence[Axis]) -> bool:
    """Whether sums are cut into pieces."""
    known = [a.size for a in inner if isinstance(a.size, int)]
    return len(known) < len(inner) or math.prod(known) > 2 * TERMS
