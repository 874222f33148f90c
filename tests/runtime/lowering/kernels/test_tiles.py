"""How contractions are cut: into tiles of the registers there are, by their sizes alone."""

import math
import re

import pytest

from runtime.execute.native.pool import _STACK
from runtime.lowering.kernels.kernel import Axis, Buffer, Contract
from runtime.lowering.kernels.tiles import (
    TERMS,
    counts_of_parts,
    cut,
    is_cut,
    packs,
    pieces,
    runs_along_sum,
    streams,
)
from runtime.lowering.llvm.contractions import contraction_text

SIZES = [1, 2, 3, 7, 16, 17, 32, 60, 64, 100, 129, 784, 1680]


def contraction(rows, columns, terms, *, kind="f4", y=None, outer=()):
    buffer = Buffer("b", kind, ())
    row, column = Axis(rows, terms, 0, columns), Axis(columns, 0, 1 if y is None else y, 1)
    inner = [Axis(terms, 1, columns if y is None else 1, 0)]
    return Contract(buffer, buffer, buffer, list(outer), row, column, inner)


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize("kind", ["f4", "f8", "i1"])
def test_a_tile_fits_into_the_registers(vector_bytes, kind):
    for rows in SIZES:
        for columns in SIZES:
            tile = cut(contraction(rows, columns, 50, kind=kind), vector_bytes)
            assert tile.vectors * tile.rows <= (24 if vector_bytes == 64 else 12)
            assert tile.lanes * int(kind[1:]) <= vector_bytes
            assert tile.rows <= rows


@pytest.mark.parametrize(("kind", "sizes"), [("f4", (1680, 2000)), ("f8", (1680, 2000))])
def test_tiles_of_large_products_are_neither_flat_nor_high(kind, sizes):
    tile = cut(contraction(*sizes, 1000, kind=kind), 64)
    assert (tile.vectors, tile.rows) == (4, 6)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_what_is_packed_for_all_kinds_of_panels_has_room_on_the_stack_of_a_thread(
    vector_bytes, kind
):
    for columns in (333, 2000, 3001):
        c = contraction(1680, columns, 2000, kind=kind)
        tile = cut(c, vector_bytes)
        assert packs(c, tile)
        assert 4 * TERMS * tile.vectors * vector_bytes < _STACK


@pytest.mark.parametrize(("terms", "count"), [(384, 1), (512, 2), (768, 2), (1000, 3)])
def test_packed_sums_are_cut_into_few_pieces(terms, count):
    c = contraction(1680, 2000, terms)
    tile = cut(c, 64)
    text, _, _ = contraction_text(c, 64)
    assert packs(c, tile)
    room = -(-terms // count) * tile.vectors  # vectors of a packed piece
    assert f"alloca [{room} x <16 x float>]" in text


def test_parts_cover_all_rows_and_columns():
    for rows in SIZES:
        for columns in SIZES:
            c = contraction(rows, columns, 50)
            tile = cut(c, 64)
            first, blocks, panels = counts_of_parts(c, 64)
            assert first == 1
            assert (blocks - 1) * tile.rows < rows <= blocks * tile.rows
            wide = tile.vectors * tile.lanes
            assert (panels - 1) * wide < columns <= panels * wide


def test_the_first_axis_around_is_one_that_all_operands_have():
    images, stacks = Axis(5, 100, 0, 1000), Axis(7, 20, 30, 100)
    c = contraction(10, 20, 30, outer=[images, stacks])
    assert counts_of_parts(c, 64)[0] == 7


@pytest.mark.parametrize(
    ("kind", "terms", "most"),
    [
        ("f4", 10, 1),
        ("f4", 64, 8),
        ("f4", 128, 16),
        ("f4", 784, 32),
        ("f8", 64, 8),
        ("f8", 784, 16),
    ],
)
def test_sums_run_in_vectors_where_columns_are_apart_and_rows_are_few(kind, terms, most):
    def along(rows, **others):
        return runs_along_sum(contraction(rows, 128, terms, kind=kind, **others))

    assert along(most, y=terms) and not along(most + 1, y=terms)
    assert not along(most), "columns side by side"
    assert along(1, y=terms, outer=[Axis(50, 30, 20, 0)]), "each row has columns of its own"
    assert not along(1, y=terms, outer=[Axis(50, 30, 0, 0)]), "many rows, one around each other"


def test_sums_over_several_axes_run_in_vectors_where_columns_are_few():
    def window(columns, taps, features):
        c = contraction(5000, columns, features, y=features)
        c.inner = [Axis(taps, 5000, features * columns, 0), *c.inner]
        return c

    assert runs_along_sum(window(3, 16, 16)), "channels of a picture"
    assert not runs_along_sum(window(5, 16, 16)), "columns enough for vectors"
    assert not runs_along_sum(window(3, 3, 16)), "few terms"
    assert not runs_along_sum(window(3, 100, 5)), "short rows of terms"


def test_long_sums_are_cut_into_pieces_of_whole_inner_axes():
    c = contraction(10, 20, 1)
    c.inner = [Axis(32, 900, 600, 0), Axis(24, 30, 20, 0), Axis(9, 1, 1, 0)]
    around, axis, rest = pieces(c, cut(c, 64))
    assert is_cut(c, cut(c, 64))
    assert [a.size for a in (*around, axis, *rest)] == [32, 24, 9]
    assert math.prod(a.size for a in rest) <= TERMS
    short = contraction(10, 20, 100)
    assert not is_cut(short, cut(short, 64))


def test_far_rows_are_packed_where_many_tiles_read_them():
    large, small = contraction(1680, 2000, 1000), contraction(12, 2000, 1000)
    assert packs(large, cut(large, 64)) and not packs(small, cut(small, 64))


@pytest.mark.parametrize(
    ("kind", "sizes", "expected"),
    [
        ("f4", (64, 64, 256), True),
        ("f4", (20, 64, 256), False),  # too few rows to pay for a copy
        ("f4", (64, 30, 256), False),  # a cache has room for them all the same
        ("f4", (64, 200, 200), False),  # rows of 800 bytes begin anywhere in their pages
        ("f8", (64, 128, 64), True),
        ("f8", (64, 64, 64), False),
        ("f8", (64, 200, 32), False),  # rows side by side fill pages
    ],
)
def test_rows_that_collide_in_a_cache_are_packed(kind, sizes, expected):
    rows, terms, columns = sizes
    c = contraction(rows, columns, terms, kind=kind)
    assert packs(c, cut(c, 64)) == expected


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((1, 300, 200), True), ((1, 50, 200), False), ((60, 300, 200), False)],
)
def test_few_rows_read_the_other_operand_to_the_end_of_its_rows(sizes, expected, vector_bytes):
    c = contraction(*sizes)
    assert streams(c, cut(c, vector_bytes)) == expected
    apart = contraction(*sizes, y=sizes[2])
    assert not streams(apart, cut(apart, vector_bytes))


@pytest.mark.parametrize(("columns", "is_over"), [(16, False), (20, True), (64, False), (70, True)])
def test_lanes_without_a_column_hold_zeros_or_the_last_one_where_columns_are_packed(
    columns, is_over
):
    few, square = (
        contraction_text(contraction(80, columns, terms, y="apart"), 64)[0] for terms in (15, 16)
    )
    assert ("zeroinitializer, ptr %v" in few) == is_over
    assert "zeroinitializer, ptr %v" not in square
    assert (square.count("call i64 @llvm.smin") >= 16) == is_over


@pytest.mark.parametrize(("terms", "squares"), [(15, 0), (16, 16), (40, 16)])
def test_columns_of_whole_vectors_of_terms_are_turned_as_squares(terms, squares):
    text, _, _ = contraction_text(contraction(80, 16, terms, y=terms), 64)
    turned = re.findall(r"shufflevector <16 x float> %v\d+, <16 x float> %v\d+", text)
    assert len(turned) == 4 * squares, "as many rounds as the lanes can be halved"
