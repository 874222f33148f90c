"""What a trace knows from those before it of the same call, and what it finds for the next one.

Most calls are traced once; a trace that finds that it should have begun otherwise raises.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Attempt", "Found", "Known"]


@dataclass(frozen=True)
class Known:
    """What is known of a function before it is traced."""

    # Lists from outside that are only appended to, by the graph, by id.
    logs: dict[int, Any] = field(default_factory=dict)
    # Whether lists whose length depends on data hold objects themselves: one of them is written.
    refers_to_items: bool = False
    # The classes of those that are written and that a loop made: of their objects such lists hold
    # no content, so that a loop which makes them is not staged if the number of rounds is known.
    written_items: frozenset[type] = frozenset()
    # Whether dicts of which data decides what keys they have hold each value for itself: a trace
    # found that the values are not of one kind.
    keeps_entries: bool = False
    # Whether a name that is a list from before a loop, or one that a round made, is either: a trace
    # in which it was one that stands for both came to no end.
    keeps_names: bool = False
    # Whether comprehensions over ranges keep their known length if they can.
    keeps_lengths: bool = False
    # Whether what an exception holds is saved where a `try` body raises it, as a trace that asked
    # for it came to no end.
    tells_errors: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Attempt(Known):
    """What a trace is told when it begins."""

    # Whether a trace that finds another of the `logs` begins again, since it changed between the
    # calls before.
    prefers_logs: bool = False
    # Whether objects and containers that data chooses between are told by a number: a trace found
    # that one of them is written.
    chooses_by_number: bool = False
    # The heaps of the objects of classes of the user's, by class: see `heaps`.
    heaps: dict[type, Any] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class Found:
    """What a trace found that one which begins anew would know."""

    # Lists from outside that must be such as are only appended to.
    logs: dict[int, Any] = field(default_factory=dict)
    # The names of things, and things, that were to be written and were not, as they were not told
    # by a number.
    refused_choices: list[str] = field(default_factory=list)
    refused_items: list[Any] = field(default_factory=list)
    # Whether there are values of several kinds in a dict, names that are either of two lists,
    # comprehensions that did not keep their length; whether what an exception holds is asked for.
    kinds: bool = False
    names: bool = False
    lengths: bool = False
    asks_errors: bool = False
    # The classes of objects that were made, and those that bodies made, with their attributes;
    # attributes that a heap lacked.
    classes: dict[type, tuple[str, ...]] = field(default_factory=dict)
    made_in_bodies: dict[type, tuple[str, ...]] = field(default_factory=dict)
    attributes: dict[type, dict[Any, None]] = field(default_factory=dict)
