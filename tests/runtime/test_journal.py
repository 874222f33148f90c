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


def test_a_note_of_any_open_transaction_is_known():
    box = {"a": 1}
    with journal.transaction():
        assert not journal.is_noted()
        write(box, "a", 2)
        with journal.transaction():
            assert journal.is_noted()
    assert not journal.is_noted()


def test_generators_made_in_an_inner_transaction_are_the_outer_ones():
    with journal.transaction() as outer:
        with journal.transaction() as inner:
            made = journal.fresh(x for x in "ab")
            assert inner.has_made(made) and not outer.has_made(made)
            inner.commit()
        assert outer.has_made(made)


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


def test_what_stands_for_others_may_be_each_of_them():
    one, two, three, made, again = [1], [2], [3], [4], [5]
    with journal.transaction():
        journal.note_chosen(made, (one, two))
        with journal.transaction() as inner:
            journal.note_chosen(again, (made, three))
            assert journal.may_be(again) == [again, made, one, two, three]
        assert journal.may_be(again) == [again]
        assert journal.may_be(again, inner.chosen) == [again, made, one, two, three]
        assert journal.may_be(one) == [one]


def test_a_result_may_be_put_where_a_write_is_refused():
    box = [1]
    place = journal.Slot(("content", id(box)), box, "a list", box.copy, box.__init__)
    with journal.transaction() as t:
        journal.note_kin(box, "box")
        with pytest.raises(journal.StagingError, match="which list `box` is depends on data"):
            journal.note(place)
        journal.note_result(place)
        assert place.key in t.slots and place.is_content
