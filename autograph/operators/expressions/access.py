"""Items, unpacking and iteration, all told to the write journal."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from autograph.operators.branches.choosing import chosen
from autograph.operators.branches.chosen_objects import is_chosen_object, items_of
from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.conditionals import of_either
from autograph.operators.branches.written_items import is_writable, written
from autograph.operators.captured.captures import (
    Trace,
    content_before,
    current_trace,
    guard_absent_item,
    guard_content,
    guard_length,
    guard_reach,
)
from autograph.operators.captured.caught import PartOfError
from autograph.operators.captured.guards import PLAIN
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import attribute, called, convert, method
from autograph.operators.captured.variables import Nullable, _Unreadable, ld, there
from autograph.operators.containers import (
    growing,
    keyed,
    list_iterators,
    open_deques,
    open_dicts,
    open_sets,
)
from autograph.operators.containers.growing_arrays import as_index, as_part
from autograph.operators.containers.last_turns import note_taken_out
from autograph.operators.containers.tables import picked
from autograph.operators.containers.taken_items import is_from, note_origin
from autograph.operators.expressions.glued_arrays import GLUES, glued, is_glued_by_ops
from autograph.operators.expressions.index_tricks import trick_of
from autograph.operators.results.append_only import put_in
from autograph.operators.results.expanding import expanded
from autograph.operators.values import letters
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.captured_items import one_by_one, with_inputs
from autograph.operators.values.compiler_errors import as_written
from autograph.operators.values.contents import (
    content_slot,
    guard_rewritten,
    is_plain_key,
    read_item,
)
from autograph.operators.values.foreign_arrays import note_foreign
from autograph.operators.values.heaps import refuse_as_sequence
from autograph.operators.values.iterables import as_position, from_end, is_open
from autograph.operators.values.numbers_or_arrays import python_types_of, refuse_number_or_array
from autograph.operators.values.one_of import (
    OneOf,
    can_be_told_by_number,
    chooses_by_number,
    one_of,
    texts_of,
)
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.references import has_cell
from autograph.operators.values.runs import OpenDeque, has_runs, refusal
from autograph.operators.values.templates import (
    class_name_of,
    has_traced,
    is_late,
    python_type_of,
    shown,
    stands_for_other,
)
from runtime import journal, ops
from runtime.array_methods import FlatView
from runtime.building import building, constant
from runtime.errors import StagingError
from runtime.structure.templates import LazyString
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["consumed", "delitem", "getitem", "iterate", "present", "refuse_traced", "setitem",
           "slice_", "unpack", "unpack_ex"]  # fmt: skip

slice_ = slice


# ---- items -----------------------------------------------------------------------------------


@as_written
def getitem(thing: Any, key: Any) -> Any:
    """`thing[key]`.

    Graph meaning: an array is indexed by an op; a list or tuple with a traced index is stacked
    first, so that its elements must be alike.
    """
    if type(thing) in GLUES and is_glued_by_ops(key):
        return glued(thing, there(key))
    if building() is None and not issubclass(type(key), Tensor):
        return thing[key]
    thing = present(thing)
    if _may_be_at_none(thing, key):
        return of_either(key, lambda one: getitem(thing, one))
    key = there(key, is_key=isinstance(thing, dict))
    refuse_as_sequence(thing, "{0!r} object is not subscriptable")
    if isinstance(thing, PartOfError):
        return thing[key]
    if isinstance(thing, (Tensor, Variable)):
        if isinstance(thing, Tensor) and thing.type.weak:
            kind = python_type_of(thing).__name__
            raise TypeError(f"{kind!r} object is not subscriptable")
        refuse_number_or_array(thing, "an item of it is asked for")
        try:
            return thing[as_index(key)]
        except IndexError:
            if isinstance(thing, Tensor) and _is_scalar_of_numpys(thing):
                raise IndexError("invalid index to scalar variable.") from None
            raise
    if isinstance(thing, np.ndarray):
        index = as_index(key)
        if _has_open(index) or has_runs(key):
            return ops.getitem(thing, index)
    trick = trick_of(thing, key)
    if trick is not None:
        return trick(key)
    if isinstance(thing, OpenRange):
        if isinstance(key, Tensor):
            _check_index(range(0), key)
        return thing[key]
    view = open_dicts.class_of_view(thing)
    if view is not None:
        raise TypeError(f"'{view.__name__}' object is not subscriptable")
    if has_runs(thing):
        return note_origin(growing.item(thing, key), thing, key)
    if open_deques.items_of(thing) is not None:
        return open_deques.item(thing, key)
    if isinstance(thing, dict) and _is_open_dict(thing, key):
        return note_origin(open_dicts.item(thing, key), thing, key)
    if is_chosen(thing):
        return note_origin(of_each(thing, lambda text: getitem(text, key)), thing, key)
    if is_chosen(key):
        return note_origin(_at_chosen(thing, key), thing, key)
    is_place = isinstance(key, int | slice | Tensor)
    if is_place and isinstance(thing, LazyString) and building() is not None:
        return note_origin(letters.part(thing, key), thing, key)
    if isinstance(thing, OpenDeque) and is_open(key):
        return open_deques.item_of_known(thing, key)
    if isinstance(key, Tensor) and isinstance(thing, (list, tuple, range, str, dict)):
        if not key.is_known:
            return note_origin(_select(thing, key), thing, key)
        key = shown(key)
    elif isinstance(thing, dict) and keyed.is_open_key(key):
        return note_origin(_select(thing, key), thing, key)
    elif type(thing) is list and _has_open(key):
        if isinstance(key, tuple):
            raise TypeError("list indices must be integers or slices, not tuple")
        return growing.slice_of([getitem(thing, k) for k in range(len(thing))], key)
    trace = current_trace()
    return thing[key] if trace is None else _known_item(thing, key, trace)


@as_written
def _known_item(thing: Any, key: Any, trace: Trace) -> Any:
    """The item of a container of Python's, or of an object of the user's, at a known key."""
    own = method(thing, "__getitem__") or _of_class(thing)
    if own is not None:
        return own(key)
    if isinstance(thing, defaultdict) and key not in thing and _makes_items(thing):
        return _made_item(thing, key, trace)
    try:
        value = thing[key]
    except LookupError:
        with_inputs(thing)
        raise
    if isinstance(value, _Unreadable):
        return ld(value)
    if trace.outside.has(thing):
        is_plain = isinstance(thing, (list, tuple, dict, deque)) or (
            not isinstance(value, (*PLAIN, tuple)) and thing[key] is value  # a library's container
        )
        if is_plain and is_plain_key(key):
            value = read_item(trace, thing, key, value)
            trace.outside.consumed(thing)
            return value
        known = with_inputs(thing)
        value = value if known is thing else known[key]
    return journal.fresh(value) if isinstance(key, slice) and isinstance(value, list) else value


def _at_chosen(thing: Any, key: Any) -> Any:
    """The item at a text or object that data chooses: of several lists, one that can be written."""
    choices = key.things if type(key) is OneOf else texts_of(key)
    if isinstance(thing, dict) and choices is not None and _has_all(thing, key):
        things = [getitem(thing, one) for one in choices]
        if all(type(x) is list for x in things):
            position = of_each(key, choices.index)
            found = picked(things, position, setitem)
            if found is not None:
                return found
    return of_each(key, lambda one: getitem(thing, one))


def _makes_items(thing: defaultdict[Any, Any]) -> bool:
    is_plain = type(thing).__missing__ is defaultdict.__missing__
    return not is_plain or thing.default_factory is not None


def _made_item(thing: defaultdict[Any, Any], key: Any, trace: Trace) -> Any:
    """An item that a defaultdict makes, and keeps, because it is asked for."""
    if trace.outside.has(thing):
        guard_absent_item(thing, key)
        trace.outside.consumed(thing)
    if type(thing) is not defaultdict or thing.default_factory is None:
        journal.note(content_slot(thing))
        return journal.fresh(thing[key])
    value = called(thing.default_factory)
    journal.note(content_slot(thing))
    dict.__setitem__(thing, key, value)
    return value


def _is_open_dict(thing: dict[Any, Any], key: Any) -> bool:
    """Whether a dict has keys that depend on data, or is better taken so for such a key."""
    if open_dicts.is_open(thing):
        return True
    return keyed.is_open_key(key) and open_dicts.is_asked_for(thing, key)


def _select(thing: Any, key: Any) -> Any:
    if isinstance(thing, (list, tuple, range)):
        _check_index(thing, key)
        key = as_position(key)
        what = "range object" if isinstance(thing, range) else type(thing).__name__
        if not thing and not key.type.rank:  # as of a list to which no round has added an item yet
            with_inputs(thing)
            raise IndexError(f"{what} index out of range")
        outside = ops.logical_or(key < -len(thing), key >= len(thing))
        stage_raise(outside, IndexError(f"{what} index out of range"))
    if isinstance(thing, str):
        return _letter(thing, key)
    if isinstance(thing, range):
        return ops.as_weak(ops.getitem(constant(np.asarray(thing)), key), kind="int")
    if isinstance(thing, (list, tuple)):
        things = [getitem(thing, k) for k in range(len(thing))]
        return _one_of(things, from_end(key, len(thing)), type(thing).__name__)
    if isinstance(thing, dict):
        return keyed.item(thing, key, lambda k: getitem(thing, k), _one_of)
    raise StagingError(
        f"a {type(thing).__name__} is indexed by {key.describe()}",
        "its value is known only when the graph runs; use an array, or `int` keys known before",
    )


def _letter(text: str, key: Tensor) -> Any:
    """The letter of a text at a position that only the graph knows."""
    kind = python_type_of(key)
    if key.type.rank or (key.dtype.kind not in "iu" and not (key.type.weak and kind is bool)):
        name = kind.__name__ if key.type.weak or key.type.rank else f"numpy.{kind.__name__}"
        raise TypeError(f"string indices must be integers, not '{name}'")
    key = as_position(key)
    outside = ops.logical_or(key < -len(text), key >= len(text))
    stage_raise(outside, IndexError("string index out of range"))
    if not text:
        return text
    letters = tuple(dict.fromkeys(text))
    position = from_end(key, len(text))
    if len(letters) < len(text):
        position = ops.getitem(constant(np.array([letters.index(x) for x in text])), position)
    return one_of(ops.as_weak(position, kind="int"), letters)


def _one_of(things: list[Any], position: Tensor, title: str) -> Any:
    """The thing at a position that is in range; a list may be written by that name."""
    is_told = chooses_by_number() and len(things) <= _FEW
    found = None if is_told else picked(things, position, setitem)
    return chosen(things, position, title) if found is None else found


# So many lists are chosen by a branch for each: they can be put in the place of one another then.
_FEW = 8


def _check_index(thing: Any, key: Tensor) -> None:
    """Raise the TypeError of Python for what is no index of a sequence."""
    kind = python_type_of(key)
    if issubclass(kind, np.ndarray) and (key.type.rank or key.dtype.kind not in "iu"):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    if key.dtype.kind not in "iu" and not (key.type.weak and key.dtype.kind == "b"):
        module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(
            f"{type(thing).__name__} indices must be integers or slices, "
            f"not {module}{kind.__name__}"
        )


def _has_open(key: Any) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_open, key))
    return growing.is_open_index(key)


@as_written
def setitem(thing: Any, key: Any, value: Any) -> None:
    """`thing[key] = value`; an array is written in place, all views and names see it."""
    if building() is not None:
        thing = present(thing)
        if _may_be_at_none(thing, key):
            of_either(key, lambda one: setitem(thing, one, value))
            return
        key = there(key, is_key=isinstance(thing, dict))
        refuse_as_sequence(thing, "{0!r} object does not support item assignment")
        if isinstance(thing, (*_OF_GRAPHS, np.ndarray)):
            key, value = as_index(key), there(value)
            if isinstance(thing, Tensor) and has_runs(value) and type(value) in (list, tuple):
                value = as_part(thing, key, value)
        if isinstance(thing, Tensor) and _is_scalar_of_numpys(thing):
            name = class_name_of(thing)
            raise TypeError(f"'{name}' object does not support item assignment")
        refuse_number_or_array(thing, "an item of it is set")
    if isinstance(thing, dict) and isinstance(key, Tensor) and key.is_known:
        key = shown(key)
    if journal.recording() is not None and not isinstance(thing, _OF_GRAPHS):
        if is_from(value, thing, key):
            return  # `rows[i] += [x]` sets the very list that is there
        if is_chosen_object(thing):
            of_each(thing, lambda one: setitem(one, key, value))
            return
        if is_writable(thing):
            written(thing, lambda: setitem(thing, key, value))
            return
        if is_chosen(key) and isinstance(thing, dict) and _has_all(thing, key):
            of_each(key, lambda one: setitem(thing, one, value))
            return
        if open_deques.items_of(thing) is not None:
            open_deques.put_item(thing, key, value)
            return
        if type(thing) is dict and put_in(thing, "__setitem__", (key, value)):
            return
        is_slice, at_unknown = isinstance(key, slice), growing.is_at_unknown(thing, key)
        is_put = has_runs(thing) or (at_unknown and not _holds_containers(thing))
        if is_put or (type(thing) is list and is_slice and has_runs(value)):
            growing.put(thing, key, _listed(value) if is_slice else value)
            return
        if _is_put_by_data(thing, key, value):
            return
        if isinstance(thing, (list, dict, deque, np.ndarray)):
            value = list_iterators.readable(value) if is_slice else value
            refuse_traced(thing, key, value)
            note_foreign(thing)
            _guard_position(thing, key, value)
            guard_rewritten(thing, key, value)
            journal.note(content_slot(thing))
            consumed(thing)
        elif isinstance(attribute(type(thing), "__setitem__"), FunctionType):
            own = method(thing, "__setitem__")
            if own is None:
                raise _unjournaled(thing, "__setitem__")
            own(key, value)
            return
    thing[key] = value


def _of_class(thing: Any) -> Callable[[Any], Any] | None:
    """The user's `__class_getitem__` that a class is asked for an item by."""
    own = attribute(thing, "__class_getitem__") if isinstance(thing, type) else None
    if not isinstance(own, classmethod) or hasattr(type(thing), "__getitem__"):
        return None
    twin = convert(own.__func__)
    return None if twin is None else partial(twin, thing)


def _holds_containers(x: list[Any]) -> bool:
    """Whether items of a list stay themselves where data says which of them are exchanged."""
    told = (can_be_told_by_number(item) or is_chosen_object(item) or has_cell(item) for item in x)
    return chooses_by_number() and any(told)


def _is_scalar_of_numpys(x: Tensor) -> bool:
    if not x.is_traced or x.type.rank != 0 or x.is_array or x.may_be_array:
        return False
    return stands_for_other(x) and not x.type.weak


def _has_all(thing: dict[Any, Any], key: Any) -> bool:
    """Whether all that a key may be are keys of a dict."""
    choices = key.things if type(key) is OneOf else texts_of(key)
    return choices is not None and all(one in thing for one in choices)


# What journals itself that it is written.
_OF_GRAPHS = (Tensor, Variable, FlatView, HostValue)


def _listed(value: Any) -> list[Any]:
    """What a slice is set to, as a list."""
    return value if has_runs(value) else list(iterate(value))


def _is_put_by_data(thing: Any, key: Any, value: Any) -> bool:
    """Set an item whose key only the graph knows, if the others can be kept."""
    if open_dicts.is_open(thing):
        open_dicts.put(thing, key, value)
        return True
    if isinstance(thing, dict) and keyed.is_open_key(key):
        if not keyed.is_required(thing, key) and open_dicts.can_be_opened(thing, key, value):
            open_dicts.put(thing, key, value)
            return True
        keyed.put(thing, key, value, lambda k: getitem(thing, k), lambda k, x: setitem(thing, k, x))
        return True
    if type(thing) is list and is_open(key):
        _check_index(thing, key)
        key = as_position(key)
        outside = ops.logical_or(key < -len(thing), key >= len(thing))
        stage_raise(outside, IndexError("list assignment index out of range"))
        keyed.put_at(
            thing, key, value, lambda k: getitem(thing, k), lambda k, x: setitem(thing, k, x)
        )
        return True
    return False


def _may_be_at_none(thing: Any, key: Any) -> bool:
    """Whether a key may be None, and is one where it is."""
    return type(key) is Nullable and (isinstance(thing, dict) or is_chosen_object(thing))


def present(thing: Any) -> Any:
    """`thing`, loaded where it may be None."""
    return thing.load() if type(thing) is Nullable else thing


def _guard_position(thing: Any, key: Any, value: Any) -> None:
    """Guard what says where in a list or deque from outside an item is written."""
    trace = current_trace()
    if trace is None or not isinstance(thing, (list, deque)) or not trace.outside.has(thing):
        return
    if key == slice(None):  # nothing is left of what it held
        guard_length(thing, len(content_before(thing)))
        for place in enumerate(value if type(value) in (list, tuple) else ()):
            guard_rewritten(thing, *place)
    elif isinstance(key, slice):
        guard_content(thing, f"a {type(thing).__name__}")
    elif isinstance(key, int):
        before, now = len(content_before(thing)), len(thing)
        is_old = key + (now if key < 0 else 0) < before
        # Old items are counted from the start, new ones from the end.
        if is_old == (key < 0):
            guard_length(thing, before)
        elif is_old:  # one that is not there is an error at its place
            guard_reach(thing, key + 1)


def consumed(thing: Any) -> None:
    """Note that what was read of a container last was looked at in a way that we know."""
    trace = current_trace()
    if trace is not None:
        trace.outside.consumed(thing)


def refuse_traced(thing: Any, key: Any, value: Any) -> None:
    """Refuse to write what only the graph knows into what is no part of it."""
    if isinstance(thing, np.ndarray):
        if _has_open(key) or has_traced(value) or is_late(value):
            raise StagingError(
                "a value that is known only when the graph runs is written into an array that "
                "code outside of the conversion made while tracing",
                "make the array in converted code, or by a function of `autograph`",
            )
    elif _has_open(key):
        raise StagingError(
            f"an item of a {type(thing).__name__} is set at {key.describe()}",
            "its value is known only when the graph runs; use an array",
        )


def _unjournaled(thing: Any, what: str) -> StagingError:
    return StagingError(
        f"`{type(thing).__name__}.{what}` is called while tracing, and what it changes is not "
        "known",
        "call a converted method instead",
    )


@as_written
def delitem(thing: Any, key: Any) -> None:
    """`del thing[key]`."""
    thing = present(thing)
    if _may_be_at_none(thing, key):
        of_either(key, lambda one: delitem(thing, one))
        return
    key = there(key, is_key=isinstance(thing, dict))
    refuse_as_sequence(thing, "{0!r} object does not support item deletion")
    if is_chosen_object(thing):
        of_each(thing, lambda one: delitem(one, key))
        return
    if is_writable(thing):
        written(thing, lambda: delitem(thing, key))
        return
    if isinstance(thing, dict) and isinstance(key, Tensor) and key.is_known:
        key = shown(key)
    if has_runs(thing) or growing.is_at_unknown(thing, key):
        growing.delete(thing, key)
        return
    if open_deques.items_of(thing) is not None:
        open_deques.delete(thing, key)
        return
    if isinstance(thing, dict):
        if keyed.is_open_key(key) and open_dicts.can_be_opened(thing, key):
            open_dicts.opened_by(thing)
        if open_dicts.is_open(thing):
            open_dicts.delete(thing, key)
            return
    if journal.recording() is not None and isinstance(thing, (list, dict, deque)):
        refuse_traced(thing, key, None)
        guard_content(thing, f"a {type(thing).__name__}")
        journal.note(content_slot(thing))
    if isinstance(thing, Tensor) and building() is not None:
        refuse_number_or_array(thing, "an item of it is deleted")
        if np.ndarray in python_types_of(thing):
            raise ValueError("cannot delete array elements")
        raise TypeError(f"'{class_name_of(thing)}' object does not support item deletion")
    own = method(thing, "__delitem__") if building() is not None else None
    if own is not None:
        own(key)
        return
    note_taken_out(thing)
    del thing[key]


# ---- unpacking and iteration -----------------------------------------------------------------


def unpack(value: Any, count: int) -> Any:
    """What `a, b = value` unpacks: rows of a tensor, anything else as it is."""
    value = _unpacked(value)
    return growing.unpack(value, count) if has_runs(value) else _rows(value)


def unpack_ex(value: Any, before: int, after: int) -> Any:
    """What `a, *b, c = value` unpacks."""
    value = _unpacked(value)
    value = expanded(value) if has_runs(value) else value
    return growing.unpack_ex(value, before, after) if has_runs(value) else _rows(value)


def _unpacked(value: Any) -> Any:
    refuse_as_sequence(value, "cannot unpack non-iterable {0} object")
    return open_deques.as_list(items_of(_viewed(value)))


def _viewed(value: Any) -> Any:
    return open_dicts.view(value) if open_dicts.is_open(value) else value


def _rows(value: Any) -> Any:
    if building() is None and not issubclass(type(value), Tensor | Variable):
        return value
    if isinstance(value, Variable):
        value = value.read_value()
    if isinstance(value, Tensor):
        return [value[i] for i in range(_static_length(value, "unpacking"))]
    value = open_deques.as_list(_viewed(value))
    value = expanded(value) if has_runs(value) else value
    if has_runs(value):
        raise refusal("it is unpacked")
    return with_inputs(value)


def _static_length(x: Tensor, what: str) -> int:
    shape = x.type.shape
    if shape == ():
        raise x.is_no("cannot unpack non-iterable {} object", "iteration over a 0-d array")
    if shape is None or shape[0] is None:
        raise StagingError(
            f"{what} needs the length of {x.describe()}, which is known only when the graph runs",
            "use a `for` loop over it, or give the length in the input_signature",
        )
    return shape[0]


class _Rows:
    """The rows of an array, each as it is when its turn comes."""

    __slots__ = ("_array", "_length")

    def __init__(self, array: Tensor) -> None:
        self._array, self._length = array, _static_length(array, "unpacking")

    def __getitem__(self, index: int) -> Any:
        if index >= self._length:
            raise IndexError(index)
        return self._array[index]


def iterate(values: Any) -> Iterable[Any]:
    """The iterable of a comprehension: rows of a tensor (unrolled), anything else as it is."""
    refuse_as_sequence(values, "{0!r} object is not iterable")
    if isinstance(values, Variable):
        values = values.read_value()
    if open_dicts.is_open(values):
        values = open_dicts.view(values)
    if has_runs(values):
        values = growing.items_of(values)
    values = open_deques.going_through(items_of(values))
    if issubclass(type(values), Tensor):
        return iter(_Rows(values))
    if open_sets.items_of(values) is not None:
        raise open_sets.refused("the order in which it gives them is Python's own")
    if hasattr(type(values), "unrolled"):
        unrolled: Iterable[Any] = values.unrolled()
        return unrolled
    return one_by_one(list_iterators.readable(values))  # type: ignore[no-any-return]
