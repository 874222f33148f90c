"""What the entry reads from outside of the arguments, and when it calls its function instead."""

import gc
import io
import sys
import types
import weakref

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.classes import Version
from runtime.execute.native.functions import Parts
from runtime.execute.native.layout import has_dict_versions, offset_of_slot
from runtime.execute.native.miss import MISS
from runtime.execute.native.prepared import Native, plain, still
from runtime.execute.native.reading import (
    Absent,
    Alive,
    Argument,
    Attribute,
    Constant,
    Content,
    Fetched,
    Holds,
    Item,
    Named,
    Nest,
    OfArray,
    OfKind,
    Reading,
    Referent,
    Same,
    Shared,
    Unchanged,
    Variable,
    was_called,
)

X = np.array([1.0, 2.0, 3.0])


class Thing:
    __slots__ = ("__weakref__",)  # all are of one size, so that one takes another's place


@pytest.fixture(scope="module")
def summed():
    """A graph of an argument and two more inputs, natively."""
    f = ag.convert(lambda x, y, z: x + 2 * y + 4 * z)
    f(X, X, X)
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    return run


def otherwise(*args):
    return "otherwise", *args


def reader_of(native, *inputs, constants=(), checks=(), replaced=None):
    arguments = 3 - len(inputs) - len(constants)
    reading = Reading(arguments, inputs, constants, checks, [] if replaced is None else replaced)
    return native.reading(reading, otherwise)


def test_variables_and_cells_are_read_anew_at_each_call(summed):
    names, cell = {"y": X}, types.CellType(X)
    read = reader_of(summed, Variable(names, "y"), cell)
    np.testing.assert_array_equal(read(X), 7 * X)
    names["y"] = np.zeros(3)
    np.testing.assert_array_equal(read(X), 5 * X)
    cell.cell_contents = np.zeros(3)
    np.testing.assert_array_equal(read(X), X)


def test_what_is_put_into_a_dict_again_is_found_again(summed):
    names, zeros = {"y": X, "z": X}, np.zeros(3)
    read = reader_of(summed, Variable(names, "y"), Variable(names, "z"))
    for _ in range(2):
        np.testing.assert_array_equal(read(X), 7 * X)
        names["y"] = zeros
        np.testing.assert_array_equal(read(X), 5 * X)
        names.update(y=X, z=zeros)
        np.testing.assert_array_equal(read(X), 3 * X)
        del names["z"]
        assert read(X) == ("otherwise", X)
        names["z"] = X
        np.testing.assert_array_equal(read(X), 7 * X)


def test_constants_come_last(summed):
    read = reader_of(summed, types.CellType(np.zeros(3)), constants=[X])
    np.testing.assert_array_equal(read(X), 5 * X)


def test_what_is_not_there_is_left_to_the_function(summed):
    names, cell = {"y": X, ("other",): X}, types.CellType(X)
    read = reader_of(summed, Variable(names, "y"), cell)
    del names["y"]
    assert read(X) == ("otherwise", X)
    names["y"] = X
    del cell.cell_contents
    assert read(X) == ("otherwise", X)
    cell.cell_contents = X
    np.testing.assert_array_equal(read(X), 7 * X)


def test_a_name_whose_comparison_raises_is_left_to_the_function(summed):
    class Name(str):
        def __hash__(self):
            return hash("y")

        def __eq__(self, other):
            raise ValueError("not to be compared")

    read = reader_of(summed, Variable({Name("z"): X}, "y"), types.CellType(X))
    assert read(X) == ("otherwise", X)


@pytest.mark.parametrize("args", [(), (X, X), (X, X, X, X)], ids=len)
def test_other_numbers_of_arguments_are_left_to_the_function(summed, args):
    read = reader_of(summed, types.CellType(X), types.CellType(X))
    assert read(*args) == ("otherwise", *args)


def test_inputs_that_were_replaced_are_left_to_the_function(summed):
    replaced = []
    read = reader_of(summed, types.CellType(X), types.CellType(X), replaced=replaced)
    np.testing.assert_array_equal(read(X), 7 * X)
    replaced.append(X)
    assert read(X) == ("otherwise", X)


@pytest.mark.parametrize(
    "other", [np.ones(4), X.astype("f4"), np.ma.masked_array(X), 1.0, None, [1.0]]
)
def test_inputs_of_other_types_are_no_inputs(summed, other):
    read = reader_of(summed, types.CellType(X), types.CellType(other))
    assert read(X) is MISS


# ---- what is only to be as it was ----------------------------------------------------------------


def helper(x=1, *, y=2):
    return x + y


NAMES = {"helper": helper, "len": len}


def still_of(native, functions=(), named=(), missed=None):
    reading = Reading(3, (), (), (), [], functions=functions, named=named)
    return native.reading(reading, otherwise, missed), still(reading)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        lambda f, names: setattr(f, "__defaults__", (5,)),
        lambda f, names: setattr(f, "__code__", (lambda x=1, *, y=2: 0).__code__),
        lambda f, names: setattr(f, "__kwdefaults__", None),
        lambda f, names: names.update(len=max),
        lambda f, names: names.pop("len"),
        lambda f, names: names.update(max=min),
    ],
)
def test_functions_and_names_must_be_as_they_were(summed, change, whole):
    names, function = dict(NAMES), types.FunctionType(helper.__code__, {}, "helper", (1,))
    function.__kwdefaults__ = {"y": 2}
    named = [Named(names, [("helper", helper), ("len", len)], ["max"])]
    call, is_still = still_of(summed, [Parts(function)], named, MISS if whole else None)
    for _ in range(3):
        np.testing.assert_array_equal(call(X, X, X)[0] if whole else call(X, X, X), 7 * X)
        assert is_still() is True
        names["more"] = X  # another version of the dict, with the same names
    assert was_called(call)
    change(function, names)
    for _ in range(2):
        assert call(X, X, X) == ("otherwise", X, X, X) and is_still() is False


def test_a_function_that_died_is_as_it_was(summed):
    parts = Parts(types.FunctionType(helper.__code__, {}))
    gc.collect()
    call, is_still = still_of(summed, [parts])
    np.testing.assert_array_equal(call(X, X, X), 7 * X)
    assert is_still() is True


def test_names_whose_comparison_raises_are_not_as_they_were(summed):
    class Name(str):
        def __hash__(self):
            return hash("max")

        def __eq__(self, other):
            raise ValueError("not to be compared")

    call, is_still = still_of(summed, named=[Named({Name("x"): 1}, [], ["max"])])
    assert call(X, X, X) == ("otherwise", X, X, X) and is_still() is False


def test_arguments_of_other_types_are_missed(summed):
    for missed in (None, (MISS,)):
        call, _ = still_of(summed, missed=missed)
        assert call(X[:2], X, X) is (missed or MISS)


def test_arrays_that_lie_otherwise_are_taken(summed):
    call, _ = still_of(summed)
    np.testing.assert_array_equal(call(X[::-1], X, X), X[::-1] + 6 * X)
    read = reader_of(summed, types.CellType(X), types.CellType(X[::-1]))
    np.testing.assert_array_equal(read(X), 3 * X + 4 * X[::-1])


def test_an_object_must_be_the_same(summed):
    names = {"helper": otherwise}
    check = Same(Variable(names, "helper"), otherwise)
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    np.testing.assert_array_equal(read(X), 7 * X)
    names["helper"] = len
    assert read(X) == ("otherwise", X)


def test_an_object_that_is_held_weakly_must_be_alive(summed):
    thing = Thing()
    cell = types.CellType(thing)
    check = Alive(cell, weakref.ref(thing))
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    np.testing.assert_array_equal(read(X), 7 * X)
    address = id(thing)
    del thing, cell.cell_contents
    others = []
    while not others or id(others[-1]) != address:  # until one is where the thing was
        others.append(Thing())
        cell.cell_contents = others[-1]
        assert read(X) == ("otherwise", X)


def test_none_is_not_what_died(summed):
    thing = Thing()
    cell = types.CellType(None)
    check = Alive(cell, weakref.ref(thing))
    del thing
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    assert read(X) == ("otherwise", X)


def test_comparing_a_name_may_bind_others_anew(summed):
    names, taken = {}, []

    class Name(str):
        def __hash__(self):
            return hash("z")

        def __eq__(self, other):
            names["y"] = None
            taken.extend(np.full(3, 99.0) for _ in range(50))  # memory that is free is taken
            return False

    names.update({"y": X.copy(), Name("other"): None, "z": X.copy()})
    names["y"] = X.copy()
    read = reader_of(summed, Variable(names, "y"), Variable(names, "z"))
    np.testing.assert_array_equal(read(X), 7 * X)
    assert taken
    assert names["y"] is None


@pytest.mark.parametrize("is_one", [True, False])
def test_two_places_must_hold_one_object_or_two(summed, is_one):
    one, other = types.CellType(X), types.CellType(X)
    read = reader_of(summed, one, other, checks=[Shared(one, other, is_one)])
    expected = 7 * X if is_one else ("otherwise", X)
    np.testing.assert_equal(read(X), expected)
    other.cell_contents = X.copy()
    expected = ("otherwise", X) if is_one else 7 * X
    np.testing.assert_equal(read(X), expected)


def test_calls_leave_no_references_behind(summed):
    cell, helper = types.CellType(X.copy()), Thing()
    names = {"helper": helper, "y": X.copy()}
    checks = [Same(Variable(names, "helper"), helper), Shared(cell, Variable(names, "y"), False)]
    read = reader_of(summed, cell, Variable(names, "y"), checks=checks)
    watched = [cell.cell_contents, names["y"], helper, otherwise]

    def counted():
        for _ in range(100):
            read(X), read(X.astype("f4")), read()
        names["helper"] = None
        for _ in range(100):
            read(X)
        names["helper"] = helper
        return [sys.getrefcount(thing) for thing in watched]

    assert counted() == counted()


def test_an_array_lives_until_the_call_ends_though_its_name_was_bound_anew(monkeypatch):
    names, others = {}, []

    class Output(io.StringIO):
        def write(self, text):
            names["table"] = np.zeros(4)
            others.extend(np.full(4, 99.0) for _ in range(50))  # memory that is free is taken
            return len(text)

    def shown(x, y):
        while x[0] < 2:
            print(x)
            x = x + 1
        return x + y

    monkeypatch.setattr(sys, "stdout", Output())
    f = ag.convert(shown)
    f(np.zeros(4), np.zeros(4))
    run = f.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    names["table"] = np.arange(4.0)
    read = run.reading(Reading(1, [Variable(names, "table")], (), (), []), otherwise)
    np.testing.assert_array_equal(read(np.zeros(4)), np.arange(4.0) + 2)
    assert others
    assert names["table"].sum() == 0


def test_all_that_it_reads_is_kept_as_long_as_it_is_used(summed):
    array, thing = X.copy(), Thing()
    names = {"".join("ab"): array, "thing": thing}
    checks = [Same(Variable(names, "thing"), thing)]
    constant = np.zeros(3)
    read = reader_of(summed, Variable(names, "ab"), constants=[constant], checks=checks)
    kept = [weakref.ref(array), weakref.ref(constant), weakref.ref(thing)]
    del array, constant, thing, names, checks
    gc.collect()
    np.testing.assert_array_equal(read(X), 3 * X)
    del read
    gc.collect()
    assert [reference() for reference in kept] == [None, None, None]


# ---- attributes, items and arguments ------------------------------------------------------------


class Holder:
    pass


def holder(y):
    made = Holder()
    made.y = y
    return made


def version_of(kind):
    version = Version(kind)
    version.renew()
    return version


def test_attributes_are_read_anew_at_each_call(summed):
    thing, slotted = holder(X), SlottedHolder()
    slotted.y = X
    kinds = [version_of(Holder), version_of(SlottedHolder)]
    inputs = [
        Attribute(Referent(weakref.ref(x)), "y", kind, is_own=True)
        for x, kind in zip((thing, slotted), kinds, strict=True)
    ]
    reading = Reading(1, inputs, (), (), [], kinds)
    read = summed.reading(reading, otherwise)
    np.testing.assert_array_equal(read(X), 7 * X)
    thing.y = np.zeros(3)
    np.testing.assert_array_equal(read(X), 5 * X)
    slotted.y = np.zeros(3)
    np.testing.assert_array_equal(read(X), X)
    del thing.y
    assert read(X) == ("otherwise", X)
    thing.y = X
    np.testing.assert_array_equal(read(X), 3 * X)
    Holder.y = property(lambda self: 1 / 0)  # which is not run
    try:
        assert read(X) == ("otherwise", X)
        kinds[0].renew()
        assert read(X) == ("otherwise", X)  # what it raised is gone
    finally:
        del Holder.y


class SlottedHolder:
    __slots__ = ("__weakref__", "y")


def test_an_object_of_another_class_is_left_to_the_function(summed):
    thing, kind = holder(X), version_of(Holder)
    source = Attribute(Referent(weakref.ref(thing)), "y", kind, is_own=True)
    read = summed.reading(Reading(1, [source, types.CellType(X)], (), (), [], [kind]), otherwise)
    np.testing.assert_array_equal(read(X), 7 * X)
    thing.__class__ = type("OtherHolder", (), {})
    assert read(X) == ("otherwise", X)
    thing.__class__ = Holder
    np.testing.assert_array_equal(read(X), 7 * X)
    del thing
    assert read(X) == ("otherwise", X)


def test_exceptions_that_are_no_errors_are_raised(summed):
    def raised():
        raise KeyboardInterrupt

    read = reader_of(summed, Fetched(raised), types.CellType(X))
    with pytest.raises(KeyboardInterrupt):
        read(X)

    def wrong():
        raise ValueError

    read = reader_of(summed, Fetched(wrong), types.CellType(X))
    assert read(X) == ("otherwise", X)


def test_items_of_lists_and_what_functions_give_are_read(summed):
    items, negative = [X, X], -1
    read = reader_of(summed, Item(items, 0), Item(items, negative))
    np.testing.assert_array_equal(read(X), 7 * X)
    items[1] = np.zeros(3)
    np.testing.assert_array_equal(read(X), 3 * X)
    items.clear()
    assert read(X) == ("otherwise", X)
    read = reader_of(summed, Fetched(lambda: X), Fetched(lambda: X))
    np.testing.assert_array_equal(read(X), 7 * X)


@pytest.mark.parametrize(("answer", "holds"), [(True, True), (False, False), (1, False)])
def test_functions_may_be_asked_whether_something_holds(summed, answer, holds):
    check = Holds(lambda: answer)
    read = reader_of(summed, types.CellType(X), types.CellType(X), checks=[check])
    np.testing.assert_equal(read(X), 7 * X if holds else ("otherwise", X))


def test_an_object_must_not_hide_a_method(summed):
    class Kind:
        def scale(self):
            return 1

    thing, kind = Kind(), version_of(Kind)
    owner = Referent(weakref.ref(thing))
    check = Absent(owner, "scale", kind)
    reading = Reading(1, [types.CellType(X)] * 2, (), [check], [], [kind])
    read = summed.reading(reading, otherwise)
    np.testing.assert_array_equal(read(X), 7 * X)
    thing.scale = Kind.scale
    assert read(X) == ("otherwise", X)
    del thing.scale
    np.testing.assert_array_equal(read(X), 7 * X)
    Kind.scale = lambda self: 2
    assert read(X) == ("otherwise", X)
    kind.renew()
    np.testing.assert_array_equal(read(X), 7 * X)
    thing.__dict__.update(scale=None)
    assert read(X) == ("otherwise", X)


def test_arguments_may_be_other_than_inputs(summed):
    thing = Thing()
    asked = [(0, Alive(Argument(0), weakref.ref(thing))), (2, Same(Argument(2), "mode"))]
    given = [Argument(3), Constant(X), Argument(1)]
    reading = Reading(4, (), (), (), [], given=given, asked=asked)
    read = summed.reading(reading, otherwise)
    np.testing.assert_array_equal(read(thing, np.zeros(3), "mode", X), 3 * X)
    np.testing.assert_array_equal(read(thing, X, "mode", np.zeros(3)), 6 * X)
    assert read(Thing(), X, "mode", X) is MISS
    assert read(thing, X, "other", X) is MISS
    assert read(thing, X, "mode") == ("otherwise", thing, X, "mode")
    assert was_called(read)
    assert not was_called(read)
    assert read(None, X, "mode", X) is MISS
    del thing
    assert read(None, X, "mode", X) is MISS
    assert not was_called(read)


@pytest.mark.parametrize("make", [None, list, lambda results: {"made": results[0]}])
@pytest.mark.parametrize("reads", [True, False])
def test_all_results_may_be_given_together_or_made_into_one(summed, reads, make):
    cell = types.CellType(X)
    reading = Reading(1, [cell, cell], (), (), []) if reads else Reading(3, (), (), (), [])
    read, more = summed.reading(reading, otherwise, (MISS,), make), () if reads else (X, X)
    for _ in range(3):
        results = read(X, *more)
        assert type(results) is (tuple if make is None else type(make([0])))
        np.testing.assert_array_equal(results["made" if type(results) is dict else 0], 7 * X)
    assert read(X.astype("f4"), *more) == (MISS,)
    del cell.cell_contents
    if reads:
        assert read(X) == ("otherwise", X)


def test_what_fails_to_be_made_of_results_raises(summed):
    read = summed.reading(Reading(3, (), (), (), []), otherwise, MISS, lambda results: 1 / 0)
    before = sys.getrefcount(X)
    for _ in range(9):
        with pytest.raises(ZeroDivisionError):
            read(X, X, X)
    assert sys.getrefcount(X) <= before + 5


PAIR = Nest(1, list, 2)


class Fields:
    """An object of the attributes that it is given, in their order."""

    def __init__(self, **fields):
        vars(self).update(fields)


class SlotFields:
    __slots__ = ("one", "other", "wrapped")

    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


class Computing(Fields):
    @property
    def one(self):
        if "bad" in vars(self):
            raise self.bad
        return X

    @property
    def other(self):
        return X


FIELDS = PAIR._replace(kind=Fields, keys=("one", "other"))
SLOTS = [offset_of_slot(vars(SlotFields)[name]) for name in ("wrapped", "one", "other")]
WRAPPER = Nest(1, SlotFields, 1, slots=SLOTS)


@pytest.mark.parametrize(
    ("nests", "call", "others"),
    [
        ([PAIR], (X, [X, X]), [(X, (X, X)), (X, [X]), (X, [X, X, X]), (X,), (X, [X, X.real[:2]])]),
        ([PAIR._replace(kind=tuple)], (X, (X, X)), [(X, [X, X]), (X, X), (X, ())]),
        (
            [PAIR._replace(kind=dict, keys=("a", "b"))],
            (X, {"a": X, "b": X}),
            [(X, {"b": X, "a": X}), (X, {"a": X, "c": X}), (X, {"a": X}), (X, [X, X]), (X, {})],
        ),
        (
            [Nest(0, tuple, 2), Nest(3, list, 1), Nest(4, dict, 1, ("a",))],
            ((X, [{"a": X}]), X),
            [((X, [{"b": X}]), X), ((X, [[X]]), X), ((X, [{"a": None}]), X), ((), X)],
        ),
        ([PAIR], (X, type("Own", (list,), {})([X, X])), []),
        (
            [FIELDS],
            (X, Fields(one=X, other=X)),
            [
                (X, Fields(one=X)),
                (X, Fields(one=X, other=X, more=X)),
                (X, Computing(one=X)),
                (X, Fields(one=X, another=X)),
                (X, Fields(one=X, other=None)),
                (X, [X, X]),
            ],
        ),
        (
            [FIELDS._replace(kind=SlotFields)],
            (X, SlotFields(other=X, one=X)),
            [(X, SlotFields(one=X)), (X, SlotFields(one=X, other=1)), (X, Fields(one=X, other=X))],
        ),
        (
            [FIELDS._replace(kind=Computing)],
            (X, Computing(one=0, other=0)),
            [(X, Computing(one=0, bad=ValueError())), (X, Computing()), (X, Computing(one=0))],
        ),
        (
            [WRAPPER, PAIR._replace(position=2, kind=tuple, length=1)],
            (X, SlotFields(wrapped=X, one=None, other=None), (X,)),
            [
                (X, SlotFields(wrapped=X, one=X, other=None), (X,)),
                (X, SlotFields(wrapped=X, one=None), (X,)),
                (X, SlotFields(wrapped=X, one=None, other=0), (X,)),
                (X, SlotFields(one=None, other=None), (X,)),
                (X, X, (X,)),
            ],
        ),
    ],
    ids=[
        "list",
        "tuple",
        "dict",
        "in each other",
        "of another class",
        "fields",
        "slots",
        "properties",
        "wrapper",
    ],
)
def test_items_of_arguments_are_read_where_these_have_the_form(summed, nests, call, others):
    arguments = len(call) + sum(nest.length for nest in nests)
    given = [Argument(i) for i in range(arguments) if i not in [nest.position for nest in nests]]
    reading = Reading(arguments, (), (), (), [], given=given, nests=nests)
    read = summed.reading(reading, otherwise)
    if others:
        np.testing.assert_array_equal(read(*call), 7 * X)
    else:
        others = [call]
    watched = [X, None, *(x for other in others for x in other), *call]

    def counted():
        for _ in range(50):
            assert all(read(*other) is MISS for other in others)
            read(*call)
        return [sys.getrefcount(thing) for thing in watched]

    first = counted()
    assert all(now <= before + 5 for now, before in zip(counted(), first, strict=True))


def test_what_a_property_of_an_argument_raises_is_told_unless_it_ends_the_program(summed):
    nests = [FIELDS._replace(kind=Computing, position=0)]
    given = [Argument(1), Argument(2), Argument(1)]
    read = summed.reading(Reading(3, (), (), (), [], given=given, nests=nests), otherwise)
    np.testing.assert_array_equal(read(Computing(one=0, other=0)), 7 * X)
    for error, wanted in ((KeyError("x"), None), (KeyboardInterrupt(), KeyboardInterrupt)):
        thing = Computing(one=0, bad=error)
        if wanted is None:
            assert read(thing) is MISS
            continue
        before = sys.getrefcount(X)
        for _ in range(9):
            with pytest.raises(wanted):
                read(thing)
        assert sys.getrefcount(X) <= before + 5


def test_items_of_lists_are_found_by_their_places(summed):
    items = [X, X]
    read = reader_of(summed, Item(items, 0), Item(items, 1))
    np.testing.assert_array_equal(read(X), 7 * X)
    items[1] = np.zeros(3)
    np.testing.assert_array_equal(read(X), 3 * X)
    items.insert(0, np.zeros(3))
    np.testing.assert_array_equal(read(X), 5 * X)
    del items[1:]
    assert read(X) == ("otherwise", X)


def test_the_content_of_containers_is_compared(summed):
    thing, items = Thing(), [X.copy(), 1.5, None, Thing()]
    items[3] = thing
    wanted = [np.ndarray, Constant(items[1]), Constant(None), Referent(weakref.ref(thing))]
    read = reader_of(summed, Constant(X), checks=[Content(items, wanted)], constants=[X])
    np.testing.assert_array_equal(read(X), 7 * X)
    for at, other in ((0, np.float64(2.0)), (1, 2.5), (2, 0), (3, Thing())):
        before, items[at] = items[at], other
        assert read(X) == ("otherwise", X)
        items[at] = before
        np.testing.assert_array_equal(read(X), 7 * X)
    items[0] = np.zeros(9)  # another array
    np.testing.assert_array_equal(read(X), 7 * X)
    for others in ([*items, None], items[:3], []):
        before, items[:] = items[:], others
        assert read(X) == ("otherwise", X)
        items[:] = before
    del thing, before, others, other
    items[3] = None  # what died is not None
    gc.collect()
    assert read(X) == ("otherwise", X)


def test_a_tuple_has_its_items_in_itself(summed):
    items = (X, 1.5)
    for wanted, fits in (([*items], True), ([X, 2.5], False), ([X], False)):
        check = Content(items, [*map(Constant, wanted)])
        read = reader_of(summed, Constant(X), checks=[check], constants=[X])
        assert (type(read(X)) is np.ndarray) is fits


def test_a_dict_is_asked_for_again_when_it_has_changed(summed):
    names, asked, answers = {"a": 1}, [], [True, True, False, True]

    def is_fine():
        asked.append(dict(names))
        return answers[len(asked) - 1]

    read = reader_of(summed, Constant(X), checks=[Unchanged(names, is_fine)], constants=[X])
    for _ in range(2):
        np.testing.assert_array_equal(read(X), 7 * X)
    if not has_dict_versions():
        assert len(asked) == 2
        return
    assert len(asked) == 1
    names["b"] = 2
    np.testing.assert_array_equal(read(X), 7 * X)
    del names["a"]
    assert read(X) == ("otherwise", X)
    np.testing.assert_array_equal(read(X), 7 * X)
    np.testing.assert_array_equal(read(X), 7 * X)
    assert asked == [{"a": 1}, {"a": 1, "b": 2}, {"b": 2}, {"b": 2}]


def test_functions_of_the_users_are_called_where_the_call_is_as_it_was():
    thing, cell = Holder(), types.CellType(1)
    seen = []

    def function(owner, x, *rest, name=None):
        seen.append((owner, x, rest, name))
        return x

    kinds = [OfKind(Argument(1), Version(float)), OfKind(Argument(2), Version(int))]
    checks = [Same(cell, cell.cell_contents)]
    asked = [(0, Alive(Argument(0), weakref.ref(thing)))]
    told = Reading(3, (), (), checks, [], given=(), asked=asked).without_graph(kinds)
    call = plain(told, function, ("name",), otherwise)
    assert call(thing, 2.5, 3) == 2.5
    assert seen == [(thing, 2.5, (), 3)]
    others = [(Holder(), 2.5, 3), (thing, 2, 3), (thing, 2.5, True), (thing, 2.5), ()]
    assert call(*others[0]) is MISS
    assert [call(*args) for args in others[1:3]] == [("otherwise", *args) for args in others[1:3]]
    cell.cell_contents = 2
    assert call(thing, 2.5, 3) == ("otherwise", thing, 2.5, 3)
    cell.cell_contents = 1
    assert call(thing, 1.5, 3) == 1.5
    assert len(seen) == 2
    watched = [thing, function, MISS, True, None]

    def counted():
        for _ in range(50):
            call(thing, 1.5, 3), call(*others[0]), call(*others[1])
            seen.clear()
        return [sys.getrefcount(one) for one in watched]

    first = counted()
    assert all(now <= before + 5 for now, before in zip(counted(), first, strict=True))


def test_arrays_are_told_by_dtype_and_shape():
    wanted = OfArray(Argument(0), X.dtype, (2, 3))
    told = Reading(1, (), (), (), []).without_graph([wanted])
    call = plain(told, lambda x: x.sum(), (), otherwise)
    x = np.ones((2, 3))
    assert call(x) == 6.0
    others = [np.ones((3, 2)), np.ones(6), np.ones((2, 3), "f4"), x.view(np.matrix), 1.0, None]
    for other in (*others, np.ones((2, 6))[:, ::2]):
        assert call(other)[0] == "otherwise"


def test_items_stay_alive_though_the_list_is_emptied_meanwhile(summed):
    items = [X.copy(), X.copy()]
    reading = Reading(
        3, [Fetched(lambda: [X, items.clear()][0])], (), (), [],
        given=[Argument(1), Argument(2)], nests=[Nest(0, list, 2)],
    )  # fmt: skip
    np.testing.assert_array_equal(summed.reading(reading, otherwise)(items), 7 * X)
    assert items == []


def test_reading_attributes_leaves_no_references_behind(summed):
    thing, kind = holder(X.copy()), version_of(Holder)
    owner = Referent(weakref.ref(thing))
    items = [X.copy()]
    reading = Reading(
        1,
        [Attribute(owner, "y", kind, is_own=True), Item(items, 0)],
        (),
        [OfKind(owner, kind), Holds(lambda: True), Same(Fetched(lambda: thing), thing)],
        [],
        [kind],
    )
    read = summed.reading(reading, otherwise)
    watched = [thing, thing.y, items[0], Holder, None, True]

    def counted():
        for _ in range(100):
            read(X), read(X.astype("f4")), read()
        y = thing.y
        del thing.y
        for _ in range(100):
            read(X)
        thing.y = y
        return [sys.getrefcount(thing) for thing in watched]

    np.testing.assert_array_equal(read(X), 7 * X)
    first = counted()
    assert all(now <= before + 5 for now, before in zip(counted(), first, strict=True))
