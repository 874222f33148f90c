"""Exceptions that Python code raised while it was traced, as nodes that raise them in its place."""

from __future__ import annotations

import linecache

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.hints import add_hint
from autograph.operators.captured.raised_parts import raising
from autograph.operators.stand_ins.templates import exception_template
from runtime import control
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import Origin, is_user_code, origin_of_error
from runtime.tensor import Tensor

__all__ = ["emit_raise"]


def emit_raise(error: BaseException) -> None:
    """A node that raises the user's exception, its message filled in when the graph runs."""
    builder = building()
    assert builder is not None
    origin = origin_of_error(error)
    _refuse_own_assertion(error, origin)
    add_hint(error)
    if isinstance(error, Caught):
        with raising(error):
            node = builder.emit(control.RERAISE, [builder.value_of(error.value)])
        node.origin = origin or node.origin
        return
    operands: list[Tensor] = []
    template = exception_template(error, operands)
    error.__traceback__ = None  # where it was raised while tracing: it may be raised again
    values = [builder.value_of(t) for t in operands]
    with raising(error):
        node = builder.emit(control.RAISE, values, {"template": template})
    if origin is not None:
        node.origin = origin


def _refuse_own_assertion(error: BaseException, origin: Origin | None) -> None:
    """An `assert` of ours that does not hold is no exception of the user's function."""
    step = error.__traceback__
    if type(error) is not AssertionError or step is None:
        return
    while step.tb_next is not None:
        step = step.tb_next
    code = step.tb_frame.f_code
    statement = linecache.getline(code.co_filename, step.tb_lineno).lstrip()
    if not is_user_code(code) and statement.startswith("assert "):
        raise StagingError(
            f"the compiler does not know how to stage this (`{code.co_name}`: {statement.strip()})",
            "please report it with the function; until then, mark the function with "
            "@ag.do_not_convert, or write the statement another way",
            origin=origin,
        ) from error
