"""What is asked of names that data decides: what may be None, or is of one kind or another."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import operator
from collections import abc

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.errors import LimitNotImplementedError, StagingError
from tests.language.harness import check

CASES = [(np.array([s * 2.0, t * 1.75, 1.25]),) for s in (1, -1) for t in (1, -1)]


def looked_up_where_it_may_be_none(a):
    r = None
    if a[0] < 0:
        r = "s"
    table = {1: 2.0, "s": 3.0, None: 4.0}
    found = table.get(r, 9.0), {"t": 1.0}.get(r, 9.0), table[r], r in table, r in {1, "t"}
    return found, None if r is None else {"s": 5.0}[r], a[0]


def a_key_that_is_not_there(a):
    r = None
    if a[0] < 0:
        r = "s"
    return {"s": 3.0}[r]


def put_into_percent_fields(a):
    r = None
    if a[0] < 0:
        r = (float(a[1]), "t")
    if a[1] < 0:
        r = (1.0,)
    return "%s!" % r


def one_of_several_in_percent_fields(a):
    r = float(a[0]) if a[0] > 0 else (1.0, "s")
    return "%s!" % r


def compared_by_the_module_operator(a):
    r = None
    if a[0] < 0:
        r = {1.0, float(a[1])}
    t = None
    if a[1] < 0:
        t = 1.5
    found = operator.is_(r, None), operator.is_not(r, None), operator.eq(t, None)
    return found, operator.ne(t, 1.5), a[0]


def attributes_of_classes(a):
    r = float(a[1]) if a[0] < 0 else 2.5
    found = hasattr(r, "__call__"), hasattr(r, "mro"), hasattr(r, "__hash__")  # noqa: B004
    return found, a[0]


@pytest.mark.parametrize(
    "sample",
    [looked_up_where_it_may_be_none, a_key_that_is_not_there, put_into_percent_fields,
     one_of_several_in_percent_fields, compared_by_the_module_operator, attributes_of_classes],
)  # fmt: skip
def test_what_is_asked_of_it_is_what_python_says(sample):
    check(sample, *CASES)


def none_in_a_set(a):
    r = None
    if a[0] < 0:
        r = float(a[1])
    return len({r, None})


def none_counted(a):
    r = next((float(x) for x in a if x < 0), None)
    return collections.Counter([r, None])


@pytest.mark.parametrize("sample", [none_in_a_set, none_counted])
def test_what_may_be_none_has_no_known_hash(sample):
    with pytest.raises(ag.StagingError, match="None on some paths, is an item of a set or a key"):
        ag.convert(sample)(*CASES[2])


KEPT = []


def a_list_kept_and_counted(a):
    KEPT.append([a[0]])
    return len(KEPT)


def objects_kept_and_gone_through(a):
    KEPT.append({"k": ([a[0]], "t")})
    KEPT.append(([a[1]], None))
    return sum(1 for _ in KEPT), len(KEPT)


def grown_lists_kept_and_counted(a):
    found = []
    for x in a:
        if x < 0:
            found.append(x)
    KEPT.append(found)
    return len(KEPT), a[0]


@pytest.mark.parametrize("backend", ["plan", "native"])
@pytest.mark.parametrize(
    "sample",
    [a_list_kept_and_counted, objects_kept_and_gone_through, grown_lists_kept_and_counted],
)
def test_what_is_put_into_a_list_from_outside_that_is_asked_for_its_length(sample, backend):
    converted = ag.convert(sample)
    with config.backend.using(backend):
        for case in CASES * 2:
            found = []
            for function in (sample, converted):
                KEPT.clear()
                found.append((function(*case), list(KEPT)))
            assert repr(found[0]) == repr(found[1])
    assert not converted.trace_count > 1


class Kept:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Kept({self.v})"


def a_list_of_one_path_kept(a):
    if a[0] < 0:
        r = [a[1]]
    KEPT.append(r)
    return len(KEPT)


def an_object_of_one_path_kept(a):
    if a[0] < 0:
        r = Kept(float(a[1]))
    KEPT.append((r, [1.0]))
    return len(KEPT)


def an_object_of_constants_of_one_path_kept(a):
    if a[0] < 0:
        r = Kept(1.0)
    KEPT.append(r)
    return a[0]


@pytest.mark.parametrize("backend", ["plan", "native"])
@pytest.mark.parametrize(
    "sample",
    [a_list_of_one_path_kept, an_object_of_one_path_kept, an_object_of_constants_of_one_path_kept],
)
def test_what_one_path_made_is_anew_in_each_call_that_keeps_it(sample, backend):
    converted = ag.convert(sample)
    with config.backend.using(backend):
        for case in CASES[2:]:
            found = []
            for function in (sample, converted):
                KEPT.clear()
                counts = function(*case), function(*case)
                found.append((counts, list(KEPT)))
                assert KEPT[0] is not KEPT[1]
            assert repr(found[0]) == repr(found[1])
    with pytest.raises(UnboundLocalError):
        converted(*CASES[0])


def ranges_beside_arrays(a):
    n = 3 if a[0] < 0 else 4
    r = range(n - 3, n)
    return a == r, r != a, a + r, r * a, r < a, a @ r, r == 1


def first(x, y):
    return x + y


def text_of_partial_functions(a):
    r = functools.partial(first, 1.0)
    if a[0] < 0:
        r = functools.partial(first, y=float(a[1]))
    return str([r]).count("y=-1.75"), repr(r).count("y=1.75"), r(y=1.0)


@dataclasses.dataclass
class Node:
    v: object


class Leaf:
    def __init__(self, v):
        self.v = v
        self.w = None


class Other:
    def __init__(self, v):
        self.v = v


def objects_that_are_no_sequences(a):
    r = None
    if a[0] < 0:
        r = Leaf(a[1])
    if a[1] < 0:
        r = Other(a[1])
    try:
        return [*r]
    except TypeError:
        return [a[0]]


@pytest.mark.parametrize("backend", ["plan", "native"])
def test_a_range_beside_an_array(backend):
    converted = ag.convert(ranges_beside_arrays)
    with config.backend.using(backend):
        for case in CASES:
            pairs = zip(ranges_beside_arrays(*case), converted(*case), strict=True)
            assert all(np.array_equal(expected, found) for expected, found in pairs)
    assert converted.trace_count == 1


@pytest.mark.parametrize("sample", [text_of_partial_functions, objects_that_are_no_sequences])
def test_what_it_is_made_into_is_what_python_makes_of_it(sample):
    check(sample, *CASES)


def printed_in_a_list(a):
    r = Node(float(a[1]))
    if a[0] < 0:
        r = Node("s")
    print([r])
    return a[0]


def objects_in_an_array(a):
    r = Leaf(a[0])
    if a[1] < 0:
        r = Leaf(a[1])
    return np.array([r, None])


@pytest.mark.parametrize(
    ("sample", "message"),
    [(printed_in_a_list, "`r.v` is the str 's' on one path"),
     (objects_in_an_array, "an array of objects that the function makes is no part of a graph")],
)  # fmt: skip
def test_what_has_no_form_in_the_graph_is_refused(sample, message):
    with pytest.raises(ag.StagingError, match=message):
        ag.convert(sample)(*CASES[0])


def a_view_of_keys_by_data(a):
    t = {}
    for x in a:
        if x < 0:
            t[int(x)] = 1.0
    r = t.values()
    found = isinstance(r, list), isinstance(r, abc.ValuesView), hasattr(r, "append")
    return found, type(r).__name__, r.__class__.__name__, getattr(r, "index", 3), len(r)


def an_item_of_a_view(a):
    t = {"s": float(a[1])}
    if a[0] < 0:
        t["t"] = 1.0
    r = t.keys()
    return r[0] if a[0] < 0 else "none"


@pytest.mark.parametrize("sample", [a_view_of_keys_by_data, an_item_of_a_view])
def test_a_view_of_a_dict_is_no_list(sample):
    check(sample, *CASES)


def an_object_or_none_taken_apart(a):
    r = None
    if a[0] < 0:
        r = Node(float(a[1]))
    return dataclasses.asdict(Node([r]))


def test_an_object_that_may_be_none_is_not_taken_apart():
    with pytest.raises(ag.StagingError, match="may be None by data is a Node, and is taken apart"):
        ag.convert(an_object_or_none_taken_apart)(*CASES[0])


# ---- ways to make such a value, and ways to use it -----------------------------------------------

MAKES = {
    "a number or None": "r = None\nif c:\n    r = y",
    "a list or None": "r = [y, 2.0] if c else None",
    "a text or None": "r = None\nif c:\n    r = 's'",
    "a number or a text": "r = y\nif c:\n    r = 's'",
    "a list or a tuple": "r = [y]\nif c:\n    r = (y, 2.0)",
    "one of two texts": "r = 's'\nif c:\n    r = 'tu'",
    "a function or None": "r = None\nif c:\n    r = abs",
    "a list that grows": "r = []\nfor x in a:\n    if x < 0:\n        r.append(float(x))",
    "an item or None": "r = next((float(x) for x in a if x < 0), None)",
    "bound by a try": "r = None\ntry:\n    if c:\n        raise ValueError('x')\n    r = y\n"
    "except ValueError:\n    pass",
}
USES = """
isinstance(r, list) | isinstance(r, (int, float)) | isinstance(r, str) | type(r).__name__
callable(r) | hasattr(r, 'append') | getattr(r, 'nosuch', 5) | str(r) if not callable(r) else 0
f'{r!s:>8}' if not callable(r) else 0 | '%s!' % (r,) if not callable(r) else 0 | bool(r) | not r
r or 7 | r is None | r is not None | r == None | r == 1.25 | r == 's' | r in (None, 's')
r in {1: 2, 's': 3, None: 4} if not isinstance(r, (list, tuple)) else 0 | {1: 2, None: 4}.get(r, 9)
len(r) | r + 1 | r < 2 | r[0] | [*r] | (r, 1) | [r, None].count(None) | abs(r) | float(r)
operator.is_(r, None) | len({r, None}) | [10, 20][r] | sorted([r, 1.0]) | max(r, 1.0)
"""
REFUSED = (StagingError, LimitNotImplementedError)


def result_of(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - what it is, is compared
        return error


def are_alike(expected, found):
    if isinstance(found, REFUSED) or "is None on the path that was taken" in str(found):
        return True
    if isinstance(expected, Exception) or isinstance(found, Exception):
        return type(expected) is type(found)
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return expected == found  # numbers of two types in one name are one of them
    return repr(expected).replace("np.float64", "") == repr(found).replace("np.float64", "")


@pytest.mark.parametrize("make", MAKES)
def test_each_use_is_what_python_says_or_refused(make):
    uses = [use.strip() for line in USES.strip().splitlines() for use in line.split(" | ")]
    indented = MAKES[make].replace("\n", "\n    ")
    wrong, answered = [], 0
    for use in uses:
        text = (
            f"import operator\n\ndef f(a, y):\n    c = a[0] < 0\n    {indented}\n    return {use}\n"
        )
        plain = ag.convert_source(text).f
        converted = ag.convert(plain)
        with config.backend.using("plan"):
            for (a,) in (CASES[0], CASES[3]):
                expected, found = (result_of(f, (a.copy(), -1.0)) for f in (plain, converted))
                answered += not isinstance(found, Exception)
                if not are_alike(expected, found):
                    wrong.append((use, expected, found))
    assert not wrong and answered > len(uses)


def raised_from_none_or_a_number(a):
    r = None
    if a[0] < 0:
        r = float(a[1])
    try:
        raise ValueError("x") from r
    except TypeError as error:
        return str(error), a[1]
    except ValueError as error:
        return str(error), a[0]


def spread_as_keywords(a):
    r = None
    if a[0] < 0:
        r = {"k": float(a[1])}
    t = (1.0, 2.0) if a[1] < 0 else {"k": 2.0}
    try:
        return dict(**t), {**t, "n": 1}, dict(**r)
    except TypeError:
        return a[0]


def subclasses_of_chosen_classes(a):
    r = None
    if a[0] < 0:
        r = (1.0, "s") if a[1] < 0 else [a[1]]
    return (
        issubclass(type(r), list),
        issubclass(type(r), (tuple, list)),
        issubclass(type(r), object),
    )


def rounds_of_chosen_numbers(a):
    r = 1.25
    if a[0] < 0:
        r = 3
    return round(r, 1), a[0]


@pytest.mark.parametrize(
    "sample",
    [raised_from_none_or_a_number, spread_as_keywords, subclasses_of_chosen_classes,
     rounds_of_chosen_numbers],
)  # fmt: skip
def test_causes_keywords_and_classes_are_those_that_data_chooses(sample):
    check(sample, *CASES, joined=True)


def caught_or_none(a):
    r = None
    try:
        if a[0] < 0:
            raise ValueError("x")
    except ValueError as error:
        r = error
    return r


def raised_from_what_was_caught(a):
    r = caught_or_none(a)
    raise KeyError("k") from r


def raised_from_an_item(a):
    kept = {"error": caught_or_none(a)}
    raise KeyError("k") from kept["error"]


@pytest.mark.parametrize("first", [-1, 1])
def test_a_cause_may_be_none(first):
    causes = []
    for function in (raised_from_what_was_caught, ag.convert(raised_from_what_was_caught)):
        with pytest.raises(KeyError, match="k") as caught:
            function(np.array([first]))
        causes.append(repr(caught.value.__cause__))
        assert caught.value.__suppress_context__
    assert causes == [repr(ValueError("x") if first < 0 else None)] * 2


def test_a_cause_that_depends_on_data_is_refused_where_it_is_in_no_name():
    with pytest.raises(ag.StagingError, match="the cause of an exception depends on data"):
        ag.convert(raised_from_an_item)(np.array([1]))


def a_list_added_to_keys(a):
    t = {}
    for x in a:
        t[int(x)] = x
    return t.keys() + [1]


def keys_before_a_list(a):
    t = {}
    for x in a:
        t[int(x)] = x
    return t.keys() < [1]


@pytest.mark.parametrize("sample", [a_list_added_to_keys, keys_before_a_list])
def test_views_of_dicts_by_data_are_no_lists(sample):
    raised = []
    for function in (sample, ag.convert(sample)):
        with pytest.raises(TypeError) as found:
            function(*CASES[0])
        raised.append(str(found.value).partition("\n")[0])
    assert raised[0] == raised[1]


def texts_of_json(a):
    r = None
    if a[0] < 0:
        r = "s"
    n = None
    if a[1] < 0:
        n = float(a[1])
    return json.dumps([r, n]), json.dumps({"k": n}), json.dumps(r)


def test_json_of_what_may_be_none():
    check(texts_of_json, *CASES, saved=False)


def grown(a):
    found = []
    for x in a:
        if x < 0:
            found.append(x)
    return found


def grown_keys(a):
    found = {}
    for x in a:
        if x < 0:
            found[int(x)] = 2.0
    return found


OF_OPEN_LENGTH = {
    "json of a list": lambda a: json.dumps([grown(a)]),
    "json of a dict": lambda a: json.dumps({"k": grown_keys(a)}),
    "slice of a deque": lambda a: slice(collections.deque(grown(a))),
    "slice of a dict": lambda a: slice(grown_keys(a)),
    "fields of a text": lambda a: "%s" % tuple(grown(a)),
    "dicts that are filtered": lambda a: list(filter(None, [grown_keys(a)])),
    "dicts of a comprehension": lambda a: [t for t in [grown_keys(a)] if len(t) > 0],
}


@pytest.mark.parametrize("made", OF_OPEN_LENGTH.values(), ids=OF_OPEN_LENGTH)
def test_containers_of_open_length_are_refused_where_no_graph_has_them(made):
    with pytest.raises(ag.StagingError, match=r"the length of a list depends on data, and"):
        ag.convert(lambda a: made(a))(*CASES[2])


def compared_by_is_with_one_of_several_kinds(a):
    q = None
    if a[0] < 0:
        q = 1.25
    t = [None, "s"]
    if a[1] < 0:
        t[0] = [2.0]
    r = t[int(a[1] > 1.7)]
    return r is q, q is r, q is not r, a[0]


def texts_in_ranges_by_data(a):
    r = range(3)
    if a[0] < 0:
        r = range(1, 4)
    return "x" in r, None in r, 3 in r, 2.0 in r, a[1] in r


@pytest.mark.parametrize(
    "sample", [compared_by_is_with_one_of_several_kinds, texts_in_ranges_by_data]
)
def test_none_and_texts_are_what_they_are_among_others(sample):
    check(sample, *CASES)


class Link:
    def __init__(self, v, before):
        self.v, self.before = v, before


def an_attribute_of_one_of_many_objects_deleted(a):
    r = None
    for x in a:
        if x < 0:
            r = Link(x, r)
    del r.v
    return 1


def test_an_attribute_of_what_may_be_none_is_deleted():
    check(an_attribute_of_one_of_many_objects_deleted, *CASES)
