"""How much one trace unrolls: rounds that are repeated make graphs that take long to compile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from runtime.effects.control import WHILE
from runtime.graph.ir import Node

__all__ = ["MANY_ROUNDS", "Budget", "works_long"]

# Of more rounds that add nodes, a loop is one of the graph, if it can be.
MANY_ROUNDS = 16
# So many nodes the rounds of one loop may add, and those of all loops of a trace; a loop that adds
# a few is never worth one of the graph.
_MOST_OF_LOOP, _MOST, _FEW = 500, 2000, 32


def works_long(nodes: Iterable[Node]) -> bool:
    """Whether there is a loop among nodes that changes Variables, as in an epoch of training.

    It is much to compile, and nothing in it becomes simpler where it stands several times.
    """
    return any(
        (node.op is WHILE and any(one.op.effect == "assign" for one in graph.walk()))
        or works_long(graph.nodes)
        for node in nodes
        for graph in node.graphs
    )


class Budget:
    """The nodes that repeated rounds have added to a trace, and how many more they may add."""

    __slots__ = ("_around", "spent")

    def __init__(self) -> None:
        self.spent = 0
        # How often all that is traced now is repeated, by loops around that cannot be staged.
        self._around = 1

    def allows(self, nodes: int) -> bool:
        """Whether a loop may add so many nodes, each time that it is run."""
        left = (_MOST - self.spent) // self._around
        return nodes <= max(_FEW, min(_MOST_OF_LOOP, left))

    @contextmanager
    def shared_by(self, rounds: int) -> Iterator[None]:
        """The round of a loop that cannot be staged, of which so many are left."""
        before, self._around = self._around, self._around * max(1, rounds)
        try:
            yield
        finally:
            self._around = before
