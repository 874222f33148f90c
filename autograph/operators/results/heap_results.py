"""Objects on a heap that a function gives back: they are made when the graph has run."""

from __future__ import annotations

from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Nullable
from autograph.operators.results.remaking import arguments_of
from autograph.operators.results.sealing import sealed
from autograph.operators.stand_ins.heaps import Plan, Reference, There, raise_refused
from autograph.operators.stand_ins.runs import Run, Sealed, SealedEntries, live, mark_of
from autograph.operators.symbolic.forms import Form
from runtime import tree

__all__ = ["object_in", "refuse_bare", "refuse_references_in", "with_heaps"]


def with_heaps(result: Any, stands_for: dict[int, Any]) -> Any:
    """The sealed result beside all that is on heaps, of which its objects are made.

    The result alone where no object is in it. `stands_for` is what `sealed` gives; it gets that of
    the heaps.
    """
    facts = current_trace()
    if facts is None or not facts.heaps or object_in(result) is None:
        return result
    heaps = facts.heaps.values()
    # What a list of the caller's objects says of them is none of the caller's lists.
    held = [[*x] if live(x) is None else x for heap in heaps for x in heap.columns.values()]
    columns, more = sealed(tuple(held))
    stands_for.update(more)
    own = {"__slots__": (), "heaps": tuple(heap.plan for heap in heaps)}
    facts.handouts.with_arguments |= any(plan.path is not None for plan in own["heaps"])
    kind = type("Assembly", (_Assembly,), own)
    return tuple.__new__(kind, (result, *columns))


def refuse_references_in(item: Form, what: str) -> None:
    """Refuse a use of a list of which the items, of a form, have objects on a heap in them."""
    found = _object_of(item)
    if found is not None:
        raise_refused(found, what)


def object_in(x: Any, around: frozenset[int] = frozenset()) -> type | None:
    """The class of an object on a heap that is in a nest; None where there is none."""
    if isinstance(x, Reference):
        return x.stands_for
    if isinstance(x, Run | Sealed):
        return _object_of(x.item)
    if isinstance(x, SealedEntries):
        return object_in(x.values, around)
    if type(x) is Nullable:
        return object_in(x.inner, around)
    if id(x) in around:
        return None
    mark = mark_of(x)
    found = tree.entries(x) if mark is None else ((), list(dict.values(x)), None)
    parts = () if found is None else found[1]
    inner = around | {id(x)}
    return next(filter(None, (object_in(part, inner) for part in parts)), None)


def _object_of(item: Form) -> type | None:
    """Likewise for an item of a list whose length depends on data."""
    if isinstance(item.example, Reference):
        return item.example.stands_for
    return next(filter(None, map(_object_of, item.inner)), None)


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
        caller: Any = arguments_of()
        for plan in cls.heaps:
            older = [] if plan.path is None else [*caller.at(plan.path)]
            own = [next(given)[len(older) :] for _ in plan.names]
            columns.append((own, [object.__new__(plan.cls) for _ in own[0]]))
            objects[plan.reference] = [*older, *columns[-1][1]]
        put = _Put(objects)
        for plan, (own, made) in zip(cls.heaps, columns, strict=True):
            held = dict(zip(plan.names, own, strict=True))
            for name, column in held.items():
                if isinstance(name, There) or not name:
                    continue
                there = held.get(There(name), [True] * len(column))
                for thing, value, has in zip(made, column, there, strict=True):
                    if has:
                        object.__setattr__(thing, name, put(value))
        return put(result)


class _Put:
    """Puts objects into the places of their references, in containers that are new."""

    def __init__(self, objects: dict[type, list[Any]]) -> None:
        self._objects = objects
        self._known: dict[int, tuple[Any, Any]] = {}

    def __call__(self, x: Any) -> Any:
        kind = type(x)
        if kind in self._objects:
            return self._objects[kind][int(tuple.__getitem__(x, 0))]
        if id(x) in self._known:
            return self._known[id(x)][1]
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
            if isinstance(x, list):
                list.__setitem__(x, key, part)
            elif isinstance(x, dict):
                dict.__setitem__(x, key, part)
            else:
                object.__setattr__(x, key, part)
        return x
