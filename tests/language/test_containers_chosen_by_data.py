"""Lists, dicts and objects that are one or another by data: reads are right, writes are refused."""

from __future__ import annotations

import pytest

import autograph as ag


def read_of_chosen(x):
    older = [1.0, 2.0]
    a = older if x > 0 else [0.0, 0.5]
    return a[0] + a[1] + older[0]


def two_names_of_one_list(x):
    if x > 0:
        a = b = [x, 2.0]
    else:
        a = b = [0.0, x]
    a[0] = 9.0
    return b[0] + b[1]


def rebound_name(x):
    a = [1.0, 2.0]
    if x > 0:
        a = [x, 0.0]
    a[0] = a[0] + 9.0
    return a[0] + a[1]


def nested_rebinding(x):
    a = [1.0, 2.0]
    if x > 0:
        if x > 1:
            a = [x, 0.0]
        a[0] = 9.0
    return a[0] + a[1]


def name_inside_a_branch(x):
    if x > 0:
        made = [x, 1.0]
        out = made
    else:
        out = [0.0, x]
    out[0] = 5.0
    return out[0] + out[1]


def write_in_each_branch(x):
    older = [1.0, 2.0]
    if x > 0:
        older[0] = 9.0
    else:
        older[1] = x
    return older[0] + older[1]


RIGHT = [
    read_of_chosen, two_names_of_one_list, rebound_name, nested_rebinding, name_inside_a_branch,
    write_in_each_branch,
]  # fmt: skip


@pytest.mark.parametrize("sample", RIGHT, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [2.0, 0.5, -1.0])
def test_what_a_branch_left_is_what_python_leaves(sample, x):
    assert ag.convert(sample)(x) == sample(x)


def chosen(x):
    older = [1.0, 2.0]
    a = older if x > 0 else [0.0, 0.0]
    a[0] = 9.0
    return a[0] + older[0]


def chosen_by_statement(x):
    older = [1.0, 2.0]
    if x > 0:
        picked = older
    else:
        picked = [0.0, 0.0]
    picked.reverse()
    return picked[0] + older[0]


def older_is_written(x):
    older = [1.0, 2.0]
    if x > 0:
        picked = older
    else:
        picked = [0.0, 0.0]
    older[0] = 7.0
    return picked[0] + older[0]


def older_under_another_name(x):
    picked = [1.0, 2.0]
    other = picked
    if x > 0:
        picked = [0.0, x]
    picked += [3.0]
    return other[0] + picked[0]


def chosen_in_an_outer_branch(x):
    older = [1.0, 2.0]
    picked = [3.0, 4.0]
    if x > 0:
        if x > 1:
            picked = older
        else:
            picked = [x, x]
    picked[0] = 9.0
    return picked[0] + older[0]


def item_of_a_dict(x):
    older = [1.0, 2.0]
    d = {"picked": [0.0, x]}
    if x > 0:
        d["picked"] = older
    d["picked"][0] = 9.0
    return d["picked"][0] + older[0]


REFUSED = [
    (chosen, "a[0] = 9.0", "the value of the conditional expression"),
    (chosen_by_statement, "picked.reverse()", "`picked`"),
    (older_is_written, "older[0] = 7.0", "`picked`"),
    (older_under_another_name, "picked += [3.0]", "`picked`"),
    (chosen_in_an_outer_branch, "picked[0] = 9.0", "`picked`"),
    (item_of_a_dict, 'd["picked"][0] = 9.0', "picked"),
]


@pytest.mark.parametrize(("sample", "line", "name"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_a_later_write_is_refused_at_its_line(sample, line, name):
    with pytest.raises(ag.StagingError, match="depends on data") as caught:
        ag.convert(sample)(2.0)
    assert f"| {line}" in str(caught.value)
    assert name in str(caught.value)
