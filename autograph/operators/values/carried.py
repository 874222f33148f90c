"""Values that staged statements carry: what they are to a graph, and containers of them."""

from __future__ import annotations

import sys
from abc import ABC, ABCMeta
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any, Generic, NamedTuple

import numpy as np

from autograph import rules
from autograph.operators.captured.captures import current_trace, is_fixed
from autograph.operators.captured.caught import Caught, KindOfError, PartOfError
from autograph.operators.captured.closures import is_same_function
from autograph.operators.captured.guards import same_value
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import attribute
from autograph.operators.captured.variables import (
    Maybe,
    Nullable,
    Undefined,
    UndefinedReturnValue,
    in_words,
)
from autograph.operators.values.grown_text import letters_of
from autograph.operators.values.runs import Opened, Run, has_runs
from autograph.operators.values.templates import Late, LazyString, has_traced
from runtime import ops
from runtime.building import building, current_builder, traced
from runtime.errors import StagingError
from runtime.spec import TensorType, join, type_of_number
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["KEEP_IN_LIST", "NOTHING", "NUMBERS", "VIEWS", "ChosenValue", "advice",
           "all_numpy", "attributes_of", "both_hold", "children_after", "describe",
           "describe_both", "either_holds", "has_parts", "in_slots", "is_array",
           "is_changeable", "is_container", "is_either", "is_number", "is_numeric",
           "is_numpy", "is_numpys", "is_object", "is_python_complex", "is_same",
           "is_unset", "is_value", "merge_types", "on_side", "own_children", "split",
           "split_none", "subject", "tensor", "type_of", "with_children"]  # fmt: skip


NUMBERS = (bool, int, float, complex)
# What `keys`, `values` and `items` of a dict give whose keys are known.
VIEWS: tuple[type[Collection[Any]], ...] = (type({}.keys()), type({}.values()), type({}.items()))


def is_numeric(x: Any) -> bool:
    """Whether `x` can be a graph value."""
    return isinstance(x, (Tensor, np.ndarray, np.generic, *NUMBERS))


def is_number(x: Any) -> bool:
    """Whether `x` can be a graph value, and is no array that may change."""
    return is_numeric(x) and not is_array(x)


def is_numpys(x: Any) -> bool:
    """Whether NumPy says what an operator gives for `x` and an object that it takes for numbers."""
    return isinstance(x, np.ndarray | np.generic) or (isinstance(x, Tensor) and not x.type.weak)


def is_python_complex(x: Any) -> bool:
    """Whether `x` is a `complex` of Python's, or a value that stands for one."""
    return type(x) is complex or (isinstance(x, Tensor) and x.type.weak and x.dtype.kind == "c")


def both_hold(a: Any, b: Any) -> Any:
    """Whether two truths hold, of which each may be a traced one."""
    if a is False or b is False:
        return False
    if a is True or b is True:
        return b if a is True else a
    return ops.logical_and(a, b)


def either_holds(a: Any, b: Any) -> Any:
    """Whether one of two truths holds, of which each may be a traced one."""
    if a is True or b is True:
        return True
    if a is False or b is False:
        return b if a is False else a
    return ops.logical_or(a, b)


def is_unset(x: Any) -> bool:
    """Whether `x` marks a name without a value."""
    return isinstance(x, (Undefined, UndefinedReturnValue))


def is_array(x: Any) -> bool:
    """Whether `x` is an array that may change, and has a cell: of rank 0 where NumPy has it so."""
    if isinstance(x, Tensor):
        return x.is_array and not (x.is_immutable or x.is_read_only)
    return isinstance(x, np.ndarray)


def is_either(x: Any) -> bool:
    """Whether `x` is an array of rank 0 from outside of the trace, or is one at times."""
    if not isinstance(x, Tensor) or x._zero_dimensional is False or x.type.rank != 0:
        return False
    builder = building()
    if builder is None or x.may_be_array:
        return builder is not None
    first = x._value if x._cell is None else x._cell.first
    return any(first is value for value in builder.root.graph.inputs)


def type_of(x: Any) -> TensorType:
    """Graph type of a numeric value."""
    if isinstance(x, Tensor):
        return x.type
    if isinstance(x, (np.ndarray, np.generic)):
        return TensorType(x.dtype, x.shape)
    return type_of_number(x)


def is_numpy(x: Any) -> bool | None:
    """Whether a number or array of a graph is NumPy's, and no tensor.

    None of what is known, and of Python's numbers: it is what that beside it is.
    """
    return type(x).stands_for_array if isinstance(x, Tensor) and not x.type.weak else None


def all_numpy(*found: bool | None) -> bool | None:
    """What `is_numpy` says of what is one of several, from what it says of each."""
    known = [one for one in found if one is not None]
    return all(known) if known else None


def tensor(x: Any) -> Tensor:
    """A numeric value, or the letters of a text, as a tensor of the graph under construction."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, str | LazyString):
        return letters_of(x)
    if isinstance(x, np.ndarray):
        facts = current_trace()
        known = None if facts is None else facts.captures.handles.get(id(x))
        if known is not None:  # what the array holds by now
            return known
    builder = current_builder()
    return traced(builder.value_of(x))


class _Nothing:
    """The value of a place on a path that never continues."""

    def __repr__(self) -> str:
        return "<never reached>"


NOTHING = _Nothing()


def on_side(x: Any, side: int) -> tuple[Any, Any]:
    """A pair of what two paths have, of which one path only has something."""
    return (x, NOTHING) if side == 0 else (NOTHING, x)


def merge_types(name: str, a: TensorType, b: TensorType) -> TensorType:
    """Joined type of one place on two paths.

    Refuses what is a mask on one and an index on the other.
    """
    joined = join(a, b)
    if not isinstance(joined, TensorType):
        raise StagingError(f"`{name}` is {a} on one path but {b} on the other")
    if a.dtype == b.dtype:
        return joined
    kinds = {a.dtype.kind, b.dtype.kind}
    if "b" in kinds and kinds & {"i", "u"} and (a.rank or b.rank):
        raise StagingError(
            f"{subject(name)} is an array of {a.dtype} on one path but of {b.dtype} on the other: "
            "as an index, and in `~`, `+` and `*`, truth values mean something else than integers",
            "give it one dtype on both paths (`.astype(bool)`, `.astype(int)`, `np.flatnonzero`)",
        )
    trace = current_trace()
    if trace is not None:
        trace.decisions.joins += 1
    return joined


def split(x: Any) -> tuple[Any, Any]:
    if isinstance(x, Maybe):
        return x.inner, x.defined
    if is_unset(x):
        return NOTHING, False
    return x, True if x is not NOTHING else NOTHING


def split_none(x: Any) -> tuple[Any, Any]:
    """The value of a place that may hold None, and whether it holds one."""
    if isinstance(x, Nullable):
        return x.inner, x.present
    if x is None:
        return NOTHING, False
    return x, True if x is not NOTHING else NOTHING


def describe(x: Any) -> str:
    """A value in a few words, for messages."""
    if isinstance(x, Tensor):
        return f"a {x.type} tensor"
    if is_numeric(x):
        return f"a {type_of(x)}"
    if x is None:
        return "None"
    if x is NOTHING:
        return "without a value"
    if isinstance(x, Nullable):
        return f"{describe(x.inner)} or None"
    if isinstance(x, LazyString):
        return "a str"
    if isinstance(x, Late):
        return x.described()
    if isinstance(x, Caught):
        return "an exception that was caught"
    if isinstance(x, PartOfError) and not isinstance(x, HostValue):
        what = "the class" if isinstance(x, KindOfError) else "a part"
        return f"{what} of an exception that was caught"
    if isinstance(x, str) and len(x) <= _LONGEST_TEXT:
        return f"the str {x!r}"
    if isinstance(x, Run):
        return "as many items as data says"
    if has_runs(x):
        return f"a {type(x).__name__} whose length depends on data"
    if is_container(x):
        count = len(own_children(x))
        return f"a {type(x).__name__} of {count} item{'s' * (count != 1)}"
    return f"a {type(x).__name__}"


def describe_both(a: Any, b: Any) -> tuple[str, str]:
    """Two values that are not of one kind, in words that differ."""
    one, other = describe(a), describe(b)
    if one != other or type(a) is not type(b):
        return one, other
    if isinstance(a, Run):
        return one, "as many, of another kind"
    if is_container(a) or is_object(a):
        return one, f"{other} with other {'keys' if isinstance(a, dict) else 'attributes'}"
    return one, f"another {type(b).__name__}"


_LONGEST_TEXT = 30


def subject(place: str) -> str:
    """A place in a message: the user's name of it, or what it is where it has none."""
    if place.startswith("a "):
        inner = "what is in " if "[" in place else ""
        return f"{inner}{place.partition('[')[0]} that is changed in place"
    words = in_words(place)
    return words if " " in words else f"`{words}`"


# What to do where a graph would have to make an object that leads to itself.
KEEP_IN_LIST = "keep the objects in a list, and carry the index of one"


def advice(one: str, other: str) -> str:
    """What to do where a place is one thing or another; empty when nothing special is known."""
    if one.startswith("a list of ") and other.startswith("a list of "):
        return (
            "here a graph holds a list whose length depends on data only of numbers and "
            "texts, and no list of an own class or deque that is older than the call; use a list "
            "of numbers, or an array of the full length"
        )
    if one.startswith("a dict of ") and other.startswith("a dict of "):
        return (
            "give it all its keys before (`d[key] = None`), or let its values be numbers of one "
            "type: only such a dict may get a key on one path"
        )
    if all(text.startswith(("the str ", "a str")) for text in (one, other)):
        return (
            "a graph holds numbers, not text: keep a number, and choose the text outside of the "
            "converted function"
        )
    return ""


def is_container(x: Any) -> bool:
    return type(x) in (tuple, list, dict) or _is_record(x)


def is_nest(x: Any) -> bool:
    """Whether `x` can be an item of which the graph holds the parts: it is equal to its like."""
    if isinstance(x, tuple) or type(x) in (list, dict):
        return has_parts(x)
    return _is_record(x) and attribute(type(x), "__eq__") is not object.__eq__


def _is_record(x: Any) -> bool:
    cls = type(x)
    return (isinstance(x, tuple) and hasattr(cls, "_fields")) or (
        hasattr(cls, "__dataclass_fields__") and not isinstance(x, type)
    )


def is_object(x: Any) -> bool:
    """Whether `x` is an object of the user's that is no more than its attributes."""
    return is_of_users(x) and not any(
        name in vars(base) for base in type(x).__mro__[:-1] for name in _NOT_PLAIN
    )


def is_of_users(x: Any) -> bool:
    """Whether `x` is an object of a class of the user's that has no base of another kind."""
    cls = type(x)
    if not cls.__flags__ & MADE_BY_CLASS_STATEMENT or type(cls) not in (type, ABCMeta):
        return False
    bases = [base for base in cls.__mro__[:-1] if base not in _WITHOUT_STATE]
    return all(
        base.__flags__ & MADE_BY_CLASS_STATEMENT and not _is_of_library(base.__module__)
        for base in bases
    )


# Bases of the library's that give an object nothing of its own.
_WITHOUT_STATE = (ABC, Generic)
# An object of a class with one of these may be more, or other, than what its attributes hold.
_NOT_PLAIN = ("__getattribute__", "__setattr__", "__del__", "__new__", "__call__", "__next__")


def _is_of_library(module: str) -> bool:
    root = module.partition(".")[0]
    if root == "__main__" or rules.is_plain_python(module):
        return False
    return is_fixed(module) or root in sys.stdlib_module_names


def has_parts(x: Any) -> bool:
    """Whether `x` is a container or a plain object, the parts of which may change one by one."""
    return is_container(x) or is_object(x)


def is_changeable(x: Any) -> bool:
    """Whether what has parts is told from another one with the same parts, which may change."""
    if isinstance(x, tuple):
        return False
    parameters = getattr(type(x), "__dataclass_params__", None)
    return parameters is None or not parameters.frozen


def is_same(a: Any, b: Any) -> bool:
    """Whether a place that held `a`, and now `b`, holds what it did: of what may change, itself."""
    if a is b or isinstance(a, _CHANGEABLE):
        return a is b
    if isinstance(a, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(is_same, a, b))
    if not same_value(a, b) and not is_same_function(a, b) and not _are_equal_values(a, b):
        return False
    facts = current_trace()
    if facts is not None and is_value(a):  # which object it is, is not known from here on
        for x in (a, b):
            facts.containers.chosen_values[id(x)] = ChosenValue(x, None, (None, None))
    return True


def _are_equal_values(a: Any, b: Any) -> bool:
    """Whether these are one value: equal decimals, and equal ranges, may be written otherwise."""
    return type(a) is type(b) and is_value(a) and bool(a == b) and repr(a) == repr(b)


class ChosenValue(NamedTuple):
    """What a staged statement made of two values that cannot change: `which` says the first."""

    made: Any
    # None where it is not known which values it may be.
    which: Any
    sides: tuple[Any, Any]


# These are hashed by their values, but are carried as numbers, or may change.
_NO_VALUES = (str, memoryview, type(None), np.generic)


def is_value(x: Any) -> bool:
    """Whether `x` is a value that nobody changes, of a class of Python's or NumPy's: a Fraction."""
    cls = type(x)
    own_hash: Any = cls.__hash__
    by_value = cls is slice or (own_hash is not None and own_hash is not object.__hash__)
    if not by_value or callable(x) or isinstance(x, _NO_VALUES) or is_numeric(x) or has_parts(x):
        return False
    root = cls.__module__.partition(".")[0]
    return (root == "numpy" or root in sys.stdlib_module_names) and not has_traced(x)


_CHANGEABLE = (list, dict, set, deque, bytearray)


def own_children(x: Any) -> list[tuple[str, Any]]:
    if type(x) is dict:
        return [(f"[{k!r}]", v) for k, v in x.items()]
    fields = getattr(type(x), "_fields", None)
    if isinstance(x, tuple) and fields is not None:
        return [(f".{name}", v) for name, v in zip(fields, x, strict=True)]
    if isinstance(x, (tuple, list)):
        return [(f"[{i}]", v) for i, v in enumerate(x)]
    return [(f".{name}", v) for name, v in attributes_of(x).items()]


def attributes_of(x: Any) -> dict[str, Any]:
    """What an object holds under its own names: in its `__dict__`, and in slots."""
    found = dict(getattr(x, "__dict__", ()))
    for name, value in in_slots(x):
        found.setdefault(name, value)
    return _in_order(type(x), found)


def in_slots(x: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds in slots: a class may have a property under the name of a base's."""
    for cls in type(x).__mro__:
        for name, slot in vars(cls).items():
            if type(slot) is MemberDescriptorType and name != "__dict__":
                with suppress(AttributeError):  # it is empty
                    yield name, slot.__get__(x)


def _in_order(cls: type, found: dict[str, Any]) -> dict[str, Any]:
    """Attributes in an order that does not depend on which was set first."""
    fields = [name for name in getattr(cls, "__dataclass_fields__", ()) if name in found]
    return {name: found[name] for name in (*fields, *sorted(found.keys() - set(fields)))}


def children_after(x: Any, writes: dict[Any, tuple[Any, Any, Any]]) -> list[tuple[str, Any]]:
    """Steps and parts of `x` with what a body wrote: place, old and new content by journal key."""
    if ("content", id(x)) in writes:
        return own_children(writes["content", id(x)][2])
    mine = {key[2]: new for key, (_, _, new) in writes.items() if key[:2] == ("attr", id(x))}
    if not mine:
        return own_children(x)
    found = {n: v for n, v in (attributes_of(x) | mine).items() if not is_unset(v)}
    return [(f".{name}", v) for name, v in _in_order(type(x), found).items()]


def with_children(like: Any, parts: list[Any]) -> Any:
    """A container like `like` with other parts."""
    if type(like) is dict:
        made = dict(zip(like, parts, strict=True))
        for key in [key for key in made if type(key) is Opened]:
            made[Opened(made)] = made.pop(key)
        return made
    if isinstance(like, tuple) and hasattr(type(like), "_fields"):
        return tuple.__new__(type(like), parts)
    if isinstance(like, (tuple, list)):
        return type(like)(parts)
    made = object.__new__(type(like))
    found = dict(zip(attributes_of(like), parts, strict=True))
    for name in getattr(like, "__dict__", ()):
        vars(made)[name] = found.pop(name)
    for name, part in found.items():
        object.__setattr__(made, name, part)
    return made
