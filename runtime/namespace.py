"""The public namespace, as arrays tell it: `x.__array_namespace__()`, and what it is capable of.

The public package is above the runtime, which knows nothing of it: it makes itself known.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from runtime import devices

__all__ = ["VERSION", "NamespaceInfo", "namespace", "publish"]

# The version of the array API standard that the namespace follows, and those that it serves.
VERSION = "2023.12"
_VERSIONS = ("2021.12", "2022.12", "2023.12")

_DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "complex64", "complex128",
)  # fmt: skip

_published: list[ModuleType] = []


def publish(module: ModuleType) -> None:
    """Make `module` the namespace of all arrays."""
    _published[:] = [module]


def namespace(api_version: str | None = None) -> ModuleType:
    """The namespace of all arrays.

    Raises ValueError for a version of the standard that it does not serve.
    """
    if api_version not in (None, *_VERSIONS):
        raise ValueError(
            f"the array API standard of version {api_version!r} is not served; these are: "
            f"{', '.join(_VERSIONS)}"
        )
    if not _published:
        raise RuntimeError("no namespace is there yet: `import autograph` brings it")
    return _published[0]


class NamespaceInfo:
    """Capabilities, devices and dtypes of the namespace, as the array API standard asks for them.

    >>> import autograph as ag
    >>> ag.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """What the standard leaves open: masks as indices, sizes that depend on data."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Where new arrays are made: on the device that is chosen, else on the host."""
        return devices.placement() or devices.HOST

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """The dtypes of new arrays for which none is given."""
        _check_device(device)
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.intp),
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes by name; with `kind`, as in `isdtype`, those of that kind.

        Raises ValueError for a kind that is none.
        """
        _check_device(device)
        found = {name: np.dtype(name) for name in _DTYPES}
        if kind is None:
            return found
        return {name: dtype for name, dtype in found.items() if np.isdtype(dtype, kind)}

    def devices(self) -> list[str]:
        """Names of the devices that there are."""
        return devices.list_devices()


def _check_device(device: Any) -> None:
    if device is not None:
        devices.resolve(device)
