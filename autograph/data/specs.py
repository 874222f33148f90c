"""Specs of what functions of the user's give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.functions import convert
from runtime import tree
from runtime.spec import TensorSpec

__all__ = ["spec_of_result"]


def spec_of_result(call: Callable[..., Any], function: Callable[..., Any], spec: Any) -> Any:
    """The nest of specs that `call(function, element)` gives, for an element of these."""
    parts, structure = tree.flatten(spec)

    def result(*parts: Any) -> Any:
        return call(function, tree.unflatten(structure, parts))

    found = convert(result).get_concrete_function(*parts).structured_outputs
    return tree.map_structure(lambda x: TensorSpec(x.shape, x.dtype), found)
