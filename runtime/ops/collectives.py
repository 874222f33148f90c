"""What processes that compute together exchange: ordered effects with gradients.

The gradient is that of the sum over ranks of what each rank differentiates: a rank gets what its
operand contributes to the results of all ranks. It is an exchange, too, so that all ranks take it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from runtime.devices import host_array
from runtime.dtypes import is_half_or_less, kind_of
from runtime.ops.declaration.declare import always, declared_as, no_gradient, op
from runtime.ops.declaration.operands import Array, Module, dtype_of, type_of
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.arithmetic import divide, multiply
from runtime.ops.elementwise.comparison import equal, less
from runtime.ops.elementwise.conversion import astype
from runtime.process.ranks import ranks
from runtime.spec import TensorType

__all__ = ["allgather", "allreduce", "allreduce_extreme", "barrier", "broadcast_from", "reduce_to",
           "sum_own_rows"]  # fmt: skip

# Arrays up to this many bytes are sent in one message: what it costs is not its bytes.
_SMALL = 1 << 20
_EXTREMES = {"max": np.maximum, "min": np.minimum}


# ---- dtypes --------------------------------------------------------------------------------------


def _summed_dtype(dtype: np.dtype[Any], reduce: str) -> np.dtype[Any]:
    """The dtype of a sum or mean over ranks; TypeError for what has none."""
    kind = kind_of(dtype)
    if kind not in "biufc":
        raise _no_numbers(dtype)
    if reduce == "mean":
        return dtype if kind in "fc" else np.dtype(np.float64)
    if kind == "b":
        raise TypeError(
            "the sum of bools over ranks is not defined: take op='max' (any), op='min' (all), or "
            "count them (`x.astype(int)`)"
        )
    return dtype


def _ordered(dtype: np.dtype[Any], reduce: str) -> np.dtype[Any]:
    kind = kind_of(dtype)
    if kind == "c":
        raise TypeError(f"complex numbers have no order: there is no {reduce} of them over ranks")
    if kind not in "biuf":
        raise _no_numbers(dtype)
    return dtype


def _no_numbers(dtype: np.dtype[Any]) -> TypeError:
    return TypeError(f"ranks exchange numbers, and this has the dtype {dtype}")


def _moved_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if kind_of(dtype) not in "biufc":
        raise _no_numbers(dtype)
    return dtype


def _alike(t: TensorType, dtype: np.dtype[Any]) -> TensorType:
    return TensorType(dtype, t.shape)


# ---- messages ------------------------------------------------------------------------------------


def _said(name: str, detail: str, arrays: Sequence[Any]) -> str:
    """What an exchange is, for all ranks to compare."""
    parts = ", ".join(f"{x.dtype}{list(x.shape)}" for x in arrays)
    return f"{name}({detail}) of {parts}" if parts else f"{name}({detail})"


def _on_host(arrays: Sequence[Any]) -> list[Any]:
    return [np.asarray(host_array(x)) for x in arrays]


def _in_messages(
    arrays: Sequence[Any], send: Callable[[Any], None], given: Sequence[np.dtype[Any]]
) -> list[Any]:
    """New arrays of the dtypes `given`, after `send` changed the messages that they were in."""
    found: list[Any] = [None] * len(arrays)
    for message, numbers in _messages(arrays):
        send(message)
        end = 0
        for number in numbers:
            shape, begin, end = arrays[number].shape, end, end + arrays[number].size
            part = message if len(numbers) == 1 else message[begin:end].copy()
            found[number] = part.reshape(shape).astype(given[number], copy=False)
    return found


def _messages(arrays: Sequence[Any]) -> Iterator[tuple[Any, list[int]]]:
    """Flat copies, small arrays of one dtype in one of them, with the numbers of the arrays."""
    together: dict[np.dtype[Any], list[int]] = {}
    for number, x in enumerate(arrays):
        if x.nbytes > _SMALL:
            yield x.flatten(), [number]
        else:
            together.setdefault(x.dtype, []).append(number)
    for numbers in together.values():
        parts = [arrays[number].ravel() for number in numbers]
        yield (parts[0].copy() if len(parts) == 1 else np.concatenate(parts)), numbers


def _results(xp: Module, found: Sequence[Any], arrays: Sequence[Any]) -> tuple[Any, ...]:
    """As an op gives them: scalars of rank 0, arrays where the operands are."""
    return tuple(
        x[()] if xp is np and not x.ndim else xp.asarray(x)
        for x, given in zip(found, arrays, strict=True)
    )


def _wire(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype that sums are computed in: MPI has no floats of 16 bits and less."""
    return np.dtype(np.float32) if is_half_or_less(dtype) else dtype


def _raw(x: Any) -> Any:
    """The memory of an array in a dtype that MPI has; it is only moved."""
    is_known = x.dtype.kind in "iufc" and not is_half_or_less(x.dtype)
    return x if is_known else x.view(f"u{x.dtype.itemsize}")


def _among_ranks(root: int) -> int:
    if not 0 <= root < ranks().size:
        raise ValueError(f"there is no rank {root}: the ranks are 0 to {ranks().size - 1}")
    return root


# ---- sums ----------------------------------------------------------------------------------------


def _sums(*types: TensorType, reduce: str) -> tuple[TensorType, ...]:
    return tuple(_alike(t, _summed_dtype(t.dtype, reduce)) for t in types)


def _back(name: str) -> Callable[..., tuple[Any, ...]]:
    """The rule of an exchange of several arrays: another one, of the cotangents that there are."""

    def vjp(g: Sequence[Any], out: Any, *arrays: Any, **attrs: Any) -> tuple[Any, ...]:
        pairs = enumerate(zip(g, arrays, strict=True))
        given = [k for k, (c, x) in pairs if c is not None and type_of(x).is_inexact]
        exchanged = declared_as(name)(*(g[k] for k in given), **attrs)
        found = dict(zip(given, exchanged, strict=True))
        return tuple(map(found.get, range(len(arrays))))

    return vjp


@op(
    inputs=None,
    infer=_sums,
    vjp=_back("allreduce"),
    effect="collective",
    raises=always,
    samples=lambda: (
        ((array((2, 3)),), {"reduce": "sum"}),
        ((array(3), array((), "f4"), 2), {"reduce": "mean"}),
        ((array((2, 0), "f2"), array(2, "c16"), array(2, "i4")), {"reduce": "mean"}),
        ((array(4, "u1"),), {"reduce": "sum"}),
    ),
)
def allreduce(
    xp: Module, *arrays: Array, reduce: Literal["sum", "mean"] = "sum"
) -> tuple[Array, ...]:
    """The sums, or means, over ranks of some arrays, in as few messages as there are dtypes.

    Integers of a sum wrap. Raises TypeError for sums of bools.
    """
    given = _on_host(arrays)
    dtypes = [_summed_dtype(x.dtype, reduce) for x in given]
    wide = [x.astype(_wire(dtype), copy=False) for x, dtype in zip(given, dtypes, strict=True)]
    group = ranks()

    def send(message: Any) -> None:
        group.sum(message)
        if reduce == "mean":
            np.divide(message, group.size, out=message)

    what = _said("allreduce", f"op={reduce!r}", given)
    return _results(xp, group.exchange(what, lambda: _in_messages(wide, send, dtypes)), arrays)


@op(
    inputs=None,
    infer=lambda *types, root: _sums(*types, reduce="sum"),
    vjp=_back("broadcast_from"),
    effect="collective",
    raises=always,
    samples=lambda: (((array((2, 3)), array((), "f4")), {"root": 0}),),
)
def reduce_to(xp: Module, *arrays: Array, root: int) -> tuple[Array, ...]:
    """The sums over ranks of some arrays at the rank `root`, zeros at the others."""
    given = _on_host(arrays)
    dtypes = [_summed_dtype(x.dtype, "sum") for x in given]
    wide = [x.astype(_wire(dtype), copy=False) for x, dtype in zip(given, dtypes, strict=True)]
    group, at = ranks(), _among_ranks(root)

    def send() -> list[Any]:
        return _in_messages(wide, lambda message: group.sum_at(message, at), dtypes)

    return _results(xp, group.exchange(_said("reduce", f"root={root}", given), send), arrays)


# ---- extremes ------------------------------------------------------------------------------------


def _extreme_back(g: Any, out: Any, x: Any, reduce: str) -> tuple[Any, ...]:
    """The gradient parted equally among the ranks that hold the extreme; nan counts as one."""
    if not type_of(x).is_inexact:
        return (None,)
    is_beyond = less(x, out) if reduce == "max" else less(out, x)
    chosen = astype(equal(is_beyond, False), dtype_of(g))
    total, ties = allreduce(g, chosen, reduce="sum")
    return (multiply(total, divide(chosen, ties)),)


@op(
    inputs=1,
    infer=lambda t, reduce: _alike(t, _ordered(t.dtype, reduce)),
    vjp=_extreme_back,
    reads=(0, "out"),
    effect="collective",
    raises=always,
    samples=lambda: (
        ((array((2, 3)),), {"reduce": "max"}),
        ((array((), "f4"),), {"reduce": "min"}),
        ((array(3, "?"),), {"reduce": "max"}),
        ((array(3, "i2"),), {"reduce": "min"}),
    ),
)
def allreduce_extreme(xp: Module, x: Array, reduce: Literal["max", "min"]) -> Array:
    """The largest, or smallest, element over ranks at each position; nan where one is nan."""
    (given,) = _on_host([x])
    wide = given.astype(_wire(_ordered(given.dtype, reduce)), copy=False)
    group = ranks()

    def send() -> list[Any]:
        choose = _EXTREMES[reduce]
        raw = [_raw(wide)]
        return _in_messages(raw, lambda message: group.extreme(message, choose), [raw[0].dtype])

    found = group.exchange(_said("allreduce", f"op={reduce!r}", [given]), send)
    as_given = [y.view(wide.dtype).astype(given.dtype, copy=False) for y in found]
    return _results(xp, as_given, [x])[0]


# ---- moving --------------------------------------------------------------------------------------


def _moved(*types: TensorType, root: int) -> tuple[TensorType, ...]:
    return tuple(_alike(t, _moved_dtype(t.dtype)) for t in types)


@op(
    inputs=None,
    infer=_moved,
    vjp=_back("reduce_to"),
    effect="collective",
    raises=always,
    samples=lambda: (
        ((array((2, 3)), array((), "f4"), 2), {"root": 0}),
        ((array(2, "c8"), array(2, "?"), array(2, "f2")), {"root": 0}),
    ),
)
def broadcast_from(xp: Module, *arrays: Array, root: int) -> tuple[Array, ...]:
    """The arrays that the rank `root` has; the others have some of the same dtypes and shapes.

    Raises ValueError where there is no such rank.
    """
    given = _on_host(arrays)
    dtypes = [_moved_dtype(x.dtype) for x in given]
    group, at = ranks(), _among_ranks(root)
    raw = list(map(_raw, given))

    def send() -> list[Any]:
        return _in_messages(raw, lambda m: group.broadcast(m, at), [x.dtype for x in raw])

    found = group.exchange(_said("broadcast", f"root={root}", given), send)
    return _results(xp, [x.view(t) for x, t in zip(found, dtypes, strict=True)], arrays)


def _rows_of_all(t: TensorType) -> TensorType:
    if t.shape == ():
        raise ValueError("rows are gathered of arrays of at least one axis")
    shape = None if t.shape is None else (None, *t.shape[1:])
    return TensorType(_moved_dtype(t.dtype), shape)


@op(
    inputs=1,
    infer=_rows_of_all,
    vjp=lambda g, out, x: (declared_as("sum_own_rows")(g, x),),
    reads=(0,),
    effect="collective",
    raises=always,
    samples=lambda: (((array((2, 3)),), {}), ((array(0, "f2"),), {}), ((array(2, "?"),), {})),
)
def allgather(xp: Module, x: Array) -> Array:
    """The rows of all ranks, one after the other; of each rank there may be another number."""
    (given,) = _on_host([x])
    group = ranks()
    raw = _raw(np.ascontiguousarray(given))

    def gather() -> Any:
        counts = group.counts(len(raw))
        found = np.empty((sum(counts), *raw.shape[1:]), raw.dtype)
        group.gather(raw, counts, found)
        return found

    found = group.exchange(_said("allgather", "", [given[:0]]), gather)
    return _results(xp, [found.view(_moved_dtype(given.dtype))], [x])[0]


@op(
    inputs=2,
    infer=lambda g, x: TensorType(_summed_dtype(g.dtype, "sum"), x.shape),
    vjp=lambda g, out, rows, x: (allgather(g), None),
    effect="collective",
    raises=always,
    samples=lambda: (((array((2, 3)), array((2, 3), salt=1)), {}),),
)
def sum_own_rows(xp: Module, rows: Array, x: Array) -> Array:
    """The sums over ranks of those `rows` that were gathered of this rank, as many as `x` has."""
    given, own = _on_host([rows, x])
    dtype = _summed_dtype(given.dtype, "sum")
    group = ranks()
    whole = given.astype(_wire(dtype), order="C")

    def sum_rows() -> Any:
        begin = sum(group.counts(len(own))[: group.rank])
        group.sum(whole)
        return whole[begin : begin + len(own)].astype(dtype)

    return _results(xp, [group.exchange(_said("allgather", "back", [given]), sum_rows)], [rows])[0]


@op(
    inputs=0,
    infer=lambda: (),
    vjp=no_gradient,
    effect="collective",
    raises=always,
    samples=lambda: (((), {}),),
)
def barrier(xp: Module) -> tuple[()]:
    """Wait until all ranks are here."""
    return ranks().exchange("barrier()", lambda: ())  # they have agreed on it
