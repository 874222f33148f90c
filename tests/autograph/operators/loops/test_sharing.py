"""The arrays that the rounds of a loop make, and the names that share them."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.loops.sharing import Ownership
from autograph.operators.symbolic.arrays import Owning, Which
from autograph.operators.values.carried import NOTHING
from autograph.operators.values.references import reserve
from runtime import ops
from runtime.building import body, building
from runtime.spec import TensorType
from tests.autograph.operators.tracing_by_hand import tracing

VECTOR = TensorType(np.dtype("f8"), (3,))


def owning(name):
    return Owning(VECTOR, (), (), reserve(), name)


def array(first):
    return ops.full((3,), float(first)).as_array()


def shared(ownership, form, array, index=None, parts=None):
    return ownership.share(form, array, form.own if index is None else index, parts or {})


def left_by(ownership, forms, arrays, inner):
    return ownership.resolve([Which(f, a) for f, a in zip(forms, arrays)], inner)


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
