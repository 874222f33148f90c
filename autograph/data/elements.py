"""Elements of data sets: nests of arrays and numbers, taken apart and put together.

These run as they are, also while a graph is traced: what they are given then are traced values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators.values.carried import split_none
from autograph.operators.values.iterables import Indexed, iterator_over
from runtime import ops
from runtime.building import building
from runtime.dtypes import kind_of
from runtime.spec import TensorSpec, fits
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "Specified",
    "as_component",
    "as_components",
    "batched_spec",
    "blocks_of",
    "counted",
    "filling_of",
    "has_text",
    "is_staged",
    "is_text",
    "leaves_of",
    "like",
    "map_specs",
    "nest_of",
    "nothing_of",
    "own",
    "row_spec",
    "shapes_of",
    "spec_of",
    "structure_of",
]


def is_staged() -> bool:
    """Whether a graph is being traced."""
    return building() is not None


def counted(count: Any, item: Callable[[Any], Any]) -> Iterator[Any]:
    """So many items by their numbers, which are one loop of the graph, however few they are."""
    return iterator_over(Indexed("a data set", count, item))


def as_component(x: Any) -> Any:
    """A part of an element: an array, a number, a text, or a tensor; lists are arrays."""
    if isinstance(x, Variable):
        return x.read_value()
    if isinstance(x, (Tensor, np.ndarray, np.generic)):
        return x
    made = np.asarray(x)
    if kind_of(made.dtype) not in "biufcU":
        raise TypeError(f"a data set holds arrays, numbers and texts, not {x!r}")
    return made if made.ndim else made[()]


def as_components(nest: Any, component: Callable[[Any], Any] = as_component) -> Any:
    """A nest of tuples, dicts and records of components; a list is one component."""
    entries = None if isinstance(nest, list) else tree.entries(nest)
    if entries is None:
        return component(nest)
    keys, parts, extra = entries
    return tree.container(
        type(nest), keys, [as_components(part, component) for part in parts], extra
    )


class Specified:
    """What makes elements that `source` gave ones of the dtypes and shapes that were declared."""

    def __init__(self, spec: Any, source: Any, component: Callable[[Any], Any]) -> None:
        self._parts, self._structure = tree.flatten(spec)
        self._source, self._component = source, component
        self._take, self._make = tree.taker(self._structure), tree.builder(self._structure)

    def __call__(self, x: Any) -> Any:
        given = self._take(x)
        if given is None and _has_structure(x, self._structure):
            given = tree.leaves_by(self._structure, x)
        if given is None:
            raise _other(self._source, x, f"{self._structure} was declared")
        pairs = zip(given, self._parts, strict=True)
        component, source = self._component, self._source
        return self._make([component(_cast(part, one, source)) for part, one in pairs])


def _has_structure(x: Any, structure: tree.Structure) -> bool:
    if structure.kind is None:
        return True
    entries = tree.entries(x)
    if entries is None or set(entries[0]) != set(structure.keys):
        return False
    parts = dict(zip(entries[0], entries[1], strict=True))
    pairs = zip(structure.keys, structure.children, strict=True)
    return all(_has_structure(parts[key], child) for key, child in pairs)


def _cast(x: Any, spec: TensorSpec, source: Any) -> Any:
    if type(x) is np.ndarray and x.dtype is spec.dtype and x.shape and fits(x.shape, spec.shape):
        return x  # as nearly always
    if is_text(spec) and not spec.shape and isinstance(x, str):
        return x
    given = x.numpy() if isinstance(x, Tensor) else np.asarray(x)
    is_number = not isinstance(x, (Tensor, np.ndarray, np.generic))
    may_be = (
        given.dtype.kind == "U" if is_text(spec)
        else np.can_cast(given.dtype, spec.dtype, "same_kind" if is_number else "equiv")
    )  # fmt: skip
    if not may_be or not fits(given.shape, spec.shape):
        raise _other(source, f"{given.dtype}{list(given.shape)}", f"{spec} was declared")
    made = given if is_text(spec) else given.astype(spec.dtype, copy=False)
    return made if made.ndim else made[()]


def _other(source: Any, found: Any, declared: str) -> TypeError:
    name = getattr(source, "__qualname__", type(source).__name__)
    return TypeError(f"`{name}` gave {found} as an element of a data set, where {declared}")


def leaves_of(nest: Any) -> list[Any]:
    """The components of an element."""
    return tree.leaves(nest)


def structure_of(nest: Any) -> Any:
    """What an element is made of, its components left out."""
    return tree.structure_of(nest)


def nest_of(structure: Any, leaves: Sequence[Any]) -> Any:
    """The element with these components."""
    return tree.unflatten(structure, leaves)


def blocks_of(array: Any, size: int) -> Any:
    """The blocks of so many rows each, of an array of a graph: the size of each is known."""
    whole = array.shape[0] // size
    return ops.reshape(array[: whole * size], (whole, size, *array.shape[1:]))


def nothing_of(spec: Any) -> Any:
    """An element of a spec where there is none; sizes that are not known are 0."""
    return map_specs(_nothing, spec)


def _nothing(spec: TensorSpec) -> Any:
    sizes = [n or 0 for n in _known(spec)]
    if not sizes:
        return "" if is_text(spec) else np.zeros((), spec.dtype)[()]
    # As an array from outside it would be one that other data sets have not.
    return own(np.zeros(sizes, spec.dtype))


def there(x: Any) -> Any:
    """What a branch of a graph made, or None, as what it made: it is used where that was taken."""
    return split_none(x)[0]


def never() -> Any:
    """False, which a graph finds out when it runs: what it would do is traced, and is not done."""
    builder = building()
    if builder is None:
        return False
    # Not applied: of a constant that would give a constant, which is known while tracing.
    return builder.tensor(builder.emit(ops.identity.op, [builder.constant(False)]).outputs[0])


def own(nest: Any) -> Any:
    """Arrays that nobody else has, in a graph its own."""
    builder = building()
    if builder is None:
        return nest
    return map_specs(lambda x: builder.array(builder.constant(x)).as_array(), nest)


def is_text(spec: TensorSpec) -> bool:
    """Whether a component is a text, or an array of texts."""
    return bool(spec.dtype.kind == "U")


def has_text(spec: Any) -> bool:
    """Whether there are texts in an element."""
    return any(map(is_text, leaves_of(spec)))


def like(x: Any, made: Any) -> Any:
    """An array that was filled with parts such as `x`, of the kind that `x` is of."""
    return Tensor(made) if isinstance(x, Tensor) and not isinstance(made, Tensor) else made


def filling_of(filling: tuple[Any, Any], own: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The padded shapes and what fills them, of components that have these shapes themselves."""
    shapes, values = filling
    numbers = [0] if values is None else leaves_of(values)
    wanted = list(own) if shapes is None else shapes_of(shapes, len(own))
    return wanted, numbers if len(numbers) == len(own) else numbers * len(own)


def shapes_of(shapes: Any, count: int) -> list[Any]:
    """The shapes of so many components, of a nest of them."""
    if _is_shape(shapes):
        return [tuple(shapes)] * count
    found = list(shapes.values()) if isinstance(shapes, dict) else list(shapes)
    return [shape for part in found for shape in shapes_of(part, 1)]


def _is_shape(x: Any) -> bool:
    return isinstance(x, (tuple, list)) and all(n is None or isinstance(n, int) for n in x)


# ---- specs ---------------------------------------------------------------------------------------


def map_specs(change: Callable[[Any], Any], nest: Any) -> Any:
    """A nest of specs or components, each of them changed."""
    return tree.map_structure(change, nest)


def spec_of(x: Any) -> TensorSpec:
    """The dtype and shape of a component."""
    if isinstance(x, Tensor):
        return TensorSpec(x.type.shape, x.dtype)
    made = np.asarray(x)
    return TensorSpec(made.shape, made.dtype)


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of `size` elements in a batch; None: of a number that is not known."""
    return map_specs(lambda one: TensorSpec((size, *_known(one)), one.dtype), spec)


def row_spec(spec: Any) -> Any:
    """The spec of the rows of what is of a spec."""
    return map_specs(lambda one: TensorSpec(_known(one)[1:], one.dtype), spec)


def _known(spec: TensorSpec) -> tuple[int | None, ...]:
    if spec.shape is None:
        raise TypeError(f"the rank of an element is not known: {spec}")
    return spec.shape
