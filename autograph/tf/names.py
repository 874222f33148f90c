"""What a namespace lists, and what it answers for a name that it does not serve."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import autograph as ag
from autograph.tf.unserved import MEANINGS, RENAMED
from runtime.process.forks import imported

__all__ = ["serve"]


def serve(served: dict[str, Any]) -> None:
    """Make the module of the globals `served` list its `__all__` and answer for other names.

    A namespace in `__all__` that is not there yet is imported when it is first asked for. Both
    functions are set from here, where type checkers do not see them: to those, a name that is not
    served is a mistake.
    """
    module, names = served["__name__"], served["__all__"]

    def answer(name: str) -> Any:
        space = module.removeprefix("autograph.")
        if name in names:
            return imported(f"{module}.{name}")
        if f"{space}.{name}" in _PACKAGES:
            try:
                return imported(f"{module}.{name}")
            except ImportError as error:
                raise AttributeError(f"{space}.{name}: {error}", name=name, obj=None) from error
        if name.startswith("__"):
            raise AttributeError(f"module {space!r} has no attribute {name!r}")
        # With an object that is None, Python adds no guess of its own to the advice.
        raise AttributeError(
            f"{space}.{name} is not served{_advice(space, name, names)}", name=name, obj=None
        )

    served["__getattr__"] = answer
    served["__dir__"] = lambda: sorted(names)


# Packages of others under a name of TensorFlow's: not in `__all__`, since they may be absent.
_PACKAGES = frozenset(("tf.keras",))


def _advice(space: str, name: str, names: Sequence[str]) -> str:
    """What is to be said of a name that `space` does not serve: by its meaning if it has one."""
    whole = ".".join([*space.split(".")[1:], name])
    if whole in MEANINGS:
        return f": {MEANINGS[whole]}"
    found = RENAMED.get(whole) or _elsewhere(name)
    if found is not None:
        return f"; use {found}"
    ours = next((n for n in (name, name.removeprefix("reduce_")) if n in ag.__all__), None)
    if ours is not None:
        return f"; ag.{ours} may do, with NumPy's meaning (import autograph as ag)"
    close = difflib.get_close_matches(name, names, 4, _TYPING_ERROR)
    if close:
        return f"; there is {', '.join(close)}"
    return "; docs/guide/tensorflow.md lists what is, dir() too"


def _elsewhere(name: str) -> str | None:
    """The namespace that serves a name, and the name."""
    tf = imported("autograph.tf")
    if name in tf.__all__:
        return f"tf.{name}"
    spaces = (n for n in tf.__all__ if isinstance(getattr(tf, n), ModuleType))
    return next((f"tf.{n}.{name}" for n in spaces if name in getattr(tf, n).__all__), None)


# How alike two names are of which one is the other with a slip: not any two that sound alike.
_TYPING_ERROR = 0.75
