"""The traces that a Function keeps: several for one key of arguments, told apart by their guards.

A flag that toggles outside of the arguments costs a trace for each of its values, and not one in
each call. The table is replaced as a whole and never changed: a call reads it without a lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from autograph.operators.captured.open_numbers import Numbers
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.likeness import loose_key
from autograph.tracing.signature import Arguments

__all__ = ["KeptTraces"]

# So many traces of one key are kept at most: what grows has another state at each call.
_MOST_STATES = 16


class KeptTraces:
    """Traces by the key of their arguments; of one key, the one that was found last comes first."""

    def __init__(self) -> None:
        self._by_key: dict[Any, tuple[ConcreteFunction, ...]] = {}
        # Those that serve other objects as well, by the key of their likeness, the last ones first.
        self._by_likeness: dict[Any, tuple[ConcreteFunction, ...]] = {}

    def __iter__(self) -> Iterator[ConcreteFunction]:
        """All of them, in the order in which they were made."""
        return iter(sorted((c for group in self._by_key.values() for c in group), key=_number))

    def __len__(self) -> int:
        return sum(map(len, self._by_key.values()))

    def of(self, key: Any) -> tuple[ConcreteFunction, ...]:
        """Those of a key of arguments."""
        return self._by_key.get(key, ())

    def like(self, arguments: Arguments) -> tuple[ConcreteFunction, ...]:
        """Those that may serve such arguments if their objects are like the traces' own."""
        return self._by_likeness.get(loose_key(arguments), ()) if self._by_likeness else ()

    def put_first(self, concrete: ConcreteFunction) -> None:
        """Have this one looked at before the others of its key; one thread at a time."""
        key = concrete._traced.arguments.key
        group = self.of(key)
        if group and group[0] is not concrete and concrete in group:
            rest = (other for other in group if other is not concrete)
            self._by_key = {**self._by_key, key: (concrete, *rest)}

    def forget(self, concrete: ConcreteFunction) -> None:
        """Keep all but this one."""
        key = concrete._traced.arguments.key
        group = tuple(other for other in self.of(key) if other is not concrete)
        self._by_key = {**self._by_key, key: group}

    def add(
        self,
        concrete: ConcreteFunction,
        limit: int,
        numbers: Numbers,
        lists: Collection[Any] = (),
    ) -> None:
        """Keep one more trace, and of the others of its key what is left; one goes if all is full.

        `numbers` are inputs from now on, `lists` columns. One thread at a time.
        """
        table = dict(self._by_key)
        key = concrete._traced.arguments.key
        kept = [c for c in table.pop(key, ()) if c.items_of.isdisjoint(lists)]
        group = [left for c in kept if (left := c.left(numbers)) is not None]
        if len(group) >= _MOST_STATES:
            group.remove(_least_used(group[::-1]))
        while len(group) + sum(map(len, table.values())) >= limit:
            every = sorted((*group, *(c for kept in table.values() for c in kept)), key=_number)
            oldest = _least_used(every)
            if oldest in group:
                group.remove(oldest)
                continue
            its_key = oldest._traced.arguments.key
            table[its_key] = tuple(other for other in table[its_key] if other is not oldest)
            if not table[its_key]:
                del table[its_key]
        table[key] = (concrete, *group)
        self._by_key = table
        like: dict[Any, tuple[ConcreteFunction, ...]] = {}
        for other in reversed([*self]):
            likeness = other._traced.likeness
            if likeness is not None and len(like.get(likeness.key, ())) < _MOST_STATES:
                like[likeness.key] = (*like.get(likeness.key, ()), other)
        self._by_likeness = like


def _number(concrete: ConcreteFunction) -> int:
    return concrete.number


def _least_used(traces: Sequence[ConcreteFunction]) -> ConcreteFunction:
    """The first that was not used since this was asked last."""
    found = next((c for c in traces if not c.used), traces[0])
    for other in traces:
        other.used = False
    return found
