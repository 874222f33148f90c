"""Writing nodes of ONNX: terms that are computed with, and the lists of nodes that they make.

Terms have Python's operators, so that what an operation of ours is in ONNX reads as a formula.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import helper, numpy_helper

from runtime.dtypes import is_narrow
from runtime.errors import UnsavableError

__all__ = ["OPSET", "Emitter", "Names", "Scalar", "Term", "element_type", "refuse"]

# The version of ONNX' operations that models are written in.
OPSET = 20

Scalar: TypeAlias = "bool | int | float"
_BOOL = np.dtype(np.bool_)
_INT = np.dtype(np.int64)
# The integers that onnxruntime chooses between; others are taken as those of 64 bits.
_CHOSEN = (np.dtype(np.int32), _INT)


def refuse(what: str, hint: str = "") -> UnsavableError:
    """The error for what ONNX cannot say."""
    return UnsavableError(
        f"this cannot be exported to ONNX: {what}",
        hint or "compute it outside of the exported function",
    )


def element_type(dtype: np.dtype[Any]) -> int:
    """ONNX' number of a dtype. Raises UnsavableError for complex numbers: no runtime has any."""
    if dtype.kind == "c":
        raise refuse("a complex number", "compute with real and imaginary parts")
    return int(helper.np_dtype_to_tensor_dtype(dtype))


def _check_narrow(op: str, inputs: Sequence[Term | None]) -> None:
    """Refuse floats of 16 bits or less that ONNX' operation does not take."""
    formals = onnx.defs.get_schema(op, OPSET).inputs
    for k, x in enumerate(inputs):
        if x is None or not is_narrow(x.dtype):
            continue
        name = onnx.TensorProto.DataType.Name(element_type(x.dtype)).lower()
        if f"tensor({name})" not in formals[min(k, len(formals) - 1)].types:
            raise refuse(
                f"{x.dtype}, which ONNX' {op} does not take",
                "compute with `x.astype(np.float32)` in the exported function",
            )


class Term:
    """A value of an ONNX graph, by its name, with the dtype of its elements."""

    __slots__ = ("dtype", "emit", "name")

    def __init__(self, emit: Emitter, name: str, dtype: np.dtype[Any]) -> None:
        self.emit, self.name, self.dtype = emit, name, dtype

    def _with(self, op: str, other: Term | Scalar, dtype: Any = None) -> Term:
        return self.emit(op, self, self.emit.like(other, self), dtype=dtype)

    def _under(self, op: str, other: Term | Scalar) -> Term:
        return self.emit(op, self.emit.like(other, self), self)

    def __add__(self, other: Term | Scalar) -> Term:
        return self._with("Add", other)

    def __sub__(self, other: Term | Scalar) -> Term:
        return self._with("Sub", other)

    def __mul__(self, other: Term | Scalar) -> Term:
        return self._with("Mul", other)

    def __truediv__(self, other: Term | Scalar) -> Term:
        return self._with("Div", other)

    def __radd__(self, other: Scalar) -> Term:
        return self._under("Add", other)

    def __rsub__(self, other: Scalar) -> Term:
        return self._under("Sub", other)

    def __rmul__(self, other: Scalar) -> Term:
        return self._under("Mul", other)

    def __rtruediv__(self, other: Scalar) -> Term:
        return self._under("Div", other)

    def __neg__(self) -> Term:
        return 0 - self if self.dtype.kind == "u" else self.emit("Neg", self)

    def __lt__(self, other: Term | Scalar) -> Term:
        return self._with("Less", other, _BOOL)

    def __le__(self, other: Term | Scalar) -> Term:
        return self._with("LessOrEqual", other, _BOOL)

    def __gt__(self, other: Term | Scalar) -> Term:
        return self._with("Greater", other, _BOOL)

    def __ge__(self, other: Term | Scalar) -> Term:
        return self._with("GreaterOrEqual", other, _BOOL)

    def equal(self, other: Term | Scalar) -> Term:
        """Element by element."""
        return self._with("Equal", other, _BOOL)

    def __and__(self, other: Term) -> Term:
        return self._with("And", other)

    def __or__(self, other: Term) -> Term:
        return self._with("Or", other)

    def __invert__(self) -> Term:
        return self.emit("Not", self)

    def to(self, dtype: Any) -> Term:
        """With elements of another dtype."""
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self
        return self.emit("Cast", self, dtype=wanted, to=element_type(wanted))


class Words:
    """Names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, Iterator[int]] = {}

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        word = "".join(c if c.isalnum() else "_" for c in stem) or "value"
        names = chain([word], (f"{word}_{k}" for k in self._numbers.setdefault(word, count(1))))
        name = next(n for n in names if n not in self._taken)
        self._taken.add(name)
        return name


class Names(Words):
    """Names of values, each once in a model; and what all its graphs share."""

    def __init__(self) -> None:
        super().__init__()
        self._constants: dict[tuple[Any, ...], str] = {}
        self.initializers: list[onnx.TensorProto] = []
        self.functions: dict[Any, onnx.FunctionProto] = {}
        self.of_functions = Words()
        # Whether random numbers may be the runtime's, which are others than ours.
        self.allow_random = False

    def initializer(self, array: np.ndarray[Any, Any], stem: str) -> str:
        """The name of a constant of the whole model; equal ones are one."""
        key = (array.dtype, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.fresh(stem)
            self.add(array, self._constants[key])
        return self._constants[key]

    def add(self, array: np.ndarray[Any, Any], name: str) -> None:
        """An initializer of that name."""
        element_type(array.dtype)
        self.initializers.append(numpy_helper.from_array(np.array(array, order="C"), name))


class Emitter:
    """The nodes of one graph, or of one function, in the making."""

    def __init__(
        self, names: Names, constants: ChainMap[tuple[Any, ...], Term] | None = None
    ) -> None:
        self.names = names
        self.nodes: list[onnx.NodeProto] = []
        # Functions see nothing of the model around: constants are nodes there, which graphs within
        # see. None: it is no function.
        self._constants = constants

    def inner(self) -> Emitter:
        """For a graph within a node."""
        known = self._constants
        return Emitter(self.names, None if known is None else known.new_child())

    # ---- nodes -------------------------------------------------------------------------------

    def __call__(self, op: str, *inputs: Term | None, dtype: Any = None, **attributes: Any) -> Term:
        """A node with one output, of the dtype of its first input or the given one."""
        first = next((x for x in inputs if x is not None), None)
        known = dtype if dtype is not None else None if first is None else first.dtype
        (made,) = self.several(op, inputs, [np.dtype(known)], **attributes)
        return made

    def several(
        self, op: str, inputs: Sequence[Term | None], dtypes: Sequence[Any], **attributes: Any
    ) -> list[Term]:
        """A node with an output of each dtype."""
        names = [self.names.fresh(op.lower()) for _ in dtypes]
        given = [x.name if x is not None else "" for x in inputs]
        while given and not given[-1]:
            given.pop()
        domain = attributes.pop("domain", None)
        if domain is None:
            _check_narrow(op, inputs)
        self.nodes.append(helper.make_node(op, given, names, domain=domain, **attributes))
        return [Term(self, name, np.dtype(d)) for name, d in zip(names, dtypes, strict=True)]

    # ---- constants ---------------------------------------------------------------------------

    def constant(self, value: Any, dtype: Any = None, stem: str = "constant") -> Term:
        """A constant."""
        array = np.asarray(value, dtype)
        known = self._constants
        if known is None:
            return Term(self, self.names.initializer(array, stem), array.dtype)
        key = (array.dtype, array.shape, array.tobytes())
        if key not in known:
            held = numpy_helper.from_array(array, stem)
            known[key] = self("Constant", dtype=array.dtype, value=held)
        return Term(self, known[key].name, array.dtype)

    def ints(self, *values: int) -> Term:
        """A vector of integers, as ONNX takes axes and shapes."""
        return self.constant(np.array(values, np.int64))

    def like(self, x: Term | Scalar, other: Term) -> Term:
        """A number as a term of the dtype of another; a term as it is."""
        return x if isinstance(x, Term) else self.constant(x, other.dtype)

    # ---- what many operations need -----------------------------------------------------------

    def where(self, condition: Term, x: Term | Scalar, y: Term | Scalar) -> Term:
        """Elements of `x` where the condition is true, of `y` elsewhere."""
        one = x if isinstance(x, Term) else y
        assert isinstance(one, Term)
        yes, no = self.like(x, one), self.like(y, one)
        if yes.dtype == _BOOL:
            return (condition & yes) | (~condition & no)
        if yes.dtype.kind in "iu" and yes.dtype not in _CHOSEN:
            return self.where(condition, yes.to(_INT), no.to(_INT)).to(yes.dtype)
        return self("Where", condition, yes, no, dtype=yes.dtype)

    def shape(self, x: Term) -> Term:
        """The sizes of the axes, as a vector."""
        return self("Shape", x, dtype=_INT)

    def size(self, x: Term, axis: int) -> Term:
        """The size of one axis, as a vector of one."""
        return self("Shape", x, dtype=_INT, start=axis, end=axis + 1)

    def scalar(self, x: Term) -> Term:
        """The one element of a vector, without an axis."""
        return self("Squeeze", x, self.ints(0))

    def vector(self, x: Term) -> Term:
        """A vector of one integer."""
        return self("Unsqueeze", x.to(_INT), self.ints(0))

    def sizes(self, shape: Sequence[int | None], dims: Sequence[Term]) -> Term:
        """A shape as a vector; None takes the next of `dims`."""
        if None not in shape:
            return self.ints(*[n for n in shape if n is not None])
        rest = iter(dims)
        parts = [self.ints(n) if n is not None else self.vector(next(rest)) for n in shape]
        return self("Concat", *parts, axis=0)

    def reshape(self, x: Term, shape: Term) -> Term:
        """In another shape, whose zeros are zeros."""
        return self("Reshape", x, shape, allowzero=1)

    def flat(self, x: Term) -> Term:
        """All elements in one row."""
        return self("Reshape", x, self.ints(-1))

    def total(self, x: Term, axes: Sequence[int] | None, keepdims: bool = False) -> Term:
        """The sum over some axes."""
        given = None if axes is None else self.ints(*axes)
        if axes is not None and not axes:
            return x
        return self("ReduceSum", x, given, keepdims=int(keepdims))

    def any(self, x: Term, axes: Sequence[int] | None = None, keepdims: bool = False) -> Term:
        """Whether one of some truths holds."""
        if axes is not None and not axes:
            return x
        return self.total(x.to(_INT), axes, keepdims) > 0  # which knows what none of none is

    def is_nan(self, x: Term) -> Term:
        """Element by element."""
        return self("IsNaN", x, dtype=_BOOL)

    def checked(self, x: Term, holds: Term) -> Term:
        """`x`; where the condition is not true, running the model ends with an error.

        The element of a row of one at a place that is not there is an error of all runtimes.
        """
        place = self.where(holds, self.constant(0, _INT), 1)
        row = self("Unsqueeze", x, self.ints(0))
        return self("Gather", row, place, axis=0)

    def call(
        self, domain: str, name: str, inputs: Sequence[Term], dtypes: Sequence[Any]
    ) -> list[Term]:
        """A call of a function of the model."""
        return self.several(name, inputs, dtypes, domain=domain)
