"""How each op computes all lanes in one step.

A rule gets the number of lanes, the node as it was traced for one lane, and the operands, at least
one of them batched; it gives the batched result, or a tuple of them. Raising `Uneven`, or having no
rule, means one lane after the other. A rule of an op is one function here and one line in `RULES`.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

from runtime import ops, trace
from runtime.batching.lanes import Lane, Uneven, adapted, aligned, full, lane_type
from runtime.batching.subscripts import read, written
from runtime.graph.ir import Node
from runtime.ops.declaration.operands import shape_of
from runtime.spec import TensorType

__all__ = ["Rule", "rule_of"]

Rule = Callable[[Any, Node, Sequence[Lane]], Any]

# On Python numbers these raise where arrays give a value and a warning.
_DIVISIONS = frozenset(
    ("divide", "floor_divide", "remainder", "fmod", "pow", "power", "float_power")
)
# These take Python numbers as they are, whatever the dtype beside them.
_AS_GIVEN = frozenset(
    ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "where", "ldexp")
)


def rule_of(node: Node) -> Rule | None:
    """The rule for a node, None when there is none."""
    return elementwise if node.op.elementwise else RULES.get(node.op.name)


# ---- element by element ------------------------------------------------------------------------


def elementwise(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Lanes broadcast as their own shapes do."""
    weak = isinstance(out := node.outputs[0].type, TensorType) and out.weak
    if weak and node.op.name in _DIVISIONS:
        raise Uneven
    if node.op.name not in _AS_GIVEN:
        operands = [adapted(x, operands) for x in operands]
    elif node.op.name == "where":
        operands = [operands[0], *(adapted(x, operands[1:]) for x in operands[1:])]
    rank = max(x.rank for x in operands)
    return trace.apply(node.op, tuple(aligned(x, rank) for x in operands), node.attrs)


def same(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The op takes an array of any shape: the lanes at once."""
    return trace.apply(node.op, tuple(x.tensor for x in operands), node.attrs)


def cast_weak(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """`float(x)` and its kin: elements of the dtype that stands for the Python type."""
    out = node.outputs[0].type
    if not isinstance(out, TensorType) or node.can_raise:
        raise Uneven
    return ops.astype(operands[0].tensor, out.dtype)


def unchanged(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """What differs for a Python number only."""
    return operands[0].tensor


def chosen(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """One of two arrays of one type, by a condition per lane."""
    condition, x, y = operands
    rank = max(x.rank, y.rank)
    return ops.where(aligned(condition, rank), aligned(x, rank), aligned(y, rank))


# ---- along axes --------------------------------------------------------------------------------


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes of the batched array for axes of one lane; None means all."""
    if axis is None:
        return tuple(range(1, rank + 1))
    given = axis if isinstance(axis, tuple) else (axis,)
    return tuple(a % rank + 1 for a in given)


def _along(node: Node, x: Any, **attrs: Any) -> Any:
    return trace.apply(node.op, (x,), {**node.attrs, **attrs})


def reduction(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Over the same axes of each lane."""
    (x,) = operands
    if x.rank == 0:
        return _along(node, ops.expand_dims(x.tensor, 1), axis=(1,), keepdims=False)
    return _along(node, x.tensor, axis=_axes(node.attrs["axis"], x.rank))


def along_one(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Along one axis of each lane, or along the flattened lane."""
    (x,) = operands
    axis = node.attrs["axis"]
    if axis is None or x.rank == 0:
        if node.attrs.get("keepdims"):
            raise Uneven
        return _along(node, _flattened(size, x), axis=1)
    return _along(node, x.tensor, axis=axis % x.rank + 1)


def _flattened(size: Any, x: Lane) -> Any:
    return ops.reshape(x.tensor, (size, -1)) if x.rank != 1 else x.tensor


def flip(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The same axes of each lane."""
    (x,) = operands
    return _along(node, x.tensor, axis=_axes(node.attrs["axis"], x.rank))


def roll(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The same axes of each lane; without an axis, each lane flattened."""
    (x,) = operands
    axis = node.attrs["axis"]
    if axis is None:
        rolled = _along(node, _flattened(size, x), axis=1)
        return ops.reshape(rolled, (size, *shape_of(x.tensor)[1:]))
    axes = _axes(axis, x.rank)
    return _along(node, x.tensor, axis=axes if isinstance(axis, tuple) else axes[0])


def repeat(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """As often in each lane."""
    x, repeats = operands
    if repeats.batched:
        raise Uneven
    attrs = {**node.attrs, "axis": node.attrs["axis"] % x.rank + 1}
    return trace.apply(node.op, (x.tensor, repeats.tensor), attrs)


def concat(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Lane by lane."""
    axis = node.attrs["axis"] % operands[0].rank + 1
    parts = [full(adapted(x, operands), size) for x in operands]
    return trace.apply(node.op, tuple(parts), {**node.attrs, "axis": axis})


def stack(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Lane by lane, the new axis behind that of the lanes."""
    axis = node.attrs["axis"] % (operands[0].rank + 1) + 1
    parts = [full(x, size) for x in operands]
    return trace.apply(node.op, tuple(parts), {"axis": axis})


def diagonal(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Of the same two axes of each lane."""
    (x,) = operands
    one, two = (node.attrs[name] % x.rank + 1 for name in ("axis1", "axis2"))
    return _along(node, x.tensor, axis1=one, axis2=two)


# ---- shapes ------------------------------------------------------------------------------------


def _dims(node: Node, dims: Sequence[Lane]) -> list[Any]:
    """The sizes that attribute and operands of a shape give together."""
    if any(d.batched for d in dims):
        raise Uneven
    rest = iter(dims)
    return [next(rest).tensor if d is None else d for d in node.attrs["shape"]]


def reshape(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Each lane to the same shape."""
    return ops.reshape(operands[0].tensor, (size, *_dims(node, operands[1:])))


def broadcast(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Each lane to the same shape."""
    shape = _dims(node, operands[1:])
    return ops.broadcast_to(aligned(operands[0], len(shape)), (size, *shape))


def sum_to(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Each lane down to the same shape."""
    shape, x = _dims(node, operands[1:]), operands[0]
    extra = x.rank - len(shape)
    summed = ops.sum(x.tensor, axis=tuple(range(1, 1 + extra))) if extra else x.tensor
    return ops.sum_to(summed, (size, *shape))


def filled(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """An array of one value per lane."""
    shape, x = _dims(node, operands[1:]), operands[0]
    out = lane_type(Lane(None, True, node.outputs[0].type))
    spread = ops.broadcast_to(aligned(x, len(shape)), (size, *shape))
    return ops.copy(ops.astype(spread, out.dtype))


def expand_dims(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Axes are numbered in the result."""
    (x,) = operands
    axis = node.attrs["axis"]
    count = len(axis) if isinstance(axis, tuple) else 1
    return _along(node, x.tensor, axis=_axes(axis, x.rank + count))


def squeeze(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The same axes of each lane."""
    (x,) = operands
    axis = node.attrs["axis"] if x.rank else None
    if axis is None:
        shape = lane_type(x).shape
        if shape is None or None in shape:
            raise Uneven
        axis = tuple(i for i, n in enumerate(shape) if n == 1)
    return _along(node, x.tensor, axis=_axes(axis, x.rank))


def permute(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The same order in each lane."""
    (x,) = operands
    return _along(node, x.tensor, axes=(0, *_axes(node.attrs["axes"], x.rank)))


# ---- products and matrices ---------------------------------------------------------------------


def matmul(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Matrices of the lanes; vectors become matrices of one row or column."""
    x, y = operands
    left, right = x.tensor, y.tensor
    ranks = [max(o.rank, 2) for o in operands]
    if x.rank == 1:
        left = ops.expand_dims(left, -2)
    if y.rank == 1:
        right = ops.expand_dims(right, -1)
    rank = max(ranks)
    if x.batched and rank > ranks[0]:
        left = ops.expand_dims(left, tuple(range(1, 1 + rank - ranks[0])))
    if y.batched and rank > ranks[1]:
        right = ops.expand_dims(right, tuple(range(1, 1 + rank - ranks[1])))
    product = ops.matmul(left, right)
    dropped = tuple(axis for axis, o in ((-2, x), (-1, y)) if o.rank == 1)
    return ops.squeeze(product, dropped) if dropped else product


def _einsum(operands: Sequence[Lane], terms: Sequence[str], result: str) -> Any:
    used = set("".join(terms))
    letter = next(c for c in string.ascii_letters if c not in used)
    given = [letter + t if x.batched else t for x, t in zip(operands, terms, strict=True)]
    return ops.einsum(f"{','.join(given)}->{letter}{result}", *(x.tensor for x in operands))


def einsum(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """One more subscript for the lanes."""
    return _einsum(operands, node.attrs["terms"], node.attrs["result"])


def tensordot(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """As a sum over named subscripts."""
    x, y = operands
    ours, theirs = node.attrs["axes"]
    letters = iter(string.ascii_lowercase)
    left = [next(letters) for _ in range(x.rank)]
    right = [next(letters) for _ in range(y.rank)]
    for a, b in zip(ours, theirs, strict=True):
        right[b % y.rank] = left[a % x.rank]
    summed = {left[a % x.rank] for a in ours}
    result = "".join(c for c in (*left, *right) if c not in summed)
    return _einsum(operands, ("".join(left), "".join(right)), result)


def matrices(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Stacks of matrices are the op's own."""
    return trace.apply(node.op, (operands[0].tensor,), node.attrs)


def pseudo_inverse(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """A bound per lane is one per matrix."""
    x, bound = operands
    if not x.batched or (bound.batched and bound.rank != x.rank - 2):
        raise Uneven
    return trace.apply(node.op, (x.tensor, bound.tensor), node.attrs)


def transform(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """Along the same axis of each lane."""
    x, *sizes = operands
    if not x.batched or any(n.batched for n in sizes):
        raise Uneven
    attrs = {**node.attrs, "axis": node.attrs["axis"] % x.rank + 1}
    return trace.apply(node.op, (x.tensor, *(n.tensor for n in sizes)), attrs)


def solve(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """A vector on the right is a matrix of one column."""
    a, b = operands
    if b.rank == 1:
        solution = ops.linalg.solve(a.tensor, ops.expand_dims(b.tensor, -1))
        return ops.squeeze(solution, -1)
    rank = max(a.rank, b.rank)
    return trace.apply(node.op, (aligned(a, rank), aligned(b, rank)), node.attrs)


def items(size: Any, node: Node, operands: Sequence[Lane]) -> Any:
    """The op has an axis of items first, such as images: those of all lanes are its items."""
    shared = operands[1:] if node.op.name == "convolution" else []
    if any(x.batched for x in shared):
        raise Uneven
    mapped = [full(x, size) for x in operands[: len(operands) - len(shared)]]
    count = shape_of(mapped[0])[1]
    merged = [ops.reshape(x, (size * count, *shape_of(x)[2:])) for x in mapped]
    found = trace.apply(node.op, (*merged, *(x.tensor for x in shared)), node.attrs)
    return ops.reshape(found, (size, count, *shape_of(found)[1:]))


RULES: dict[str, Rule] = {
    **dict.fromkeys(("astype", "identity", "stop_gradient", "copy", "view", "zeros_of"), same),
    "strengthen": unchanged,
    "as_weak": cast_weak,
    "choose": chosen,
    **dict.fromkeys(
        ("sum", "mean", "prod", "var", "std", "max", "min", "any", "all", "count_nonzero"),
        reduction,
    ),
    **dict.fromkeys(("argmax", "argmin", "cumsum", "cumprod", "sort", "argsort"), along_one),
    "flip": flip,
    "roll": roll,
    "repeat": repeat,
    "concat": concat,
    "stack": stack,
    "diagonal": diagonal,
    "reshape": reshape,
    "broadcast_to": broadcast,
    "sum_to": sum_to,
    "full": filled,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "permute_dims": permute,
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), transform),
    "pinv": pseudo_inverse,
    "matmul": matmul,
    "einsum": einsum,
    "tensordot": tensordot,
    **dict.fromkeys(
        (
            "inv",
            "det",
            "slogdet",
            "cholesky",
            "eigh",
            "eigvalsh",
            "eig",
            "eigvals",
            "lu",
            "expm",
            "sqrtm",
            "svd",
            "svdvals",
            "qr",
        ),
        matrices,
    ),
    "solve": solve,
    **dict.fromkeys(
        ("convolution", "window_max", "window_sum", "window_argmax", "window_pick"), items
    ),
    **dict.fromkeys(("getitem", "getitem_array"), read),
    **dict.fromkeys(("index_update", "index_add"), written),
}
