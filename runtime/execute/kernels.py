"""What one node computes, and the form that its results must have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime.devices import is_device_array, located_kernel, module_of
from runtime.errors import LimitOverflowError
from runtime.graph.ir import Node
from runtime.spec import TensorType, Type

__all__ = [
    "MAXIMUM",
    "MINIMUM",
    "Settings",
    "array_function",
    "as_python",
    "compute",
    "direct",
    "gives_tuple",
    "is_weak",
    "on_python_numbers",
    "overflow",
    "to_form",
]

MINIMUM, MAXIMUM = -(2**63), 2**63 - 1


class Settings(NamedTuple):
    """Settings that Python code is not to change: `get` gives the `usual` ones.

    `check` raises where others are in force that matter.
    """

    get: Callable[[], Any]
    usual: Any
    check: Callable[[], None]


def compute(node: Node, values: Sequence[Any], graphs: Sequence[Callable[..., Any]]) -> list[Any]:
    """Results of a node on raw values, each in the form that its type asks for."""
    op = node.op
    if on_python_numbers(node):
        results = [op.python(*values, **node.attrs)]  # type: ignore[misc]
    elif node.graphs:
        results = list(op.kernel(np, *values, graphs=list(graphs), **node.attrs))
    else:
        device = node.device
        kernel = op.kernel if device is None else located_kernel(op.kernel, device)
        result = kernel(module_of(device), *values, **node.attrs)
        results = list(result) if gives_tuple(node) else [result]
    types = [value.type for value in node.outputs]
    return [to_form(result, type_) for result, type_ in zip(results, types, strict=True)]


def on_python_numbers(node: Node) -> bool:
    """Whether the op's function for Python numbers computes this node."""
    if node.op.python is None or not node.inputs:
        return False
    for value in node.inputs:  # noqa: SIM110 - `all` of a generator takes three times as long
        if not is_weak(value.type):
            return False
    return True


def gives_tuple(node: Node) -> bool:
    """Whether the kernel gives a tuple of results: when the type rule does."""
    if node.graphs or len(node.outputs) != 1:
        return True
    if node.op.elementwise:
        return False
    types = [value.type for value in node.inputs]
    return isinstance(node.op.infer(*types, **node.attrs), tuple)


def direct(node: Node, settings: Settings | None = None) -> Callable[..., Any] | None:
    """What is called for a node with its operands alone, if its op says so.

    Where the node has one output, it gives that, and no tuple. It checks the `settings`.
    """
    directly = node.op.options.get("directly")
    found = None if directly is None else directly(node)
    return None if found is None else found(settings)


def array_function(node: Node) -> str | None:
    """The function of the array module that is all of the kernel of a node."""
    return None if node.attrs else node.op.function


def is_weak(type_: Type) -> bool:
    """Whether values of this type are Python numbers."""
    return isinstance(type_, TensorType) and type_.weak


def to_form(result: Any, type_: Type) -> Any:
    """A kernel's result as a Python number, NumPy scalar or array, whichever `type_` says."""
    if is_weak(type_):
        return as_python(result)
    if isinstance(result, np.ndarray) and isinstance(type_, TensorType) and result.ndim == 0:
        return result[()]
    return result


def as_python(result: Any) -> Any:
    """A scalar as a Python number; OverflowError for an int beyond 64 bits."""
    if isinstance(result, (np.generic, np.ndarray)) or is_device_array(result):
        result = result.item()
    if type(result) is int and not MINIMUM <= result <= MAXIMUM:
        raise overflow(result)
    return result


def overflow(number: int) -> OverflowError:
    """The error of integer arithmetic that leaves 64 bits."""
    return LimitOverflowError(f"Python int {number} does not fit in 64 bits, as a graph value must")
