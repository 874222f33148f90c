"""`Dataset`: elements that are gone through, in plain Python or as a loop of a graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from glob import glob
from typing import Any, TypeVar

import numpy as np

from autograph.data import stages
from autograph.data.elements import (
    as_component,
    as_components,
    leaves_of,
    nest_of,
    row_spec,
    shapes_of,
    spec_of,
    structure_of,
)
from autograph.data.elements import map_specs as _each
from autograph.data.orders import Orders
from autograph.data.rows import Counted, Slices
from autograph.data.stages import INFINITE, UNKNOWN, Stage
from runtime.spec import TensorSpec

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]

AUTOTUNE = -1
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = INFINITE, UNKNOWN
# Elements that a thread reads ahead where their number is left to us.
_AHEAD = 2

Self = TypeVar("Self", bound="Dataset")


class Dataset:
    """Elements, which are nests of arrays, and what is made of them; each loop begins a new pass.

    In a converted function a loop over a data set is one loop of the graph. Elements are of what
    the data set was made of: NumPy's arrays and numbers, or tensors.

    >>> import autograph as ag
    >>> import numpy as np
    >>> x, y = np.arange(6.0).reshape(3, 2), np.array([1, 0, 1])
    >>> for images, labels in ag.data.Dataset.from_tensor_slices((x, y)).batch(2):
    ...     print(images.shape, labels)
    (2, 2) [1 0]
    (1, 2) [1]
    """

    # What a component of an element is made of what the user gives.
    _component: Callable[[Any], Any] = staticmethod(as_component)

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    # ---- sources ---------------------------------------------------------------------------------

    @classmethod
    def from_tensor_slices(cls: type[Self], tensors: Any, name: str | None = None) -> Self:
        """The rows of arrays of one length, in the nest that they are in.

        >>> import autograph as ag
        >>> list(ag.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [0.5, 1.5]}))[1]
        {'a': np.int64(2), 'b': np.float64(1.5)}
        """
        nest = as_components(tensors, cls._component)
        shapes: list[Any] = [spec_of(x).shape for x in leaves_of(nest)]
        if not shapes or () in shapes or len({shape[0] for shape in shapes}) != 1:
            raise ValueError(f"slices are taken of arrays of one length, not of shapes {shapes}")
        return cls(stages.FromRows(Slices(nest), row_spec(_each(spec_of, nest))))

    @classmethod
    def from_tensors(cls: type[Self], tensors: Any, name: str | None = None) -> Self:
        """One element."""
        nest = as_components(tensors, cls._component)
        rows = Slices(_each(lambda x: x[None], nest))
        return cls(stages.FromRows(rows, _each(spec_of, nest)))

    @classmethod
    def from_generator(
        cls: type[Self],
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: tuple[Any, ...] = (),
        output_signature: Any = None,
        name: str | None = None,
    ) -> Self:
        """What `generator(*args)` gives to go through, called by plain Python in each pass.

        `output_signature` is a nest of `ag.TensorSpec`, with None for sizes that are not known:
        other elements raise TypeError in their round.

        >>> import autograph as ag
        >>> def count(n):
        ...     for i in range(n):
        ...         yield i, [i, i + 1]
        >>> spec = ag.TensorSpec((), "int64"), ag.TensorSpec((2,), "float64")
        >>> for i, x in ag.data.Dataset.from_generator(count, args=(2,), output_signature=spec):
        ...     print(i, x)
        0 [0. 1.]
        1 [1. 2.]
        """
        if output_signature is None:
            if output_types is None:
                raise TypeError(
                    "from_generator is told what its elements are: output_signature="
                    'ag.TensorSpec(shape, dtype), as ag.TensorSpec((None, 2), "float64"), or a '
                    "tuple or dict of these where elements are such"
                )
            output_signature = _signature(output_types, output_shapes)
        return cls(stages.FromPython(generator, args, output_signature, cls._component))

    @classmethod
    def range(
        cls: type[Self], *args: Any, output_type: Any = np.int64, name: str | None = None
    ) -> Self:
        """The numbers of `range(*args)`, int64 where nothing else is said."""
        numbers = range(*map(int, args))
        dtype = np.dtype(output_type)
        rows = Counted(len(numbers), numbers.start, numbers.step, dtype, cls._component)
        return cls(stages.FromRows(rows, TensorSpec((), dtype)))

    @classmethod
    def zip(cls: type[Self], *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """Tuples, or another nest, of elements: as many as the shortest of them has.

        >>> import autograph as ag
        >>> list(ag.data.Dataset.zip(ag.data.Dataset.range(3), ag.data.Dataset.range(5, 7)))
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        """
        nest = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = [part._stage for part in leaves_of(nest)]
        return cls(stages.Zipped(structure_of(nest), parts))

    @classmethod
    def counter(
        cls: type[Self], start: int = 0, step: int = 1, dtype: Any = np.int64,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The numbers from `start` on, `step` apart, without end."""
        stop = int(start) + int(step) * stages.ENDLESS
        return cls.range(start, stop, step, output_type=dtype)

    @classmethod
    def random(
        cls: type[Self], seed: Any = None, rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """Random int64 numbers below 2**32, without end: the same ones in each pass, or others."""
        orders = Orders(seed, bool(rerandomize_each_iteration))
        return cls.counter().map(lambda number: orders.below(2**32, number))

    @classmethod
    def list_files(
        cls: type[Self], file_pattern: Any, shuffle: bool | None = None, seed: Any = None,
        name: str | None = None,
    ) -> Self:  # fmt: skip
        """The names of the files of a pattern, or of several, in random order or sorted."""
        names = _files(file_pattern)
        found = cls.from_tensor_slices(names)
        return found.shuffle(len(names), seed) if shuffle is None or shuffle else found

    @classmethod
    def choose_from_datasets(
        cls: type[Self], datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Self:
        """The next element of the data set that is number `k`, for each `k` of `choice_dataset`.

        >>> import autograph as ag
        >>> Dataset = ag.data.Dataset
        >>> parts = [Dataset.range(0, 3), Dataset.range(10, 13)]
        >>> choice = Dataset.from_tensor_slices([0, 1, 1, 0])
        >>> [int(x) for x in Dataset.choose_from_datasets(parts, choice)]
        [0, 10, 11, 1]
        """
        never = np.zeros(len(datasets), np.bool_)
        return cls._picked(datasets, choice_dataset, never, stop_on_empty_dataset)

    @classmethod
    def _picked(cls: type[Self], datasets: Any, choice: Any, never: Any, stops: bool) -> Self:
        parts = [part._stage for part in datasets]
        return cls(stages.Picked(parts, choice._stage, never, bool(stops)))

    @classmethod
    def sample_from_datasets(
        cls: type[Self], datasets: Any, weights: Any = None, seed: Any = None,
        stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None,
    ) -> Self:  # fmt: skip
        """The next element of a data set that is drawn for each of them, by `weights`.

        Data sets of weight 0 give none, and nobody waits for their end.
        """
        chances = np.ones(len(datasets)) if weights is None else np.asarray(weights, np.float64)
        if chances.shape != (len(datasets),):
            raise ValueError(f"{len(datasets)} data sets are sampled by weights {weights}")
        limits = np.cumsum(chances)[:-1] / np.maximum(np.sum(chances), np.finfo(float).tiny)
        orders = Orders(seed, rerandomize_each_iteration is not False)
        drawn = cls.counter().map(
            lambda number: np.searchsorted(limits, orders.below(2**53, number) / 2.0**53, "right")
        )
        return cls._picked(datasets, drawn, chances <= 0, stop_on_empty_dataset)

    # ---- steps -----------------------------------------------------------------------------------

    def map(
        self: Self,
        map_func: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """What a function gives for each element; a tuple is several arguments.

        In a graph the function is converted, as a part of the loop. A function of texts, as names
        of files, is called by plain Python, in `num_parallel_calls` threads. Elements come in
        order, whatever `deterministic` says.
        """
        at_once = num_parallel_calls or 1
        return self._after(stages.Mapped(self._stage, map_func, self._component, at_once))

    def filter(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements for which a function gives true."""
        return self._after(stages.Filtered(self._stage, predicate))

    def take_while(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """The elements before the first one for which a function gives false."""
        return self._after(stages.TakenWhile(self._stage, predicate))

    def scan(
        self: Self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Self:
        """What `scan_func(state, element)` gives beside the next state, for each element.

        >>> import autograph as ag
        >>> list(ag.data.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x)))
        [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]
        """
        initial = as_components(initial_state, self._component)
        return self._after(stages.Scanned(self._stage, initial, scan_func, self._component))

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state of `state = reduce_func(state, element)`."""
        state = as_components(initial_state, self._component)
        for x in self:
            state = reduce_func(state, x)
        return as_components(state, self._component)

    def flat_map(self: Self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """The elements of the data sets that a function gives, one after the other."""
        return self._after(stages.Flat(self._stage, map_func))

    def interleave(
        self: Self,
        map_func: Callable[..., Any],
        cycle_length: int | None = None,
        block_length: int | None = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements of the data sets that a function gives, `block_length` of each in turn."""
        cycle = 1 if cycle_length is None or cycle_length == AUTOTUNE else cycle_length
        return self._after(
            stages.Interleaved(self._stage, map_func, _positive(cycle, "cycle_length"),
                               _positive(block_length or 1, "block_length"))
        )  # fmt: skip

    def batch(
        self: Self,
        batch_size: int,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """So many elements stacked; the last ones may be fewer, or are left out."""
        size = _positive(batch_size, "batch_size")
        return self._after(stages.Batched(self._stage, size, bool(drop_remainder)))

    def padded_batch(
        self: Self,
        batch_size: int,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """So many elements, filled up to one shape and stacked.

        `padded_shapes`: a shape for each component, None in it for the largest of a batch.
        """
        size, filling = _positive(batch_size, "batch_size"), (padded_shapes, padding_values)
        return self._after(stages.Padded(self._stage, size, filling, bool(drop_remainder)))

    def unbatch(self: Self, name: str | None = None) -> Self:
        """The rows of each element."""
        return self._after(stages.Unbatched(self._stage))

    def rebatch(
        self: Self, batch_size: int, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """Batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def unique(self: Self, name: str | None = None) -> Self:
        """Each element that was not there before; in a graph plain Python gives them."""
        return self._after(stages.Unique(self._stage))

    def group_by_window(
        self: Self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements of `reduce_func(key, window)`, of windows of elements of one key.

        A window has `window_size`, or `window_size_func(key)`, elements; the last ones have what is
        left. In a graph plain Python gives the elements.

        >>> import autograph as ag
        >>> numbers = ag.data.Dataset.range(7)
        >>> grouped = numbers.group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3)
        >>> [x.tolist() for x in grouped]
        [[0, 2, 4], [1, 3, 5], [6]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("group_by_window takes window_size, or window_size_func")
        size_of = window_size_func or (lambda key: window_size)
        return self._after(
            stages.Grouped(self._stage, (key_func, reduce_func, size_of), type(self), False)
        )

    def bucket_by_sequence_length(
        self: Self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Padded batches of elements of about one length: of the lengths between two boundaries."""
        bounds, sizes = np.asarray(bucket_boundaries), [int(n) for n in bucket_batch_sizes]
        if len(sizes) != len(bounds) + 1:
            raise ValueError(f"{len(bounds)} boundaries have {len(bounds) + 1} sizes of batches")
        if pad_to_bucket_boundary:
            raise NotImplementedError("batches are padded to their largest: give padded_shapes")

        def bucket(*x: Any) -> Any:
            return np.searchsorted(bounds, element_length_func(*x), "right")

        def batch(key: Any, window: Any) -> Any:
            if no_padding:
                return window.batch(max(sizes))
            return window.padded_batch(max(sizes), padded_shapes, padding_values)

        functions = bucket, batch, lambda key: sizes[int(key)]
        return self._after(stages.Grouped(self._stage, functions, type(self), bool(drop_remainder)))

    def window(
        self: Self,
        size: int,
        shift: int | None = None,
        stride: int = 1,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Data sets of `size` elements, `stride` apart; each begins `shift` after the one before.

        >>> import autograph as ag
        >>> pairs = ag.data.Dataset.range(5).window(2, shift=1, drop_remainder=True)
        >>> [x.tolist() for x in pairs.flat_map(lambda w: w.batch(2))]
        [[0, 1], [1, 2], [2, 3], [3, 4]]
        """
        size = _positive(size, "size")
        window = (size, _positive(shift or size, "shift"), _positive(stride, "stride"),
                  bool(drop_remainder))  # fmt: skip
        return self._after(stages.Windowed(self._stage, window, type(self)))

    def shuffle(
        self: Self,
        buffer_size: int,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """The elements in random order, each drawn from the next `buffer_size` of them.

        Each pass has another order where `reshuffle_each_iteration` is not False. The orders are
        those of an `ag.random.Generator(seed)`, the same in eager code and in graphs.
        """
        size = _positive(buffer_size, "buffer_size")
        orders = Orders(seed, reshuffle_each_iteration is not False)
        return self._after(stages.Shuffled(self._stage, size, orders))

    def repeat(self: Self, count: int | None = None, name: str | None = None) -> Self:
        """All elements, `count` times; without end for None or -1."""
        times = None if count is None or count < 0 else int(count)
        return self._after(stages.Repeated(self._stage, times))

    def take(self: Self, count: int, name: str | None = None) -> Self:
        """The first `count` elements; all for -1."""
        return self._after(stages.Taken(self._stage, _limit(count)))

    def skip(self: Self, count: int, name: str | None = None) -> Self:
        """The elements after the first `count`; none for -1."""
        return self._after(stages.Skipped(self._stage, _limit(count)))

    def shard(self: Self, num_shards: int, index: int, name: str | None = None) -> Self:
        """Each `num_shards`-th element, from number `index` on."""
        if not 0 <= index < num_shards:
            raise ValueError(f"index {index} is none of {num_shards} shards")
        return self._after(stages.Sharded(self._stage, int(num_shards), int(index)))

    def enumerate(self: Self, start: int = 0, name: str | None = None) -> Self:
        """Pairs of a number from `start` on, int64, and the element."""
        numbers = self.range(int(start), 2**62)
        return self.zip(numbers, self)

    def concatenate(self: Self, dataset: Any, name: str | None = None) -> Self:
        """The elements of this one, then those of another."""
        return self._after(stages.Concatenated(self._stage, dataset._stage))

    def cache(self: Self, filename: str = "", name: str | None = None) -> Self:
        """The elements of the first pass that comes to its end, kept in memory.

        Those of what is in memory, in one order, are all made when the first pass begins.
        """
        if filename:
            raise NotImplementedError(
                "a data set is cached in memory: leave the name of a file out"
            )
        if stages.is_count(self._stage.cardinality(), INFINITE):
            return self  # no pass comes to an end
        return self._after(stages.Cached(self._stage))

    def prefetch(self: Self, buffer_size: int, name: str | None = None) -> Self:
        """The elements, of which a thread reads so many ahead where plain Python gives them."""
        size = _AHEAD if buffer_size == AUTOTUNE else int(buffer_size)
        return self._after(stages.Prefetched(self._stage, size)) if size else self

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """What a function makes of this data set."""
        return transformation_func(self)

    def with_options(self: Self, options: Any, name: str | None = None) -> Self:
        """The same: options of TensorFlow's say how fast elements come, not which."""
        return self

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def element_spec(self) -> Any:
        """The nest of `ag.TensorSpec` of an element."""
        return self._stage.spec()

    def cardinality(self) -> Any:
        """The number of elements; `INFINITE_CARDINALITY`, or `UNKNOWN_CARDINALITY`."""
        return self._stage.cardinality()

    def rows(self) -> Any:
        """The elements by their numbers, where the data set has them so; else None."""
        return self._stage.rows()

    def as_numpy_iterator(self) -> Iterator[Any]:
        """The elements as arrays and numbers of NumPy's."""
        for x in self:
            yield _each(np.asarray, x) if isinstance(x, (tuple, dict)) else np.asarray(x)[()]

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; ValueError where there is none, or more of them."""
        elements = iter(self)
        try:
            found = next(elements)
        except StopIteration:
            raise ValueError("the data set has no element") from None
        for _ in elements:
            raise ValueError("the data set has more than one element")
        return found

    def __len__(self) -> int:
        count = self._stage.cardinality()
        if count == INFINITE:
            raise TypeError("the data set has no end")
        if count == UNKNOWN:
            raise TypeError("the length of the data set is unknown before it is gone through")
        return count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stage)

    def __ag_iter__(self) -> Iterator[Any]:
        """What `iter` gives in a graph, which asks it for each element."""
        return self._stage.one_by_one()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {type(self._stage).__name__.lower()} elements>"

    def _after(self: Self, stage: Stage) -> Self:
        return type(self)(stage)


class _Unserved:
    """Stands for a method of TensorFlow's that is not there; says what is."""

    def __init__(self, name: str, advice: str) -> None:
        self.name, self.advice = name, advice

    def __get__(self, data_set: Any, owner: type) -> Any:
        raise AttributeError(f"data sets have no `{self.name}`: {self.advice}")


_FILES = "keep its elements by NumPy: np.savez(file, *arrays), from_tensor_slices(np.load(file))"
_RAGGED = "batches are arrays of one shape: padded_batch fills elements up"
_UNSERVED = {
    "save": _FILES, "load": _FILES, "snapshot": f"`cache` keeps elements in memory; {_FILES}",
    "ragged_batch": _RAGGED, "sparse_batch": _RAGGED, "dense_to_ragged_batch": _RAGGED,
    "dense_to_sparse_batch": _RAGGED, "from_sparse_tensor_slices": "tensors are dense",
    "rejection_resample": "weigh data sets of a class each: sample_from_datasets(parts, weights)",
    "ignore_errors": "catch them in the function of `map`, and `filter` what it gives then",
    "options": "there are none", "make_one_shot_iterator": "iter(data_set)",
    "make_initializable_iterator": "iter(data_set)", "fingerprint": "there is none",
    "map_with_legacy_function": "use map", "filter_with_legacy_function": "use filter",
    "shuffle_and_repeat": "data_set.shuffle(n).repeat()",
    "map_and_batch": "data_set.map(function).batch(n)",
    "assert_cardinality": "len(data_set) is known where its steps tell, else -2",
}  # fmt: skip
for _name, _advice in _UNSERVED.items():
    setattr(Dataset, _name, _Unserved(_name, _advice))


def _files(pattern: Any) -> list[str]:
    patterns = [pattern] if isinstance(pattern, (str, os.PathLike)) else list(pattern)
    found = sorted({name for one in patterns for name in glob(os.fspath(one))})
    if not found:
        raise ValueError(f"no file is of the pattern {pattern}")
    return found


def _limit(count: Any) -> Any:
    """A number of elements; -1 stands for all."""
    return stages.ENDLESS if count < 0 else count


def _positive(x: Any, name: str) -> int:
    if int(x) < 1:
        raise ValueError(f"{name} is at least 1, not {x}")
    return int(x)


def _signature(types: Any, shapes: Any) -> Any:
    parts = leaves_of(types)
    sizes = [None] * len(parts) if shapes is None else shapes_of(shapes, len(parts))
    if None in sizes:
        raise TypeError(
            "from_generator needs output_shapes beside output_types, as (None, 2): or give "
            'output_signature=ag.TensorSpec((None, 2), "float64")'
        )
    specs = [TensorSpec(s, t) for s, t in zip(sizes, parts, strict=True)]
    return nest_of(structure_of(types), specs)
