"""Lists and dicts that are items of a list whose length depends on data, and are written.

The graph holds what is in `groups`; the list that `groups[key]` gives is made of that. What is
written into it (`groups[key].append(x)`) is put back. That is right where nothing else stands for
the same list: no name of it, and no other list or dict that could have it as an item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.operators.branches.may_alias import Sight
from autograph.operators.captured.captures import current_trace
from autograph.operators.values.contents import content_slot
from autograph.operators.values.runs import Run, holds_nests, opened, settled
from runtime import journal

__all__ = ["as_item", "is_writable", "written"]


def as_item(get: Callable[[], Any], container: Any, put: Callable[[Any], None]) -> Any:
    """What `get` gives, which is an item of a container; `put` sets the item anew."""
    x = get()
    if type(x) in (list, dict):
        journal.note_item(x, container, get, put)
    return x


def is_writable(x: Any) -> bool:
    """Whether `x` is an item of which a write can be put back, and is to be."""
    is_item = type(x) in (list, dict) and journal.item_of(x) is not None
    return is_item and _other_items(x) is not None


def written(x: Any, change: Callable[[], Any]) -> Any:
    """What `change` gives, which writes an item; that is put back, and other names of it see it."""
    found, others = journal.item_of(x), _other_items(x)
    assert found is not None and others is not None
    with journal.thawed(x):
        result = change()
    around, now = found.container, _copied(x)
    if is_writable(around):
        written(around, lambda: found.put(now))
    else:
        found.put(now)
    for one in others:
        _renew(one.thing, one.get())
    for one in (found, *others):
        journal.note_item(one.thing, one.container, one.get, one.put)
    return result


def _renew(x: Any, now: Any) -> None:
    """Let an item be what its container holds now."""
    with journal.thawed(x):
        slot = content_slot(x)
        journal.note(slot)
        slot.write(now)


def _copied(x: Any) -> Any:
    """A list or dict of the same content, also of the lists and dicts in it."""
    if type(x) is list:
        return journal.fresh([_copied(item) for item in settled(x, apart=True)])
    if type(x) is dict:
        return journal.fresh({key: _copied(item) for key, item in x.items()})
    return tuple(map(_copied, x)) if type(x) is tuple else x


def _other_items(x: Any) -> list[journal.Item] | None:
    """The other items that code may reach and that may be the same one, each as it is noted.

    None where somebody else may have it, who would not see what is put back.
    """
    facts = current_trace()
    if facts is None or facts.containers.shares_nests:
        return None
    sight = Sight.of_all()
    if sight.is_waiting:
        return None
    known = {id(one) for one in _around(x)}
    lengths = facts.containers.row_lengths  # no list is in two of these when a call begins
    known |= set() if known.isdisjoint(lengths) else lengths.keys()
    reached = [one for one in sight.reached() if id(one) not in known]
    of_dicts = {id(opened(one)) for one in reached if isinstance(one, dict)}
    others = []
    for one in reached:
        if journal.is_frozen(one):
            found = journal.item_of(one)
            if found is None:
                return None
            others.append(found)
        elif id(one) not in of_dicts and _has_nests(one):
            return None
    return others


def _around(x: Any) -> Iterable[Any]:
    """An item, the container that it is in, that around this one, and so on."""
    while x is not None:
        yield x
        found = journal.item_of(x)
        x = None if found is None else found.container


def _has_nests(x: Any) -> bool:
    """Whether `x` is a list whose items the graph holds, with lists or dicts among them."""
    parts = list.__iter__(x) if isinstance(x, list) else ()
    return any(isinstance(part, Run) and holds_nests(part) for part in parts)
