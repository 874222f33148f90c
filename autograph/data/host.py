"""What plain Python does for data sets: iterators that graphs ask for elements, reading ahead."""

from __future__ import annotations

import itertools
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from autograph.data.cursors import Cursor, check_fits
from autograph.data.elements import filling_of, is_staged, like, own, spec_of
from autograph.data.rows import Listed, Rows, Slices, check_alike
from autograph.data.specs import joined_spec
from autograph.operators.captured.methods import method
from autograph.operators.captured.standing import Owner
from autograph.operators.loops.feeds import Asked, Fed, Feed, Pass
from autograph.operators.results.held_parts import FUNCTIONS, fields_of, held_through
from autograph.operators.values.templates import has_traced
from runtime import trace
from runtime.eager import Eager
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.spec import TensorSpec
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["Beginning", "Kept", "ahead", "asked", "from_python", "padded", "pass_over", "stacked"]


def from_python(stage: Any, args: tuple[Any, ...] = ()) -> Iterator[Any]:
    """The elements that plain Python gives when the graph runs, each when its round begins.

    With `args`, which only the graph knows, they are what `stage.begin` makes of these.
    """
    return iter(Fed(_feed_of(stage, args), args, known_as=stage.known_as, why=_WHY))


def pass_over(stage: Any, args: tuple[Any, ...] = ()) -> Cursor:
    """A pass over such elements, each of which the graph asks for."""
    found: Cursor = Pass(_feed_of(stage, args), args, {}, stage.known_as, _WHY, False)  # type: ignore[assignment]
    return found


class Beginning:
    """Begins a pass over what a function gives to go through, `specified`."""

    def __init__(self, function: Callable[..., Any], specified: Callable[[Any], Any]) -> None:
        self._function, self._specified = function, specified

    def __call__(self, *args: Any) -> Iterator[Any]:
        return map(self._specified, iter(self._function(*args)))


def asked(stage: Any) -> Iterator[Any]:
    """The elements of a stage, each of which the graph asks for when its round begins."""
    begin = method(stage, "cursor")
    assert begin is not None
    return iter(Asked(begin))


def _feed_of(stage: Any, args: tuple[Any, ...]) -> Feed:
    tell = method(stage, "spec")
    assert tell is not None
    if not args:
        _check_is_known(stage)
    if args:
        return Feed(stage.begin, tell())
    owner = Owner(stage)
    owner.reference = lambda: stage  # its trace keeps it, until that serves another one
    made = Feed(lambda: iter(owner()), tell())
    made.owner = None if _was_looked_into(stage) else owner
    return made


def _was_looked_into(stage: Any) -> bool:
    """Whether elements have told of which types and shapes they are, which others may not be."""
    steps = [x for part in vars(stage).values() for x in (part if type(part) is list else [part])]
    return "_seen" in vars(stage) or any(
        _was_looked_into(x) for x in steps if hasattr(type(x), "reading_ahead")
    )


def _check_is_known(stage: Any) -> None:
    if any(map(_is_of_graph, _held_by(stage, set()))):
        raise StagingError(
            "plain Python gives the elements of a data set, which is made of what is known only "
            "when the graph runs",
            "make it outside of the converted function, or hand such values to the generator by "
            "its `args`",
            origin=origin_of_caller(),
        )


def _is_of_graph(part: Any) -> bool:
    """Whether plain Python cannot read it: nor can it an array of the graph that is constant."""
    return has_traced(part) or (isinstance(part, Tensor) and part.is_traced)


def _held_by(part: Any, seen: set[int]) -> Iterator[Any]:
    """What the steps of a data set, their functions and arrays are made of."""
    if id(part) in seen:
        return
    seen.add(id(part))
    inner: Iterable[Any] = ()
    if isinstance(part, FUNCTIONS):
        inner = held_through(part, set())
    elif isinstance(part, (tuple, list)):
        inner = part
    elif type(part).__module__.startswith(_OURS):
        inner = [x for _, x in fields_of(part)]
    else:
        yield part
    for x in inner:
        yield from _held_by(x, seen)


_OURS = ("autograph.data.", "autograph.tf.data")
_WHY = "plain Python gives the elements of the data set"


def stacked(elements: Sequence[Any]) -> Any:
    """A batch of elements."""
    rows = [tree.leaves(element) for element in elements]
    shapes = list(map(np.shape, rows[0]))
    for number, row in enumerate(rows):
        check_alike(shapes, number, row)
    found = list(map(np.stack, zip(*rows, strict=True)))
    return tree.unflatten(tree.structure_of(elements[0]), found)


def spec_of_first(stage: Any) -> Any:
    """The spec of the first elements that plain Python gives; None for a size that differs.

    So may the number of rows of what is made of batches.
    """
    with trace.interpreting(Eager()):
        elements = list(itertools.islice(stage, 2))
    if not elements:
        raise TypeError("there is no element that would tell of what types and shapes all are")
    first = tree.map_structure(spec_of, elements[0])
    found = joined_spec(first, tree.map_structure(spec_of, elements[-1]))
    if not any(one.shape[:1] == (None,) for one in tree.leaves(stage.source.spec())):
        return found
    return tree.map_structure(
        lambda one: TensorSpec((None, *one.shape[1:]) if one.shape else (), one.dtype), found
    )


def in_parallel(mapped: Any) -> Iterator[Any]:
    """What a function gives for each element, in order; several threads call it."""
    waiting: deque[Any] = deque()
    at_once = mapped.at_once if mapped.at_once > 0 else os.cpu_count() or 1
    # It brings `logging` along, which the package is imported without.
    with import_module("concurrent.futures").ThreadPoolExecutor(at_once) as threads:
        try:
            for x in mapped.source:
                waiting.append(threads.submit(mapped.of, x))
                if len(waiting) > at_once:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


_END = object()


def ahead(elements: Iterator[Any], size: int) -> Iterator[Any]:
    """The elements, which a thread reads so many ahead; what it raises comes in its round."""
    # A queue that has its size is Python code, which takes several microseconds for an item.
    waiting: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    room: queue.SimpleQueue[None] = queue.SimpleQueue()
    stopped = threading.Event()
    for _ in range(size):
        room.put(None)

    def read() -> None:
        try:
            for x in elements:
                room.get()
                if stopped.is_set():
                    break
                waiting.put((x, None))
            waiting.put((_END, None))
        except BaseException as error:  # noqa: BLE001 - it is raised in its round
            waiting.put((_END, error))
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
            room.put(None)
            yield x
    finally:
        stopped.set()
        room.put(None)


def padded(elements: Sequence[Any], filling: tuple[Any, Any]) -> Any:
    """A batch of elements, each filled up to the shapes of `filling`, or to the largest of them."""
    rows = [tree.leaves(element) for element in elements]
    shapes, values = filling_of(filling, [(None,) * np.ndim(x) for x in rows[0]])
    found = []
    for column, wanted, value in zip(zip(*rows, strict=True), shapes, values, strict=True):
        largest = [max(sizes) for sizes in zip(*map(np.shape, column), strict=True)]
        shape = [most if n is None else n for n, most in zip(wanted, largest, strict=True)]
        found.append(like(column[0], np.stack([_filled_up(x, shape, value) for x in column])))
    return tree.unflatten(tree.structure_of(elements[0]), found)


def _filled_up(x: Any, shape: Sequence[int], value: Any) -> Any:
    array = x.numpy() if isinstance(x, Tensor) else np.asarray(x)
    check_fits(array.shape, shape)
    sizes = [(0, n - most) for most, n in zip(array.shape, shape, strict=True)]
    return np.pad(array, sizes, constant_values=value) if sizes else array


class Kept:
    """The elements of the first pass that came to its end."""

    def __init__(self) -> None:
        self._found: list[Any] = []

    def filled(self, elements: Iterable[Any]) -> Iterator[Any]:
        """The elements: those that are kept, or these, which are kept where all are taken."""
        if self._found:
            yield from self._found[0]
            return
        found = []
        for x in elements:
            found.append(x)
            yield x
        self._found[:] = self._found or [found]

    def rows(self, elements: Iterable[Any]) -> Rows:
        """The elements, all of which are taken now where none are kept."""
        if not is_staged():
            found = list(self.filled(elements))
            self._found[:] = [found]
            return Listed(found)
        _check_is_known(elements)
        with trace.interpreting(Eager()):
            nest = _of_one_shape(list(self.filled(elements)))
        return Slices(own(nest))


def _of_one_shape(elements: list[Any]) -> Any:
    shapes = {tuple(map(np.shape, tree.leaves(element))) for element in elements}
    if len(shapes) != 1:
        what = "no elements" if not elements else "elements of several shapes"
        raise StagingError(
            f"`cache` has {what}, which a graph cannot keep in arrays",
            "go through the data set outside of the converted function, or pad the elements",
            origin=origin_of_caller(),
        )
    return stacked(elements)
