"""Lists, dicts and sets that only the graph knows, within other containers and objects of a result."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

samples = Samples()
X = np.array([0.5, 2.0, 3.0])
Y = np.array([0.5, 0.25, 1.5])
Pair = namedtuple("Pair", "total found")


@dataclass
class Report:
    total: float
    found: list = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    found: object
    total: float = 0.0


class Rows(list):
    pass


def above_one(x):
    found = []
    for v in x:
        if v > 1:
            found.append(v)
    return found


@samples("E4", (X,), (Y,))
def in_a_dataclass(x):
    report = Report(x.sum())
    for v in x:
        if v > 1:
            report.found.append(v)
    return report


@samples("E4", (X,), (Y,))
def in_a_frozen_one_that_is_replaced(x):
    return replace(Frozen(above_one(x)), total=x.sum()), Report(1.0, [above_one(x)])


@samples("E4", (X,), (Y,))
def in_a_named_tuple(x):
    pair = Pair(found=above_one(x), total=1.0)
    total, found = pair._replace(total=x.sum())
    found.append(total)
    return {"pair": pair}, len(found)


@samples("E4", (X,), (Y,))
def in_dicts_with_a_default(x):
    groups = defaultdict(list)
    groups["all"].extend(x)
    groups["above"].extend(above_one(x))
    return groups, OrderedDict(found=above_one(x), size=len(x))


@samples("E4", (X,), (Y,))
def in_a_list_of_an_own_class(x):
    return Rows([above_one(x), x.sum()])


@samples("B3.15", (X,), (Y,))
def a_dict_and_a_set_with_keys_by_data(x):
    counts = {}
    for v in x:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return Frozen(counts), Report(0.0, [{int(v) for v in x}]), Pair(1, counts)


@samples("E4", (X,), (Y,))
def by_name_in_a_namespace(x):
    space = SimpleNamespace(found=above_one(x))
    space.found.append(x.sum())
    return space.found, len(space.found)


test_what_holds_it_is_what_python_gives = samples.test()


def or_none(x, rows):
    if x[0] > 0.5:
        return None
    return above_one(x), 3


def an_object_or_none(x, rows):
    report = None
    if x[1] > 0.5:
        report = Report(x.sum(), above_one(x))
    rows.append(report)
    return [report]


def a_dict_or_none(x, rows):
    counts = None
    if x[1] > 0.5:
        counts = {int(v): 1 for v in x}
    return Frozen(counts)


def the_argument_or_none(x, rows):
    found = None
    if x[1] > 0.5:
        found = rows
    return found


def one_list_or_none(x, rows):
    inner = [x[0]]
    rows.append(inner)
    found = None
    if x[1] > 0.5:
        found = inner
    return found, inner


def appended_and_given_back(x, rows):
    rows.append(above_one(x))
    return rows


def stored_and_given_back(x, rows):
    found = above_one(x)
    rows.append(found)
    return found


def twice_in_a_list(x, rows):
    inner = [above_one(x)]
    return inner, (inner, rows)


def twice_itself(x, rows):
    found = above_one(x)
    return found, {"again": found}, rows


def twice_in_an_object(x, rows):
    report = Report(1.0, above_one(x))
    rows.append(report)
    return [report], report


def a_dict_twice(x, rows):
    counts = {int(v): 1 for v in x if v > 1}
    return counts, [counts]


shelf = []


def put_on_the_shelf(x, rows):
    shelf.append(above_one(x))
    return shelf, rows


def same_objects(nest):
    """For each part of a nest the position of the first that is the same object."""
    parts = []

    def walk(part):
        parts.append(part)
        inner = list(part.values()) if isinstance(part, dict) else part
        inner = [part.found] if isinstance(part, Report) else inner
        if isinstance(inner, (list, tuple)):
            for one in inner:
                walk(one)

    walk(nest)
    kept = [p for p in parts if isinstance(p, (list, dict, Report))]
    return [next(i for i, q in enumerate(kept) if q is p) for p in kept]


@pytest.mark.parametrize("function", [
    or_none, an_object_or_none, a_dict_or_none, the_argument_or_none, one_list_or_none,
    appended_and_given_back, stored_and_given_back, twice_in_a_list, twice_itself,
    twice_in_an_object, a_dict_twice, put_on_the_shelf,
])  # fmt: skip
def test_one_object_in_two_places_is_one_object(function):
    converted = ag.convert(function)
    for x in (X, Y, X):
        outcomes = []
        for call in (function, converted):
            shelf.clear()
            rows = [1.0]
            nest = call(x, rows), rows, shelf
            outcomes.append((repr(nest), same_objects(nest)))
        assert outcomes[1] == outcomes[0]
    assert converted.trace_count == 1


def kinds_by_data(x):
    if x[0] > 0.5:
        return Report(x.sum(), len)
    return Report(x.sum(), 3)


def test_a_part_whose_kind_depends_on_data_is_refused_in_objects_too():
    refuse(kinds_by_data, X, match="`.found` of the result is .* on one path but")


def test_explain_tells_what_comes_back():
    converted = ag.convert(in_a_dataclass)
    converted(X)
    assert "Report(" in converted.explain()


def slices(x, rows):
    part = slice(int(x[1] > 0.5), len(rows) + 1)
    rows.append(part)
    print(part, f"{part!r}")
    return part, {"step": slice(None, None, int(x[1] > 0.5) + 1)}, x[part].sum()


def test_slices_with_bounds_of_the_graph(capsys):
    converted = ag.convert(slices)
    for x in (X, Y, X):
        outcomes = []
        for call in (slices, converted):
            rows = [1.0]
            outcomes.append((repr((call(x, rows), rows)), capsys.readouterr().out))
        assert outcomes[1] == outcomes[0]
