"""Methods that put what a generator gives into a container: each item before the next is asked for.

The generator may look at the container, and what has been put in stays there when it raises.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph.operators.captured.methods import attribute
from autograph.operators.containers import open_deques
from autograph.operators.expressions.access import setitem, unpack
from autograph.operators.expressions.generators import call_of
from autograph.operators.loops.loops import in_turn_or_place
from autograph.operators.values.bodies import NO_NAMES
from autograph.operators.values.contents import append_item

__all__ = ["extend_in_turn", "put_pair", "puts_in_turn"]

# What such a method does with one item.
_WITH_ONE: dict[tuple[type, str], str] = {
    (list, "extend"): "append",
    (deque, "extend"): "append",
    (deque, "extendleft"): "appendleft",
    (set, "update"): "add",
    (set, "difference_update"): "discard",
    (dict, "update"): "update",
}


def puts_in_turn(
    owner: Any, name: str, args: tuple[Any, ...], call: Callable[[str, tuple[Any, ...]], Any]
) -> bool:
    """Whether a method of a container was given generators, and has gone through its arguments.

    `call` calls a method of the container's built-in class.
    """
    if all(call_of(x) is None for x in args):
        return False
    kind = next(kind for kind in (list, deque, set, dict) if isinstance(owner, kind))
    one = _WITH_ONE.get((kind, name))
    if one is None:
        return False
    is_plain_dict = one == "update" and attribute(type(owner), "__setitem__") is dict.__setitem__

    def put(item: Any) -> None:
        if is_plain_dict:
            put_pair(owner, item)
        else:
            call(one, ([item],) if one == "update" else (item,))

    for x in args:
        _each(x, put) if call_of(x) is not None else call(name, (x,))
    return True


def put_pair(x: dict[Any, Any], pair: Any) -> None:
    """Put in one item of what `x.update` was given, a key and its value."""
    parts = [*unpack(pair, 2)]
    if len(parts) != 2:
        raise ValueError(
            f"dictionary update sequence element has length {len(parts)}; 2 is required"
        )
    setitem(x, *parts)


def extend_in_turn(made: Any, generator: Any) -> None:
    """`made += generator` of a list or deque."""

    def put(item: Any) -> None:
        if open_deques.items_of(made) is not None:
            open_deques.append(made, item)
        else:
            append_item(made, item)

    _each(generator, put)


def _each(generator: Any, put: Callable[[Any], None]) -> None:
    run = call_of(generator)
    assert run is not None

    def in_turn() -> bool:
        for item in generator:
            put(item)
        return True

    in_turn_or_place(generator, run, in_turn, put, NO_NAMES)
