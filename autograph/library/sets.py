"""What two sets or dicts have together, to be converted with the functions that ask for it.

Sets are given twice where they are gone through: as a list of their items, and as what is asked
for items.
"""

from __future__ import annotations

from typing import Any

__all__ = ["add_all", "add_those_in", "are_alike", "are_apart", "are_within"]


def add_all(made: Any, items: Any) -> None:
    """Put items into a set.

    >>> made = {1}
    >>> add_all(made, [1, 2])
    >>> made
    {1, 2}
    """
    for item in items:
        made.add(item)


def add_those_in(made: Any, items: Any, others: Any, are_wanted: bool) -> None:
    """Put those items into a set that are among others, or those that are not.

    >>> made = set()
    >>> add_those_in(made, [1, 2], {2, 3}, False)
    >>> made
    {1}
    """
    for item in items:
        if (item in others) == are_wanted:
            made.add(item)


def are_within(items: Any, others: Any) -> bool:
    """Whether all items are among others.

    >>> are_within([1, 2], {1, 2, 3})
    True
    """
    return all(item in others for item in items)


def are_apart(items: Any, others: Any) -> bool:
    """Whether no item is among others.

    >>> are_apart([1, 2], {3})
    True
    """
    return not any(item in others for item in items)


def are_alike(x: Any, y: Any) -> bool:
    """Whether two dicts have the same under the same keys.

    >>> are_alike({1: 2.0, 3: 4.0}, {3: 4, 1: 2})
    True
    """
    if len(x) != len(y) or not all(key in y for key in x):
        return False
    return list(x.values()) == [y[key] for key in x]
