"""Elements of data sets: nests of arrays and numbers, taken apart and put together.

These run as they are, also while a graph is traced: what they are given then are traced values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runtime import tree
from runtime.building import building
from runtime.spec import TensorSpec
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "as_component",
    "as_components",
    "batched_spec",
    "is_staged",
    "leaves_of",
    "like",
    "map_specs",
    "nest_of",
    "spec_of",
    "structure_of",
]


def is_staged() -> bool:
    """Whether a graph is being traced."""
    return building() is not None


def as_component(x: Any) -> Any:
    """A part of an element: an array, a number of NumPy's, or a tensor; lists are arrays."""
    if isinstance(x, Variable):
        return x.read_value()
    if isinstance(x, (Tensor, np.ndarray, np.generic)):
        return x
    made = np.asarray(x)
    if made.dtype.kind not in "biufc":
        raise TypeError(f"a data set holds arrays and numbers, not {x!r}")
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


def leaves_of(nest: Any) -> list[Any]:
    """The components of an element."""
    return tree.leaves(nest)


def structure_of(nest: Any) -> Any:
    """What an element is made of, its components left out."""
    return tree.structure_of(nest)


def nest_of(structure: Any, leaves: Sequence[Any]) -> Any:
    """The element with these components."""
    return tree.unflatten(structure, leaves)


def like(x: Any, made: Any) -> Any:
    """An array that was filled with parts such as `x`, of the kind that `x` is of."""
    return Tensor(made) if isinstance(x, Tensor) and not isinstance(made, Tensor) else made


# ---- specs ---------------------------------------------------------------------------------------


def map_specs(change: Callable[[TensorSpec], TensorSpec], nest: Any) -> Any:
    """A nest of specs, each of them changed."""
    return tree.map_structure(change, nest)


def spec_of(x: Any) -> TensorSpec:
    """The dtype and shape of a component."""
    if isinstance(x, Tensor):
        return TensorSpec(x.type.shape, x.dtype)
    made = np.asarray(x)
    return TensorSpec(made.shape, made.dtype)


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of `size` elements in a batch; None: of a number that is not known."""
    return map_specs(lambda one: TensorSpec((size, *one.shape), one.dtype), spec)
