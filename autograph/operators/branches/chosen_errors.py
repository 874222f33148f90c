"""Exceptions of which data chooses the class: `raise (ValueError if x else TypeError)("...")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.operators.captured.caught import Caught
from autograph.operators.captured.methods import attribute
from autograph.operators.captured.variables import Nullable, _Unreadable
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.one_of import OneOf
from runtime import ops
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["cause", "made_of_chosen", "raised"]


class ChosenError(_Unreadable):
    """One of several exceptions, by the number that the graph knows; it can only be raised."""

    __slots__ = ("errors", "index")

    def __init__(self, index: Tensor, errors: list[BaseException]) -> None:
        super().__init__("an exception")
        self.index, self.errors = index, errors

    def load(self) -> NoReturn:
        raise StagingError(
            "the class of an exception depends on data, and it is used for more than to be raised",
            "raise it where it is made (`raise kind(...)`), or write an `if`",
            origin=origin_of_caller(),
        )


def made_of_chosen(kinds: OneOf, make: Callable[[Any], Any]) -> ChosenError | None:
    """What calling one of several classes of exceptions gives; None where they are no such.

    `make` calls one of them. Those with an `__init__` of the user's are none: it may do anything.
    """
    for kind in kinds.things:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return None
        if any(hasattr(attribute(kind, name), "__code__") for name in ("__init__", "__new__")):
            return None
    return ChosenError(kinds.index, [make(kind) for kind in kinds.things])


def raised(error: Any, *cause: Any) -> Any:
    """What `raise error` raises: of one of several, all but the last are raised here.

    With a `cause` it is `raise error from cause`: the one with a cause that may be None is raised
    here where that is there.
    """
    if cause and type(cause[0]) is Nullable and _is_error(cause[0].value):
        made = error() if isinstance(error, type) else error
        if type(made) in (Nullable, ChosenError, OneOf):
            raise _depends_on_data()
        made.__cause__ = cause[0].value
        stage_raise(cause[0].present, made)
        made.__cause__ = None
        return made
    if type(error) is Nullable:
        none = TypeError("exceptions must derive from BaseException")
        stage_raise(ops.logical_not(error.present), none)
        error = error.value
    if type(error) is OneOf:
        made = made_of_chosen(error, lambda kind: kind())
        error = error if made is None else made
    if type(error) is not ChosenError:
        return error
    for number, one in enumerate(error.errors[:-1]):
        stage_raise(ops.equal(error.index, number), one)
    return error.errors[-1]


def cause(error: Any, is_raised: bool = False) -> Any:
    """What stands behind `from`: of what may be None and else is no exception, None.

    With `is_raised`, `raised` has raised the one with a cause.
    """
    if type(error) is Nullable:
        if not _is_error(error.value):
            stage_raise(error.present, TypeError("exception causes must derive from BaseException"))
        elif not is_raised:
            raise _depends_on_data()
        return None
    if type(error) is OneOf and any(x is None or _is_error(x) for x in error.things):
        raise _depends_on_data()
    return error


def _depends_on_data() -> StagingError:
    return StagingError(
        "the cause of an exception depends on data",
        "raise it in each branch (`raise error from cause` and `raise error from None`)",
        origin=origin_of_caller(),
    )


def _is_error(x: Any) -> bool:
    """Whether it is an exception, or a class of these."""
    if type(x) is Caught:
        return True
    return isinstance(x, BaseException) or (isinstance(x, type) and issubclass(x, BaseException))
