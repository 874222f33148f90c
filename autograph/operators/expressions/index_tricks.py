"""`np.mgrid[...]` and `np.ogrid[...]` of traced values.

NumPy makes arrays of what stands in the brackets, and would ask traced values for theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import has_traced
from runtime import ops
from runtime.ops.arrays.grids import full_grid, of_each, open_grid, parts_of

__all__ = ["trick_of"]


def trick_of(thing: Any, key: Any) -> Callable[[Any], Any] | None:
    """What makes arrays of a key, as the calls that make some do; None for any other thing."""
    if type(thing) not in _KINDS:
        return None
    parts = parts_of(key)
    bounds = [
        x for part in parts if type(part) is slice for x in (part.start, part.stop, part.step)
    ]
    if not any(has_traced(x) or has_runs(x) for x in (*parts, *bounds)):
        return lambda key: of_each(ops.copy, thing[key])
    return next((made for known, made in _TRICKS if thing is known), None)


_TRICKS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (np.mgrid, full_grid),
    (np.ogrid, open_grid),
)
_KINDS = tuple(map(type, (np.mgrid, np.ogrid, np.r_, np.c_)))
