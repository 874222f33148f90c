"""`tf.nest`: tuples, lists, dicts (in the order of their sorted keys) and dataclasses of leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.tf.names import serve
from runtime.structure import tree

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def _order(structure: tree.Structure) -> list[int]:
    """For each leaf in TensorFlow's order its position in ours: dicts go by sorted keys."""
    if structure.kind is None:
        return [0]
    starts, at = [], 0
    for child in structure.children:
        starts.append(at)
        at += child.size
    children = range(len(structure.children))
    if issubclass(structure.kind, dict):
        children = sorted(children, key=lambda i: structure.keys[i])  # type: ignore[assignment]
    return [starts[i] + j for i in children for j in _order(structure.children[i])]


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a nest.

    >>> import autograph.tf as tf
    >>> tf.nest.flatten({"b": 2, "a": (1, [0])})
    [1, 0, 2]
    """
    leaves, kind = tree.flatten(structure)
    return [leaves[i] for i in _order(kind)]


def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """A nest like `structure` with other leaves. Raises ValueError for another number of them.

    >>> import autograph.tf as tf
    >>> tf.nest.pack_sequence_as({"b": 0, "a": 0}, [1, 2])
    {'b': 2, 'a': 1}
    """
    kind = tree.structure_of(structure)
    order = _order(kind)
    if len(order) != len(flat_sequence):
        raise ValueError(f"{len(flat_sequence)} leaves are given for a nest of {len(order)}")
    parts = [None] * len(order)
    for i, leaf in zip(order, flat_sequence, strict=True):
        parts[i] = leaf
    return tree.unflatten(kind, parts)


def map_structure(func: Callable[..., Any], *structure: Any, **options: Any) -> Any:
    """A nest of the results of `func` on leaves of nests of one structure.

    >>> import autograph.tf as tf
    >>> tf.nest.map_structure(lambda a, b: a + b, (1, [2]), (10, [20]))
    (11, [22])
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    rows = zip(*map(flatten, structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows])


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise ValueError unless two nests have one structure.

    >>> import autograph.tf as tf
    >>> tf.nest.assert_same_structure((1, [2]), (3, [4]))
    """
    if not _alike(tree.structure_of(nest1), tree.structure_of(nest2), check_types):
        raise ValueError(f"the two nests differ in structure: {nest1!r}, {nest2!r}")


def _alike(a: tree.Structure, b: tree.Structure, check_types: bool) -> bool:
    if (a.kind is None) != (b.kind is None) or (check_types and a.kind is not b.kind):
        return False
    if len(a.children) != len(b.children):
        return False
    if a.kind is not None and issubclass(a.kind, dict):
        mine = dict(zip(a.keys, a.children, strict=True))
        theirs = dict(zip(b.keys, b.children, strict=True))
        return mine.keys() == theirs.keys() and all(
            _alike(mine[k], theirs[k], check_types) for k in mine
        )
    return all(_alike(x, y, check_types) for x, y in zip(a.children, b.children, strict=True))


def is_nested(structure: Any) -> bool:
    """Whether this is a container of leaves.

    >>> import autograph.tf as tf
    >>> tf.nest.is_nested([1]), tf.nest.is_nested(1)
    (True, False)
    """
    return tree.structure_of(structure).kind is not None


serve(globals())
