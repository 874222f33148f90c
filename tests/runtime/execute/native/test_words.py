"""What NumPy reads of the items of lists where they are in memory is what Python says of them."""

import math

import pytest

from runtime.execute.native import words
from runtime.execute.native.words import Items


class Own(float):
    pass


LISTS = {
    "floats": [math.nan, -0.0, 1e308, 5e-324] * 9,
    "ints": [*range(-300, 300), 2**30 - 1, -(2**30) + 1, 2**30, -(2**30)],
    "short ints": [0, 1, -1, 2**30 - 1, -(2**30) + 1, 255, 256, 257, -5, -6],
    "ints of 64 bits": [2**63 - 1, -(2**63), 0],
    "ints of more": [2**63, 0, -1],
    "one": [None],
    "a class derived from float": [1.0] * 40 + [Own(1.0)],
    "bools among ints": [1, 0, True],
    "objects": [object() for _ in range(50)],
    "one object at both ends": [*map(Own, range(50))],
}
LISTS["one object at both ends"].append(LISTS["one object at both ends"][0])


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("agrees", [True, False])
def test_items_are_told_as_python_tells_them(kind, agrees, monkeypatch):
    assert words._agrees()
    monkeypatch.setattr(words, "_agrees", lambda: agrees)
    items = LISTS[kind]
    for own, found in [
        (items, Items.of(items)),
        ([*items], Items.of([(0, x) for x in items]).part(1)),
        ([*items], Items.of([((x,), None) for x in items]).part(0).part(0)),
    ]:
        kinds = {*map(type, own)}
        assert found.kind is (kinds.pop() if len(kinds) == 1 else None)
        assert found.are_distinct() == (len({*map(id, own)}) == len(own))
        if found.kind is float:
            assert [*map(repr, found.floats().tolist())] == [*map(repr, own)]
        if found.kind is int:
            fits = all(-(2**63) <= x < 2**63 for x in own)
            assert (None if found.ints() is None else found.ints().tolist()) == (
                own if fits else None
            )
        assert all(x is y for x, y in zip(found.listed(), own, strict=True))


@pytest.mark.parametrize("agrees", [True, False])
def test_tuples_of_several_lengths_are_told(agrees, monkeypatch):
    monkeypatch.setattr(words, "_agrees", lambda: agrees)
    assert Items.of([(1, 2)] * 9).have_length(2)
    assert Items.of([{1: 2, 3: 4}, {}, {5: 6, 7: 8}][::2]).have_length(2)
    assert not Items.of([{1: 2, 3: 4}, {5: 6}]).have_length(2)
    assert not Items.of([(1, 2)] * 9 + [(1,)]).have_length(2)


def test_a_list_that_was_lengthened_and_shortened_is_read_where_it_is():
    items = []
    for n in range(1000):
        items.append(float(n))
        assert Items.of(items).floats()[-1] == n
    del items[3:]
    assert Items.of(items).floats().tolist() == [0.0, 1.0, 2.0]
