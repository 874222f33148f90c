"""The picture of the first table of guide/speed.md: microseconds per call, by workload."""

from __future__ import annotations

import re
from collections.abc import Mapping

from drawings import drawn
from matplotlib.axes import Axes

__all__ = ["picture", "times"]

_TABLE = re.compile(r"^\| workload .*?(?=\n\n)", re.DOTALL | re.MULTILINE)
_OURS, _NONE = "ours", "\N{EN DASH}"
# What stands beside ours in the picture, with its marker; the table has all.
_MARKERS = {"NumPy": "v", "tf.function": "s", "jax.jit": "D", "torch.compile": "^", "Numba": "x"}


def times(page: str) -> dict[str, dict[str, float]]:
    """Microseconds of each workload, by column, where there is a number."""
    header, _, *lines = _TABLE.search(page)[0].split("\n")
    columns = _cells(header)[1:]
    found = {}
    for line in lines:
        name, *cells = _cells(line)
        numbers = zip(columns, (cell.strip("*").replace(",", "") for cell in cells), strict=True)
        found[name] = {column: float(text) for column, text in numbers if text != _NONE}
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _draw(axes: Axes, table: Mapping[str, Mapping[str, float]]) -> None:
    names = list(reversed(table))
    for column, marker in _MARKERS.items():
        there = [(table[n][column], y) for y, n in enumerate(names) if column in table[n]]
        axes.scatter(*zip(*there, strict=True), marker=marker, s=22, label=column, alpha=0.8)
    ours = [table[name][_OURS] for name in names]
    axes.scatter(ours, range(len(names)), s=60, label="autograph", color="#ee3377", zorder=3)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("microseconds per call")
    axes.grid(axis="x", alpha=0.25)
    axes.grid(axis="y", alpha=0.12)
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))


def picture(page: str) -> str:
    """The SVG, given the text of that page."""
    table = times(page)
    title = f"Microseconds per call of {len(table)} workloads, beside other systems"
    return drawn(lambda axes: _draw(axes, table), title, (7.6, 6.2))
