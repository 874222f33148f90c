"""What a trace knows of lists, dicts and sets of which data decides what is in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from runtime.tensor import Tensor

__all__ = ["Containers"]


@dataclass(eq=False, repr=False)
class Containers:
    """The containers of a trace whose items depend on data, and what may be in two of them."""

    # Whether there is, or was, a list whose length depends on data.
    has_runs: bool = False
    # Of lists of lists that are columns, by id: the lengths of these; what they are after writes.
    row_lengths: dict[int, Tensor] = field(default_factory=dict)
    same_rows: set[Any] = field(default_factory=set)
    # Rows of lists with numbers behind them, by the builder and what they were made of: the class
    # of each tensor, and its value.
    packed: dict[Any, list[Any]] = field(default_factory=dict)
    # Rows with another item: by these, the rows that they are among, the position, item and index.
    set_items: dict[Any, tuple[Tensor, Tensor, Tensor, Any]] = field(default_factory=dict)
    # The rows of keys that are surely in dicts: by the links of these, and the numbers of the keys.
    rows_of_keys: dict[Any, Any] = field(default_factory=dict)
    # Whether an array is in such a list twice, or in two of them; whether a list or dict that is an
    # item may be in another place, too; and an array, or whether it may be the caller's.
    shares_items: bool = False
    shares_nests: bool = False
    shares_arrays: bool = False
    # By id, lists and dicts that were put several times into such a list.
    repeated_items: dict[int, Any] = field(default_factory=dict)
    # By id, lists whose arrays were noted as items, each with what was in it then.
    absorbed: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)
    # The loops over dicts, by the ids of these (`containers.last_turns`).
    turns: dict[int, list[Any]] = field(default_factory=dict)
    # Whether a key is looked for by comparing it with all of a dict or set.
    compares_keys: bool = False
    # The dict and key of which an item was asked for last that must be there, and by which builder.
    required_key: Any = None
    # The items that were taken out at keys that depend on data: see `taken_items`.
    taken_items: dict[tuple[int, int], Any] = field(default_factory=dict)
    # The tuples and frozen objects that staged statements made of two of them, by id.
    chosen_values: dict[int, Any] = field(default_factory=dict)

    @property
    def sharing(self) -> tuple[bool, bool, bool]:
        """What is known to be in two places."""
        return self.shares_nests, self.shares_arrays, self.shares_items

    def has_absorbed(self, within: list[Any], parts: list[Any]) -> bool:
        """Whether the arrays in a list were noted as its items, and it has the same parts still."""
        known = self.absorbed.get(id(within))
        self.absorbed[id(within)] = within, parts
        return known is not None and [*map(id, parts)] == [*map(id, known[1])]
