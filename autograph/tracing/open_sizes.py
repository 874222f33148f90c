"""Which sizes of arguments are left open, so that one trace serves all further shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.matching import is_general, merge_keys
from autograph.tracing.signature import Arguments
from autograph.tracing.traced import Traced
from runtime import config
from runtime.effects.control import RAISE
from runtime.effects.size_decisions import Magnitudes, has_checks_of_kind
from runtime.errors import GraphLimit, StagingError
from runtime.graph.ir import Node

__all__ = ["OpenSizes", "why_worse"]

# After so many that did not come about, or did not serve a call, no sizes are open any more.
_MOST_REFUSED = 4


class OpenSizes:
    """What a Function knows of shapes: when sizes are open, and for which arguments never.

    `option` is `reduce_retracing`: sizes are open from the second shape on, None: from the third.
    """

    def __init__(self, option: bool | None) -> None:
        self.option = option
        # Keys of arguments: of open sizes that are not traced, of shapes that have their own trace.
        self._closed: set[Any] = set()
        # Whether a trace of open sizes is being made.
        self.is_opening = False

    @property
    def since(self) -> str:
        """Since which shape sizes are open, in words."""
        return "second" if self.option else "third"

    def opened(
        self, traces: Iterable[ConcreteFunction], arguments: Arguments, *, may_be: bool
    ) -> tuple[Arguments, ConcreteFunction] | None:
        """The arguments with those sizes open that differ from earlier ones, and an earlier trace.

        None where no sizes are open; unasked, they are where they `may_be`.
        """
        wanted = self._shapes_before(may_be)
        if wanted is None or self.is_closed(arguments):
            return None
        general, last = arguments, None
        shapes: dict[Any, int] = {}  # those that each of them stands for: there may be several
        for concrete in traces:
            its = concrete._traced.arguments
            merged = None if concrete.is_past else merge_keys(its, general)
            if merged is None or (shapes and self.option):
                continue
            general, last = general._replace(keys=merged), concrete
            shapes[its.key] = 2 if is_general(its) else 1
        if last is None or sum(shapes.values()) < wanted or general.key in self._closed:
            return None
        is_same = general.keys == arguments.keys or last._traced.takes_items
        return None if is_same else (general, last)

    def close(self, arguments: Arguments) -> None:
        """Have shapes like these traces of their own from now on."""
        self._closed.add(arguments.key)

    def is_closed(self, arguments: Arguments) -> bool:
        """Whether such a shape has a trace of its own, though one of open sizes fits."""
        if not self._closed:
            return False
        return len(self._closed) >= _MOST_REFUSED or arguments.key in self._closed

    def forget(self) -> None:
        """Have sizes open again, wherever they may be."""
        self._closed = set()

    def _shapes_before(self, may_be: bool) -> int | None:
        """After how many shapes sizes are open; None: never."""
        if self.option is None:
            return 2 if may_be and config.reduce_retracing.value else None
        return 1 if self.option else None


def why_worse(general: ConcreteFunction, special: ConcreteFunction) -> str:
    """Why a trace of open sizes is not to be had beside one of a shape; empty: it is as good."""
    one, other = general._traced, special._traced
    if one.stages_nothing and not other.stages_nothing:
        return "plain Python would make the calls"
    if has_checks_of_kind(one.graph):
        return "a number would be of one type for all sizes, and is of several in Python"
    if not one.is_repeatable and _ends(one) > _ends(other):
        return "what only Python can do may be found after something was done"
    if special.does_as_python:
        return ""
    if general.does_as_python:
        return "it would do what Python does"
    if general.nodes_in_plan > special.nodes_in_plan:
        return "less of it is native code"
    if general.loops_in_plan and not special.loops_in_plan:
        return "a loop is not native code"
    if len(general.called_from_native_code) > len(special.called_from_native_code):
        return "native code calls Python for more of it"
    return ""


def _ends(traced: Traced) -> int:
    """In how many places a graph may come to what only Python can do.

    Ints that are sums and products of sizes are too small for that.
    """
    magnitudes = Magnitudes(traced.graph)
    found = set(filter(magnitudes.may_leave_64_bits, traced.limited))
    found.update(filter(_raises_limit, traced.graph.walk()))
    return len(found)


def _raises_limit(node: Node) -> bool:
    if node.op is RAISE:
        return issubclass(node.attrs["template"].kind, (GraphLimit, StagingError))
    return str(node.attrs.get("error", "")).startswith("Limit")
