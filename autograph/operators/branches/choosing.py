"""One of several things, of which only the graph knows the position."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.values.carried import is_numeric, type_of
from autograph.operators.values.one_of import chooses_by_number
from autograph.operators.values.references import assume, cells_under, has_cell, snapshot
from autograph.operators.values.templates import shown
from runtime import ops
from runtime.building import constant
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = ["chosen", "replaced"]

# Things that are no numbers are chosen by branches in each other, for up to this many of them.
_MANY = 64
# Up to this many arrays are, too: so that what is chosen is that very array, which may be written.
# Where a trace found that one is written, up to `_MANY` are.
_FEW = 16


def chosen(things: list[Any], position: Tensor, title: str) -> Any:
    """The thing at a position that is in range.

    Numbers, and many arrays of one type, are put into an array that is indexed; of others one is
    chosen as by conditional expressions, so that lists, texts and objects keep what they are.
    """
    if all(map(is_numeric, things)):
        stacked = _stacked(things)
        is_array = stacked is not None and len(stacked.shape) > 1
        is_told = len(things) <= (_MANY if chooses_by_number() else _FEW)
        if stacked is not None and not (is_array and is_told):
            found = ops.getitem(stacked, position)
            if found.type.rank:
                return _kept(found, things, title)
            return ops.as_weak(found) if all(type_of(x).weak for x in things) else found
    if len(things) > _MANY:
        raise _refusal(title, f"it has {len(things)} items that are no numbers of one kind")
    try:
        return _branched(things, position, 0, title)
    except StagingError as error:
        kinds = " and ".join(sorted({type(shown(x)).__name__ for x in things}))
        raise _refusal(title, f"data does not choose between its items ({kinds})") from error


def _refusal(title: str, why: str) -> StagingError:
    return StagingError(
        f"a {title} is indexed by what is known only when the graph runs, and {why}",
        "let all items be numbers, arrays, texts, or tuples and lists of them that are alike, or "
        "choose by `if` and `elif`",
        origin=origin_of_caller(),
    )


def _kept(found: Tensor, things: list[Any], title: str) -> Tensor:
    """An array that is one of some: it may be read, and a write would have to reach that one."""
    cells = [cell for x in things if has_cell(x) for cell in cells_under(x)]
    made = snapshot(ops.copy(found), dict.fromkeys(cells), f"an item of a {title}")
    assume(made, found)
    return made


def _stacked(things: list[Any]) -> Any:
    """Numbers or arrays in one array; None where they may be of several shapes."""
    types = [type_of(x) for x in things]
    shape = types[0].shape
    if shape is None or None in shape or any(t.shape != shape for t in types):
        return None
    if any(kind_of(t.dtype) not in "biufc" for t in types):
        return None
    if not any(isinstance(x, Tensor | np.ndarray) for x in things):  # nobody can change them
        return constant(np.stack(list(map(np.asarray, things))))
    return ops.stack([x if isinstance(x, Tensor) else np.asarray(x) for x in things])


def _branched(things: list[Any], position: Tensor, first: int, title: str) -> Any:
    if len(things) == 1:
        return things[0]
    middle = len(things) // 2
    return if_exp(
        position < first + middle,
        lambda: _branched(things[:middle], position, first, title),
        lambda: _branched(things[middle:], position, first + middle, title),
        f"the item of the {title}",
    )


def replaced(old: Any, test: Tensor, new: Any) -> Any:
    """`new` where a test holds, else `old`."""
    if is_numeric(old) and is_numeric(new) and _are_alike(type_of(old), type_of(new)):
        kept = ops.where(test, new, old)
        return ops.as_weak(kept) if type_of(old).weak else kept
    return if_exp(test, lambda: new, lambda: old, "the item")


def _are_alike(one: TensorType, other: TensorType) -> bool:
    """Whether they are numbers of one type: arrays stay objects, which may be written."""
    return one == other and one.shape == ()
