"""Nests as arrays with names, as they are in a `.npz` file: `loss`, `rows.0`, `rows.1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import autograph as ag
from runtime.structure import tree

__all__ = ["expected_nests", "named_parts", "nest_of"]


def named_parts(nest: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a nest with their paths.

    >>> list(named_parts({"loss": 1.0, "rows": (2, 3)}))
    [('loss', 1.0), ('rows.0', 2), ('rows.1', 3)]
    """
    leaves, structure = tree.flatten(nest)
    return zip(_paths(structure, ""), leaves, strict=True)


def _paths(structure: tree.Structure, path: str) -> Iterator[str]:
    if structure.kind is None:
        yield path
    for key, child in zip(structure.keys, structure.children, strict=True):
        yield from _paths(child, f"{path}.{key}" if path else str(key))


def nest_of(arrays: Mapping[str, Any], expected: Iterable[Any]) -> Any:
    """The nest that arrays are, of those that are expected, with arrays of these names.

    Else the only array; those that NumPy saved without names as a tuple, all others as a dict.
    """
    found = {name.removeprefix("arr_") if _is_unnamed(name) else name: name for name in arrays}
    for nest in expected:
        names = [name for name, _ in named_parts(nest)]
        if set(names) == found.keys():
            return tree.unflatten(tree.structure_of(nest), [arrays[found[n]] for n in names])
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    return tuple(arrays.values()) if all(map(_is_unnamed, arrays)) else dict(arrays)


def _is_unnamed(name: str) -> bool:
    return name.startswith("arr_") and name.removeprefix("arr_").isdecimal()


def expected_nests(target: Any, place: str | int) -> Iterator[Any]:
    """What a saved program takes for a parameter, by name or position; of others none is known."""
    if not isinstance(target, ag.Program):
        return
    for concrete in target.signatures.values():
        args, kwargs = concrete.structured_input_signature
        known: dict[Any, Any] = dict(enumerate(args))
        known.update(zip(target.function_spec.parameters, args, strict=False))
        known.update(kwargs)
        if place in known:
            yield known[place]
