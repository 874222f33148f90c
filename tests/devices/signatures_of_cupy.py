"""Write `cupy_names.json`: the names of CuPy and the parameters of its functions.

No card is needed: `pip install cupy-cuda12x`, then `python tests/devices/signatures_of_cupy.py`.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from types import ModuleType

import cupy
import cupy.lib.stride_tricks

SPACES = {
    "": cupy,
    "linalg": cupy.linalg,
    "fft": cupy.fft,
    "lib.stride_tricks": cupy.lib.stride_tricks,
}
_PARAMETER = re.compile(r"(\*{0,2}[A-Za-z_]\w*)(?:\s*[=:].*)?$")


def parameters(function):
    """The names of the parameters; "ufunc" for one, None where CuPy does not tell."""
    if type(function) is type(cupy.add):
        return "ufunc"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return parameters_of_docstring(function)
    marks = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    return [marks.get(p.kind, "") + p.name for p in signature.parameters.values()]


def parameters_of_docstring(function):
    """The parameters by the first line of the docstring, which Cython writes."""
    lines = (function.__doc__ or "").splitlines()
    found = re.match(r"[\w.]+\((.*)\)", lines[0]) if lines else None
    if found is None:
        return None
    parts = re.split(r",\s*(?![^()\[\]]*[)\]])", found[1])
    matches = [_PARAMETER.search(part.strip()) for part in parts]
    return [m[1] for m in matches if m is not None]


def names(space):
    """Public names: functions with their parameters, classes, values."""
    found = {}
    for name in sorted(n for n in dir(space) if not n.startswith("_")):
        thing = getattr(space, name)
        if isinstance(thing, ModuleType):
            continue
        if isinstance(thing, type):
            found[name] = "type"
        else:
            found[name] = parameters(thing) if callable(thing) else "value"
    return found


def main():
    """Write the file, a line per name."""
    table = {name: names(space) for name, space in SPACES.items()}
    table["ndarray"] = names(cupy.ndarray)
    table["special methods"] = {n: "value" for n in dir(cupy.ndarray) if n.startswith("__")}
    table["ufunc"] = {n: "value" for n in dir(cupy.add) if not n.startswith("_")}
    blocks = []
    for space, content in table.items():
        rows = ",\n".join(f"  {json.dumps(n)}: {json.dumps(p)}" for n, p in content.items())
        blocks.append(f" {json.dumps(space)}: {{\n{rows}\n }}")
    text = f'{{\n "version": {json.dumps(cupy.__version__)},\n{",".join(blocks)}\n}}\n'
    (Path(__file__).parent / "cupy_names.json").write_text(text)


if __name__ == "__main__":
    main()
