"""`with device(...)`: where the operations of a block are computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, Token
from typing import Any

from runtime.devices.kinds import HOST, current, device_of, in_use, resolve, use
from runtime.errors import DeviceError
from runtime.process import dispatch_flag

__all__ = ["common_device", "device", "placement", "placing", "placing_like", "placing_on"]

_placement: ContextVar[str | None] = ContextVar("placement", default=None)


def placement() -> str | None:
    """The device that operations are computed on here; None: where their operands are."""
    return _placement.get()


@contextmanager
def placing(name: str | None) -> Iterator[None]:
    """Compute operations of a block on a device, or where their operands are."""
    token = _placement.set(name)
    use()
    try:
        with current(name):
            yield
    finally:
        use(-1)
        _placement.reset(token)


def placing_on(device: str | None) -> AbstractContextManager[None]:
    """Compute operations of a block on a device as types have it: None is the host."""
    return placing(device or HOST) if in_use[0] else nullcontext()


def placing_like(x: Any) -> AbstractContextManager[None]:
    """Make arrays of a block where `x` is, unless a `with device(...)` says where."""
    if not in_use[0] or placement() is not None:
        return nullcontext()
    type_ = getattr(x, "type", None)
    found = device_of(x) if type_ is None else getattr(type_, "device", None)
    return nullcontext() if found is None else placing(found)


class device(AbstractContextManager["device"]):  # lower case, as a verb in `with ag.device(...)`
    """Compute on a device: operands that are elsewhere are copied there, each copy a node.

    `name` is "/cpu:0", or "/gpu:0" for CuPy's first card (TensorFlow's long names serve too); None
    computes where the operands are, as outside of any such block. New arrays are made there.

    Raises DeviceError where the device is not there, unless `config.soft_placement` is on;
    ValueError for what is no name of a device.

    >>> import autograph as ag
    >>> with ag.device("/cpu:0"):
    ...     print(ag.ones(2).device)
    /cpu:0
    """

    def __init__(self, name: str | None) -> None:
        self.name = None if name is None else resolve(name)
        self._tokens: list[tuple[Token[str | None], AbstractContextManager[Any]]] = []

    def __enter__(self) -> device:
        entered = current(self.name)
        entered.__enter__()
        self._tokens.append((_placement.set(self.name), entered))
        use()
        dispatch_flag.rise()
        return self

    def __exit__(self, *details: object) -> None:
        dispatch_flag.lower()
        use(-1)
        token, entered = self._tokens.pop()
        _placement.reset(token)
        entered.__exit__(None, None, None)

    def __repr__(self) -> str:
        return f"device({self.name!r})"


def common_device(devices: Iterable[str | None], what: str) -> str | None:
    """The device that operands share.

    Raises DeviceError where there are two: copies between devices are made by those who want them.
    """
    found = sorted({HOST if d is None else d for d in devices})
    if len(found) > 1:
        raise DeviceError(
            f"the operands of `{what}` are on {' and '.join(found)}",
            f"copy one of them (`x.to({found[-1]!r})`), or compute in `with ag.device(...)`, "
            "which copies",
        )
    return None if not found or found == [HOST] else found[0]
