"""Tests of `runtime.cells`: what the names of an array share."""

import numpy as np
import pytest

from runtime import journal, ops
from runtime.building import Builder
from runtime.cells import Cell, ViewStep
from runtime.errors import StagingError
from runtime.ops.declaration.declare import REGISTRY
from runtime.tensor import Tensor


def tensor(*values):
    return Tensor(np.array(values, dtype=float))


def test_a_write_is_seen_by_its_token():
    cell = Cell(tensor(1, 2))
    before = cell.token
    cell.store(new := tensor(3, 4))
    assert cell.root is new and cell.token != before


def test_no_two_states_of_any_cells_have_one_token():
    first, second = Cell(tensor(1)), Cell(tensor(1))
    seen = [first.token, second.token]
    for cell in (first, second, first):
        cell.store(tensor(2))
        seen.append(cell.token)
    assert len(set(seen)) == len(seen)


def test_a_write_is_undone_with_the_transaction():
    cell = Cell(tensor(1, 2))
    root, token = cell.root, cell.token
    with journal.transaction():
        cell.store(tensor(3, 4))
    assert cell.root is root and cell.token == token


def test_a_locked_cell_says_why_it_is_not_written():
    cell = Cell(tensor(1, 2))
    cell.locked = "`y` is a view of two arrays"
    with pytest.raises(StagingError, match="`y` is a view of two arrays, and it is written") as e:
        cell.store(tensor(3, 4))
    assert "make a copy" in str(e.value) and cell.root.numpy().tolist() == [1, 2]


def test_the_slot_has_the_users_name():
    cell = Cell(tensor(1))
    assert cell.slot().name == "an array"
    cell.name = "x"
    assert cell.slot().name == "x" and cell.slot().key == ("cell", id(cell))


def row(i):
    return ViewStep(REGISTRY["getitem"].op, (i,), {"index": (("array",),)})


def test_a_step_reads_a_part_and_writes_it_back():
    x = tensor(1, 2, 3)
    assert row(1).read(x).item() == 2
    assert row(1).write(x, 9.0).numpy().tolist() == [1, 9, 3]
    assert x.numpy().tolist() == [1, 2, 3]


def test_what_may_be_a_copy_is_not_written_through():
    op = next(d.op for d in REGISTRY.values() if d.op.view and "write_through" not in d.op.options)
    with pytest.raises(StagingError, match=f"the result of `{op.name}`, and whether that shares"):
        ViewStep(op, (), {}).write(tensor(1), tensor(2))


def test_an_update_goes_through_the_handle():
    from runtime import trace

    builder = Builder()
    with trace.interpreting(builder), journal.transaction():
        x = (
            ops.full((3,), 1.0) + builder.tensor(builder.input(ops.full((3,), 1.0).type))
        ).as_array()
        part = x[1:]
        x.cell().update(part, lambda content: content * 2)
        assert part.cell() is x.cell() and part.shape == (2,)
        assert "getitem" in [node.op.name for node in builder.graph.nodes]
