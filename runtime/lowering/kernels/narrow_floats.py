"""Floats of 16 bits and less: how their bits are laid out. No machine computes with them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LAYOUTS", "NARROW", "Layout"]


class Layout(NamedTuple):
    """How a float is stored: bytes, bits of its fraction, bias of its exponent, what is special.

    `special` is the least size, sign left out, that is no number: infinity, or nan where the name
    has "fn". Where it has "uz", too, nothing is: the one nan is in the place of a negative zero.
    """

    bytes: int
    fraction: int
    bias: int
    special: int | None

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << 8 * self.bytes - 1

    @property
    def nan(self) -> int:
        """The nan that results are: infinity, where there is one, and a bit."""
        if self.special is None:
            return self.sign
        has_infinity = self.special % (1 << self.fraction) == 0
        return self.special | 1 << self.fraction - 1 if has_infinity else self.special


# What is converted by integer operations.
LAYOUTS = {
    "bfloat16": Layout(2, 7, 127, 0x7F80),
    "float8_e3m4": Layout(1, 4, 3, 0x70),
    "float8_e4m3": Layout(1, 3, 7, 0x78),
    "float8_e4m3b11fnuz": Layout(1, 3, 11, None),
    "float8_e4m3fn": Layout(1, 3, 7, 0x7F),
    "float8_e4m3fnuz": Layout(1, 3, 8, None),
    "float8_e5m2": Layout(1, 2, 15, 0x7C),
    "float8_e5m2fnuz": Layout(1, 2, 16, None),
}
# Besides, processors have instructions for `f2`.
NARROW = frozenset((*LAYOUTS, "f2"))
