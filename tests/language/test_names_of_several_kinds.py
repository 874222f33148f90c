"""Names that are of another kind on each path: a number, text, a tuple, a list."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check


def text_or_number(x):
    label = "low"
    if x > 3:
        label = x
    return label, isinstance(label, str)


def chosen_in_an_expression(x):
    label = "low" if x < 0 else x
    return label if label == "low" else label + 1.0


def three_kinds(x):
    found = 0
    if x > 3:
        found = "high"
    elif x > 0:
        found = [x]
    return str(found), found


def tuple_or_list(x):
    r = (x, 1) if x > 0 else [x]
    return len(r), r[0]


def left_by_a_try(x):
    found = "none"
    try:
        if x > 3:
            raise ValueError(x)
        found = x
    except ValueError as error:
        print(error)
    return found


def refused_by_python(x):
    r = "text" if x > 0 else 3.0
    try:
        return r + 1.0
    except TypeError as error:
        return str(error)


def raises_where_python_raises(x):
    r = "text" if x > 0 else 3.0
    return r + 1.0


@pytest.mark.parametrize("sample", [
    text_or_number, chosen_in_an_expression, three_kinds, tuple_or_list, left_by_a_try,
    refused_by_python, raises_where_python_raises,
], ids=lambda f: f.__name__)  # fmt: skip
def test_a_name_is_of_the_kind_of_its_path(sample):
    check(sample, (2.0,), (5.0,), (-1.0,))


def best_of(xs):
    best = "none"
    for x in xs:
        if best == "none" or x > best:
            best = x
    return best


def last_label(xs):
    label = None
    for x in xs:
        if x > 2:
            label = "big"
        elif x > 1:
            label = x
    return label


def test_a_name_is_a_number_after_one_round_and_text_after_another():
    cases = [(np.array(xs),) for xs in ([1.0, 2.0], [3.0, 1.5], [0.0, 0.5])]
    check(best_of, *cases)
    check(last_label, *cases)


def list_or_number(x, ys):
    if x > 0:
        r = ys
    else:
        r = 1.0
    ys[0] = 7.0
    if isinstance(r, list):
        r.append(x)
    return r, ys


def list_or_text_of_the_loop(x, n):
    items = [x]
    r = "none"
    for i in range(n):
        if i > 1:
            r = items
        items.append(1.0)
    items[0] = 50.0
    return r


def test_a_list_that_a_name_may_be_is_that_very_list():
    check(list_or_number, *[(x, [1.0, 2.0]) for x in (2.0, -1.0)])
    check(list_or_text_of_the_loop, *[(1.0, np.int64(n)) for n in (0, 2, 4)])
    ys = [1.0]
    assert ag.convert(list_or_number)(3.0, ys)[0] is ys


def test_the_gradient_of_a_name_of_several_kinds():
    def f(x):
        y = x * x if x > 0 else "none"
        return 0.0 if isinstance(y, str) else y * 3.0

    assert ag.grad(ag.convert(f))(2.0) == 12.0 and ag.grad(ag.convert(f))(-2.0) == 0.0


def none_or_one_of_two_lists(a):
    kept = [0.5, 1.5]
    r = None
    if a[0] < -1:
        r = [[a[2]]]
    if a[1] < 0:
        r = kept
    if isinstance(r, list):
        r[0] = 9.0
    return kept, a[0]


def none_or_a_list_that_grows_either_way(a):
    kept = [0.5, 1.5]
    r = None
    if a[0] < -1:
        r = [[a[2]]]
    if a[1] < 0:
        r = kept
    if isinstance(r, list):
        r.append(9.0)
    return kept, a[0]


def test_a_write_into_what_may_be_none_or_one_of_two_lists_is_never_lost():
    cases = [(np.array([s * 2.0, t * 1.75, 1.25]),) for s in (1, -1) for t in (1, -1)]
    check(none_or_one_of_two_lists, *cases)
    with pytest.raises(ag.StagingError, match="a list that is changed in place .* not of one kind"):
        ag.convert(none_or_a_list_that_grows_either_way)(*cases[1])


def none_number_or_array(a):
    r = None
    if a[0] < 0:
        r = a
    if a[1] < 0:
        r = 2.0
    return isinstance(r, np.ndarray)


def class_of_number_or_array(a):
    r = a if a[0] < 0 else 2.0
    return type(r)


@pytest.mark.parametrize("sample", [none_number_or_array, class_of_number_or_array])
def test_whether_a_name_is_a_number_or_an_array_is_not_guessed(sample):
    with pytest.raises(ag.StagingError, match="whether this is a number or an array depends on"):
        ag.convert(sample)(np.array([1.0, -1.0]))


def an_argument_of_any_rank(a):
    return isinstance(a, np.ndarray), isinstance(a, list)


def test_an_argument_of_unknown_rank_is_an_array():
    f = ag.convert(an_argument_of_any_rank, input_signature=[ag.TensorSpec(None, np.float64)])
    assert f(np.array([1.0, 2.0])) == (True, False) == f(np.array([[1.0]]))


def none_or_a_function(a):
    r = None
    if a[0] < 0:
        r = np.sum
    if a[1] < 0:
        r = np.max
    return (r(a) if callable(r) else 0.0), callable(a), callable(len)


def number_or_list(a):
    r = [a[0]] if a[1] < 0 else a[1]
    return callable(r), a[0]


def test_what_can_be_called():
    cases = [(np.array([s * 2.0, t * 1.75]),) for s in (1, -1) for t in (1, -1)]
    check(none_or_a_function, *cases, joined=True)
    check(number_or_list, *cases)


def none_or_an_array(a):
    r = None
    if a[0] < 0:
        r = a
    return (1 if r else 2), bool(r)


def none_or_one_item(a):
    r = None
    if a[0] < 0:
        r = a[1:]
    return (r or 7.0) is not None, not r


def test_the_truth_of_what_may_be_none_is_asked_where_it_is_there():
    cases = [(np.array([s * 2.0, t * 1.75]),) for s in (1, -1) for t in (1, -1)]
    check(none_or_an_array, *cases)
    check(none_or_one_item, *cases)
