"""TensorFlow's tensors: those of `ag` with TensorFlow's operators, dtypes and text.

They differ from `ag.Tensor` in this: an operator casts an array beside a tensor to the tensor's
dtype; `x += y` makes a new tensor and leaves the old one as it was; Python numbers become float32
and int32; the text is TensorFlow's. In a graph of `tf.function`, an `Array` stands for an ndarray,
so that NumPy code in there keeps NumPy's meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from autograph.tf.defaults import (
    ARRAYS,
    DEFAULTS,
    NUMBERS,
    array_of,
    dtype_of_number,
    dtype_of_weak,
)
from autograph.tf.references import Reference
from autograph.tf.tensor_shape import TensorShape
from runtime import ops
from runtime.array_methods import ArrayMethods
from runtime.building import constant as constant_of_array
from runtime.graph.ir import Value
from runtime.ops.elementwise.conversion import bitcast as bitcast_
from runtime.process.debuggers import is_looking
from runtime.structure import tree
from runtime.tensor import Array as AnyArray
from runtime.tensor import Tensor as AnyTensor
from runtime.variable import Variable as AnyVariable

__all__ = [
    "Array",
    "Tensor",
    "as_results",
    "as_tensor",
    "beside",
    "bitcast",
    "cast",
    "constant",
    "convert_to_tensor",
    "get_static_value",
    "is_tensor",
    "on_own_lines",
    "operands",
    "saturate_cast",
]

_equal: Any = ArrayMethods.__eq__
_not_equal: Any = ArrayMethods.__ne__


class Array(AnyArray):
    """An ndarray in a graph of `tf.function`: captured, or made there by NumPy."""

    __slots__ = ()


class Tensor(AnyTensor):
    """A tensor as TensorFlow has it; made by `tf.constant` and by operations.

    >>> import autograph.tf as tf
    >>> x = tf.constant([[1, 2], [3, 4]])
    >>> y = x
    >>> y += 1
    >>> print(x)
    tf.Tensor(
    [[1 2]
     [3 4]], shape=(2, 2), dtype=int32)
    >>> y[0]
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """

    __slots__ = ("_slice_of",)

    is_immutable = True
    array_class = Array

    __hash__: ClassVar[None]  # type: ignore[assignment]
    # Of `v[key]`, to be assigned: the variable and the key.
    _slice_of: tuple[Any, Any] | None

    def __init__(self, array: Any, value: Value | None = None, key: Any = None) -> None:
        if value is None and type(array) in DEFAULTS:
            array = dtype_of_number(array).type(array)
        super().__init__(array, value, key)

    @property  # type: ignore[misc]  # nobody sets it: the tensors of TensorFlow do not change
    def shape(self) -> TensorShape:  # type: ignore[override]
        """Size of each axis."""
        return TensorShape(self._sizes(sys._getframe(1)))

    def get_shape(self) -> TensorShape:
        """Size of each axis."""
        return self.shape

    def set_shape(self, shape: Sequence[int | None]) -> None:
        """Nothing, but ValueError where the shape cannot be this one."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"a tensor of shape {self.shape} cannot have the shape {tuple(shape)}")

    def ref(self) -> Reference:
        """A hashable reference to the tensor, for sets and dicts; `deref()` gives the tensor."""
        return Reference(self)

    def assign(self, new: Any, *_: Any) -> Any:
        """Of `variable[key]`: assign that part of the variable."""
        if hasattr(self, "_slice_of"):
            if self._slice_of is None:
                raise TypeError("parts of parts are not assigned: use one key, `v[0, 1].assign(x)`")
            variable, key = self._slice_of
            new = ops.astype(as_tensor(new), variable.dtype)
            return variable.assign(ops.index_update(variable.read_value(), new, key))
        return super().assign(new)

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        if hasattr(self, "_slice_of") and type(part) is Tensor:
            part._slice_of = None
        return part

    def __setitem__(self, key: Any, new: Any) -> None:
        if hasattr(self, "_slice_of"):
            raise TypeError(
                "a part of a Variable is written by `variable[key].assign(value)`, or by "
                "`variable.assign(...)` as a whole"
            )
        super().__setitem__(key, new)

    def __eq__(self, other: object) -> Any:
        return False if other is None else _equal(self, beside(self, other))

    def __ne__(self, other: object) -> Any:
        return True if other is None else _not_equal(self, beside(self, other))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and len(inputs) == 2 and not kwargs:
            # `array * tensor` comes here; TensorFlow's operator has the dtype of the tensor.
            inputs = tuple(beside(self, x) for x in inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    # ---- text --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        facts = f"shape={self.shape}, dtype={self._shown_dtype()}"
        if self.is_traced:
            text = f"<tf.Tensor '{self._title()}' {facts.replace(', dtype', ' dtype')}>"
            return f"{text} {_WAY_TO_SEE}" if is_looking() else text
        array = self.array
        text = repr(array) if isinstance(array, np.ndarray) else repr(array.item())
        return f"<tf.Tensor: {facts}, numpy={on_own_lines(text)}>"

    def __str__(self) -> str:
        facts = f"shape={self.shape}, dtype={self._shown_dtype()}"
        if self.is_traced:
            return f'Tensor("{self._title()}", {facts})'
        return f"tf.Tensor({on_own_lines(str(self.array))}, {facts})"

    def __format__(self, spec: str) -> str:
        return str(self) if self.is_traced and not spec else format(self._known("text"), spec)

    def at_trace(self) -> Any:
        """What `print` shows of it while tracing."""
        return str(self)

    def _shown_dtype(self) -> np.dtype[Any]:
        """The dtype that the value has once it is an operand: a counter is an int32 then."""
        return dtype_of_weak(self.dtype) if self.type.weak else self.dtype

    def _title(self) -> str:
        value = self.value
        assert value is not None
        name = value.name or ("Const" if value.node is None else value.node.op.name)
        return f"{'Const' if name == 'constant' else name}:0"


# What a debugger shows beside what is traced.
_WAY_TO_SEE = "(known at run time; use tf.config.run_functions_eagerly(True) to see it)"


def on_own_lines(text: str) -> str:
    """Text of several lines begins on a line of its own."""
    return f"\n{text}" if "\n" in text else text


# ---- operators ---------------------------------------------------------------------------------


def beside(self: Any, other: Any) -> Any:
    """An operand of a tensor's operator: an array takes the tensor's dtype.

    Beside a Python number of the graph it stays an array.
    """
    if isinstance(other, (list, tuple)):
        other = constant(other)
    is_array = type(other) is Array and not (other.type.weak or self.type.weak)
    if is_array or isinstance(other, ARRAYS):
        return _adapted(other, self)
    return other


def _widened(x: Any) -> Any:
    """An operand of `/`: TensorFlow divides small integers in float32, NumPy in float16."""
    if isinstance(x, AnyTensor) and x.dtype.kind in "iu" and x.dtype.itemsize < 4:
        return ops.astype(x, np.dtype(np.float32))
    return x


def _operator(name: str) -> Callable[[Any, Any], Any]:
    method, divides = getattr(ArrayMethods, name), "truediv" in name

    def operate(self: Any, other: Any) -> Any:
        if type(other) is not Tensor:
            other = beside(self, other)
        if divides:
            self, other = _widened(self), _widened(other)
        return method(self, other)

    operate.__name__ = operate.__qualname__ = name
    return operate


def _array_operator(name: str) -> Callable[[Any, Any], Any]:
    method = getattr(ArrayMethods, name)

    def operate(self: Any, other: Any) -> Any:
        # A tensor has the say beside an array, on whichever side it stands; a number has not.
        is_tensor = type(other) is Tensor and not other.type.weak
        return NotImplemented if is_tensor else method(self, other)

    operate.__name__ = operate.__qualname__ = name
    return operate


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()  # noqa: SIM905
_COMPARISONS = "lt le gt ge".split()  # noqa: SIM905

for _short in (*_BINARY, *_COMPARISONS, "eq", "ne"):
    setattr(Array, f"__{_short}__", _array_operator(f"__{_short}__"))
for _short in _BINARY:
    setattr(Tensor, f"__{_short}__", _operator(f"__{_short}__"))
    setattr(Tensor, f"__r{_short}__", _operator(f"__r{_short}__"))
    # A new tensor: the old one, which may have other names, stays as it was.
    setattr(Tensor, f"__i{_short}__", _operator(f"__{_short}__"))
for _short in _COMPARISONS:
    setattr(Tensor, f"__{_short}__", _operator(f"__{_short}__"))


# ---- making tensors ----------------------------------------------------------------------------


def as_tensor(x: Any, like: Any = None) -> Any:
    """`x` as an operand of TensorFlow's: a tensor, its dtype its own or TensorFlow's default.

    A Python number beside the tensor `like` stays a number, which adapts to it.
    """
    if not isinstance(x, AnyTensor) and _stands_for_tensor(x):
        x = x.read_value()
    if isinstance(x, AnyTensor):
        x = x.of_class(Tensor)
        return ops.astype(x, dtype_of_weak(x.dtype)) if x.type.weak and like is None else x
    if type(x) in NUMBERS and like is not None:
        return x
    return constant(x)


def operands(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands of an operation: numbers and arrays adapt to the tensor beside them."""
    left, right = is_tensor(x), is_tensor(y)
    if left and not right:
        x = as_tensor(x)
        return x, _adapted(y, x)
    if right and not left:
        y = as_tensor(y)
        return _adapted(x, y), y
    x, y = as_tensor(x), as_tensor(y)
    if {x.dtype, y.dtype} == {DEFAULTS[int], DEFAULTS[float]} and not (left or right):
        # Python numbers of both kinds.
        x, y = ops.astype(x, DEFAULTS[float]), ops.astype(y, DEFAULTS[float])
    return x, y


def _adapted(x: Any, like: Any) -> Any:
    if type(x) in NUMBERS:
        return x
    x = as_tensor(x)
    # A fraction is kept, where TensorFlow would cut it off to an integer.
    fits = np.can_cast(x.dtype, like.dtype, "same_kind")
    return ops.astype(x, like.dtype) if fits and not like.type.weak else x


def as_results(nest: Any) -> Any:
    """Numbers, arrays and variables of a result as tensors; None, text and objects as they are."""
    leaves, structure = tree.flatten(nest)
    made = [_result(x) for x in leaves]
    if all(a is b for a, b in zip(leaves, made, strict=True)):
        return nest
    return tree.unflatten(structure, made)


def _result(x: Any) -> Any:
    if type(x) is Array and x.is_read_only:  # what `.numpy()` gave stays that
        return x
    is_number = isinstance(x, (*NUMBERS, np.number, np.bool_))
    is_array = isinstance(x, np.ndarray) and x.dtype.kind in "biufc"
    if _stands_for_tensor(x) or is_number or is_array:
        return as_tensor(x)
    return x


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or a variable.

    >>> import autograph.tf as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    return _stands_for_tensor(x) and type(x) is not Array


def _stands_for_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable, or has one, as the weights of Keras' layers have."""
    return isinstance(x, (AnyTensor, AnyVariable)) or hasattr(type(x), "__ag_variable__")


def constant(
    value: Any, dtype: Any = None, shape: Sequence[int] | None = None, name: str | None = None
) -> Tensor:
    """A tensor of a number, nested lists or an array; Python numbers give float32 and int32.

    `shape` reshapes, or repeats a single value. Raises TypeError where `dtype` cannot hold the
    numbers, or is not that of a tensor that is given.

    >>> import autograph.tf as tf
    >>> tf.constant([1, 2.5]).dtype, tf.constant(3, shape=[2]).numpy()
    (dtype('float32'), array([3, 3], dtype=int32))
    """
    dtype = None if dtype is None else np.dtype(dtype)
    if _stands_for_tensor(value):
        made = as_tensor(value)
        if dtype is not None and made.dtype != dtype:
            raise TypeError(
                f"a tensor of dtype {made.dtype} is given where {dtype} is wanted: use tf.cast"
            )
    elif isinstance(value, (list, tuple)) and any(map(_holds_tensor, value)):
        made = _packed(value, dtype)
    else:
        made = as_tensor(constant_of_array(array_of(value, dtype)))
    if shape is None:
        return made
    shape = tuple(shape)
    return ops.broadcast_to(made, shape) if made.type.shape in ((), (1,)) else made.reshape(shape)


def _holds_tensor(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_holds_tensor, x))
    return _stands_for_tensor(x)


def _packed(values: Any, dtype: Any) -> Any:
    """A stack of tensors and numbers; the numbers take the dtype of the first tensor."""
    parts = [
        _packed(v, dtype) if isinstance(v, (list, tuple)) and _holds_tensor(v) else v
        for v in values
    ]
    first = next(as_tensor(p) for p in parts if is_tensor(p))
    wanted = first.dtype if dtype is None else dtype
    rows = [
        as_tensor(p) if is_tensor(p) else constant(p, None if isinstance(p, ARRAYS) else wanted)
        for p in parts
    ]
    made = ops.stack(rows)
    return ops.astype(made, wanted)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """`value` as a tensor; a tensor is given back as it is.

    >>> import autograph.tf as tf
    >>> tf.convert_to_tensor([1.0, 2.0]).dtype
    dtype('float32')
    """
    if dtype is None and dtype_hint is not None and not is_tensor(value):
        try:
            return constant(value, dtype_hint)
        except TypeError:
            pass
    return constant(value, dtype)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` as a tensor of another dtype; towards zero from floating to integer.

    >>> import autograph.tf as tf
    >>> tf.cast([-1.7, 1.7], tf.int32).numpy()
    array([-1,  1], dtype=int32)
    """
    x, dtype = as_tensor(x), np.dtype(dtype)
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = ops.real(x)
    return x if x.dtype == dtype else ops.astype(x, dtype)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bits of a tensor as elements of another dtype; a last axis holds the smaller ones.

    >>> import autograph.tf as tf
    >>> tf.bitcast(1.0, tf.uint32).numpy() == 0x3F800000
    np.True_
    """
    return bitcast_(as_tensor(input), dtype=np.dtype(type))


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """As another dtype; what is beyond its limits is the limit.

    >>> import autograph.tf as tf
    >>> tf.saturate_cast([-5, 300], tf.uint8).numpy()
    array([  0, 255], dtype=uint8)
    """
    x, wanted = as_tensor(value), np.dtype(dtype)
    if wanted.kind in "iu" and x.dtype.kind in "iuf":
        low, high = _limits(wanted, x.dtype)
        x = ops.minimum(ops.maximum(x, low), high)
    elif wanted.kind == "f" and x.dtype.kind == "f" and wanted.itemsize < x.dtype.itemsize:
        limit = x.dtype.type(np.finfo(wanted).max)
        x = ops.minimum(ops.maximum(x, -limit), limit)
    return cast(x, wanted)


def _limits(wanted: np.dtype[Any], own: np.dtype[Any]) -> tuple[Any, Any]:
    """The limits of a dtype of integers among the numbers of another dtype."""
    low, high = np.iinfo(wanted).min, np.iinfo(wanted).max
    if own.kind in "iu":
        return own.type(max(low, np.iinfo(own).min)), own.type(min(high, np.iinfo(own).max))
    top = own.type(high)
    return own.type(low), top if int(top) <= high else np.nextafter(top, own.type(0))


def get_static_value(tensor: Any, partial: Any = False) -> Any:
    """The value of a tensor where it is known, else None.

    >>> import autograph.tf as tf
    >>> tf.get_static_value(tf.constant(3))
    np.int32(3)
    """
    known = not isinstance(tensor, Tensor) or tensor.is_known
    return convert_to_tensor(tensor).numpy() if known else None
