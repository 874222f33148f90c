"""What plain Python does for data sets: iterators that graphs ask for elements, reading ahead."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.data.elements import like
from runtime import tree
from runtime.spec import TensorSpec
from runtime.tensor import Tensor

__all__ = ["Feed", "ahead", "padded", "stacked"]


class Feed:
    """The elements of a data set for a loop of a graph, which has a number for each pass."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage
        self._spec = stage.spec()
        parts, self._structure = tree.flatten(self._spec)
        self._nothing = [np.zeros([n or 0 for n in one.shape], one.dtype)[()] for one in parts]
        self._passes: dict[int, Iterator[Any]] = {}
        self._numbers = itertools.count()

    @property
    def result(self) -> Any:
        """What `following` gives, as a nest of specs."""
        return bool, self._spec

    def begin(self) -> int:
        """Begin a pass."""
        number = next(self._numbers)
        self._passes[number] = iter(self._stage)
        return number

    def following(self, number: int) -> tuple[bool, Any]:
        """Whether there is another element, and that."""
        for element in self._passes[int(number)]:
            return True, element
        return False, tree.unflatten(self._structure, self._nothing)

    def end(self, number: int) -> tuple[()]:
        """End a pass, which may have elements left."""
        elements = self._passes.pop(int(number), None)
        close = getattr(elements, "close", None)
        if close is not None:
            close()
        return ()


def stacked(elements: Sequence[Any]) -> Any:
    """A batch of elements."""
    return tree.map_structure(lambda *parts: np.stack(parts), *elements)


_END = object()


def ahead(elements: Iterator[Any], size: int) -> Iterator[Any]:
    """The elements, which a thread reads so many ahead; what it raises comes in its round."""
    waiting: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(size)
    stopped = threading.Event()

    def put(item: tuple[Any, BaseException | None]) -> bool:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for x in elements:
                if not put((x, None)):
                    break
            else:
                put((_END, None))
        except BaseException as error:  # noqa: BLE001 - it is raised in its round
            put((_END, error))
        finally:
            close = getattr(elements, "close", None)
            if close is not None:
                close()

    thread = threading.Thread(target=read, name="reading ahead", daemon=True)
    thread.start()
    try:
        while True:
            x, error = waiting.get()
            if error is not None:
                raise error
            if x is _END:
                return
            yield x
    finally:
        stopped.set()


def padded(elements: Sequence[Any], shapes: Any, values: Any) -> Any:
    """A batch of elements, each filled up to `shapes`, or to the largest of them, with `values`."""
    return elements
