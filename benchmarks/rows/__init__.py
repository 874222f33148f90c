"""The workloads of the table, by name."""

from __future__ import annotations

from benchmarks.rows import arrays, loops, networks, pictures, scalars
from benchmarks.rows.row import Row

__all__ = ["ROWS", "Row"]

_MODULES = (scalars, loops, arrays, networks, pictures)
ROWS: dict[str, Row] = {row.name: row for module in _MODULES for row in module.ROWS}
