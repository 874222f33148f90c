"""Changing the shape of an array, broadcasting, and moving its axes."""

from __future__ import annotations

from typing import Any

from runtime.ops.declare import implements, op
from runtime.ops.inference import size_of
from runtime.ops.internal import identity
from runtime.ops.operands import (
    Array,
    Axes,
    Module,
    Operand,
    decode_shape,
    encode_shape,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.samples import array, calls
from runtime.spec import Dim, Shape, TensorType, broadcast_shapes

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "copy",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "reshape",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "sum_to",
    "swapaxes",
    "transpose",
]


def _shown(shape: Shape) -> str:
    return str(shape).replace("None", "?")


# ---- sizes -------------------------------------------------------------------------------------


@implements("shape", samples=calls(((array((2, 3)),), {}), ((2.0,), {})))
def shape(x: Operand, /) -> tuple[Any, ...]:
    """Size of each axis of `x`; one that is known only at run time is an integer tensor.

    >>> ag.shape(np.zeros((2, 3)))
    (2, 3)
    """
    return shape_of(x)


@implements("ndim", samples=calls(((array((2, 3)),), {}), ((2.0,), {})))
def ndim(x: Operand, /) -> int:
    """Number of axes of `x`.

    >>> ag.ndim(np.zeros((2, 3)))
    2
    """
    return rank_of(x)


@implements("size", samples=calls(((array((2, 3)),), {}), ((array((2, 3)), 1), {})))
def size(x: Operand, /, axis: int | None = None) -> Any:
    """Number of elements of `x`, all or along one axis.

    >>> ag.size(np.zeros((2, 3)))
    6
    """
    sizes = shape_of(x)
    if axis is not None:
        return sizes[normal_axis(axis, len(sizes))]
    result: Any = 1
    for n in sizes:
        result = result * n
    return result


# ---- reshape -----------------------------------------------------------------------------------


def _reshaped(x: TensorType, *dims: TensorType, shape: tuple[Dim, ...]) -> TensorType:
    if sum(n == -1 for n in shape) > 1:
        raise ValueError("can only specify one unknown dimension")
    size = size_of(x.shape)
    if size is None or None in shape:
        return TensorType(x.dtype, tuple(None if n == -1 else n for n in shape))
    rest = size_of(tuple(n for n in shape if n != -1)) or 0
    fits = rest == size if -1 not in shape else rest > 0 and size % rest == 0
    if not fits:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return TensorType(x.dtype, tuple(size // rest if n == -1 else n for n in shape))


def _reshape_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return size_of(types[0].shape) is None or None in attrs["shape"]


def _reshape_vjp(g: Any, out: Any, x: Any, *dims: Any, shape: Any) -> tuple[Any, ...]:
    return (reshape(g, shape_of(x)), *(None for _ in dims))


@op(
    inputs=None,
    infer=_reshaped,
    vjp=_reshape_vjp,
    raises=_reshape_raises,
    view=True,
    samples=calls(
        ((array((2, 3)),), {"shape": (3, 2)}),
        ((array((2, 3), "c16"),), {"shape": (-1,)}),
        ((array((2, 3)), 3), {"shape": (None, -1)}),
        ((array((0, 3), "f4"),), {"shape": (3, 0)}),
        ((array(()),), {"shape": (1, 1)}),
        ((array((1,), "i8"),), {"shape": ()}),
        ((2.5,), {"shape": (1,)}),
    ),
    name="reshape",
)
def reshape_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """The elements of `x` in C order under another shape; None takes the next of `dims`."""
    return xp.reshape(xp.asarray(x), decode_shape(shape, dims))


@implements(
    "reshape",
    samples=calls(((array((2, 3)), (3, 2)), {}), ((array((2, 3)), -1), {})),
)
def reshape(x: Operand, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    """The elements of `x` in C order under another shape; one size may be -1.

    Sizes may be integer tensors. Raises ValueError when the number of elements differs.

    >>> ag.reshape(np.arange(6), (3, -1)).tolist()
    [[0, 1], [2, 3], [4, 5]]
    """
    if order != "C":
        raise NotImplementedError("only order='C' is supported")
    static, dims = encode_shape(shape)
    result = reshape_(x, *dims, shape=static)
    return _copied(result) if copy else result


@op(
    inputs=1,
    infer=lambda x: x.strong(),
    vjp=lambda g, out, x: (g,),
    numpy=("copy",),
    samples=calls(((array((2, 3)),), {}), ((array(()),), {}), ((array((0,), "f4"),), {})),
)
def copy(xp: Module, x: Array) -> Array:
    """An array with the content of `x` that shares nothing with it.

    >>> ag.copy(np.array([1.0, 2.0])).numpy()
    array([1., 2.])
    """
    return xp.array(x)


_copied = copy


@implements("ravel", samples=calls(((array((2, 3)),), {}), ((array(()),), {})))
def ravel(x: Operand, /, order: str = "C") -> Any:
    """The elements of `x` in C order, along one axis.

    >>> ag.ravel(np.array([[1, 2], [3, 4]])).numpy()
    array([1, 2, 3, 4])
    """
    return reshape(x, (-1,), order)


# ---- axes of size 1 ----------------------------------------------------------------------------


def _expanded(x: TensorType, axis: Any) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    count = len(axis) if isinstance(axis, tuple) else 1
    axes = normal_axes(axis, len(x.shape) + count)
    sizes = iter(x.shape)
    shape = tuple(1 if i in axes else next(sizes) for i in range(len(x.shape) + count))
    return TensorType(x.dtype, shape)


def _expand_written(parent: Any, part: Any, axis: Any) -> Any:
    return squeeze(part, axis)


def _expand_vjp(g: Any, out: Any, x: Any, axis: Any) -> tuple[Any]:
    return (squeeze(g, axis),)


@op(
    inputs=1,
    infer=_expanded,
    vjp=_expand_vjp,
    view=True,
    numpy=("expand_dims",),
    samples=calls(
        ((array((2, 3)),), {"axis": 0}),
        ((array((2, 3)),), {"axis": (0, -1)}),
        ((array(()),), {"axis": 0}),
        ((array((0,), "f4"),), {"axis": -1}),
        ((1.5,), {"axis": 0}),
    ),
    write_through=_expand_written,
)
def expand_dims(xp: Module, x: Array, axis: Axes) -> Array:
    """`x` with axes of size 1 at the places `axis` of the result; a view.

    >>> ag.expand_dims(np.array([1, 2]), 0).tolist()
    [[1, 2]]
    """
    return xp.expand_dims(xp.asarray(x), axis)


def _squeezed_axes(shape: tuple[Dim, ...], axis: Any) -> tuple[int, ...]:
    axes = tuple(i for i, n in enumerate(shape) if n == 1) if axis is None else axis
    axes = normal_axes(axes, len(shape))
    if any(shape[i] not in (1, None) for i in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return axes


def _squeezed(x: TensorType, axis: Any) -> TensorType:
    if x.shape is None or (axis is None and None in x.shape):
        return TensorType(x.dtype, None)
    axes = _squeezed_axes(x.shape, axis)
    return TensorType(x.dtype, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def _unsqueezed(part: Any, parent: Any, axis: Any) -> Any:
    if axis is None:
        return reshape(part, shape_of(parent))
    return expand_dims(part, normal_axes(axis, rank_of(parent)))


@op(
    inputs=1,
    infer=_squeezed,
    vjp=lambda g, out, x, axis: (_unsqueezed(g, x, axis),),
    raises=lambda types, attrs: attrs["axis"] is not None and not types[0].is_static,
    view=True,
    numpy=("squeeze",),
    samples=calls(
        ((array((1, 3, 1)),), {}),
        ((array((1, 3, 1)),), {"axis": 0}),
        ((array((1, 3, 1), "f4"),), {"axis": (-1, 0)}),
        ((array((1, 0), "i8"),), {"axis": 0}),
        ((array(()),), {}),
    ),
    write_through=lambda parent, part, axis: _unsqueezed(part, parent, axis),
)
def squeeze(xp: Module, x: Array, axis: Axes = None) -> Array:
    """`x` without the axes `axis` of size 1 (None: all such axes); a view.

    Raises ValueError when such an axis has another size.

    >>> ag.squeeze(np.array([[1, 2]]), 0).numpy()
    array([1, 2])
    """
    return xp.squeeze(xp.asarray(x), axis)


def _atleast(name: str, count: int) -> Any:
    def atleast(*arrays: Operand) -> Any:
        results = tuple(_padded(x, count) for x in arrays)
        return results[0] if len(results) == 1 else results

    atleast.__name__ = atleast.__qualname__ = name
    atleast.__doc__ = f"""Each of the arrays with at least {count} axes.

    >>> ag.{name}(1.0).ndim
    {count}
    """
    sample = calls(((array(()),), {}), ((array((3,)),), {}), ((array((2, 3)),), {}))
    return implements(name, samples=sample)(atleast)


def _padded(x: Operand, count: int) -> Any:
    rank = rank_of(x)
    if rank >= count:
        return identity(x)
    # NumPy makes an (n,) array (1, n, 1) and an (m, n) array (m, n, 1).
    places: tuple[int, ...] = tuple(range(count - rank))
    if count == 3 and rank:
        places = (0, 2) if rank == 1 else (2,)
    return expand_dims(x, places)


atleast_1d = _atleast("atleast_1d", 1)
atleast_2d = _atleast("atleast_2d", 2)
atleast_3d = _atleast("atleast_3d", 3)


# ---- order of axes -----------------------------------------------------------------------------


def _permuted(x: TensorType, axes: tuple[int, ...]) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, (None,) * len(axes))
    if len(axes) != len(x.shape):
        raise ValueError("axes don't match array")
    order = normal_axes(axes, len(x.shape))
    return TensorType(x.dtype, tuple(x.shape[i] for i in order))


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    order = normal_axes(axes, len(axes))
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permute_vjp(g: Any, out: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any]:
    return (permute_dims(g, _inverse(axes)),)


def _permute_written(parent: Any, part: Any, axes: tuple[int, ...]) -> Any:
    return permute_dims(part, _inverse(axes))


@op(
    inputs=1,
    infer=_permuted,
    vjp=_permute_vjp,
    view=True,
    numpy=("permute_dims",),
    samples=calls(
        ((array((2, 3)),), {"axes": (1, 0)}),
        ((array((2, 3, 4)),), {"axes": (2, 0, -2)}),
        ((array((0, 3), "f4"),), {"axes": (1, 0)}),
        ((array(()),), {"axes": ()}),
    ),
    write_through=_permute_written,
)
def permute_dims(xp: Module, x: Array, axes: tuple[int, ...]) -> Array:
    """`x` with its axes in the order `axes`; a view.

    >>> ag.permute_dims(np.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return xp.transpose(xp.asarray(x), axes)


@implements(
    "transpose",
    samples=calls(((array((2, 3)),), {}), ((array((2, 3, 4)), (1, 0, 2)), {}), ((array(()),), {})),
)
def transpose(x: Operand, /, axes: Any = None) -> Any:
    """`x` with its axes in the order `axes`, by default reversed; a view.

    >>> ag.transpose(np.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    return permute_dims(x, tuple(reversed(range(rank_of(x)))) if axes is None else tuple(axes))


@implements("matrix_transpose", samples=calls(((array((2, 3, 4)),), {})))
def matrix_transpose(x: Operand, /) -> Any:
    """`x` with its last two axes exchanged; a view.

    >>> ag.matrix_transpose(np.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    if rank_of(x) < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {rank_of(x)}")
    return swapaxes(x, -1, -2)


@implements("swapaxes", samples=calls(((array((2, 3, 4)), 0, -1), {})))
def swapaxes(x: Operand, /, axis1: int, axis2: int) -> Any:
    """`x` with two axes exchanged; a view.

    >>> ag.swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    rank = rank_of(x)
    i, j = normal_axis(axis1, rank), normal_axis(axis2, rank)
    order = list(range(rank))
    order[i], order[j] = j, i
    return permute_dims(x, tuple(order))


@implements(
    "moveaxis",
    samples=calls(((array((2, 3, 4)), 0, -1), {}), ((array((2, 3, 4)), (0, 1), (2, 0)), {})),
)
def moveaxis(x: Operand, /, source: Axes, destination: Axes) -> Any:
    """`x` with the axes `source` moved to the places `destination`; a view.

    >>> ag.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    rank = rank_of(x)
    sources, targets = normal_axes(source, rank), normal_axes(destination, rank)
    if len(sources) != len(targets):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [i for i in range(rank) if i not in sources]
    for target, moved in sorted(zip(targets, sources, strict=True)):
        order.insert(target, moved)
    return permute_dims(x, tuple(order))


# ---- order of elements -------------------------------------------------------------------------


def _flipped(x: TensorType, axis: Any) -> TensorType:
    if x.shape is not None:
        normal_axes(axis, len(x.shape))
    return x.strong()


def _flip_vjp(g: Any, out: Any, x: Any, axis: Any) -> tuple[Any]:
    return (flip(g, axis),)


def _flip_written(parent: Any, part: Any, axis: Any) -> Any:
    return flip(part, axis)


@op(
    inputs=1,
    infer=_flipped,
    vjp=_flip_vjp,
    view=True,
    numpy=("flip",),
    samples=calls(
        ((array((2, 3)),), {}),
        ((array((2, 3)),), {"axis": 1}),
        ((array((2, 3, 2), "f4"),), {"axis": (0, -1)}),
        ((array((0,), "i8"),), {"axis": 0}),
    ),
    write_through=_flip_written,
)
def flip(xp: Module, x: Array, axis: Axes = None) -> Array:
    """`x` with the elements along `axis` (None: along all axes) in reverse order; a view.

    >>> ag.flip(np.array([1, 2, 3])).numpy()
    array([3, 2, 1])
    """
    return xp.flip(xp.asarray(x), axis)


@implements("flipud", samples=calls(((array((2, 3)),), {})))
def flipud(x: Operand, /) -> Any:
    """`x` reversed along its first axis; a view.

    >>> ag.flipud(np.array([1, 2, 3])).numpy()
    array([3, 2, 1])
    """
    return flip(x, 0)


@implements("fliplr", samples=calls(((array((2, 3)),), {})))
def fliplr(x: Operand, /) -> Any:
    """`x` reversed along its second axis; a view.

    >>> ag.fliplr(np.array([[1, 2, 3]])).tolist()
    [[3, 2, 1]]
    """
    return flip(x, 1)


@implements(
    "rot90",
    samples=calls(
        *(((array((2, 3)), k), {}) for k in range(-1, 4)), ((array((2, 3, 2)), 1, (1, 2)), {})
    ),
)
def rot90(x: Operand, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """`x` turned `k` times by 90 degrees in the plane of `axes`, from the first to the second.

    >>> ag.rot90(np.array([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    turns = k % 4
    if turns == 0:
        return identity(x)
    if turns == 2:
        return flip(x, axes)
    if turns == 1:
        return swapaxes(flip(x, axes[1]), *axes)
    return flip(swapaxes(x, *axes), axes[1])


# ---- broadcasting ------------------------------------------------------------------------------


def _broadcast(x: TensorType, *dims: TensorType, shape: tuple[Dim, ...]) -> TensorType:
    if x.shape is not None and len(x.shape) > len(shape):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for n, m in zip(reversed(x.shape or ()), reversed(shape), strict=False):
        if n not in (1, None) and m not in (n, None):
            raise ValueError(f"cannot broadcast shape {_shown(x.shape)} to {_shown(shape)}")
    return TensorType(x.dtype, shape)


def _broadcast_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return not types[0].is_static or None in attrs["shape"]


def _read_only(parent: Any, part: Any, *dims: Any, shape: Any) -> Any:
    raise ValueError("assignment destination is read-only: it was made by broadcasting")


@op(
    inputs=None,
    infer=_broadcast,
    vjp=lambda g, out, x, *dims, shape: (sum_to(g, shape_of(x)), *(None for _ in dims)),
    raises=_broadcast_raises,
    view=True,
    samples=calls(
        ((array((3,)),), {"shape": (2, 3)}),
        ((array((2, 1), "c16"),), {"shape": (2, 3)}),
        ((array((2, 1)), 2), {"shape": (None, 3)}),
        ((array(()),), {"shape": (2,)}),
        ((array((1, 3), "f4"),), {"shape": (0, 3)}),
        ((1.5,), {"shape": (2,)}),
    ),
    name="broadcast_to",
    write_through=_read_only,
)
def broadcast_to_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """`x` broadcast to a shape, read-only; None takes the next of `dims`."""
    return xp.broadcast_to(xp.asarray(x), decode_shape(shape, dims))


@implements(
    "broadcast_to",
    samples=calls(((array((3,)), (2, 3)), {}), ((array(()), 2), {}), ((array((2, 1)), (2, 0)), {})),
)
def broadcast_to(x: Operand, /, shape: Any) -> Any:
    """`x` broadcast to `shape`, whose sizes may be integer tensors; read-only.

    Raises ValueError when the shapes do not fit.

    >>> ag.broadcast_to(np.array([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    static, dims = encode_shape(shape)
    return broadcast_to_(x, *dims, shape=static)


@implements(
    "broadcast_arrays",
    samples=calls(((array((3,)), array((2, 1))), {})),
)
def broadcast_arrays(*arrays: Operand) -> tuple[Any, ...]:
    """The arrays broadcast against each other.

    >>> [x.shape for x in ag.broadcast_arrays(np.zeros(3), np.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    shape = broadcast_shape(*arrays)
    return tuple(broadcast_to(x, shape) for x in arrays)


def broadcast_shape(*arrays: Operand) -> tuple[Any, ...]:
    """Shape of the arrays broadcast together; a size known only at run time is a tensor."""
    static = broadcast_shapes(*(type_of(x).shape for x in arrays))
    if static is None:
        raise ValueError("this operation needs the number of axes, which is not known here")
    shapes = [shape_of(x) for x in arrays]
    return tuple(
        n if n is not None else _common_size(i - len(static), shapes) for i, n in enumerate(static)
    )


def _common_size(axis: int, shapes: list[tuple[Any, ...]]) -> Any:
    """Size of operands along `axis` (from the end), where none is known to be above 1."""
    sizes = [s[axis] for s in shapes if -axis <= len(s) and not isinstance(s[axis], int)]
    result = sizes[0]
    for n in sizes[1:]:
        # Whichever is not 1: sizes that differ otherwise are refused by the broadcasting itself.
        result = result * (result != 1) + n * (result == 1)
    return result


def _sum_to_type(x: TensorType, *dims: TensorType, shape: tuple[Dim, ...]) -> TensorType:
    return TensorType(x.dtype, shape)


def _summed(xp: Module, x: Array, shape: tuple[int, ...]) -> Array:
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and x.shape[i + lead] != 1
    )
    return xp.reshape(xp.sum(x, axis=axes, dtype=x.dtype), shape) if axes else x.copy()


@op(
    inputs=None,
    infer=_sum_to_type,
    vjp=lambda g, out, x, *dims, shape: (broadcast_to(g, shape_of(x)), *(None for _ in dims)),
    samples=calls(
        ((array((2, 3)),), {"shape": (3,)}),
        ((array((2, 3)), 2), {"shape": (None, 1)}),
        ((array((4, 2, 3)),), {"shape": (2, 1)}),
        ((array((2, 3)),), {"shape": ()}),
        ((array((0, 3), "f4"),), {"shape": (3,)}),
    ),
    name="sum_to",
)
def sum_to_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """`x` summed over the axes along which an array of `shape` was broadcast to that of `x`."""
    return _summed(xp, xp.asarray(x), decode_shape(shape, dims))


def sum_to(x: Operand, shape: Any) -> Any:
    """`x` summed over the axes along which an array of `shape` was broadcast to that of `x`.

    >>> ag.sum_to(np.ones((2, 3)), (3,)).numpy()
    array([2., 2., 2.])
    """
    static, dims = encode_shape(shape)
    if not dims and type_of(x).shape == static:
        return x
    return sum_to_(x, *dims, shape=static)
