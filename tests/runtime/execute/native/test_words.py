"""What NumPy reads of the items of lists where they are in memory is what Python says of them."""

import math

import pytest

from runtime.execute.native import words


class Own(float):
    pass


LISTS = {
    "floats": [math.nan, -0.0, 1e308, 5e-324] * 9,
    "ints": [2**70, -1, 0] * 9,
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
    kinds = {*map(type, items)}
    assert words.common_class(items) is (kinds.pop() if len(kinds) == 1 else None)
    assert words.are_distinct(items) == (len({*map(id, items)}) == len(items))
    if kind == "floats":
        assert [*map(repr, words.floats_of(items).tolist())] == [*map(repr, items)]


def test_a_list_that_was_lengthened_and_shortened_is_read_where_it_is():
    items = []
    for n in range(1000):
        items.append(float(n))
        assert words.floats_of(items)[-1] == n
    del items[3:]
    assert words.floats_of(items).tolist() == [0.0, 1.0, 2.0]
