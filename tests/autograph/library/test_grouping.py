"""Iterators as plain Python: each gives what that of `itertools` does."""

import itertools

import pytest

from autograph.library import grouping

ITEMS = [[], [1], [1, 1, 2, 3, 3, 3, 1], [2, 2]]


def in_groups(groups):
    return [(key, list(members)) for key, members in groups]


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("key", [None, lambda x: x > 1, lambda x: None])
def test_groups(items, key):
    found = in_groups(grouping.groupby(items, key))
    assert found == in_groups(itertools.groupby(items, key))


@pytest.mark.parametrize("items", ITEMS)
def test_chain_and_compress(items):
    assert list(grouping.chain(items, "ab", items)) == list(itertools.chain(items, "ab", items))
    found = list(grouping.compress("abcdefgh", items + [0, 1]))
    assert found == list(itertools.compress("abcdefgh", items + [0, 1]))


@pytest.mark.parametrize("items", ITEMS)
def test_neighbours(items):
    assert list(grouping.pairwise(items)) == list(itertools.pairwise(items))


@pytest.mark.parametrize(
    "bounds", [(2,), (0,), (None,), (1, 4), (1, None), (1, None, 2), (0, 6, 3)]
)
def test_slices(bounds):
    steps, wanted = iter(range(8)), iter(range(8))
    assert list(grouping.islice(steps, *bounds)) == list(itertools.islice(wanted, *bounds))
    assert list(steps) == list(wanted)  # no item more was taken


@pytest.mark.parametrize("bounds", [(-1,), (0, -1), (0, 4, 0)])
def test_bounds_of_slices(bounds):
    with pytest.raises(ValueError, match="islice"):
        list(grouping.islice("abc", *bounds))


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("how", [{}, {"func": max}, {"initial": 5}, {"func": None}])
def test_running_totals(items, how):
    assert list(grouping.accumulate(items, **how)) == list(itertools.accumulate(items, **how))


@pytest.mark.parametrize("items", ITEMS)
def test_all_ways(items):
    for given, how in (((items, "ab"), {}), ((items,), {"repeat": 2}), ((), {})):
        assert [*grouping.product(*given, **how)] == [*itertools.product(*given, **how)]
    for size in range(4):
        assert [*grouping.combinations(items, size)] == [*itertools.combinations(items, size)]
        assert [*grouping.permutations(items, size)] == [*itertools.permutations(items, size)]
    assert [*grouping.permutations(items[:3])] == [*itertools.permutations(items[:3])]


@pytest.mark.parametrize("items", ITEMS)
def test_what_goes_on(items):
    found, wanted = (list(itertools.islice(c(items), 9)) for c in (grouping.cycle, itertools.cycle))
    assert found == wanted
    assert list(grouping.repeat(items, 3)) == list(itertools.repeat(items, 3))
    assert list(grouping.chained([items, "ab", items])) == [*items, "a", "b", *items]
    assert list(grouping.starmap(max, zip(items, items, strict=True))) == list(items)
    for made in ((items, "abc"), (items,), ("abc", items, items)):
        found = list(grouping.zip_longest(*made, fillvalue=7))
        assert found == list(itertools.zip_longest(*made, fillvalue=7))
