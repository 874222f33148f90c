"""What gradient rules are written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.ops.complex import conj
from runtime.ops.operands import dtype_of

__all__ = ["conjugated", "derivative"]


def conjugated(x: Any) -> Any:
    """`x`, conjugated when complex: real values need no node for it."""
    return conj(x) if dtype_of(x).kind == "c" else x


def derivative(function: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any]]:
    """Rules of an elementwise op of one operand, given f'(x) in terms of (out, x)."""
    return (lambda g, out, x: g * conjugated(function(out, x)),)
