"""Copies between devices: the only ops whose operand and result are on different ones."""

from __future__ import annotations

from typing import Any

from runtime.devices import HOST, moved, resolve
from runtime.ops.declaration.declare import op
from runtime.ops.declaration.operands import Array, Module, Operand, content, type_of
from runtime.ops.declaration.samples import array
from runtime.spec import TensorType

__all__ = ["copy_to", "device_of_operand", "to_device"]


def _on(name: str) -> str | None:
    """A device as types have it."""
    return None if name == HOST else name


@op(
    inputs=1,
    infer=lambda x, device: TensorType(x.dtype, x.shape, device=_on(device)),
    vjp=lambda g, out, x, device: (to_device(g, device_of_operand(x)),),
    samples=lambda: (
        ((array((2, 3)),), {"device": HOST}),
        ((array(()),), {"device": HOST}),
        ((array((0, 2), "i4"),), {"device": HOST}),
    ),
    forwards=True,
    stays=True,
)
def copy_to(xp: Module, x: Array, device: str) -> Array:
    """A copy of `x` on a device, named in its one form; `to_device` takes other forms too.

    >>> ag.to_device(np.ones(2), "/cpu:0")
    array([1., 1.])
    """
    return moved(x, _on(device))


def device_of_operand(x: Operand) -> str:
    """Name of the device that an operand is on."""
    return type_of(content(x)).device or HOST


def to_device(x: Operand, device: str, /, *, stream: Any = None) -> Any:
    """`x` on a device: `x` itself where it is there already, else a copy.

    Gradients are copied back. Raises DeviceError where there is no such device, ValueError for what
    is no name of one, or a `stream`: work is in the order of the program.

    >>> ag.to_device(np.ones(2), "/cpu:0")
    array([1., 1.])
    """
    if stream is not None:
        raise ValueError("streams are not chosen: operations run in the order of the program")
    name, x = resolve(device), content(x)
    return x if device_of_operand(x) == name else copy_to(x, device=name)
