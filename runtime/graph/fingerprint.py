"""What a graph computes as bytes: two graphs of the same bytes compute the same, bit for bit.

Names and positions in the user's program are not in it. Objects that are known by their identity
only are numbers, where nothing but the run asks what they are; else a graph has no bytes.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from typing import Any, NamedTuple

from runtime.graph.ir import Graph
from runtime.graph.rows import Facts, NameOf, Unwritable, Writer

__all__ = ["Fingerprint", "fingerprint"]

# The last format of `marshal` in which equal values are equal bytes: later ones tell which are one
# object.
_FORMAT = 2


class Fingerprint(NamedTuple):
    """The bytes of a graph, and the objects that are numbers in them."""

    content: bytes
    objects: Sequence[Any]


def fingerprint(graph: Graph, name_of: NameOf, facts: Facts) -> Fingerprint | None:
    """What `graph` computes, None where bytes cannot tell.

    `name_of` gives all that there is to say of an op, None for an op of which that cannot be said.
    The ops in `facts` may hold objects: all else that matters of these, the functions there say.
    """
    writer = Writer(name_of, facts)
    try:
        writer.graph(graph)
        rows = marshal.dumps(writer.graphs, _FORMAT)
    except (Unwritable, ValueError):  # `marshal` writes values of Python alone
        return None
    return Fingerprint(rows + b"".join(writer.contents), writer.objects)
