"""Repeated parts of a graph as graphs of their own, which are called where they stood.

A part is a stretch of nodes, in program order, that occurs several times: the same operations on
the same types, wired alike. What its copies read that differs, such as weights, they hand over.
Stretches are found in a suffix array of the nodes, and the one that saves most nodes is taken
first, as LLVM's `MachineOutliner` does; within the parts it goes on. The array is that of Manber
and Myers, "Suffix arrays: a new method for on-line string searches", 1990; the lengths that
neighbours have in common are found as by Kasai and others, "Linear-time longest-common-prefix
computation in suffix arrays and its applications", 2001.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from runtime.effects.control import CALL
from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.fingerprint import fingerprint
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops import CONSTANT
from runtime.ops.declaration.declare import REGISTRY
from runtime.origins import Origin
from runtime.passes.uses import constant_key

__all__ = ["call_repetitions"]

# A call of fewer nodes is none the shorter.
SMALLEST = 2
# Nodes that are saved by a part whose copies were written out, and did not come from one place in
# the program: what looks alike by chance is not worth a name.
LEAST = 10
# Copies and operands looked at per node: the search is linear in the size of the graph.
WORK = 60
# Their integers say what they are in other languages: products, or a power.
_POWERS = ("pow", "power", "float_power")
# They stand before all others: each copy reads them from there, whichever of them came first.
_AHEAD = ("constant", "read", "dim")
# The end of names of parts that are no function of the user.
_PART = "_part"


def call_repetitions(graph: Graph) -> Graph:
    """`graph` with calls of one graph in place of what is repeated.

    For languages without exceptions: nothing is pending any more where there is a call.
    """
    return shared(_calling)(graph)


def _calling(graph: Graph, change: Change) -> Graph:
    copy = Copy(graph, change)
    ahead = [node for node in graph.nodes if _is_ahead(node)]
    early = set(ahead)
    nodes = [n for n in graph.nodes if n not in early and n.op.name != "pending"]
    parts = _Finder(graph, nodes).parts()
    calls = {start: (part, k) for part in parts for k, start in enumerate(part.starts)}
    if not calls:
        for node in graph.nodes:
            copy.keep(node)
        return copy.finish()
    for node in ahead:
        copy.keep(node)
    at = 0
    while at < len(nodes):
        if at in calls:
            part, number = calls[at]
            part.call(copy, number)
            at += part.size
        else:
            copy.keep(nodes[at])
            at += 1
    return copy.finish()


def _is_ahead(node: Node) -> bool:
    return node.op.name in _AHEAD and all(value.node is None for value in node.inputs)


# ---- finding -----------------------------------------------------------------------------------


class _Interval(NamedTuple):
    """Suffixes, from `left` to `right` of the array, that begin with the same `length` labels."""

    length: int
    left: int
    right: int


class _Found(NamedTuple):
    """What a stretch of `size` nodes at each of `starts` saves; the smaller the better."""

    lost: int
    # Copies are written out, lines go back, results.
    flaws: tuple[int, ...]
    starts: tuple[int, ...]
    size: int


class _Finder:
    """Looks for the stretches of nodes that are worth a graph of their own."""

    def __init__(self, graph: Graph, nodes: list[Node]) -> None:
        self.graph, self.nodes = graph, nodes
        self.place = {node: k for k, node in enumerate(nodes)}
        self.last_read = {v: k for k, node in enumerate(nodes) for v in node.inputs}
        self.last_read.update(dict.fromkeys(graph.outputs, len(nodes)))
        self.taken = bytearray(len(nodes))
        self.budget = WORK * len(nodes)

    def parts(self) -> Iterator[_Part]:
        """The parts; they do not overlap."""
        if len(self.nodes) < 2 * SMALLEST:
            return
        labels = _labels(self.nodes)
        order = _suffixes(labels)
        # What is known is how much an interval can save at most, or what it saves so far.
        waiting: list[tuple[Any, ...]] = [
            (-bound, (), (int(order[interval.left]),), 0, -1, interval)
            for interval, bound in _intervals(order, _common_lengths(labels, order))
        ]
        heapq.heapify(waiting)
        rounds = 0
        while waiting and self.budget > 0:
            *row, known_in, interval = heapq.heappop(waiting)
            found = _Found(*row)
            if known_in != rounds:
                better = self._found(interval, np.sort(order[interval.left : interval.right + 1]))
                if better is not None:
                    heapq.heappush(waiting, (*better, rounds, interval))
                continue
            rounds += 1
            for start in found.starts:
                self.taken[start : start + found.size] = b"\1" * found.size
            yield _Part(self, found)

    def _found(self, interval: _Interval, places: np.ndarray[Any, Any]) -> _Found | None:
        """The copies of the best beginning of a stretch, where nothing else was taken."""
        size = min(interval.length, int(np.diff(places).min()))
        starts: list[int] = []
        for place in places.tolist():
            is_free = self.taken.find(1, place, place + size) < 0
            if is_free and (not starts or place >= starts[-1] + size):
                starts.append(place)
        self.budget -= len(places)
        best, saved = None, 0
        for offset in range(size):
            starts = self._wired_alike(starts, offset)
            if len(starts) < 2:
                break
            if offset + 1 >= SMALLEST and _saved(offset + 1, len(starts)) > saved:
                best, saved = (tuple(starts), offset + 1), _saved(offset + 1, len(starts))
        if best is None:
            return None
        flaws = self._flaws(*best)
        return None if flaws[0] and saved < LEAST else _Found(-saved, flaws, *best)

    def _wired_alike(self, starts: list[int], offset: int) -> list[int]:
        """Of the copies, most: those whose node there reads the same of their own."""
        kinds: dict[tuple[Any, ...], list[int]] = {}
        for start in starts:
            values = self.nodes[start + offset].inputs
            kinds.setdefault(tuple(self.own(v, start) for v in values), []).append(start)
            self.budget -= 1 + len(values)
        return max(kinds.values(), key=len) if kinds else []

    def own(self, value: Value, start: int) -> tuple[int, int] | None:
        """Which of the results of a copy a value is, None where it comes from outside."""
        place = -1 if value.node is None else self.place.get(value.node, -1)
        return (place - start, value.index) if place >= start else None

    def _flaws(self, starts: tuple[int, ...], size: int) -> tuple[int, ...]:
        first, *others = (self.origins(start, size) for start in starts)
        backwards = sum(a[::2] == b[::2] and a[1] > b[1] for a, b in pairwise(first) if a and b)
        return any(other != first for other in others), backwards, len(self.results(starts, size))

    def origins(self, start: int, size: int) -> list[tuple[Any, ...]]:
        """File, line and function of the nodes of a copy."""
        return [_place(node.origin) for node in self.nodes[start : start + size]]

    def results(self, starts: Sequence[int], size: int) -> list[tuple[int, int]]:
        """Which values of the copies are read by others: the node of each, and its output."""
        return [
            (offset, k)
            for offset in range(size)
            for k in range(len(self.nodes[starts[0] + offset].outputs))
            if any(
                self.last_read.get(self.nodes[s + offset].outputs[k], -1) >= s + size
                for s in starts
            )
        ]


def _saved(size: int, copies: int) -> int:
    return size * copies - size - copies


def _place(origin: Origin | None) -> tuple[Any, ...]:
    return () if origin is None else (origin.filename, origin.lineno, origin.function)


# ---- stretches of nodes as text ------------------------------------------------------------------


def _labels(nodes: list[Node]) -> list[int]:
    """Numbers that are equal for nodes which do the same."""
    known: dict[Any, int] = {}
    return [known.setdefault(_label(node), len(known)) for node in nodes]


def _label(node: Node) -> Any:
    """The bytes of a graph of the node alone, with the constants that copies must have too."""
    own = [value for value in dict.fromkeys(node.inputs) if _is_own(value, node)]
    rest = [value for value in dict.fromkeys(node.inputs) if not _is_own(value, node)]
    made = [value.node for value in own if value.node is not None]
    # Unique for a node of which bytes do not tell all.
    found = fingerprint(Graph(rest, [*made, node], node.outputs), _name_of, {})
    return node if found is None else found.content


def _is_own(value: Value, node: Node) -> bool:
    """Whether a value is a constant that is not handed over."""
    if value.node is None or value.node.op is not CONSTANT:
        return False
    return node.op.name in _POWERS or np.asarray(value.node.attrs["value"]).dtype.kind != "f"


def _name_of(op: Op) -> str | None:
    found = REGISTRY.get(op.name)
    return op.name if found is None or found.op is op else None


def _suffixes(labels: Sequence[int]) -> np.ndarray[Any, Any]:
    """Where the suffixes begin, in their order; twice as many labels are compared each time."""
    rank, width = np.asarray(labels), 1
    while True:
        ahead = np.full_like(rank, -1)
        ahead[:-width] = rank[width:]
        order = np.lexsort((ahead, rank))
        a, b = rank[order], ahead[order]
        rank = np.empty_like(rank)
        rank[order] = np.concatenate([[0], np.cumsum((a[1:] != a[:-1]) | (b[1:] != b[:-1]))])
        width *= 2
        if width >= len(rank) or rank[order[-1]] == len(rank) - 1:
            return order


def _common_lengths(labels: Sequence[int], order: np.ndarray[Any, Any]) -> list[int]:
    """How many labels each suffix has in common with the one before it in the order."""
    n, found, length = len(labels), [0] * len(labels), 0
    before = dict(zip(order[1:].tolist(), order[:-1].tolist(), strict=True))
    index = np.argsort(order).tolist()
    for start in range(n):
        other = before.get(start)
        if other is None:
            length = 0
            continue
        most = n - max(start, other)
        while length < most and labels[start + length] == labels[other + length]:
            length += 1
        found[index[start]] = length
        length = max(length - 1, 0)
    return found


def _intervals(order: np.ndarray[Any, Any], lengths: list[int]) -> Iterator[tuple[_Interval, int]]:
    """The intervals of suffixes that begin alike, with the most nodes that each can save."""
    stack: list[tuple[int, int, int, int]] = []  # length, left, first and last place
    for right, place in enumerate(order.tolist()):
        length = lengths[right + 1] if right + 1 < len(lengths) else 0
        left, first, last = right, place, place
        while stack and stack[-1][0] > length:
            own, left, low, high = stack.pop()
            first, last = min(first, low), max(last, high)
            copies = right - left + 1
            # Copies that overlap repeat with their distance, which is less than the mean one.
            size = min(own, (last - first) // (copies - 1))
            around = max(length, stack[-1][0] if stack else 0)
            bound = _saved(size, min(copies, (last - first) // max(size, 1) + 1))
            if size >= SMALLEST and size > around and bound > 0:
                yield _Interval(own, left, right), bound
        if stack and stack[-1][0] == length:
            _, left, low, high = stack.pop()
            first, last = min(first, low), max(last, high)
        if length:
            stack.append((length, left, first, last))


# ---- rewriting ---------------------------------------------------------------------------------


class _Part:
    """A stretch of nodes as a graph, and what each copy gives to it and takes from it."""

    def __init__(self, finder: _Finder, found: _Found) -> None:
        self.finder, self.starts, self.size = finder, found.starts, found.size
        self.results = finder.results(found.starts, found.size)
        # By what all copies read there.
        self._inputs: dict[tuple[Value, ...], Value] = {}
        self._constants: list[Node] = []
        self.graph = self._made()

    def _made(self) -> Graph:
        nodes = self.finder.nodes
        made: list[Node] = []
        for offset in range(self.size):
            copies = [nodes[start + offset] for start in self.starts]
            rows = zip(*(node.inputs for node in copies), strict=True)
            inputs = [self._operand(made, values) for values in rows]
            made.append(copy_node(copies[0], inputs, copies[0].graphs))
        outputs = [made[offset].outputs[k] for offset, k in self.results]
        whole = [*self._constants, *made]
        return Graph(list(self._inputs.values()), whole, outputs, self._name())

    def _operand(self, made: list[Node], values: tuple[Value, ...]) -> Value:
        own = self.finder.own(values[0], self.starts[0])
        if own is not None:
            return made[own[0]].outputs[own[1]]
        found = self._inputs.get(values)
        if found is not None:
            return found
        first, constants = values[0], {_constant(value) for value in values}
        if first.node is not None and len(constants) == 1 and None not in constants:
            self._constants.append(copy_node(first.node, (), ()))
            return self._constants[-1].outputs[0]
        name = first.name if len({value.name for value in values}) == 1 else None
        return self._inputs.setdefault(values, Value(first.type, name=name))

    def _name(self) -> str:
        """That of the user's function which the copies are calls of, where that is known.

        It is the one that the last node is in, if the others are in it too, or in functions that
        are called from between its lines: it was gone through once.
        """
        origins = [self.finder.origins(start, self.size) for start in self.starts]
        first, own = origins[0], f"{self.finder.graph.name.removesuffix(_PART)}{_PART}"
        if not first[-1] or any(other != first for other in origins):
            return own
        file, _, function = first[-1]
        places = [k for k, p in enumerate(first) if p and (p[0], p[2]) == (file, function)]
        lines = [first[k][1] for k in places]
        is_whole = len(places) == self.size
        is_around = places[-1] - places[0] >= len(places) and lines == sorted(lines)
        is_named = function.isidentifier() and function != self.finder.graph.name
        return function if is_named and (is_whole or is_around) else own

    def call(self, copy: Copy, number: int) -> None:
        """Append the call in place of the copy of that number."""
        nodes, start = self.finder.nodes, self.starts[number]
        results = [nodes[start + offset].outputs[index] for offset, index in self.results]
        inputs = copy.mapped([values[number] for values in self._inputs])
        types, origin = [value.type for value in results], nodes[start + self.size - 1].origin
        node = Node(CALL, inputs, {}, [copy.change(self.graph)], types, origin)
        for value, new in zip(results, node.outputs, strict=True):
            new.name = value.name
        copy.add(node, results)


def _constant(value: Value) -> Any:
    """The same for equal constants; None for other values."""
    if value.node is None or value.node.op is not CONSTANT:
        return None
    return constant_key(value.node.attrs["value"])
