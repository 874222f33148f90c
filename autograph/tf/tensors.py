"""TensorFlow's tensors and variables: those of `ag` with TensorFlow's operators, dtypes and text.

They differ from `ag.Tensor` in this: an operator casts an array beside a tensor to the tensor's
dtype; `x += y` makes a new tensor and leaves the old one as it was; Python numbers become float32
and int32; the text is TensorFlow's. In a graph of `tf.function`, an `Array` stands for an ndarray,
so that NumPy code in there keeps NumPy's meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, SupportsIndex, cast

import numpy as np

from runtime import ops, tree
from runtime.array_methods import ArrayMethods
from runtime.building import constant as constant_of_array
from runtime.graph.ir import Value
from runtime.spec import TensorSpec as AnyTensorSpec
from runtime.tensor import Tensor as AnyTensor
from runtime.variable import Variable as AnyVariable

__all__ = [
    "Array",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "Variable",
    "as_results",
    "as_tensor",
    "cast_",
    "constant",
    "convert_to_tensor",
    "dtype_of_number",
    "is_tensor",
    "operands",
]

_NUMBERS = (bool, int, float, complex)
_ARRAYS = (np.ndarray, np.generic)
_DEFAULTS = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int32),
    float: np.dtype(np.float32),
    complex: np.dtype(np.complex128),
}
_OF_WEAK = {"b": np.dtype(np.bool_), "i": _DEFAULTS[int], "f": _DEFAULTS[float]}


def dtype_of_number(number: Any) -> np.dtype[Any]:
    """The dtype that TensorFlow gives a Python number: int32, int64 where needed, float32.

    >>> dtype_of_number(2), dtype_of_number(2**40), dtype_of_number(0.5)
    (dtype('int32'), dtype('int64'), dtype('float32'))
    """
    if type(number) is int and not -(2**31) <= number < 2**31:
        return np.dtype(np.int64)
    return _DEFAULTS[type(number)]


class TensorShape(tuple[Any, ...]):
    """Sizes of the axes: a tuple, with TensorFlow's methods.

    A size that is known only when the graph runs is an integer tensor, and None in `as_list()`.

    >>> import autograph.tf as tf
    >>> shape = tf.zeros([2, 3]).shape
    >>> shape, str(shape), shape.as_list(), shape.rank
    (TensorShape([2, 3]), '(2, 3)', [2, 3], 2)
    """

    __slots__ = ()

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[int | None]:
        """The sizes, None for one that is not known while tracing."""
        return self.as_list()

    def as_list(self) -> list[int | None]:
        """The sizes, None for one that is not known while tracing."""
        return [None if isinstance(n, AnyTensor) else n for n in self]

    def num_elements(self) -> int | None:
        """Number of elements, None where it is not known."""
        sizes = self.as_list()
        return None if None in sizes else int(np.prod(np.array(sizes, dtype=np.int64)))

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return None not in self.as_list()

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some array can have this shape and the other one."""
        theirs = TensorShape(other).as_list() if other is not None else self.as_list()
        mine = self.as_list()
        return len(mine) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def concatenate(self, other: Sequence[Any]) -> TensorShape:
        """The axes of this shape, then those of the other one."""
        return TensorShape((*self, *other))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __str__(self) -> str:
        sizes = ["None" if n is None else str(n) for n in self.as_list()]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __repr__(self) -> str:
        return f"TensorShape({self.as_list()})"


def _beside(self: Any, other: Any) -> Any:
    """An operand of a tensor's operator: an array takes the tensor's dtype."""
    if isinstance(other, (list, tuple)):
        other = constant(other)
    if isinstance(other, _ARRAYS) or type(other) is Array:
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
            other = _beside(self, other)
        if divides:
            self, other = _widened(self), _widened(other)
        return method(self, other)

    operate.__name__ = operate.__qualname__ = name
    return operate


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()  # noqa: SIM905
_COMPARISONS = "lt le gt ge".split()  # noqa: SIM905


_equal: Any = ArrayMethods.__eq__
_not_equal: Any = ArrayMethods.__ne__


class Array(AnyTensor):
    """An ndarray in a graph of `tf.function`: captured, or made there by NumPy."""

    __slots__ = ()

    __hash__: ClassVar[None]
    stands_for_array = True


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

    __hash__: ClassVar[None]
    # Of `v[key]`, to be assigned: the variable and the key.
    _slice_of: tuple[Any, Any] | None

    def __init__(self, array: Any, value: Value | None = None, key: Any = None) -> None:
        if value is None and type(array) in _DEFAULTS:
            array = dtype_of_number(array).type(array)
        super().__init__(array, value, key)

    @property
    def shape(self) -> TensorShape:
        """Size of each axis."""
        return TensorShape(super().shape)

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
        return False if other is None else _equal(self, _beside(self, other))

    def __ne__(self, other: object) -> Any:
        return True if other is None else _not_equal(self, _beside(self, other))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and len(inputs) == 2 and not kwargs:
            # `array * tensor` comes here; TensorFlow's operator has the dtype of the tensor.
            inputs = tuple(_beside(self, x) for x in inputs)
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    # ---- text --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        facts = f"shape={self.shape}, dtype={self._shown_dtype()}"
        if self.is_traced:
            return f"<tf.Tensor '{self._title()}' {facts.replace(', dtype', ' dtype')}>"
        array = self.array
        text = repr(array) if isinstance(array, np.ndarray) else repr(array.item())
        return f"<tf.Tensor: {facts}, numpy={_own_lines(text)}>"

    def __str__(self) -> str:
        facts = f"shape={self.shape}, dtype={self._shown_dtype()}"
        if self.is_traced:
            return f'Tensor("{self._title()}", {facts})'
        return f"tf.Tensor({_own_lines(str(self.array))}, {facts})"

    def __format__(self, spec: str) -> str:
        return str(self) if self.is_traced and not spec else format(self._known("text"), spec)

    def at_trace(self) -> Any:
        """What `print` shows of it while tracing."""
        return str(self)

    def _shown_dtype(self) -> np.dtype[Any]:
        """The dtype that the value has once it is an operand: a counter is an int32 then."""
        return _of_weak(self) if self.type.weak else self.dtype

    def _title(self) -> str:
        value = self.value
        assert value is not None
        name = value.name or ("Const" if value.node is None else value.node.op.name)
        return f"{'Const' if name == 'constant' else name}:0"


def _array_operator(name: str) -> Callable[[Any, Any], Any]:
    method = getattr(ArrayMethods, name)

    def operate(self: Any, other: Any) -> Any:
        # A tensor has the say beside an array, on whichever side it stands.
        return NotImplemented if type(other) is Tensor else method(self, other)

    operate.__name__ = operate.__qualname__ = name
    return operate


for _short in (*_BINARY, *_COMPARISONS, "eq", "ne"):
    setattr(Array, f"__{_short}__", _array_operator(f"__{_short}__"))
for _short in _BINARY:
    setattr(Tensor, f"__{_short}__", _operator(f"__{_short}__"))
    setattr(Tensor, f"__r{_short}__", _operator(f"__r{_short}__"))
    # A new tensor: the old one, which may have other names, stays as it was.
    setattr(Tensor, f"__i{_short}__", _operator(f"__{_short}__"))
for _short in _COMPARISONS:
    setattr(Tensor, f"__{_short}__", _operator(f"__{_short}__"))


def _own_lines(text: str) -> str:
    """Text of several lines begins on a line of its own."""
    return f"\n{text}" if "\n" in text else text


class Reference:
    """A tensor or variable by identity, hashable."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._thing is other._thing

    def __hash__(self) -> int:
        return id(self._thing)


# ---- making tensors ----------------------------------------------------------------------------


def as_tensor(x: Any, like: Any = None) -> Any:
    """`x` as an operand of TensorFlow's: a tensor, its dtype its own or TensorFlow's default.

    A Python number beside the tensor `like` stays a number, which adapts to it.
    """
    if isinstance(x, AnyVariable):
        x = x.read_value()
    if isinstance(x, AnyTensor):
        if type(x) is not Tensor:
            now = x.current()
            x = Tensor(now._array, now._value, now.key)
        return ops.astype(x, _of_weak(x)) if x.type.weak and like is None else x
    if type(x) in _NUMBERS and like is not None:
        return x
    return constant(x)


def _of_weak(x: AnyTensor) -> np.dtype[Any]:
    return _OF_WEAK.get(x.dtype.kind, x.dtype)


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
    if {x.dtype, y.dtype} == {_DEFAULTS[int], _DEFAULTS[float]} and not (left or right):
        # Python numbers of both kinds.
        x, y = ops.astype(x, _DEFAULTS[float]), ops.astype(y, _DEFAULTS[float])
    return x, y


def _adapted(x: Any, like: Any) -> Any:
    if type(x) in _NUMBERS:
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
    is_number = isinstance(x, (*_NUMBERS, np.number, np.bool_))
    is_array = isinstance(x, np.ndarray) and x.dtype.kind in "biufc"
    if isinstance(x, (AnyTensor, AnyVariable)) or is_number or is_array:
        return as_tensor(x)
    return x


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or a variable.

    >>> import autograph.tf as tf
    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
    (True, False)
    """
    return isinstance(x, (AnyTensor, AnyVariable)) and type(x) is not Array


def constant(
    value: Any, dtype: Any = None, shape: Sequence[int] | None = None, name: str | None = None
) -> Any:
    """A tensor of a number, nested lists or an array; Python numbers give float32 and int32.

    `shape` reshapes, or repeats a single value. Raises TypeError where `dtype` cannot hold the
    numbers, or is not that of a tensor that is given.

    >>> import autograph.tf as tf
    >>> tf.constant([1, 2.5]).dtype, tf.constant(3, shape=[2]).numpy()
    (dtype('float32'), array([3, 3], dtype=int32))
    """
    dtype = None if dtype is None else np.dtype(dtype)
    if isinstance(value, (AnyTensor, AnyVariable)):
        made = as_tensor(value)
        if dtype is not None and made.dtype != dtype:
            raise TypeError(
                f"a tensor of dtype {made.dtype} is given where {dtype} is wanted: use tf.cast"
            )
    elif isinstance(value, (list, tuple)) and any(map(_holds_tensor, value)):
        made = _packed(value, dtype)
    else:
        made = as_tensor(constant_of_array(_array(value, dtype)))
    if shape is None:
        return made
    shape = tuple(shape)
    return ops.broadcast_to(made, shape) if made.type.shape in ((), (1,)) else made.reshape(shape)


def _holds_tensor(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_holds_tensor, x))
    return isinstance(x, (AnyTensor, AnyVariable))


def _packed(values: Any, dtype: Any) -> Any:
    """A stack of tensors and numbers; the numbers take the dtype of the first tensor."""
    parts = [
        _packed(v, dtype) if isinstance(v, (list, tuple)) and _holds_tensor(v) else v
        for v in values
    ]
    first = next(as_tensor(p) for p in parts if is_tensor(p))
    wanted = first.dtype if dtype is None else dtype
    rows = [
        as_tensor(p) if is_tensor(p) else constant(p, None if isinstance(p, _ARRAYS) else wanted)
        for p in parts
    ]
    made = ops.stack(rows)
    return ops.astype(made, wanted)


def _array(value: Any, dtype: np.dtype[Any] | None) -> np.ndarray[Any, Any]:
    array = np.array(value)
    if array.dtype.kind not in "biufc":
        what = "text" if array.dtype.kind in "US" else f"{type(value).__name__} objects"
        raise TypeError(f"tensors hold numbers, not {what}: {value!r}")
    python = not isinstance(value, _ARRAYS) and not _holds_array(value)
    if dtype is None:
        return array.astype(_default(array)) if python else array
    if python and array.dtype.kind in "fc" and dtype.kind in "iub":
        raise TypeError(f"cannot convert {value!r} to a tensor of dtype {dtype}: use tf.cast")
    return array.astype(dtype)


def _holds_array(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_array, value))
    return isinstance(value, _ARRAYS)


def _default(array: np.ndarray[Any, Any]) -> np.dtype[Any]:
    """The dtype of an array that was made of Python numbers."""
    if array.dtype.kind == "i":
        info = np.iinfo(np.int32)
        fits = not array.size or (array.min() >= info.min and array.max() <= info.max)
        return np.dtype(np.int32 if fits else np.int64)
    return _DEFAULTS[float] if array.dtype.kind == "f" else array.dtype


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
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


def cast_(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` as a tensor of another dtype; towards zero from floating to integer.

    >>> import autograph.tf as tf
    >>> tf.cast([-1.7, 1.7], tf.int32).numpy()
    array([-1,  1], dtype=int32)
    """
    x, dtype = as_tensor(x), np.dtype(dtype)
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = ops.real(x)
    return x if x.dtype == dtype else ops.astype(x, dtype)


# ---- variables and specs -----------------------------------------------------------------------


class Variable(AnyVariable):
    """State that is changed by `assign`; of Python numbers, float32 or int32.

    `initial_value` may be a function. The methods that assign give the new value.

    >>> import autograph.tf as tf
    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    >>> v
    <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>
    """

    def __init__(
        self,
        initial_value: Any,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        dtype = None if dtype is None else np.dtype(dtype)
        if isinstance(value, (AnyTensor, AnyVariable)):
            value = as_tensor(value)
            dtype = value.dtype if dtype is None else dtype
        else:
            value = _array(value, dtype)
        if shape is not None:
            shape = tuple(shape.as_list() if isinstance(shape, TensorShape) else shape)
        super().__init__(value, trainable is not False, f"{name or 'Variable'}:0", dtype, shape)
        self.constraint = constraint

    @property
    def shape(self) -> TensorShape:
        """Size of each axis."""
        return TensorShape(self.variable_type.shape or ())

    get_shape = Tensor.get_shape

    def ref(self) -> Reference:
        """A hashable reference to the variable; `deref()` gives the variable."""
        return Reference(self)

    def read_value(self) -> Any:
        """The present value as a tensor."""
        return as_tensor(super().read_value())

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Replace the content; gives the new value.

        Raises ValueError when the shape differs.
        """
        value = value if is_tensor(value) else constant(value, self._accepted(value))
        return as_tensor(super().assign(value))

    def _accepted(self, value: Any) -> np.dtype[Any] | None:
        return None if isinstance(value, _ARRAYS) else self.dtype

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Add `delta` to the content; gives the new value."""
        return self.assign(self.read_value() + _beside(self.read_value(), delta))

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtract `delta` from the content; gives the new value."""
        return self.assign(self.read_value() - _beside(self.read_value(), delta))

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Set the elements at index tuples; gives the new value."""
        return self.assign(ops.index_update(self.read_value(), as_tensor(updates), _key(indices)))

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Any:
        """Add to the elements at index tuples; gives the new value."""
        return self.assign(ops.index_add(self.read_value(), as_tensor(updates), _key(indices)))

    def __getitem__(self, key: Any) -> Any:
        part = as_tensor(self.read_value()[key])
        part = Tensor(part._array, part._value, part.key)
        part._slice_of = (self, key)
        return part

    def __repr__(self) -> str:
        array = np.asarray(self.array)
        text = repr(array) if array.ndim else repr(array.item())
        facts = f"shape={self.shape} dtype={self.dtype}"
        return f"<tf.Variable {self.name!r} {facts}, numpy={_own_lines(text)}>"

    def __format__(self, spec: str) -> str:
        return format(self.read_value(), spec) if spec else repr(self)

    def __reduce__(self) -> Any:
        return (_variable, (self.array, self.trainable, self.name))


def _variable(array: Any, trainable: bool, name: str) -> Variable:
    return Variable(np.asarray(array), trainable, name=name.removesuffix(":0"))


def _key(indices: Any) -> tuple[Any, ...]:
    """The key that index tuples along the last axis make."""
    indices = as_tensor(indices)
    return tuple(indices[..., i] for i in range(int(cast(SupportsIndex, indices.shape[-1]))))


class TensorSpec(AnyTensorSpec):
    """Shape and dtype of an argument; float32 unless said.

    >>> import autograph.tf as tf
    >>> tf.TensorSpec([None, 3])
    TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)
    """

    __slots__ = ()

    def __init__(
        self, shape: Sequence[int | None] | None, dtype: Any = np.float32, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        tensor = as_tensor(tensor)
        return cls(tensor.type.shape, tensor.dtype, name)

    def __repr__(self) -> str:
        shape = TensorShape(self.shape) if self.shape is not None else "<unknown>"
        return f"TensorSpec(shape={shape}, dtype=tf.{self.dtype}, name={self.name!r})"
