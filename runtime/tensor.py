"""`Tensor`: one array value, computed (eager) or still to be computed (traced).

An array is a handle on a *cell*; the cell holds the current value. A view is a cell and a chain of
view operations. Reading a view re-applies its chain when the cell was written since; writing
through a view is one update of the cell. Rank-0 values behave as NumPy scalars: never views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast

import numpy as np

from runtime import journal, ops, trace
from runtime.cells import Cell, ViewStep
from runtime.dispatch import dispatch_function, dispatch_ufunc
from runtime.errors import StagingError
from runtime.graph.ir import Op, Value
from runtime.spec import TensorType, type_of_number

__all__ = ["Tensor", "constant_of", "is_constant", "link_view"]


def is_constant(value: Value) -> bool:
    """Whether a graph value is a constant, known while tracing."""
    return value.node is not None and value.node.op.name == "constant"


def constant_of(value: Value) -> Any:
    """The raw array or number of a constant."""
    assert value.node is not None
    return value.node.attrs["value"]


_OPERANDS = (bool, int, float, complex, np.ndarray, np.generic, list, tuple)


def _operand(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def _binary(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor):
            if not isinstance(other, _OPERANDS):
                return NotImplemented
            other = _operand(other)
        return function(self, other)

    return method


def _reflected(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    return _binary(lambda self, other: function(other, self))


def _or_repeated(multiply: Callable[[Tensor, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """`multiply`, but an integer scalar repeats a sequence, as Python and NumPy have it."""

    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, (list, tuple, str)):
            type_ = self.type
            if type_.rank == 0 and type_.dtype.kind in "biu":
                return other * int(self._known("repeating a sequence"))
        return multiply(self, other)

    return method


def _in_place(name: str) -> Callable[[Tensor, Any], Any]:
    function = getattr(ops, name)

    def method(self: Tensor, other: Any) -> Any:
        type_ = self.type
        if not isinstance(other, (Tensor, *_OPERANDS)):
            return NotImplemented
        result = function(self, _operand(other))
        if type_.rank == 0:  # NumPy scalars and Python numbers are immutable: the name is rebound
            return result
        check_in_place(name, type_, result.type)
        self[...] = result
        return self

    return method


def check_in_place(op_name: str, target: TensorType, result: TensorType) -> None:
    """Raise as NumPy does when the result of an in-place operator does not fit its target."""
    if not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            getattr(np, op_name), "same_kind", result.dtype, target.dtype, 0
        )
    if result.shape is not None and target.shape is not None and result.rank != target.rank:
        shapes = f"{target.shape} doesn't match the broadcast shape {result.shape}"
        raise ValueError(f"non-broadcastable output operand with shape {shapes}")


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


def _with_arrays(key: Any) -> Any:
    """An index in which lists of traced integers are arrays of the graph."""
    if type(key) is tuple:
        return tuple(map(_with_arrays, key))
    if isinstance(key, list) and _has_traced(key):
        return ops.stack([_with_arrays(k) if isinstance(k, list) else k for k in key])
    return key


def _has_traced(part: Any) -> bool:
    if isinstance(part, list):
        return any(map(_has_traced, part))
    return isinstance(part, Tensor) and part.is_traced


class Tensor:
    """An n-dimensional array of one dtype, on a device, that gradients can flow through.

    Follows `numpy.ndarray` in operators, indexing, methods and protocols. Made by
    `autograph.constant` and by operations, not by calling the class.

    >>> import autograph as ag
    >>> x = ag.constant([1.0, 2.0])
    >>> (x * 2).numpy()
    array([2., 4.])
    """

    # The array first: native code reads it at a fixed offset.
    __slots__ = ("__weakref__", "_array", "_cell", "_chain", "_key", "_name", "_token", "_value")

    __hash__: ClassVar[None]  # type: ignore[assignment]
    __array_priority__ = 1000

    _array: Any
    _value: Value | None
    _cell: Cell | None
    _chain: tuple[ViewStep, ...]
    _token: int
    _name: str | None
    _key: Any

    def __init__(self, array: Any, value: Value | None = None, key: Any = None) -> None:
        self._array = array
        self._value = value
        self._key = key
        self._cell = None
        self._name = None

    # ---- the current value -------------------------------------------------------------------

    def current(self) -> Tensor:
        """A tensor with the present value that later writes do not change."""
        cell = self._cell
        if cell is None:
            return self
        if cell.pending:
            cell.settle()
        if not self._chain:
            return cast(Tensor, cell.root)
        if cell.token == self._token:
            return Tensor(self._array, self._value, self._own_key())
        result = cell.root
        for step in self._chain:
            result = step.read(result)
        # A traced view is derived anew at each reading: what one branch derives is not another's.
        if result._value is None:
            self._array, self._token, self._key = result._array, cell.token, result.key
        return Tensor(result._array, result._value, result.key)

    def _own_key(self) -> Any:
        if self._key is None:
            self._key = object()
        return self._key

    @property
    def array(self) -> Any:
        """The raw array, NumPy scalar or Python number of an eager tensor."""
        return self.current()._array

    @property
    def value(self) -> Value | None:
        """The graph value of a traced tensor, None for an eager one."""
        return self.current()._value

    @property
    def is_traced(self) -> bool:
        """Whether the value is known only when the graph runs."""
        return self._value is not None

    @property
    def is_view(self) -> bool:
        """Whether this shows a part of another array."""
        return self._cell is not None and bool(self._chain)

    @property
    def key(self) -> Any:
        """What identifies the present value to gradients: the value, never its wrapper."""
        now = self.current()
        return now._value if now._value is not None else now._own_key()

    @property
    def type(self) -> TensorType:
        """Dtype, shape and weakness."""
        now = self.current()
        if now._value is not None:
            return cast(TensorType, now._value.type)
        array = now._array
        if isinstance(array, (bool, int, float, complex)) and not isinstance(array, np.generic):
            return type_of_number(array)
        return TensorType(array.dtype, array.shape)

    # ---- cells, views and writing ------------------------------------------------------------

    def cell(self) -> Cell:
        """The cell that this handle writes to, made when first asked for."""
        if self._cell is None:
            self._cell = Cell(Tensor(self._array, self._value, self._own_key()))
            self._cell.name = self._name
            self._chain = ()
            self._token = self._cell.token
        return self._cell

    def assign(self, new: Any) -> None:
        """Replace the whole content, in place, as `x[...] = new` does."""
        cell = self.cell()
        cell.settle()
        parents = [cell.root]
        for step in self._chain[:-1]:
            parents.append(step.read(parents[-1]))
        result = new
        for step, parent in zip(reversed(self._chain), reversed(parents), strict=False):
            result = step.write(parent, result)
        cell.store(result.current() if isinstance(result, Tensor) else Tensor(result))

    def __setitem__(self, key: Any, new: Any) -> None:
        if self._value is None and self._write_in_place(key, new):
            return
        if self.type.rank == 0 and self.type.weak:
            kind = type(self._array).__name__ if self._value is None else str(self.type)
            raise TypeError(f"'{kind}' object does not support item assignment")
        self.assign(ops.index_update(self.current(), new, _with_arrays(key)))

    def _write_in_place(self, key: Any, new: Any) -> bool:
        """Write into the memory of an eager array, where nobody can tell the difference."""
        cell = self.cell()
        if trace.tapes() or cell.exported or journal.recording() is not None:
            return False
        if isinstance(new, Tensor):
            if new.is_traced:
                return False
            new = new.array
        key = _eager_key(key)
        array = self.array
        if not isinstance(array, np.ndarray) or key is NotImplemented or not array.flags.writeable:
            return False
        array[key] = new
        return True

    def __getitem__(self, key: Any) -> Tensor:
        return cast(Tensor, ops.getitem(self, _with_arrays(key)))

    # ---- facts -------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Any, ...]:
        """Size of each axis; one that is known only at run time is an integer tensor."""
        shape = self.type.shape
        if shape is None:
            raise StagingError(
                "the number of axes of this tensor is not known while tracing",
                "give it a rank in the input_signature",
            )
        if None not in shape:
            return shape
        return tuple(ops.dim(self, axis=i) if n is None else n for i, n in enumerate(shape))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type, a `numpy.dtype`."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        shape = self.type.shape
        return len(self.shape) if shape is None else len(shape)

    @property
    def size(self) -> Any:
        """Number of elements."""
        result: Any = 1
        for n in self.shape:
            result = result * n
        return result

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        """Where the array lives."""
        return "/cpu:0"

    @property
    def T(self) -> Tensor:
        """The axes reversed; a view."""
        return cast(Tensor, ops.permute_dims(self, tuple(reversed(range(self.ndim)))))

    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged; a view."""
        return cast(Tensor, ops.matrix_transpose(self))

    @property
    def real(self) -> Tensor:
        """Real part."""
        return cast(Tensor, ops.real(self))

    @property
    def imag(self) -> Tensor:
        """Imaginary part."""
        return cast(Tensor, ops.imag(self))

    # ---- leaving the tensor world ------------------------------------------------------------

    @property
    def is_known(self) -> bool:
        """Whether the value can be had now: eager, or a constant of the graph."""
        value = self.current()._value
        return value is None or is_constant(value)

    def _known(self, what: str) -> Any:
        now = self.current()
        if now._value is not None:
            if is_constant(now._value):
                return constant_of(now._value)
            raise StagingError(
                f"{what} needs the value of {self.describe()}, which is known only when the graph "
                "runs",
                "keep it a tensor, move this out of the converted function, or debug it in "
                "`with ag.eager():`",
            )
        return now._array

    def numpy(self) -> Any:
        """The value as a read-only ndarray, or a NumPy scalar for rank 0."""
        array = self._known("`.numpy()`")
        if not isinstance(array, np.ndarray):
            return array if isinstance(array, np.generic) else np.asarray(array)[()]
        self.cell().exported = True
        result = array.view()
        result.flags.writeable = False
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.asarray(self._known("conversion to an ndarray"))
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else np.asarray(self.numpy())

    def item(self, *index: int) -> Any:
        """The only element (or the one at `index`) as a Python number."""
        if self.is_traced:
            chosen = self[index] if index else self
            return ops.as_weak(ops.reshape(chosen, ()))
        array = self._known("`.item()`")
        return array.item(*index) if hasattr(array, "item") else array

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return np.asarray(self._known("`.tolist()`")).tolist()

    def tobytes(self) -> bytes:
        """The elements as bytes in C order."""
        return np.asarray(self._known("`.tobytes()`")).tobytes()

    def __bool__(self) -> bool:
        return bool(self._known("a Python `if`, `while`, `and`, `or`, `not` or `bool()`"))

    def __int__(self) -> int:
        return int(self._known("`int()`"))

    def __float__(self) -> float:
        return float(self._known("`float()`"))

    def __complex__(self) -> complex:
        return complex(self._known("`complex()`"))

    def __index__(self) -> int:
        array = self._known("a Python index or size")
        return cast(int, array.__index__())

    def __len__(self) -> int:
        shape = self.type.shape
        if shape == ():
            raise TypeError("len() of unsized object")
        if shape is None or shape[0] is None:
            return cast(int, self._known("`len()` in code that is not converted").__len__())
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        shape = self.type.shape
        if shape == ():
            raise TypeError("iteration over a 0-d array")
        if shape is None or shape[0] is None:
            self._known("iteration in code that is not converted")
        return (self[i] for i in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool(ops.any(self == item))

    def __copy__(self) -> Tensor:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.copy()

    def __reduce__(self) -> Any:
        return (Tensor, (self._known("pickling"),))

    def copy(self, order: str = "C") -> Tensor:
        """A tensor with the same content that shares nothing with this one."""
        return cast(Tensor, ops.copy(self))

    def __repr__(self) -> str:
        if self.is_traced:
            return self.describe()
        array = self.array
        shape = np.shape(array)
        body = np.array2string(np.asarray(array), separator=" ", prefix="Tensor(")
        return f"Tensor({body}, shape={shape}, dtype={self.dtype})"

    def describe(self) -> str:
        """The tensor in a few words, for messages and debuggers."""
        name = f" {self._name}" if self._name else ""
        return f"Traced{name}: {self.type} (known at run time; use ag.eager() to see it)"

    def __str__(self) -> str:
        if not self.is_known:
            self._known("the text")
        return repr(self)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self._known("a format specification outside converted code"), spec)

    # ---- NumPy -------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return dispatch_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return dispatch_function(func, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return ops

    # ---- methods that write ------------------------------------------------------------------

    def fill(self, value: Any) -> None:
        """Set every element, in place."""
        self[...] = value

    def sort(self, axis: int = -1) -> None:
        """Sort along `axis`, in place."""
        self[...] = ops.sort(self, axis=axis)

    # ---- operators: NumPy's, on tensors, arrays, numbers and lists ------------------------------

    __eq__ = _binary(ops.equal)
    __ne__ = _binary(ops.not_equal)
    __lt__ = _binary(ops.less)
    __le__ = _binary(ops.less_equal)
    __gt__ = _binary(ops.greater)
    __ge__ = _binary(ops.greater_equal)

    __add__ = _binary(ops.add)
    __sub__ = _binary(ops.subtract)
    __mul__ = _or_repeated(_binary(ops.multiply))
    __truediv__ = _binary(ops.divide)
    __floordiv__ = _binary(ops.floor_divide)
    __mod__ = _binary(ops.remainder)
    __pow__ = _binary(ops.pow)
    __matmul__ = _binary(ops.matmul)
    __and__ = _binary(ops.bitwise_and)
    __or__ = _binary(ops.bitwise_or)
    __xor__ = _binary(ops.bitwise_xor)
    __lshift__ = _binary(ops.bitwise_left_shift)
    __rshift__ = _binary(ops.bitwise_right_shift)

    __radd__ = _reflected(ops.add)
    __rsub__ = _reflected(ops.subtract)
    __rmul__ = _or_repeated(_reflected(ops.multiply))
    __rtruediv__ = _reflected(ops.divide)
    __rfloordiv__ = _reflected(ops.floor_divide)
    __rmod__ = _reflected(ops.remainder)
    __rpow__ = _reflected(ops.pow)
    __rmatmul__ = _reflected(ops.matmul)
    __rand__ = _reflected(ops.bitwise_and)
    __ror__ = _reflected(ops.bitwise_or)
    __rxor__ = _reflected(ops.bitwise_xor)
    __rlshift__ = _reflected(ops.bitwise_left_shift)
    __rrshift__ = _reflected(ops.bitwise_right_shift)

    __iadd__ = _in_place("add")
    __isub__ = _in_place("subtract")
    __imul__ = _in_place("multiply")
    __itruediv__ = _in_place("divide")
    __ifloordiv__ = _in_place("floor_divide")
    __imod__ = _in_place("remainder")
    __ipow__ = _in_place("pow")
    __imatmul__ = _in_place("matmul")
    __iand__ = _in_place("bitwise_and")
    __ior__ = _in_place("bitwise_or")
    __ixor__ = _in_place("bitwise_xor")
    __ilshift__ = _in_place("bitwise_left_shift")
    __irshift__ = _in_place("bitwise_right_shift")

    __neg__ = _method(ops.negative)
    __pos__ = _method(ops.positive)
    __abs__ = _method(ops.abs)
    __invert__ = _method(ops.bitwise_invert)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, ndigits: int | None = None) -> Any:
        if ndigits is None:
            return ops.as_weak(ops.round(self), kind="int")
        if self.type.weak and self.dtype.kind == "f":
            return ops.round_number(self, ndigits=ndigits)
        rounded = ops.round(self, decimals=ndigits)
        return ops.as_weak(rounded) if self.type.weak else rounded

    # ---- methods of ndarray ------------------------------------------------------------------

    all = _method(ops.all)
    any = _method(ops.any)
    argmax = _method(ops.argmax)
    argmin = _method(ops.argmin)
    argsort = _method(ops.argsort)
    astype = _method(ops.astype)
    clip = _method(ops.clip)
    conj = _method(ops.conj)
    cumprod = _method(ops.cumprod)
    cumsum = _method(ops.cumsum)
    diagonal = _method(ops.diagonal)
    dot = _method(ops.dot)
    max = _method(ops.max)
    mean = _method(ops.mean)
    min = _method(ops.min)
    nonzero = _method(ops.nonzero)
    prod = _method(ops.prod)
    ravel = _method(ops.ravel)
    repeat = _method(ops.repeat)
    round = _method(ops.round)
    searchsorted = _method(ops.searchsorted)
    squeeze = _method(ops.squeeze)
    std = _method(ops.std)
    sum = _method(ops.sum)
    swapaxes = _method(ops.swapaxes)
    take = _method(ops.take)
    trace = _method(ops.trace)
    var = _method(ops.var)
    conjugate = _method(ops.conj)

    def transpose(self, *axes: Any) -> Any:
        """The axes in the given order (reversed when none is given); a view."""
        if not axes or axes == (None,):
            return self.T
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return ops.permute_dims(self, tuple(order))

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The elements in C order under another shape; one size may be -1."""
        if order != "C":
            raise NotImplementedError("only order='C' is supported")
        one = len(shape) == 1 and isinstance(shape[0], (tuple, list))
        return ops.reshape(self, tuple(shape[0]) if one else shape)

    def flatten(self, order: str = "C") -> Any:
        """A copy with one axis."""
        return ops.copy(ops.reshape(self, (-1,)))


def _eager_key(key: Any) -> Any:
    """`key` with eager tensors as arrays; NotImplemented when a part of it is traced."""
    if isinstance(key, tuple):
        parts = tuple(_eager_key(k) for k in key)
        return NotImplemented if any(p is NotImplemented for p in parts) else parts
    if isinstance(key, Tensor):
        return NotImplemented if key.is_traced else key.array
    if isinstance(key, slice):
        parts = tuple(_eager_key(k) for k in (key.start, key.stop, key.step))
        return NotImplemented if any(p is NotImplemented for p in parts) else slice(*parts)
    return key


def link_view(parent: Any, op: Op, operands: tuple[Any, ...], attrs: Any, result: Tensor) -> Tensor:
    """Make `result`, just computed from `parent` by the view op `op`, a view of it."""
    if not isinstance(parent, Tensor) or result.type.rank == 0:
        return result
    cell = parent.cell()
    result._cell = cell
    result._chain = (*parent._chain, ViewStep(op, operands, attrs))
    result._token = cell.token
    return result
