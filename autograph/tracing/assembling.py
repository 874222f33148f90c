"""Objects on a heap that a function gives back: they are made when the graph has run."""

from __future__ import annotations

from collections import deque
from itertools import chain, compress, repeat
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.results.container_outputs import sealed
from autograph.operators.results.heap_results import object_in
from autograph.operators.values.heaps import Plan, Reference, There, raise_refused
from autograph.operators.values.runs import live
from runtime.effects.given_containers import container_at
from runtime.structure import tree

__all__ = ["refuse_bare", "with_heaps"]


def with_heaps(result: Any, stands_for: dict[int, Any]) -> Any:
    """The sealed result beside all that is on heaps, of which its objects are made.

    The result alone where no object is in it. `stands_for` is what `sealed` gives; it gets that of
    the heaps.
    """
    facts = current_trace()
    if facts is None or not facts.attempt.heaps or object_in(result) is None:
        return result
    heaps = facts.attempt.heaps.values()
    # What a list of the caller's objects says of them is none of the caller's lists.
    held = [[*x] if live(x) is None else x for heap in heaps for x in heap.columns.values()]
    columns, more = sealed(tuple(held))
    stands_for.update(more)
    own = {"__slots__": (), "heaps": tuple(heap.plan for heap in heaps)}
    facts.effects.handouts.with_arguments |= any(plan.path is not None for plan in own["heaps"])
    kind = type("Assembly", (_Assembly,), own)
    return tuple.__new__(kind, (result, *columns))


def refuse_bare(structure: tree.Structure) -> None:
    """Refuse a part of a result that would hand out a reference instead of its object."""
    if structure.kind is not None and issubclass(structure.kind, Reference):
        raise_refused(structure.kind.stands_for, "in a part of the result for which it is not made")
    for child in structure.children:
        refuse_bare(child)


class _Assembly(tree.Assembled):
    """A result and the lists of the heaps: in its place there is the result with its objects."""

    __slots__ = ()
    _fields = ("result",)
    unstorable = "objects that data makes, in the result"
    heaps: tuple[Plan, ...]

    @classmethod
    def assemble(cls, parts: list[Any]) -> Any:
        """The result, in which objects stand for the references."""
        given = iter(parts)
        result = next(given)
        objects: dict[type, list[Any]] = {}
        columns: list[tuple[list[Any], list[Any]]] = []
        for plan in cls.heaps:
            older = [] if plan.path is None else [*container_at(plan.path)]
            own = [next(given)[len(older) :] for _ in plan.names]
            made: list[Any] = [*map(object.__new__, repeat(plan.cls, len(own[0])))]
            columns.append((own, made))
            objects[plan.reference] = [*older, *made]
        put = _Put(objects)
        for plan, (own, made) in zip(cls.heaps, columns, strict=True):
            held = dict(zip(plan.names, own, strict=True))
            # `setattr` runs no code of the class then, and is faster.
            is_plain = "__setattr__" not in {n for c in plan.cls.__mro__[:-1] for n in vars(c)}
            setter: Any = setattr if is_plain else object.__setattr__
            for name, column in held.items():
                if isinstance(name, There) or not name:
                    continue
                there = held.get(There(name))
                things = made if there is None else [*compress(made, there)]
                values = put.items(column if there is None else [*compress(column, there)])
                deque(map(setter, things, repeat(name), values), maxlen=0)
        return put(result)


# What holds nothing else, of classes that are not derived from; all NumPy scalars are such, too.
_BARE = frozenset((float, int, bool, complex, str, bytes, type(None), np.ndarray))


class _Put:
    """Puts objects into the places of their references, in containers that are new."""

    def __init__(self, objects: dict[type, list[Any]]) -> None:
        self._objects = objects
        self._known: dict[int, tuple[Any, Any]] = {}

    def items(self, column: list[Any]) -> list[Any]:
        """What these are with objects in the places; all at once where they are of one kind."""
        kinds = {*map(type, column)}
        if all(kind in _BARE or issubclass(kind, np.generic) for kind in kinds):
            return column
        (kind,) = kinds if len(kinds) == 1 else (None,)
        if kind in self._objects:
            return [*map(self._objects[kind].__getitem__, chain.from_iterable(column))]
        return [*map(self, column)]

    def __call__(self, x: Any) -> Any:
        kind = type(x)
        if kind in self._objects:
            return self._objects[kind][int(tuple.__getitem__(x, 0))]
        if id(x) in self._known:
            return self._known[id(x)][1]
        if kind is list:
            self._known[id(x)] = x, x
            x[:] = self.items(x)
            return x
        found = tree.entries(x)
        if found is None:
            return x
        keys, children, extra = found
        if isinstance(x, tuple):
            parts = list(map(self, children))
            is_same = all(a is b for a, b in zip(parts, children, strict=True))
            made = x if is_same else tree.container(kind, keys, parts, extra)
            self._known[id(x)] = x, made
            return made
        self._known[id(x)] = x, x
        for key, child in zip(keys, children, strict=True):
            part = self(child)
            if part is child:
                continue
            if isinstance(x, dict):
                dict.__setitem__(x, key, part)
            else:
                object.__setattr__(x, key, part)
        return x
