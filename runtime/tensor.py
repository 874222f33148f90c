"""`Tensor`: one array value, computed (eager) or still to be computed (traced).

An array is a handle on a *cell*; the cell holds the current value. A view is a cell and a chain of
view operations. Reading a view re-applies its chain when the cell was written since; writing
through a view is one update of the cell. Rank-0 values behave as NumPy scalars: never views.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, ClassVar, cast

import numpy as np

from runtime import journal, ops, trace
from runtime.array_methods import ArrayMethods, check_numbers, item_of, nested_lists
from runtime.cells import Cell, ReadOnly, ViewStep, read_again, write_through
from runtime.devices import HOST, device_of, host_array, in_use, is_device_array
from runtime.dispatch import dispatch_function, dispatch_ufunc
from runtime.errors import StagingError, unknown_rank
from runtime.graph.ir import Op, Value
from runtime.layouts import lay_out
from runtime.namespace import namespace
from runtime.ops.arrays.joining import with_arrays
from runtime.ops.arrays.packing import assigned
from runtime.ops.indexing.indexing import getitem_, item_at
from runtime.ops.indexing.keys import encode_index
from runtime.origins import origin_of_caller
from runtime.process.dispatch_flag import count as _attention
from runtime.spec import TensorType, type_of_number

__all__ = ["Array", "Tensor", "constant_of", "is_constant", "link", "link_view", "tell_none"]

_ITEM = getitem_.op
_NUMBERS = (bool, int, float, complex)
# Types of the parts of a subscript that are what they are.
# What of a cell a handle shows, and how.
_SHOWN = ("_array", "_value", "_cell", "_chain", "_token", "_key", "_zero_dimensional")
_PLAIN = frozenset((int, type(None), type(...)))


def is_constant(value: Value) -> bool:
    """Whether a graph value is a constant, known while tracing."""
    return value.node is not None and value.node.op.name == "constant"


_ARITHMETIC_OF_SIZES = frozenset(("add", "subtract", "multiply", "floor_divide", "negative"))


def _is_size(value: Value) -> bool:
    """Whether it is the size of an axis, or computed of such sizes and numbers alone."""
    node = value.node
    if node is None or not (isinstance(value.type, TensorType) and value.type.weak):
        return False
    if node.op.name in _ARITHMETIC_OF_SIZES:
        return all(map(_is_size, node.inputs))
    return node.op.name in ("dim", "constant")


def constant_of(value: Value) -> Any:
    """The raw array or number of a constant."""
    assert value.node is not None
    return value.node.attrs["value"]


# Packages whose own code wants None, and no tensor, for a size that is known only at run time.
_TOLD_NONE: set[str] = set()


def tell_none(package: str) -> None:
    """Have the code of a package see None for sizes that are not known while tracing."""
    _TOLD_NONE.add(package)


def _package(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]


def _has_ellipsis(key: Any) -> bool:
    return key is ... or (type(key) is tuple and any(k is ... for k in key))


def _has_number_in_array(key: Any) -> bool:
    """Whether an index has an array of rank 0, of which NumPy makes a copy: an int makes a view."""
    parts = key if type(key) is tuple else (key,)
    return any(
        k.ndim == 0 if type(k) is np.ndarray else isinstance(k, Tensor) and k._is_array_of_rank_0()
        for k in parts
    )


class Tensor(ArrayMethods):
    """An n-dimensional array of one dtype, on a device, that gradients can flow through.

    Follows `numpy.ndarray` in operators, indexing, methods and protocols. Made by
    `autograph.constant` and by operations, not by calling the class.

    >>> import autograph as ag
    >>> x = ag.constant([1.0, 2.0])
    >>> (x * 2).numpy()
    array([2., 4.])
    """

    # The array first: native code reads it at a fixed offset.
    __slots__ = (
        "__weakref__", "_array", "_cell", "_chain", "_key", "_name", "_source", "_token",
        "_value", "_zero_dimensional",
    )  # fmt: skip

    __array_priority__ = 1000
    # Of a class for traces in which tensors and arrays differ: that of arrays; and of a class of
    # such tensors, that class.
    stands_for_array: ClassVar[bool] = False
    array_class: ClassVar[type[Tensor] | None] = None
    # Of a class whose tensors are values, which nothing changes: names need not share them.
    is_immutable: ClassVar[bool] = False

    _array: Any
    _value: Value | None
    _cell: Cell | None
    _chain: tuple[ViewStep, ...]
    _token: int
    _name: str | None
    _key: Any
    # Of a traced view of rank 0: its parent and the step, should it be an array.
    _source: tuple[Tensor, ViewStep]
    # Of rank 0: whether it is an array; None where data decides that, or whether it is a number.
    _zero_dimensional: bool | None

    def __init__(self, array: Any, value: Value | None = None, key: Any = None) -> None:
        self._array = array
        self._value = value
        self._key = key
        self._cell = None
        self._name = None
        self._zero_dimensional = False

    # ---- the current value -------------------------------------------------------------------

    def current(self) -> Tensor:
        """A tensor with the present value that later writes do not change."""
        cell = self._cell
        if cell is None:
            return self
        if not self._chain:
            return cast(Tensor, cell.root)
        if cell.token == self._token:
            return type(self)(self._array, self._value, self._own_key())
        result = read_again(cell, self._chain, self._value)
        # A traced view is derived anew at each reading: what one branch derives is not another's.
        if result._value is None:
            self._array, self._token, self._key = result._array, cell.token, result.key
        return type(self)(result._array, result._value, result.key)

    def of_class(self, kind: type[Tensor]) -> Tensor:
        """The same value as a tensor of a class; to gradients it is this one."""
        if type(self) is kind:
            return self
        now = self.current()
        return kind(now._array, now._value, now.key)

    @property
    def is_current(self) -> bool:
        """Whether its own value is the present one: the cell was not written since."""
        return self._cell is None or bool(self._cell.token == self._token)

    def _own_key(self) -> Any:
        if self._key is None:
            self._key = object()
        return self._key

    @property
    def array(self) -> Any:
        """The raw array, NumPy scalar or Python number of an eager tensor."""
        cell = self._cell
        if cell is None or cell.token == self._token:  # as `is_current`, without the call
            return self._array
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
    def is_weak(self) -> bool:
        """Whether it is a Python number, which takes the dtype of what it meets."""
        if self._value is not None:
            return self.type.weak
        return isinstance(self._array, _NUMBERS) and not isinstance(self._array, np.generic)

    @property
    def is_view(self) -> bool:
        """Whether this shows a part of another array."""
        return self._cell is not None and bool(self._chain)

    @property
    def is_part_out_of_order(self) -> bool:
        """Whether this shows a part that may not lie in C order where the whole array does."""
        return self.is_view and not all(step.keeps_contiguous() for step in self._chain)

    @property
    def is_array(self) -> bool:
        """Whether NumPy has an array here, not a scalar; of rank 0, that `as_array` was told."""
        if type(self._array) is np.ndarray:
            return True
        return bool(self._zero_dimensional) or self.type.rank != 0

    def is_no(self, ability: str, of_array: str) -> TypeError:
        """What Python raises for a number; of an array without axes NumPy says `of_array`.

        `ability` is Python's text, with `{}` for the class of the number.
        """
        if self.is_array or self.may_be_array:
            return TypeError(of_array)
        kind = self.type.dtype.type
        name = type(kind().item()).__name__ if self.type.weak else f"numpy.{kind.__name__}"
        return TypeError(ability.format(name))

    @property
    def is_read_only(self) -> bool:
        """Whether it is what `.numpy()` gave, or a part of it, which nobody may write."""
        return type(self._cell) is ReadOnly

    @property
    def may_be_array(self) -> bool:
        """Whether it is an array of rank 0 from outside at times, and a number at other times."""
        return self._zero_dimensional is None

    def as_either(self) -> Tensor:
        """This very tensor, which is an array of rank 0 at times: it can be read, not written."""
        self._zero_dimensional = None
        return self

    def refuse_unclear_write(self) -> None:
        """Raise StagingError where data decides whether this is an array, which is written."""
        if self._zero_dimensional is None:
            raise StagingError(
                f"{self.describe()} is an array of rank 0 at times and a number at other times, "
                "depending on data, and it is written here, which only an array would keep",
                "begin with a number (`h = float(h)` or `h = h[()]`), or write in each branch",
            )

    def _is_array_of_rank_0(self) -> bool:
        return bool(self._zero_dimensional) and self.type.rank == 0

    def as_array(self) -> Tensor:
        """This very tensor, which while tracing stands for an ndarray even when its rank is 0.

        NumPy gives scalars for most results of rank 0, but keeps a 0-d array as it is, and some
        functions make one. It is written in place, and returned as an ndarray.
        """
        if self._value is None:  # eager values of rank 0 are scalars
            return self
        type_ = self.type
        self._zero_dimensional = type_.rank == 0 and not type_.weak
        if self._zero_dimensional and self._cell is None and hasattr(self, "_source"):
            link(*self._source, self)
        return self

    @property
    def key(self) -> Any:
        """What identifies the present value to gradients: the value, never its wrapper."""
        now = self.current()
        return now._value if now._value is not None else now._own_key()

    @property
    def type(self) -> TensorType:
        """Dtype, shape and weakness."""
        if self._value is not None and self._cell is None:  # as mostly while tracing
            return self._value.type  # type: ignore[return-value]  # that of a tensor
        if type(self._array) is np.ndarray and not in_use[0]:
            # No write changes the type of an array: not even that of a view has to be derived.
            return TensorType(self._array.dtype, self._array.shape)
        now, cell = self, self._cell
        is_derived = cell is not None and (self._chain or type(cell) is not Cell)
        if cell is not None and not (is_derived and self._value is not None):
            now = self.current()
        if now._value is not None:
            return now._value.type  # type: ignore[return-value]  # that of a tensor
        array = now._array
        if isinstance(array, _NUMBERS) and not isinstance(array, np.generic):
            return type_of_number(array)
        if not in_use[0]:
            return TensorType(array.dtype, array.shape)
        return TensorType(array.dtype, array.shape, device=device_of(array))

    # ---- cells, views and writing ------------------------------------------------------------

    def cell(self) -> Cell:
        """The cell that this handle writes to, made when first asked for."""
        if self._cell is None:
            self._cell = Cell(type(self)(self._array, self._value, self._own_key()))
            self._cell.name = self._name
            self._chain = ()
            self._token = self._cell.token
        return self._cell

    def assign(self, new: Any) -> None:
        """Replace the whole content, in place, as `x[...] = new` does."""
        self.refuse_unclear_write()
        cell = self.cell()
        result = write_through(cell, self._chain, new)
        cell.store(result.current() if isinstance(result, Tensor) else type(self)(result))

    def __setitem__(self, key: Any, new: Any) -> None:
        if self._value is None and self._write_in_place(key, new):
            return
        check_numbers(self.type, self._name)
        if self.type.rank == 0 and self.type.weak:
            kind = type(self._array).__name__ if self._value is None else str(self.type)
            raise TypeError(f"'{kind}' object does not support item assignment")
        new = new.current() if isinstance(new, Tensor) else new
        index = with_arrays(key)
        new = assigned(self, index, new)
        self.cell().update(self, lambda old: ops.index_update(old, new, index))

    def _write_in_place(self, key: Any, new: Any) -> bool:
        """Write into the memory of an eager array, where nobody can tell the difference."""
        if not self._is_own():
            return False
        if isinstance(new, Tensor):
            if new.is_traced:
                return False
            new = new.array
        key = _eager_key(key)
        if key is NotImplemented or (in_use[0] and is_device_array(new)):
            return False
        self.array[key] = new
        return True

    def overwrite(self, new: Tensor) -> bool:
        """Take the elements of `new`, if both are eager arrays of one dtype and shape.

        As `self[...] = new`, but False where that needs more than a copy of memory.
        """
        array, other = self._array, new._array
        if type(array) is not np.ndarray or type(other) is not np.ndarray:
            return False
        if array.dtype != other.dtype or array.shape != other.shape or not self._is_own():
            return False
        self.array[...] = other
        return True

    def _is_own(self) -> bool:
        """Whether this is an eager array of the host that may be written as memory."""
        cell = self._cell
        if cell is not None and cell.exported:
            return False
        if (_attention[0] and trace.tapes()) or journal.recording() is not None:
            return False
        array = self.array
        return isinstance(array, np.ndarray) and array.flags.writeable

    def __getitem__(self, key: Any) -> Tensor:
        if self._value is not None:
            check_numbers(self.type, self._name)
        elif type(self._array) is np.ndarray and not (_attention[0] or in_use[0]):
            return self._item(key)
        if type(key) is not slice and type(key) is not int:
            key = with_arrays(key)
        result: Tensor = ops.getitem(self, key)
        if key is not None and _has_number_in_array(key):
            result = result.apart()
        return result.as_array() if result._value is not None and _has_ellipsis(key) else result

    def apart(self) -> Tensor:
        """The present content as an array of its own, which is no view."""
        now = self.current()
        return type(self)(now._array, now._value, now.key)

    def _item(self, key: Any) -> Tensor:
        """`self[key]` of an eager array of the host, where nobody listens and nothing is traced."""
        if type(key) is Tensor and key._value is None:
            key = key.array
        index, operands = encode_index(key)
        if operands:
            chosen: Tensor = item_at(self, index, operands)
            return chosen
        part, kind = self.array[key], type(self)
        if type(part) is not np.ndarray or not part.ndim:
            return kind(part[()])
        return link(self, ViewStep(_ITEM, (), {"index": index}), kind(part))

    # ---- facts -------------------------------------------------------------------------------

    def _sizes(self, asker: FrameType) -> tuple[Any, ...]:
        """The shape for the code that asks for it."""
        known = self.type.shape
        if known is None:
            raise unknown_rank()
        if None not in known or _package(asker) in _TOLD_NONE:
            return known
        return tuple(ops.dim(self, axis=i) if n is None else n for i, n in enumerate(known))

    @property
    def shape(self) -> tuple[Any, ...]:
        """Size of each axis; one that is known only at run time is an integer tensor."""
        array = self._array
        if type(array) is np.ndarray:  # no write changes it, not even that of a view
            shape: tuple[Any, ...] = array.shape
            return shape
        return self._sizes(sys._getframe(1))

    @shape.setter
    def shape(self, sizes: Any) -> None:
        """Show the same elements under another shape: this very tensor, and no view made before."""
        if self._value is None:
            self.array.view().shape = sizes  # raises as NumPy does where memory has gaps
        cell, made = self.cell(), ops.reshape(self, sizes)
        if made.type.rank == 0:
            made = made.as_array()
        name = self._name or "an array"
        journal.note(journal.Slot(("shape", id(self)), cell, name, self._shown, self._show))
        self._show(made._shown())

    def _shown(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _SHOWN)

    def _show(self, state: tuple[Any, ...]) -> None:
        for name, part in zip(_SHOWN, state, strict=True):
            setattr(self, name, part)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type, a `numpy.dtype`."""
        array = self._array
        own: np.dtype[Any] = array.dtype if type(array) is np.ndarray else self.type.dtype
        return own

    @property
    def rank(self) -> int | None:
        """Number of axes, None where it is not known while tracing."""
        return self._array.ndim if type(self._array) is np.ndarray else self.type.rank

    @property
    def ndim(self) -> int:
        """Number of axes."""
        if type(self._array) is np.ndarray:
            return self._array.ndim
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
        """Name of the device that the array is on, such as "/cpu:0"."""
        return self.type.device or HOST

    def to(self, device: str, /) -> Tensor:
        """This tensor on a device: itself where it is there already, else a copy.

        Gradients are copied back. Raises DeviceError where there is no such device.
        """
        return cast(Tensor, ops.to_device(self, device))

    def to_device(self, device: str, /, *, stream: Any = None) -> Tensor:
        """As `to`: the array API standard's name."""
        return cast(Tensor, ops.to_device(self, device, stream=stream))

    @property
    def T(self) -> Tensor:
        """The axes reversed; a view."""
        axes = tuple(range(self.ndim - 1, -1, -1))
        return self._alike(trace.apply(ops.permute_dims.op, (self,), {"axes": axes}))

    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged; a view."""
        return cast(Tensor, ops.matrix_transpose(self))

    @property
    def real(self) -> Tensor:
        """Real part; of a real array, the array itself, as in NumPy."""
        if not self.type.weak and self.type.rank != 0 and self.dtype.kind != "c":
            return self
        return self._alike(ops.real(self))

    @property
    def imag(self) -> Tensor:
        """Imaginary part."""
        return self._alike(ops.imag(self))

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

    def _given_out(self, how: str) -> Any:
        """The value, for code that computes with plain numbers; open tapes know of it."""
        found = self._known(how)
        for listener in trace.tapes():
            listener.give_out(self, how)
        return found

    def numpy(self) -> Any:
        """The value as a read-only ndarray, or a NumPy scalar for rank 0: from whatever device.

        While tracing, what stands for that: as outside of a graph, no gradient flows through it.
        """
        if not self.is_known:
            found = ops.to_device(self, HOST) if self.type.device else self
            return ops.stop_gradient(found).as_numpy()
        array = host_array(self._known("`.numpy()`"))
        if not isinstance(array, np.ndarray):
            return array if isinstance(array, np.generic) else np.asarray(array)[()]
        self.cell().exported = True
        result = array.view()
        result.flags.writeable = False
        return result

    def as_numpy(self) -> Tensor:
        """A traced value as what stands for a number of NumPy's or an array that is read-only."""
        kind: type[Tensor] = trace.current().root.numpy_class  # type: ignore[attr-defined]
        made = self.of_class(kind)
        made._name = self._name
        made._cell, made._chain = ReadOnly(kind(None, made._value)), ()
        made._token = made._cell.token
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.asarray(host_array(self._given_out("conversion to an ndarray")))
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else np.asarray(self.numpy())

    def item(self, *index: int) -> Any:
        """The only element (or the one at `index`) as a Python number."""
        if self.is_traced:
            return ops.as_weak(item_of(self, index))
        array = self._given_out("`.item()`")
        return array.item(*index) if hasattr(array, "item") else array

    def tolist(self) -> Any:
        """Nested lists of Python numbers.

        While tracing, the lists are new ones of numbers of the graph. Raises StagingError where the
        shape is known only when the graph runs.
        """
        if self.is_traced and not self.is_known:
            return nested_lists(self)
        return np.asarray(host_array(self._given_out("`.tolist()`"))).tolist()

    def tobytes(self) -> bytes:
        """The elements as bytes in C order."""
        return np.asarray(host_array(self._known("`.tobytes()`"))).tobytes()

    def __bool__(self) -> bool:
        try:
            return bool(self._known("a Python `if`, `while`, `and`, `or`, `not` or `bool()`"))
        except StagingError as error:
            origin = origin_of_caller()
            if origin is None or not origin.is_comparison:
                raise
            raise StagingError(
                "Python compares the items of two tuples or lists, which are known only when the "
                "graph runs",
                "bind them to names in this function before (`a, b = tuple(a), tuple(b)`), or "
                "compare their items",
                origin=origin,
            ) from error

    def __int__(self) -> int:
        return int(self._known("`int()`"))

    def __float__(self) -> float:
        return float(self._given_out("`float()`"))

    def __complex__(self) -> complex:
        return complex(self._given_out("`complex()`"))

    def __index__(self) -> int:
        return operator.index(host_array(self._known("a Python index or size")))

    def __len__(self) -> int:
        shape = self.type.shape
        if shape == ():
            raise self.is_no("object of type '{}' has no len()", "len() of unsized object")
        if shape is None or shape[0] is None:
            return cast(int, self._known("`len()` in code that is not converted").__len__())
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        shape = self.type.shape
        if shape == ():
            raise self.is_no("'{}' object is not iterable", "iteration over a 0-d array")
        if shape is None or shape[0] is None:
            self._known("iteration in code that is not converted")
        return (self[i] for i in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool(ops.any(self == item))

    def __copy__(self) -> Tensor:
        return self if self.type.weak else self.copy()  # a Python number is its own copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return (type(self), (self._known("pickling"),))

    def copy(self, order: str = "C") -> Tensor:
        """A tensor with the same content that shares nothing with this one."""
        return self._alike(lay_out(ops.copy(self), order, self))

    def _alike(self, result: Any) -> Tensor:
        """`result` of a method that gives an array for an array, a scalar for a scalar."""
        # Eager arrays are never of rank 0.
        is_other = result._value is not None and self.is_array
        alike: Tensor = result.as_array() if is_other else result
        return alike

    def __repr__(self) -> str:
        if self._is_size_of_the_run:
            return "?"
        if self.is_traced:
            return self.describe()
        array = host_array(self.array)
        shape = np.shape(array)
        body = np.array2string(np.asarray(array), separator=" ", prefix="Tensor(")
        on = "" if self.type.device is None else f", device={self.device}"
        return f"Tensor({body}, shape={shape}, dtype={self.dtype}{on})"

    def describe(self) -> str:
        """The tensor in a few words, for messages and debuggers."""
        name = f" {self._name}" if self._name else ""
        return f"Traced{name}: {self.type} (known at run time; use ag.eager() to see it)"

    def at_trace(self) -> Any:
        """What `print` shows of it while tracing: the value where it is known."""
        return self._known("the text") if self.is_known else self.describe()

    @property
    def _is_size_of_the_run(self) -> bool:
        """Whether it is an unknown size: a library's text of it, as of a shape, has "?" for it."""
        value = self._value
        return value is not None and not is_constant(value) and _is_size(value)

    def __str__(self) -> str:
        if not (self.is_known or self._is_size_of_the_run):
            self._known("the text")
        return repr(self)

    def __format__(self, spec: str) -> str:
        if not spec or self._is_size_of_the_run:
            return str(self)
        return format(
            host_array(self._known("a format specification outside converted code")), spec
        )

    # ---- NumPy -------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return dispatch_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return dispatch_function(func, args, kwargs)

    # ---- other libraries ---------------------------------------------------------------------

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return namespace(api_version)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory, for another library. It may write there, this tensor will not any more."""
        array = self._known("`__dlpack__`")
        if isinstance(array, np.ndarray):
            self.cell().exported = True
        elif not hasattr(array, "__dlpack__"):  # a scalar has no memory to share
            array = np.asarray(array)
        options = {
            "stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy,
        }  # fmt: skip
        # What is not said is not passed on: older releases of the libraries know fewer of them.
        return array.__dlpack__(**{k: given for k, given in options.items() if given is not None})

    def __dlpack_device__(self) -> tuple[Any, int]:
        array = self._known("`__dlpack_device__`")
        own = array if hasattr(array, "__dlpack_device__") else np.asarray(array)
        return cast("tuple[Any, int]", own.__dlpack_device__())


class Array(Tensor):
    """An ndarray, or a number of NumPy's, in a graph that tells them from tensors."""

    __slots__ = ()

    stands_for_array = True


def _eager_key(key: Any) -> Any:
    """`key` with eager tensors as arrays; NotImplemented when a part of it is traced."""
    if type(key) in _PLAIN:
        return key
    if isinstance(key, tuple):
        return _eager_parts(key)
    if isinstance(key, Tensor):
        return NotImplemented if key.is_traced else key.array
    if isinstance(key, slice):
        parts = _eager_parts((key.start, key.stop, key.step))
        return NotImplemented if parts is NotImplemented else slice(*parts)
    return key


def _eager_parts(parts: tuple[Any, ...]) -> Any:
    found = []
    for part in parts:
        known = _eager_key(part)
        if known is NotImplemented:
            return NotImplemented
        found.append(known)
    return tuple(found)


def link_view(parent: Any, op: Op, operands: tuple[Any, ...], attrs: Any, result: Tensor) -> Tensor:
    """Make `result`, traced just now from `parent` by the view op `op`, a view of it."""
    if not isinstance(parent, Tensor) or not (parent.is_array or parent.may_be_array):
        return result  # of a number NumPy makes an array of its own
    step = ViewStep(op, operands, attrs)
    if result._value.type.rank == 0:  # type: ignore[union-attr]
        result._source = (parent, step)
        return result
    return link(parent, step, result)


def link(parent: Tensor, step: ViewStep, result: Tensor) -> Tensor:
    """Make `result`, an array that `step` gave of `parent`, a view of it."""
    cell = parent._cell or parent.cell()
    result._cell, result._token = cell, cell.token
    result._chain = (*parent._chain, step)
    return result
