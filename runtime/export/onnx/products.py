"""Products of arrays, convolutions and windows, in ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.table import operand_types, rank_of_value, result_dtype, writes
from runtime.graph.ir import Node
from runtime.ops.declaration.operands import normal_axes, normal_axis
from runtime.ops.signals.windows import Windows
from runtime.spec import TensorType

__all__: list[str] = []

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _summing_dtype(dtype: Any) -> Any:
    return np.dtype(np.int64) if dtype.kind in "iub" else dtype


@writes("matmul")
def _matmul(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    work = _summing_dtype(result_dtype(node))
    return emit("MatMul", x.to(work), y.to(work)).to(result_dtype(node))


def _einsum(emit: Emitter, node: Node, equation: str, *operands: Term) -> Term:
    work = _summing_dtype(result_dtype(node))
    found = emit("Einsum", *[x.to(work) for x in operands], equation=equation)
    return found.to(result_dtype(node))


@writes("tensordot")
def _tensordot(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    ranks = rank_of_value(node, 0), rank_of_value(node, 1)
    axes = node.attrs["axes"]
    if isinstance(axes, int):
        pairs = [(ranks[0] - axes + k, k) for k in range(axes)]
    else:
        sides = [a if isinstance(a, tuple) else (a,) for a in axes]
        left, right = (normal_axes(a, n) for a, n in zip(sides, ranks, strict=True))
        pairs = list(zip(left, right, strict=True))
    one = list(_LETTERS[: ranks[0]])
    other = list(_LETTERS[ranks[0] : ranks[0] + ranks[1]])
    for a, b in pairs:
        other[b] = one[a]
    gone = {one[a] for a, _ in pairs}
    kept = "".join(letter for letter in one + other if letter not in gone)
    return _einsum(emit, node, f"{''.join(one)},{''.join(other)}->{kept}", x, y)


@writes("vecdot")
def _vecdot(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    dtype = result_dtype(node)
    work = _summing_dtype(dtype)
    axis = node.attrs["axis"]
    rank = max(rank_of_value(node, 0), rank_of_value(node, 1))
    product = x.to(work) * y.to(work)
    return emit.total(product, [normal_axis(axis, rank)]).to(dtype)


@writes("einsum")
def _einsum_of(emit: Emitter, node: Node, *operands: Term) -> Term:
    terms, result = node.attrs["terms"], node.attrs["result"]
    names: dict[Any, str] = {}
    for letter in (x for term in (*terms, result) for x in term):
        names.setdefault(letter, _LETTERS[len(names)])
    sides = ["".join(names[x] for x in term) for term in (*terms, result)]
    return _einsum(emit, node, f"{','.join(sides[:-1])}->{sides[-1]}", *operands)


@writes("det")
def _det(emit: Emitter, node: Node, x: Term) -> Term:
    return emit("Det", x.to(result_dtype(node)))


# ---- windows: ours have channels last, ONNX' channels first --------------------------------------


def _channels_first(emit: Emitter, x: Term, rank: int) -> Term:
    return emit("Transpose", x, perm=[0, rank - 1, *range(1, rank - 1)])


def _channels_last(emit: Emitter, x: Term, rank: int) -> Term:
    return emit("Transpose", x, perm=[0, *range(2, rank), 1])


def _padding(padding: Any) -> dict[str, Any]:
    if padding == "same":
        return {"auto_pad": "SAME_UPPER"}
    if padding == "valid":
        return {}
    return {"pads": [side[0] for side in padding] + [side[1] for side in padding]}


@writes("convolution")
def _convolution(emit: Emitter, node: Node, x: Term, kernel: Term) -> Term:
    attrs, rank = node.attrs, rank_of_value(node)
    dtype = result_dtype(node)
    if dtype.kind != "f":
        raise refuse("a convolution of integers", "convert to floats")
    how = _padding(attrs["padding"])
    if attrs["padding"] == "same" and any(d != 1 for d in attrs["dilations"]):
        types = operand_types(node)
        sizes, window = (_known(t)[part] for t, part in zip(types, _SPATIAL, strict=True))
        how = _pads(_windows(node, sizes, window))
    kernel = _outermost(emit, kernel.to(dtype), rank)
    found = emit(
        "Conv", _channels_first(emit, x.to(dtype), rank), kernel, group=attrs["groups"],
        strides=attrs["strides"], dilations=attrs["dilations"], **how,
    )  # fmt: skip
    return _channels_last(emit, found, rank)


# Where the sizes of the spatial axes are, in the shape of an array and in that of a kernel.
_SPATIAL = (slice(1, -1), slice(None, -2))


def _known(type_: TensorType) -> tuple[int, ...]:
    """The shape but for the number of images; ValueError where it is not known."""
    shape = type_.shape
    if shape is None or None in shape[1:]:
        raise ValueError("the sizes of the windows are not known")
    return tuple(n or 0 for n in shape)


def _windows(node: Node, sizes: Sequence[int], window: Sequence[int]) -> Windows:
    attrs = node.attrs
    return Windows.over(sizes, window, attrs["strides"], attrs["padding"], attrs["dilations"])


def _pads(windows: Windows) -> dict[str, Any]:
    """How much is added at both ends of each axis, so that the windows lie where they do."""
    rows = zip(windows.shape, windows.needed, windows.before, strict=True)
    return {"pads": [*windows.before, *(max(needed - n - at, 0) for n, needed, at in rows)]}


def _outermost(emit: Emitter, kernel: Term, rank: int) -> Term:
    """A kernel whose features come first, then its channels."""
    return emit("Transpose", kernel, perm=[rank - 1, rank - 2, *range(rank - 2)])


@writes("convolution_input")
def _transposed_convolution(emit: Emitter, node: Node, g: Term, kernel: Term, *dims: Term) -> Term:
    attrs, rank, dtype = node.attrs, rank_of_value(node), result_dtype(node)
    if dtype.kind != "f":
        raise refuse("a convolution of integers", "convert to floats")
    if None in attrs["size"]:
        raise ValueError("the sizes of the result are not known")
    windows = _windows(node, attrs["size"], _known(operand_types(node)[1])[_SPATIAL[1]])
    rows = list(zip(windows.shape, windows.needed, windows.before, strict=True))
    found = emit(
        "ConvTranspose", _channels_first(emit, g.to(dtype), rank),
        _outermost(emit, kernel.to(dtype), rank), group=attrs["groups"],
        strides=attrs["strides"], dilations=attrs["dilations"], **_pads(windows),
    )  # fmt: skip
    # Elements behind the last window have no share in the result.
    missing = [max(n + at - needed, 0) for n, needed, at in rows]
    ends = emit.ints(*[0] * (rank + 2), *missing) if any(missing) else None
    whole = found if ends is None else emit("Pad", found, ends)
    return _channels_last(emit, whole, rank)


@writes("window_max", "window_sum")
def _window(emit: Emitter, node: Node, x: Term) -> Term:
    attrs, rank = node.attrs, rank_of_value(node)
    dtype = result_dtype(node)
    if dtype.kind != "f" or attrs["padding"] == "same" and any(d != 1 for d in attrs["dilations"]):
        raise refuse("windows of integers, or dilated ones that are padded", "convert to floats")
    is_max = node.op.name == "window_max"
    how = {} if is_max else {"count_include_pad": 1}
    found = emit(
        "MaxPool" if is_max else "AveragePool", _channels_first(emit, x.to(dtype), rank),
        kernel_shape=attrs["size"], strides=attrs["strides"], dilations=attrs["dilations"],
        **how, **_padding(attrs["padding"]),
    )  # fmt: skip
    found = _channels_last(emit, found, rank)
    return found if is_max else found * int(np.prod(attrs["size"]))
