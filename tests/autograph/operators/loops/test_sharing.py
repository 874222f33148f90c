"""The arrays that the rounds of a loop make, and the names that share them."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.loops.sharing import Ownership
from autograph.operators.symbolic.arrays import Owning, Which
from autograph.operators.symbolic.choices import Optional
from autograph.operators.symbolic.forms import Leaf
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.references import choice_of, refer, reference_of, reserve
from runtime import ops
from runtime.building import body, building
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def owning(name):
    return Owning(VECTOR, (), (), reserve(), name)


def array(first):
    return ops.full((3,), float(first)).as_array()


def shared(ownership, form, array, index=None, parts=None):
    return ownership.share(form, array, form.own if index is None else index, parts or {})


def test_an_own_array_is_the_content_that_the_loop_carries():
    with tracing():
        form = owning("x")
        ownership = Ownership()
        ownership.begin([form, Leaf(type_of_number(1))])
        content = array(1)
        made = shared(ownership, form, content)
        assert reference_of(made).index == form.own and made.current() is content.current()


def test_a_form_inside_another_has_its_array_too():
    with tracing():
        form = owning("x")
        ownership = Ownership()
        ownership.begin([Optional(form)])
        assert reference_of(shared(ownership, form, array(1))).index == form.own


def test_a_name_may_be_an_older_array_or_its_own():
    with tracing():
        older = array(1)
        (part,) = reference_of(older).parts.values()
        form, index = owning("x"), placeholder("int64", weak=True)
        ownership = Ownership()
        ownership.begin([form])
        made = shared(ownership, form, array(2), index, {part.number: part})
        assert set(choice_of(made).parts) == {part.number, form.own}


def left_by(ownership, forms, arrays, inner):
    return ownership.resolve([Which(f, a) for f, a in zip(forms, arrays)], inner)


def test_two_names_that_a_round_left_one_array_have_its_first_owners_number():
    with tracing(), body("body", building()) as inner:
        x, y = owning("x"), owning("y")
        ownership, made = Ownership(), array(1)
        numbers, is_new = left_by(ownership, [x, y], [made, made], inner)
        assert numbers == [x.own, x.own] and is_new
        assert ownership.others == {y.own: {x.own}}
        assert left_by(ownership, [x, y], [made, made], inner) == (numbers, False)


def test_two_arrays_are_each_its_names_own():
    with tracing(), body("body", building()) as inner:
        x, y = owning("x"), owning("y")
        ownership = Ownership()
        numbers, is_new = left_by(ownership, [x, y], [array(1), array(2)], inner)
        assert numbers == [x.own, y.own] and not is_new and ownership.others == {}


def test_an_array_from_before_the_loop_keeps_its_number():
    with tracing():
        older = array(1)
        number = reference_of(older).index
        with body("body", building()) as inner:
            numbers, _ = left_by(Ownership(), [owning("x")], [older], inner)
        assert numbers == [number]


def test_a_name_that_no_round_bound_has_no_number():
    with tracing(), body("body", building()) as inner:
        assert left_by(Ownership(), [owning("x")], [NOTHING], inner)[0] == [NOTHING]


def test_a_view_of_another_names_array_is_carried_as_one():
    with tracing(), body("body", building()) as inner:
        x, y = owning("x"), owning("y")
        ownership, made = Ownership(), array(1)
        _, is_new = left_by(ownership, [x, y], [made, made[1:]], inner)
        assert is_new and ownership.views == {y.own: {x.own}}


def test_such_a_view_may_be_read_until_the_other_is_written():
    with tracing():
        x, y = owning("x"), owning("y")
        ownership = Ownership()
        ownership.views = {y.own: {x.own}}
        ownership.begin([x, y])
        whole = shared(ownership, x, array(1))
        view = shared(ownership, y, array(1))
        ownership.assume()
        assert view.current() is not None
        whole.assign(whole + 1)
        with pytest.raises(ag.StagingError, match="`y` is a view"):
            view.current()


def test_a_number_that_all_rounds_left_is_known_after_the_loop():
    with tracing():
        older = array(1)
        (part,) = reference_of(older).parts.values()
        form = owning("x")
        ownership = Ownership()
        ownership.left[form.own] = part.number
        for surely in (False, True):
            ownership.surely_left = surely
            ownership.begin([form])
            index = placeholder("int64", weak=True)
            made = shared(ownership, form, array(2), index, {part.number: part})
            assert (made is refer(part.number, {part.number: part}, VECTOR)) is surely
