"""What a graph value is known to be before it exists: dtype, shape, weakness.

The promotion and join rules of the whole system are here and nowhere else.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from runtime.devices import HOST, placement
from runtime.dtypes import dtype_from, kind_of
from runtime.errors import LimitOverflowError

__all__ = [
    "DESCRIPTIONS",
    "WEAK_DTYPES",
    "Dim",
    "ErrorType",
    "FrameType",
    "ObjectType",
    "Shape",
    "StackType",
    "TensorSpec",
    "TensorType",
    "Type",
    "VariableType",
    "bits",
    "broadcast_shapes",
    "device_of_type",
    "fits",
    "is_compatible",
    "is_differentiable",
    "is_mobile",
    "join",
    "on_device",
    "promote",
    "shape_text",
    "type_of_number",
    "weak_number",
]

Dim: TypeAlias = int | None
Shape: TypeAlias = tuple[Dim, ...] | None

# Python's number types, in the order of the lattice: weak bool < weak int < weak float < complex.
WEAK_DTYPES: dict[type, np.dtype[Any]] = {
    bool: np.dtype(np.bool_),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
_PYTHON_TYPE = {dtype: kind for kind, dtype in WEAK_DTYPES.items()}
_ORDER = list(WEAK_DTYPES.values())


@lru_cache(maxsize=256)
def _name(dtype: np.dtype[Any]) -> str:
    """The text of a dtype, which NumPy takes its time for."""
    return str(dtype)


class TensorType:
    """Type of an array-valued graph value.

    `shape` holds an int or None (known at run time) per axis; a shape of None is an unknown rank.
    `weak` marks a Python number (rank 0, one of `WEAK_DTYPES`): it adapts to what it meets.
    At run time a weak value is a Python int, float, bool or complex, a strong rank-0 value is a
    NumPy scalar, everything else an array. `device` is None on the host; on another device every
    strong value is an array of that device, of rank 0 too.
    """

    __slots__ = ("device", "dtype", "shape", "weak")

    def __init__(
        self,
        dtype: np.dtype[Any],
        shape: Shape,
        weak: bool = False,
        device: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.weak = weak
        self.device = device

    @property
    def kind(self) -> str:
        """The kind of its numbers: that of the dtype, "f" for bfloat16 and float8, too."""
        return kind_of(self.dtype)

    def __eq__(self, other: object) -> bool:
        return (
            self is other
            or isinstance(other, TensorType)
            and (
                self.dtype == other.dtype
                and self.shape == other.shape
                and self.weak == other.weak
                and self.device == other.device
            )
        )

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape, self.weak, self.device))

    def __repr__(self) -> str:
        on = "" if self.device is None else f", device={self.device!r}"
        return f"TensorType(dtype={self.dtype!r}, shape={self.shape!r}, weak={self.weak!r}{on})"

    def __str__(self) -> str:
        if self.weak:
            return f"{_PYTHON_TYPE[self.dtype].__name__}"
        on = "" if self.device is None else f" on {self.device}"
        if self.shape is None:
            return f"{_name(self.dtype)}[...]{on}"
        sizes = ", ".join(["?" if d is None else str(d) for d in self.shape])
        return f"{_name(self.dtype)}[{sizes}]{on}"

    def class_name(self, is_array: bool) -> str:
        """The class of a value of this type in plain Python, as its errors name it."""
        if self.weak:
            return _PYTHON_TYPE[self.dtype].__name__
        return "numpy.ndarray" if is_array else f"numpy.{self.dtype.type.__name__}"

    @property
    def rank(self) -> int | None:
        """Number of axes, None when unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is known."""
        return self.shape is not None and None not in self.shape

    @property
    def is_inexact(self) -> bool:
        """Whether gradients can flow: a floating or complex dtype."""
        return kind_of(self.dtype) in "fc"

    def strong(self) -> TensorType:
        """The same type without weakness."""
        return TensorType(self.dtype, self.shape) if self.weak else self

    def on(self, device: str | None) -> TensorType:
        """The same type on a device; Python numbers are on the host always."""
        if self.weak or self.device == device:
            return self
        return TensorType(self.dtype, self.shape, device=device)


class StackType:
    """Type of a stack of values, as the backward pass of a loop uses for saved values."""

    __slots__ = ("element",)

    def __init__(self, element: Type) -> None:
        self.element = element

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StackType) and self.element == other.element

    def __hash__(self) -> int:
        return hash((StackType, self.element))

    def __repr__(self) -> str:
        return f"StackType(element={self.element!r})"

    def __str__(self) -> str:
        return f"stack<{self.element}>"


class VariableType:
    """Type of a handle on a Variable: it is read and assigned by ordered effects."""

    __slots__ = ("content",)

    def __init__(self, dtype: np.dtype[Any], shape: Shape, device: str | None = None) -> None:
        # Type of the value that the variable holds.
        self.content = TensorType(dtype, shape, device=device)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableType) and self.content == other.content

    def __hash__(self) -> int:
        return hash((VariableType, self.content))

    def __repr__(self) -> str:
        return f"VariableType(dtype={self.dtype!r}, shape={self.shape!r})"

    def __str__(self) -> str:
        return f"variable<{self.content}>"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the variable."""
        return self.content.dtype

    @property
    def shape(self) -> Shape:
        """Size of each axis of the variable."""
        return self.content.shape


class ObjectType:
    """Type of a Python object that only the host knows more of, as a call of it gave."""

    __slots__ = ()

    # It has no axes, wherever values of several types are looked through for arrays, and is no
    # number of Python's.
    rank = 0
    weak = False

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __str__(self) -> str:
        return "object"


class ErrorType(ObjectType):
    """Type of an exception that a `try` caught, None where nothing was raised."""

    __slots__ = ()

    def __str__(self) -> str:
        return "error"


class FrameType:
    """Type of what one call of a recursive function keeps for its backward pass.

    At run time it is a dict of values by number; of a cotangent, what lacks is zero.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return "FrameType()"

    def __str__(self) -> str:
        return "frame"


Type: TypeAlias = TensorType | StackType | VariableType | ObjectType | FrameType


def is_differentiable(type_: Type) -> bool:
    """Whether values of this type have cotangents."""
    if isinstance(type_, StackType):
        return is_differentiable(type_.element)
    if isinstance(type_, FrameType):
        return True
    return not isinstance(type_, ObjectType) and kind_of(type_.dtype) in "fc"


class TensorSpec:
    """Shape and dtype of an argument, for `input_signature` and `get_concrete_function`.

    `shape` is a sequence of ints and None (unknown size), or None for an unknown rank. A name in
    the place of None says what the size is of; sizes of one name need not be equal.
    Raises TypeError or ValueError for what is no size.

    >>> import autograph as ag
    >>> ag.TensorSpec([None, 3], np.float32)
    TensorSpec(shape=(None, 3), dtype=float32)
    >>> ag.TensorSpec(["batch", 3]) == ag.TensorSpec([None, 3])
    True
    """

    __slots__ = ("dtype", "name", "shape")

    def __init__(
        self, shape: Sequence[Dim | str] | None, dtype: Any = np.float64, name: str | None = None
    ) -> None:
        if shape is not None and (isinstance(shape, str) or not isinstance(shape, Iterable)):
            raise TypeError(f"a shape is a sequence of sizes, or None, not {shape!r}")
        self.shape: Shape = None if shape is None else tuple(map(_dim, shape))
        self.dtype: np.dtype[Any] = dtype_from(dtype)
        self.name = name

    @property
    def type(self) -> TensorType:
        """The graph type that this describes."""
        return TensorType(self.dtype, self.shape)

    def __repr__(self) -> str:
        name = "" if self.name is None else f", name={self.name!r}"
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype}{name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype, self.name) == (
            other.shape,
            other.dtype,
            other.name,
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))


# What tells of arrays, and is not changed: two that are equal mean the same.
DESCRIPTIONS = (TensorSpec, np.dtype)


def _dim(size: Any) -> Dim:
    if size is None or isinstance(size, str):
        return None
    try:
        known = operator.index(size)
    except TypeError:
        raise TypeError(f"a size is an int, None or a name, not {size!r}") from None
    if known < 0:
        raise ValueError(f"a size cannot be {known}; one that is not known is None")
    return known


_WEAK_TYPES = {kind: TensorType(dtype, (), weak=True) for kind, dtype in WEAK_DTYPES.items()}


def type_of_number(value: complex) -> TensorType:
    """Weak type of a Python number.

    Raises OverflowError for an int beyond 64 bits: graphs hold Python ints as int64.
    """
    kind = type(value)
    if kind not in WEAK_DTYPES:
        kind = next(k for k in WEAK_DTYPES if isinstance(value, k))
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise LimitOverflowError(
            f"Python int {value} does not fit in 64 bits, as a graph value must"
        )
    return _WEAK_TYPES[kind]


def weak_number(value: Any, type_: TensorType) -> Any:
    """`value` (any scalar) as the Python number that stands for a value of the weak `type_`."""
    return _PYTHON_TYPE[type_.dtype](value)


def bits(number: complex) -> bytes:
    """All bits of a float or complex: the text of one that is nan does not tell them."""
    return struct.pack("<dd", number.real, number.imag)


def promote(*types: TensorType) -> TensorType:
    """Rank-0 type with the dtype that NumPy 2 (NEP 50) gives operands of these types together.

    >>> f4, weak = TensorType(np.dtype("f4"), (3,)), type_of_number(2)
    >>> print(promote(f4, weak), promote(weak, weak))
    float32[] int
    """
    if all(t.weak for t in types):
        return TensorType(max((t.dtype for t in types), key=_ORDER.index), (), weak=True)
    operands: list[Any] = [_PYTHON_TYPE[t.dtype](0) if t.weak else t.dtype for t in types]
    return TensorType(np.result_type(*operands), ())


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Shape of operands broadcast together, as far as it is known.

    Raises ValueError, with the shapes, when known dimensions contradict.

    >>> broadcast_shapes((3, 1), (None,), (4,))
    (3, 4)
    """
    first: Shape = ()
    for other in shapes:
        if other == first or other == ():
            continue
        if first != ():
            return _broadcast(shapes)
        first = other
    # The sizes of one operand, which are known to meet only numbers and operands alike.
    is_plain = first is not None and (None not in first or shapes.count(first) == 1)
    return first if is_plain else _broadcast(shapes)


def shape_text(shape: tuple[Dim, ...]) -> str:
    """A shape as NumPy's errors write it.

    >>> shape_text((2, None)), shape_text((3,))
    ('(2,?)', '(3,)')
    """
    return str(shape).replace(" ", "").replace("None", "?")


def _broadcast(shapes: tuple[Shape, ...]) -> Shape:
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        return None
    rank = max((len(s) for s in known), default=0)
    padded = [(1,) * (rank - len(s)) + s for s in known]
    return tuple(_broadcast_dim(dims, known) for dims in zip(*padded, strict=True))


def _broadcast_dim(dims: Iterable[Dim], shapes: list[tuple[Dim, ...]]) -> Dim:
    others = {d for d in dims if d != 1}
    sizes = others - {None}
    if len(sizes) > 1:
        listed = " ".join(map(shape_text, shapes))
        raise ValueError(f"operands could not be broadcast together with shapes {listed} ")
    if sizes:
        return sizes.pop()
    return None if others else 1


def join(a: Type, b: Type) -> Type | None:
    """Smallest type that holds values of both, or None when there is no such type.

    This is the rule for the branches of an `if` and the variables of a loop: dtypes promote,
    dimensions that differ become unknown, weak stays weak only among weak types. Values on two
    devices have such a type in a `with device(...)` only, there; a scalar goes along with either.
    """
    if a == b:
        return a
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        promoted, device = promote(a, b), b.device if is_mobile(a) else a.device
        if device != b.device and not is_mobile(b):
            wanted = placement()
            if wanted is None:
                return None
            device = None if wanted == HOST else wanted
        shape = _join_shapes(a.shape, b.shape)
        return TensorType(promoted.dtype, shape, promoted.weak, device)
    if isinstance(a, StackType) and isinstance(b, StackType):
        element = join(a.element, b.element)
        return None if element is None else StackType(element)
    return None


def is_mobile(type_: TensorType) -> bool:
    """Whether a value goes along with operands on any device: a scalar of the host."""
    return type_.device is None and type_.shape == ()


def device_of_type(type_: Type) -> str | None:
    """The device that values of this type are on; None: the host, or nowhere."""
    if isinstance(type_, StackType):
        return device_of_type(type_.element)
    found = type_.content if isinstance(type_, VariableType) else type_
    return found.device if isinstance(found, TensorType) else None


def on_device(type_: Type, device: str | None) -> Type:
    """`type_` on a device, where it is that of an array."""
    return type_.on(device) if type(type_) is TensorType else type_


def _join_shapes(a: Shape, b: Shape) -> Shape:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else None for m, n in zip(a, b, strict=True))


def is_compatible(general: TensorType, specific: TensorType) -> bool:
    """Whether a value of type `specific` may be given where `general` is declared."""
    if general.dtype != specific.dtype or general.weak != specific.weak:
        return False
    if general.device != specific.device:
        return False
    return fits(specific.shape, general.shape)


def fits(shape: Shape, declared: Shape) -> bool:
    """Whether an array of a shape may be given where one is declared: None is any size, or rank."""
    if declared is None or shape == declared:
        return True
    if shape is None or len(shape) != len(declared):
        return False
    return all(map(_fits_size, shape, declared))  # each batch of data sets comes here


def _fits_size(n: Dim, declared: Dim) -> bool:
    return declared is None or n == declared
