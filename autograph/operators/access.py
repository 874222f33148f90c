"""Items, unpacking, iteration and in-place operators, all told to the write journal."""

from __future__ import annotations

import operator
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numpy as np

from autograph.operators.bodies import stage_raise
from autograph.operators.captures import (
    Place,
    Trace,
    captured_from,
    content_before,
    current_trace,
    guard_content,
    guard_length,
    read,
    with_captured,
)
from autograph.operators.caught import PartOfError
from autograph.operators.iterators import taken
from autograph.operators.methods import attribute, method
from autograph.operators.variables import Nullable, _Unreadable, there
from runtime import journal, ops
from runtime.building import building, constant, origin_of_caller
from runtime.errors import StagingError
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "container_base",
    "content_slot",
    "delitem",
    "getitem",
    "iterate",
    "setitem",
    "slice_",
    "unpack",
    "unpack_ex",
]

slice_ = slice
_ABSENT = object()


# ---- items -----------------------------------------------------------------------------------


def getitem(thing: Any, key: Any) -> Any:
    """`thing[key]`.

    Graph meaning: an array is indexed by an op; a list or tuple with a traced index is stacked
    first, so that its elements must be alike.
    """
    if building() is None and not issubclass(type(key), Tensor):
        return thing[key]
    thing, key = _present(thing), there(key)
    if isinstance(thing, PartOfError):
        return thing[key]
    if isinstance(thing, (Tensor, Variable)):
        return thing[key]  # type: ignore[index]
    if isinstance(thing, np.ndarray) and _has_open(key):
        return ops.getitem(thing, key)
    if isinstance(key, Tensor) and isinstance(thing, (list, tuple, range, str, dict)):
        if key.is_known:
            key = key.item()
        else:
            return _select(thing, key)
    trace = current_trace()
    if trace is None:
        return thing[key]
    own = method(thing, "__getitem__")
    if own is not None:
        return own(key)
    try:
        value = thing[key]
    except LookupError:
        with_captured(thing)
        raise
    if isinstance(key, slice) and isinstance(value, list):
        journal.fresh(value)
    if isinstance(value, _Unreadable):
        return value.load()
    if not trace.is_outside(thing):
        return value
    if isinstance(thing, (list, tuple, dict, deque)) and _is_plain_key(key):
        value = _read_item(trace, thing, key, value)
        trace.consumed(thing)
        return value
    known = with_captured(thing)
    return value if known is thing else known[key]


def _is_plain_key(key: Any) -> bool:
    return isinstance(key, (int, str, bytes, float, bool, type(None)))


def _read_item(trace: Trace, thing: Any, key: Any, value: Any) -> Any:
    """An item of a container from outside: what the trace itself wrote there is no captured one."""
    before = content_before(thing)
    if before is not thing and isinstance(thing, list) and key < 0:
        guard_length(thing, len(before))
        key += len(thing)
    if before is not thing and not _is_in_place(thing, key, value, before):
        # Found by identity: the trace changed in which places the others are.
        found = before.items() if isinstance(before, dict) else enumerate(before)
        key = next((k for k, v in found if v is value), _ABSENT)
        if key is _ABSENT:
            return value
        guard_content(thing, f"a {type(thing).__name__}")
    shown = f"item [{key!r}] of a {type(thing).__name__}"
    own = _own_getitem(thing)
    route = ("item", thing, key) if own is None else None
    place = Place(shown, lambda: thing[key] if own is None else own(thing, key), route)
    return read(("item", id(thing), key), place, value)


def _own_getitem(thing: Any) -> Callable[[Any, Any], Any] | None:
    """How what a container holds is read past a method of the user's, if its class has one."""
    if not isinstance(thing, (list, dict, deque)):
        return None
    plain: Any = container_base(thing).__getitem__
    return None if type(thing).__getitem__ is plain else plain


def _is_in_place(thing: Any, key: Any, value: Any, before: Any) -> bool:
    """Whether a written container still has in a place what it had there before the trace."""
    if isinstance(thing, dict):
        return key in before and before[key] is value
    # What is appended to a deque may push out its first items.
    is_fixed = not isinstance(thing, deque)
    return is_fixed and key < len(before) and before[key] is value


def _select(thing: Any, key: Tensor) -> Any:
    if isinstance(thing, (list, tuple, range)):
        what = "range object" if isinstance(thing, range) else type(thing).__name__
        outside = ops.logical_or(key < -len(thing), key >= len(thing))
        stage_raise(outside, IndexError(f"{what} index out of range"))
    if isinstance(thing, range):
        return ops.as_weak(ops.getitem(constant(np.asarray(thing)), key), kind="int")
    if isinstance(thing, (list, tuple)) and thing:
        return _select_element([getitem(thing, k) for k in range(len(thing))], key, thing)
    raise StagingError(
        f"a {type(thing).__name__} is indexed by {key.describe()}",
        "its value is known only when the graph runs; use an array, or `int` keys known before",
    )


def _select_element(elements: list[Any], key: Tensor, thing: Any) -> Any:
    """The element at a traced index, of numbers or arrays of one shape and kind."""
    try:
        arrays = [x if isinstance(x, Tensor) else np.asarray(x) for x in elements]
        if any(a.dtype.kind not in "biufc" for a in arrays):
            raise TypeError(", ".join(sorted({type(x).__name__ for x in elements})))
        chosen = ops.getitem(ops.stack(arrays), key)
    except (TypeError, ValueError) as error:
        raise StagingError(
            f"a {type(thing).__name__} is indexed by {key.describe()}, and its elements do not "
            f"stack: {error}",
            "elements must be numbers or arrays of one shape",
        ) from error
    return ops.as_weak(chosen) if all(map(_is_python_number, elements)) else chosen


def _is_python_number(x: Any) -> bool:
    return x.type.weak if isinstance(x, Tensor) else type(x) in (bool, int, float, complex)


def _has_open(key: Any) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_open, key))
    if isinstance(key, slice):
        return any(map(_has_open, (key.start, key.stop, key.step)))
    return isinstance(key, Tensor) and not key.is_known


def container_base(thing: Any) -> Any:
    """The built-in class of a container, past methods that a class of the user's overrides."""
    bases = (list, OrderedDict, dict, set, deque)
    return next(base for base in bases if isinstance(thing, base))


def content_slot(thing: Any) -> journal.Slot:
    """The whole content of a list, dict, set, deque or ndarray as a place of the journal."""
    if isinstance(thing, np.ndarray):
        return journal.Slot(
            ("content", id(thing)), thing, "an array", thing.copy,
            lambda old: _put_content(thing, old),
        )  # fmt: skip

    def write(old: Any) -> None:
        base = container_base(thing)
        base.clear(thing)
        (base.extend if base in (list, deque) else base.update)(thing, old)

    kind = type(thing).__name__
    return journal.Slot(
        ("content", id(thing)), thing, f"a {kind}", lambda: _copy(thing), write,
        lambda: _loaded_content(thing),
    )  # fmt: skip


def _put_content(array: np.ndarray[Any, Any], content: Any) -> None:
    """Write an array that is no part of the graph: its content must be known."""
    builder = building()
    if isinstance(content, Tensor) and builder is not None:
        raise builder.root.rewritten[id(array)][1]
    np.copyto(array, content, casting="unsafe")


def _loaded_content(thing: Any) -> Any:
    content, trace = _copy(thing), current_trace()
    if trace is None or isinstance(thing, set) or not trace.is_outside(thing):
        return content
    if isinstance(thing, dict):
        return {key: _loaded_item(trace, thing, key, item) for key, item in content.items()}
    return [_loaded_item(trace, thing, i, item) for i, item in enumerate(content)]


def _loaded_item(trace: Trace, thing: Any, key: Any, item: Any) -> Any:
    if isinstance(item, _Unreadable):
        return item
    if _is_plain_key(key):
        return _read_item(trace, thing, key, item)
    guard_content(thing, f"a {type(thing).__name__}")
    return captured_from(thing, item)


def _copy(thing: Any) -> Any:
    if isinstance(thing, (list, deque)):
        return list(container_base(thing).__iter__(thing))
    if isinstance(thing, dict):
        return dict(container_base(thing).items(thing))
    return frozenset(set.__iter__(thing))


def setitem(thing: Any, key: Any, value: Any) -> None:
    """`thing[key] = value`; an array is written in place, all views and names see it."""
    if building() is not None:
        thing, key = _present(thing), there(key)
        value = there(value) if isinstance(thing, (Tensor, Variable, np.ndarray)) else value
    if journal.recording() is not None and not isinstance(thing, (Tensor, Variable)):
        if isinstance(thing, (list, dict, deque, np.ndarray)):
            _refuse_traced(thing, key, value)
            _note_foreign(thing)
            _guard_position(thing, key)
            journal.note(content_slot(thing))
            _consumed(thing)
        elif isinstance(attribute(type(thing), "__setitem__"), FunctionType):
            own = method(thing, "__setitem__")
            if own is None:
                raise _unjournaled(thing, "__setitem__")
            own(key, value)
            return
    thing[key] = value


def _present(thing: Any) -> Any:
    return thing.load() if type(thing) is Nullable else thing


def _guard_position(thing: Any, key: Any) -> None:
    """Guard what says where in a list or deque from outside an item is written."""
    trace = current_trace()
    if trace is None or not isinstance(thing, (list, deque)) or not trace.is_outside(thing):
        return
    if isinstance(key, slice):
        guard_content(thing, f"a {type(thing).__name__}")
    elif isinstance(key, int):
        before, now = len(content_before(thing)), len(thing)
        is_old = key + (now if key < 0 else 0) < before
        # Old items are counted from the start, new ones from the end.
        if is_old == (key < 0):
            guard_length(thing, before)


def _note_foreign(thing: Any) -> None:
    """Note the write of an array that is no part of the graph, which would not see it."""
    builder = building()
    if builder is None or not isinstance(thing, np.ndarray) or id(thing) in builder.root.rewritten:
        return
    error = StagingError(
        "an array that code outside of the conversion made while tracing is written here, and the "
        "graph that uses it would not see the write",
        "copy it first (`a = np.array(a)`), or make the array in converted code",
        origin=origin_of_caller(),
    )
    builder.root.rewritten[id(thing)] = (thing, error)


def _consumed(thing: Any) -> None:
    trace = current_trace()
    if trace is not None:
        trace.consumed(thing)


def _refuse_traced(thing: Any, key: Any, value: Any) -> None:
    if isinstance(thing, np.ndarray):
        if _has_open(key) or (isinstance(value, Tensor) and not value.is_known):
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


def delitem(thing: Any, key: Any) -> None:
    """`del thing[key]`."""
    thing, key = _present(thing), there(key)
    if journal.recording() is not None and isinstance(thing, (list, dict, deque)):
        _refuse_traced(thing, key, None)
        guard_content(thing, f"a {type(thing).__name__}")
        journal.note(content_slot(thing))
    own = method(thing, "__delitem__") if building() is not None else None
    if own is not None:
        own(key)
        return
    del thing[key]


# ---- unpacking and iteration -----------------------------------------------------------------


def unpack(value: Any, count: int) -> Any:
    """What `a, b = value` unpacks: rows of a tensor, anything else as it is."""
    return _rows(value)


def unpack_ex(value: Any, before: int, after: int) -> Any:
    """What `a, *b, c = value` unpacks."""
    return _rows(value)


def _rows(value: Any) -> Any:
    if building() is None and not issubclass(type(value), Tensor | Variable):
        return value
    if isinstance(value, Variable):
        value = value.read_value()
    if isinstance(value, Tensor):
        return [value[i] for i in range(_static_length(value, "unpacking"))]
    return with_captured(value)


def _static_length(x: Tensor, what: str) -> int:
    shape = x.type.shape
    if shape == ():
        raise TypeError("iteration over a 0-d array")
    if shape is None or shape[0] is None:
        raise StagingError(
            f"{what} needs the length of {x.describe()}, which is known only when the graph runs",
            "use a `for` loop over it, or give the length in the input_signature",
        )
    return shape[0]


def iterate(values: Any) -> Iterable[Any]:
    """The iterable of a comprehension: rows of a tensor (unrolled), anything else as it is."""
    if issubclass(type(values), Tensor | Variable):
        rows: Iterable[Any] = _rows(values)
        return iter(rows)
    if hasattr(type(values), "unrolled"):
        unrolled: Iterable[Any] = values.unrolled()
        return unrolled
    return with_captured(values)  # type: ignore[no-any-return]


# ---- in-place operators ----------------------------------------------------------------------


def _augmented(name: str) -> Callable[[Any, Any], Any]:
    function: Callable[[Any, Any], Any] = getattr(operator, name)

    def operate(target: Any, value: Any) -> Any:
        if journal.recording() is not None and not isinstance(target, Tensor):
            taken(value)
            if isinstance(target, (list, dict, set, deque)):
                journal.note(content_slot(target))
                if name == "iadd":
                    _consumed(target)
                else:
                    guard_content(target, f"a {type(target).__name__}")
            elif isinstance(target, np.ndarray):
                if isinstance(value, Tensor) and not value.is_known:
                    _refuse_traced(target, None, value)
                _note_foreign(target)
                journal.note(content_slot(target))
        return function(target, value)

    operate.__name__ = operate.__qualname__ = name
    operate.__doc__ = f"`{name[1:]}` in place, as `operator.{name}`; what it writes is journaled."
    return operate


iadd = _augmented("iadd")
isub = _augmented("isub")
imul = _augmented("imul")
imatmul = _augmented("imatmul")
itruediv = _augmented("itruediv")
ifloordiv = _augmented("ifloordiv")
imod = _augmented("imod")
ipow = _augmented("ipow")
ilshift = _augmented("ilshift")
irshift = _augmented("irshift")
iand = _augmented("iand")
ixor = _augmented("ixor")
ior = _augmented("ior")
