"""What the built-in functions see of a value."""

from __future__ import annotations

from typing import Any

from autograph.operators.containers import growing, open_deques, open_dicts
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.runs import has_runs
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["is_array", "plain"]


def plain(x: Any) -> Any:
    """The value of a variable, the rows of what has a length by data; others as they are."""
    if open_dicts.is_open(x):
        x = open_dicts.view(x)
    if has_runs(x):
        return growing.items_of(x)
    x = open_deques.going_through(x)
    return x.read_value() if isinstance(x, Variable) else x


def is_array(x: Any) -> bool:
    """Whether it is an array of the graph, or gone through as one, row by row."""
    return isinstance(x, (Tensor, Indexed))
