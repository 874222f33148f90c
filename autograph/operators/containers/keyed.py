"""Dicts, sets and lists from outside asked for a key that only the graph knows.

The keys themselves are known while tracing: what is looked up is compared with each of them.
"""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.choosing import chosen, replaced
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.captures import current_trace, guard_content
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import both_hold, is_numeric, type_of
from autograph.operators.values.grown_text import GrownText, letters_of, position_among
from autograph.operators.values.iterables import from_end, is_open
from autograph.operators.values.one_of import are_members, texts_of
from autograph.operators.values.templates import LazyString
from runtime import ops
from runtime.building import building
from runtime.dtypes import kind_of
from runtime.errors import LimitNotImplementedError, StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["contains", "get", "is_open_key", "is_required", "item", "put", "put_at",
           "refuse_unhashable"]  # fmt: skip

# Those that make an item that is missing, or say what it would be.
_MAKING = (defaultdict, Counter)

Read = Callable[[Any], Any]
Write = Callable[[Any, Any], None]
Choose = Callable[[list[Any], Tensor, str], Any]


def is_open_key(key: Any) -> bool:
    """Whether only the graph knows a key."""
    if type(key) is tuple:
        return any(map(is_open_key, key))
    if isinstance(key, LazyString) or are_members(key):
        return True
    return is_open(key)


def item(thing: dict[Any, Any], key: Any, read: Read, choose: Choose = chosen) -> Any:
    """`thing[key]`; KeyError when the graph runs and the key is not there."""
    if type(thing) in _MAKING:
        raise _refusal(thing)
    found = _found(thing, key)
    if isinstance(found.there, Tensor):
        stage_raise(ops.logical_not(found.there), KeyError(key))
    elif not found.there:
        raise KeyError(key)
    facts = current_trace()
    if facts is not None:
        facts.containers.required_key = thing, key, building()
    return _value(found, read, type(thing).__name__, choose)


def is_required(thing: dict[Any, Any], key: Any) -> bool:
    """Whether an item was just asked for that must be there: `thing[key] += 1`."""
    facts = current_trace()
    required = None if facts is None else facts.containers.required_key
    if required is None:
        return False
    return required[0] is thing and required[1] is key and required[2] is building()


def get(thing: dict[Any, Any], key: Any, read: Read, default: Any = None) -> Any:
    """`thing.get(key, default)`."""
    found, name = _found(thing, key), type(thing).__name__
    return if_exp(found.there, lambda: _value(found, read, name), lambda: default, "get")


def contains(thing: Any, key: Any) -> Any:
    """`key in thing`."""
    there = _found(thing, key).there
    return ops.as_weak(there, kind="bool") if isinstance(there, Tensor) else there


def put(thing: dict[Any, Any], key: Any, value: Any, read: Read, write: Write) -> None:
    """`thing[key] = value`, of a key that is there."""
    found, kind = _found(thing, key), type(thing).__name__
    there = found.there
    if there is False:
        raise _new_key(kind, key)
    if isinstance(there, Tensor):
        what = f"a key is new to a {kind}, whose keys are those it had when it was traced"
        stage_raise(ops.logical_not(there), LimitNotImplementedError(what))
    for one, test in zip(found.keys, found.tests, strict=True):
        write(one, value if test is True else replaced(read(one), test, value))


def put_at(thing: list[Any], index: Tensor, value: Any, read: Read, write: Write) -> None:
    """`thing[index] = value`, of a list from outside; the index is in range."""
    size = len(thing)
    index = from_end(index, size)
    for position in range(size):
        write(position, replaced(read(position), ops.equal(index, position), value))


def _new_key(kind: str, key: Any) -> StagingError:
    return StagingError(
        f"an item of a {kind} is set at a key that is known only when the graph runs, and that is "
        "none of its keys",
        "make all keys before (`dict.fromkeys(range(n), 0)`), or use an array",
        origin=origin_of_caller(),
    )


class _Found:
    """The keys that may be meant: for each whether it is, the position of that which is."""

    def __init__(self, keys: list[Any], tests: list[Any]) -> None:
        self.keys, self.tests = keys, tests

    @property
    def there(self) -> Any:
        """Whether one is."""
        if True in [test for test in self.tests if not isinstance(test, Tensor)]:
            return True
        return functools.reduce(ops.logical_or, self.tests) if self.tests else False

    @property
    def position(self) -> Tensor:
        """Its position, where there is one."""
        found: Tensor = ops.as_weak(ops.argmax(ops.stack(self.tests)), kind="int")
        return found


class _FoundText(_Found):
    """The texts that may be meant, of which the position is looked up."""

    def __init__(self, keys: list[str], key: LazyString) -> None:
        self.keys = keys
        self._position = position_among(key, map(str.__str__, keys))

    @property
    def tests(self) -> list[Any]:  # type: ignore[override]
        return [ops.equal(self._position, i) for i in range(len(self.keys))]

    @property
    def there(self) -> Any:
        return ops.greater_equal(self._position, 0)

    @property
    def position(self) -> Tensor:
        return self._position


def _found(thing: Any, key: Any) -> _Found:
    """The keys that may be meant."""
    if isinstance(thing, dict) and type(thing) not in (dict, OrderedDict, *_MAKING):
        raise _refusal(thing)
    refuse_unhashable(key)
    trace = current_trace()
    if trace is not None and trace.outside.has(thing):
        guard_content(thing, f"a {type(thing).__name__}")
    known = list(dict.keys(thing) if isinstance(thing, dict) else thing)
    if isinstance(key, LazyString) and texts_of(key) is None:
        texts = [one for one in known if isinstance(one, str)]
        return _FoundText(texts, key) if texts else _Found([], [])
    pairs = [(one, _is_key(key, one)) for one in known]
    kept = [(one, test) for one, test in pairs if test is not False]
    return _Found([one for one, _ in kept], [test for _, test in kept])


def _refusal(thing: Any) -> StagingError:
    makes_lists = getattr(thing, "default_factory", None) in (list, dict, set)
    return StagingError(
        f"a {type(thing).__name__} is asked for a key that is known only when the graph runs",
        "make all keys before (`{k: [] for k in range(n)}`), or keep a list of pairs"
        if makes_lists
        else "use a dict with all keys, or an array",
        origin=origin_of_caller(),
    )


def refuse_unhashable(key: Any) -> None:
    """Raise the TypeError of Python for what can be no key."""
    if type(key) is tuple:
        for part in key:
            refuse_unhashable(part)
    elif isinstance(key, Tensor):
        if key.type.rank != 0:
            raise TypeError("unhashable type: 'numpy.ndarray'")
    elif not isinstance(key, LazyString) and not are_members(key):
        hash(key)


def _is_key(key: Any, one: Any) -> Any:
    """Whether a key is `one`: equal, as numbers of any kind are that are the same number."""
    if type(key) is tuple:
        if not isinstance(one, tuple) or len(one) != len(key):
            return False
        tests = [_is_key(a, b) for a, b in zip(key, one, strict=True)]
        return functools.reduce(both_hold, tests, True)
    if are_members(key):
        return key == one
    if not isinstance(key, Tensor):
        return _is_text(key, one) if isinstance(key, LazyString) else bool(key == one)
    if not is_numeric(one) or type_of(one).rank != 0:
        return False
    return ops.equal(_exact(key), one.item() if isinstance(one, np.generic) else one)


def _is_text(key: LazyString, one: Any) -> Any:
    if not isinstance(one, str):
        return False
    return key == one if texts_of(key) is not None else GrownText(letters_of(key)) == one


def _exact(key: Tensor) -> Tensor:
    """A number in the widest type of its kind: float32 0.1 is another key than 0.1."""
    wide = {"b": np.int64, "i": np.int64, "f": np.float64, "c": np.complex128}.get(
        kind_of(key.dtype)
    )
    return key if wide is None or key.type.weak else ops.astype(key, np.dtype(wide))


def _value(found: _Found, read: Read, kind: str, choose: Choose = chosen) -> Any:
    """What stands at the key that is meant, of which there is one."""
    values = [read(one) for one in found.keys]
    return values[0] if len(values) == 1 else choose(values, found.position, kind)
