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


# ---- in place: a number is bound anew, an array is written for all names of it ----


def added_to_for_one_name(a):
    r = 0.5
    if a[0] < 0:
        r = a * 2.0
    before = r
    r += 1.0
    return r, before


def an_array_added_to_either(a):
    r = 0.5
    if a[0] < 0:
        r = a * 2.0
    before = r
    r += a
    r *= a
    return r, before


def added_to_in_rounds(a):
    r = a.sum()
    if a[0] < 0:
        r = a * 2.0
    before = r
    for _ in range(20):
        r -= 0.25
    return r, before


def added_to_on_one_path(a):
    r = 0
    if a[0] < 0:
        r = a.astype(int)
    before = [r]
    if a[1] < 0:
        r |= 6
    return r, before


def an_older_array_added_to(a):
    r = 0.5 if a[0] < 0 else a
    r /= 2.0
    return r, a


def an_array_without_axes_added_to(a):
    r = np.squeeze(a[a > 1.5])
    before = r
    r += 1.0
    return r + 0.0, before + 0.0


@pytest.mark.parametrize(
    "sample",
    [
        added_to_for_one_name,
        an_array_added_to_either,
        added_to_in_rounds,
        added_to_on_one_path,
        an_older_array_added_to,
    ],
)
def test_in_place_a_number_stays_what_it_is_for_its_other_names(sample):
    check(sample, *CASES, joined=True)


def test_in_place_an_array_without_axes_is_written():
    check(an_array_without_axes_added_to, *CASES, joined=True, tensors=False)


def a_second_gradient(a):
    r = a.sum()
    if a[0] < 0:
        r = a * 2.0
    return np.sum(r * a)


def test_a_second_gradient_names_a_line_of_the_users():
    with pytest.raises(ag.StagingError, match="test_numbers_or_arrays.py"):
        ag.jacobian(ag.grad(ag.convert(a_second_gradient)))(*CASES[0])


# ---- gradients, and what needs to know how many axes there are ----

REDUCED = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "std": lambda r: np.std(r * CASES[0][0]),
    "var": lambda r: np.var(r * CASES[0][0]),
    "norm": np.linalg.norm,
    "of a product": lambda r: (r * CASES[0][0]).sum(),
    "of a quotient": lambda r: (CASES[0][0][:, None] / (r + 9.0)).sum(),
    "of a choice": lambda r: np.sum(np.where(r > 1, r * r, 0.25 * r)),
    "of two": lambda r: np.sum(np.exp(r / 8)) * np.mean(r),
}


@pytest.mark.parametrize("reduced", REDUCED.values(), ids=REDUCED)
def test_gradients_flow_through_either(reduced):
    def chosen(a):
        r = a[0] * a[1]
        if a[0] < 0:
            r = a * 2.0 * a[2]
        return reduced(r)

    converted = ag.convert(chosen)
    for (a,) in CASES:
        steps = np.eye(3) * 1e-6
        slopes = [(chosen(a + h) - chosen(a - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(ag.grad(converted)(a), slopes, rtol=1e-6, atol=1e-8)
    assert converted.trace_count == 1


def what_needs_the_number_of_axes(a):
    r = 0.5
    if a[0] < 0:
        r = a * 2.0
    try:
        return np.dot(r, r)  # refused
    except ValueError:
        return -1.0


def test_no_handler_takes_that_the_number_of_axes_is_not_known():
    refuse(what_needs_the_number_of_axes, *CASES[0], match="the number of axes is needed here")


def a_rule_that_needs_the_number_of_axes(a):
    r = a.sum()
    if a[0] < 0:
        r = a * 2.0
    return np.prod(r)


def test_a_gradient_that_needs_the_number_of_axes_names_the_line():
    with pytest.raises(ag.StagingError, match=r"test_numbers_or_arrays.py:\d+, in `a_rule_that"):
        ag.grad(ag.convert(a_rule_that_needs_the_number_of_axes))(*CASES[0])


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
