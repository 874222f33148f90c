"""What a graph does for a call of Python code when it runs."""

import sys
import types

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.attempt import Attempt
from autograph.operators.captured.captures import Trace
from autograph.operators.captured.context import Adoption, Context, OpenLists
from autograph.operators.captured.guards import Guard, Place
from autograph.operators.results.host_results import types_of
from autograph.operators.results.host_runs import Attribute, HostCall, Watch, caller_at, conform
from autograph.operators.results.reconstruction import Same, handing_out, objects
from runtime.effects.host import hosting, lending
from runtime.execute.kernels import Settings
from runtime.execute.tracebacks import standing
from runtime.origins import origin_of_caller
from runtime.spec import TensorType, type_of_number
from runtime.structure.templates import Hole, LazyString


class Refused(Exception):
    pass


def refuse(what):
    raise Refused(what)


def call(callee, args, declared=None, count=0, **options):
    given = {"watch": None, "lasting": True, "given": [], "as_arrays": False, "lends": True}
    given |= {"keeps": True, "advances": False, "count": count}
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
    thing, facts = (
        types.SimpleNamespace(a=1, b=2),
        Trace(None, Context(), Adoption(), OpenLists(), Attempt()),
    )
    facts.captures.guards = {
        n: Guard(Place(n, lambda n=n: getattr(thing, n)), 0, True) for n in ("a", "b")
    }
    facts.effects.reads_at = {"a": 1, "b": 3}
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


def test_a_call_of_numbers_and_texts_is_written_at_the_users_line():
    origin = origin_of_caller()
    seen = []

    def look(*given):
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        assert frame.f_globals is globals() and lending() is None and objects() == {}
        return given

    text = LazyString(("x = ", (Hole(0), -1, ".1f")))
    made = HostCall(
        "f", origin, caller_at(origin, globals()), (Same(look), [Hole(1), text, ("k", None)], {}),
        None, watch=None, lasting=True, given=[], as_arrays=False, lends=True, keeps=True, advances=False,
        count=2,
    )  # fmt: skip
    written = made.directly()
    assert written.__code__ in standing
    array = np.zeros(2)
    for _ in range(2):
        with handing_out({1: 2}), hosting([array]) as lent:
            assert written(0.25, 7) == (7, "x = 0.2", ("k", None))
            assert lending() is lent and objects() == {1: 2} and array.flags.writeable
    here = __file__, origin.lineno, "test_a_call_of_numbers_and_texts_is_written_at_the_users_line"
    assert seen == [here, here]
    # Where no call said that it lends anything, one is made for this.
    assert written(0.25, 7)[0] == 7 and made(0.25, 7) == ((7, "x = 0.2", ("k", None)),)


@pytest.mark.parametrize(("part", "options"), [
    ([Hole(0)], {}), ({"k": Hole(0)}, {}), (Hole(0), {"as_arrays": True}), (Hole(0), {"given": [()]}),
    (np.zeros(1), {}), (call, {}),
])  # fmt: skip
def test_other_calls_are_not_written(part, options):
    made = call(type, [part], count=1, **options)
    assert made.directly() == made._slowly


def test_what_a_written_call_raises_begins_in_what_it_called():
    def fails(x):
        return 1 / x

    def writes(x):
        array[0] = x

    array = np.zeros(1)
    with hosting(), pytest.raises(ZeroDivisionError) as caught:
        call(fails, [Hole(0)], count=1)(0)
    names = [entry.frame.code.name for entry in caught.traceback]
    assert names == [names[0], "__call__", "fails"]
    with hosting([array]), pytest.raises(ag.StagingError, match="writes into an array"):
        call(writes, [Hole(0)], count=1)(1)
    assert array.flags.writeable and array[0] == 0


def test_a_written_call_checks_what_it_watches_and_settings():
    space, wanted, checked = {"a": 1, "b": 2}, {"a": 1}, []
    facts = Trace(None, Context(), Adoption(), OpenLists(), Attempt())
    for name in space:
        route = "item", space, name
        place = Place(f"`{name}`", lambda name=name: space[name], route)
        facts.captures.guards[name] = Guard(place, space[name], by_value=True)
    watch = Watch(facts, None, [])
    made = call(space.update, [(("a", Hole(0)),)], count=1, watch=watch)
    settings = Settings(lambda: wanted["a"], 1, lambda: checked.append(1))
    written = made.directly(settings)
    with hosting():
        written(1)
        assert not checked
        wanted["a"] = 2
        written(1)
        assert checked == [1]
        with pytest.raises(ag.StagingError, match="changed `a`"):
            written(2)
        space.clear()
        with pytest.raises(ag.StagingError, match="changed `a`"):
            written(2)
