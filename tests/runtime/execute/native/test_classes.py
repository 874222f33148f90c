"""The versions of classes."""

import gc

import pytest

from runtime.execute.native.classes import Version


def kinds():
    base = type("Base", (), {"x": 1})
    return base, type("Kind", (base,), {})


def test_a_class_that_was_not_looked_at_is_not_current():
    version = Version(kinds()[1])
    assert not version.is_current()


@pytest.mark.parametrize(
    "change",
    [
        lambda base, kind: setattr(kind, "x", 2),
        lambda base, kind: setattr(base, "x", 2),
        lambda base, kind: delattr(base, "x"),
        lambda base, kind: setattr(kind, "__getattr__", lambda self, name: None),
        lambda base, kind: setattr(kind, "__bases__", (type("Other", (), {}),)),
    ],
)
def test_a_change_of_a_class_or_its_base_is_seen(change):
    base, kind = kinds()
    version = Version(kind)
    version.renew()
    assert version.is_current()
    kind().x = 5
    assert version.is_current()
    change(base, kind)
    assert not version.is_current()
    getattr(kind, "x", None)
    assert not version.is_current()
    version.renew()
    assert version.is_current()


def test_what_is_forgotten_is_not_current():
    _, kind = kinds()
    version = Version(kind)
    version.renew()
    version.forget()
    assert not version.is_current()


def test_a_class_that_died_is_current_for_ever():
    base, kind = kinds()
    version = Version(kind)
    version.renew()
    del kind, base
    gc.collect()
    assert version.kind is None
    assert version.is_current()
    version.forget()
    version.renew()
    others = [type("Other", (), {}) for _ in range(100)]
    assert version.is_current()
    assert len(others) == 100


def test_a_class_that_changes_at_each_turn_is_seen_each_time():
    _, kind = kinds()
    version = Version(kind)
    for i in range(3000):  # CPython 3.13 gives a class no more than a thousand versions
        kind.x = i
        assert not version.is_current()
        version.renew()
