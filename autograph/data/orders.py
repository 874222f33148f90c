"""Orders of elements: permutations, and those that a buffer smaller than all elements gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.data.elements import is_staged
from autograph.functions import convert
from runtime import random
from runtime.random.generator import Generator
from runtime.tensor import Tensor

__all__ = ["Orders"]


class Orders:
    """Where the orders of a data set's passes come from: each pass has another one, or the same."""

    def __init__(self, seed: Any, is_new_each_time: bool) -> None:
        self.is_new_each_time = is_new_each_time
        self._generator = Generator(_key() if seed is None else seed)
        self._key = None if is_new_each_time else int(self._generator.state.numpy()[0])

    def order(self, count: Any, size: int) -> Any:
        """The numbers below `count` in the order in which a buffer of `size` gives them."""
        if size >= count:
            return _plain(self._draw("permutation", count))
        chances = _plain(self._draw("uniform", (count,)))
        return _buffered(chances, np.int64(size))

    def below(self, bound: Any, number: Any) -> Any:
        """What a pass draws as its `number`-th: a number from 0 on, smaller than the bound."""
        if self._key is None:
            return _plain(self._generator.integers(0, bound))
        key = random.fold_in(np.uint64(self._key), number)
        return _plain(random.integers(0, bound, key=key))

    def _draw(self, name: str, *args: Any) -> Any:
        if self._key is None:
            return getattr(self._generator, name)(*args)
        return getattr(random, name)(*args, key=np.uint64(self._key))


def _key() -> int:
    """A key from the global generator."""
    return int(random.bits(dtype=np.uint64).numpy())


def _plain(x: Any) -> Any:
    """An array of NumPy's, where it is known."""
    return x.numpy() if isinstance(x, Tensor) and not is_staged() else x


@convert
def _buffered(chances: Any, size: Any) -> Any:
    count = len(chances)
    waiting, order = np.arange(size), np.empty(count, np.int64)
    for k in range(count):
        left = min(size, count - k)
        j = int(chances[k] * left)
        order[k] = waiting[j]
        waiting[j] = k + size if k + size < count else waiting[left - 1]
    return order
