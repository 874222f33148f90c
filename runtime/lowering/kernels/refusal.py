"""Why a part of a graph has no native form."""

from __future__ import annotations

__all__ = ["Refusal", "TooLarge"]


class Refusal(Exception):
    """This cannot be lowered; the message says why. The plan runs it instead."""


class TooLarge(Refusal):
    """There is so much of it that compiling would take too long."""
