"""The patterns of `match` that have structure: values of the graph are taken apart by operators.

A pattern is a tuple: its kind, and what belongs to it.

    ("capture", name)                       a name, or None for `_`
    ("as", pattern, name)
    ("is", constant), ("equal", value)      only within ("either", patterns)
    ("class", class, patterns, attributes)  attributes are pairs of a name and a pattern
    ("sequence", patterns)                  one of them may be ("star", name)
    ("mapping", keys, patterns, name)       the name of `**rest`, or None
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from autograph.operators.branches.conditionals import condition
from autograph.operators.builtins.builtin_functions import isinstance_
from autograph.operators.builtins.builtin_reductions import len_
from autograph.operators.builtins.membership import in_
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.variables import Nullable, _Unreadable
from autograph.operators.containers import open_dicts
from autograph.operators.expressions.access import getitem
from autograph.operators.expressions.attributes import getattr_
from autograph.operators.expressions.logical import and_, equal, is_, or_
from autograph.operators.values.compiler_errors import refuse_own
from autograph.operators.values.iterables import is_open
from autograph.operators.values.kinds import is_of_kinds
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.runs import refusal
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["taken_apart"]

Pattern = tuple[Any, ...]

# A positional pattern of these classes, and of those derived from them, takes the whole value.
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
_NO_SEQUENCES = (str, bytes, bytearray)


def taken_apart(
    match: Callable[[Any], tuple[bool, tuple[Any, ...]]],
    pattern: Callable[[], Pattern],
    subject: Any,
    names: tuple[str, ...],
) -> tuple[Any, tuple[Any, ...]]:
    """Whether a value has the structure of a pattern, and what the names in it stand for.

    Python meaning: `match(subject)`, a `match` statement with the pattern. Graph meaning: the same
    for the classes of the values that the graph computes; of what may be None, a traced bool.
    """
    if building() is None:
        return match(subject)
    found = _Taking()
    if not found.takes(pattern(), subject):
        return False, ()
    return found.condition, tuple(found.bound[name] for name in names)


class _Taking:
    """One pattern that is tried: the names bound so far, and what the graph has to say."""

    def __init__(self) -> None:
        self.bound: dict[str, Any] = {}
        self._conditions: list[Any] = []

    @property
    def condition(self) -> Any:
        """Whether it matches, where that is not known: all values are there."""
        return and_(*(lambda c=c: c for c in self._conditions), lambda: True)

    def takes(self, pattern: Pattern, subject: Any) -> bool:
        """Whether a value has the structure of a pattern, as far as Python knows it."""
        kind, *parts = pattern
        if kind == "capture":
            return self._bind(parts[0], subject)
        if kind == "as":
            return self.takes(parts[0], subject) and self._bind(parts[1], subject)
        if kind == "either":
            return self._takes_either(parts[0], subject)
        if is_of_kinds(subject):
            return self._takes_one_of(pattern, subject)
        if kind == "is":
            return self._holds(is_(subject, parts[0]))
        if kind == "equal":
            return self._holds(equal(subject, parts[0]))
        if kind == "class":
            return self._takes_object(parts[0], parts[1], parts[2], subject)
        if kind == "sequence":
            return self._takes_sequence(parts[0], subject)
        return self._takes_mapping(parts[0], parts[1], parts[2], subject)

    def _bind(self, name: str | None, value: Any) -> bool:
        if name is not None:
            self.bound[name] = value
        return True

    def _holds(self, test: Any) -> bool:
        """Whether a test may hold; what only the graph knows is a condition."""
        test = condition(test)
        if isinstance(test, Tensor):
            self._conditions.append(test)
            return True
        return bool(test)

    def _takes_either(self, patterns: tuple[Pattern, ...], subject: Any) -> bool:
        options: list[_Taking] = []
        for pattern in patterns:
            tried = _Taking()
            if tried.takes(pattern, subject):
                options.append(tried)
                if not tried._conditions:
                    break
        if not options:
            return False
        _check_names(options, "of several patterns with `|` a value has")
        self.bound |= options[0].bound
        if len(options) == 1:
            self._conditions += options[0]._conditions
        elif options[-1]._conditions:
            tests = [lambda tried=tried: tried.condition for tried in options]
            self._conditions.append(or_(*tests))
        return True

    def _takes_one_of(self, pattern: Pattern, subject: OneOf) -> bool:
        """Whether one of several kinds has the structure of a pattern."""
        tried = [_Taking() for _ in subject.things]
        taken = [one.takes(pattern, x) for one, x in zip(tried, subject.things, strict=True)]
        options = [one for one, is_taken in zip(tried, taken, strict=True) if is_taken]
        if not options:
            return False
        _check_names(options, "of several kinds of values with the structure of a pattern this is")
        self.bound |= options[0].bound
        self._conditions.append(subject.is_any(taken))
        for k, one in enumerate(tried):
            if taken[k] and one._conditions:
                others = (subject.is_any([n != k for n in range(len(tried))]), one.condition)
                self._conditions.append(or_(*map(_given, others)))
        return True

    def _there(self, x: Any, kind: type) -> Any:
        """The value of what may be None, which is none of the class."""
        if type(x) is Nullable and not isinstance(None, kind):
            self._conditions.append(x.present)
            return x.value
        if isinstance(x, HostValue):
            x.refuse()
        return x.load() if isinstance(x, _Unreadable) else x

    # ---- classes ------------------------------------------------------------------------------

    def _takes_object(
        self,
        cls: Any,
        patterns: tuple[Pattern, ...],
        attributes: tuple[tuple[str, Pattern], ...],
        subject: Any,
    ) -> bool:
        if not isinstance(cls, type):
            match subject:  # has Python's own words for it
                case cls():
                    pass
        subject = self._there(subject, cls)
        if not self._holds(isinstance_(subject, cls)):
            return False
        names, takes_whole = _positional(cls, len(patterns))
        if takes_whole:
            return self.takes(patterns[0], subject) and self._take_attributes(
                cls, attributes, subject
            )
        pairs = (*zip(names, patterns, strict=False), *attributes)
        return self._take_attributes(cls, pairs, subject)

    def _take_attributes(
        self, cls: type, pairs: tuple[tuple[str, Pattern], ...], subject: Any
    ) -> bool:
        seen = set()
        for name, pattern in pairs:
            if name in seen:
                raise TypeError(
                    f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}"
                )
            seen.add(name)
            try:
                value = getattr_(subject, name)
            except AttributeError as error:
                refuse_own(error)
                return False
            if not self.takes(pattern, value):
                return False
        return True

    # ---- containers ---------------------------------------------------------------------------

    def _takes_sequence(self, patterns: tuple[Pattern, ...], subject: Any) -> bool:
        subject = self._there(subject, Sequence)
        if not isinstance_(subject, Sequence) or isinstance_(subject, _NO_SEQUENCES):
            return False
        star = next((k for k, p in enumerate(patterns) if p[0] == "star"), None)
        least = len(patterns) - (star is not None)
        count = len_(subject)
        if is_open(count):
            if least:
                raise refusal(
                    "a pattern takes its items", "ask for `len(...)` in an `if`, and take items"
                )
            if star is None:
                self._conditions.append(count == 0)
                return True
        elif count < least or (star is None and count != least):
            return False
        if star is None:
            return all(self.takes(p, getitem(subject, k)) for k, p in enumerate(patterns))
        behind = len(patterns) - star - 1
        if not all(self.takes(p, getitem(subject, k)) for k, p in enumerate(patterns[:star])):
            return False
        if patterns[star][1] is not None:
            rest = getitem(subject, slice(star, count - behind))
            self._bind(patterns[star][1], rest if type(rest) is list else list(rest))
        return all(
            self.takes(p, getitem(subject, k - behind)) for k, p in enumerate(patterns[star + 1 :])
        )

    def _takes_mapping(
        self, keys: tuple[Any, ...], patterns: tuple[Pattern, ...], rest: str | None, subject: Any
    ) -> bool:
        subject = self._there(subject, Mapping)
        if not isinstance_(subject, (Mapping, MappingProxyType)):
            return False
        if open_dicts.is_open(subject):
            raise open_dicts.refused("a pattern takes its items")
        if not isinstance(subject, dict) and keys and not self._holds(len_(subject) >= len(keys)):
            return False
        for key, pattern in zip(keys, patterns, strict=True):
            value = _item(subject, key)
            if value is _ABSENT or not self.takes(pattern, value):
                return False
        if rest is not None:
            self._bind(rest, {k: getitem(subject, k) for k in subject if k not in keys})
        return True


_ABSENT = object()


def _item(x: Any, key: Any) -> Any:
    """The item at a key, as a pattern takes it: a mapping of the user's is asked by `get`."""
    if not isinstance(x, dict):
        return x.get(key, _ABSENT)
    return getitem(x, key) if in_(key, x) else _ABSENT


def _given(x: Any) -> Callable[[], Any]:
    return lambda: x


def _check_names(options: list[_Taking], what: str) -> None:
    """Refuse names that are bound to one thing or another."""
    if len(options) > 1 and any(tried.bound for tried in options):
        raise StagingError(
            f"which {what} depends on data, and names are bound to parts of it",
            "write a `case` for each of them",
            origin=origin_of_caller(),
        )


def _positional(cls: type, count: int) -> tuple[tuple[str, ...], bool]:
    """The attributes that positional patterns are for, or that one is for the whole value."""
    if not count:
        return (), False
    names = getattr(cls, "__match_args__", None)
    takes_whole = names is None and issubclass(cls, _WHOLE)
    if names is not None and not isinstance(names, tuple):
        kind = type(names).__name__
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {kind})")
    allowed = 1 if takes_whole else len(names or ())
    if count > allowed:
        raise TypeError(
            f"{cls.__name__}() accepts {allowed} positional sub-pattern{'s' * (allowed != 1)} "
            f"({count} given)"
        )
    return names or (), takes_whole
