"""What a function gives back may be of another kind on each path: a tuple, a number, text, None."""

from __future__ import annotations

import dataclasses
from collections import namedtuple

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, check, refuse

samples = Samples()


MANY = tuple((A(v, w),) for v, w in ((3, 1), (1.5, -2), (0.5, 9), (-0.5, 3), (-1.5, 2), (-2.5, -9),
                                     (-3.5, 0), (-9, -1)))  # fmt: skip
Root = namedtuple("Root", "x ok")


@dataclasses.dataclass
class Report:
    value: float
    steps: int


@samples("S1", *MANY)
def one_kind_each(x):
    if x[0] > 2:
        return x, "big"
    if x[0] > 1:
        return x * 2, 1, x.sum()
    if x[0] > 0:
        return float(x[1])
    if x[0] > -1:
        return None
    if x[0] > -2:
        return {"a": x, "b": [1, 2.5]}
    if x[0] > -3:
        return Root(x[0], True)
    if x[0] > -4:
        return f"text {x[0]:.2f}"
    return Report(x[1], 3)


@samples("S1", *MANY)
def lengths_with_items_of_other_types(x):
    n = 0
    if x[0] > 2:
        n = n + 1
        return float(x[0]), n
    if x[0] > 0:
        return float(x[0]), n, x[1]
    if x[0] > -2:
        return (x[0], 1), (x[1], 2)
    return (x[0], 1), (x[1], 2), (n, x[0])


@samples("S1", *MANY)
def names_of_tuples_of_other_lengths(x):
    t = (float(x[0]), 1)
    if x[0] > 1:
        t = (float(x[0]), 1, 2)
    if x[0] < -2:
        t = t + (7,)
    return t, len(t), t[1], sum(t)


@samples("S1", *MANY)
def kinds_in_what_only_some_paths_have(x):
    n = 0
    if x[0] > 2:
        n = n + 1
        return float(x[0]), n
    if x[0] > 0:
        return {"a": "q", "b": n}
    if x[0] > -2:
        return (x[0], 1), (x[1], 2)
    return {"a": (x[0], 2), "b": n}


@samples("S1", *MANY)
def in_conditional_expressions(x):
    known = (x[0], 2.5, x) if x[0] > -2 else (x[1], 2.0, x * 2)
    return (x, 1) if x[0] > 0 else "negative" if x[1] > 2 else known if x[0] > -3 else None


@samples("S1", *MANY)
def kinds_in_a_tuple(x):
    if x[0] > 0:
        return 1, (x[0], "a")
    return 2, (x[1], x[0], "b")


@samples("S1", *MANY)
def kinds_in_an_attribute(x):
    if x[0] > 0:
        return Report(x.sum(), "many")
    return Report(x.sum(), 3)


@samples("S1", *MANY)
def one_array_in_several_places(x):
    y = x + 1
    if x[0] > 0:
        return y, y, x
    return [y, x, [y]], y


@samples("S1", *MANY)
def views_of_an_argument(x):
    if x[0] > 0:
        return x.reshape(1, 2), x
    if x[1] > 0:
        return x[:1], 1, x
    return x[0]


@samples("S1", *MANY)
def written_and_given_back(x):
    if x[0] > 0:
        x[0] = 5
        return x
    x[1] += 1
    return x, x.copy()


@samples("S1", *MANY)
def found_or_not(x):
    for i, v in enumerate(x):
        if v > 1:
            return i, v, "found"
    if x.sum() < -5:
        return "far", x
    return None


@samples("S1", *MANY)
def of_nested_branches(x):
    steps = 0
    while x[0] < 2:
        x = x + 0.7
        steps += 1
        if steps > 12:
            return None
    print("steps", steps)
    if steps == 0:
        return x, "none"
    if x[1] > 2:
        if steps > 3:
            return "many", steps, x[1]
        else:
            return [steps, 0]
    return ()


@samples("E4", *MANY)
def lists_by_data(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    if len(found) > 1:
        return found, len(found)
    if found:
        return found, "one", max(found)
    return "none"


@samples("S1", *MANY)
def a_list_or_its_only_item(x):
    found = [float(v) for v in x if v > 0]
    return found if len(found) != 1 else found[0]


@samples("E4", *MANY)
def lists_of_several_kinds(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    if x[0] > 2:
        return [found, 1]
    if x[0] > 0:
        return [x, x[0]]
    return found if x[1] > 2 else [x[1], "low"]


@samples("E2", *MANY)
def a_dict_or_a_list_of_the_caller(x, settings=None):
    settings = {"scale": x[0]} if settings is None else settings
    if x[0] > 0:
        settings["scale"] = x[1]
        return settings
    return settings, [settings]


test_sample = samples.test()


def shown_as(x):
    if x[0] > 0:
        return x, 1
    return None if x[1] > 3 else {"a": x[0] * 2.0}


def chosen_list(x):
    short, long = [1.0], [3.0, 4.0, 5.0]
    found = short if x[0] > 0 else long
    found[0] += 1
    return found


@pytest.mark.parametrize("returns", ["numpy", "tensor"])
@pytest.mark.parametrize("function", [shown_as, chosen_list])
def test_the_option_returns_leaves_the_kind(function, returns):
    f = ag.convert(function, returns=returns)
    for x in (A(1, 2), A(-1, 2), A(-1, 5)):
        assert _plain(f(x)) == _plain(function(x))


def _plain(x):
    """A result with lists of Python numbers for what is in it."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x))
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    return x if x is None or isinstance(x, str) else np.asarray(x).tolist()


def loss_and_more(x):
    if x[0] > 0:
        return (x**2).sum(), x
    return (x**3).sum()


def test_gradients_flow_through_what_was_chosen():
    f = ag.convert(loss_and_more)
    for x, slope in ((A(1, 2), A(2, 4)), (A(-1, 2), A(3, 12))):
        with ag.GradientTape() as tape:
            v = ag.constant(x)
            tape.watch(v)
            found = f(v)
            loss = found[0] if isinstance(found, tuple) else found
        np.testing.assert_array_equal(tape.gradient(loss, v).numpy(), slope)
    assert f.trace_count == 1


def chosen_in_a_list_by_data(x):
    one, other = [1.0], [2.0]
    chosen = one if x[0] > 0 else other
    chosen[0] += 5
    found = [[v] for v in x if v > 0]
    found.append(chosen)
    return found  # refused


def test_a_chosen_list_in_a_list_by_data_is_refused():
    refuse(chosen_in_a_list_by_data, A(1, 2), match="an item of it is one of several objects")


def items_of_two_kinds(x):
    found = []
    if x[0] > 1:
        found.append(x)
    else:
        found.append("none")
    return found  # refused


def test_items_of_two_kinds_are_refused_where_they_are_given():
    refuse(items_of_two_kinds, A(1, 2), match="is a float64.2. tensor on one path but the str")


def as_a_sequence(x, y):
    texts = []
    for value in (x, y, x > 1.0):
        try:
            texts.append(str(len(value)))
        except TypeError as error:
            texts.append(str(error))
        try:
            first, last = value
        except TypeError as error:
            texts.append(str(error))
        try:
            for _ in value:
                pass
        except TypeError as error:
            texts.append(str(error))
    return texts, x + y


def test_what_is_no_sequence_is_named_as_python_names_it():
    check(as_a_sequence, (2.0, np.float64(3)), (0.5, np.float64(-1)), tensors=False)


def tuples_of_other_items(a, items, s):
    if a[0] < -1:
        if a[1] < -1:
            return a[1], "t"
        return items, s * 2
    return None


def called_for_tuples_of_other_items(a, s):
    found = tuples_of_other_items(a, [s], s)
    return s if found is None else found


def test_what_no_path_or_one_of_two_gives_may_have_parts_of_several_kinds():
    cases = [(np.array([s * 2.0, t * 1.75]), 0.5) for s in (1, -1) for t in (1, -1)]
    check(called_for_tuples_of_other_items, *cases)
