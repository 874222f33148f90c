"""Containers among the arguments to which others have a way, too.

A graph has what was in them when the call began. Python code that it calls may have changed that
by a name of its own; and what the function finds outside, too, is another container to the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from autograph.operators.captured.captures import Trace
from autograph.operators.captured.guards import Guard, IdentityGuard, are_same_objects
from autograph.tracing.columns import Columns, ObjectColumns, OfItems
from autograph.tracing.signature import Arguments, is_input_key
from runtime import journal
from runtime.effects.given_containers import arguments_of
from runtime.effects.host import HOST_CALL
from runtime.errors import StagingError
from runtime.graph.ir import Graph, Node
from runtime.origins import Origin
from runtime.structure import tree

__all__ = ["Watched", "met_outside", "tells_apart", "watched_in"]


def tells_apart(facts: Trace, noted: Iterable[journal.Slot]) -> bool:
    """Whether it matters that a container among the arguments is found outside of them, too.

    It does where one is written, or compared with `is`.
    """
    kinds = set(map(type, facts.outside.given.values()))
    if not any(type(x) in kinds for x in facts.outside.things.values()):
        return False
    owners = (slot.owner for slot in noted)
    return facts.outside.compares_containers or any(
        facts.outside.is_callers(x) for x in owners if type(x) in kinds
    )


def met_outside(bound: dict[str, Any], guards: Iterable[Guard], others: Iterable[Any]) -> Any:
    """A container among the arguments that is also captured, or one of these; None if none is."""
    given = {id(part): part for _, part in tree.mutable_parts(bound)}
    singles = [single for guard in guards for single in guard.singles]
    captured = [single.found() for single in singles if isinstance(single, IdentityGuard)]
    return next((given[id(x)] for x in (*captured, *others) if id(x) in given), None)


class Watched(NamedTuple):
    """The paths of these containers, and the first call of Python code."""

    paths: tuple[tuple[Any, ...], ...]
    name: str
    origin: Origin | None

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise StagingError where what runs in here changes one of them."""
        given = arguments_of()
        before = [] if given is None else [(path, _held(given, path)) for path in self.paths]
        yield
        for path, old in before:
            now = _held(given, path)
            if not are_same_objects(now, old):
                raise StagingError(
                    f"`{self.name}`, or what is called after it, changed what is in `{path[0]}`, "
                    "which the converted function reads then: a graph does not see that",
                    "let it give back the new value, by `ag.py_call`, or call it outside of the "
                    "converted function",
                    origin=self.origin,
                )


def _held(given: Any, path: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is in a container now."""
    if isinstance(path[-1], OfItems):
        return path[-1].of(given.at(path[:-1])).held()
    keys, parts, _ = tree.entries(given.at(path)) or ((), (), None)
    return (*keys, *parts) if isinstance(given.at(path), dict) else tuple(parts)


def watched_in(graph: Graph, arguments: Arguments, written: set[tuple[Any, ...]]) -> Watched | None:
    """The containers that are read after Python code is called, but for those that are written.

    What the graph writes is looked at before and after each call already.
    """
    calls = ((k, call) for k, node in enumerate(graph.nodes) for call in _calls(node))
    first, call = next(calls, (None, None))
    if first is None or call is None:
        return None
    later = graph.nodes[first + (graph.nodes[first].op is HOST_CALL) :]
    read = {*map(id, graph.outputs), *(id(value) for node in later for value in node.inputs)}
    inputs = iter(graph.inputs)
    is_read = [is_input_key(key) and id(next(inputs)) in read for key in arguments.keys]
    found = dict.fromkeys(_paths(arguments.structure, iter(is_read), ()))
    paths = tuple(path for path in found if path not in written)
    return Watched(paths, call.name, call.origin) if paths else None


def _calls(node: Node) -> Iterator[Any]:
    """The calls of Python code that a node makes, of code that may change what is read."""
    inner = (one for graph in node.graphs for one in graph.walk())
    for one in (node, *inner):
        if one.op is HOST_CALL and getattr(one.attrs["call"], "watch", None) is not None:
            yield one.attrs["call"]


def _paths(
    structure: tree.Structure, is_read: Iterator[bool], path: tuple[Any, ...]
) -> Iterator[tuple[Any, ...]]:
    """The paths of containers of which something is read, from the leaves that are."""
    kind: Any = structure.kind
    if issubclass(kind, Columns):
        are_read = [next(is_read) for _ in structure.children]
        names: Sequence[str] = kind.names if issubclass(kind, ObjectColumns) else ()
        if any(are_read):
            yield from (path, *((*path, OfItems(name)) for name in names))
        return
    for key, child in zip(structure.keys, structure.children, strict=True):
        if child.kind is not None:
            yield from _paths(child, is_read, (*path, key))
        elif next(is_read) and path and not issubclass(kind, tuple):
            yield path
