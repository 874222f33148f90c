"""Orders of elements: permutations, and those that a buffer smaller than all elements gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.data.elements import is_staged
from autograph.functions import convert
from runtime import ops, random
from runtime.ops.random.draws import random_advance
from runtime.random.arguments import Encoded
from runtime.random.draws import Draws
from runtime.random.generator import Generator
from runtime.random.keys import as_key
from runtime.tensor import Tensor

__all__ = ["Orders"]


class Orders:
    """Where the orders of a data set's passes come from: each pass has another one, or the same."""

    def __init__(self, seed: Any, is_new_each_time: bool) -> None:
        self.is_new_each_time = is_new_each_time
        key = _plain(random.bits(dtype=np.uint64) if seed is None else as_key(seed))
        # Whether a graph draws them, which the data set is made in.
        self.is_of_graph = is_staged()
        self._draws: Draws = _Begun(key) if self.is_of_graph else _kept(key)
        self._key = None if is_new_each_time else key

    def order(self, count: Any, size: int) -> Any:
        """The numbers below `count` in the order in which a buffer of `size` gives them."""
        if size >= count:
            return _plain(self._draw("permutation", count))
        chances = _plain(self._draw("uniform", (count,)))
        return _buffered(chances, np.int64(size))

    def below(self, bound: Any, number: Any) -> Any:
        """What a pass draws as its `number`-th: a number from 0 on, smaller than the bound."""
        if self._key is None:
            return _plain(self._draws.integers(0, bound))
        key = random.fold_in(self._key, number)
        return _plain(random.integers(0, bound, key=key))

    def _draw(self, name: str, *args: Any) -> Any:
        if self._key is None:
            return getattr(self._draws, name)(*args)
        return getattr(random, name)(*args, key=self._key)


def _kept(key: Any) -> Generator:
    """A generator that draws on from pass to pass; elements stay of what their source gives."""
    made = Generator(key)
    made.state.makes_tensors = False
    return made


class _Begun(Draws):
    """A generator that begins with each call of a graph, where the data set is made."""

    def __init__(self, key: Any) -> None:
        self._state = np.zeros(2, np.uint64) + ops.stack([key, np.uint64(0)])

    def blocks(self, shape: Encoded, width: int) -> tuple[Any, Any]:
        """Key and first block for a draw of this shape; moves the state on."""
        static, dims = shape
        key, counter, state = random_advance(self._state, *dims, shape=static, width=width)
        self._state[:] = state
        return key, counter


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
