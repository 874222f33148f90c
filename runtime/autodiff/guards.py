"""Records that are left out, when the graph runs, where the cotangents of their results are absent.

The rule of an op is a branch then: it computes what it moves on only if there is anything to move.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from runtime import trace
from runtime.autodiff.adjoints import Adjoints
from runtime.autodiff.cotangents import conform, cotangent_type, type_of_any, zero
from runtime.autodiff.emission import builder_now
from runtime.autodiff.presence import (
    FLAG,
    Possible,
    either,
    flag_of,
    plain,
    presence_of,
    with_presence,
)
from runtime.building import traced
from runtime.control import emit_cond
from runtime.errors import Origin
from runtime.graph.ir import Value
from runtime.spec import Type

__all__ = ["move_if_present", "places_of"]


class Place(NamedTuple):
    """Where a contribution goes: the key of an input, its type, and what has its shape."""

    key: Hashable
    type: Type
    like: Any


def places_of(
    keys: Sequence[Hashable], inputs: Sequence[Any], wanted: Sequence[bool]
) -> list[Place]:
    """The places of the wanted inputs, each once."""
    found = {}
    for key, x, asked in zip(keys, inputs, wanted, strict=True):
        if asked and key not in found:
            type_ = x.type if isinstance(x, Value) else type_of_any(x)
            assert type_ is not None, "what is wanted while a graph is built has a type"
            like = traced(key) if isinstance(key, Value) else x
            found[key] = Place(key, type_, like)
    return list(found.values())


def move_if_present(
    move: Callable[[list[Any], Adjoints], None],
    gs: Sequence[Any],
    places: Sequence[Place],
    adjoints: Adjoints,
    origin: Origin | None,
) -> None:
    """`move(gs, adjoints)`, which changes the sums of `places`, where one of `gs` is there."""
    present = presence_of(gs)
    before = [adjoints.get(place.key) for place in places]
    parent = builder_now()
    run, skip = parent.inside("present"), parent.inside("absent")
    inner = Adjoints(heeds=lambda key: True)
    with trace.interpreting(run):
        for place, known in zip(places, before, strict=True):
            if known is not None:
                inner.put(place.key, Possible(plain(known), False))
        move([_in_branch(g, gs) for g in gs], inner)
        after = [inner.get(place.key) for place in places]
        added = [presence_of([g]) for g in after]
        moved = [i for i, is_there in enumerate(added) if is_there is not False]
        # Of those that may be absent even so, the presences are results of the branch, too.
        flagged = [i for i in moved if added[i] is not True and adjoints.heeds(places[i].key)]
        totals = [run.value_of(conform(plain(after[i]), places[i].type)) for i in moved]
        run.graph.outputs = totals + [flag_of(added[i]) for i in flagged]
    for node in run.graph.nodes if origin is not None else ():
        node.origin = origin
    if not moved:
        return
    with trace.interpreting(skip):
        totals = [skip.value_of(_before(places[i], before[i])) for i in moved]
        skip.graph.outputs = totals + [flag_of(False) for _ in flagged]
    types: list[Type] = [cotangent_type(places[i].type) for i in moved]
    types += [FLAG] * len(flagged)
    results = emit_cond(parent, flag_of(present), (run, skip), types)
    flags = dict(zip(flagged, results[len(moved) :], strict=True))
    for i, total in zip(moved, results, strict=False):
        is_there = either(presence_of([before[i]]), flags.get(i, present))
        adjoints.put(places[i].key, with_presence(total, is_there))


def _in_branch(g: Any, gs: Sequence[Any]) -> Any:
    """A cotangent where one of `gs` is there: the only one is."""
    return plain(g) if sum(other is not None for other in gs) == 1 else g


def _before(place: Place, known: Any) -> Any:
    """The sum before anything is added to it."""
    if known is None:
        return zero(cotangent_type(place.type), place.like)
    return conform(plain(known), place.type)
