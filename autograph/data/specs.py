"""Specs of the elements that steps of a data set give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.functions import convert
from runtime import tree
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec

__all__ = ["alike", "inner_spec", "joined_spec", "padded_spec", "refused", "spec_of_result"]


def refused(step: str, which: str) -> StagingError:
    """The error for a step that a graph cannot make of such elements."""
    return StagingError(
        f"`{step}` is made in a graph, of elements {which}",
        "make it before the steps that have functions, of a generator, of arrays, or go through "
        "the data set outside of the converted function",
        origin=origin_of_caller(),
    )


def spec_of_result(call: Callable[..., Any], function: Callable[..., Any], spec: Any) -> Any:
    """The nest of specs that `call(function, element)` gives, for an element of these."""
    found = _traced(call, function, spec, lambda found: found)
    return tree.map_structure(lambda x: TensorSpec(x.shape, x.dtype), found)


def inner_spec(call: Callable[..., Any], function: Callable[..., Any], spec: Any) -> Any:
    """The nest of specs of an element of the data set that a function gives."""
    specs: list[Any] = []

    def note(found: Any) -> Any:
        specs.append(found.element_spec)
        return 0.0

    _traced(call, function, spec, note)
    return specs[-1]


def _traced(
    call: Callable[..., Any], function: Callable[..., Any], spec: Any, note: Callable[[Any], Any]
) -> Any:
    parts, structure = tree.flatten(spec)

    def result(*parts: Any) -> Any:
        return note(call(function, tree.unflatten(structure, parts)))

    return convert(result).get_concrete_function(*parts).structured_outputs


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
        x.dtype != y.dtype or len(x.shape) != len(y.shape) for x, y in zip(a, b, strict=True)
    ):
        raise TypeError(f"data sets of {first} and of {second} are put after each other")
    pairs = zip(a, b, strict=True)
    return tree.unflatten(one, [TensorSpec(_joined(x.shape, y.shape), x.dtype) for x, y in pairs])


def _joined(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> tuple[int | None, ...]:
    return tuple(m if m == n else None for m, n in zip(a, b, strict=True))


def padded_spec(spec: Any, shapes: Any, size: int | None) -> Any:
    """The spec of a batch of elements that are filled up to `shapes`."""
    parts, structure = tree.flatten(spec)
    pairs = zip(parts, shapes, strict=True)
    return tree.unflatten(structure, [TensorSpec((size, *s), one.dtype) for one, s in pairs])
