"""In-place operators (`x += y`), told to the write journal."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_objects import is_chosen_object
from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.branches.written_items import is_writable, written
from autograph.operators.builtins.interleaved_extend import extend_in_turn
from autograph.operators.captured.captures import guard_content
from autograph.operators.containers import open_deques, open_sets
from autograph.operators.containers.joining import repeated
from autograph.operators.containers.list_iterators import readable
from autograph.operators.containers.open_dicts import name_of_view
from autograph.operators.containers.tables import of_several
from autograph.operators.expressions.access import consumed, present, refuse_traced
from autograph.operators.expressions.generators import call_of
from autograph.operators.values.contents import content_slot
from autograph.operators.values.foreign_arrays import note_foreign
from autograph.operators.values.iterators import taken
from autograph.operators.values.numbers_or_arrays import (
    is_array_at_times,
    refuse_number_or_array,
)
from autograph.operators.values.runs import has_runs, python_class, settled
from runtime import journal, ops
from runtime.tensor import Tensor

__all__ = ["IN_PLACE", "iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul",
           "ior", "ipow", "irshift", "isub", "itruediv", "ixor"]  # fmt: skip

_NEW = {"iand": "and_", "ior": "or_"}
IN_PLACE = ("iadd", "isub", "imul", "imatmul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift",
            "irshift", "iand", "ixor", "ior")  # fmt: skip


def _augmented(name: str) -> Callable[[Any, Any], Any]:
    function: Callable[[Any, Any], Any] = getattr(operator, name)
    of_number: Callable[[Any, Any], Any] = getattr(operator, _NEW.get(name, name[1:]))

    def _in_place(target: Any, value: Any) -> None:
        operate(target, value)

    def _in_place_of_each(target: Any, value: Any) -> Any:
        """Of lists each is changed; what objects give may be another one."""
        if not all(type(x) is list for x in target.things):
            return of_each(target, lambda one: operate(one, value))
        of_each(target, lambda one: _in_place(one, value))
        return target

    def operate(target: Any, value: Any) -> Any:
        target, value = present(target), present(value)
        if isinstance(value, list | tuple):
            refuse_number_or_array(target, f"a {python_class(type(value)).__name__} is its operand")
        if is_array_at_times(target):  # a number stays what it is, for other names of it
            return if_exp(
                ops.has_axes(target),
                lambda: function(target, value),
                lambda: of_number(target, value),
                name,
            )
        if journal.recording() is not None and not isinstance(target, Tensor):
            taken(value)
            value = readable(value)
            if type(value) is list and has_runs(value) and name_of_view(value) is None:
                value = settled(value)
            if is_chosen_object(target):
                return _in_place_of_each(target, value)
            if is_writable(target) and name in ("iadd", "imul", "ior"):
                return written(target, lambda: operate(target, value))
            one = of_several(target)
            if one is not None and name in ("iadd", "imul"):
                one.each(lambda k: _in_place(one.things[k], value))
                return target
            if name == "iadd" and isinstance(target, list | deque) and call_of(value) is not None:
                consumed(target)
                extend_in_turn(target, value)
                return target
            is_open = open_deques.items_of(target) is not None
            if name == "iadd" and is_open and type(value) in (list, tuple) and not has_runs(value):
                consumed(target)
                for item in value:
                    open_deques.append(target, item)
                return target
            if isinstance(target, (list, dict, set, deque)):
                journal.note(content_slot(target))
                value = open_sets.for_in_place(target, value)
                if name == "iadd":
                    consumed(target)
                else:
                    guard_content(target, f"a {type(target).__name__}")
            elif isinstance(target, np.ndarray):
                if isinstance(value, Tensor) and not value.is_known:
                    refuse_traced(target, None, value)
                note_foreign(target)
                journal.note(content_slot(target))
        if name == "imul" and type(target) is list and isinstance(value, Tensor):
            made = repeated(target, value)
            if type(made) is not list:
                return made
            target[:] = made
            return target
        return function(target, value)

    operate.__name__ = operate.__qualname__ = name
    operate.__doc__ = f"`{name[1:]}` in place, as `operator.{name}`; what it writes is journaled."
    return operate


iadd = _augmented("iadd")
isub = _augmented("isub")
imul = _augmented("imul")
imatmul = _augmented("imatmul")
itruediv = _augmented("itruediv")
ifloordiv = _augmented("ifloordiv")
imod = _augmented("imod")
ipow = _augmented("ipow")
ilshift = _augmented("ilshift")
irshift = _augmented("irshift")
iand = _augmented("iand")
ixor = _augmented("ixor")
ior = _augmented("ior")
