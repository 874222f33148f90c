"""What is known of a finished trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from autograph.operators.captured.captures import Captured, Guard
from autograph.operators.captured.decisions import Decision
from autograph.operators.results.reconstruction import Array
from autograph.tracing.likeness import Likeness
from autograph.tracing.signature import Arguments
from autograph.tracing.watched_arguments import Watched
from runtime import journal
from runtime.effects.control import TEXT, WHILE
from runtime.effects.given_containers import OutsideList
from runtime.effects.recursion import RECURSION
from runtime.graph.counters import counter_of
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.operands import type_of
from runtime.origins import Origin
from runtime.spec import TensorType, Type
from runtime.variable import Variable

__all__ = ["Traced", "external_type"]

# The effects of which nothing remains.
_WITHOUT_CHANGES = frozenset([None, "raise", "read", "recur"])


@dataclass(eq=False, repr=False)
class Traced:
    """A finished trace: graph, what its inputs beyond the arguments are, how results are made."""

    graph: Graph
    arguments: Arguments
    # Variables and arrays read by reference at each call, in the order of the graph's inputs that
    # follow those of the arguments.
    externals: list[Any]
    captured: list[Captured]
    guards: list[Guard]
    result: Any
    # For each written argument or captured array: its position among all inputs.
    written: list[int]
    outputs: int
    tensors: bool
    has_effects: bool
    notes: list[Decision]
    variables: list[Variable] = field(default_factory=list)
    created: list[Variable] = field(default_factory=list)
    # Results that are an argument or captured array itself: output position to input position.
    identities: dict[int, int] = field(default_factory=dict)
    # Results that are one of several arrays, depending on data: output position to the position of
    # the number that tells which, and the input positions of those that are inputs, by number.
    choices: dict[int, tuple[int, dict[int, int]]] = field(default_factory=dict)
    # Where the user writes the arrays of `written`, as far as that is known.
    written_at: dict[int, Origin] = field(default_factory=dict)
    # Those inputs that must be contiguous: what was reshaped of them, or of what is made of them
    # and lies in memory as they do, is a view then.
    contiguous: list[int] = field(default_factory=list)
    # Results that are, or may be, arrays that are also stored or given back elsewhere, by output
    # position: with the raw outputs for operands.
    shared: dict[int, Array] = field(default_factory=dict)
    # Outputs that are stored tensors, by key: so that gradients reach them.
    tracked: dict[Any, int] = field(default_factory=dict)
    # The result with its leaves for operands, where a container in it is in two places.
    whole: Any = None
    # Whether a call must remember what it handed out; the caller's arrays among that: the keys of
    # their numbers, and their positions among all inputs.
    hands_out: bool = False
    given: dict[int, int] = field(default_factory=dict)
    # Whether containers among the arguments are handed out.
    with_arguments: bool = False
    # Where lists from outside are found that are columns.
    roots: list[OutsideList] = field(default_factory=list)
    # Other lists from outside that the trace has met.
    lists_met: list[list[Any]] = field(default_factory=list)
    # The labels of those that are not, and of whose items the graph depends on each.
    items_of: frozenset[Any] = frozenset()
    # Whether a list, dict or object among the arguments is changed by a call.
    changes_containers: bool = False
    # Whether an error may leave arrays of the caller's partly written.
    writes_before_errors: bool = False
    # Whether something older than the call is put into, where that depends on data.
    puts: bool = False
    # Whether a container among the arguments may not be one that is found outside of them.
    tells_apart: bool = False
    # Whether the function asks if two arrays are one: then no two inputs may be.
    compares_arrays: bool = False
    # Whether the graph calls Python code that may see objects and arrays; and the positions of the
    # caller's arrays that are written before such a call: the graph itself works on copies.
    lends: bool = False
    copied: list[int] = field(default_factory=list)
    # What is in the caller's containers, and must be in them after such calls, too.
    watched: Watched | None = None
    # Of a trace that made variables: what it wrote for good, known while tracing.
    lasting: list[tuple[journal.Slot, Any]] = field(default_factory=list)

    @contextmanager
    def afterwards(self) -> Iterator[None]:
        """Objects as a call of this trace leaves them, as far as that is known while tracing."""
        before = [(slot, slot.read()) for slot, _ in self.lasting]
        try:
            for slot, new in self.lasting:
                slot.write(new)
            yield
        finally:
            for slot, old in reversed(before):
                slot.write(old)

    def settle(self) -> None:
        """Leave objects for good as a call of this trace would, as far as that is known."""
        for slot, new in self.lasting:
            slot.write(new)

    # How the trace serves other objects; None: it serves those that it was made with only.
    likeness: Likeness | None = None
    # Whether a text is in the result of which data decides what it is.
    gives_text: bool = False
    # Whether a key is looked for by comparing it with all of a dict or set.
    compares_keys: bool = False
    # Whether the trace went on for long without staging anything, and was not finished.
    is_given_up: bool = False
    # Whether Python makes the call, of which who asks for a graph gets one: a gradient, say.
    is_without_graph: bool = False
    # Whether loops are staged that Python could have run while tracing.
    replaces_python: bool = False
    # Whether tracing ended in an exception of the user's code: then the trace is not kept.
    raised: bool = False

    @property
    def plain_outputs(self) -> int:
        """The number of outputs but for those that only `shared` results need."""
        return self.outputs + len(self.written) + len(self.choices)

    @property
    def reads_outside(self) -> bool:
        """Whether a call reads, or compares, anything but its arguments."""
        return bool(self.captured or self.externals or self.guards)

    @property
    def stages_nothing(self) -> bool:
        """Whether the call is plain Python: no value and no effect is left to the graph."""
        return not self.has_effects and self.outputs == 0 and not self.written

    @property
    def is_of_few_numbers(self) -> bool:
        """Whether all there is to do is to compute with some numbers, one after the other."""
        return self._is_of_its_own and all(
            node.op not in (WHILE, RECURSION)
            and node.op.effect in _WITHOUT_CHANGES
            and (node.op.name == "constant" or not any(map(_is_array, node.outputs)))
            for node in self.graph.walk()
        )

    @property
    def has_but_effects(self) -> bool:
        """Whether all there is to do is to write, print and call, with what is known."""
        return self._is_of_its_own and not (self.is_given_up or self.has_loop or self.takes_items)

    @property
    def has_loop(self) -> bool:
        """Whether a part of the graph is run again and again."""
        return any(node.op in (WHILE, RECURSION) for node in self.graph.walk())

    @property
    def may_end_early(self) -> bool:
        """Whether ints may leave 64 bits after something was done that Python would do again."""
        if self.is_repeatable or not self.is_of_numbers:
            return False
        return bool(self.limited)

    @property
    def limited(self) -> list[Node]:
        """The nodes that end the graph where Python's ints would leave 64 bits."""
        counters = {
            counter.increment
            for node in self.graph.walk()
            if node.op is WHILE and (counter := counter_of(node)) and not counter.can_overflow
        }
        return [
            node for node in self.graph.walk()
            if node.op_can_raise and node not in counters and any(map(_is_int, node.outputs))
        ]  # fmt: skip

    @property
    def grows_slowly(self) -> bool:
        """Whether the graph may fall behind Python: some dicts, sets and texts are lists."""
        has_texts = self.compares_keys or self.gives_text
        return has_texts or any(node.op is TEXT for node in self.graph.walk())

    @property
    def does_little_with_lists(self) -> bool:
        """Whether lists are not worth being taken apart, and made again, for what is done.

        They are changed, or keys are looked for, and that is not in a loop within a loop.
        """
        inner = [
            node for loop in _loops(self.graph) for one in loop.graphs for node in _within(one)
        ]
        if any(node.op.name in _OF_KEYS for node in self.graph.walk()):
            return not any(node.op.name in _OF_KEYS for node in inner)
        return self.changes_containers and not inner

    @property
    def is_of_numbers(self) -> bool:
        """Whether there is nothing to compute with but numbers, and none is read from outside."""
        if not self._is_of_its_own:
            return False
        for node in self.graph.walk():
            for value in node.outputs:
                if not isinstance(value.type, TensorType) or value.type.shape != ():
                    return False
        return True

    @property
    def _is_of_its_own(self) -> bool:
        return not (self.captured or self.externals or self.created)

    @property
    def is_repeatable(self) -> bool:
        """Whether a call that raises has changed nothing that a second one would find."""
        effects = {node.op.effect for node in self.graph.walk()}
        return not (self.writes_before_errors or self.created) and effects <= _WITHOUT_CHANGES

    @property
    def changes_last(self) -> bool:
        """Whether it is repeatable but for what it stores at its end, where nothing raises."""
        nodes = takewhile(lambda x: x.op.effect == "store" and not x.graphs, self.graph.nodes[::-1])
        last = set(nodes)
        effects = {node.op.effect for node in self.graph.walk() if node not in last}
        return not (self.writes_before_errors or self.created) and effects <= _WITHOUT_CHANGES

    @property
    def takes_items(self) -> bool:
        """Whether it asks iterators for items, of which tracing took some: Python lacks these."""
        calls = [node.attrs["call"] for node in self.graph.walk() if "call" in node.attrs]
        return any(call.advances for call in calls)

    @property
    def only_calls_python(self) -> bool:
        """Whether there is nothing to compute with but what calls of Python code give."""
        if self.graph.inputs or self.created or self.takes_items:
            return False
        effects = {node.op.effect for node in self.graph.walk()}
        return "host" in effects and not (self.has_loop and "rng" in effects)


def _is_array(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.shape != ()


def _is_int(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.weak and value.type.dtype.kind == "i"


def external_type(thing: Any) -> Type:
    """Graph type of something that is read by reference."""
    if isinstance(thing, Variable):
        return thing.variable_type
    return type_of(thing)


# What the keys of dicts and sets are looked for by, of which data decides what they are.
_OF_KEYS = ("find_key", "link_all")


def _loops(graph: Graph) -> Iterator[Node]:
    return (node for node in graph.walk() if node.op in (WHILE, RECURSION))


def _within(graph: Graph) -> Iterator[Node]:
    """The nodes of the loops in a graph."""
    return (node for loop in _loops(graph) for one in loop.graphs for node in one.walk())
