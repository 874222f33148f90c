"""Which attributes the nodes of an op have, and what values they may hold: what its kernel says."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from typing import Any, NamedTuple

from runtime import variable
from runtime.autodiff import attempts, custom
from runtime.effects import control, recursion
from runtime.graph.ir import Op
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.indexing.keys import Index
from runtime.random import generator
from runtime.save.reading import Malformed

__all__ = ["check_attributes", "operation"]

_LARGEST = 2**63
_ABSENT = inspect.Parameter.empty
# Ops that hold graphs or have effects are not in the registry, but beside what emits them.
_MODULES = (control, recursion, variable, generator, custom, attempts)


class _Attribute(NamedTuple):
    """Type and default of one attribute."""

    hint: Any
    default: Any


def operation(name: str) -> Op | None:
    """The op of that name, None where there is none."""
    primitive = REGISTRY.get(name)
    return _others().get(name) if primitive is None else primitive.op


@functools.cache
def _others() -> dict[str, Op]:
    found = (x for module in _MODULES for x in vars(module).values() if isinstance(x, Op))
    return {op.name: op for op in found}


def check_attributes(op: Op, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a node, defaults filled in.

    Raises Malformed when one is unknown, missing, or of a type that the kernel does not take.
    """
    known = _attributes(op)
    for name, value in attrs.items():
        if name not in known:
            raise Malformed(f"op `{op.name}` has no attribute {name[:40]!r}")
        if not _matches(value, known[name].hint):
            raise Malformed(f"attribute {name!r} of op `{op.name}` cannot be {value!r:.60}")
    found = {}
    for name, (_, default) in known.items():
        value = attrs.get(name, default)
        if value is _ABSENT:
            raise Malformed(f"op `{op.name}` needs the attribute {name!r}")
        if name in attrs or name in REGISTRY.get(op.name, _NO_PRIMITIVE).attributes:
            found[name] = value
    return found


class _NoPrimitive:
    attributes: typing.ClassVar[dict[str, Any]] = {}


_NO_PRIMITIVE: Any = _NoPrimitive


@functools.cache
def _attributes(op: Op) -> dict[str, _Attribute]:
    hints = typing.get_type_hints(op.kernel)
    primitive = REGISTRY.get(op.name)
    if primitive is not None:
        return {n: _Attribute(hints.get(n, Any), d) for n, d in primitive.attributes.items()}
    parameters = inspect.signature(op.kernel).parameters.values()
    return {
        p.name: _Attribute(hints.get(p.name, Any), p.default)
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and p.name != "graphs"
    }


def _matches(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that an annotation names."""
    if hint is Any:
        return True
    if hint == Index:
        return type(value) is tuple and all(map(_is_entry, value))
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return any(_matches(value, part) for part in parts)
    if origin is tuple:
        return _matches_tuple(value, parts)
    if origin is typing.Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if hint in (int, float) and type(value) is int:
        return -_LARGEST <= value < _LARGEST
    if hint in (int, float, bool, str, types.NoneType):
        return type(value) is hint
    if getattr(origin, "__name__", "") == "Callable":
        return callable(value) and _given_by(value.__class__) == parts[-1]
    return isinstance(value, origin or hint)


def _matches_tuple(value: Any, parts: tuple[Any, ...]) -> bool:
    if type(value) is not tuple:
        return False
    if len(parts) == 2 and parts[1] is ...:
        return all(_matches(item, parts[0]) for item in value)
    return len(value) == len(parts) and all(map(_matches, value, parts))


@functools.cache
def _given_by(kind: Any) -> Any:
    """What calling an object of a class gives, as the class declares it."""
    found = typing.get_type_hints(kind.__call__).get("return")
    return None if found is types.NoneType else found


def _is_entry(entry: Any) -> bool:
    """Whether this is an entry of an encoded index, see `runtime.ops.indexing.keys`."""
    match entry:
        case ("int", i):
            return type(i) is int
        case ("slice", _, _, _):
            return all(b is None or b == "operand" or type(b) is int for b in entry[1:])
        case ("newaxis",) | ("ellipsis",) | ("array",):
            return True
    return False
