"""Whether a class is as it was: by the version that CPython gives what its objects find in it."""

from __future__ import annotations

import ctypes
import weakref

from runtime.execute.native import layout
from runtime.process.interrupts import uninterrupted

__all__ = ["Version"]

# No class has this version.
_UNKNOWN = 2**64 - 1


class Version:
    """The version of a class when it was last looked at, which changes with it and its bases.

    Native code reads its two words: where the class is, and the version. A class that has died
    is as it was for ever: nothing is of that class any more.
    """

    def __init__(self, kind: type) -> None:
        self._words = (ctypes.c_uint64 * 2)(id(kind), _UNKNOWN)
        self._instead = ctypes.c_uint32(1)
        words, instead = self._words, self._instead

        @uninterrupted
        def forget(_: object) -> None:
            words[0] = ctypes.addressof(instead) - layout.VERSION
            words[1] = instead.value

        self._reference = weakref.ref(kind, forget)

    @property
    def kind(self) -> type | None:
        """The class, while it lives."""
        return self._reference()

    @property
    def address(self) -> int:
        """Where the words are."""
        return ctypes.addressof(self._words)

    def is_current(self) -> bool:
        """Whether the class is as it was when `renew` was called last."""
        at, version = self._words
        return version != _UNKNOWN and version == _version_at(at)

    def renew(self) -> None:
        """Take the class for what it is now; not where CPython does not tell its versions."""
        kind = self.kind
        if kind is None:
            return
        type.__getattribute__(kind, "__init__")  # with a look into it, it gets a version
        found = 0 if layout.problem() is not None else _version_at(id(kind))
        self._words[1] = found or _UNKNOWN

    def forget(self) -> None:
        """Take the class for changed until `renew` is called."""
        if self.kind is not None:
            self._words[1] = _UNKNOWN


def _version_at(address: int) -> int:
    return ctypes.c_uint32.from_address(address + layout.VERSION).value
