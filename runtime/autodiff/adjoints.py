"""Adjoints: sums of cotangents by key, of those that may be absent with whether they are there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.autodiff.presence import Possible, Presence, joined, plain, presence_of, with_presence
from runtime.ops.indexing.indexing import index_add_
from runtime.tensor import Tensor

__all__ = ["Adjoints"]


class Adjoints:
    """Sums of cotangents by key. Those under the keys `kept` survive being used.

    Whether a sum may be absent is known of the keys for which `heeds` is true.
    """

    def __init__(
        self, kept: Collection[Hashable] = (), heeds: Callable[[Hashable], bool] | None = None
    ) -> None:
        self.kept = kept
        self._heeds = heeds
        self._sums: dict[Hashable, Any] = {}
        # Keys whose sum is an eager array that was made here and that nobody else has seen.
        self._owned: set[Hashable] = set()
        # Whether any of the sums was one that may be absent.
        self.has_possible = False

    def peek(self, key: Hashable) -> Any:
        """The sum for `key`, to be looked at only."""
        return self._sums.get(key)

    def presence(self, keys: Iterable[Hashable]) -> Presence:
        """Whether any of the sums is there."""
        return presence_of(map(self._sums.get, keys))

    def get(self, key: Hashable) -> Any:
        """The sum for `key`, None when nothing arrived."""
        self._owned.discard(key)
        return self._sums.get(key)

    def take(self, key: Hashable) -> Any:
        """The sum for the key of a result whose record is being left behind."""
        if key in self.kept:
            return self.get(key)
        self._owned.discard(key)
        return self._sums.pop(key, None)

    def put(self, key: Hashable, total: Any) -> None:
        """Replace the sum."""
        self._owned.discard(key)
        if isinstance(total, Possible):
            heeds = self.heeds(key)
            total = total if heeds else plain(total)
            self.has_possible = self.has_possible or heeds
        self._sums[key] = total

    def heeds(self, key: Hashable) -> bool:
        """Whether it matters if the sum for `key` is there."""
        return self._heeds is not None and self._heeds(key)

    def add(self, key: Hashable, g: Any) -> None:
        """Add a contribution."""
        known = self._sums.get(key)
        self.put(key, g if known is None else joined(known, g))

    def add_at(self, key: Hashable, g: Any, x: Any, where: tuple[Any, ...], attrs: Any) -> None:
        """Add `g` to a part of the adjoint of `x`, in place where nobody can tell."""
        known = self._sums.get(key)
        if isinstance(known, Possible) or isinstance(g, Possible):
            self._add_possible_at(key, known, g, x, where, attrs)
            return
        if known is None:
            known = ops.zeros(x.shape, dtype=x.dtype)
            self._sums[key] = known
            if _is_private(known):
                self._owned.add(key)
        if key in self._owned and _is_private(known):
            _add_in_place(known._array, g, where, attrs)
            return
        known = self._sums[key] = trace.apply(index_add_.op, (known, g, *where), attrs)
        if _is_private(known):
            self._owned.add(key)

    def _add_possible_at(
        self, key: Hashable, known: Any, g: Any, x: Any, where: tuple[Any, ...], attrs: Any
    ) -> None:
        """As `add_at`, of what may be absent."""
        present = presence_of((known, g))
        total = ops.zeros(x.shape, dtype=x.dtype) if known is None else plain(known)
        total = trace.apply(index_add_.op, (total, plain(g), *where), attrs)
        self.put(key, with_presence(total, present))


def _is_private(x: Any) -> bool:
    """Whether a new eager array can be written to: no tape looks on."""
    return isinstance(x, Tensor) and isinstance(x._array, np.ndarray) and not trace.tapes()


def _add_in_place(array: np.ndarray[Any, Any], g: Any, where: Iterable[Any], attrs: Any) -> None:
    operands = [w.array if isinstance(w, Tensor) else w for w in where]
    inplace = index_add_.op.options["inplace"]
    inplace(np, array, g.array if isinstance(g, Tensor) else g, *operands, **attrs)
