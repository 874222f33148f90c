"""Names that are a number of Python's on one path and an array on the other."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
CASES = [(np.array([s * 2.0, t * 1.75, 1.25]),) for s in (1, -1) for t in (1, -1)]


def computed_with(a):
    r = 0.5
    if a[0] < 0:
        r = a * 2.0
    r = r + 1.0
    return np.sum(r * 2.0), np.sqrt(r), f"{r}"


def of_numpys_numbers(a):
    r = a.sum()
    if a[0] < 0:
        r = a * 2.0
    return f"{r!r}", np.sum(r)


def one_beside_arrays_of_two_ranks(a):
    r = a * 2.0
    if a[0] < 0:
        r = np.ones((2, 2))
    r = r + 1.0
    return hasattr(r, "__len__"), hasattr(r, "upper"), f"{r!r}"


@pytest.mark.parametrize(
    "sample", [computed_with, of_numpys_numbers, one_beside_arrays_of_two_ranks]
)
def test_what_is_the_same_for_both_is_served(sample):
    check(sample, *CASES, joined=True)


ASKED = {
    "repr": lambda r: repr(r),
    "in an f-string": lambda r: f"{r!r}",
    "in percent fields": lambda r: "%r" % (r,),
    "of a list in an f-string": lambda r: f"{[r]}",
    "of a tuple by str": lambda r: str((r, 1)),
    "printed in a dict": lambda r: print({"k": r}),
    "of what is computed": lambda r: ascii(r * 2),
    "has": lambda r: hasattr(r, "__len__"),
    "class": lambda r: r.__class__,
    "type": lambda r: type(r),
    "isinstance": lambda r: isinstance(r, float),
    "isscalar": lambda r: np.isscalar(r),
    "equal to a list": lambda r: r == [1.0],
    "not equal to a tuple": lambda r: r != (),
    "before a list": lambda r: r < [1.0],
    "a list added": lambda r: r + [1.0],
    "a list that has a name added": lambda r, other=[1.0]: r + other,
    "a tuple added": lambda r: r + (1.0,),
    "added to a tuple": lambda r: (1.0,) + r,
    "a tuple repeated": lambda r: (1.0, 2.0) * r,
    "compared with a tuple": lambda r: r >= (1.0,),
    "a method of arrays": lambda r: r.sum(),
    "an attribute of arrays": lambda r: r.shape,
    "a method of numbers": lambda r: r.bit_length(),
    "length": lambda r: len(r),
    "an item": lambda r: r[0],
    "rows": lambda r: r[:1],
    "rounded": lambda r: round(r, 1),
    "looked into": lambda r: 1.0 in r,
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_what_depends_on_which_it_is_is_refused(asked):
    def chosen(a):
        r = 0.5
        if a[0] < 0:
            r = a * 2.0
        return asked(r)

    def chosen_or_none(a):
        r = None
        if a[0] < 0:
            r = a * 2.0
        elif a[1] < 0:
            r = 0.5
        return 1.0 if r is None else asked(r)

    for sample in (chosen, chosen_or_none):
        with pytest.raises(ag.StagingError, match="whether this is a number or an array depends"):
            ag.convert(sample)(*CASES[0])


def an_item_set(a):
    r = 0.5
    if a[0] < 0:
        r = a * 2.0
    r[0] = 1.0  # refused
    return r


def test_an_item_is_not_set_either():
    refuse(an_item_set, *CASES[0], match="depends on data, and an item of it is set")


@samples("E11", (np.array([1.0, 2.0]),), (np.array([1.0, -2.0]),), tensors=False)
def the_length_of_an_array_of_unknown_rank(a):
    return len(np.squeeze(a[a > 0]))


@samples("E11", (np.array([1.0, 2.0]),), (np.array([1.0, -2.0]),))
def a_length_that_is_caught(a):
    try:
        return len(np.squeeze(a[a > 0]))
    except TypeError:
        return -1


test_lengths = samples.test()


def an_array_of_unknown_rank_rounded(a):
    r = a * 2.0
    if a[0] < 0:
        r = np.ones((2, 2))
    return round(r, 1)


def an_item_of_a_number_deleted(a):
    r = 1
    while r < a[2]:
        r = r + 1
    del r[0]


def an_item_of_an_array_deleted(a):
    del a[0]


@pytest.mark.parametrize(
    "sample",
    [an_array_of_unknown_rank_rounded, an_item_of_a_number_deleted, an_item_of_an_array_deleted],
)
def test_what_python_refuses_of_either_raises_what_python_raises(sample):
    raised = []
    for function in (sample, ag.convert(sample)):
        with pytest.raises((TypeError, ValueError)) as found:
            function(*CASES[0])
        raised.append((found.type, str(found.value).partition("\n")[0]))
    assert raised[0] == raised[1]
