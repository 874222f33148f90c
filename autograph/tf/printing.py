"""`tf.print`: values in program order, written with TensorFlow's digits and brackets."""

from __future__ import annotations

import sys
from typing import Any

from autograph.operators.values.templates import LazyString, dig
from autograph.tf.tensors import is_tensor
from runtime.building import building
from runtime.eager import raw
from runtime.effects import control
from runtime.structure.templates import Hole, SummaryLine
from runtime.tensor import Tensor as AnyTensor

__all__ = ["print"]


def print(
    *inputs: Any, output_stream: Any = None, summarize: int = 3, sep: str = " ", end: str = "\n",
    name: str | None = None,
) -> None:  # fmt: skip
    """Write values on each call, also from inside a graph, to standard error unless told.

    Of a tensor the first and last `summarize` elements of each axis are shown (-1: all), numbers
    in at most 9 significant digits (float64: 17). `output_stream` is a file or "file://PATH".

    >>> import sys
    >>> import autograph.tf as tf
    >>> tf.print("x:", tf.range(10), [tf.constant(1 / 3), 1.5], output_stream=sys.stdout)
    x: [0 1 2 ... 7 8 9] [0.333333343, 1.5]
    """
    operands: list[Any] = []
    template = tuple(_dug(x, operands) for x in inputs)
    line = SummaryLine(template, sep, end, None if summarize == -1 else summarize)
    stream = _stream(output_stream)
    builder = building()
    if builder is not None:
        values = [builder.value_of(x) for x in operands]
        builder.emit(control.PRINT, values, {"render": line, "file": stream, "flush": False})
        return
    target = {None: sys.stdout, "stderr": sys.stderr}.get(stream, stream)
    target.write(line(*(raw(x) for x in operands)))


def _dug(part: Any, operands: list[Any]) -> Any:
    """`part` with holes for its tensors; an array beside them is shown as Python shows it."""
    if is_tensor(part) and not isinstance(part, AnyTensor):
        part = part.read_value()
    if is_tensor(part) or (isinstance(part, AnyTensor) and not part.is_known):
        operands.append(part.current())
        return Hole(len(operands) - 1)
    if isinstance(part, AnyTensor):
        return part.numpy()
    if isinstance(part, LazyString):
        return dig(part, operands)
    if type(part) in (tuple, list):
        return type(part)(_dug(p, operands) for p in part)
    if type(part) is dict:
        return {k: _dug(v, operands) for k, v in part.items()}
    return part


class _File:
    """A file that is written to at its end."""

    def __init__(self, path: str) -> None:
        self.path = path

    def write(self, text: str) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text)

    def flush(self) -> None:
        """Nothing: the file is closed after each text."""


def _stream(given: Any) -> Any:
    """What the graph keeps: None and "stderr" for the streams of the process as they are then."""
    if given is sys.stdout:
        return None
    if given is None or given is sys.stderr:
        return "stderr"
    if isinstance(given, str) and given.startswith("file://"):
        return _File(given.removeprefix("file://"))
    if not hasattr(given, "write"):
        raise ValueError(f"output_stream is a file or 'file://PATH', not {given!r}")
    return given
