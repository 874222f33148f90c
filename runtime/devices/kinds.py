"""Kinds of devices: each is one array module, and how its arrays come from and go to the host.

A device is named `/kind:number`. `/cpu:0` is the host: its arrays are NumPy's. In types of graph
values and here, None stands for the host, so that programs on the CPU alone carry nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from runtime import config
from runtime.devices import cuda
from runtime.errors import DeviceError
from runtime.process.forks import new_after_forks

__all__ = [
    "HOST",
    "Kind",
    "copied",
    "current",
    "device_of",
    "host_array",
    "in_use",
    "is_device_array",
    "kind_of_device",
    "list_devices",
    "located_kernel",
    "module_of",
    "moved",
    "register",
    "resolve",
    "synchronize",
    "use",
]

HOST = "/cpu:0"
# More than zero once an array of another device than the host was met, or a device was chosen.
# A list, so that readers hold the word itself: `in_use[0]`.
in_use = [0]
# TensorFlow's long names of devices are understood too.
_NAME = re.compile(
    r"(?:/job:\w+)?(?:/replica:\d+)?(?:/task:\d+)?/?(?:device:)?([a-z_]+)(?::(\d+))?"
)


class Kind(Protocol):
    """One kind of device: an array module, and what differs from NumPy beside its functions.

    Arrays of a kind are instances of exactly `array_type`. A result of rank 0 is an array of it.
    """

    name: str

    @property
    def xp(self) -> ModuleType | Any:
        """The array module."""

    @property
    def array_type(self) -> type:
        """The class of its arrays."""

    def missing(self) -> str:
        """What is missing to use such devices, and what to do; empty where nothing is."""

    def count(self) -> int:
        """How many such devices there are; 0 where something is missing."""

    def number_of(self, array: Any) -> int:
        """The number of the device that an array is on."""

    def entered(self, number: int) -> AbstractContextManager[Any]:
        """A context in which new arrays are made on that device."""

    def put(self, array: Any, number: int) -> Any:
        """A copy of a host array, or of an array of this kind, on that device."""

    def fetch(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy of an array as a host array, once it is computed."""

    def synchronize(self, number: int) -> None:
        """Wait until all that was started on that device is done."""


_HOST_TYPES = frozenset((np.ndarray, bool, int, float, complex, np.float64, np.float32, np.int64))
_lock = new_after_forks(threading.Lock())
_kinds: dict[str, Kind] = {}
_by_type: dict[type, Kind] = {}


def use(count: int = 1) -> None:
    """Say that another device is in use, or with -1 that it is not any more."""
    with _lock:
        in_use[0] += count


def register(kind: Kind) -> Callable[[], None]:
    """Make a kind of device known; what is returned makes it unknown again."""
    _kinds[kind.name] = kind

    def remove() -> None:
        _kinds.pop(kind.name, None)
        for type_ in [t for t, k in _by_type.items() if k is kind]:
            del _by_type[type_]

    return remove


register(cuda.Cuda())


def list_devices() -> list[str]:
    """Names of the devices that can be used, the host first.

    >>> import autograph as ag
    >>> ag.list_devices()[0]
    '/cpu:0'
    """
    return [HOST, *(f"/{k.name}:{n}" for k in _kinds.values() for n in range(k.count()))]


def resolve(name: Any) -> str:
    """The name of a device in its one form, such as "/gpu:0" for "GPU:0".

    Raises ValueError for what is no name of a device, DeviceError for a device that is not there,
    unless `config.soft_placement` is on: then it is the host.
    """
    parts = _NAME.fullmatch(name.lower()) if isinstance(name, str) else None
    if parts is None or parts[1] not in ("cpu", *_kinds):
        raise ValueError(f"there is no device {name!r}; there are {', '.join(list_devices())}")
    number = int(parts[2] or 0)
    found = f"/{parts[1]}:{number}"
    if found == HOST:
        return HOST
    what, how = _absence(parts[1], number)
    if not what:
        return found
    if config.soft_placement.value:
        config.log(1, lambda: f"{found} is not there ({what}): {HOST} takes its place")
        return HOST
    raise DeviceError(f"{found} cannot be used: {what}", how)


def _absence(kind: str, number: int) -> tuple[str, str]:
    """Why there is no such device, and what to do about it."""
    if kind == "cpu":
        return f"all cores of the host are {HOST}", f"use {HOST}"
    missing = _kinds[kind].missing()
    if missing:
        what, _, how = missing.partition("\n")
        return what, how
    count = _kinds[kind].count()
    if number < count:
        return "", ""
    return f"there are {count} such devices", f"there are {', '.join(list_devices())}"


# ---- arrays ------------------------------------------------------------------------------------


def _kind_of(type_: type) -> Kind | None:
    kind = _by_type.get(type_)
    if kind is None and type_ not in _HOST_TYPES:
        root = type_.__module__.partition(".")[0]
        for kind in _kinds.values():
            if _is_of(type_, root, kind):
                use()
                _by_type[type_] = kind
                return kind
        return None
    return kind


def _is_of(type_: type, root: str, kind: Kind) -> bool:
    """Whether `type_` is the class of arrays of `kind`; no module is imported to find out."""
    known = getattr(kind, "module", root)
    return bool(known == root and type_ is kind.array_type)


def is_device_array(x: Any) -> bool:
    """Whether `x` is an array of another device than the host."""
    return _kind_of(type(x)) is not None


def device_of(x: Any) -> str | None:
    """Name of the device that a raw value is on; None for the host."""
    kind = _kind_of(type(x))
    return None if kind is None else f"/{kind.name}:{kind.number_of(x)}"


def kind_of_device(device: str) -> tuple[Kind, int]:
    """Kind and number of a device that is not the host."""
    name, _, number = device[1:].partition(":")
    if name not in _kinds:
        raise DeviceError(f"there is no device {device}", f"there are {', '.join(list_devices())}")
    return _kinds[name], int(number)


def module_of(device: str | None) -> Any:
    """The array module of a device."""
    return np if device is None else kind_of_device(device)[0].xp


def located_kernel(kernel: Callable[..., Any], device: str | None) -> Callable[..., Any]:
    """`kernel` so that it runs on a device, whichever is the current one of its kind."""
    if device is None:
        return kernel
    kind, number = kind_of_device(device)
    if kind.count() < 2:
        return kernel

    def located(*args: Any, **kwargs: Any) -> Any:
        with kind.entered(number):
            return kernel(*args, **kwargs)

    return located


def current(device: str | None) -> AbstractContextManager[Any]:
    """A context in which a device is the current one of its kind: new arrays are made there."""
    if device is None or device == HOST:
        return nullcontext()
    kind, number = kind_of_device(device)
    return nullcontext() if kind.count() < 2 else kind.entered(number)


def moved(array: Any, device: str | None) -> Any:
    """A copy of a raw value on a device; a host value for the host is given as it is.

    On the host, a result of rank 0 is a NumPy scalar.
    """
    source = _kind_of(type(array))
    if device is None:
        return array if source is None else source.fetch(array)[()]
    kind, number = kind_of_device(device)
    if source is not None and source is not kind:
        array = source.fetch(array)
    made = kind.put(array if source is kind else np.asarray(array), number)
    _kind_of(type(made))
    return made


def copied(array: Any) -> Any:
    """A copy of an array where it is; its own `copy` would make it on the kind's current device."""
    kind = _kind_of(type(array))
    return array.copy() if kind is None else kind.put(array, kind.number_of(array))


def host_array(array: Any) -> Any:
    """A raw value as the host has it: for looking at, and for what only NumPy does."""
    kind = _kind_of(type(array)) if in_use[0] else None
    return array if kind is None else kind.fetch(array)[()]


def synchronize(device: str) -> None:
    """Wait until all that was started on a device is done."""
    if device != HOST:
        kind, number = kind_of_device(device)
        kind.synchronize(number)
