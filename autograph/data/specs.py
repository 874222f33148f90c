"""Specs of the elements that steps of a data set give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from autograph.data.elements import spec_of
from autograph.functions import convert
from autograph.operators.captured.captures import current_trace
from autograph.operators.values.bodies import NO_NAMES, run_body
from runtime.building import Builder, building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec
from runtime.structure import tree

__all__ = [
    "alike",
    "is_told_of_result",
    "joined_spec",
    "padded_spec",
    "refused",
    "spec_of_nest",
    "told_of_result",
]


def refused(step: str, which: str) -> StagingError:
    """The error for a step that a graph cannot make of such elements."""
    return StagingError(
        f"`{step}` is made in a graph, of elements {which}",
        "make it before the steps that have functions, of a generator, of arrays, or go through "
        "the data set outside of the converted function",
        origin=origin_of_caller(),
    )


def spec_of_nest(nest: Any) -> Any:
    """The nest of specs of an element."""
    return tree.map_structure(spec_of, nest)


def told_of_result(
    call: Callable[..., Any], function: Callable[..., Any], spec: Any, note: Callable[[Any], Any]
) -> Any:
    """What `note` tells of the result for a traced element, of which nothing else remains."""
    if building() is None:
        return _told(call, function, spec, note)
    found = _told_in.setdefault(current_trace(), {})
    key = function, note, repr(spec)
    if key not in found:
        found[key] = _told(call, function, spec, note)
    return found[key]


# Steps ask the steps before them, often and all the way: each trace is told once.
_told_in: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


def _told(call: Any, function: Any, spec: Any, note: Callable[[Any], Any]) -> Any:
    parts, structure = tree.flatten(spec)
    around, specs = building(), []

    def keep(found: Any) -> float:
        specs.append(note(found))
        return 0.0

    converted = convert(call)  # also where a property asks, which is plain Python

    def result(*parts: Any) -> Any:
        return keep(converted(function, tree.unflatten(structure, parts)))

    if around is None:
        convert(result).get_concrete_function(*parts)
    else:

        def body(builder: Builder) -> Any:
            return result(*[_given(builder, one) for one in parts])

        run_body("the spec of an element", around, body, NO_NAMES)
    if not specs:
        raise refused("a step", "for which its function raises")
    return specs[-1]


def is_told_of_result(
    call: Callable[..., Any], function: Callable[..., Any], spec: Any, note: Callable[[Any], Any]
) -> bool:
    """Whether `note` says so; not where there is no such element, as of windows, or it raises."""
    try:
        return bool(told_of_result(call, function, spec, note))
    except StagingError as error:
        if error.is_signal:
            raise
    except Exception:  # noqa: BLE001 - the loop raises it
        pass
    return False


def _given(builder: Builder, spec: TensorSpec) -> Any:
    value = builder.input(spec.type)
    return builder.array(value).as_array() if spec.shape else builder.tensor(value)


def alike(first: Any, second: Any) -> bool:
    """Whether two nests of specs are the same."""
    (a, one), (b, other) = tree.flatten(first), tree.flatten(second)
    return one == other and all(
        x.shape == y.shape and x.dtype == y.dtype for x, y in zip(a, b, strict=True)
    )


def joined_spec(first: Any, second: Any) -> Any:
    """The nest of specs of what is of one or of the other."""
    (a, one), (b, other) = tree.flatten(first), tree.flatten(second)
    if one != other or any(
        _kind(x) != _kind(y) or len(x.shape) != len(y.shape) for x, y in zip(a, b, strict=True)
    ):
        raise TypeError(f"elements of {first} and of {second} are in one data set")
    return tree.unflatten(one, list(map(_either, a, b)))


def _kind(spec: TensorSpec) -> Any:
    """The dtype, but for texts, which may be of any length."""
    return "U" if spec.dtype.kind == "U" else spec.dtype


def _either(x: Any, y: Any) -> TensorSpec:
    return TensorSpec(_joined(x.shape, y.shape), max(x.dtype, y.dtype, key=_size))


def _size(dtype: Any) -> int:
    return int(dtype.itemsize)


def _joined(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return tuple(m if m == n else None for m, n in zip(a, b, strict=True))


def padded_spec(spec: Any, shapes: Any, size: int | None) -> Any:
    """The spec of a batch of elements that are filled up to `shapes`."""
    parts, structure = tree.flatten(spec)
    pairs = zip(parts, shapes, strict=True)
    return tree.unflatten(structure, [TensorSpec((size, *s), one.dtype) for one, s in pairs])
