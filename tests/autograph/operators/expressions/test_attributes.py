"""Attributes: descriptors of the user's are converted, stores go through the journal."""

import functools
import math

import numpy as np
import pytest

import autograph as ag
from autograph.operators.expressions import attributes
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing
from tests.language.harness import check


def magnitude(x):
    if x > 0:
        return x
    return -x


class Meter:
    limit = 10.0

    def __init__(self, value):
        self.raw = value

    @property
    def value(self):
        return magnitude(self.raw)

    @value.setter
    def value(self, x):
        self.raw = magnitude(x)

    @value.deleter
    def value(self):
        del self.raw

    @functools.cached_property
    def cached(self):
        return magnitude(self.raw)


class Fallback:
    def __getattr__(self, name):
        return name.upper()


class Recording:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, [value])


class Slotted:
    __slots__ = ("x",)


def test_in_python_descriptors_run_as_they_are():
    meter = Meter(-3)
    assert attributes.getattr_(meter, "value") == 3
    attributes.setattr_(meter, "value", -4)
    assert meter.raw == 4
    attributes.delattr_(meter, "value")
    assert not hasattr(meter, "raw") and attributes.getattr_(Fallback(), "abc") == "ABC"


def test_getter_setter_and_cached_property_are_converted_in_a_graph():
    with tracing():
        x = placeholder()
        meter = journal.fresh(Meter(x))  # unconverted, `magnitude` would refuse the branch
        assert not attributes.getattr_(meter, "value").is_known
        attributes.setattr_(meter, "value", x - 1)
        cached = attributes.getattr_(meter, "cached")
        assert not cached.is_known and attributes.getattr_(meter, "cached") is cached
        attributes.delattr_(meter, "value")
        assert "raw" not in vars(meter)


def test_getattr_of_the_users_is_asked_last_and_its_need_is_guarded():
    thing = Fallback()
    vars(thing)["held"] = 1
    with tracing(thing) as facts:
        assert attributes.getattr_(thing, "held") == 1
        assert attributes.getattr_(thing, "abc") == "ABC"
        assert ("attr", id(thing), "abc") in facts.captures.guards


def test_a_store_of_the_users_is_run_and_undone():
    thing = Recording()
    with tracing(thing):
        attributes.setattr_(thing, "x", 1)
        assert thing.x == [1]
    assert vars(thing) == {}


def test_the_plain_ones_pass_the_special_methods_by():
    thing = Recording()
    with tracing(thing):
        attributes.setattr_plain(thing, "x", 1)
        assert attributes.getattr_plain(thing, "x") == 1
        attributes.delattr_plain(thing, "x")
        with pytest.raises(AttributeError, match="no attribute 'x'"):
            attributes.getattr_plain(thing, "x")


def test_a_value_that_the_class_holds_is_guarded_there():
    meter = Meter(1.0)
    with tracing(meter) as facts:
        assert attributes.getattr_(meter, "limit") == 10.0
        assert any("Meter.limit" in guard.place.name for guard in facts.captures.guards.values())


class WithBoth(Slotted):
    """It has a slot and a `__dict__`."""


@pytest.mark.parametrize("make", [lambda: Meter(1), Slotted, WithBoth])
def test_an_attribute_that_was_not_there_is_gone_after_the_trace(make):
    thing = make()
    with tracing(thing):
        attributes.setattr_(thing, "x", 1)
    assert not hasattr(thing, "x")


def test_a_slot_that_was_deleted_has_its_value_again():
    thing = Slotted()
    thing.x = 1
    with tracing(thing):
        attributes.delattr_(thing, "x")
        assert not hasattr(thing, "x")
    assert thing.x == 1


def test_functions_of_modules_are_read_without_a_guard():
    with tracing() as facts:
        assert attributes.getattr_(math, "pi") == math.pi and not facts.captures.guards


def test_what_numpy_lacks_is_an_attribute_error_and_what_we_lack_is_ours():
    with tracing():
        x = placeholder(shape=(3,))
        with pytest.raises(AttributeError, match="'numpy.ndarray' object has no attribute 'shap'"):
            attributes.getattr_(x, "shap")
        with pytest.raises(ag.StagingError, match="`.ctypes` of .* has no tensor form yet"):
            attributes.getattr_(x, "ctypes")


def test_a_traced_python_number_has_no_attributes_of_arrays():
    with tracing() as facts:
        facts.captures.tensors = False
        number = placeholder(weak=True)
        with pytest.raises(AttributeError, match="'float' object has no attribute 'shape'"):
            attributes.getattr_(number, "shape")
        assert attributes.getattr_(placeholder(), "shape") == ()
        assert attributes.getattr_(np.ones(2), "shape") == (2,)


def test_none_that_an_object_of_the_trace_holds_is_no_attribute_of_a_class():
    class Link:
        __slots__ = ("after", "value")

        def __init__(self, value):
            self.value, self.after = value, None

    @ag.convert
    def linked(x):
        link, part = Link(x), slice(None, 2)
        if link.after is None and part.start is None:
            return link.value[part]
        return x

    assert linked(np.ones(3)).tolist() == linked(np.ones(3)).tolist() == [1.0, 1.0]
    assert linked.trace_count == 1, linked.explain()


# ---- attributes that one path only sets ----------------------------------------------------------


class Lazy:
    shared = 0.5

    def __init__(self, x):
        self.x, self.calls = x, 0

    def __getattr__(self, name):
        if name.startswith("free_"):
            return 7.0
        raise AttributeError(f"no {name}")

    @functools.cached_property
    def square(self):
        self.calls += 1
        return self.x * self.x

    def twice(self):
        if not hasattr(self, "_twice"):
            self.calls += 10
            self._twice = self.x * 2
        return self._twice


class Slot:
    __slots__ = ("a",)


class Plain:
    pass


def set_where_it_is_positive(x):
    lazy = Lazy(x)
    if x > 0:
        lazy.free_a, lazy.shared, lazy._twice = x, x, x * 3
        total = lazy.square
    else:
        total = x
    lazy.x = x + 1
    return total + lazy.square, lazy.square, lazy.twice(), lazy.free_a, lazy.shared, lazy.calls


def asked_for(x):
    plain = Plain()
    if x > 0:
        plain.a = x
    return hasattr(plain, "a"), getattr(plain, "a", 3.0), getattr(plain, "b", 4.0)


def read_in_a_try(x):
    plain = Plain()
    plain.a = x
    if x > 0:
        del plain.a
    try:
        return plain.a * 2
    except AttributeError as error:
        print(error)
        return -x


def read_plainly(x):
    plain = Plain()
    if x > 0:
        plain.a = x
    return plain.a * 2


def read_of_a_slot(x):
    held = Slot()
    if x > 0:
        held.a = x
    return held.a * 2


@pytest.mark.parametrize(
    "sample",
    [set_where_it_is_positive, asked_for, read_in_a_try, read_plainly, read_of_a_slot],
    ids=lambda f: f.__name__,
)
def test_an_attribute_that_one_path_sets(sample):
    check(sample, (2.0,), (-2.0,), joined=True)
