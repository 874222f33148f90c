"""Names of the optional parts of a conversion, for code that chooses among them."""

from __future__ import annotations

import enum
from collections.abc import Collection

__all__ = ["Feature", "check_features"]


class Feature(enum.Enum):
    """Optional parts of a conversion, as other AutoGraph compilers call them.

    Here each of them is always on. A choice is accepted and checked wherever options of a
    conversion are taken, and leaves the meaning of the program as it is.

    >>> import autograph as ag
    >>> ag.Feature.all_but(ag.Feature.LISTS)[0]
    <Feature.AUTO_CONTROL_DEPS: 'AUTO_CONTROL_DEPS'>
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
    def all_but(cls, exclude: Feature | Collection[Feature]) -> tuple[Feature, ...]:
        """Every feature except one or some."""
        left_out = {cls.ALL, *_several(exclude)}
        return tuple(feature for feature in cls if feature not in left_out)


def check_features(features: Feature | Collection[Feature] | None) -> None:
    """Raises TypeError for what is not one feature, several, or None."""
    if features is not None:
        _several(features)


def _several(features: Feature | Collection[Feature]) -> tuple[Feature, ...]:
    if isinstance(features, Feature):
        return (features,)
    if isinstance(features, (tuple, list, set, frozenset)):
        several = tuple(features)
        if all(isinstance(feature, Feature) for feature in several):
            return several
    raise TypeError(f"expected ag.Feature or several of them, not {features!r}")
