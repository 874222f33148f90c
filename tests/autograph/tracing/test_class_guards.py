"""What a trace takes for granted about classes: a change is seen, and no code runs more often."""

import gc
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.captures import Guard

X = np.arange(3.0)


class Log(list):
    """Says what was read."""

    def note(self, value):
        self.append(value)
        return value


def made(log, *, slots=False):
    """An object, its class, and the base of that."""

    class Root:
        pass

    class Slots:
        __slots__ = ("a", "__weakref__")

    class Kind(Root):
        k = 7.0

        def scale(self, x):
            return x + 1

        @property
        def computed(self):
            return self.a + 1

        @classmethod
        def common(cls, x):
            return x * cls.k

        def __matmul__(self, x):
            return x * 3

        def __call__(self, x):
            return x * 4

    thing = Slots() if slots else Kind()
    thing.a = 2.0
    return thing


class Other:
    a, k, computed = 6.0, 8.0, 9.0

    def scale(self, x):
        return x + 100

    def __matmul__(self, x):
        return x * 30

    def __call__(self, x):
        return x * 40

    @classmethod
    def common(cls, x):
        return -x


def prop(log, value):
    return property(lambda self: log.note(value))


READS = {
    "attribute": lambda thing: lambda x: x * thing.a,
    "attribute of an argument": None,
    "class attribute": lambda thing: lambda x: x * thing.k,
    "property": lambda thing: lambda x: x * thing.computed,
    "method": lambda thing: lambda x: thing.scale(x),
    "operator": lambda thing: lambda x: thing @ x,
    "call": lambda thing: lambda x: thing(x),
    "class method": lambda thing: lambda x: thing.common(x),
    "class": lambda thing: lambda x: x + 1 if isinstance(thing, Other) else x,
    "type": lambda thing: lambda x: x + 1 if type(thing) is Other else x,
}


def reading(name, thing):
    """A function of an array that reads the object, and what to call for it."""
    if READS[name] is None:
        f = ag.convert(lambda self, x: x * self.a)
        return (lambda x: f(thing, x)), (lambda x: x * thing.a)
    plain = READS[name](thing)
    return ag.convert(plain), plain


def runs_alike(name, change):
    """Before a change, after it, and once more; user code runs as often as in plain Python."""
    log, other_log = Log(), Log()
    one, other = made(log), made(other_log)
    converted, _ = reading(name, one)
    _, plain = reading(name, other)
    for step in range(2):
        for _ in range(3):
            try:
                expected = plain(X)
            except Exception as error:  # noqa: BLE001 - whatever Python raises
                with pytest.raises(type(error)):
                    converted(X)
            else:
                np.testing.assert_array_equal(converted(X), expected)
        if step == 0:
            change(one, log)
            change(other, other_log)
    assert log == other_log


CHANGES = {
    "property": lambda thing, log: setattr(type(thing), "a", prop(log, 3.0)),
    "same property": lambda thing, log: setattr(type(thing), "a", prop(log, 2.0)),
    "class property": lambda thing, log: setattr(type(thing), "k", prop(log, 7.0)),
    "property of the base": lambda thing, log: setattr(type(thing).__mro__[1], "a", prop(log, 2.0)),
    "another property": lambda thing, log: setattr(type(thing), "computed", prop(log, 5.0)),
    "other data": lambda thing, log: setattr(type(thing), "k", 9.0),
    "another method": lambda thing, log: setattr(type(thing), "scale", lambda self, x: x - 1),
    "a method of its own": lambda thing, log: setattr(thing, "scale", lambda x: x - 2),
    "a class method of its own": lambda thing, log: setattr(thing, "common", lambda x: x - 2),
    "another operator": lambda thing, log: setattr(type(thing), "__matmul__", Other.__matmul__),
    "another call": lambda thing, log: setattr(type(thing), "__call__", lambda self, x: x - 3),
    "another class method": lambda thing, log: setattr(
        type(thing), "common", classmethod(lambda cls, x: x + 5)
    ),
    "__getattr__": lambda thing, log: (
        setattr(type(thing), "__getattr__", lambda self, name: log.note(5.0)),
        delattr(thing, "a"),
    ),
    "__getattr__ that is not asked": lambda thing, log: setattr(
        type(thing), "__getattr__", lambda self, name: log.note(5.0)
    ),
    "another class": lambda thing, log: setattr(thing, "__class__", Other),
    "deleted": lambda thing, log: delattr(thing, "a"),
    "another dict": lambda thing, log: setattr(thing, "__dict__", {"a": 9.0, "k": 1.5}),
    "nothing that is read": lambda thing, log: setattr(type(thing), "counter", 1),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", READS)
def test_a_change_is_seen(name, change):
    runs_alike(name, CHANGES[change])


@pytest.mark.parametrize("change", ["property", "another class", "deleted", "__getattr__"])
def test_a_change_is_seen_without_native_code(change, monkeypatch):
    plain = ag.convert
    monkeypatch.setattr(ag, "convert", lambda function: plain(function, native=False))
    runs_alike("attribute", CHANGES[change])


def test_slots_that_become_properties_are_seen():
    log = Log()
    thing = made(log, slots=True)
    f = ag.convert(lambda x: x * thing.a)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X * 2)
    thing.a = 3.0
    np.testing.assert_array_equal(f(X), X * 3)
    type(thing).a = prop(log, 4.0)
    for _ in range(3):
        np.testing.assert_array_equal(f(X), X * 4)
    assert log == [4.0] * 3


def test_a_class_that_changes_elsewhere_costs_no_trace():
    thing = made(Log())
    f = ag.convert(lambda x: thing.scale(x) * thing.a)
    for i in range(5):
        type(thing).counter = i
        np.testing.assert_array_equal(f(X), (X + 1) * 2)
    assert f.trace_count == 1


def test_methods_of_bases_and_of_super_are_seen():
    class Root:
        def scale(self, x):
            return x + 1

    class Kind(Root):
        def scale(self, x):
            return super().scale(x) * 2

    thing = Kind()
    f = ag.convert(lambda x: thing.scale(x))
    for _ in range(2):
        np.testing.assert_array_equal(f(X), (X + 1) * 2)
    Root.scale = lambda self, x: x - 1
    for _ in range(2):
        np.testing.assert_array_equal(f(X), (X - 1) * 2)
    assert f.trace_count == 2


def test_what_changed_is_told():
    thing = made(Log())
    f = ag.convert(lambda x: thing.scale(x))
    f(X)
    type(thing).scale = lambda self, x: x
    f(X)
    assert "scale: changed" in f.traces()[-1].reason
    thing.scale = lambda x: x + 5
    f(X)
    assert "Kind.scale: set on the object now" in f.traces()[-1].reason
    del thing.scale
    f(X)
    thing.__class__ = Other
    f(X)
    assert "the class of a" in f.traces()[-1].reason
    assert "Other now" in f.traces()[-1].reason


def test_a_gradient_follows_a_method_that_is_replaced():
    thing = made(Log())
    f = ag.convert(lambda x: (thing.scale(x) * x).sum())
    for _ in range(2):
        np.testing.assert_array_equal(ag.grad(f)(X), 2 * X + 1)
    type(thing).scale = lambda self, x: x * x
    for _ in range(2):
        np.testing.assert_array_equal(ag.grad(f)(X), 3 * X * X)


def test_a_graph_keeps_no_class_and_no_object_alive():
    thing = made(Log())
    f = ag.convert(lambda x: HELD[0].scale(x) * HELD[0].a)
    HELD.append(thing)
    f(X), f(X)
    kept = [weakref.ref(thing), weakref.ref(type(thing))]
    HELD.clear()
    del thing
    gc.collect()
    assert [reference() for reference in kept] == [None, None]
    HELD.append(made(Log()))
    HELD[0].a = 5.0
    np.testing.assert_array_equal(f(X), (X + 1) * 5)
    HELD.clear()


HELD = []


def test_guards_of_values_are_no_guards_of_classes():
    thing = made(Log())
    f = ag.convert(lambda x: x * thing.a)
    f(X)
    guards = f.traces()[0]._traced.guards
    kinds = [guard.is_of_code for guard in guards]
    assert kinds == sorted(kinds, reverse=True)  # these are looked at first
    assert {type(guard) for guard in guards if not guard.is_of_code} <= {Guard, *_others()}


def _others():
    return Guard.__subclasses__()
