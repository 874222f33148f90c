"""Sizes, and the same elements under another shape."""

from __future__ import annotations

from typing import Any, cast

from runtime import trace
from runtime.errors import StagingError
from runtime.ops.arrays.axes import permute_dims
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.inference import size_of
from runtime.ops.declaration.internal import identity
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    content,
    decode_shape,
    encode_shape,
    is_tensor,
    normal_axes,
    normal_axis,
    rank_of,
    refuse_bool_axis,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.spec import Dim, TensorType, shape_text

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "copy",
    "expand_dims",
    "ndim",
    "ravel",
    "reshape",
    "shape",
    "size",
    "squeeze",
    "with_an_axis",
]


# ---- sizes -------------------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((2.0,), {}),
    ),
)
def shape(x: Operand, /) -> tuple[Any, ...]:
    """Size of each axis of `x`; one that is known only at run time is an integer tensor.

    >>> ag.shape(np.zeros((2, 3)))
    (2, 3)
    """
    return shape_of(x)


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((2.0,), {}),
    ),
)
def ndim(x: Operand, /) -> int:
    """Number of axes of `x`.

    >>> ag.ndim(np.zeros((2, 3)))
    2
    """
    return rank_of(x)


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3)), 1), {}),
    ),
)
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
        wanted = shape_text(shape).replace("-1", "newaxis")
        raise ValueError(f"cannot reshape array of size {size} into shape {wanted}")
    return TensorType(x.dtype, tuple(size // rest if n == -1 else n for n in shape))


def _reshape_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return size_of(types[0].shape) is None or None in attrs["shape"]


def _reshape_vjp(g: Any, out: Any, x: Any, *dims: Any, shape: Any) -> tuple[Any, ...]:
    return (reshape(g, shape_of(x)), *(None for _ in dims))


def _reshape_written(parent: Any, part: Any, *dims: Any, shape: Any) -> Any:
    """One axis or none under several, and the same shape: a view, however the array lies in memory.

    None for others: nobody knows.
    """
    own = type_of(parent)
    is_same = own.is_static and own.shape == shape and len(shape) > 1
    is_view = is_same or (rank_of(parent) < 2 and rank_of(part) > rank_of(parent))
    return reshape(part, shape_of(parent)) if is_view else None


@op(
    inputs=None,
    infer=_reshaped,
    vjp=_reshape_vjp,
    raises=_reshape_raises,
    view=True,
    write_through=_reshape_written,
    samples=lambda: (
        ((array((2, 3)),), {"shape": (3, 2)}),
        ((array((2, 3), "c16"),), {"shape": (-1,)}),
        ((array((2, 3)), 3), {"shape": (None, -1)}),
        ((array((0, 3), "f4"),), {"shape": (3, 0)}),
        ((array(()),), {"shape": (1, 1)}),
        ((array((1,), "i8"),), {"shape": ()}),
        ((2.5,), {"shape": (1,)}),
    ),
)
def reshape_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """The elements of `x` in C order under another shape; None takes the next of `dims`."""
    return xp.asarray(x).reshape(decode_shape(shape, dims))


@implements(
    samples=lambda: (
        ((array((2, 3)), (3, 2)), {}),
        ((array((2, 3)), -1), {}),
    ),
    makes_arrays=False,
)
def reshape(x: Operand, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    """The elements of `x` under another shape; one size may be -1.

    They are read and placed with the last index going fastest, or the first for `order` "F".
    Sizes may be integer tensors. Raises ValueError when the number of elements differs.

    >>> ag.reshape(np.arange(6), (3, -1)).tolist()
    [[0, 1], [2, 3], [4, 5]]
    >>> ag.reshape(np.arange(6), (2, 3), order="F").tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    if order != "C" and not _is_in_c_order(order):
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        turned = reshape(_turned(x), tuple(sizes)[::-1], copy=copy)
        return _turned(turned)
    static, dims = encode_shape(shape)
    result = trace.apply(reshape_.op, (content(x), *dims), {"shape": static})
    return _copied(result) if copy else result


def _is_in_c_order(order: str) -> bool:
    """Whether elements are in C order; raises StagingError where memory decides."""
    if order in ("A", "K"):
        raise StagingError(
            f"order={order!r} asks how the array lies in memory, which a graph does not say",
            'write "C" or "F"',
        )
    if order not in ("C", "F"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return order == "C"


def _turned(x: Operand) -> Any:
    return permute_dims(x, tuple(range(rank_of(x)))[::-1])


def with_an_axis(x: Operand, axis: Any) -> Any:
    """`x`; a number that is asked for along its axis 0 or -1 has one, as `numpy.take` has it."""
    return reshape(x, (1,)) if rank_of(x) == 0 and axis in (0, -1) else x


@op(
    inputs=1,
    infer=lambda x: x.strong(),
    vjp=lambda g, out, x: (g,),
    numpy=("copy",),
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array(()),), {}),
        ((array((0,), "f4"),), {}),
    ),
)
def copy(xp: Module, x: Array) -> Array:
    """An array with the content of `x` that shares nothing with it.

    >>> ag.copy(np.array([1.0, 2.0])).numpy()
    array([1., 2.])
    """
    return xp.array(x)


_copied = copy


@implements(
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array(()),), {}),
    ),
    makes_arrays=False,
)
def ravel(x: Operand, /, order: str = "C") -> Any:
    """The elements of `x` along one axis, in the order of `reshape`.

    >>> ag.ravel(np.array([[1, 2], [3, 4]])).numpy()
    array([1, 2, 3, 4])
    """
    return reshape(x, (-1,), order)


# ---- axes of size 1 ----------------------------------------------------------------------------


def _expanded(x: TensorType, axis: Any) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    return TensorType(x.dtype, _with_ones(x.shape, axis))


def _with_ones(shape: tuple[Dim, ...], axis: Any) -> tuple[Dim, ...]:
    """A shape with axes of size 1 at the places `axis` of the result."""
    if not isinstance(axis, tuple):
        at = normal_axis(axis, len(shape) + 1)
        return (*shape[:at], 1, *shape[at:])
    rank = len(shape) + len(axis)
    axes, sizes = normal_axes(axis, rank), iter(shape)
    return tuple(1 if i in axes else next(sizes) for i in range(rank))


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
    samples=lambda: (
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
    x = xp.asarray(x)
    return x.reshape(_with_ones(x.shape, axis))


def _squeezed_axes(shape: tuple[Dim, ...], axis: Any) -> tuple[int, ...]:
    refuse_bool_axis(axis)
    axes = tuple(i for i, n in enumerate(shape) if n == 1) if axis is None else axis
    if not shape and isinstance(axis, int) and axis in (0, -1):
        return ()  # as NumPy does for what has no axes
    axes = normal_axes(axes, len(shape))
    if any(shape[i] not in (1, None) for i in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return axes


def _squeezed(x: TensorType, axis: Any) -> TensorType:
    if x.shape is None or (axis is None and None in x.shape):
        return TensorType(x.dtype, None)
    axes = _squeezed_axes(x.shape, axis)
    return TensorType(x.dtype, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def _leaves_all(x: TensorType, axis: Any) -> bool:
    """Whether no axis is left out: NumPy gives the array itself."""
    is_known = x.shape is not None and not (axis is None and None in x.shape)
    return is_known and not _squeezed_axes(cast("tuple[Dim, ...]", x.shape), axis)


def _unsqueezed(part: Any, parent: Any, axis: Any) -> Any:
    if axis is None or not rank_of(parent):
        return reshape(part, shape_of(parent))
    return expand_dims(part, normal_axes(axis, rank_of(parent)))


@op(
    inputs=1,
    infer=_squeezed,
    vjp=lambda g, out, x, axis: (_unsqueezed(g, x, axis),),
    raises=lambda types, attrs: attrs["axis"] is not None and not types[0].is_static,
    view=True,
    numpy=("squeeze",),
    samples=lambda: (
        ((array((1, 3, 1)),), {}),
        ((array((1, 3, 1)),), {"axis": 0}),
        ((array((1, 3, 1), "f4"),), {"axis": (-1, 0)}),
        ((array((1, 0), "i8"),), {"axis": 0}),
        ((array(()),), {}),
        ((array(()),), {"axis": -1}),
    ),
    write_through=lambda parent, part, axis: _unsqueezed(part, parent, axis),
    gives_itself=_leaves_all,
)
def squeeze(xp: Module, x: Array, axis: Axes = None) -> Array:
    """`x` without the axes `axis` of size 1 (None: all such axes); a view.

    Raises ValueError when such an axis has another size.

    >>> ag.squeeze(np.array([[1, 2]]), 0).numpy()
    array([1, 2])
    """
    return xp.asarray(x).squeeze(axis)


def _atleast(name: str, count: int) -> Any:
    def atleast(*arrays: Operand) -> Any:
        results = tuple(_padded(x, count) for x in arrays)
        return results[0] if len(results) == 1 else results

    atleast.__name__ = atleast.__qualname__ = name
    atleast.__doc__ = f"""Each of the arrays with at least {count} axes.

    >>> ag.{name}(1.0).ndim
    {count}
    """
    sample = calls(
        lambda: (
            ((array(()),), {}),
            ((array((3,)),), {}),
            ((array((2, 3)),), {}),
        )
    )
    return implements(name, samples=sample)(atleast)


def _padded(x: Operand, count: int) -> Any:
    rank = rank_of(x)
    if rank >= count:
        return x if is_tensor(x) else identity(x)
    # NumPy makes an (n,) array (1, n, 1) and an (m, n) array (m, n, 1).
    places: tuple[int, ...] = tuple(range(count - rank))
    if count == 3 and rank:
        places = (0, 2) if rank == 1 else (2,)
    return expand_dims(x, places)


atleast_1d = _atleast("atleast_1d", 1)
atleast_2d = _atleast("atleast_2d", 2)
atleast_3d = _atleast("atleast_3d", 3)
