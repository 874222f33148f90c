"""Names that only one path binds, or binds to None."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A, I
from tests.language.harness import Samples, refuse

samples = Samples()
F = np.float64


# ---- names bound on one path (B2.03, S12) ----------------------------------------------------


@samples("B2.03", (F(2),), (F(-2),), conds=1)
def bound_in_one_branch_and_dead(x):
    if x > 0:
        t = x * 2
        y = t + 1
    else:
        y = x
    return y


@samples("B2.03", (F(2),), (F(-2),))
def cond_undefined_later_used_guarded(x):
    if x > 0:
        y = x * 7
    z = F(0)
    if x > 0:
        z = y
    return z


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read(x):
    if x > 0:
        y = x * 7
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_read_in_else(x):
    if x > 0:
        y = x
    if x > 0:
        z = 1.0
    else:
        z = y
    return x * z


@samples("B2.03", (F(2),), (F(-2),))
def deleted_in_branch(x):
    y = x * 3
    if x > 0:
        del y
    return y


@samples("B2.03", (F(2),), (F(-2),))
def undefined_augmented(x):
    if x > 0:
        total = x
    total += 1
    return total


@samples("B2.03", (A(1, 2), F(0)), (A(1, -2), F(0)), (A(-1, -2), F(0)))
def undefined_in_loop(x, s):
    for v in x:
        if v > 0:
            last = v
        s = s + last
    return s


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def bound_in_loop_only(n, x):
    for i in range(n):
        y = x * i
    return y


@samples("B2.09", (I(3), F(1)), (I(0), F(1)), whiles=1)
def loop_target_after_loop(n, x):
    for i in range(n):
        x = x + i
    return i, x


@samples("B2.09", (F(9), F(1)), (F(0), F(1)), whiles=1)
def bound_in_while_only(n, x):
    while n > 1:
        n = n / 2
        y = x + n
    return y


# ---- None on one path (B2.04) ----------------------------------------------------------------


@samples("B2.04", (F(2),), (F(-2),))
def none_on_both(x):
    y = None
    if x > 0:
        z = x
    else:
        z = -x
    return z if y is None else y


@samples("B2.04", (F(2),), (F(-2),))
def none_replaced_on_both(x):
    y = None
    if x > 0:
        y = x
    else:
        y = -x
    return y


@samples("B2.04", (F(2),), (F(-2),))
def none_unused_afterwards(x):
    y = None
    if x > 0:
        y = x * 2
        x = y
    return x


test_names_on_one_path = samples.test()


# ---- what an earlier call has left ---------------------------------------------------------------


class Kept:
    pass


KEPT = Kept()


def keeping_function():
    pass


def an_attribute(x):
    if x > 0:
        KEPT.last = float(x)
    return getattr(KEPT, "last", -1.0)


def an_attribute_that_a_loop_sets(x):
    for k in range(int(x)):
        KEPT.last = float(k)
    return getattr(KEPT, "last", -1.0)


def an_attribute_of_a_class(x):
    if x > 0:
        Kept.last = float(x)
    return getattr(Kept, "last", -1.0)


def an_attribute_of_a_function(x):
    if x > 0:
        keeping_function.last = float(x)
    return getattr(keeping_function, "last", -1.0), hasattr(keeping_function, "last")


def an_attribute_that_may_be_missing(x):
    if x > 0:
        Kept.last = float(x)
    return Kept.last


def a_name_of_the_module(x):
    global LEFT
    if x > 0:
        LEFT = float(x)
    try:
        return LEFT + 1.0
    except NameError:
        return -1.0


def a_name_that_may_be_missing(x):
    global LEFT
    if x > 0:
        LEFT = float(x)
    return LEFT


def a_name_that_is_read_first(x):
    global LEFT
    try:
        found = LEFT
    except NameError:
        found = -1.0
    if x > 0:
        LEFT = float(x)
    return found


class Counter:
    count, scale = 0, 1.0


class Special(Counter):
    pass


THING = Counter()


def a_default_of_the_class(x):
    if x > 0:
        THING.scale = THING.scale + 1.0
    Counter.scale = Counter.scale * 2.0
    return THING.scale


def a_default_that_a_loop_replaces(x):
    thing = Counter()
    for k in range(3):
        if x > k:
            thing.count += 1
    Counter.count += 10
    return float(thing.count)


def a_default_of_the_class_above(x):
    if x > 0:
        Special.scale = Special.scale + 1.0
    Counter.scale = Counter.scale * 2.0
    return Special.scale


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", [(-1, 2, -1, 3, -2), (2, -1, 3)])
@pytest.mark.parametrize("sample", [
    a_default_of_the_class, a_default_that_a_loop_replaces, a_default_of_the_class_above,
])  # fmt: skip
def test_e2_a_default_of_a_class_stays_one_where_no_path_replaces_it(sample, order, backend):
    """The object was given the default of its class on the other paths."""

    def outcomes(function):
        Counter.count, Counter.scale = 0, 1.0
        for owner in (THING, Special):
            if "scale" in vars(owner):
                del owner.scale
        for x in order:
            yield function(F(x)), "scale" in vars(THING), "scale" in vars(Special)

    expected = list(outcomes(sample))
    with config.backend.using(backend), config.check.using(True):
        assert list(outcomes(ag.convert(sample))) == expected


def forget():
    for owner in (KEPT, Kept, keeping_function):
        if "last" in vars(owner):
            del owner.last
    globals().pop("LEFT", None)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", [(-1, 2, -1, 3, -2), (2, -1, 3)])
@pytest.mark.parametrize("sample", [
    an_attribute, an_attribute_that_a_loop_sets, an_attribute_of_a_class, a_name_of_the_module,
    an_attribute_of_a_function, an_attribute_that_may_be_missing, a_name_that_may_be_missing,
    a_name_that_is_read_first,
])  # fmt: skip
def test_e2_what_one_path_sets_is_there_in_later_calls(sample, order, backend):
    def outcomes(function):
        forget()
        for x in order:
            try:
                yield function(F(x))
            except (AttributeError, NameError) as error:
                yield type(error), str(error)

    f = ag.convert(sample)
    expected = list(outcomes(sample))
    with config.backend.using(backend), config.check.using(True):
        assert list(outcomes(f)) == expected
    assert f.trace_count <= 3  # without it, with a number, with a number that changes
    forget()


def test_b2_03_a_name_of_the_function_around_is_a_name_error():
    def sample(x):
        def twice():
            return y * 2

        if x > 0:
            y = x
        return twice()

    f = ag.convert(sample)
    assert f(F(2)) == 4.0
    with pytest.raises(NameError, match="cannot access free variable 'y' where") as caught:
        f(F(-2))
    assert type(caught.value) is NameError


def looks_at_all_names(x):
    global LEFT
    if x > 0:
        LEFT = float(x)
    return "LEFT" in globals()  # refused


def test_s12_all_names_of_the_module_are_not_looked_at_where_one_depends_on_data():
    forget()
    refuse(looks_at_all_names, F(1), match="whether `LEFT` is in it depends on data")
    forget()
