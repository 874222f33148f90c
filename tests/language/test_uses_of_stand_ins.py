"""What is asked of names that data decides: what may be None, or is of one kind or another."""

from __future__ import annotations

import collections
import operator

import numpy as np
import pytest

import autograph as ag
from runtime import config
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
