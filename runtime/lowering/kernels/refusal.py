"""Why a part of a graph has no native form."""

from __future__ import annotations

from runtime.graph.ir import Node

__all__ = ["Refusal", "TooLarge"]


class Refusal(Exception):
    """This cannot be lowered; the message says why. The plan runs it instead."""

    # What cannot be, where that is known: the innermost node.
    node: Node | None = None


class TooLarge(Refusal):
    """There is so much of it that compiling would take too long."""

    # How many nodes of the graph, but for constants, are not too many.
    fitting = 0

    def __init__(self) -> None:
        super().__init__("compiling all of it would take seconds")
