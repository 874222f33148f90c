"""What code may ask about its own conversion, in TensorFlow's words."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any, NamedTuple

from autograph.operators.calls.calls import is_artifact
from autograph.operators.values.scope import FunctionScope
from runtime.building import building

__all__ = [
    "ControlStatus",
    "Feature",
    "Status",
    "check_features",
    "control_status_ctx",
    "is_autograph_artifact",
]


class Feature(enum.Enum):
    """Parts of the conversion that TensorFlow can leave out; here all are always on.

    >>> import autograph as ag
    >>> ag.Feature.LISTS in ag.Feature.all()
    True
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """Every feature except these."""
        left_out = (exclude,) if isinstance(exclude, Feature) else tuple(exclude)
        return tuple(f for f in cls if f is not cls.ALL and f not in left_out)


def check_features(features: Feature | Iterable[Feature] | None) -> None:
    """Raise TypeError for what is not a feature, several of them, or None."""
    several: Any = () if features is None else features
    if isinstance(several, Feature):
        return
    if not isinstance(several, Iterable) or not all(isinstance(f, Feature) for f in several):
        raise TypeError(f"expected ag.Feature or several of them, not {features!r}")


class Status(enum.Enum):
    """Whether the code that asks is converted.

    >>> import autograph as ag
    >>> [status.name for status in ag.Status]
    ['UNSPECIFIED', 'ENABLED', 'DISABLED']
    """

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatus(NamedTuple):
    """The status of the code that asked, as `control_status_ctx` gives it."""

    status: Status


def control_status_ctx() -> ControlStatus:
    """Whether the calling code is converted: ENABLED in converted code, DISABLED in what such code
    calls without converting it, UNSPECIFIED elsewhere.

    >>> import autograph as ag
    >>> ag.control_status_ctx().status
    <Status.UNSPECIFIED: 0>
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is not None and _is_converted(frame):
        return ControlStatus(Status.ENABLED)
    while frame is not None:
        if _is_converted(frame):
            return ControlStatus(Status.DISABLED)
        frame = frame.f_back
    return ControlStatus(Status.UNSPECIFIED if building() is None else Status.DISABLED)


def _is_ours(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] in ("autograph", "runtime") and not _is_converted(frame)


def _is_converted(frame: FrameType) -> bool:
    names = frame.f_locals
    return any(n.startswith("fscope") and isinstance(names[n], FunctionScope) for n in names)


def is_autograph_artifact(entity: Any) -> bool:
    """Whether calling `entity` runs converted code.

    >>> import autograph as ag
    >>> f = lambda x: x
    >>> ag.is_autograph_artifact(f), ag.is_autograph_artifact(ag.to_graph(f))
    (False, True)
    """
    return is_artifact(entity) or hasattr(type(entity), "__ag_call__")
