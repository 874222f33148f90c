"""Operators and methods of an ndarray, for a class that stands for one.

What they compute are ops. NumPy scalars and Python numbers are immutable, arrays are written in
place; and where NumPy's result of rank 0 is an array, so it is here.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np

from runtime import journal, ops, trace
from runtime.devices import is_device_array
from runtime.dispatch import call_numpy
from runtime.dtypes import dtype_from, kind_of
from runtime.errors import StagingError
from runtime.foreign import Operator
from runtime.ops.declaration.operands import rank_of, type_of
from runtime.ops.elementwise.arithmetic import complex_modulus, complex_product
from runtime.ops.numpy_compat.likenesses import raise_as_numpy
from runtime.ops.numpy_compat.writing import put_flat
from runtime.spec import TensorType, shape_text

__all__ = [
    "ArrayMethods",
    "FlatView",
    "check_class",
    "check_in_place",
    "check_numbers",
    "item_of",
    "nested_lists",
]

Method: TypeAlias = Callable[[Any, Any], Any]
_OPERANDS = (bool, int, float, complex, np.ndarray, np.generic, list, tuple)


def _operand(x: Any) -> Any:
    if not isinstance(x, (list, tuple)):
        return x
    return ops.asarray(x) if _has_traced(x) else np.asarray(x)


def _seen(x: Any, other: Any) -> Any:
    """What an operator of `x` sees of an operand of another kind: the graph may have an array."""
    return trace.current().operand(x, other)


def _has_traced(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_has_traced, x))
    return isinstance(x, ArrayMethods) and cast(Any, x)._value is not None


def _is_operand(self: Any, other: Any, foreign: Operator) -> bool:
    """Whether an operator is an op of numbers, and not the other operand's own affair."""
    if not isinstance(other, _OPERANDS):
        return is_device_array(other)
    kind = type(other)
    if self._value is None or kind in _EXACT or isinstance(other, (np.ndarray, np.generic)):
        return True
    if isinstance(other, (list, tuple)):
        return not self.type.weak and kind in (list, tuple)
    if self.type.weak:
        return not foreign.is_overridden_by(other)
    return not foreign.is_unclear(self, other)


def _is_scalar(self: Any, other: Any) -> bool:
    """Whether a traced value and what is no tensor are no arrays, which have no `@`."""
    return not (
        self._value is None
        or self.is_array
        or isinstance(other, np.ndarray)
        or bool(getattr(other, "is_array", False))
    )


def _is_other_array(x: Any, other: Any) -> bool:
    return isinstance(x, ArrayMethods) and not _is_scalar(x, other)


_EXACT = frozenset((bool, int, float, complex, np.ndarray))


def _binary(function: Callable[..., Any], name: str, reflected: bool = False) -> Method:
    foreign = Operator(name, reflected=reflected)
    no_scalars = name == "matmul"

    def method(self: Any, other: Any) -> Any:
        if type(other) in _EXACT and self._value is None:
            return function(self, other)
        is_ours = isinstance(other, ArrayMethods)
        if not is_ours and type(other) not in _EXACT:
            other = _seen(self, other)
            is_ours = isinstance(other, ArrayMethods)
        if not is_ours:
            if not _is_operand(self, other, foreign) or (no_scalars and _is_scalar(self, other)):
                return NotImplemented if self._value is None else foreign.apply(self, other)
            other = _operand(other)
        elif no_scalars and _is_scalar(self, other) and _is_scalar(other, self):
            raise _no_matmul("@", *((other, self) if reflected else (self, other)))
        if self._value is not None and not reflected:
            other = _beside_complex(self, other)
        return function(self, other)

    return method


def _no_matmul(sign: str, *numbers: Any) -> TypeError:
    one, two = (type_of(x).class_name(False) for x in numbers)
    return TypeError(f"unsupported operand type(s) for {sign}: '{one}' and '{two}'")


def _beside_complex(x: Any, other: Any) -> Any:
    """`other` as the operator of `x` sees it: a Python complex takes float64 for a float."""
    if not (x.type.weak and x.dtype.kind == "c"):
        return other
    if isinstance(other, ArrayMethods):
        return ops.as_weak(cast(Any, other)) if _is_python_float(other) else other
    return float(other) if isinstance(other, np.float64) else other


def _equality(function: Callable[..., Any], name: str, otherwise: bool) -> Method:
    """`==` or `!=`; with what is no number, NumPy finds no element equal."""
    foreign = Operator(name)

    def method(self: Any, other: Any) -> Any:
        if type(other) not in _EXACT and not isinstance(other, ArrayMethods):
            other = _seen(self, other)
        if isinstance(other, ArrayMethods) or _is_operand(self, other, foreign):
            return function(self, _operand(other))
        check_numbers(self.type, self._name)
        if self._value is not None:
            return foreign.apply(self, other)
        if self.type.weak:
            return NotImplemented
        if isinstance(other, _UNEQUAL) or (other is None and self.is_array):
            return ops.full(self.shape, otherwise, dtype=bool)
        return foreign.of_elements(self, other) if self.is_array else NotImplemented

    return method


def _is_written(x: Any) -> bool:
    """Whether `fill` and `put` change it: not a number of NumPy's, which they pass over."""
    return x._value is None or x.is_array or x.may_be_array


def item_of(x: Any, index: tuple[Any, ...]) -> Any:
    """The element of a traced array that `x.item(*index)` names, of rank 0.

    Raises ValueError and IndexError as NumPy does.
    """
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    if not index:
        if any(n not in (1, None) for n in x.type.shape or ()):
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return ops.reshape(x, ())
    given = tuple(map(_index, index))
    if len(given) == 1 and x.ndim != 1:
        x = ops.reshape(x, (-1,))
        size = x.type.shape[0]
        if isinstance(given[0], int) and size is not None and not -size <= given[0] < size:
            raise IndexError(f"index {given[0]} is out of bounds for size {size}")
    if len(given) != x.ndim:
        raise ValueError("incorrect number of indices for array")
    return ops.getitem(x, given)


def _index(i: Any) -> Any:
    """An index of an element: an integer, which may be one of the graph."""
    if isinstance(i, bool):
        raise TypeError("an integer is required")
    if not isinstance(i, ArrayMethods) or cast(Any, i)._value is None:
        return operator.index(i)
    type_ = cast(Any, i).type
    if type_.rank != 0 or type_.dtype.kind not in "iu":
        kind = type_.dtype.type(0).item() if type_.weak else type_.dtype.type(0)
        name = type(kind).__name__ if type_.weak else f"numpy.{type(kind).__name__}"
        raise TypeError(f"'{name}' object cannot be interpreted as an integer")
    return i


def nested_lists(x: Any) -> Any:
    """What `x.tolist()` of a traced array gives: new lists of Python numbers of the graph."""
    shape = x.type.shape
    if shape is None or None in shape:
        raise StagingError(
            "`.tolist()` makes lists of a number of items that is known only when the graph runs",
            "give the shape in the input_signature, or use the array in place of lists",
        )
    return _lists_at(x, shape, ())


def _lists_at(x: Any, shape: tuple[int, ...], index: tuple[int, ...]) -> Any:
    if len(index) == len(shape):
        return ops.as_weak(ops.getitem(x, index) if index else x)
    items = [_lists_at(x, shape, (*index, i)) for i in range(shape[len(index)])]
    return journal.fresh(items)


_UNEQUAL = (str, bytes, dict, type, type(...))
_NOT_NUMBERS = {"O": "Python objects", "S": "bytes", "U": "text", "V": "records"}


def check_numbers(type_: TensorType, name: str | None) -> None:
    """Raise StagingError for an array whose elements a graph cannot compute with."""
    words = _NOT_NUMBERS.get(kind_of(type_.dtype))
    if words is not None:
        what = f"`{name.strip('`')}`" if name else "this"
        raise StagingError(
            f"{what} is an array of {words} (dtype {type_.dtype}), and a graph computes with "
            "numbers",
            "turn it into numbers before the call, or mark the function that uses it with "
            "@ag.do_not_convert",
        )


def check_class(kind: type, name: str) -> None:
    """Raise StagingError for arrays of a class that may give operators another meaning."""
    if kind not in (np.ndarray, np.memmap):
        raise StagingError(
            f"{name} is a {kind.__module__}.{kind.__qualname__}, a subclass of ndarray, whose "
            "operators may mean something else than those of an array",
            "pass `np.asarray(...)` of it",
        )


def _reflected(function: Callable[..., Any], name: str) -> Method:
    def swapped(self: Any, other: Any) -> Any:
        if type(other) is complex and self._value is not None and _is_python_float(self):
            self = ops.as_weak(self)
        return function(other, self)

    return _binary(swapped, name, reflected=True)


def _is_python_float(x: Any) -> bool:
    """Whether a scalar is a Python float, too: a `complex` does not leave the operator to it."""
    return not x.is_array and x.dtype == np.float64


def _or_repeated(multiply: Method, *, reflected: bool = False) -> Method:
    """`multiply`, but an integer scalar repeats a sequence, as Python and NumPy have it."""
    foreign = Operator("mul", reflected=reflected)

    def method(self: Any, other: Any) -> Any:
        if isinstance(other, (list, tuple, str)):
            type_ = self.type
            if type_.rank == 0 and type_.dtype.kind in "biu" and not self.is_array:
                if type_.dtype.kind == "b" and not type_.weak:
                    kind = "numpy.bool"
                    raise TypeError(f"can't multiply sequence by non-int of type '{kind}'")
                return trace.current().repeated(other, self)
            if self._value is not None and not self.is_array:
                return foreign.apply(self, other)
        return multiply(self, other)

    return method


def _product(x: Any, y: Any) -> Any:
    """`x * y`: NumPy rounds the product of complex scalars otherwise than that of arrays."""
    return (complex_product if _are_complex_numbers(x, y) else ops.multiply)(x, y)


def _ordered(compare: Callable[..., Any]) -> Callable[..., Any]:
    """`x < y` and its kin: of complex scalars NumPy compares the imaginary parts, nan or not,
    where the real ones are equal, and these alone where they are not."""

    def ordered(x: Any, y: Any) -> Any:
        if not _are_complex_scalars(x, y):
            return compare(x, y)
        a, b = ops.real(x), ops.real(y)
        return ops.where(ops.equal(a, b), compare(ops.imag(x), ops.imag(y)), compare(a, b))

    return ordered


def _power(x: Any, y: Any) -> Any:
    """`x ** y`: arrays of bool to the 2 are squared by NumPy's operator, to int8.

    A Python int to a negative int is the power of two floats, and Python's.
    """
    if type(y) is int:
        if y == 2 and x.is_array and x.dtype == _BOOL:
            return ops.square(x)
        if y < 0 and x.type.weak and x.dtype.kind in "bi":
            return ops.pow(ops.as_weak(x, kind="float"), float(y))
    return ops.pow(x, y)


def _modulus(x: Any) -> Any:
    return (complex_modulus if _are_complex_numbers(x) else ops.abs)(x)


_REAL, _BOOL = np.dtype(np.float64), np.dtype(bool)


def _are_complex_numbers(*operands: Any) -> bool:
    """Whether these are scalars of NumPy's in a graph, of which one is complex."""
    return _are_complex_scalars(*operands) and any(
        getattr(x, "_value", None) is not None for x in operands
    )


def _are_complex_scalars(*operands: Any) -> bool:
    """Whether these are scalars of NumPy's, of which one is complex."""
    for x in operands:
        if type(x) is complex or getattr(x, "dtype", _REAL).kind == "c":
            break
    else:
        return False
    types = [type_of(x) for x in operands]
    if any(t.rank != 0 for t in types) or all(t.weak for t in types):
        return False
    return not any(map(_is_rank_0_array, operands))


def _is_rank_0_array(x: Any) -> bool:
    return isinstance(x, np.ndarray) or bool(getattr(x, "is_array", False))


def _or_fraction(power: Method) -> Method:
    """`power`, but not with the float that a `Fraction` hands on for what is no number to it.

    The power of a fraction and a whole number is a fraction.
    """
    foreign = Operator("pow", reflected=True)

    def method(self: Any, other: Any) -> Any:
        is_handed_on = type(other) is float and sys._getframe(1).f_code is _POWER_OF_FRACTIONS
        if is_handed_on and _is_whole(self):
            raise foreign.refusal(self, Fraction(other))
        return power(self, other)

    return method


_POWER_OF_FRACTIONS = Fraction.__pow__.__code__


def _is_whole(x: Any) -> bool:
    kinds = "biu" if x.type.weak else "iu"
    return not x.is_array and x.dtype.kind in kinds


def _in_place(name: str, short: str, function: Callable[..., Any] | None = None) -> Method:
    function = function or getattr(ops, name)
    foreign = Operator(short, in_place=True)

    def method(self: Any, other: Any) -> Any:
        if type(other) not in _EXACT and not isinstance(other, ArrayMethods):
            other = _seen(self, other)
        if type(other) in _EXACT and self._value is None:
            pass
        elif not isinstance(other, ArrayMethods) and not _is_operand(self, other, foreign):
            return NotImplemented if self._value is None else foreign.apply(self, other)
        elif isinstance(other, (list, tuple)):
            if self._value is not None and not self.is_array:
                return NotImplemented
            other = _operand(other)
        if name == "matmul" and _is_scalar(self, other) and not _is_other_array(other, self):
            raise _no_matmul("@=", self, other)
        self.refuse_unclear_write()
        cell = getattr(self, "_cell", None)
        if cell is not None and cell.is_mixed and _operates(self, other):
            _operate_on_each(name, function, self, other)
            return self
        result = _operated(name, function, self, other)
        if not self.is_array:  # NumPy scalars and Python numbers are immutable: the name is rebound
            return result
        if not self.overwrite(result):
            check_in_place(name, self.type, result.type)
            self[...] = ops.astype(result, self.dtype, copy=False)
        return self

    return method


def _operates(x: Any, other: Any) -> bool:
    """Whether an operand has one dtype, whichever of several arrays `x` is, or is that very one."""
    cell = getattr(other, "_cell", None)
    return other is x or cell is None or not cell.is_mixed


def _operate_on_each(name: str, function: Callable[..., Any], x: Any, other: Any) -> None:
    """Operate in place on one of several arrays, depending on data: in the dtype of each."""
    is_own = other is x
    if hasattr(type(other), "current"):
        other = other.current()

    def change(old: Any) -> Any:
        result = _operated(name, function, old, old if is_own else other)
        check_in_place(name, old.type, result.type)
        return ops.index_update(old, result, ...)

    x.cell().update(x, change)


def _operated(name: str, function: Callable[..., Any], x: Any, other: Any) -> Any:
    """The result of an in-place operator. NumPy's error names the shape of the result, too."""
    try:
        return function(x, other)
    except ValueError as error:
        if not x.is_array or name == "matmul":
            raise
        raise_as_numpy(error, getattr(np, name), (x, other), {"out": (x,)})


def check_in_place(op_name: str, target: TensorType, result: TensorType) -> None:
    """Raise as NumPy does when the result of an in-place operator does not fit its target."""
    is_same = result.dtype == target.dtype
    if not is_same and not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            getattr(np, op_name), "same_kind", result.dtype, target.dtype, 0
        )
    if result.shape is not None and target.shape is not None and result.rank != target.rank:
        own, whole = shape_text(target.shape), shape_text(result.shape)
        shapes = f"{own} doesn't match the broadcast shape {whole}"
        raise ValueError(f"non-broadcastable output operand with shape {shapes}")


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


def _is_nest(x: Any) -> bool:
    return isinstance(x, (list, tuple))


def _numpys(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that has the parameters of NumPy's function of that name, in their order."""
    numpys = getattr(np, function.__name__.removeprefix("numpy_"))
    names = frozenset(inspect.signature(function).parameters)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) <= 1 and kwargs.keys() <= names and not any(map(_is_nest, args)):
            return function(self, *args, **kwargs)
        meaning = ops.numpy_function(numpys.__name__)
        return call_numpy(numpys, meaning, (self, *args), kwargs)

    method.__name__, method.__doc__ = numpys.__name__, function.__doc__
    return method


def _alike_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that gives an array for an array, even of rank 0, and a scalar for a scalar."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._alike(function(self, *args, **kwargs))

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


class _UnhashableError(StagingError, TypeError):
    """A traced number is used as a key: Python's own classes say that by TypeError."""


_choose = ops.by_numpy_name()["choose"]


class FlatView:
    """`x.flat`, as NumPy's."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def elements(self) -> Any:
        """The elements, as an array of one axis."""
        return ops.reshape(self._array, (-1,))

    def __getitem__(self, key: Any) -> Any:
        part = self.elements()[key]
        return ops.copy(part) if rank_of(part) else part

    def __setitem__(self, key: Any, value: Any) -> None:
        put_flat(self._array, key, value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.elements())

    def __len__(self) -> int:
        return len(self.elements())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.elements(), dtype)


class ArrayMethods:
    """The operators and methods; `Tensor` adds the value."""

    __slots__ = ()

    @property
    def flat(self: Any) -> FlatView:
        """The elements in C order, to be read and written by their number."""
        return FlatView(self)

    @flat.setter
    def flat(self: Any, values: Any) -> None:
        self.flat[:] = values

    # ---- methods that write ------------------------------------------------------------------

    def fill(self: Any, value: Any) -> None:
        """Set every element, in place; a number of NumPy's keeps its value, as NumPy has it."""
        if _is_written(self):
            self[...] = ops.packed_element(value, self.dtype)

    def sort(self: Any, axis: int = -1) -> None:
        """Sort along `axis`, in place."""
        self[...] = ops.sort(self, axis=axis)

    def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect") -> None:
        """Arrange along `axis`, in place, so that the element `kth` is as if sorted."""
        self[...] = ops.partition(self, kth, axis)

    def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write values at positions of the flattened array, in place; numbers as in `fill`."""
        if _is_written(self):
            ops.by_numpy_name()["put"](self, indices, values, mode=mode)

    # ---- operators: NumPy's, on tensors, arrays, numbers and lists ------------------------------

    def __hash__(self: Any) -> int:
        if self._value is None:
            raise TypeError(f"unhashable type: {type(self).__name__!r}")
        if self.is_array:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        raise _UnhashableError(
            f"the hash of {self.describe()} is needed, as for a key of a dict or an item of a set",
            "its value is known only when the graph runs: use an array indexed by it, or compare "
            "with each key (`==`)",
        )

    __eq__ = _equality(ops.equal, "eq", False)
    __ne__ = _equality(ops.not_equal, "ne", True)
    __lt__ = _binary(_ordered(ops.less), "lt")
    __le__ = _binary(_ordered(ops.less_equal), "le")
    __gt__ = _binary(_ordered(ops.greater), "gt")
    __ge__ = _binary(_ordered(ops.greater_equal), "ge")

    __add__ = _binary(ops.add, "add")
    __sub__ = _binary(ops.subtract, "sub")
    __mul__ = _or_repeated(_binary(_product, "mul"))
    __truediv__ = _binary(ops.divide, "truediv")
    __floordiv__ = _binary(ops.floor_divide, "floordiv")
    __mod__ = _binary(ops.remainder, "mod")
    __pow__ = _binary(_power, "pow")
    __matmul__ = _binary(ops.matmul, "matmul")
    __and__ = _binary(ops.bitwise_and, "and")
    __or__ = _binary(ops.bitwise_or, "or")
    __xor__ = _binary(ops.bitwise_xor, "xor")
    __lshift__ = _binary(ops.bitwise_left_shift, "lshift")
    __rshift__ = _binary(ops.bitwise_right_shift, "rshift")

    __radd__ = _reflected(ops.add, "add")
    __rsub__ = _reflected(ops.subtract, "sub")
    __rmul__ = _or_repeated(_reflected(_product, "mul"), reflected=True)
    __rtruediv__ = _reflected(ops.divide, "truediv")
    __rfloordiv__ = _reflected(ops.floor_divide, "floordiv")
    __rmod__ = _reflected(ops.remainder, "mod")
    __rpow__ = _or_fraction(_reflected(ops.pow, "pow"))
    __rmatmul__ = _reflected(ops.matmul, "matmul")
    __rand__ = _reflected(ops.bitwise_and, "and")
    __ror__ = _reflected(ops.bitwise_or, "or")
    __rxor__ = _reflected(ops.bitwise_xor, "xor")
    __rlshift__ = _reflected(ops.bitwise_left_shift, "lshift")
    __rrshift__ = _reflected(ops.bitwise_right_shift, "rshift")

    __iadd__ = _in_place("add", "add")
    __isub__ = _in_place("subtract", "sub")
    __imul__ = _in_place("multiply", "mul", _product)
    __itruediv__ = _in_place("divide", "truediv")
    __ifloordiv__ = _in_place("floor_divide", "floordiv")
    __imod__ = _in_place("remainder", "mod")
    __ipow__ = _in_place("pow", "pow")
    __imatmul__ = _in_place("matmul", "matmul")
    __iand__ = _in_place("bitwise_and", "and")
    __ior__ = _in_place("bitwise_or", "or")
    __ixor__ = _in_place("bitwise_xor", "xor")
    __ilshift__ = _in_place("bitwise_left_shift", "lshift")
    __irshift__ = _in_place("bitwise_right_shift", "rshift")

    __neg__ = _method(ops.negative)
    __pos__ = _method(ops.positive)
    __abs__ = _method(_modulus)
    __invert__ = _method(ops.bitwise_invert)

    __divmod__ = _binary(lambda self, other: (self // other, self % other), "divmod")
    __rdivmod__ = _reflected(lambda other, self: (other // self, other % self), "divmod")

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        if ndigits is None:
            return ops.as_weak(ops.round(self), kind="int")
        if self.type.weak and kind_of(self.dtype) == "f":
            return ops.round_number(self, ndigits=ndigits)
        rounded = ops.round(self, decimals=ndigits)
        return ops.as_weak(rounded) if self.type.weak else rounded

    # ---- methods of ndarray ------------------------------------------------------------------

    all = _numpys(ops.all)
    any = _numpys(ops.any)
    argmax = _numpys(ops.argmax)
    argmin = _numpys(ops.argmin)
    argpartition = _numpys(ops.argpartition)
    argsort = _numpys(ops.by_numpy_name()["argsort"])
    astype = _alike_method(ops.astype)
    clip = _numpys(ops.clip)
    cumprod = _numpys(ops.cumprod)
    cumsum = _numpys(ops.cumsum)
    diagonal = _numpys(ops.diagonal)
    dot = _numpys(ops.dot)
    max = _numpys(ops.max)
    mean = _numpys(ops.mean)
    min = _numpys(ops.min)
    nonzero = _numpys(ops.nonzero)
    prod = _numpys(ops.prod)
    ravel = _numpys(ops.ravel)
    repeat = _numpys(ops.repeat)
    round = _numpys(ops.round)
    searchsorted = _numpys(ops.searchsorted)
    squeeze = _alike_method(ops.squeeze)
    std = _numpys(ops.std)
    sum = _numpys(ops.sum)
    swapaxes = _numpys(ops.swapaxes)
    take = _numpys(ops.take)
    trace = _numpys(ops.trace)
    var = _numpys(ops.var)

    def choose(self: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        """For each of these integers, the element of the choice of that number."""
        if out is None:
            return self._alike(_choose(self, choices, mode=mode))
        out[...] = _choose(self, choices, mode=mode)
        return out

    def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """The parts along `axis` (None: flattened) for which the condition is true."""
        if out is None:
            return self._alike(ops.compress(condition, self, axis=axis))
        out[...] = ops.compress(condition, self, axis=axis)
        return out

    def conj(self: Any) -> Any:
        """The complex conjugate; of a Python number, a Python number.

        As the method of NumPy, and unlike its function, it gives a real array itself.
        """
        if not self.type.weak and self.dtype.kind != "c":
            if self.type.rank != 0 or self.is_array:
                return self
            return ops.positive(self) if self.dtype.kind != "b" else ops.logical_or(self, self)
        result = ops.conj(self)
        return ops.as_weak(result) if self.type.weak else result

    conjugate = conj

    def transpose(self: Any, *axes: Any) -> Any:
        """The axes in the given order (reversed when none is given); a view."""
        if not axes or axes == (None,):
            return self.T
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self._alike(ops.transpose(self, tuple(order)))

    def view(self: Any, dtype: Any = None, type: Any = np.ndarray) -> Any:
        """A view of all elements, or of their memory as numbers of another dtype.

        Raises StagingError for another class of arrays.
        """
        if inspect.isclass(dtype) and issubclass(dtype, np.ndarray):
            dtype, type = None, dtype
        if type is not np.ndarray:
            raise StagingError(
                f"`.view` of {self.describe()} as another class has no tensor form yet",
                "compute the numbers (`astype`), or do it outside the converted function",
            )
        if dtype is not None and dtype_from(dtype) != self.dtype:
            return self._alike(ops.view(self, dtype=dtype_from(dtype)))
        return self[...] if self.type.rank != 0 or self.is_array else self

    def reshape(self: Any, *shape: Any, order: str = "C") -> Any:
        """The elements under another shape, in the order of `ops.reshape`; one size may be -1."""
        one = len(shape) == 1 and isinstance(shape[0], (tuple, list))
        return self._alike(ops.reshape(self, tuple(shape[0]) if one else shape, order))

    def flatten(self: Any, order: str = "C") -> Any:
        """A copy with one axis."""
        return ops.copy(ops.reshape(self, (-1,), order))
