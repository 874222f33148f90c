"""Items that were taken out of a container and are put back where they were: `rows[k] += x`.

Python asks for `rows[k]`, changes that very list or array in place, and sets the item to it, which
changes nothing. Where data says which item it is, setting it would be a choice for each of them.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.guards import are_same_objects
from autograph.operators.containers.written_arrays import is_in_place
from autograph.operators.values.carried import is_number
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.references import has_cell

__all__ = ["Taken", "is_from", "note_origin"]


class Taken(NamedTuple):
    """What stood at a key of a container, and all that was in that then."""

    thing: Any
    source: Any
    key: Any
    items: list[Any]


def note_origin(x: Any, source: Any, key: Any) -> Any:
    """`x`, which is the item of a container at a key."""
    facts = current_trace()
    if facts is not None and (has_cell(x) or isinstance(x, list | dict) or type(x) is OneOf):
        items = _items(source)
        if items is not None and not any(map(is_number, items)):
            facts.containers.taken_items[id(source), id(key)] = Taken(x, source, key, items)
    return x


def is_from(x: Any, source: Any, key: Any) -> bool:
    """Whether `x` is the item of a container at a key, which has been what it was then."""
    facts = current_trace()
    found = None if facts is None else facts.containers.taken_items.get((id(source), id(key)))
    if found is None or found.thing is not x or found.source is not source or found.key is not key:
        return False
    is_there = is_in_place(x)
    if is_there is not None:
        return is_there
    now = _items(source)
    return now is not None and are_same_objects(now, found.items)


def _items(source: Any) -> list[Any] | None:
    """All that is in a container, also in each of those that it may be.

    None for others, as tuples and objects, of which setting an item may do something.
    """
    if type(source) is OneOf:
        found = [_items(one) for one in source.things]
        known = [items for items in found if items is not None]
        return list(itertools.chain(*known)) if len(known) == len(found) else None
    if type(source) in (dict, OrderedDict, defaultdict):
        return list(dict.values(source))
    return list(source) if type(source) in (list, deque) else None
