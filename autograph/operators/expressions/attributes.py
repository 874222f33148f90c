"""Attributes: read as inputs or guarded, written through the journal, descriptors converted."""

from __future__ import annotations

import functools
import keyword
import sys
from collections import deque
from collections.abc import Callable
from importlib.util import resolve_name
from types import (
    BuiltinMethodType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

import numpy as np

from autograph import rules
from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.text_calls import method_of
from autograph.operators.captured.captures import (
    Place,
    Trace,
    current_trace,
    guard_absence,
    is_fixed,
    read,
    weak,
)
from autograph.operators.captured.caught import Caught, PartOfError
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import ORIGINALS, absence, attribute, convert, method
from autograph.operators.captured.variables import Maybe, Nullable, Undefined, _Unreadable, ld
from autograph.operators.catching.caught_parts import part_of_caught
from autograph.operators.containers.open_dicts import class_of_view
from autograph.operators.expressions.generators import made
from autograph.operators.expressions.heap_objects import heap_item, heap_presence, set_heap_item
from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import is_of_the_moment
from autograph.operators.values.compiler_errors import refuse_own
from autograph.operators.values.foreign_arrays import note_foreign
from autograph.operators.values.heaps import Reference, raise_refused
from autograph.operators.values.numbers_or_arrays import (
    is_number_or_array,
    of_all_classes,
    refuse_number_or_array,
)
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.runs import OpenDeque, python_class
from autograph.operators.values.templates import LazyString, python_type_of, stands_for_other
from runtime import journal, ops
from runtime.building import building, origin_of_caller
from runtime.cells import inputs_without_gaps
from runtime.devices import HOST
from runtime.dtypes import kind_of
from runtime.effects.left_runs import run_left
from runtime.errors import StagingError
from runtime.ops.python.python_math import MATH
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["attribute_slot", "delattr_", "delattr_plain", "getattr_", "getattr_or", "getattr_plain",
           "imported", "is_computed", "presence", "setattr_", "setattr_plain"]  # fmt: skip

_ABSENT = object()


def getattr_(thing: Any, name: str) -> Any:
    """`thing.name`. While tracing, attributes of objects from outside are inputs or guarded.

    The getter of a property or other descriptor of the user's is converted, as any function that is
    called, and so is a `__getattr__`.
    """
    if building() is not None:
        if type(thing) is Nullable:
            thing = thing.with_attribute(name, getattr)
        if type(thing) is Caught:
            return part_of_caught(thing, name, getattr_)
        if isinstance(thing, Reference):
            item = heap_item(thing, name)
            if item:
                return item[0]
        if isinstance(thing, PartOfError):
            return thing.part(name)
        if isinstance(thing, LazyString) and not name.startswith("__"):
            return method_of(thing, name)
        if type(thing) is OneOf:
            return of_each(thing, lambda one: getattr_(one, name))
        if name == "__class__" and isinstance(thing, Tensor) and stands_for_other(thing):
            return of_all_classes(thing, lambda kind: kind, "its class is asked for")
        if is_number_or_array(thing) and stands_for_other(thing):
            asked = f"`.{name}` of it is asked for"
            of_all_classes(thing, lambda kind: hasattr(kind, name), asked)
        if name == "__class__" and isinstance(thing, LazyString):
            return str
        if name == "__class__" and type(thing) is OpenDeque:
            return python_class(OpenDeque)
        view = class_of_view(thing)
        if view is not None:
            return _of_view(view, name)
        getter = _getter(thing, name)
        if getter is not None:
            return getter()
    try:
        value = getattr(thing, name)
        if name == "__dict__":
            _check_all_there(thing, value)
    except AttributeError:
        if isinstance(thing, Tensor):
            own = _number_method(thing, name)
            if own is not None:
                return own
            raise _missing(thing, name) from None
        guard_absence(thing, name)
        raise
    if type(value) is Maybe:
        return _on_one_path(thing, name, value)
    if issubclass(type(value), _Unreadable):
        return ld(value)
    return _read_attribute(thing, name, value)


def _of_view(view: type, name: str) -> Any:
    """What is asked of a view of a dict of which data decides what keys it has."""
    if name == "__class__":
        return view
    if hasattr(view, name):
        raise StagingError(
            f"`{name}` of a view of a dict is asked for, whose keys depend on data",
            "go through it by a `for` statement, or ask the dict for keys one by one",
            origin=origin_of_caller(),
        )
    raise AttributeError(f"'{view.__name__}' object has no attribute '{name}'")


def imported(path: str, name: str, value: Any) -> Any:
    """What `from path import name` gave: an attribute of the module that is read."""
    if current_trace() is None or isinstance(value, ModuleType):
        return value
    package = sys._getframe(1).f_globals.get("__package__")
    module = sys.modules.get(resolve_name(path, package) if path.startswith(".") else path)
    return value if module is None else getattr_(module, name)


# ---- attributes that one path only has -----------------------------------------------------------


def _check_all_there(thing: Any, held: Any) -> None:
    """Refuse to hand out a `__dict__` of which data decides what is in it."""
    names = [name for name, value in held.items() if type(value) is Maybe]
    if names:
        raise StagingError(
            f"the `__dict__` of a {type(thing).__name__} is looked at, and whether `{names[0]}` is "
            "in it depends on data",
            f"ask `hasattr(..., {names[0]!r})`, or set the attribute on every path",
            origin=origin_of_caller(),
        )


def presence(thing: Any, name: str) -> Tensor | None:
    """Whether an object has an attribute, where data decides that; else None."""
    if isinstance(thing, Reference):
        there = heap_presence(thing, name)
        return there if isinstance(there, Tensor) else None
    held = _held(thing, name)
    return None if held is None or _is_found(_elsewhere(thing, name)) else held.defined


def getattr_or(thing: Any, name: str, default: Any) -> Any:
    """`getattr(thing, name, default)`."""
    if type(thing) is Nullable:
        there, one = thing.present, thing.value
        return if_exp(
            there,
            lambda: getattr_or(one, name, default),
            lambda: getattr(None, name, default),
            "getattr",
        )
    if type(thing) is OneOf:
        return of_each(thing, lambda one: getattr_or(one, name, default))
    held = _held(thing, name)
    if held is not None and not _is_found(_elsewhere(thing, name)):
        return if_exp(held.defined, lambda: ld(held.inner), lambda: default, "getattr")
    found = presence(thing, name) if isinstance(thing, Reference) else None
    if found is not None:
        return if_exp(found, lambda: getattr_(thing, name), lambda: default, "getattr")
    try:
        return getattr_(thing, name)
    except AttributeError as error:
        refuse_own(error)
        return default


def is_computed(thing: Any, name: Any) -> bool:
    """Whether code of the user's gives the attribute, which may raise where data says so."""
    if type(name) is not str:
        return False
    if _held(thing, name) is not None:
        return _is_found(_elsewhere(thing, name))
    return _getter(thing, name) is not None


def _held(thing: Any, name: str) -> Maybe | None:
    """What an object itself holds under a name, where data decides whether it holds anything."""
    is_users = type(thing).__flags__ & MADE_BY_CLASS_STATEMENT
    if building() is None or not (is_users or isinstance(thing, type | FunctionType | ModuleType)):
        return None
    found = (getattr(thing, "__dict__", None) or {}).get(name)
    slot = attribute(type(thing), name)
    if isinstance(slot, MemberDescriptorType):
        try:
            found = slot.__get__(thing)
        except AttributeError:
            return None
    return found if type(found) is Maybe else None


def _is_found(other: Callable[[], Any] | None) -> bool:
    """Whether there is another value; a `__getattr__` is asked, and nothing that it did remains."""
    builder = building()
    if other is None or builder is None:
        return False
    mark = builder.mark()
    with journal.transaction():
        try:
            other()
        except AttributeError as error:
            refuse_own(error)
            return False
        finally:
            builder.truncate(mark)
    return True


def _on_one_path(thing: Any, name: str, held: Maybe) -> Any:
    """An attribute that was set, or deleted, on one path: elsewhere it is what Python finds."""
    other = _elsewhere(thing, name)
    if other is not None:
        return if_exp(held.defined, lambda: _put(thing, name, held), other, "attribute")
    _check_is_held(thing, name, held)
    return ld(held.inner)


def _check_is_held(thing: Any, name: str, held: Maybe) -> None:
    """Raise Python's error, in the graph, where an object holds nothing under a name."""
    kinds = {type: "type object", ModuleType: "module"}
    what = next((what for kind, what in kinds.items() if isinstance(thing, kind)), None)
    title = f"{what} {thing.__name__!r} has no attribute {name!r}" if what else ""
    text = title or absence(type(thing), name)
    held.check(held.defined, held.name, AttributeError(text))


def _put(thing: Any, name: str, held: Maybe) -> Any:
    value = ld(held.inner)
    if isinstance(thing, type):
        _note_attribute(thing, name)
        setattr(thing, name, value)
    else:
        setattr_plain(thing, name, value)
    return value


def _elsewhere(thing: Any, name: str) -> Callable[[], Any] | None:
    """What gives an attribute of an object that does not hold it; None where nothing does."""
    found = attribute(type(thing), name)
    if isinstance(found, functools.cached_property) and isinstance(found.func, FunctionType):
        getter = convert(found.func)
        if getter is not None:
            return lambda: _cached(thing, name, getter)
    if isinstance(thing, type):
        return _of_classes(thing.__mro__[1:], name, None, thing)
    if not isinstance(found, MemberDescriptorType):
        default = _of_classes(type(thing).__mro__, name, thing, type(thing))
        if default is not None:
            return default
    fallback = method(thing, "__getattr__")
    return None if fallback is None else functools.partial(fallback, name)


def _to_numpy(x: Tensor, trace: Trace) -> Callable[[], Any]:
    """`x.numpy`, which tensors have, and what stands for an array or a number has not."""
    if type(x).stands_for_array or x.type.weak:
        raise _missing(x, "numpy")
    return x.numpy if trace.meets_tensors else functools.partial(x._known, "`.numpy()`")


def getattr_plain(thing: Any, name: str) -> Any:
    """`object.__getattribute__(thing, name)`."""
    _refuse_plainly(thing)
    try:
        value = _base_method(thing, "__getattribute__")(thing, name)
    except AttributeError:
        guard_absence(thing, name)
        raise
    return ld(value) if issubclass(type(value), _Unreadable) else _noted(thing, name, value)


def _refuse_plainly(thing: Any) -> None:
    if isinstance(thing, Reference):
        raise_refused(thing.stands_for, "asked for what it holds by a method of `object`")


def _read_attribute(thing: Any, name: str, value: Any) -> Any:
    trace = current_trace()
    if trace is None:
        return value
    if isinstance(thing, (Tensor, Variable)):
        if name == "numpy" and isinstance(thing, Tensor) and not thing.is_known:
            return _to_numpy(thing, trace)
        if not trace.captures.tensors and _is_of_arrays_only(thing, name):
            raise _missing(thing, name)
        if not trace.captures.tensors and name == "device" and value == HOST:
            return _HOST_OF_NUMPY
        return value
    return _noted(thing, name, value)


# What an ndarray says where it is.
_HOST_OF_NUMPY = "cpu"


def _noted(thing: Any, name: str, value: Any) -> Any:
    """An attribute's value, as an input of the trace or guarded if it is from outside."""
    trace = current_trace()
    if trace is None:
        return value
    if _is_bound(value) and not _is_kept(thing, name, value):
        _note_method(trace, thing, name)
        return value
    _note_class(trace, thing, name)
    if isinstance(thing, ModuleType):
        if is_fixed(thing.__name__):
            if vars(thing).get(name) is value:
                trace.code.note_name(vars(thing), name, value)
            if not isinstance(value, _CHANGING):
                return value
    elif isinstance(thing, type) and "<locals>" not in thing.__qualname__:
        trace.outside.add(thing)  # a class of a module is older than any trace
        if type(value) is FunctionType:  # not what stands there while it is traced
            value = ORIGINALS.get(value, value)
    elif not trace.outside.has(thing):
        # What an object of the trace's own has from its class is older than the trace.
        thing = _class_with(thing, name, value)
        if thing is None:
            return value
    fetch = weak(thing)
    owner = thing.__name__ if isinstance(thing, (type, ModuleType)) else type(thing).__name__
    read_plainly: Callable[[Any, str], Any] = getattr
    if isinstance(attribute(type(thing), "__getattr__"), FunctionType):
        read_plainly = object.__getattribute__
    is_name = name.isidentifier() and not keyword.iskeyword(name)
    how = "attribute" if read_plainly is getattr else "own attribute"
    route = (how, fetch, name) if is_name else None
    place = Place(f"{owner}.{name}", lambda: read_plainly(fetch(), name), route)
    return read(("attr", id(thing), name), place, value)


_BOUND = (MethodType, BuiltinMethodType, MethodWrapperType)
# What a module of a library may hold of which the content changes.
_CHANGING = (list, dict, set, deque, np.ndarray)


def _is_bound(value: Any) -> bool:
    """Whether it is a method with its object: one of Python's, or a converted one."""
    is_converted = hasattr(type(value), "__ag_call__") and hasattr(value, "__func__")
    return isinstance(value, _BOUND) or is_converted


def _note_class(trace: Trace, thing: Any, name: str) -> None:
    if isinstance(thing, type):
        trace.code.ask(thing, name)
    elif not isinstance(thing, ModuleType):
        trace.code.ask(type(thing), name)
        trace.outside.meet(thing)


def _note_method(trace: Trace, thing: Any, name: str) -> None:
    if isinstance(thing, type):
        trace.code.ask(thing, name)
    elif isinstance(thing, super):
        for cls in getattr(thing, "__self_class__", object).__mro__:
            trace.code.ask(cls, name)
    elif not isinstance(thing, ModuleType):
        trace.outside.meet_method(thing, name)


def _is_kept(thing: Any, name: str, bound: Any) -> bool:
    """Whether a bound method is what an attribute holds, and not made by reading it."""
    held = getattr(thing, "__dict__", None)
    return held is not None and held.get(name) is bound


def _class_with(thing: Any, name: str, value: Any) -> type | None:
    """The class from which an object has an attribute that is a plain value."""
    if isinstance(thing, type) or name in getattr(thing, "__dict__", ()):
        return None
    owned = ((cls, vars(cls)) for cls in type(thing).__mro__)
    return next((cls for cls, held in owned if name in held and held[name] is value), None)


def _read(getter: Callable[[Any], Any], thing: Any) -> Any:
    return made(getter(thing), getter, (thing,), {})


def _of_classes(
    classes: tuple[type, ...], name: str, thing: Any, kind: type
) -> Callable[[], Any] | None:
    """What gives what the first of some classes has under a name; None where none has it."""
    owner = next((cls for cls in classes if name in vars(cls)), None)
    if owner is None:
        return None
    found = vars(owner)[name]
    bind = getattr(type(found), "__get__", None)
    if bind is None:
        return lambda: getattr_(owner, name)
    return lambda: bind(found, thing, kind)


def _getter(thing: Any, name: str) -> Callable[[], Any] | None:
    """What runs code of the user's to give an attribute, converted; None where nothing does."""
    kind = type(thing)
    if is_of_the_moment(kind, name):
        return lambda: call_host(getattr, (thing, name), {})
    if not kind.__flags__ & MADE_BY_CLASS_STATEMENT or isinstance(thing, type):
        return None
    trace = current_trace()
    if trace is not None:
        trace.outside.meet(thing)
    found = attribute(kind, name)
    if isinstance(found, property):
        if rules.is_left_alone(found.fget):
            return functools.partial(run_left, found.fget, (thing,), {})  # traced as it is
        getter = convert(found.fget) if isinstance(found.fget, FunctionType) else None
        return None if getter is None else functools.partial(_read, getter, thing)
    fields = getattr(thing, "__dict__", None) if name != "__dict__" else None
    if fields is not None and name in fields and not hasattr(type(found), "__set__"):
        return None
    if isinstance(found, functools.cached_property):
        getter = convert(found.func) if isinstance(found.func, FunctionType) else None
        return None if getter is None else lambda: _cached(thing, name, getter)
    get = attribute(type(found), "__get__")
    if isinstance(get, FunctionType) and convert(get) is not None:
        _note_older(found)
        return lambda: convert(get)(found, thing, kind)  # type: ignore[misc]
    if found is None and not hasattr(kind, name):
        return _fallback(thing, name)
    return None


def _note_older(descriptor: Any) -> None:
    """Note that what a descriptor holds outlives the call, if the trace did not make it."""
    trace = current_trace()
    if trace is not None and not journal.is_fresh(descriptor):
        trace.outside.add(descriptor)


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
    if twin is None:
        return None
    _note_older(found)
    return functools.partial(twin, found, thing)


def _number_method(x: Tensor, name: str) -> Callable[[], Any] | None:
    """A method of the Python number that a tensor stands for, or of NumPy's that has it, too."""
    if name == "is_integer" and not x.type.weak and x.type.rank == 0 and not x.is_array:
        x = ops.as_weak(x)
    if not x.type.weak or name not in ("is_integer", "bit_length", "bit_count"):
        return None
    if kind_of(x.dtype) == "f" and name == "is_integer":
        return lambda: MATH[name](x)
    if x.dtype.kind not in "bi" or not hasattr(int, name):
        return None
    return (lambda: True) if name == "is_integer" else lambda: MATH[name](x)


def _is_of_arrays_only(thing: Any, name: str) -> bool:
    """Whether `thing` stands for a Python number, which lacks this attribute of arrays."""
    if not isinstance(thing, Tensor) or not thing.type.weak:
        return False
    return hasattr(np.ndarray, name) and not hasattr(python_type_of(thing), name)


def _missing(x: Any, name: str) -> Exception:
    """What to raise for an attribute that `x` lacks: NumPy's error, if NumPy lacks it too."""
    refuse_number_or_array(x, f"`.{name}` of it is asked for")
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
        elif _holds(thing, name):
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
    return _base_method(thing, special) if is_own else function


def _base_method(thing: Any, special: str) -> Callable[..., Any]:
    """The method of `object`, or for a class that of `type`."""
    return getattr(type if issubclass(type(thing), type) else object, special)  # type: ignore[no-any-return]


def _holds(thing: Any, name: str) -> bool:
    """Whether an object has a value of its own under a name, in its `__dict__` or a slot."""
    if name in getattr(thing, "__dict__", ()):
        return True
    return isinstance(attribute(type(thing), name), MemberDescriptorType) and hasattr(thing, name)


def _has_slot(thing: Any, name: str) -> bool:
    """Whether an object has a value of its own that is not in its `__dict__`: no default."""
    found = attribute(type(thing), name)
    return hasattr(type(found), "__set__") and not isinstance(found, property)


def setattr_(thing: Any, name: str, value: Any) -> None:
    """`thing.name = value`."""
    if building() is not None:
        if type(thing) is Nullable:
            thing = thing.with_attribute(name, setattr, value)
        if type(thing) is OneOf:
            of_each(thing, lambda one: setattr_(one, name, value))
            return
        if isinstance(thing, HostValue):
            thing.set_part(name, value)
            return
        if isinstance(thing, Tensor) and python_type_of(thing) is np.ndarray:
            _set_part_of_array(thing, name, value)
            return
        if isinstance(thing, Reference):
            _set_on_heap(thing, name, value)
            return
        setter = _setter(thing, name, "__set__")
        if setter is not None:
            setter(value)
            return
        note_foreign(thing)
    if not _is_property_without(thing, name, "fset"):
        _note_attribute(thing, name)
    setattr(thing, name, value)


def _is_property_without(thing: Any, name: str, what: str) -> bool:
    """Whether an attribute is a property that cannot be set, or deleted: nothing is to be noted."""
    found = attribute(type(thing), name)
    return isinstance(found, property) and getattr(found, what) is None


def _set_on_heap(thing: Reference, name: str, value: Any) -> None:
    setter = _descriptor_setter(thing, name, "__set__")
    if setter is not None:
        setter(value)
    elif isinstance(attribute(type(thing), name), property):
        object.__setattr__(thing, name, value)  # raises: it has no setter
    else:
        set_heap_item(thing, name, value)


def _set_part_of_array(x: Tensor, name: str, value: Any) -> None:
    """`x.real = value` and its kin, which write into the array."""
    if name in ("real", "imag"):
        # It raises where NumPy does, and says what that says; else NumPy casts an array of it.
        is_complex = type(value) is complex
        setattr(np.zeros(1, x.dtype), name, value if is_complex else 0)
        getattr(x, name)[...] = np.asarray(value) if is_complex else value
        return
    if name == "flat":
        x.flat[:] = value
        return
    if name == "shape":
        _check_shown_anew(x)
        x.shape = value
        return
    if not hasattr(np.ndarray, name):
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
    raise StagingError(
        f"`.{name}` of an array is set, which a graph cannot do",
        "make a new array (`reshape`, `astype`)",
        origin=origin_of_caller(),
    )


def _check_shown_anew(x: Tensor) -> None:
    """Raise StagingError where another shape of this very array is not known to be its own.

    It must be made where its shape is set, and lie in memory without gaps.
    """
    builder, first = building(), x.cell().first
    assert builder is not None
    is_outside = first is None or (not x._chain and first in builder.root.graph.inputs)
    if is_outside or (builder.parent is not None and not builder.owns(first)):
        place = "of the caller's" if is_outside else "from outside of this branch or loop"
        raise StagingError(
            f"`.shape` of an array {place} is set, which a graph cannot do",
            "give the reshaped array to a name: `y = x.reshape(...)`",
            origin=origin_of_caller(),
        )
    if x.type.rank == 1:
        return
    needed = inputs_without_gaps(x.cell()) if not x.is_part_out_of_order else None
    if needed is None:
        raise StagingError(
            "`.shape` of an array is set, which NumPy does only for some layouts in memory, and "
            "that of this array is not known",
            "give the reshaped array to a name: `y = x.reshape(...)`",
            origin=origin_of_caller(),
        )
    builder.root.in_c_order |= needed


def setattr_plain(thing: Any, name: str, value: Any) -> None:
    """`object.__setattr__(thing, name, value)`."""
    _refuse_plainly(thing)
    setter = _descriptor_setter(thing, name, "__set__") if building() is not None else None
    if setter is not None:
        setter(value)
        return
    _note_attribute(thing, name)
    _base_method(thing, "__setattr__")(thing, name, value)


def delattr_(thing: Any, name: str) -> None:
    """`del thing.name`."""
    if building() is not None:
        if type(thing) is Nullable:
            thing = thing.with_attribute(name, delattr)
        if type(thing) is OneOf:
            of_each(thing, lambda one: delattr_(one, name))
            return
        if isinstance(thing, Reference):
            raise_refused(thing.stands_for, "to lose an attribute")
        deleter = _setter(thing, name, "__delete__")
        if deleter is not None:
            deleter()
            return
    _delete(thing, name, delattr)


def delattr_plain(thing: Any, name: str) -> None:
    """`object.__delattr__(thing, name)`."""
    _delete(thing, name, _base_method(thing, "__delattr__"))


def _delete(thing: Any, name: str, delete: Callable[[Any, str], None]) -> None:
    held = _held(thing, name)
    if held is not None and isinstance(attribute(type(thing), name), MemberDescriptorType):
        held.check(held.defined, held.name, AttributeError(name))  # Python's text, of slots
    elif held is not None:
        _check_is_held(thing, name, held)
    if not _is_property_without(thing, name, "fdel"):
        _note_attribute(thing, name)
    delete(thing, name)


def _is_in_body() -> bool:
    """Whether the body of a staged statement is being traced."""
    open_ = journal.recording()
    while open_ is not None and not open_.is_of_body:
        open_ = open_.parent
    return open_ is not None


def _note_attribute(thing: Any, name: str) -> None:
    if journal.recording() is None or isinstance(thing, Tensor):
        return
    slot = attribute_slot(thing, name)
    if not _holds(thing, name) and _is_in_body() and slot.key not in journal.all_noted():
        # What is set here may not be set in another call, which then finds what this one left.
        guard_absence(thing, name, plainly=hasattr(thing, "__dict__"))
    journal.note(slot)
