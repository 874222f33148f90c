"""`vmap`: a function of one item as a function of many, in one graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType, TracebackType
from typing import Any

from autograph.functions import convert
from autograph.operators.calls.calls import converted_call
from autograph.operators.values.bodies import State, run_body
from autograph.operators.values.runs import Run
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from runtime import ops, trace
from runtime.batching.lanes import Lane, full
from runtime.batching.transform import batch
from runtime.building import Builder, building, traced
from runtime.devices import placing_like
from runtime.errors import StagingError
from runtime.ops.declaration.operands import shape_of, type_of
from runtime.process.caching import cached_property
from runtime.process.pickling import reduced
from runtime.spec import TensorType
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["vectorized_map", "vmap"]

Axes = int | None | Sequence[Any]
_NO_STATE = State(tuple, lambda values: None, ())


def vmap(f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0) -> Callable[..., Any]:
    """`f`, converted, applied along an axis of its arguments, in one graph without a loop.

    `in_axes` says which axis of each argument (an int, None for one that all share, or a sequence
    with an entry per argument; an entry may be a nest as its argument is); keyword arguments are
    mapped along axis 0. `out_axes` says where the mapped axis stands in the results. Control flow
    may differ from item to item: both branches are computed where items take both, and a loop runs
    until the last item is done, which leaves the others as they are. Equal to
    `np.stack([f(row) for row in x])`, errors and prints included; a Python number that differs from
    item to item is an int64 or float64 element, which wraps where the number would not.

    Raises ValueError when sizes along mapped axes differ, StagingError when `f` writes into objects
    outside of it or the shape of its result depends on data.

    >>> import autograph as ag
    >>> def steps(n):
    ...     count = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         count += 1
    ...     return count
    >>> ag.vmap(steps)(np.array([1, 7, 27]))
    array([  0,  16, 111])
    """
    return convert(_Mapped(f, in_axes, out_axes))


def vectorized_map(fn: Callable[..., Any], elems: Any) -> Any:
    """`fn` applied to each item along axis 0 of `elems`, a nest that `fn` takes as one argument.

    >>> import autograph as ag
    >>> ag.vectorized_map(lambda x: x.sum(), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    return vmap(fn)(elems)


class _Mapped:
    """What `vmap` converts: it traces the function once, for one item, and batches the graph."""

    def __init__(self, f: Callable[..., Any], in_axes: Axes, out_axes: Axes) -> None:
        functools.update_wrapper(self, f, updated=())
        self.function, self.in_axes, self.out_axes = f, in_axes, out_axes
        vars(self).pop("__wrapped__")  # its defaults are no arguments that are mapped

    def __reduce__(self) -> Any:
        return reduced(self, _Mapped, self.function, self.in_axes, self.out_axes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Item by item, as Python."""
        parts, structure, axes = self._parts(args, kwargs)
        size = _size(parts, axes, self._name)
        results = []
        for i in range(int(size)):
            items = [p if a is None else ops.take(p, i, axis=a) for p, a in _pairs(parts, axes)]
            one, named = tree.unflatten(structure, items)
            results.append(self.function(*one, **named))
        if not results:
            return self._of_nothing(args, kwargs)
        flat = [tree.leaves(r) for r in results]
        out = tree.structure_of(results[0])
        stacked = [
            column[0] if a is None else ops.stack(column, axis=a)
            for column, a in zip(zip(*flat, strict=True), _spread(self.out_axes, out), strict=True)
        ]
        return tree.unflatten(out, stacked)

    def _of_nothing(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Results for no items: their dtypes and shapes are those of a trace."""
        with trace.interpreting(Builder("no items")):
            result = self.__ag_call__(args, kwargs)
            types = tree.map_structure(type_of, result)
        return tree.map_structure(
            lambda t: ops.zeros(t.shape, dtype=t.dtype, device=t.device), types
        )

    @cached_property
    def _staged(self) -> Callable[..., Any]:
        """The function as it is called in a graph: what the user asks to map is converted."""
        is_plain = isinstance(self.function, (FunctionType, MethodType))
        return convert(self.function) if is_plain else self.function

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _parts(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], tree.Structure, list[int | None]]:
        given = self.in_axes
        several = isinstance(given, Sequence)
        if several and len(given) != len(args):  # type: ignore[arg-type]
            raise ValueError(
                f"in_axes has {len(given)} entries, but `{self._name}` "  # type: ignore[arg-type]
                f"is called with {len(args)} positional arguments"
            )
        entries = given if several else [given] * len(args)
        axes: list[int | None] = []
        for entry, arg in zip(entries, args, strict=True):  # type: ignore[arg-type]
            axes += _spread(entry, tree.structure_of(arg))
        parts, structure = tree.flatten((args, kwargs))
        axes += [0] * (len(parts) - len(axes))
        return parts, structure, axes

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """All items at once, in the graph that is being traced."""
        parent = building()
        if parent is None:
            return self(*args, **kwargs)
        parts, structure, axes = self._parts(args, kwargs)
        size = _size(parts, axes, self._name)
        fronted = [p if a is None else ops.moveaxis(p, a, 0) for p, a in _pairs(parts, axes)]
        body, leaves, out, used = self._trace_one(parent, fronted, structure, axes)
        values = [body.value_of(x) if isinstance(x, Tensor) else None for x in leaves]
        body.graph.outputs = [v for v in values if v is not None]
        captured = body.captured()
        body.graph.inputs = [*(v for v, _ in used), *(inner for _, inner in captured)]
        lanes = [Lane(fronted[i], True, v.type) for v, i in used]
        lanes += [Lane(traced(outer), False, inner.type) for outer, inner in captured]
        # Numbers of the host that all items share are put beside the items they meet.
        with placing_like(next(p for p, a in _pairs(fronted, axes) if a is not None)):
            found = iter(batch(size, body.graph, lanes))
        placed = [
            self._placed(x if v is None else next(found), a, size)
            for x, v, a in zip(leaves, values, _spread(self.out_axes, out), strict=True)
        ]
        return tree.unflatten(out, placed)

    def _trace_one(
        self, parent: Builder, fronted: list[Any], structure: tree.Structure, axes: list[int | None]
    ) -> tuple[Builder, list[Any], tree.Structure, list[tuple[Any, int]]]:
        """The graph of one item, the result, and the inputs with the arguments they are of."""
        scope = FunctionScope("vmap", "fscope", ConversionOptions(user_requested=True))
        used: list[tuple[Any, int]] = []
        errors: list[tuple[Exception, TracebackType | None]] = []

        def one(builder: Builder) -> Any:
            items = list(fronted)
            for i, (part, axis) in enumerate(_pairs(fronted, axes)):
                if axis is not None:
                    type_ = type_of(part)
                    assert type_.shape is not None
                    one = TensorType(type_.dtype, type_.shape[1:], device=type_.device)
                    value = builder.input(one)
                    used.append((value, i))
                    items[i] = traced(value)
            args, kwargs = tree.unflatten(structure, items)
            try:
                result = converted_call(self._staged, args, kwargs, scope)
            except Exception as error:
                errors.append((error, error.__traceback__))
                raise
            for value, i in used:
                if items[i].current()._value is not value:
                    raise StagingError(
                        f"`{self._name}` writes into an argument, an item of an array that `vmap` "
                        "maps over",
                        "write into a copy (`x = x.copy()`) and return it",
                    )
            return result

        outcome = run_body("item", parent, one, _NO_STATE)
        if outcome.raised:  # whatever the item: there is no result that could be batched
            error, place = errors[0]
            raise error.with_traceback(place)
        if outcome.writes:
            slot = next(iter(outcome.writes.values()))[0]
            raise StagingError(
                f"`{self._name}` changes `{slot.name}`, which all items of `vmap` share",
                "return the new value instead",
            )
        leaves, out = tree.flatten(outcome.result)
        leaves = [outcome.content(x) for x in leaves]
        return outcome.builder, leaves, out, used

    def _placed(self, x: Any, axis: int | None, size: Any) -> Any:
        """A result with the mapped axis where the caller wants it."""
        lane = x if isinstance(x, Lane) else None
        if axis is None:
            if lane is not None and lane.batched:
                raise ValueError(
                    f"out_axes is None for a result of `{self._name}` that differs between items"
                )
            return x if lane is None else lane.tensor
        if isinstance(x, Run):
            raise StagingError(
                f"`{self._name}` returns a list under `vmap` whose length depends on data, and so "
                "may differ from item to item",
                "return an array of the same shape for each, for example padded to the longest",
            )
        if lane is None:
            if not isinstance(x, (bool, int, float, complex)) and not hasattr(x, "dtype"):
                raise StagingError(
                    f"`{self._name}` returns {x!r} under `vmap`, which is no array",
                    "return arrays and numbers, or set out_axes to None for it",
                )
            lane = Lane(ops.asarray(x), False, type_of(x))
        return ops.moveaxis(full(lane, size), 0, axis)


def _pairs(parts: list[Any], axes: list[int | None]) -> Any:
    return zip(parts, axes, strict=True)


def _spread(axes: Any, structure: tree.Structure) -> list[int | None]:
    """An axis for each leaf of a nest; one int or None holds for all of them."""
    if axes is None or isinstance(axes, int):
        return [axes] * structure.size
    given, shape = tree.flatten(axes)
    if shape.size != structure.size or not all(a is None or isinstance(a, int) for a in given):
        raise ValueError(f"axes {axes!r} do not have the structure of what they are for")
    return given


def _size(parts: list[Any], axes: list[int | None], name: str) -> Any:
    """The common size of the mapped axes."""
    sizes = []
    for part, axis in _pairs(parts, axes):
        if axis is None:
            continue
        rank = type_of(part).rank
        if not rank or not -rank <= axis < rank:
            raise ValueError(
                f"`{name}` is mapped along axis {axis}, but an argument has {rank or 0} axes: "
                "set in_axes to None for what all items share"
            )
        sizes.append(shape_of(part)[axis])
    if not sizes:
        raise ValueError(f"`{name}` is mapped along no axis: all in_axes are None")
    known = {s for s in sizes if isinstance(s, int)}
    if len(known) > 1:
        raise ValueError(f"`{name}` is mapped along axes of different sizes: {sorted(known)}")
    return known.pop() if known else sizes[0]
