"""Lists, dicts and objects that are one or another by data: reads and writes are of the very one."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import check


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


LATER = [
    chosen, chosen_by_statement, older_is_written, older_under_another_name,
    chosen_in_an_outer_branch, item_of_a_dict,
]  # fmt: skip


@pytest.mark.parametrize("sample", LATER, ids=lambda f: f.__name__)
def test_a_later_write_reaches_the_very_one(sample):
    check(sample, (np.float64(2.0),), (np.float64(0.5),), (np.float64(-1.0),), joined=True)


# ---- who else may see the older one ------------------------------------------------------------


class Box:
    def __init__(self, items):
        self.items = items


def changed(box, x):
    if x > 0:
        box.items = [x, 2.0]
    box.items[1] = 9.0
    return 1.0


def total(items, by):
    return items[0] + items[1] + by


def operand_that_waits(x):
    box = Box([x, 1.0])
    return total(box.items, changed(box, x))


def left_of_an_operator(x):
    box = Box([x, 1.0])
    return (box.items + [changed(box, x)])[1]


def name_that_was_read(x):
    a = [x, 1.0]

    def change():
        nonlocal a
        if x > 0:
            a = [x, 2.0]
        a[1] = 9.0
        return 1.0

    return total(a, change())


def held_by_a_closure(x):
    def holder(a):
        return lambda: a[1]

    a = [x, 1.0]
    second = holder(a)
    if x > 0:
        a = [x, x]
    a[1] = 9.0
    return second()


def held_as_a_default(x):
    a = [x, 1.0]

    def second(items=a):
        return items[1]

    if x > 0:
        a = [x, x]
    a[1] = 9.0
    return second()


def held_by_a_method(x):
    a = [x, 1.0]
    count = a.count
    if x > 0:
        a = [x, x]
    a[1] = 9.0
    return count(9.0)


def held_by_a_generator(x):
    def both(items):
        yield items[0]
        yield items[1]

    a = [x, 1.0]
    items = both(a)
    first = next(items)
    if x > 0:
        a = [x, x]
    a[1] = 9.0
    return first + next(items)


def gone_through(x):
    box, found = Box([x, 1.0]), 0.0
    for value in box.items:
        changed(box, x)
        found += value
    return found


def held_by_python_code(x):
    @ag.do_not_convert
    def plainly(change):
        a = [1.0, 2.0]
        change(a)
        return a[1]

    def change(a):
        if x > 0:
            a = [x, x]
        a[1] = 9.0

    return plainly(change) + x


def of_the_caller(x, given):
    if x > 0:
        given = [x, 1.0]
    given[0] = 9.0
    return given[0]


def read_of_the_callers(x, given):
    if x > 0:
        given = [x, 1.0]
    given[0] = 9.0
    return given[0], given[1] + x


SEEN = [
    operand_that_waits, left_of_an_operator, held_by_a_closure, held_as_a_default, held_by_a_method,
    held_by_a_generator, gone_through,
]  # fmt: skip


@pytest.mark.parametrize("sample", SEEN, ids=lambda f: f.__name__)
def test_a_write_is_seen_by_whoever_holds_the_very_one(sample):
    check(sample, (np.float64(2.0),), (np.float64(-1.0),), joined=True)


def test_plain_code_that_holds_one_sees_the_write():
    for x in (2.0, -1.0):
        assert ag.convert(held_by_python_code)(np.float64(x)) == held_by_python_code(x)


@pytest.mark.parametrize("sample", [of_the_caller, read_of_the_callers], ids=lambda f: f.__name__)
def test_a_list_of_the_callers_is_written_where_it_is_the_one(sample):
    cases = [(np.float64(x), [1.0, 2.0]) for x in (2.0, -1.0)]
    check(sample, *cases, joined=True)


def test_a_name_that_an_inner_function_binds_is_refused():
    with pytest.raises(ag.StagingError, match="depends on data") as caught:
        ag.convert(name_that_was_read)(np.float64(2.0))
    assert "| a[1] = 9.0" in str(caught.value)


def statement_of_its_own(x):
    box = Box([x, 1.0])
    count = 1.0
    count = count + changed(box, x)
    changed(box, x)
    return total(box.items, count)


def in_the_middle_of_other_work(x):
    def own(y):
        a = [y, 1.0]
        if y > 0:
            a = [y, 2.0]
        a[1] += y
        return a[0] + a[1]

    box = Box([x])
    return box.items[0] * own(x) + own(-x)


def closure_over_the_name_itself(x):
    a = [x, 1.0]

    def second():
        return a[1]

    if x > 0:
        a = [x, x]
    a[1] = a[1] + 9.0
    return second()


def written_before_it_is_chosen(x):
    one, other = [x, 2.0], [3.0, x]
    if x > 0:
        one[0] = 9.0
        picked = one
    else:
        picked = other
    return picked[0] + one[0]


def objects_of_a_class(x):
    if x > 0:
        box = Box(x)
    else:
        box = Box(-x)
    box.items += 1
    return box.items


def another_object_is_not_the_same(x):
    one, other = Box(1.0), Box(2.0)
    if x > 0:
        one = Box(x)
    return one == other, one is other, one == one, one.items + other.items  # noqa: PLR0124


RIGHT_TOO = [
    statement_of_its_own, in_the_middle_of_other_work, closure_over_the_name_itself,
    written_before_it_is_chosen, objects_of_a_class, another_object_is_not_the_same,
]  # fmt: skip


@pytest.mark.parametrize("sample", RIGHT_TOO, ids=lambda f: f.__name__)
def test_what_nobody_else_sees_may_be_written(sample):
    check(sample, (np.float64(2.0),), (np.float64(-1.0),), joined=True)


def looked_up(x):
    one = Box(1.0)
    known = {one: 2.0}
    if x > 0:
        one = Box(x)
    return x + known.get(one, 5.0)


def found_in_a_list(x):
    one = Box(1.0)
    known = [one]
    if x > 0:
        one = Box(x)
    return x + (one in known)


def compared(x):
    one = other = Box(1.0)
    if x > 0:
        one = Box(x)
    return x + (one == other)


def the_same(x):
    one = other = [1.0]
    if x > 0:
        one = [x]
    return x + (one is other)


@pytest.mark.parametrize(
    "sample", [looked_up, found_in_a_list, compared, the_same], ids=lambda f: f.__name__
)
def test_an_identity_that_depends_on_data_is_found(sample):
    check(sample, (np.float64(2.0),), (np.float64(-1.0),))


def with_other_attributes(x):
    box = Box(x)
    if x > 0:
        box = Box(1.0)
        box.more = 2.0
    return box.items


def test_objects_with_other_attributes_are_told_apart():
    check(with_other_attributes, (np.float64(2.0),), (np.float64(-2.0),), joined=True)


def test_classes_are_as_before_after_a_trace():
    ag.convert(objects_of_a_class)(np.float64(2.0))
    assert "__eq__" not in vars(Box) and "__hash__" not in vars(Box)
    assert Box.__eq__ is object.__eq__ and len({Box(1), Box(1)}) == 2


def kept_after_a_try(x):
    older = [x, 1.0]
    try:
        picked = older if x > 0 else [0.0, 0.0]
        if x < -9:
            raise ValueError
    except ValueError:
        picked = [1.0, 1.0]
    picked[0] = 9.0
    return picked[0] + older[0]


def written_in_a_try_and_after(x):
    older = [x, 1.0]
    try:
        if x > 2:
            picked = older
        elif x > 0:
            picked = [x * 2, x]
        else:
            picked = [0.0, 0.0]
        picked[0] += 1
        if x < -9:
            raise ValueError
        picked[1] += 1
    except ValueError:
        picked[1] = 7.0
    picked[0] += 9.0
    return picked, older


@pytest.mark.parametrize("sample", [kept_after_a_try, written_in_a_try_and_after])
def test_what_a_try_left_is_one_of_several_too(sample):
    check(sample, *((np.float64(x),) for x in (2.5, 1.0, -2.0, -10.0)), joined=True)


def arrays_kept_after_a_try(x):
    older = [np.ones(2), 1.0]
    try:
        if x > 2:
            picked = older
        elif x > 0:
            picked = [np.ones(2) * x, x]
        else:
            picked = [np.zeros(2), 0.0]
        if x < -9:
            raise ValueError
    except ValueError:
        pass
    picked[1] = 9.0
    return picked[1] + older[1]


def test_several_that_a_try_made_hold_no_arrays():
    with pytest.raises(ag.StagingError, match="depending on data, is left by a `try`") as caught:
        ag.convert(arrays_kept_after_a_try)(np.float64(2.0))
    assert "| picked[1] = 9.0" in str(caught.value)


# ---- what a function gives back ------------------------------------------------------------------


def a_list_of_its_path(x):
    made = [x, x + 1.0]
    if x > 1:
        return [made[0], x * 7.0]
    made[0] = made[1] * 2
    return made


def one_of_two_lists(x):
    a, b = [x, x + 1.0], [x, x + 2.0]
    return a if x > 0 else b


def the_best_of_a_loop(x):
    best = [x, x * 0.0]
    i = x * 0.0
    while i < 5:
        found = [i, i * x]
        if found[1] > best[1]:
            best = found
        i += 1
    return best


@pytest.mark.parametrize("sample", [a_list_of_its_path, one_of_two_lists, the_best_of_a_loop])
def test_e2_what_nobody_else_holds_may_be_the_result(sample):
    check(sample, (np.float64(3.0),), (np.float64(0.0),))


def one_of_two_beside_one(x):
    a, b = [x, 1.0], [x, 2.0]
    return a if x > 0 else b, a


def one_of_two_stored_beside_one(x):
    a, b = [x, 1.0], [x, 2.0]
    shelf.chosen = a if x > 0 else b
    shelf.other = a
    return x


def a_list_of_the_callers_or_another(x, given):
    return given if x > 0 else [x, 2.0]


def the_callers_list_or_a_copy(x, given):
    if x > 3:
        return [given[0], given[1]]
    given[0] = x
    return given


def a_part_or_a_copy_of_it(x):
    part = [x, 1.0]
    if x > 3:
        return {"part": [x, 2.0], "whole": [part]}
    return {
        "part": part,
        "whole": [part],
    }


shelf = Box(0.0)


def itself_or_a_copy_out_of_a_loop(x):
    made = [x, 1.0]
    while x < 3:
        x += 1
        if x > 2.5:
            return [made[0], made[1]]
        made[1] = x
        if x > 1.5:
            return made
    return made


def test_e2_what_may_be_the_result_by_then_is_changed_on_other_paths():
    cases = ((np.float64(x),) for x in (0.0, 1.2, 1.7, 5.0))
    check(itself_or_a_copy_out_of_a_loop, *cases, joined=True)


@pytest.mark.parametrize(
    ("sample", "arguments"),
    [
        (one_of_two_beside_one, ()),
        (a_list_of_the_callers_or_another, ([1.0, 2.0],)),
        (the_callers_list_or_a_copy, ([np.float64(1.0), np.float64(2.0)],)),
        (a_part_or_a_copy_of_it, ()),
    ],
)
def test_e2_the_caller_gets_the_very_one(sample, arguments):
    check(sample, *((np.float64(x), *arguments) for x in (2.0, 4.0, -1.0)), joined=True)


def test_e2_what_is_stored_is_the_very_one():
    converted = ag.convert(one_of_two_stored_beside_one)
    for x in (2.0, -1.0):
        converted(np.float64(x))
        found = shelf.chosen, shelf.other, shelf.chosen is shelf.other
        one_of_two_stored_beside_one(np.float64(x))
        assert found == (shelf.chosen, shelf.other, shelf.chosen is shelf.other)
