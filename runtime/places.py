"""How a line of the user's is named: by its file, or in a notebook by its cell."""

from __future__ import annotations

import os
import sys

__all__ = ["file_name", "place", "short_place"]


def place(filename: str, line: int) -> str:
    """The line with the whole path of its file.

    >>> place("/home/me/newton.py", 7)
    '/home/me/newton.py:7'
    """
    return _joined(_cell(filename), filename, (line,))


def short_place(filename: str, *lines: int) -> str:
    """The lines with the name of their file alone.

    >>> short_place("/home/me/newton.py", 7, 9)
    'newton.py:7,9'
    """
    return _joined(_cell(filename), os.path.basename(filename), lines)


def _joined(cell: str | None, file: str, lines: tuple[int, ...]) -> str:
    if cell is None:
        return f"{file}:{','.join(map(str, lines))}"
    return f"{cell}, line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"


def file_name(filename: str) -> str:
    """The name of the file without its folder, or that of the cell.

    >>> file_name("/home/me/newton.py")
    'newton.py'
    """
    return _cell(filename) or os.path.basename(filename)


def _cell(filename: str) -> str | None:
    """The cell whose text IPython compiled under this name, such as `In [5]`.

    A cell has no file: its name is one that IPython made up, or a path that does not exist.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    named = None if shell is None else shell.compile.format_code_name(filename)
    if named is None:
        return None
    _, cell = named
    return str(cell).replace("In[", "In [")
