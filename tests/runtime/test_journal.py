"""Tests of `runtime.journal`."""

import pytest

from runtime import journal


def slot(box, key):
    return journal.Slot(
        (id(box), key), box, f"box[{key}]", lambda: box[key], lambda v: box.__setitem__(key, v)
    )


def write(box, key, value):
    journal.note(slot(box, key))
    box[key] = value


def test_nothing_is_recorded_outside_of_a_transaction():
    box = {"a": 1}
    write(box, "a", 2)
    assert box == {"a": 2} and journal.recording() is None


def test_the_first_old_content_comes_back():
    box = {"a": 1, "b": 1}
    with journal.transaction() as t:
        write(box, "a", 2)
        write(box, "a", 3)
        write(box, "b", 4)
        assert [(s.name, old, new) for s, old, new in t.written().values()] == [
            ("box[a]", 1, 3),
            ("box[b]", 1, 4),
        ]
    assert box == {"a": 1, "b": 1}


def test_an_exception_rolls_back_too():
    box = {"a": 1}
    with pytest.raises(KeyError), journal.transaction():
        write(box, "a", 2)
        raise KeyError
    assert box == {"a": 1} and journal.recording() is None


def test_an_inner_transaction_restores_what_the_outer_one_had_written():
    box = {"a": 1}
    with journal.transaction():
        write(box, "a", 2)
        with journal.transaction() as inner:
            write(box, "a", 3)
            assert [(old, new) for _, old, new in inner.written().values()] == [(2, 3)]
        assert box == {"a": 2}
    assert box == {"a": 1}


def test_objects_made_in_a_transaction_are_not_recorded():
    with journal.transaction() as t:
        box = journal.fresh({"a": 1})
        write(box, "a", 2)
        assert journal.is_fresh(box) and not t.written()
        with journal.transaction():
            assert journal.is_fresh(box)
    assert box == {"a": 2} and not journal.is_fresh(box)
