"""Whether a function is as it was: by its code, and the defaults of its parameters."""

from __future__ import annotations

import ctypes
import weakref
from types import FunctionType
from typing import Any

from runtime.execute.native import layout
from runtime.process.interrupts import uninterrupted

__all__ = ["Parts"]


class Parts:
    """The parts of a function that can be replaced, when it was last looked at.

    Native code compares its four words: where the function is, its code, its defaults and those of
    its keyword-only parameters. A function that has died is as it was for ever: nobody calls it.
    """

    def __init__(self, function: FunctionType) -> None:
        self._words = (ctypes.c_uint64 * 4)()
        self._held: list[Any] = []
        # Stands for a function that has died; the words point to it longer than `forget` lives.
        self._instead = (ctypes.c_uint64 * _WORDS)()
        words, held, instead = self._words, self._held, self._instead
        # When the process ends, names of modules may be None before functions die.
        offsets, address = _OFFSETS, ctypes.addressof(instead)

        @uninterrupted
        def forget(_: object) -> None:
            for offset, word in zip(offsets, words[1:], strict=True):
                instead[offset // 8] = word
            words[0] = address
            held.clear()

        self._reference = weakref.ref(function, forget)
        self.renew()

    @property
    def function(self) -> Any:
        """The function, while it lives; else None."""
        return self._reference()

    @property
    def address(self) -> int:
        """Where the words are."""
        return ctypes.addressof(self._words)

    def are_current(self) -> bool:
        """Whether the function has the very parts that it had when `renew` was called last."""
        function = self.function
        if function is None:
            return True
        code, defaults, keywords = self._held
        return (
            function.__code__ is code
            and function.__defaults__ is defaults
            and function.__kwdefaults__ is keywords
        )

    def renew(self) -> None:
        """Take the function for what it is now."""
        function = self.function
        if function is not None:
            code, defaults, keywords = self._held[:] = (
                function.__code__, function.__defaults__, function.__kwdefaults__,
            )  # fmt: skip
            self._words[:] = [
                id(function),
                id(code),
                0 if defaults is None else id(defaults),
                0 if keywords is None else id(keywords),
            ]


_OFFSETS = (layout.CODE, layout.DEFAULTS, layout.KWDEFAULTS)
# So many words a function has up to the last of these.
_WORDS = layout.KWDEFAULTS // 8 + 1
