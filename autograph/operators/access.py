"""Attributes, items, unpacking, in-place operators and deletion, all told to the write journal."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable
from types import BuiltinMethodType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.bodies import stage_raise
from autograph.operators.captures import (
    Place,
    content_before,
    current_trace,
    guard_absence,
    guard_content,
    is_fixed_module,
    read,
    weak,
    with_captured,
)
from autograph.operators.caught import Caught, PartOfError
from autograph.operators.methods import MADE_BY_CLASS_STATEMENT, attribute, convert, method
from autograph.operators.templates import python_type_of
from autograph.operators.variables import Undefined, _Unreadable
from runtime import journal, ops
from runtime.building import building, constant, origin_of_caller
from runtime.errors import StagingError
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "attribute_slot",
    "container_base",
    "content_slot",
    "delattr_",
    "delattr_plain",
    "delitem",
    "getattr_",
    "getattr_plain",
    "getitem",
    "iterate",
    "setattr_",
    "setattr_plain",
    "setitem",
    "slice_",
    "unpack",
    "unpack_ex",
]

slice_ = slice
_ABSENT = object()


# ---- attributes ------------------------------------------------------------------------------


def getattr_(thing: Any, name: str) -> Any:
    """`thing.name`. While tracing, attributes of objects from outside are inputs or guarded.

    The getter of a property or other descriptor of the user's is converted, as any function that is
    called, and so is a `__getattr__`.
    """
    if building() is not None:
        if isinstance(thing, (Caught, PartOfError)):
            return thing.part(name)
        getter = _getter(thing, name)
        if getter is not None:
            return getter()
    try:
        value = getattr(thing, name)
    except AttributeError:
        if isinstance(thing, Tensor):
            raise _missing(thing, name) from None
        guard_absence(thing, name)
        raise
    if issubclass(type(value), _Unreadable):
        return value.load()
    return _read_attribute(thing, name, value)


def getattr_plain(thing: Any, name: str) -> Any:
    """`object.__getattribute__(thing, name)`."""
    try:
        value = object.__getattribute__(thing, name)
    except AttributeError:
        guard_absence(thing, name)
        raise
    return value.load() if issubclass(type(value), _Unreadable) else _noted(thing, name, value)


def _read_attribute(thing: Any, name: str, value: Any) -> Any:
    trace = current_trace()
    if trace is None:
        return value
    if isinstance(thing, (Tensor, Variable)):
        if not trace.tensors and _is_of_arrays_only(thing, name):
            raise _missing(thing, name)
        return value
    return _noted(thing, name, value)


def _noted(thing: Any, name: str, value: Any) -> Any:
    """An attribute's value, as an input of the trace or guarded if it is from outside."""
    trace = current_trace()
    if trace is None:
        return value
    if isinstance(value, _BOUND) and not _is_kept(thing, name, value):
        return value
    if isinstance(thing, ModuleType):
        if is_fixed_module(thing):
            return value
    elif isinstance(thing, type) and "<locals>" not in thing.__qualname__:
        trace.add_outside(thing)  # a class of a module is older than any trace
    elif not trace.is_outside(thing):
        # What an object of the trace's own has from its class is older than the trace.
        thing = _class_with(thing, name, value)
        if thing is None:
            return value
    fetch = weak(thing)
    owner = thing.__name__ if isinstance(thing, (type, ModuleType)) else type(thing).__name__
    read_plainly: Callable[[Any, str], Any] = getattr
    if isinstance(attribute(type(thing), "__getattr__"), FunctionType):
        read_plainly = object.__getattribute__
    place = Place(f"{owner}.{name}", lambda: read_plainly(fetch(), name))
    return read(("attr", id(thing), name), place, value)


_BOUND = (MethodType, BuiltinMethodType, MethodWrapperType)


def _is_kept(thing: Any, name: str, bound: Any) -> bool:
    """Whether a bound method is what an attribute holds, and not made by reading it."""
    held = getattr(thing, "__dict__", None)
    return held is not None and held.get(name) is bound


def _class_with(thing: Any, name: str, value: Any) -> type | None:
    """The class from which an object has an attribute that is a plain value."""
    if isinstance(thing, type) or name in getattr(thing, "__dict__", ()):
        return None
    holders = (cls for cls in type(thing).__mro__ if vars(cls).get(name) is value)
    return next(holders, None)


def _getter(thing: Any, name: str) -> Callable[[], Any] | None:
    """What runs code of the user's to give an attribute, converted; None where nothing does."""
    kind = type(thing)
    if not kind.__flags__ & MADE_BY_CLASS_STATEMENT or isinstance(thing, type):
        return None
    found = attribute(kind, name)
    if isinstance(found, property):
        getter = convert(found.fget) if isinstance(found.fget, FunctionType) else None
        return None if getter is None else functools.partial(getter, thing)
    fields = getattr(thing, "__dict__", None) if name != "__dict__" else None
    if fields is not None and name in fields and not hasattr(type(found), "__set__"):
        return None
    if isinstance(found, functools.cached_property):
        getter = convert(found.func) if isinstance(found.func, FunctionType) else None
        return None if getter is None else lambda: _cached(thing, name, getter)
    get = attribute(type(found), "__get__")
    if isinstance(get, FunctionType) and convert(get) is not None:
        return lambda: convert(get)(found, thing, kind)  # type: ignore[misc]
    if found is None and not hasattr(kind, name):
        return _fallback(thing, name)
    return None


def _fallback(thing: Any, name: str) -> Callable[[], Any] | None:
    """The user's `__getattr__`, which the absence of the attribute runs."""
    fallback = method(thing, "__getattr__")
    if fallback is None:
        return None
    guard_absence(thing, name, plainly=True)
    return functools.partial(fallback, name)


def _cached(thing: Any, name: str, getter: Callable[..., Any]) -> Any:
    guard_absence(thing, name, plainly=True)
    value = getter(thing)
    setattr_plain(thing, name, value)
    return value


def _setter(thing: Any, name: str, slot: str) -> Callable[..., Any] | None:
    """What runs code of the user's to set or delete an attribute, converted."""
    if not type(thing).__flags__ & MADE_BY_CLASS_STATEMENT or isinstance(thing, type):
        return None
    own = method(thing, "__setattr__" if slot == "__set__" else "__delattr__")
    if own is not None:
        return functools.partial(own, name)
    return _descriptor_setter(thing, name, slot)


def _descriptor_setter(thing: Any, name: str, slot: str) -> Callable[..., Any] | None:
    found = attribute(type(thing), name)
    if isinstance(found, property):
        function = found.fset if slot == "__set__" else found.fdel
        setter = convert(function) if isinstance(function, FunctionType) else None
        return None if setter is None else functools.partial(setter, thing)
    set_ = attribute(type(found), slot)
    twin = convert(set_) if isinstance(set_, FunctionType) else None
    return None if twin is None else functools.partial(twin, found, thing)


def _is_of_arrays_only(thing: Any, name: str) -> bool:
    """Whether `thing` stands for a Python number, which lacks this attribute of arrays."""
    if not isinstance(thing, Tensor) or not thing.type.weak:
        return False
    return hasattr(np.ndarray, name) and not hasattr(python_type_of(thing), name)


def _missing(x: Any, name: str) -> Exception:
    """What to raise for an attribute that `x` lacks: NumPy's error, if NumPy lacks it too."""
    kind = python_type_of(x)
    if hasattr(kind, name):
        return StagingError(
            f"`.{name}` of {x.describe()} has no tensor form yet",
            "use a function of `autograph` or NumPy, or compute it outside the converted function",
            origin=origin_of_caller(),
        )
    shown = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
    return AttributeError(f"'{shown}' object has no attribute '{name}'", name=name, obj=x)


def attribute_slot(thing: Any, name: str) -> journal.Slot:
    """An attribute as a place of the journal."""

    def write(value: Any) -> None:
        if not isinstance(value, Undefined):
            _plainly(thing, "__setattr__", setattr)(thing, name, value)
        elif name in vars(thing) or not hasattr(thing, "__dict__"):
            _plainly(thing, "__delattr__", delattr)(thing, name)

    def get() -> Any:
        found = getattr(thing, "__dict__", {}).get(name, _ABSENT)
        if found is _ABSENT:
            unbound = Undefined(name)
            found = getattr(thing, name, unbound) if _has_slot(thing, name) else unbound
        return found

    def load() -> Any:
        found = get()
        return found if isinstance(found, _Unreadable) else getattr_(thing, name)

    shown = f"{type(thing).__name__}.{name}"
    return journal.Slot(("attr", id(thing), name), thing, shown, get, write, load)


def _plainly(thing: Any, special: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, or what it does where the class has no special method of the user's for it."""
    is_own = isinstance(attribute(type(thing), special), FunctionType)
    return getattr(object, special) if is_own else function


def _has_slot(thing: Any, name: str) -> bool:
    found = attribute(type(thing), name)
    if isinstance(found, functools.cached_property):
        return False
    return not hasattr(thing, "__dict__") or hasattr(type(thing), name)


def setattr_(thing: Any, name: str, value: Any) -> None:
    """`thing.name = value`."""
    if building() is not None:
        setter = _setter(thing, name, "__set__")
        if setter is not None:
            setter(value)
            return
    _note_attribute(thing, name)
    setattr(thing, name, value)


def setattr_plain(thing: Any, name: str, value: Any) -> None:
    """`object.__setattr__(thing, name, value)`."""
    setter = _descriptor_setter(thing, name, "__set__") if building() is not None else None
    if setter is not None:
        setter(value)
        return
    _note_attribute(thing, name)
    object.__setattr__(thing, name, value)


def delattr_(thing: Any, name: str) -> None:
    """`del thing.name`."""
    if building() is not None:
        deleter = _setter(thing, name, "__delete__")
        if deleter is not None:
            deleter()
            return
    _note_attribute(thing, name)
    delattr(thing, name)


def delattr_plain(thing: Any, name: str) -> None:
    """`object.__delattr__(thing, name)`."""
    _note_attribute(thing, name)
    object.__delattr__(thing, name)


def _note_attribute(thing: Any, name: str) -> None:
    if journal.recording() is not None and not isinstance(thing, Tensor):
        journal.note(attribute_slot(thing, name))


# ---- items -----------------------------------------------------------------------------------


def getitem(thing: Any, key: Any) -> Any:
    """`thing[key]`.

    Graph meaning: an array is indexed by an op; a list or tuple with a traced index is stacked
    first, so that its elements must be alike.
    """
    if building() is None and not issubclass(type(key), Tensor):
        return thing[key]
    if isinstance(thing, PartOfError):
        return thing[key]
    if isinstance(thing, Variable):
        thing = thing.read_value()
    if isinstance(thing, Tensor):
        return thing[key]
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
        return _read_item(thing, key, value)
    known = with_captured(thing)
    return value if known is thing else known[key]


def _is_plain_key(key: Any) -> bool:
    return isinstance(key, (int, str, bytes, float, bool, type(None)))


def _read_item(thing: Any, key: Any, value: Any) -> Any:
    trace = current_trace()
    assert trace is not None
    before = content_before(thing)
    if before is not thing:
        # Written in this trace: what it held before is found by identity, and guarded whole.
        found = before.items() if isinstance(before, dict) else enumerate(before)
        key = next((k for k, v in found if v is value), _ABSENT)
        if key is _ABSENT:
            trace.consumed(thing)
            return value
        guard_content(thing, f"a {type(thing).__name__}")
    trace.consumed(thing)
    place = Place(f"item [{key!r}] of a {type(thing).__name__}", lambda: thing[key])
    return read(("item", id(thing), key), place, value)


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
    kinds = {type(x) for x in elements}
    try:
        arrays = [x if isinstance(x, Tensor) else np.asarray(x) for x in elements]
        if any(a.dtype.kind not in "biufc" for a in arrays):
            raise TypeError(", ".join(sorted(kind.__name__ for kind in kinds)))
        chosen = ops.getitem(ops.stack(arrays), key)
    except (TypeError, ValueError) as error:
        raise StagingError(
            f"a {type(thing).__name__} is indexed by {key.describe()}, and its elements do not "
            f"stack: {error}",
            "elements must be numbers or arrays of one shape",
        ) from error
    if kinds <= {bool, int, float, complex} or all(
        isinstance(x, Tensor) and x.type.weak for x in elements
    ):
        return ops.as_weak(chosen)
    return chosen


def _has_open(key: Any) -> bool:
    if isinstance(key, tuple):
        return any(map(_has_open, key))
    if isinstance(key, slice):
        return any(map(_has_open, (key.start, key.stop, key.step)))
    return isinstance(key, Tensor) and not key.is_known


def container_base(thing: Any) -> Any:
    """The built-in class of a container, past methods that a class of the user's overrides."""
    return next(base for base in (list, dict, set, deque) if isinstance(thing, base))


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
    if type(thing) is list:
        return [getitem(thing, i) for i in range(len(thing))]
    if type(thing) is dict:
        return {key: getitem(thing, key) for key in thing}
    return _copy(thing)


def _copy(thing: Any) -> Any:
    if isinstance(thing, (list, deque)):
        return list(container_base(thing).__iter__(thing))
    return dict(dict.items(thing)) if isinstance(thing, dict) else set(set.__iter__(thing))


def setitem(thing: Any, key: Any, value: Any) -> None:
    """`thing[key] = value`; an array is written in place, all views and names see it."""
    if journal.recording() is not None and not isinstance(thing, (Tensor, Variable)):
        if isinstance(thing, (list, dict, deque, np.ndarray)):
            _refuse_traced(thing, key, value)
            _note_foreign(thing)
            journal.note(content_slot(thing))
            _consumed(thing)
        elif isinstance(attribute(type(thing), "__setitem__"), FunctionType):
            own = method(thing, "__setitem__")
            if own is None:
                raise _unjournaled(thing, "__setitem__")
            own(key, value)
            return
    thing[key] = value


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
