"""What a graph does for a call of Python code when it runs."""

import sys
import types

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.guards import Guard, Place
from autograph.operators.results.host_results import types_of
from autograph.operators.results.host_runs import Attribute, HostCall, Watch, caller_at, conform
from autograph.operators.results.remaking import Same
from runtime.origins import origin_of_caller
from runtime.spec import TensorType, type_of_number
from runtime.templates import Hole


class Refused(Exception):
    pass


def refuse(what):
    raise Refused(what)


def call(callee, args, declared=None, count=0, **options):
    given = {"watch": None, "lasting": True, "given": [], "as_arrays": False, "lends": True}
    given["keeps"], given["count"] = True, count
    run = caller_at(None, {})
    return HostCall("f", None, run, (Same(callee), args, {}), declared, **given | options)


def test_holes_are_filled_and_results_are_checked():
    assert call(divmod, [Hole(0), 3], count=1)(7) == ((2, 1),)
    assert call(divmod, [Hole(0), 3], types_of((int, int)), 1)(7) == (2, 1)
    with pytest.raises(TypeError, match="`f` gave an? ?.*tuple.* that was declared as its result"):
        call(divmod, [Hole(0), 3], types_of(int), 1)(7)
    assert call(list, [], types_of(()))() == ()


def test_tensors_are_given_as_arrays_where_that_is_asked_for():
    kinds = call(lambda x: type(x), [Same(ag.constant([1.0]))], as_arrays=True)()
    assert kinds == (np.ndarray,)


@pytest.mark.parametrize(("x", "type_", "expected"), [
    (1.5, type_of_number(0.0), 1.5), (np.float32(2), TensorType(np.dtype("f4"), ()), 2.0),
    (3, TensorType(np.dtype("f8"), ()), 3.0), (np.ones(2), TensorType(np.dtype("f8"), (None,)), None),
    (ag.constant([1, 2]), TensorType(np.dtype("i8"), (2,)), None), (np.array(4.0),
     TensorType(np.dtype("f8"), ()), 4.0),
])  # fmt: skip
def test_results_that_conform(x, type_, expected):
    found = conform(x, type_, refuse)
    if expected is None:
        assert isinstance(found, np.ndarray) and found is not x and found.dtype == type_.dtype
    else:
        assert found == expected and (type_.weak or found.dtype == type_.dtype)


def test_an_array_that_nobody_else_holds_is_not_copied():
    x = np.ones(2)
    assert conform(x, TensorType(np.dtype("f8"), (2,)), refuse, is_new=True) is x


@pytest.mark.parametrize(("x", "type_"), [
    (1, type_of_number(0.0)), (True, type_of_number(0)), (1.5, TensorType(np.dtype("i8"), ())),
    (1.0, TensorType(np.dtype("f8"), (1,))), ("x", TensorType(np.dtype("f8"), ())),
    (np.ones(3), TensorType(np.dtype("f8"), (2,))), (np.ones(2, "f4"), TensorType(np.dtype("f8"), (2,))),
])  # fmt: skip
def test_results_that_do_not(x, type_):
    with pytest.raises(Refused, match="which is not the "):
        conform(x, type_, refuse)


def test_a_watch_sees_what_changed_between():
    thing, facts = types.SimpleNamespace(a=1, b=2), types.SimpleNamespace(captured={})
    facts.guards = {n: Guard(Place(n, lambda n=n: getattr(thing, n)), 0, True) for n in ("a", "b")}
    facts.reads_at = {"a": 1, "b": 3}
    items = [1]
    late, every = Watch(facts, 2, []), Watch(facts, None, [lambda: tuple(items)])
    before = late.look(), every.look()
    assert late.changed(before[0]) is None
    thing.a = 5  # read before the second call only
    assert late.changed(before[0]) is None and every.changed(before[1]) == "`a`"
    thing.b = 5
    assert late.changed(before[0]) == "`b`"
    before = every.look()
    items.append(2)
    assert every.changed(before) == "an object"


def test_attributes_are_read_when_they_are_needed():
    assert Attribute(Attribute(Same(sys), "version_info"), "major").fill(()) == 3


def test_the_frame_that_calls_stands_at_the_users_line():
    origin = origin_of_caller()
    seen = []

    def look():
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        return frame.f_globals

    assert caller_at(origin, globals())(look, (), {}) is globals()
    name = "test_the_frame_that_calls_stands_at_the_users_line"
    assert seen == [(__file__, origin.lineno, name)]
