"""`Variable`: state that outlives a call, read and assigned by ordered effects."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from runtime import ops, trace
from runtime.building import building
from runtime.devices import (
    HOST,
    copied,
    device_of,
    host_array,
    in_use,
    is_device_array,
    moved,
    placement,
)
from runtime.dtypes import kind_of
from runtime.errors import StagingError
from runtime.execute.lending import waited_for
from runtime.graph.ir import Op
from runtime.initial_values import first_value
from runtime.ops.declaration.operands import is_number
from runtime.origins import origin_of_caller
from runtime.spec import TensorType, VariableType
from runtime.tensor import Tensor

__all__ = ["ASSIGN", "READ", "Variable", "makes_tensors"]

_numbers = itertools.count()


def _read(xp: Any, storage: Any) -> Any:
    return storage.array


def _assign(xp: Any, storage: Any, value: Any) -> Any:
    array = xp.asarray(value, dtype=storage.variable_type.dtype)
    is_scalar = not array.ndim and storage.variable_type.content.device is None
    storage.array = array[()] if is_scalar else array.copy()
    return storage.array


def _read_vjp(g: Any, out: Any, storage: Any) -> tuple[Any, ...]:
    return (g,)


READ = Op("read", _read, lambda t: t.content, vjp=_read_vjp, effect="read", doc="Read a Variable.")
ASSIGN = Op(
    "assign",
    _assign,
    lambda t, value: t.content,
    vjp=lambda g, out, storage, value: (None, g),
    effect="assign",
    doc="Replace the content of a Variable; gives the new value.",
)


def _binary(name: str) -> Callable[[Variable, Any], Tensor]:
    def operate(self: Variable, other: Any) -> Tensor:
        result: Tensor = getattr(self.read_value(), name)(_content(other))
        return result

    operate.__name__ = name
    return operate


def _in_place(name: str) -> Callable[[Variable, Any], Any]:
    """TensorFlow's meaning: `v += 1` rebinds the name to a tensor; `assign_add` updates."""
    return _binary(name)


def _unary(name: str) -> Callable[[Variable], Tensor]:
    def operate(self: Variable) -> Tensor:
        result: Tensor = getattr(self.read_value(), name)()
        return result

    operate.__name__ = name
    return operate


class Variable:
    """An array that is changed in place by `assign` and kept between calls.

    `value` gives dtype and shape, which stay, as does the device: that of a `with device(...)`,
    else that of `value`. What is assigned is copied there. Gradient tapes watch a variable that is
    `trainable` by themselves. Made inside a converted function, it must be made on the first trace
    only.

    >>> import autograph as ag
    >>> v = ag.Variable(1.0)
    >>> v.assign_add(2.0).numpy()
    np.float64(3.0)
    """

    __hash__ = object.__hash__
    __array_priority__ = 1000
    # As of a tensor: what it holds is no Python number.
    is_weak: ClassVar[bool] = False
    # Whether functions that read it give tensors.
    makes_tensors: bool = True
    # The class of the tensors that it gives.
    tensor_class: ClassVar[type[Tensor]] = Tensor
    # What optimizers of Keras apply to the content after a step.
    constraint: Callable[[Any], Any] | None = None

    def __init__(
        self,
        value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        shape: Any = None,
    ) -> None:
        on_new_variable(self)
        self.array: Any = _initial(value, dtype)
        array = self.array
        self.trainable = trainable
        self.name = name or f"Variable_{next(_numbers)}"
        declared = array.shape if shape is None else tuple(shape)
        self.variable_type = VariableType(array.dtype, declared, device_of(array))

    @property
    def type(self) -> TensorType:
        """Dtype and shape of the content."""
        return self.variable_type.content

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""
        return self.variable_type.dtype

    @property
    def shape(self) -> Any:
        """Size of each axis."""
        return self.variable_type.shape

    @property
    def path(self) -> str:
        """The name, by which optimizers of Keras tell which rule is for a variable."""
        return self.name

    @property
    def rank(self) -> int | None:
        """Number of axes, None where it is not known."""
        return self.type.rank

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.variable_type.shape or ())

    @property
    def device(self) -> str:
        """Name of the device that the content is on, such as "/cpu:0"."""
        return self.type.device or HOST

    def read_value(self) -> Tensor:
        """The present value as a tensor."""
        result: Tensor = trace.apply(READ, (self,), {})
        return result

    def value(self) -> Tensor:
        """The present value as a tensor."""
        return self.read_value()

    def numpy(self) -> Any:
        """The present value as an ndarray of its own, or a NumPy scalar."""
        if building() is not None:
            return self.read_value().numpy()
        return host_array(self.array).copy()

    def assign(self, value: Any) -> Tensor:
        """Replace the content; gives the new value.

        Raises ValueError when the shape differs.
        """
        value = value.read_value() if isinstance(value, Variable) else value
        if not isinstance(value, Tensor) and not is_device_array(value):
            value = np.asarray(value)
        given = value.type.shape if isinstance(value, Tensor) else value.shape
        if not _fits(self.variable_type.shape, given):
            raise ValueError(
                f"cannot assign a value of shape {given} to {self.name!r}, "
                f"whose shape is {self.variable_type.shape}"
            )
        if value.dtype != self.dtype:
            value = value.astype(self.dtype)
        if in_use[0]:
            value = ops.to_device(value, self.device)
        result: Tensor = trace.apply(ASSIGN, (self, value), {})
        return result

    def assign_add(self, value: Any) -> Tensor:
        """Add `value` to the content; gives the new value."""
        return self.assign(self.read_value() + self._here(value))

    def assign_sub(self, value: Any) -> Tensor:
        """Subtract `value` from the content; gives the new value."""
        return self.assign(self.read_value() - self._here(value))

    def _here(self, value: Any) -> Any:
        """A value on the device of the content."""
        if not in_use[0] or is_number(value):
            return value
        return ops.to_device(value, self.device)

    def __repr__(self) -> str:
        content = np.array2string(np.asarray(host_array(self.array)), separator=" ")
        on = "" if self.type.device is None else f" device={self.device}"
        return (
            f"<Variable {self.name!r} shape={self.shape} dtype={self.dtype}{on}, numpy={content}>"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.read_value(), dtype=dtype)

    def __bool__(self) -> bool:
        return bool(self.read_value())

    def __int__(self) -> int:
        return int(self.read_value())

    def __float__(self) -> float:
        return float(self.read_value())

    def __len__(self) -> int:
        return len(self.read_value())

    def __iter__(self) -> Any:
        return iter(self.read_value())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "array":
            return waited_for(self)
        return getattr(self.read_value(), name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self.read_value().__array_ufunc__(ufunc, method, *map(_content, inputs), **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.read_value().__array_function__(func, types, tuple(map(_content, args)), kwargs)

    # ---- operators: those of the present value ---------------------------------------------------

    __add__ = _binary("__add__")
    __sub__ = _binary("__sub__")
    __mul__ = _binary("__mul__")
    __truediv__ = _binary("__truediv__")
    __floordiv__ = _binary("__floordiv__")
    __mod__ = _binary("__mod__")
    __pow__ = _binary("__pow__")
    __matmul__ = _binary("__matmul__")
    __and__ = _binary("__and__")
    __or__ = _binary("__or__")
    __xor__ = _binary("__xor__")
    __lshift__ = _binary("__lshift__")
    __rshift__ = _binary("__rshift__")

    __radd__ = _binary("__radd__")
    __rsub__ = _binary("__rsub__")
    __rmul__ = _binary("__rmul__")
    __rtruediv__ = _binary("__rtruediv__")
    __rfloordiv__ = _binary("__rfloordiv__")
    __rmod__ = _binary("__rmod__")
    __rpow__ = _binary("__rpow__")
    __rmatmul__ = _binary("__rmatmul__")
    __rand__ = _binary("__rand__")
    __ror__ = _binary("__ror__")
    __rxor__ = _binary("__rxor__")
    __rlshift__ = _binary("__rlshift__")
    __rrshift__ = _binary("__rrshift__")

    __iadd__ = _in_place("__add__")
    __isub__ = _in_place("__sub__")
    __imul__ = _in_place("__mul__")
    __itruediv__ = _in_place("__truediv__")
    __ifloordiv__ = _in_place("__floordiv__")
    __imod__ = _in_place("__mod__")
    __ipow__ = _in_place("__pow__")
    __imatmul__ = _in_place("__matmul__")
    __iand__ = _in_place("__and__")
    __ior__ = _in_place("__or__")
    __ixor__ = _in_place("__xor__")
    __ilshift__ = _in_place("__lshift__")
    __irshift__ = _in_place("__rshift__")

    __lt__ = _binary("__lt__")
    __le__ = _binary("__le__")
    __gt__ = _binary("__gt__")
    __ge__ = _binary("__ge__")
    __getitem__ = _binary("__getitem__")
    __neg__ = _unary("__neg__")
    __pos__ = _unary("__pos__")
    __abs__ = _unary("__abs__")
    __invert__ = _unary("__invert__")

    def __eq__(self, other: object) -> Any:
        return self.read_value() == _content(other)

    def __ne__(self, other: object) -> Any:
        return self.read_value() != _content(other)

    def __reduce__(self) -> Any:
        return (Variable, (self.array, self.trainable, self.name))


def _initial(value: Any, dtype: Any) -> Any:
    """The first content, which nobody else holds, on the device that it stays on."""
    if isinstance(value, Tensor):
        value = value.array if value.is_known and not value.is_traced else _traced_value(value)
    wanted, home = placement(), device_of(value)
    if home is None:
        array = np.array(value, dtype=dtype)
        if kind_of(array.dtype) not in "biufc":
            raise TypeError(f"a Variable cannot hold {array.dtype} values: {value!r}")
        value = array[()] if array.ndim == 0 else array
    else:
        value = copied(value)
        if dtype is not None and value.dtype != dtype:
            value = moved(host_array(value).astype(dtype), home)
    if wanted is not None:
        home = None if wanted == HOST else wanted
    return value if device_of(value) == home else moved(value, home)


def _traced_value(x: Tensor) -> Any:
    """The first content that is a tensor of the graph."""
    found = x.numpy() if x.is_known else first_value(x)
    if found is None:
        raise StagingError(
            "the first value of a Variable that is created here is known only when the graph runs: "
            "it depends on an argument, on a branch or loop around it, or on a call of Python",
            "create the Variable outside of the function, or make its value of constants, other "
            "Variables and random numbers",
            origin_of_caller(),
        )
    return found


def _content(x: Any) -> Any:
    return x.read_value() if isinstance(x, Variable) else x


def _fits(declared: Any, given: Any) -> bool:
    if declared is None or given is None:
        return True
    return len(declared) == len(given) and all(
        d is None or g is None or d == g for d, g in zip(declared, given, strict=True)
    )


def makes_tensors(thing: Any) -> bool:
    """Whether functions that read an object give tensors, not arrays."""
    return isinstance(thing, Tensor) or (isinstance(thing, Variable) and thing.makes_tensors)


def on_new_variable(variable: Variable) -> None:
    """Refuse a new variable inside a trace that does not allow one."""
    builder = building()
    if builder is None:
        return
    allow = getattr(builder.root, "new_variable", None)
    if allow is None:
        raise StagingError(
            "a Variable is created while a graph is being traced",
            "create it outside of the function, or on the first call only "
            "(`if self.v is None: self.v = ag.Variable(...)`)",
        )
    allow(variable)
