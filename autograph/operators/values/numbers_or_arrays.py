"""Names that are a number on one path and an array on the other: what cannot be asked of them.

The graph has one value for both, whose number of axes it does not know. Of the number it does not
know whether it was Python's own: what differs between Python's numbers and NumPy's is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.variables import Nullable
from runtime.building import Builder, building
from runtime.effects import control
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.origins import origin_of_caller
from runtime.spec import WEAK_DTYPES, TensorType
from runtime.tensor import Tensor

__all__ = ["is_array_at_times", "is_number_or_array", "of_all_classes", "python_types_of",
           "refuse_number_or_array"]  # fmt: skip

_Classes = frozenset[type]
_ARRAY: _Classes = frozenset((np.ndarray,))


def python_types_of(x: Tensor) -> _Classes:
    """The classes of which the number or array is one that a traced tensor stands for."""
    builder = building()
    type_ = x.type
    if builder is None or x._value is None or not isinstance(type_, TensorType):
        return frozenset((type_.dtype.type,)) if type_.rank == 0 else _ARRAY
    if type_.rank == 0 and x.is_array:
        return _ARRAY
    return _Search(builder).classes_of(x.current()._value)


class _Search:
    """The classes of values of a graph, each looked for once."""

    def __init__(self, builder: Builder) -> None:
        self._root = builder.root
        self._known: dict[Any, _Classes] = {}
        # Whether an operation made some of them: of rank 0, it may be an array all the same.
        self.is_unclear = False

    def classes_of(self, value: Any) -> _Classes:
        """The classes of what a value may stand for."""
        if value not in self._known:
            self._known[value] = self._found(value)
        return self._known[value]

    def _found(self, value: Any) -> _Classes:
        type_ = value.type
        if not isinstance(type_, TensorType):
            return _ARRAY
        if type_.weak:
            return frozenset((_python_class(type_),))
        if type_.shape is not None:
            return frozenset((type_.dtype.type,)) if type_.rank == 0 else _ARRAY
        outer = self._root.stands_for.get(value)
        if isinstance(outer, Value):
            return self.classes_of(outer)
        node = value.node
        if node is None:  # an argument of unknown rank is an array
            return _ARRAY if value in self._root.graph.inputs else _either(type_)
        if node.op is control.COND:
            of_paths = (self._left_by(graph.outputs[value.index]) for graph in node.graphs)
            return frozenset().union(*of_paths)
        if node.op is control.WHILE:
            first = node.inputs[node.attrs["captures"] + value.index]
            return self._left_by(first) | self._left_by(node.graphs[1].outputs[value.index])
        if not node.op.elementwise:
            self.is_unclear = True
            return _either(type_)
        return _computed([self.classes_of(v) for v in node.inputs], type_)

    def _left_by(self, value: Any) -> _Classes:
        """The classes of what a path gives, before it has the type of both."""
        if value in self._root.joined_numbers:
            return frozenset((_python_class(value.type),))
        return self.classes_of(value)


def _computed(operands: list[_Classes], type_: TensorType) -> _Classes:
    """The classes of what is computed, element by element, of operands of these."""
    found: set[type] = set()
    if any(np.ndarray in classes for classes in operands):
        found.add(np.ndarray)
    scalars = [classes - _ARRAY for classes in operands]
    if all(scalars):
        if any(issubclass(kind, np.generic) for classes in scalars for kind in classes):
            found.add(type_.dtype.type)
        if all(any(not issubclass(k, np.generic) for k in classes) for classes in scalars):
            found.add(_python_class(type_))
    return frozenset(found)


def _python_class(type_: TensorType) -> type:
    kinds: dict[str, type] = {dtype.kind: kind for kind, dtype in WEAK_DTYPES.items()}
    return kinds["i" if type_.kind == "u" else type_.kind]


def _either(type_: TensorType) -> _Classes:
    return frozenset((np.ndarray, type_.dtype.type))


def of_all_classes(x: Tensor, answer: Callable[[type], Any], asked: str) -> Any:
    """What is answered for the class of what `x` stands for; refused where data decides that."""
    answers = [answer(kind) for kind in python_types_of(x)]
    if any(other != answers[0] for other in answers):
        raise _refusal(asked)
    return answers[0]


def refuse_number_or_array(x: Any, asked: str) -> None:
    """Refuse what Python has otherwise for a number of its own than NumPy for an array."""
    if is_number_or_array(x):
        raise _refusal(asked)


def is_number_or_array(x: Any) -> bool:
    """Whether a tensor, or what may be None, is a number of Python's on one path, else an array."""
    x = x.inner if type(x) is Nullable else x
    if not _has_unknown_rank(x):
        return False
    return not all(issubclass(kind, np.generic | np.ndarray) for kind in python_types_of(x))


def is_array_at_times(x: Any) -> bool:
    """Whether a tensor is an array on one path, which is written in place, and else a number."""
    builder = building()
    if builder is None or not _has_unknown_rank(x):
        return False
    search = _Search(builder)
    return search.classes_of(x.current()._value) != _ARRAY and not search.is_unclear


def _has_unknown_rank(x: Any) -> bool:
    if not isinstance(x, Tensor) or x._value is None:
        return False
    type_: Any = x.type
    return isinstance(type_, TensorType) and type_.shape is None


def _refusal(asked: str) -> StagingError:
    return StagingError(
        f"whether this is a number or an array depends on data, and {asked}",
        "ask in each branch, before one name is both",
        origin=origin_of_caller(),
    )
