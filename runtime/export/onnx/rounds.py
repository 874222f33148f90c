"""What the rounds of a loop read and make row by row, which ONNX has words for.

    for x in xs:              # Scan: xs is cut into rows outside of the loop,
        s = 0.9 * s + x
        out.append(s)         # and the rows that rounds make are put together after it

With an array that is carried instead, each round would copy it whole.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from runtime.graph.ir import Graph, Node, Value
from runtime.spec import TensorType, Type

__all__ = ["Rounds", "rounds_of"]

_BY_NUMBER = (("array",),)  # the subscript of a row by a number


class Rounds(NamedTuple):
    """A loop, of which some arrays are taken out.

    `body` takes what is captured, the states, and a row of each captured array of `read`; it gives
    the states and a row of each array of `made`. `states` and `made` are places among what the loop
    carries, these with the nodes that write their rows; `read` are places among what is captured,
    none where the loop is no `Scan`. `taken` and `given` are the types of what is not captured.
    """

    body: Graph
    states: list[int]
    made: dict[int, Node]
    read: list[int]
    taken: list[Type]
    given: list[Type]


def rounds_of(node: Node) -> Rounds:
    """What each round of a `while` reads and makes."""
    return _Loop(node).rounds()


class _Loop:
    def __init__(self, node: Node) -> None:
        self.node = node
        self.test, self.body = node.graphs
        self.count: int = node.attrs.get("captures", 0)
        self.carried = self.body.inputs[self.count :]
        self.uses = Counter(v for g in node.graphs for n in g.nodes for v in n.inputs)
        self.uses.update(v for g in node.graphs for v in g.outputs)

    def rounds(self) -> Rounds:
        number, limit = self._number()
        inputs, outputs, places = self.body.inputs, self.body.outputs, range(len(self.carried))
        made = {k: n for k in places if (n := self._writer(k, number, limit)) is not None}
        states = [k for k in places if k not in made]
        rows = [node.inputs[1] for node in made.values()]
        is_fixed = all(map(_is_fixed, [*(self.node.outputs[k] for k in states), *rows]))
        read = self._readers(number, limit) if is_fixed else {}
        gone = {*made.values(), *read}
        parts = [node.outputs[0] for node in read]
        body = Graph(
            [*inputs[: self.count], *(self.carried[k] for k in states), *parts],
            [node for node in self.body.nodes if node not in gone],
            [*(outputs[k] for k in states), *rows],
            self.body.name,
        )
        types = [self.node.outputs[k].type for k in states]
        added = [
            TensorType(_tensor(self.node.outputs[k]).dtype, _tensor(node.inputs[1]).shape)
            for k, node in made.items()
        ]
        taken = [*types, *(part.type for part in parts)]
        return Rounds(body, states, made, [*read.values()], taken, [*types, *added])

    def _number(self) -> tuple[Value | None, Value | None]:
        """The number of the round and how many there are, where it counts from 0 by ones."""
        test = self.test.outputs[0].node
        known = all(n is test or n.op.name == "constant" for n in self.test.nodes)
        if test is None or test.op.name != "less" or not known or self.node.attrs.get("maximum"):
            return None, None
        places = {value: k for k, value in enumerate(self.test.inputs)}
        number, limit = test.inputs
        k = places.get(number, -1) - self.count
        if k < 0 or _constant(self.node.inputs[self.count + k]) != 0:
            return None, None
        step = self.body.outputs[k].node
        if step is None or step.op.name != "add" or step.inputs[0] is not self.carried[k]:
            return None, None
        at = places.get(limit, -1)
        if _constant(step.inputs[1]) != 1 or at >= self.count:
            return None, None
        return self.carried[k], self.node.inputs[at] if at >= 0 else limit

    def _writer(self, k: int, number: Value | None, limit: Value | None) -> Node | None:
        """The node of a round that adds a row to an array that nothing else looks at."""
        array, result, initial = self.carried[k], self.body.outputs[k], self._initial(k)
        writer = result.node
        seen = self.uses[array], self.uses[result], self.uses[self.test.inputs[self.count + k]]
        if writer is None or writer not in self.body.nodes or seen != (1, 1, 0):
            return None
        if writer.op.name not in ("append_row", "index_update") or writer.inputs[0] is not array:
            return None
        row, whole = _tensor(writer.inputs[1]), _tensor(result)
        if writer.op.name == "append_row":
            # What no round makes has the sizes that are known.
            return writer if _is_known(row) else None
        if writer.attrs["index"] != _BY_NUMBER or not whole.shape:
            return None
        is_whole = row.shape == whole.shape[1:]
        of_the_round = number is not None and writer.inputs[2] is number
        return writer if is_whole and of_the_round and _has_rows(initial, limit) else None

    def _readers(self, number: Value | None, limit: Value | None) -> dict[Node, int]:
        """The nodes that read the round's row of captured arrays which nothing else looks at.

        onnxruntime refuses a `Scan` of no rows and of states whose sizes change, and one of rows
        without elements ends the process.
        """
        found: dict[Node, int] = {}
        for k in range(self.count):
            array, given = self.body.inputs[k], self.node.inputs[k]
            readers = [n for n in self.body.nodes if _is_row(n, array, number)]
            seen = self.uses[array] + self.uses[self.test.inputs[k]]
            if readers and seen == len(readers) and _is_fixed(given) and _has_rows(given, limit):
                found.update(dict.fromkeys(readers, k))
        return found

    def _initial(self, k: int) -> Value:
        return self.node.inputs[self.count + k]


def _tensor(value: Value) -> TensorType:
    assert type(value.type) is TensorType
    return value.type


def _constant(value: Value) -> object:
    """The number that a value is, None where only the run tells."""
    node = value.node
    if node is None or node.op.name != "constant" or _tensor(value).shape != ():
        return None
    return node.attrs["value"]


def _is_fixed(value: Value) -> bool:
    """Whether a value has elements, and as many in all rounds."""
    type_ = value.type
    return type(type_) is TensorType and _is_known(type_) and 0 not in (type_.shape or ())


def _is_known(type_: TensorType) -> bool:
    return type_.shape is not None and None not in type_.shape


def _is_row(node: Node, array: Value, number: Value | None) -> bool:
    """Whether a node is the row of an array that has the round's number."""
    is_part = node.op.name == "getitem" and node.attrs["index"] == _BY_NUMBER
    return is_part and number is not None and node.inputs == [array, number]


def _has_rows(array: Value, count: Value | None) -> bool:
    """Whether an array surely has so many rows."""
    type_ = array.type
    if count is None or type(type_) is not TensorType or not type_.shape:
        return False
    rows, maker = type_.shape[0], array.node
    if rows is not None:
        return bool(_constant(count) == rows)
    if maker is not None and maker.op.name == "zeros":
        return maker.attrs["shape"][0] is None and maker.inputs[0] is count
    of = count.node
    is_size = of is not None and of.op.name == "dim" and of.attrs["axis"] == 0
    return bool(is_size and of is not None and of.inputs[0] is array)
