"""`Tensor`: one array value, computed (eager) or still to be computed (traced).

An array is a handle on a *cell*; the cell holds the current value. A view is a cell and a chain of
view operations. Reading a view re-applies its chain when the cell was written since; writing
through a view is one update of the cell. Rank-0 values behave as NumPy scalars: never views.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast

import numpy as np

from runtime import journal, ops, trace
from runtime.errors import StagingError
from runtime.graph.ir import Op, Value
from runtime.origins import Origin, origin_of_caller
from runtime.spec import TensorType, type_of_number

__all__ = ["Cell", "Tensor", "ViewStep", "constant_of", "is_constant", "link_view"]

_tokens = itertools.count(1)


def is_constant(value: Value) -> bool:
    """Whether a graph value is a constant, known while tracing."""
    return value.node is not None and value.node.op.name == "constant"


def constant_of(value: Value) -> Any:
    """The raw array or number of a constant."""
    assert value.node is not None
    return value.node.attrs["value"]


class ViewStep:
    """One step of a view's chain: an op applied to the parent, and how to write through it."""

    __slots__ = ("attrs", "op", "operands")

    def __init__(self, op: Op, operands: tuple[Any, ...], attrs: dict[str, Any]) -> None:
        self.op, self.operands, self.attrs = op, operands, attrs

    def read(self, parent: Any) -> Any:
        """The part of `parent` that the view shows."""
        return trace.apply(self.op, (parent, *self.operands), self.attrs)

    def write(self, parent: Any, part: Any) -> Any:
        """`parent` with the view's part replaced."""
        inverse = self.op.options.get("write_through")
        if inverse is None:
            raise StagingError(
                f"this writes through the result of `{self.op.name}`, and whether that shares "
                "memory with the original array depends on its layout in memory",
                "copy it first (`y = x.reshape(...).copy()`) or write to the original",
            )
        return inverse(parent, part, *self.operands, **self.attrs)


class Cell:
    """What an array's names share: the current value, as a tensor that is never written.

    After staged control flow two cells may be one array or two, depending on data: they are tied,
    with the traced bool that tells. A write to one is *pending* for the other until that is read.
    """

    __slots__ = ("__weakref__", "exported", "first", "name", "pending", "root", "tied", "token")

    unsettled: ClassVar[weakref.WeakSet[Cell]] = weakref.WeakSet()

    def __init__(self, root: Tensor) -> None:
        self.root = root
        self.first = root._value
        self.token = next(_tokens)
        # Whether memory of the root was handed out (`.numpy()`): then writing copies.
        self.exported = False
        self.name: str | None = None
        self.tied: list[tuple[Cell, Tensor | None]] = []
        # (whether it is the same array, the cell that was written, where); see `settle`.
        self.pending: tuple[Tensor | None, Cell, Origin | None] | None = None

    def slot(self) -> journal.Slot:
        """The cell as a place of the write journal."""
        return journal.Slot(("cell", id(self)), self, self.name or "an array", self._get, self._set)

    def store(self, root: Tensor) -> None:
        """Make `root` the current value: all names and views of the cell see it."""
        self._replace(root)
        if self.tied:
            self._announce({self}, origin_of_caller())

    def tie(self, other: Cell, same: Tensor | None) -> None:
        """Note that this and `other` are the same array where `same` is true (None: unknown)."""
        if other is not self:
            self.tied.append((other, same))
            other.tied.append((self, same))

    def settle(self) -> None:
        """Take over what was written through a tied cell, if that is the same array.

        Raises StagingError when it is not known which it is.
        """
        if self.pending is None:
            return
        same, source, origin = self.pending
        if same is None or source.root.type != self.root.type:
            names = f"{self.name or 'this array'} and {source.name or 'another array'}"
            raise StagingError(
                f"{names} are one array or two, depending on data, and one of them is written here",
                "make a copy (`y = x.copy()`) where the second name is bound",
                origin=origin,
            )
        source.settle()
        root = ops.where(same, source.root, self.root)
        self._replace(root.current())

    @classmethod
    def settle_all(cls) -> None:
        """Settle every cell of which that can be done."""
        for cell in list(cls.unsettled):
            if cell.pending is not None and cell.pending[0] is not None:
                cell.settle()

    def _replace(self, root: Tensor) -> None:
        journal.note(self.slot())
        self.root, self.token, self.pending = root, next(_tokens), None

    def _announce(self, told: set[Cell], origin: Origin | None) -> None:
        for other, same in self.tied:
            if other in told:
                continue
            told.add(other)
            if other.pending is not None and other.pending[1] is not self:
                other.settle()
            journal.note(other.slot())
            other.pending = (same, self, origin)
            Cell.unsettled.add(other)
            other._announce(told, origin)

    def _get(self) -> Any:
        return (self.root, self.token, self.pending)

    def _set(self, state: Any) -> None:
        self.root, self.token, self.pending = state


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
        if cell.pending is not None:
            cell.settle()
        if not self._chain:
            return cell.root
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
        self.assign(ops.index_update(self.current(), new, key))

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
        return cast(Tensor, ops.getitem(self, key))

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
    def T(self) -> Tensor:  # noqa: N802
        """The axes reversed; a view."""
        return cast(Tensor, ops.permute_dims(self, tuple(reversed(range(self.ndim)))))

    @property
    def mT(self) -> Tensor:  # noqa: N802
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
                f"{what} needs the value of {self.describe()}, which is known only when the graph runs",
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
        return cast(bytes, np.asarray(self._known("`.tobytes()`")).tobytes())

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


# ---- operators and methods from the ops ------------------------------------------------------

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
_COMPARE = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
    "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}
_OPERANDS = (bool, int, float, complex, np.ndarray, np.generic, list, tuple)


def _operand(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def _binary(op_name: str, *, reflected: bool = False) -> Callable[[Tensor, Any], Any]:
    function = getattr(ops, op_name)

    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor):
            if not isinstance(other, _OPERANDS):
                return NotImplemented
            other = _operand(other)
        return function(other, self) if reflected else function(self, other)

    return method


def _in_place(op_name: str) -> Callable[[Tensor, Any], Any]:
    function = getattr(ops, op_name)

    def method(self: Tensor, other: Any) -> Any:
        type_ = self.type
        if not isinstance(other, (Tensor, *_OPERANDS)):
            return NotImplemented
        result = function(self, _operand(other))
        if type_.rank == 0:  # NumPy scalars and Python numbers are immutable: the name is rebound
            return result
        check_in_place(op_name, type_, result.type)
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


def _method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, function.__doc__
    return method


def _permuting(self: Tensor, *axes: Any) -> Any:
    """The axes in the given order (reversed when none is given); a view."""
    if not axes or axes == (None,):
        return self.T
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    return ops.permute_dims(self, tuple(order))


def _reshaping(self: Tensor, *shape: Any, order: str = "C") -> Any:
    """The elements in C order under another shape; one size may be -1."""
    if order != "C":
        raise NotImplementedError("only order='C' is supported")
    one = len(shape) == 1 and isinstance(shape[0], (tuple, list))
    return ops.reshape(self, tuple(shape[0]) if one else shape)


def _flattening(self: Tensor, order: str = "C") -> Any:
    """A copy with one axis."""
    return ops.copy(ops.reshape(self, (-1,)))


_METHODS: dict[str, str] = {
    name: name
    for name in (
        "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "cumprod",
        "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat",
        "round", "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
    )
}  # fmt: skip
_METHODS["conjugate"] = "conj"


def _install() -> None:
    for short, name in _BINARY.items():
        setattr(Tensor, f"__{short}__", _binary(name))
        setattr(Tensor, f"__r{short}__", _binary(name, reflected=True))
        setattr(Tensor, f"__i{short}__", _in_place(name))
    for short, name in _COMPARE.items():
        setattr(Tensor, f"__{short}__", _binary(name))
    for short, name in _UNARY.items():
        setattr(Tensor, f"__{short}__", _method(name, getattr(ops, name)))
    for method, name in _METHODS.items():
        setattr(Tensor, method, _method(method, getattr(ops, name)))
    Tensor.transpose = _permuting  # type: ignore[attr-defined]
    Tensor.reshape = _reshaping  # type: ignore[attr-defined]
    Tensor.flatten = _flattening  # type: ignore[attr-defined]
    Tensor.__divmod__ = lambda self, other: (self // other, self % other)  # type: ignore[attr-defined]
    Tensor.__rdivmod__ = lambda self, other: (other // self, other % self)  # type: ignore[attr-defined]
    Tensor.__round__ = _rounding  # type: ignore[attr-defined]
    Tensor.__hash__ = None  # type: ignore[assignment]


def _rounding(self: Tensor, ndigits: int | None = None) -> Any:
    if ndigits is None:
        return ops.as_weak(ops.round(self), kind="int")
    if self.type.weak and self.dtype.kind == "f":
        return ops.round_number(self, ndigits=ndigits)
    rounded = ops.round(self, decimals=ndigits)
    return ops.as_weak(rounded) if self.type.weak else rounded


_install()


# ---- NumPy's dispatch protocols --------------------------------------------------------------


def _refuse(name: str) -> StagingError:
    return StagingError(
        f"`{name}` has no tensor form yet",
        "use an operation of `autograph`, or compute it outside the converted function",
    )


def dispatch_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy ufunc on operands of which one is a tensor."""
    function = ops.numpy_function(ufunc.__name__)
    out = kwargs.pop("out", None)
    if method != "__call__" or function is None or kwargs:
        detail = f".{method}" if method != "__call__" else ""
        raise _refuse(f"np.{ufunc.__name__}{detail}{' with ' + ', '.join(kwargs) if kwargs else ''}")
    if out is not None and not isinstance(out[0], Tensor):
        if trace.tapes() or any(isinstance(x, Tensor) and x.is_traced for x in inputs):
            raise _refuse(f"np.{ufunc.__name__} with out= an ndarray")
        return ufunc(*(x.array if isinstance(x, Tensor) else x for x in inputs), out=out[0])
    result = function(*strong_operands(inputs))
    if out is None:
        return result
    out[0][...] = result
    return out[0]


def strong_operands(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Operands of a NumPy function: it makes NumPy scalars even of Python numbers alone."""
    if all(isinstance(x, Tensor) and x.type.weak for x in inputs):
        return (ops.strengthen(inputs[0]), *inputs[1:])
    return inputs


def dispatch_function(func: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
    """Meaning of a NumPy function on arguments among which is a tensor."""
    module = func.__module__.removeprefix("numpy").lstrip(".")
    name = f"{module}.{func.__name__}" if module else func.__name__
    function = ops.numpy_function(name)
    if function is None:
        raise _refuse(f"np.{name}")
    return function(*args, **kwargs)
