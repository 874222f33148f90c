"""Where an operation is computed, and which of its operands are copied there: one rule.

Without a `with device(...)` it is computed where its operands are, and two devices may not meet.
Within one it is computed there. Scalars of the host go along with operands on any device, and among
themselves stay on the host; lists and tuples of numbers have no device of their own and are copied
to that of the arrays that they meet. Views stay with the array that they show, effects and what
only passes values on with their operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from runtime.devices import (
    HOST,
    common_device,
    device_of,
    is_device_array,
    placement,
)
from runtime.graph.ir import Op
from runtime.spec import TensorType, Type, is_mobile

__all__ = ["Fact", "Placed", "fact_of_type", "homes", "is_nest", "place"]


class Fact(NamedTuple):
    """What matters of an operand: its device, and whether it is a scalar of the host or a number.

    `is_value` is false for what is no array at all: a stack, a Variable, an exception. `is_nest` is
    true for a list or tuple of numbers.
    """

    device: str | None
    is_mobile: bool
    is_number: bool
    is_value: bool = True
    is_nest: bool = False


class Placed(NamedTuple):
    """The device of an operation (None: the host), and which operands are to be copied there."""

    device: str | None
    moved: tuple[bool, ...]

    @property
    def name(self) -> str:
        """The name of the device."""
        return HOST if self.device is None else self.device


def fact_of_type(type_: Type, operand: Any = None) -> Fact:
    """The fact of a graph value, which stands for `operand`."""
    if type(type_) is not TensorType:
        return Fact(None, True, False, False)
    if type_.device is None and is_nest(operand):
        return Fact(None, False, False, is_nest=True)
    return Fact(type_.device, is_mobile(type_), type_.weak)


def is_nest(operand: Any) -> bool:
    """Whether an operand is a list or tuple, which has no device of its own."""
    return isinstance(operand, (list, tuple))


def place(op: Op, facts: Sequence[Fact]) -> Placed | None:
    """Where `op` is computed on operands of these facts; None: as they are.

    Raises DeviceError where operands are on two devices.
    """
    if op.view or op.effect is not None or op.options.get("stays"):
        return None
    wanted = placement()
    if wanted is None:
        fixed = (f.device for f in facts if f.is_value and not (f.is_mobile or f.is_nest))
        device = common_device(fixed, op.name)
    else:
        device = None if wanted == HOST else wanted
    if device is None and all(f.device is None for f in facts):
        return None
    if facts and op.elementwise and all(f.is_mobile and f.is_value for f in facts):
        return None  # counters and the like: they go along with arrays as they are
    numbers = all(f.is_number for f in facts)
    if numbers and facts and op.python is not None:
        return None  # Python computes with Python numbers
    scalars = bool(op.options.get("scalars"))
    if numbers:
        # An op that takes arrays finds an array on the device.
        return Placed(device, (not scalars,) * len(facts))
    return Placed(device, tuple(_is_moved(f, device, scalars) for f in facts))


def homes(operands: Iterable[Any]) -> Iterator[str | None]:
    """The devices of the arrays among operands and in lists of them."""
    for x in operands:
        if type(x) in (list, tuple):
            yield from homes(x)
            continue
        type_ = getattr(x, "type", None)
        if isinstance(type_, TensorType):
            if not is_mobile(type_):
                yield type_.device
        elif is_device_array(x):
            yield device_of(x)
        elif isinstance(x, np.ndarray) and x.ndim:
            yield None


def _is_moved(fact: Fact, device: str | None, scalars: bool) -> bool:
    if not fact.is_value or fact.is_number or fact.device == device:
        return False
    return not (scalars and fact.is_mobile)
