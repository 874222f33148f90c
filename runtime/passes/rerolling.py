"""Turns what is written out many times back into a loop: 100 chained products become one `while`.

A stretch of `period` nodes that repeats becomes the body of a counting loop if each copy reads the
same values from outside, and of the copies only the one before it; Python ints and positions in
subscripts may differ by the same step from copy to copy, and are computed from the index then. Only
what the last copy computes may be read afterwards. So graphs that Python unrolled stay small for
what compiles them. (LLVM has the idea as `LoopReroll`.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from runtime import ops
from runtime.effects import control
from runtime.graph.clone import Change, Copy, copy_node, shared
from runtime.graph.counters import constant_of
from runtime.graph.ir import Graph, Node, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.passes.uses import constant_key
from runtime.process.caching import cached_property
from runtime.spec import TensorType, Type, type_of_number

__all__ = ["roll_repetitions"]

# Fewer copies, or fewer nodes in all, are not worth a loop; longer periods are not looked for. A
# plan runs the loop as fast as the nodes one by one (within 5%); from so many nodes on it is
# written in half the time, from 2,000 on in a quarter.
REPEATS = 8
LONGEST = 64
SMALLEST = 200
# Operands looked at per node: the search is linear in the size of the graph.
WORK = 60

_INT = type_of_number(0)
_ARRAY = ("array",)
# Ops with a subscript, and how many operands come before those of the subscript.
_SUBSCRIPTS = {"getitem": 1, "getitem_array": 1, "index_update": 2, "index_add": 2}


def roll_repetitions(graph: Graph) -> Graph:
    """`graph` with loops in place of code that is repeated."""
    if not any(len(part.nodes) >= SMALLEST for part in graph.parts()):
        return graph
    return shared(_rolled)(graph)


class _Run(NamedTuple):
    """`copies` of `period` nodes from `start` on, and what a copy reads and hands on.

    For each node of a copy and each of its operands, `sources` says where it comes from: ("outer",
    value), ("own", node, output), ("before", node, output) or ("number", first, step). `positions`
    has for each node the ints of its subscript that differ: entry, first and step.
    """

    start: int
    period: int
    copies: int
    sources: list[list[tuple[Any, ...]]]
    positions: list[list[tuple[int, int, int]]]


def _rolled(graph: Graph, change: Change) -> Graph:
    if len(graph.nodes) < SMALLEST and not any(node.graphs for node in graph.nodes):
        return graph  # as most branches
    # Constants have no place of their own: they stand where they are read.
    nodes = [node for node in graph.nodes if node.op.name != "constant"]
    is_large = len(nodes) >= SMALLEST
    runs = {run.start: run for run in _Finder(graph, nodes).runs()} if is_large else {}
    if not runs:
        copy = Copy(graph, change)
        for node in graph.nodes:
            copy.keep(node)
        return copy.finish()
    return _with_loops(graph, nodes, runs, change)


# ---- finding -----------------------------------------------------------------------------------


class _Finder:
    """Looks for runs, from the first node on; the work it may do grows with the nodes."""

    def __init__(self, graph: Graph, nodes: list[Node]) -> None:
        self.graph, self.nodes = graph, nodes
        self.labels = _Labels().of(nodes)
        self.following = _following(self.labels)
        self.budget = WORK * len(nodes)

    @cached_property
    def place(self) -> dict[Node, int]:
        """Where each node stands."""
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def last_read(self) -> dict[Value, int]:
        """The place of the last node that reads a value."""
        return _last_reads(self.graph, self.nodes)

    def runs(self) -> Iterator[_Run]:
        """The runs, in order; they do not overlap."""
        i = 0
        while i < len(self.nodes) and self.budget > 0:
            run = self._run_at(i)
            if run is None:
                i += 1
            else:
                yield run
                i += run.period * run.copies

    def _run_at(self, start: int) -> _Run | None:
        """The run of the shortest period that begins at a node."""
        labels = self.labels
        end = start + min(LONGEST, (len(labels) - start) // REPEATS)
        other = self.following[start]
        while other <= end and self.budget > 0:
            period = other - start
            other = self.following[other]
            first = labels[start : start + REPEATS]
            if labels[start + period : start + period + REPEATS] != first:
                continue
            stop = start + period * _fewest(period)
            if stop > len(labels) or labels[start + period : stop] != labels[start : stop - period]:
                continue
            # Most of what only looks like a run is told by its first copies.
            if not isinstance(self._checked(start, period, REPEATS), _Run):
                continue
            while stop < len(labels) and labels[stop] == labels[stop - period]:
                stop += 1
            run = self._longest(start, period, (stop - start) // period)
            if run is not None:
                return run
        return None

    def _longest(self, start: int, period: int, count: int) -> _Run | None:
        while count >= _fewest(period) and self.budget > 0:
            found = self._checked(start, period, count)
            if isinstance(found, _Run):
                return found
            count = found
        return None

    def _checked(self, start: int, period: int, count: int) -> _Run | int:
        """The run, or the smaller number of copies for which one may be tried."""
        nodes, sources = self.nodes, []
        for offset in range(period):
            row = []
            for operand in range(len(nodes[start + offset].inputs)):
                self.budget -= count
                values = [nodes[start + k * period + offset].inputs[operand] for k in range(count)]
                found = [_source(v, self.place, start, period, k) for k, v in enumerate(values)]
                source, agreeing = _common(found)
                if agreeing < count:
                    return agreeing
                if source is None:
                    return 0
                row.append(source)
            sources.append(row)
        positions, agreeing = _positions(nodes, start, period, count)
        if agreeing < count:
            return agreeing
        if not _begin_alike(sources):
            return 0
        if self._wants_earlier_copies(start, period, count):
            return 0
        return _Run(start, period, count, sources, positions)

    def _wants_earlier_copies(self, start: int, period: int, count: int) -> bool:
        """Whether what a copy before the last computes is read by other than the next one."""
        return any(
            self.last_read.get(value, -1) >= start + (k + 2) * period
            for k in range(count - 1)
            for node in self.nodes[start + k * period : start + (k + 1) * period]
            for value in node.outputs
        )


def _fewest(period: int) -> int:
    """How many copies of so many nodes are worth a loop."""
    return max(REPEATS, SMALLEST // period)


def _following(labels: list[int]) -> list[int]:
    """For each place, the next one with the same label; beyond all places where there is none."""
    found = [0] * len(labels)
    last: dict[int, int] = {}
    for i in reversed(range(len(labels))):
        found[i] = last.get(labels[i], 2 * len(labels) + LONGEST)
        last[labels[i]] = i
    return found


def _begin_alike(sources: list[list[tuple[Any, ...]]]) -> bool:
    """Whether what a copy hands on begins with one value wherever the next one reads it."""
    first: dict[tuple[int, int], Value] = {}
    handed = [source for row in sources for source in row if source[0] == "before"]
    return all(first.setdefault((s[1], s[2]), s[3]) is s[3] for s in handed)


class _Labels:
    """Numbers that are equal for nodes which may be copies of each other."""

    def __init__(self) -> None:
        self._labels: dict[Any, int] = {}
        self._types: dict[Type, int] = {}
        # By the id of a type: a graph has few of them, and a hash of one takes its time.
        self._known: dict[int, int] = {}

    def of(self, nodes: list[Node]) -> list[int]:
        """The label of each node."""
        known = self._labels
        return [known.setdefault(self._label(node), len(known)) for node in nodes]

    def _label(self, node: Node) -> Any:
        """Unique for a node that has no copies."""
        if node.graphs or node.op.effect is not None or not node.outputs:
            return object()
        values = (*node.inputs, *node.outputs)
        for value in values:
            if type(value.type) is not TensorType:
                return object()
        types = tuple([self._type(value.type) for value in values])
        constants = _constants(node)
        if not node.attrs and not node.can_raise:
            return (node.op, types, constants, node.signals)
        attrs = {**node.attrs, "index": _without_ints(node)} if _ints(node) else node.attrs
        # The error of a copy is one of its own line.
        place = _place(node) if node.can_raise else None
        return (node.op, types, constants, node.signals, repr(sorted(attrs.items())), place)

    def _type(self, type_: Type) -> int:
        number = self._known.get(id(type_))
        if number is None:
            number = self._types.setdefault(type_, len(self._types))
            self._known[id(type_)] = number
        return number


def _constants(node: Node) -> tuple[Any, ...]:
    """The constants among the operands, of which copies have the same: not so Python ints."""
    found = []
    for i, value in enumerate(node.inputs):
        if value.node is not None and value.node.op.name == "constant":
            constant = value.node.attrs["value"]
            if type(constant) is not int:
                found.append((i, constant_key(constant)))
    return tuple(found)


def _place(node: Node) -> Any:
    origin = node.origin
    return None if origin is None else (origin.filename, origin.lineno, origin.instruction)


def _ints(node: Node) -> list[tuple[int, int]]:
    """Entry and value of the ints in a subscript."""
    index = node.attrs.get("index", ()) if node.op.name in _SUBSCRIPTS else ()
    return [(i, entry[1]) for i, entry in enumerate(index) if entry[0] == "int"]


def _without_ints(node: Node) -> tuple[Any, ...]:
    return tuple(("int",) if entry[0] == "int" else entry for entry in node.attrs["index"])


def _last_reads(graph: Graph, nodes: list[Node]) -> dict[Value, int]:
    found: dict[Value, int] = {}
    for i, node in enumerate(nodes):
        found.update(dict.fromkeys(node.inputs, i))
    found.update(dict.fromkeys(graph.outputs, len(nodes)))
    return found


def _positions(
    nodes: list[Node], start: int, period: int, count: int
) -> tuple[list[list[tuple[int, int, int]]], int]:
    """The ints of subscripts that differ, and how many copies agree on the steps."""
    found: list[list[tuple[int, int, int]]] = []
    agreeing = count
    for offset in range(period):
        copies = [_ints(nodes[start + k * period + offset]) for k in range(count)]
        row = []
        for (entry, first), (_, second), *rest in zip(*copies, strict=True):
            step = second - first
            values = (first, second, *(value for _, value in rest))
            agreeing = min(
                agreeing,
                next((k for k, v in enumerate(values) if v != first + k * step), count),
            )
            if step:
                row.append((entry, first, step))
        found.append(row)
    return found, agreeing


def _source(
    value: Value, place: dict[Node, int], start: int, period: int, copy: int
) -> tuple[Any, ...]:
    node = value.node
    number = constant_of(value)
    if node is not None and node.op.name == "constant":
        return ("constant", value, number)
    at = -1 if node is None else place[node]
    if at < start:
        return ("outer", value)
    k, offset = divmod(at - start, period)
    if k == copy:
        return ("own", offset, value.index)
    if k == copy - 1:
        return ("before", offset, value.index)
    return ("far",)


def _common(found: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...] | None, int]:
    """One source for the operand in all copies, and how many copies agree."""
    kinds = {f[0] for f in found}
    if kinds == {"constant"}:
        return _numbers(found)
    first, rest = found[0], found[1:]
    if first[0] == "own":
        return first, 1 + _agreeing(rest, first)
    if first[0] in ("outer", "constant") and rest[0][0] == "before":
        # The first copy reads the initial value of what the others hand on.
        return (*rest[0], first[1]), 1 + _agreeing(rest, rest[0])
    if first[0] == "outer":
        return first, 1 + _agreeing(rest, first)
    return None, len(found)


def _agreeing(found: list[tuple[Any, ...]], source: tuple[Any, ...]) -> int:
    return next((i for i, f in enumerate(found) if f != source), len(found))


def _numbers(found: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...] | None, int]:
    values = [f[2] for f in found]
    first = values[0]
    if all(_same(v, first) for v in values):
        return ("constant", found[0][1]), len(found)
    if not all(type(v) is int for v in values):
        return None, len(found)
    step = values[1] - first
    agreeing = next((i for i, v in enumerate(values) if v != first + i * step), len(values))
    return ("number", first, step), agreeing


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if hasattr(a, "tobytes"):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    return constant_key(a) == constant_key(b)


# ---- rewriting ---------------------------------------------------------------------------------


def _with_loops(graph: Graph, nodes: list[Node], runs: dict[int, _Run], change: Change) -> Graph:
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node.op.name == "constant":
            copy.keep(node)
    i = 0
    while i < len(nodes):
        run = runs.get(i)
        if run is None:
            copy.keep(nodes[i])
            i += 1
        else:
            _emit(copy, nodes, run)
            i += run.period * run.copies
    return copy.finish()


class _Body:
    """The body of the loop in the making, and what it captures."""

    def __init__(self) -> None:
        self.captures: dict[Value, Value] = {}
        self.nodes: list[Node] = []

    def capture(self, outer: Value) -> Value:
        """The input that stands for a value from outside."""
        if outer not in self.captures:
            self.captures[outer] = Value(outer.type, name=outer.name)
        return self.captures[outer]

    def constant(self, number: int) -> Value:
        """A Python int."""
        made = Node(ops.CONSTANT, (), {"value": number}, (), [_INT])
        self.nodes.append(made)
        return made.outputs[0]

    def apply(self, name: str, x: Value, y: Value) -> Value:
        """Arithmetic on Python ints."""
        made = Node(REGISTRY[name].op, [x, y], {}, (), [_INT])
        self.nodes.append(made)
        return made.outputs[0]


def _emit(copy: Copy, nodes: list[Node], run: _Run) -> None:
    template = nodes[run.start : run.start + run.period]
    last = nodes[run.start + run.period * (run.copies - 1) :][: run.period]
    carried = _carried(run)
    body = _Body()
    index = Value(_INT, name="index")
    inputs = {key: Value(template[key[0]].outputs[key[1]].type) for key in carried}
    numbers: dict[tuple[int, int], Value] = {}
    made: list[Node] = []
    for node, row, positions in zip(template, run.sources, run.positions, strict=True):
        operands = []
        for source in row:
            if source[0] == "own":
                operands.append(made[source[1]].outputs[source[2]])
            elif source[0] == "before":
                operands.append(inputs[source[1], source[2]])
            elif source[0] == "number":
                operands.append(_number(body, index, numbers, source[1], source[2]))
            else:
                operands.append(body.capture(copy.value(source[1])))
        moving = {e: _number(body, index, numbers, first, step) for e, first, step in positions}
        part = _subscripted(node, operands, moving)
        body.nodes.append(part)
        made.append(part)
    after = body.apply("add", index, body.constant(1))
    results = [after, *(made[o].outputs[j] for o, j in carried)]
    wanted = [(o, j) for o in range(run.period) for j in range(len(last[o].outputs))]
    # What the last copy computes and is not handed on is carried too, begun with a filler.
    extra = [key for key in wanted if key not in inputs]
    results += [made[o].outputs[j] for o, j in extra]
    fillers = [_filler(copy, template[o].outputs[j]) for o, j in extra]
    start = [_constant(copy, 0), *(copy.value(carried[key]) for key in carried), *fillers]
    own = [index, *inputs.values(), *(Value(f.type) for f in fillers)]
    outer = list(body.captures)
    loop = Graph([*body.captures.values(), *own], body.nodes, results, "body")
    test = _test(list(body.captures.values()), own, run.copies)
    attrs = {"captures": len(outer), "maximum": run.copies}
    types = [v.type for v in start]
    node = Node(control.WHILE, [*outer, *start], attrs, [test, loop], types, template[0].origin)
    copy.nodes.append(node)
    for key, value in zip([*carried, *extra], node.outputs[1:], strict=True):
        copy.values[last[key[0]].outputs[key[1]]] = value


def _subscripted(node: Node, operands: list[Value], moving: dict[int, Value]) -> Node:
    """A copy of the node whose subscript takes operands for the ints that differ."""
    if not moving:
        return copy_node(node, operands, ())
    count = _SUBSCRIPTS[node.op.name]
    rest = iter(operands[count:])
    given = operands[:count]
    index = []
    for i, entry in enumerate(node.attrs["index"]):
        given += [next(rest) for bound in entry[1:] if bound == "operand"]
        if entry == _ARRAY:
            given.append(next(rest))
        if i in moving:
            given.append(moving[i])
        index.append(_ARRAY if i in moving else entry)
    made = copy_node(node, given, ())
    made.attrs["index"] = tuple(index)
    return made


def _carried(run: _Run) -> dict[tuple[int, int], Value]:
    """What a copy hands on to the next: place in the copy, and the initial value."""
    return {
        (source[1], source[2]): source[3]
        for row in run.sources
        for source in row
        if source[0] == "before"
    }


def _number(
    body: _Body, index: Value, known: dict[tuple[int, int], Value], first: int, step: int
) -> Value:
    if (first, step) not in known:
        scaled = index if step == 1 else body.apply("multiply", index, body.constant(step))
        moved = scaled if first == 0 else body.apply("add", scaled, body.constant(first))
        known[first, step] = moved
    return known[first, step]


def _constant(copy: Copy, number: int) -> Value:
    made = Node(ops.CONSTANT, (), {"value": number}, (), [_INT])
    copy.nodes.append(made)
    return made.outputs[0]


def _filler(copy: Copy, like: Value) -> Value:
    made = Node(REGISTRY["missing"].op, (), {"type": like.type}, (), [like.type])
    copy.nodes.append(made)
    return made.outputs[0]


def _test(captures: Sequence[Value], own: Sequence[Value], count: int) -> Graph:
    inputs = [Value(v.type, name=v.name) for v in (*captures, *own)]
    end = Node(ops.CONSTANT, (), {"value": count}, (), [_INT])
    less = REGISTRY["less"].op
    index = inputs[len(captures)]
    go = Node(less, [index, end.outputs[0]], {}, (), less.infer_all([_INT, _INT], {}))
    return Graph(inputs, [end, go], go.outputs, "test")
