"""What the builtin of a graph gives for arguments that it does not take."""

from __future__ import annotations

__all__ = ["MISS"]


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS = _Miss()
