"""Values that staged statements carry: what they are to a graph, and containers of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.templates import LazyString
from autograph.operators.variables import Maybe, Nullable, Undefined, UndefinedReturnValue
from runtime.building import building, traced
from runtime.errors import StagingError
from runtime.spec import TensorType, join, type_of_number
from runtime.tensor import Tensor

__all__ = [
    "NOTHING",
    "NUMBERS",
    "advice",
    "describe",
    "is_array",
    "is_container",
    "is_numeric",
    "is_unset",
    "merge_types",
    "own_children",
    "paired_children",
    "split",
    "split_none",
    "subject",
    "tensor",
    "type_of",
    "with_children",
]


NUMBERS = (bool, int, float, complex)


def is_numeric(x: Any) -> bool:
    """Whether `x` can be a graph value."""
    return isinstance(x, (Tensor, np.ndarray, np.generic, *NUMBERS))


def is_unset(x: Any) -> bool:
    """Whether `x` marks a name without a value."""
    return isinstance(x, (Undefined, UndefinedReturnValue))


def is_array(x: Any) -> bool:
    """Whether `x` is an array, which has a cell: of rank 0 where NumPy has it so."""
    return x.is_array if isinstance(x, Tensor) else isinstance(x, np.ndarray)


def type_of(x: Any) -> TensorType:
    """Graph type of a numeric value."""
    if isinstance(x, Tensor):
        return x.type
    if isinstance(x, (np.ndarray, np.generic)):
        return TensorType(x.dtype, x.shape)
    return type_of_number(x)


def tensor(x: Any) -> Tensor:
    """A numeric value as a tensor of the graph under construction."""
    if isinstance(x, Tensor):
        return x
    builder = building()
    assert builder is not None
    return traced(builder.value_of(x))


class _Nothing:
    """The value of a place on a path that never continues."""

    def __repr__(self) -> str:
        return "<never reached>"


NOTHING = _Nothing()


def merge_types(name: str, a: TensorType, b: TensorType) -> TensorType:
    """Joined type of one place on two paths."""
    joined = join(a, b)
    if not isinstance(joined, TensorType):
        raise StagingError(f"`{name}` is {a} on one path but {b} on the other")
    return joined


def split(x: Any) -> tuple[Any, Any]:
    if isinstance(x, Maybe):
        return x.value, x.defined
    if is_unset(x):
        return NOTHING, False
    return x, True if x is not NOTHING else NOTHING


def split_none(x: Any) -> tuple[Any, Any]:
    """The value of a place that may hold None, and whether it holds one."""
    if isinstance(x, Nullable):
        return x.value, x.present
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
    if isinstance(x, Nullable):
        return f"{describe(x.value)} or None"
    if isinstance(x, LazyString):
        return "a str"
    if isinstance(x, str) and len(x) <= _LONGEST_TEXT:
        return f"the str {x!r}"
    if is_container(x):
        count = len(own_children(x))
        return f"a {type(x).__name__} of {count} item{'s' * (count != 1)}"
    return f"a {type(x).__name__}"


_LONGEST_TEXT = 30


def subject(place: str) -> str:
    """A place in a message: the user's name of it, or what it is where it has none."""
    if place.startswith("a "):
        return f"{place} that is changed in place"
    return place if " " in place else f"`{place}`"


def advice(one: str, other: str) -> str:
    """What to do where a place is one thing or another; empty when nothing special is known."""
    if one.startswith("a list of ") and other.startswith("a list of "):
        return (
            "a graph holds no list whose length depends on data; write into an array of the full "
            "length and count"
        )
    if all(text.startswith(("the str ", "a str")) for text in (one, other)):
        return (
            "a graph holds numbers, not text: keep a number, and choose the text outside of the "
            "converted function"
        )
    return ""


def is_container(x: Any) -> bool:
    return type(x) in (tuple, list, dict) or _is_record(x)


def _is_record(x: Any) -> bool:
    cls = type(x)
    return (isinstance(x, tuple) and hasattr(cls, "_fields")) or (
        hasattr(cls, "__dataclass_fields__") and not isinstance(x, type)
    )


def own_children(x: Any) -> list[tuple[str, Any]]:
    if type(x) is dict:
        return [(f"[{k!r}]", v) for k, v in x.items()]
    if hasattr(type(x), "__dataclass_fields__"):
        return [(f".{name}", getattr(x, name)) for name in type(x).__dataclass_fields__]
    fields = getattr(type(x), "_fields", None)
    if isinstance(x, tuple) and fields is not None:
        return [(f".{name}", v) for name, v in zip(fields, x, strict=True)]
    return [(f"[{i}]", v) for i, v in enumerate(x)]


def paired_children(a: Any, b: Any) -> list[tuple[str, Any, Any]] | None:
    """Steps and parts of two containers of one structure; None when the structures differ."""
    if a is NOTHING or b is NOTHING:
        known = b if a is NOTHING else a
        return [
            (step, NOTHING if a is NOTHING else part, part if a is NOTHING else NOTHING)
            for step, part in own_children(known)
        ]
    if type(a) is not type(b):
        return None
    left, right = own_children(a), own_children(b)
    if [step for step, _ in left] != [step for step, _ in right]:
        return None
    return [(step, x, y) for (step, x), (_, y) in zip(left, right, strict=True)]


def with_children(like: Any, parts: list[Any]) -> Any:
    """A container like `like` with other parts."""
    if type(like) is dict:
        return dict(zip(like, parts, strict=True))
    if hasattr(type(like), "__dataclass_fields__"):
        made = object.__new__(type(like))
        for name, part in zip(type(like).__dataclass_fields__, parts, strict=True):
            object.__setattr__(made, name, part)
        return made
    if isinstance(like, tuple) and hasattr(type(like), "_fields"):
        return type(like)(*parts)
    return type(like)(parts)
