"""What an object of the user's says about its length, where Python asks for it."""

from __future__ import annotations

from typing import Any

from autograph.operators.captured.methods import method
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.iterables import is_open
from autograph.operators.values.templates import class_name_of, shown
from runtime import ops

__all__ = ["ask_for_hint", "own_length"]


def own_length(x: Any) -> Any:
    """What `len(x)` gives for an object whose class has a `__len__` of the user's; else None."""
    own = method(x, "__len__")
    return None if own is None else _length(own())


def ask_for_hint(x: Any) -> None:
    """Call what Python calls of `x` to make room for a list or tuple of its items.

    The methods may print, count or raise; how much room there is nobody sees.
    """
    try:
        if own_length(x) is not None:
            return
    except TypeError:  # as Python goes on, too
        pass
    own = method(x, "__length_hint__")
    if own is None:
        return
    try:
        hint = own()
    except TypeError:
        return
    if hint is not NotImplemented:
        _check_hint(hint)


def _length(n: Any) -> Any:
    """What Python makes of the result of a `__len__`."""
    if not is_open(n):
        return len(_Sized(shown(n)))
    if n.dtype.kind not in "iu" and not (n.type.weak and n.dtype.kind == "b"):
        raise TypeError(f"'{class_name_of(n)}' object cannot be interpreted as an integer")
    n = ops.as_weak(n, kind="int")
    stage_raise(n < 0, ValueError("__len__() should return >= 0"))
    return n


class _Sized:
    def __init__(self, n: Any) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n  # type: ignore[no-any-return]


def _check_hint(hint: Any) -> None:
    """Raise what Python does where a `__length_hint__` gave no length."""
    hint = hint if is_open(hint) else shown(hint)
    is_open_int = is_open(hint) and hint.type.weak and hint.dtype.kind in "ib"
    if not is_open_int and not isinstance(hint, int):
        raise TypeError(f"__length_hint__ must be an integer, not {class_name_of(hint)}")
    error = ValueError("__length_hint__() should return >= 0")
    if is_open_int:
        stage_raise(hint < 0, error)
    elif hint < 0:
        raise error
