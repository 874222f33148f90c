"""The workloads of the table, by name."""

from __future__ import annotations

from benchmarks.rows import arrays, loops, networks, pictures, programs, scalars
from benchmarks.rows.row import VARIANTS, Row

__all__ = ["ROWS", "VARIANTS", "Row", "named"]

_MODULES = (scalars, loops, arrays, networks, pictures, programs)
ROWS: dict[str, Row] = {row.name: row for module in _MODULES for row in module.ROWS}


def named(name: str) -> Row:
    """The row of a name, or its variant: `mse:size`. KeyError where there is none."""
    row, _, kind = name.partition(":")
    found = ROWS[row].variant(kind) if kind else ROWS[row]
    if found is None:
        raise KeyError(name)
    return found
