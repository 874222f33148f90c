"""Notebooks: their cells, run one after the other in a shell of IPython.

    python docs/_ext/notebooks.py docs/guide/first_steps.ipynb

writes what the cells print and give into the file. A test compares them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure
from traitlets.config import Config

__all__ = ["Cell", "ran", "updated"]

_RESULT = re.compile(r"^Out\[\d+\]: .*", re.DOTALL | re.MULTILINE)
_WITHOUT_HISTORY = Config({"HistoryManager": {"enabled": False}})


@dataclass(frozen=True)
class Cell:
    """A cell, what it printed, its result in each form that this has, and its figures."""

    is_code: bool
    source: str
    printed: str = ""
    result: dict[str, Any] | None = None
    figures: tuple[Figure, ...] = ()


def ran(path: Path) -> Iterator[Cell]:
    """The cells in order, those of code after they were run; raises what one of them raises."""
    shell = InteractiveShell(config=_WITHOUT_HISTORY)
    plt.switch_backend("agg")
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        yield _ran(shell, source) if cell["cell_type"] == "code" else Cell(False, source)
        plt.close("all")


def _ran(shell: InteractiveShell, source: str) -> Cell:
    with capture_output() as captured:
        done = shell.run_cell(source, store_history=True)
    done.raise_error()
    figures = tuple(plt.figure(number) for number in plt.get_fignums())
    if done.result is None:
        return Cell(True, source, captured.stdout, None, figures)
    forms, _ = shell.display_formatter.format(done.result)
    return Cell(True, source, _RESULT.sub("", captured.stdout), forms, figures)


def updated(path: Path) -> str:
    """The file with what its cells print and give now; figures are made by who runs it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    count = 0
    for cell, done in zip(notebook["cells"], ran(path), strict=True):
        if done.is_code:
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = list(_outputs(done, count))
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(cell: Cell, count: int) -> Iterator[dict[str, Any]]:
    if cell.printed:
        text = cell.printed.splitlines(keepends=True)
        yield {"name": "stdout", "output_type": "stream", "text": text}
    if cell.result is not None:
        yield {
            "data": {"text/plain": cell.result["text/plain"].splitlines(keepends=True)},
            "execution_count": count,
            "metadata": {},
            "output_type": "execute_result",
        }


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(updated(Path(name)), encoding="utf-8")
