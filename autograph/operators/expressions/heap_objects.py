"""Objects on a heap: made, and their attributes read and written, as items of lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType, MemberDescriptorType
from typing import Any, NoReturn

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.copied_in import note_held
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import absence, attribute
from autograph.operators.captured.variables import Maybe, Nullable
from autograph.operators.expressions.access import getitem, setitem
from autograph.operators.symbolic.rows import length
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import is_changeable, is_object
from autograph.operators.values.contents import content_slot
from autograph.operators.values.heaps import (
    Heap,
    Reference,
    Retired,
    There,
    generates_equality,
    has_slots,
    heap_of,
    number_of,
    raise_refused,
    refuse_retired,
)
from runtime import journal, ops
from runtime.building import origin_of_caller
from runtime.errors import StagingError
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["can_be_on_heap", "heap_item", "heap_presence", "note_made", "placed", "set_heap_item"]


def placed(made: Any, heap: Heap, read: Callable[[type, str], Any]) -> Reference:
    """What stands for a new object, whose `__init__` has run: the attributes go to the heap.

    `read` gives an attribute of the class, for objects that have none of their own.
    """
    held = _held(made)
    _note_new(heap, [name for name in held if name not in heap.columns])
    names = [name for name in heap.columns if type(name) is str]
    absent = [name for name in names if name not in held or type(held[name]) is Maybe]
    _note_absent(heap, absent)
    defaults = {n: read(heap.cls, n) for n in absent if _is_default(heap.cls, n)}
    reference: Reference = tuple.__new__(heap.plan.reference, (length(heap.first),))
    for name, column in heap.columns.items():
        if isinstance(name, There):
            value = _is_there(held, name)
        else:
            value = held.get(name)
            if name in absent:
                value = _or_absent(value, defaults.get(name))
        journal.note(content_slot(column))
        column.append(reference if value is made else value)
        note_held(column)
    _retire(made)
    return reference


def _or_absent(x: Any, default: Any) -> Any:
    """What an attribute is to be in its list: the class's, or None, where the object lacks it."""
    if type(x) is not Maybe:
        return default
    if default is None:
        return Nullable(x.name, x.inner, x.defined, x.check)
    return if_exp(x.defined, lambda: x.inner, lambda: default, x.name)


def _is_there(held: dict[str, Any], name: There) -> Any:
    found = held.get(name.name)
    return found.defined if type(found) is Maybe else name.name in held


def can_be_on_heap(cls: type, made: Any) -> bool:
    """Whether a heap can hold such objects: they have no methods that Python calls by itself."""
    if not is_object(made) or not is_changeable(made) or hasattr(cls, "_fields"):
        return False
    names = {name for base in cls.__mro__[:-1] for name in vars(base)}
    special = {name for name in names if name.startswith("__") and name.endswith("__")}
    bases = [base for base in cls.__mro__[:-1] if base.__module__ not in ("abc", "typing")]
    is_generated = "__eq__" not in special or any(map(generates_equality, bases))
    if has_slots(cls) and not _is_made_of_methods(cls):
        return False
    return is_generated and not special - _PLAIN


def _is_made_of_methods(cls: type) -> bool:
    """Whether a class is no more than its methods, so that another one can have them."""
    held = [x for name, x in vars(cls).items() if not name.startswith("__")]
    if cls.__mro__[1:] != (object,):
        return False
    functions = (FunctionType, property, staticmethod, MemberDescriptorType)
    names = [
        getattr(getattr(x, "fget", x), "__code__", None)
        for x in (*held, attribute(cls, "__init__"))
    ]
    uses_class = any(code is not None and "__class__" in code.co_freevars for code in names)
    return not uses_class and all(isinstance(x, functions) for x in held)


# What a class may have under special names: nothing that an operator or a statement asks for.
_PLAIN = frozenset(
    (
        "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
        "__annotations_cache__", "__class_getitem__", "__dataclass_fields__",
        "__dataclass_params__", "__dict__", "__doc__", "__eq__", "__firstlineno__", "__hash__",
        "__init__", "__match_args__", "__module__", "__ne__", "__orig_bases__", "__parameters__",
        "__post_init__", "__qualname__", "__replace__", "__repr__", "__slotnames__", "__slots__",
        "__static_attributes__", "__str__", "__type_params__", "__weakref__",
    )
)  # fmt: skip


def note_made(cls: type, made: Any) -> None:
    """Note that a trace makes objects of a class, which could be on a heap."""
    facts = current_trace()
    if facts is None:
        return
    known, in_bodies = facts.found.classes, facts.found.made_in_bodies
    if cls not in known and can_be_on_heap(cls, made):
        known[cls] = tuple(_held(made))
    if cls not in in_bodies and cls in known and journal.is_of_body(made):
        in_bodies[cls] = known[cls]


def _held(made: Any) -> dict[str, Any]:
    """The attributes of an object in the order in which they were set."""
    found = tree.attributes_of(made)
    return found or {_COUNT: True}


# The list of a class whose objects have no attributes.
_COUNT = ""


def _note_new(heap: Heap, names: list[str]) -> None:
    """Begin anew where an object has attributes that others of its class did not have so far."""
    _begin_anew(heap, names, [part for name in names for part in (name, There(name))])


def _note_absent(heap: Heap, names: list[str]) -> None:
    """Begin anew where an object lacks attributes that all of its class had so far."""
    absent = [name for name in names if There(name) not in heap.columns]
    _begin_anew(heap, absent, list(map(There, absent)))


def _begin_anew(heap: Heap, names: list[str], parts: Sequence[str | There]) -> None:
    facts = current_trace()
    if not names or facts is None:
        return
    facts.found.attributes.setdefault(heap.cls, {}).update(dict.fromkeys(parts))
    raise StagingError(
        f"`{names[0]}` of {heap.cls.__name__} is an attribute of some of its objects only",
        "set it in `__init__`",
        origin=origin_of_caller(),
    )


def _is_default(cls: type, name: str) -> bool:
    """Whether a class has a plain value for objects that have none of their own under a name."""
    return hasattr(cls, name) and not hasattr(type(attribute(cls, name)), "__get__")


def _retire(made: Any) -> None:
    """Let nobody use the object itself, for which a reference stands from now on."""
    for name in tree.attributes_of(made):
        object.__delattr__(made, name)
    cls = type(made)
    own = {
        "__slots__": (),
        "__eq__": _refuse_to_compare,
        "__hash__": object.__hash__,
        "__getattr__": _refuse,
        "__setattr__": _refuse,
    }
    kind: Any = type(cls)
    made.__class__ = kind(cls.__name__, (cls, Retired), own)


def _refuse_to_compare(made: Any, other: Any) -> Any:
    if made is not other:
        refuse_retired(made)
    return True


def _refuse(made: Any, name: str, *value: Any) -> NoReturn:
    if not name.startswith("__"):
        refuse_retired(made)
    raise AttributeError(name)


def _column(thing: Reference, name: str) -> list[Any] | None:
    heap = heap_of(type(thing))
    return None if heap is None else heap.columns.get(name)


def heap_item(thing: Reference, name: str) -> tuple[Any, ...]:
    """The attribute of an object, alone in a tuple; none where its class gives it."""
    cls = thing.stands_for
    if name == "__class__":
        return (cls,)
    column = _column(thing, name)
    there = _own_presence(thing, name)
    of_class = hasattr(cls, name)
    if of_class and there is not True and not _is_default(cls, name):
        if there is not False:
            raise_refused(cls, f"asked for `{name}`, which its class has as well as some objects")
        return ()
    if column is not None:
        error = AttributeError(absence(cls, name))
        if of_class:
            pass  # where the object has none, its list has what the class has
        elif isinstance(there, Tensor):
            stage_raise(ops.logical_not(there), error)
        elif not there:
            raise error
        return (getitem(column, number_of(thing)),)
    if name == "__dict__":
        raise_refused(cls, "asked for its `__dict__`")
    if not of_class:
        raise AttributeError(absence(cls, name), name=name, obj=thing)
    return ()


def heap_presence(thing: Reference, name: str) -> Any:
    """Whether an object has an attribute, from its class or its own: a bool, or a traced one."""
    return hasattr(thing.stands_for, name) or _own_presence(thing, name)


def _own_presence(thing: Reference, name: str) -> Any:
    heap = heap_of(type(thing))
    there = None if heap is None else heap.columns.get(There(name))
    return True if there is None else getitem(there, number_of(thing))


def set_heap_item(thing: Reference, name: str, value: Any) -> None:
    """`thing.name = value`."""
    column, heap = _column(thing, name), heap_of(type(thing))
    assert heap is not None
    if column is None:
        _note_new(heap, [name])
        return
    setitem(column, number_of(thing), value)
    there = heap.columns.get(There(name))
    if there is not None:
        setitem(there, number_of(thing), True)
