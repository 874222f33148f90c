"""Repeated integer products and sums in fewer steps, bit for bit: `x @ (x @ (x @ y))` by squaring.

Integers are a ring modulo 2**bits, and so are matrices of them: arithmetic that wraps around is
associative, and powers of one factor commute. So n products by the same factor x are about
log2(n) squarings and as many products (D. E. Knuth, "The Art of Computer Programming", vol. 2,
section 4.6.3, algorithm A), and n additions of x are one of n*x. Compilers know the rewrite as
reassociation (LLVM's pass `Reassociate`).

It is done for chains within a graph, and for a counting loop that does nothing else to one of its
variables; where only the run tells how often, a loop over the binary digits of that number takes
its place. Never for floats, whose result depends on the order; nor for Python ints, whose overflow
is an error, nor for NumPy scalars, whose overflow is a warning.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from runtime import ops
from runtime.effects import control
from runtime.errors import Origin
from runtime.graph.clone import Change, Copy, shared
from runtime.graph.counters import Counter, constant_of, counter_of
from runtime.graph.ir import Graph, Node, Op, Value
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import TensorType, Type

__all__ = ["raise_exact_powers"]

# What the call of a kernel costs, in multiplications: so many are done meanwhile.
CALL = 1_000
# Where only the run tells how often an operand is applied, squares are prepared for if they pay
# from so many times on: those of a large matrix that is applied to vectors take memory and time.
_SOON = 64
# Binary digits of what counts.
_DIGITS = 64

Operand = TypeVar("Operand")


class _Chain(NamedTuple):
    """`times` applications of `op` with the same operand `factor` at `side`, begun with `start`."""

    op: Op
    side: int
    factor: Value
    start: Value
    times: int
    origin: Origin | None

    def repeated(self, trips: int) -> _Chain:
        """The chain of a loop body, run several times."""
        return self._replace(times=self.times * trips)


def raise_exact_powers(graph: Graph) -> Graph:
    """`graph` with fewer operations for repeated integer products and sums."""
    return shared(_rewritten)(graph) if any(map(_is_exact, graph.walk())) else graph


def _rewritten(graph: Graph, change: Change) -> Graph:
    chains = _chains(graph)
    copy = Copy(graph, change)
    for node in graph.nodes:
        if node in chains:
            copy.replace(node.outputs, [_emit(copy, chains[node])])
        else:
            copy.keep(node)
        if node.op.name == "while":
            _rewrite_results(copy, node)
    return copy.finish()


# ---- chains in a graph -------------------------------------------------------------------------


def _chains(graph: Graph) -> dict[Node, _Chain]:
    """The chains worth rewriting, by their last node."""
    if not any(map(_is_exact, graph.nodes)):
        return {}
    links = _Links(graph)
    found: dict[Node, _Chain] = {}
    inner: set[Node] = set()
    for node in reversed(graph.nodes):
        if node in inner or not _is_exact(node):
            continue
        chain, nodes = max(links.chains_to(node), key=lambda known: known[0].times)
        chain = _begun(chain)
        inner.update(nodes)
        if _is_worthwhile(chain):
            found[node] = chain
    return found


class _Links:
    """Which nodes of a graph may be links of one chain: nothing else reads what is between them.

    An effect parts chains: it may be a call that writes into the memory of the factor.
    """

    def __init__(self, graph: Graph) -> None:
        self.uses = collections.Counter(value for node in graph.nodes for value in node.inputs)
        self.uses.update(graph.outputs)
        self.stretch: dict[Node, int] = {}
        effects = 0
        for node in graph.nodes:
            effects += node.has_effect
            self.stretch[node] = effects

    def chains_to(self, last: Node) -> Iterator[tuple[_Chain, list[Node]]]:
        """The chains that end with a node, one for each choice of the factor, and their nodes."""
        for side in _SIDES[last.op.name]:
            factor, start = last.inputs[side], last.inputs[1 - side]
            nodes = [last]
            while (rest := self._before(start, factor, side, last)) is not None:
                nodes.append(_node_of(start))
                start = rest
            yield _Chain(last.op, side, factor, start, len(nodes), last.origin), nodes

    def _before(self, value: Value, factor: Value, side: int, last: Node) -> Value | None:
        """What the factor is applied to where that gives `value`, None if it does not."""
        node = value.node
        if node is None or node.op is not last.op or self.uses[value] != 1:
            return None
        if self.stretch.get(node) != self.stretch[last] or not _is_exact(node):
            return None
        sides = [s for s in _SIDES[node.op.name] if node.inputs[s] is factor]
        if not sides or (node.op.name == "matmul" and side not in sides):
            return None
        return node.inputs[1 - (side if side in sides else sides[0])]


# Which operand may be the repeated one.
_SIDES = {"matmul": (0, 1), "multiply": (0, 1), "add": (0, 1), "subtract": (1,)}


def _is_exact(node: Node) -> bool:
    """Whether the node is arithmetic modulo 2**bits among arrays, and cannot raise."""
    if node.op.name not in _SIDES:
        return False
    result = node.outputs[0].type
    if not isinstance(result, TensorType) or result.dtype.kind not in "iu" or not result.rank:
        return False
    for value in node.inputs:
        type_ = value.type
        if not isinstance(type_, TensorType) or type_.dtype != result.dtype or not type_.rank:
            return False
    return result.device is None and not node.can_raise


def _node_of(value: Value) -> Node:
    assert value.node is not None
    return value.node


# ---- loops -------------------------------------------------------------------------------------


def _rewrite_results(copy: Copy, loop: Node) -> None:
    """Compute without the loop what it multiplies, or adds to, the same number of times anyway.

    The variables of the loop stay, and go with the dead code.
    """
    counter = None if loop.has_effect else counter_of(loop)
    if counter is None:
        return
    trips = counter.trips(loop)
    links = _Links(loop.graphs[1])
    for position in range(len(loop.outputs)):
        chain = _loop_chain(loop, position, links)
        if chain is None:
            continue
        result = None
        if trips is not None:
            chain = _begun(chain.repeated(trips))
            result = _emit(copy, chain) if _is_worthwhile(chain) else None
        elif chain.times == 1 and _may_pay(chain) and _is_counted(loop, counter):
            result = _emit_of_the_run(copy, chain, _trips(copy, loop, counter))
        if result is not None:
            copy.replace([loop.outputs[position]], [result])


def _loop_chain(loop: Node, position: int, links: _Links) -> _Chain | None:
    """The chain in which the body changes one carried value, in terms of the graph of the loop."""
    test, body = loop.graphs
    captures = loop.attrs["captures"]
    carried, last = body.inputs[captures + position], body.outputs[position].node
    initial = loop.inputs[captures + position]
    test_reads = any(test.inputs[captures + position] in node.inputs for node in test.nodes)
    is_read = links.uses[carried] != 1 or links.uses[body.outputs[position]] != 1 or test_reads
    if last is None or is_read or not _is_exact(last) or initial.type != carried.type:
        return None
    for chain, _ in links.chains_to(last):
        if chain.start is carried and chain.factor in body.inputs[:captures]:
            factor = loop.inputs[body.inputs.index(chain.factor)]
            if factor.type == chain.factor.type:
                return chain._replace(factor=factor, start=initial)
    return None


# ---- what stands for a chain -------------------------------------------------------------------


def _is_worthwhile(chain: _Chain) -> bool:
    """Whether fewer operations, and no more arithmetic, give the same."""
    if chain.times < 2:
        return False
    if chain.op.name in ("add", "subtract"):
        return chain.times > (1 if _begins_with_factor(chain) else 2)
    applied, square = _cost(chain, chain.start), _cost(chain, chain.factor)
    if applied is None or square is None:
        return False
    exponent = chain.times + _begins_with_factor(chain)
    squarings, products = exponent.bit_length() - 1, exponent.bit_count()
    if _begins_with_factor(chain):
        return (squarings + products - 1) < chain.times
    return squarings * square + products * applied < chain.times * applied


def _begun(chain: _Chain) -> _Chain:
    """The chain; where it begins with what changes nothing, as a power, begun with its factor."""
    start = constant_of(chain.start)
    if start is None or chain.times < 2 or chain.start.type != chain.factor.type:
        return chain
    nothing: Any
    if chain.op.name == "matmul":
        nothing = np.eye(*start.shape[-2:]) if start.ndim > 1 else None
    else:
        nothing = {"multiply": 1, "add": 0}.get(chain.op.name)
    if nothing is None or not np.all(start == nothing):
        return chain
    return chain._replace(start=chain.factor, times=chain.times - 1)


def _begins_with_factor(chain: _Chain) -> bool:
    """Whether the chain is a power, or a multiple, of its factor and nothing else."""
    return chain.start is chain.factor and chain.op.name != "subtract"


def _cost(chain: _Chain, other: Value) -> int | None:
    """Multiplications in the product of the factor and another operand; None when not known."""
    factor, operand = _sizes(chain.factor.type), _sizes(other.type)
    if factor is None or operand is None:
        return None
    summed = 1
    if chain.op.name == "matmul":
        if len(factor) < 2 or factor[-1] != factor[-2]:
            return None
        summed = factor[-1]
    (result,) = chain.op.infer_all(_sided(chain, chain.factor.type, other.type), {})
    return CALL + math.prod(_sizes(result) or ()) * summed


def _sizes(type_: Type) -> tuple[int, ...] | None:
    """The size of each axis, None unless all are known."""
    if not isinstance(type_, TensorType) or type_.shape is None:
        return None
    sizes = tuple(n for n in type_.shape if n is not None)
    return sizes if len(sizes) == len(type_.shape) else None


def _sided(chain: _Chain, factor: Operand, other: Operand) -> tuple[Operand, Operand]:
    """The two operands, the factor at its side."""
    return (factor, other) if chain.side == 0 else (other, factor)


def _emit(copy: Copy, chain: _Chain) -> Value:
    """The value of a chain, from new nodes of the copy."""
    factor, start = copy.mapped([chain.factor, chain.start])
    if chain.op.name in ("add", "subtract"):
        return _multiple(copy, chain, factor, start)
    return _power(copy, chain, factor, start)


def _power(copy: Copy, chain: _Chain, factor: Value, start: Value) -> Value:
    """Knuth's algorithm A, from the lowest binary digit of the exponent to the highest."""
    is_power = _begins_with_factor(chain)
    exponent = chain.times + is_power
    result = None if is_power else start
    while True:
        if exponent & 1:
            operands = None if result is None else _sided(chain, factor, result)
            result = (
                factor if operands is None else _apply(copy.nodes, chain.op, operands, chain.origin)
            )
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        factor = _apply(copy.nodes, chain.op, (factor, factor), chain.origin)


def _multiple(copy: Copy, chain: _Chain, factor: Value, start: Value) -> Value:
    is_multiple = _begins_with_factor(chain)
    number = (chain.times + is_multiple) % 2 ** (8 * _dtype(chain).itemsize)
    times = _constant(copy.nodes, np.uint64(number).astype(_dtype(chain)))
    product = _apply(copy.nodes, ops.multiply.op, (factor, times), chain.origin)
    if is_multiple:
        return product
    return _apply(copy.nodes, chain.op, _sided(chain, product, start), chain.origin)


def _dtype(chain: _Chain) -> np.dtype[Any]:
    type_ = chain.factor.type
    assert isinstance(type_, TensorType)
    return type_.dtype


def _constant(nodes: list[Node], value: np.generic) -> Value:
    types = [TensorType(value.dtype, ())]
    return _appended(nodes, Node(REGISTRY["constant"].op, (), {"value": value}, (), types))


def _apply(
    nodes: list[Node],
    op: Op,
    operands: Sequence[Value],
    origin: Origin | None = None,
    **attrs: Any,
) -> Value:
    types = op.infer_all([value.type for value in operands], attrs)
    return _appended(nodes, Node(op, operands, attrs, (), types, origin))


def _appended(nodes: list[Node], node: Node) -> Value:
    nodes.append(node)
    return node.outputs[0]


# ---- as often as the run tells -------------------------------------------------------------------


def _may_pay(chain: _Chain) -> bool:
    """Whether fewer operations give the same where the chain is of some length."""
    return chain.op.name in ("add", "subtract") or _first_square(chain) is not None


def _first_square(chain: _Chain) -> int | None:
    """With so many applications left, half of them of a square take less; None: not soon."""
    applied, square = _cost(chain, chain.start), _cost(chain, chain.factor)
    if applied is None or square is None or square > applied * _SOON // 2:
        return None
    return max(2, -(-2 * square // applied))


def _is_counted(loop: Node, counter: Counter) -> bool:
    """Whether it is a few operations to tell how often a loop runs."""
    limit, first = counter.limit, _first(loop, counter)
    if limit not in loop.graphs[0].inputs or type(first) is not int or first < 0:
        return False
    type_ = limit.type
    return isinstance(type_, TensorType) and type_.device is None and type_.dtype != np.uint64


def _first(loop: Node, counter: Counter) -> Any:
    return constant_of(loop.inputs[loop.attrs["captures"] + counter.position])


def _trips(copy: Copy, loop: Node, counter: Counter) -> Value:
    """How often a loop runs whose index begins with an int that is not negative."""
    nodes, maximum = copy.nodes, loop.attrs.get("maximum")
    limit = copy.value(loop.inputs[loop.graphs[0].inputs.index(counter.limit)])

    def of(name: str, x: Value, number: int) -> Value:
        operands = (x, _constant(nodes, np.int64(number)))
        return _apply(nodes, REGISTRY[name].op, operands, loop.origin)

    first, step = _first(loop, counter), counter.step
    end = _apply(nodes, REGISTRY["astype"].op, (limit,), loop.origin, dtype=np.dtype(np.int64))
    trips = of("maximum", end, first)
    trips = of("subtract", trips, first) if first else trips
    if step > 1:
        more = of("minimum", of("remainder", trips, step), 1)
        operands = (of("floor_divide", trips, step), more)
        trips = _apply(nodes, ops.add.op, operands, loop.origin)
    return trips if maximum is None else of("minimum", trips, maximum)


def _emit_of_the_run(copy: Copy, chain: _Chain, trips: Value) -> Value:
    """The value of a chain of as many links as an int64 tells, from new nodes of the copy."""
    factor, start = copy.mapped([chain.factor, chain.start])
    if chain.op.name in ("multiply", "matmul"):
        return _power_of_the_run(copy, chain, trips, factor, start)
    nodes, origin = copy.nodes, chain.origin
    times = _apply(nodes, REGISTRY["astype"].op, (trips,), origin, dtype=_dtype(chain))
    product = _apply(nodes, ops.multiply.op, (factor, times), origin)
    return _apply(nodes, chain.op, _sided(chain, product, start), origin)


def _power_of_the_run(
    copy: Copy, chain: _Chain, trips: Value, factor: Value, start: Value
) -> Value:
    """Knuth's algorithm A: `while n > 0: n, x = squared(n, x); y = x @ y; n = n - 1`.

    `squared` is `while n % 2 == 0 and n >= least: x = x @ x; n = n // 2`.
    """
    least = _first_square(chain)
    assert least is not None
    types = [trips.type, factor.type, start.type]
    test, body = _Part("test", types), _Part("body", types)
    left, square, result = body.inputs
    inner = [_squaring_test(least, types[:2]), _squaring(chain, types[:2])]
    squares = _loop_node(inner, [left, square], chain.origin)
    body.nodes.append(squares)
    left, square = squares.outputs
    result = body.apply(chain.op, *_sided(chain, square, result), origin=chain.origin)
    left = body.apply(ops.subtract.op, left, body.number(1))
    graphs = [test.done(test.apply(ops.greater.op, test.inputs[0], test.number(0)))]
    graphs.append(body.done(left, square, result))
    made = _loop_node(graphs, [trips, factor, start], chain.origin)
    copy.nodes.append(made)
    return made.outputs[2]


def _squaring_test(least: int, types: Sequence[Type]) -> Graph:
    test = _Part("test", types)
    left = test.inputs[0]
    is_even = test.apply(
        ops.equal.op, test.apply(ops.bitwise_and.op, left, test.number(1)), test.number(0)
    )
    if least == 2:  # as much as the least even number
        return test.done(is_even)
    is_enough = test.apply(ops.greater_equal.op, left, test.number(least))
    return test.done(test.apply(ops.logical_and.op, is_even, is_enough))


def _squaring(chain: _Chain, types: Sequence[Type]) -> Graph:
    body = _Part("body", types)
    left, square = body.inputs
    half = body.apply(ops.bitwise_right_shift.op, left, body.number(1))
    return body.done(half, body.apply(chain.op, square, square, origin=chain.origin))


class _Part:
    """A graph of a loop in the making."""

    def __init__(self, name: str, types: Sequence[Type]) -> None:
        self.name = name
        self.inputs = list(map(Value, types))
        self.nodes: list[Node] = []

    def number(self, number: int) -> Value:
        return _constant(self.nodes, np.int64(number))

    def apply(self, op: Op, *operands: Value, origin: Origin | None = None) -> Value:
        return _apply(self.nodes, op, operands, origin)

    def done(self, *outputs: Value) -> Graph:
        return Graph(self.inputs, self.nodes, outputs, self.name)


def _loop_node(graphs: Sequence[Graph], initial: Sequence[Value], origin: Origin | None) -> Node:
    """A loop that ends: there are so many digits to halve, and so few applications but for them."""
    attrs = {"captures": 0, "maximum": _DIGITS + _SOON}
    return Node(control.WHILE, initial, attrs, graphs, [v.type for v in initial], origin)
