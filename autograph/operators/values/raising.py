"""Exceptions that Python code raised while it was traced, as nodes that raise them in its place."""

from __future__ import annotations

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.hints import add_hint
from autograph.operators.captured.raised_parts import raising
from autograph.operators.values.compiler_errors import refuse_own
from autograph.operators.values.templates import exception_template
from runtime.building import current_builder
from runtime.effects import control
from runtime.errors import StagingError
from runtime.origins import origin_of_error
from runtime.tensor import Tensor

__all__ = ["emit_raise"]


def emit_raise(error: BaseException) -> None:
    """A node that raises the user's exception, its message filled in when the graph runs."""
    builder = current_builder()
    refuse_own(error)
    origin = origin_of_error(error)
    add_hint(error)
    if isinstance(error, Caught):
        with raising(error):
            node = builder.emit(control.RERAISE, [builder.value_of(error.value)])
        node.origin = origin or node.origin
        return
    operands: list[Tensor] = []
    try:
        template = exception_template(error, operands)
    except StagingError as refused:
        refused.place(origin)
        raise
    error.__traceback__ = None  # where it was raised while tracing: it may be raised again
    values = [builder.value_of(t) for t in operands]
    with raising(error):
        node = builder.emit(control.RAISE, values, {"template": template})
    if origin is not None:
        node.origin = origin
