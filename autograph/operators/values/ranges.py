"""`range` with bounds that are known only when the graph runs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import is_numpys
from autograph.operators.values.iterables import Indexed, as_position, from_end, is_open
from autograph.operators.values.templates import Late, dig, lazy, python_type_of
from runtime import ops
from runtime.process.debuggers import glimpse
from runtime.structure.templates import Record
from runtime.tensor import Tensor

__all__ = ["OpenRange"]


class OpenRange(Indexed, Late):
    """The integers from `start` to `stop`, `step` apart: it answers what Python's range does."""

    __slots__ = ("start", "step", "stop")
    stands_for = range

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        if not is_open(step):
            step = int(step)
            if step == 0:
                raise ValueError("range() arg 3 must not be zero")
            away = step - 1 if step > 0 else step + 1
        else:
            stage_raise(step == 0, ValueError("range() arg 3 must not be zero"))
            away = ops.where(step > 0, step - 1, step + 1)
        self.start, self.stop, self.step = start, stop, step
        from_zero = not isinstance(start, Tensor) and start == 0
        length = stop if from_zero else stop - start
        if is_open(step) or step != 1:
            length = (length + away) // step
        length = ops.as_weak(ops.maximum(length, 0), kind="int")
        plain = from_zero and not is_open(step) and step == 1
        super().__init__("range", length, (lambda i: i) if plain else self._one)

    @classmethod
    def over(cls, x: range) -> OpenRange:
        """A range of Python's, to be asked about what is known only when the graph runs."""
        return cls(x.start, x.stop, x.step)

    def __repr__(self) -> str:
        return glimpse("a range whose ends depend on data")

    def _one(self, index: Any) -> Any:
        """The item at an index: no number of 64 bits is beyond it, nor need what leads to it be."""
        numbers = (self.start, self.step, index)
        is_far = is_open(self.step) or self.step != 1
        if is_far and all(not isinstance(x, Tensor) or x.type.weak for x in numbers):
            index = ops.astype(index, np.int64)  # it wraps
            return ops.as_weak(self.start + index * self.step, kind="int")
        return self.start + index * self.step

    def __getitem__(self, key: Any) -> Any:
        """`range[key]` for an integer, traced or not, or a slice."""
        if isinstance(key, slice):
            return self._part(key)
        if not isinstance(key, Tensor):
            key = operator.index(key)
        key = as_position(key)
        outside = ops.logical_or(key < -self.length, key >= self.length)
        stage_raise(outside, IndexError("range object index out of range"))
        return self.item(ops.as_weak(from_end(key, self.length), kind="int"))

    def _part(self, key: slice) -> OpenRange:
        step = 1 if key.step is None else key.step
        wrong = ValueError("slice step cannot be zero")
        if isinstance(step, Tensor):
            stage_raise(step == 0, wrong)
        elif operator.index(step) == 0:
            raise wrong
        least = _either(step > 0, 0, -1)
        most = _either(step > 0, self.length, self.length - 1)
        first = _either(step > 0, least, most) if key.start is None else None
        last = _either(step > 0, most, least) if key.stop is None else None
        first = self._clipped(key.start, least, most) if first is None else first
        last = self._clipped(key.stop, least, most) if last is None else last
        return OpenRange(self._at(first), self._at(last), self.step * step)

    def _clipped(self, bound: Any, least: Any, most: Any) -> Any:
        from_end = ops.maximum(bound + self.length, least)
        return _either(bound < 0, from_end, ops.minimum(bound, most))

    def _at(self, index: Any) -> Any:
        return ops.as_weak(self.start + index * self.step, kind="int")

    def contains(self, x: Any) -> Any:
        """Whether `x` is one of the integers: of a number, a traced bool."""
        if not isinstance(x, Tensor | Number):
            return False
        end = self.start + (self.length - 1) * self.step
        ascending = ops.logical_and(x >= self.start, x <= end)
        descending = ops.logical_and(x <= self.start, x >= end)
        between = _either(self.step > 0, ascending, descending)
        found = ops.logical_and(between, (x - self.start) % self.step == 0)
        return ops.as_weak(ops.logical_and(found, self.length > 0), kind="bool")

    def count(self, x: Any) -> Any:
        """`range.count(x)`."""
        return ops.as_weak(self.contains(x), kind="int")

    def index(self, x: Any) -> Any:
        """`range.index(x)`; only of Python's own integers the error says which one it is."""
        text: Any = "sequence.index(x): x not in sequence"
        if (python_type_of(x) if isinstance(x, Tensor) else type(x)) in (int, bool):
            text = lazy(((x, 114, None), " is not in range"))
        there = self.contains(x)
        if there is False:
            raise ValueError(text)
        stage_raise(ops.logical_not(there), ValueError(text))
        return ops.as_weak(ops.astype((x - self.start) // self.step, int), kind="int")

    def as_array(self) -> Tensor:
        """The integers in an array, as NumPy takes a range."""
        made: Tensor = ops.arange(self.start, self.stop, self.step)
        return made

    def __eq__(self, other: object) -> Any:
        if is_numpys(other):
            return ops.equal(self.as_array(), other)
        if not isinstance(other, (range, OpenRange)):
            return False
        length = other.length if isinstance(other, OpenRange) else len(other)
        one = ops.logical_and(self.start == other.start, self.length == 1)
        alike = ops.logical_and(self.start == other.start, self.step == other.step)
        same = ops.logical_or(self.length == 0, ops.logical_or(one, alike))
        return ops.as_weak(ops.logical_and(self.length == length, same), kind="bool")

    def __ne__(self, other: object) -> Any:
        if is_numpys(other):
            return ops.not_equal(self.as_array(), other)
        same = self == other
        return ops.as_weak(ops.logical_not(same), kind="bool") if is_open(same) else not same

    def dug(self, operands: list[Tensor]) -> Record:
        """The range with holes for its bounds."""
        bounds = {"start": self.start, "stop": self.stop, "step": self.step}
        return Record(range, {name: dig(bound, operands) for name, bound in bounds.items()})

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # operators of arrays ask this class


def _of_arrays(sign: Callable[[Any, Any], Any], *, reflected: bool) -> Callable[..., Any]:
    def method(self: OpenRange, other: Any) -> Any:
        if not is_numpys(other):
            return NotImplemented
        return sign(other, self.as_array()) if reflected else sign(self.as_array(), other)

    return method


_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
for _name in (*_TWO, "lt", "le", "gt", "ge"):
    _sign = getattr(operator, _name)
    setattr(OpenRange, f"__{_name}__", _of_arrays(_sign, reflected=False))
    if _name in _TWO:
        setattr(OpenRange, f"__r{_name}__", _of_arrays(_sign, reflected=True))


def _either(test: Any, yes: Any, no: Any) -> Any:
    return ops.where(test, yes, no) if is_open(test) else (yes if test else no)


# As Python's errors call it.
OpenRange.__name__ = OpenRange.__qualname__ = range.__name__
