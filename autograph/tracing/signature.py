"""From the arguments of a call to the key of a trace, and why two keys differ, in words.

Arrays and tensors are run-time inputs, keyed by dtype and shape; so are Python floats. Everything
else is a constant of the trace: bool, str, None and other hashables by type and bits, objects and
Variables by identity, containers by structure. A Python int is a constant until a second value of
it comes; then it becomes a run-time input, unless the trace needs its value.
"""

from __future__ import annotations

import enum
import re
import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.captured.open_numbers import Numbers
from autograph.tracing.columns import Column, in_columns
from autograph.tracing.outside_lists import Lists
from runtime.array_methods import check_class
from runtime.devices import device_of, in_use, is_device_array, placement
from runtime.effects.generators import BITS_TYPE, bits_of, is_generator
from runtime.spec import TensorSpec, TensorType, bits, type_of_number
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "COLUMN",
    "COMPLEX",
    "FLOAT",
    "GENERATOR",
    "INT",
    "INT_LIMIT",
    "OF_TYPE",
    "TEXT",
    "Arguments",
    "ArraySpec",
    "Identity",
    "IntPolicy",
    "classify",
    "describe_key",
    "differences",
    "is_input_key",
    "is_within",
    "leaf_key",
    "other_nests",
    "parameter_of",
    "paths_of",
    "telling_class",
    "type_of_key",
]

# An object whose class says by `__tf_tracing_type__` which objects share a trace.
OF_TYPE = "of type"
# A column of a long list: of any length.
COLUMN = "column"
# A generator of NumPy's: the graph has its bits.
GENERATOR = "generator"
FLOAT = ("float",)
INT = ("int",)
COMPLEX = ("complex",)
INT_LIMIT = 2**63
# NumPy scalars that are Python's text as well: constants of a trace.
TEXT = (np.str_, np.bytes_)
_ARRAYS = (np.ndarray, np.generic)
_CONSTANTS = (bool, str, bytes, type(None), int, float, complex)


class Identity:
    """Key part for an object: the object itself, weakly."""

    __slots__ = ("__weakref__", "described", "number", "ref")

    def __init__(self, thing: Any, gone: Callable[[Any], None] | None = None) -> None:
        self.number = id(thing)
        self.described = _short(thing)
        try:
            self.ref: Callable[[], Any] = weakref.ref(thing, gone)
        except TypeError:
            self.ref = lambda: thing

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identity) or other.number != self.number:
            return False
        mine = self.ref()
        return mine is not None and mine is other.ref()

    def __repr__(self) -> str:
        return self.described


def _short(thing: Any) -> str:
    if isinstance(thing, Variable):
        return repr(thing.name)
    if isinstance(thing, FunctionType):
        return f"{thing.__qualname__} of line {thing.__code__.co_firstlineno}"
    return f"{type(thing).__name__} object"


@dataclass(slots=True, eq=False, repr=False)
class IntPolicy:
    """Which int arguments, by position among the leaves, are run-time inputs."""

    inputs: set[str]
    fixed: set[str]
    seen: dict[str, int]
    # Whether numbers are constants of the trace, whatever their values.
    by_value: bool = False
    # Which captured ints and floats are run-time inputs, and which of them are written.
    numbers: Numbers = field(default_factory=Numbers)
    # Of the tensors and Variables that it reads, a class that tells tensors from arrays.
    tensor_class: type[Tensor] | None = None
    # The parameters of which ints within a list, tuple or dict are run-time inputs.
    nests: frozenset[str] = frozenset()
    # The parameters whose long lists are their items one by one: a trace needs them so.
    # None: no list is columns.
    closed: frozenset[str] | None = frozenset()
    # What is known of those in names and attributes.
    lists: Lists = field(default_factory=Lists)

    def take(self, paths: Collection[str]) -> None:
        """Make run-time inputs of these."""
        self.inputs.update(paths)
        self.nests = frozenset(map(parameter_of, filter(is_within, self.inputs)))

    def forget(self) -> None:
        """Begin anew: the parameters are others."""
        self.inputs.clear()
        self.fixed.clear()
        self.seen.clear()
        self.nests = frozenset()
        self.closed = None if self.closed is None else frozenset()

    def close(self, paths: Iterable[str]) -> None:
        """Have lists of the parameters of these their items one by one, for good."""
        self.closed = (self.closed or frozenset()) | frozenset(map(parameter_of, paths))

    def fix(self, paths: Collection[str]) -> None:
        """Make constants of these, for good."""
        self.inputs.difference_update(paths)
        self.fixed.update(paths)
        self.nests = frozenset(map(parameter_of, filter(is_within, self.inputs)))


def parameter_of(path: str) -> str:
    """The parameter of a path of an argument.

    >>> parameter_of("model.layers[0]")
    'model'
    """
    found = _PARAMETER.match(path)
    assert found is not None, "any text begins with what has no dot or bracket"
    return found[0]


def is_within(path: str) -> bool:
    """Whether a path leads into an argument."""
    return parameter_of(path) != path


_PARAMETER = re.compile(r"[^.\[]*")


class ArraySpec(TensorSpec):
    """A spec that stands for an ndarray, or for a NumPy scalar, where others stand for a tensor."""

    __slots__ = ()


def leaf_key(x: Any, path: str, policy: IntPolicy) -> Any:
    """The key part of one leaf of the arguments."""
    kind = type(x)
    if kind is np.ndarray:
        return (x.dtype, x.shape)
    if kind is Column:
        return (COLUMN, x.array.dtype, (None,) * x.array.ndim)
    if isinstance(x, Tensor):
        type_ = x.type
        if type_.weak:
            return ("weak", type_.dtype)
        if type_.device is not None:
            return ("tensor", type_.device, type_.dtype, type_.shape)
        return ("tensor", type_.dtype, type_.shape)
    if isinstance(x, np.generic) and not isinstance(x, TEXT):
        return ("scalar", x.dtype)
    if isinstance(x, np.ndarray):
        check_class(type(x), f"`{path}`")
        return ("array of", kind, x.dtype, x.shape)
    if kind is float:
        return (float, repr(x), bits(x)) if policy.by_value else FLOAT
    if kind is complex:
        return (complex, repr(x), bits(x)) if policy.by_value else COMPLEX
    if kind is int:
        return INT if path in policy.inputs and -INT_LIMIT <= x < INT_LIMIT else (int, x)
    if isinstance(x, ArraySpec):
        return ("scalar", x.dtype) if x.shape == () else (x.dtype, x.shape)
    if isinstance(x, TensorSpec):
        return ("tensor", x.dtype, x.shape)
    if isinstance(x, _CONSTANTS):
        return (kind, repr(x), bits(x)) if isinstance(x, (float, complex)) else (kind, x)
    if is_device_array(x):
        return ("array on", device_of(x), x.dtype, x.shape)
    if is_generator(kind):
        return (GENERATOR, BITS_TYPE.dtype, BITS_TYPE.shape)
    if kind is slice:
        return (slice, x.start, x.stop, x.step)
    if hasattr(kind, "__tf_tracing_type__"):
        return (OF_TYPE, x.__tf_tracing_type__(None))
    if isinstance(x, Variable) or not _is_plain_hashable(x):
        return Identity(x)
    return (kind, x, tree.exactly(x)) if isinstance(x, frozenset) else (kind, x)


def _is_plain_hashable(x: Any) -> bool:
    """Whether equality of `x` is by value and total: enums, dtypes, frozensets, ranges."""
    return isinstance(x, (enum.Enum, np.dtype, frozenset, range))


def is_input_key(key: Any) -> bool:
    """Whether a leaf of this key is an input of the graph."""
    if not isinstance(key, tuple):
        return False
    return key in (FLOAT, INT, COMPLEX) or isinstance(key[0], np.dtype) or key[0] in (
        "tensor", "scalar", "weak", "array of", "array on", COLUMN, GENERATOR,
    )  # fmt: skip


def type_of_key(key: Any) -> TensorType:
    """Graph type of an input leaf of this key."""
    if key in (FLOAT, INT, COMPLEX):
        return type_of_number({FLOAT: 0.0, INT: 0, COMPLEX: 0j}[key])
    if key[0] == "weak":
        return TensorType(key[1], (), weak=True)
    if key[0] == "scalar":
        return TensorType(key[1], ())
    is_elsewhere = key[0] == "array on" or (key[0] == "tensor" and len(key) > 3)
    *_, dtype, shape = key
    return TensorType(dtype, shape, device=key[1] if is_elsewhere else None)


class Arguments(NamedTuple):
    """The arguments of a call taken apart: structure, leaves, and the key of each leaf."""

    structure: tree.Structure
    leaves: tuple[Any, ...]
    paths: tuple[str, ...]
    keys: tuple[Any, ...]
    # Of a call within `with device(...)`.
    device: str | None = None
    # The class of the tensors among them, if it is one that tells tensors from arrays.
    tensor_class: type[Tensor] | None = None

    @property
    def key(self) -> Any:
        """The key of the trace."""
        if self.device is not None or self.tensor_class is not None:
            return (self.structure, self.keys, self.device, self.tensor_class)
        return (self.structure, self.keys)

    @property
    def has_columns(self) -> bool:
        """Whether a long list among them is columns."""
        return any(type(key) is tuple and key[0] == COLUMN for key in self.keys)

    def is_like(self, other: Arguments) -> bool:
        """Whether arguments differ in their leaves at most, which are of the same classes."""
        return (
            self.structure == other.structure
            and self.device == other.device
            and self.tensor_class is other.tensor_class
        )

    def inputs(self) -> list[tuple[str, Any, TensorType]]:
        """Path, value and type of each leaf that is an input of the graph."""
        return [
            (path, leaf, type_of_key(key))
            for path, leaf, key in zip(self.paths, self.leaves, self.keys, strict=True)
            if is_input_key(key)
        ]

    def without_values(self) -> Arguments:
        """The same without the arrays, and with objects held weakly: what a cache may keep."""
        kept = tuple(
            None if is_input_key(key) else key if isinstance(key, Identity) else leaf
            for leaf, key in zip(self.leaves, self.keys, strict=True)
        )
        return self._replace(leaves=kept)

    def constants(self) -> list[tuple[str, Any]]:
        """Path and value of each leaf that is fixed in the graph; of a dead object, None."""
        return [
            (path, leaf.ref() if isinstance(leaf, Identity) else leaf)
            for path, leaf, key in zip(self.paths, self.leaves, self.keys, strict=True)
            if not is_input_key(key)
        ]

    def rebuild(self, parts: Sequence[Any]) -> Any:
        """The arguments, as (args, kwargs), with other leaves."""
        return tree.unflatten(self.structure, list(parts))


def classify(bound: dict[str, Any], policy: IntPolicy, *, opens: bool = False) -> Arguments:
    """Take bound arguments (name to value) apart; if it `opens` them, long lists are columns."""
    closed = policy.closed if opens else None
    leaves, structure = tree.flatten(bound if closed is None else in_columns(bound, closed))
    paths = tuple(paths_of(structure))
    keys = tuple(leaf_key(x, path, policy) for x, path in zip(leaves, paths, strict=True))
    leaves = [
        x.array if type(x) is Column else bits_of(x) if is_generator(type(x)) else x for x in leaves
    ]
    device = placement() if in_use[0] else None
    kind = telling_class(map(type, leaves))
    return Arguments(structure, tuple(leaves), paths, keys, device, kind)


def telling_class(kinds: Iterable[type]) -> type[Tensor] | None:
    """The first class of tensors among some, or that Variables give, which tells them from arrays.

    None where there is no such class.
    """
    for kind in kinds:
        made = kind.tensor_class if issubclass(kind, Variable) else kind
        if issubclass(made, Tensor) and made.array_class is not None:
            return made
    return None


def paths_of(structure: tree.Structure, prefix: str = "") -> list[str]:
    """The path of each leaf of the arguments, such as `model.layers[0]`."""
    if structure.kind is None:
        return [prefix]
    found: list[str] = []
    for key, child in zip(structure.keys, structure.children, strict=True):
        found += paths_of(child, _path(prefix, key, structure.kind))
    return found


def _path(around: str, key: Any, kind: type | None) -> str:
    if not around:
        return str(key)
    is_attribute = isinstance(key, str) and kind is not dict
    return f"{around}.{key}" if is_attribute else f"{around}[{key!r}]"


# ---- in words --------------------------------------------------------------------------------


def describe_key(key: Any) -> str:
    """The key of one leaf, as a user reads it."""
    if isinstance(key, tuple) and key[0] == GENERATOR:
        return "Generator"
    if is_input_key(key):
        is_array = isinstance(key[0], np.dtype) and key[-1] == ()
        return f"{type_of_key(key)}{', an array' if is_array else ''}"  # not a scalar of NumPy's
    if isinstance(key, Identity):
        return repr(key)
    return repr(key[1]) if isinstance(key, tuple) else repr(key)


def differences(old: Arguments, new: Arguments) -> list[str]:
    """What differs between the arguments of two traces, one text per argument."""
    if old.structure != new.structure:
        return [text for _, text in other_nests(old.structure, new.structure)]
    where = [old.device or "none", new.device or "none"]
    placed = [f"`with device(...)`: {where[0]} -> {where[1]}"] if where[0] != where[1] else []
    if old.tensor_class is not new.tensor_class:
        kinds = (
            f"{kind.__module__}.Tensor" if kind else "others"
            for kind in (old.tensor_class, new.tensor_class)
        )
        placed.append(f"the class of the tensors: {' -> '.join(kinds)}")
    return placed + [
        f"`{path}`: {_from_to(a, b)}"
        for path, a, b in zip(new.paths, old.keys, new.keys, strict=True)
        if a != b
    ]


def other_nests(
    old: tree.Structure, new: tree.Structure, path: str = ""
) -> list[tuple[tree.Structure, str]]:
    """Where two nests differ: what is there now, and the path, and from what to what, in words."""
    if old == new:
        return []
    is_same = old.kind is new.kind and old.keys == new.keys
    if not is_same or len(old.children) != len(new.children):
        return [(new, f"`{path}`: {_nest(old, new)} -> {_nest(new, old)}")]
    pairs = zip(old.keys, old.children, new.children, strict=True)
    found = [
        each
        for key, one, other in pairs
        for each in other_nests(one, other, _path(path, key, new.kind))
    ]
    return found or [(new, f"`{path}`: another {_kind_of(new)}")]


def _nest(nest: tree.Structure, other: tree.Structure) -> str:
    if nest.kind is None:
        return "a single value"
    if nest.kind is other.kind and issubclass(nest.kind, dict):
        own = [key for key in nest.keys if key not in other.keys]
        keys = own or [key for key in other.keys if key not in nest.keys] or list(nest.keys)
        shown = ", ".join(map(repr, keys[:_MOST_KEYS])) + ", ..." * (len(keys) > _MOST_KEYS)
        is_without = not own and keys[0] not in nest.keys
        return f"a {_kind_of(nest)} {'without' if is_without else 'with'} {shown}"
    count = len(nest.keys)
    return f"a {_kind_of(nest)} of {count} item{'' if count == 1 else 's'}"


_MOST_KEYS = 3


def _kind_of(nest: tree.Structure) -> str:
    return "value" if nest.kind is None else nest.kind.__name__


def _from_to(old: Any, new: Any) -> str:
    one, other = describe_key(old), describe_key(new)
    if one == other and is_input_key(old) and is_input_key(new):
        return f"{one}, {_holder(old)} -> {other}, {_holder(new)}"
    return f"{one} -> {'another ' if one == other else ''}{other}"


def _holder(key: Any) -> str:
    """What holds an input of this key."""
    if key in (FLOAT, INT, COMPLEX):
        return "a number of Python's"
    if key[0] == "array of":
        return f"an array of the class {key[1].__name__}"
    if key[0] == "array on" or (key[0] == "tensor" and len(key) > 3):
        return f"{key[0].split()[0]} on {key[1]}"
    names = {"tensor": "a tensor", "weak": "a tensor", "scalar": "a number of NumPy's"}
    names[GENERATOR] = "a generator"
    return names.get(key[0], "an array") if isinstance(key[0], str) else "an array"
