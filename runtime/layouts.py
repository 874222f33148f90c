"""How NumPy lays out in memory the arrays that a program makes: in C order, or nobody knows.

Whether NumPy's `reshape` gives a view or a copy depends on that. A graph lays its arrays out as it
likes, so it is found from how they are made: most functions of NumPy lay their result out as their
operands are.
"""

from __future__ import annotations

from typing import Any

from runtime import trace
from runtime.graph.ir import Node, Value
from runtime.spec import TensorType, Type

__all__ = ["inputs_in_c_order", "lay_out"]

_WHOLE = (("slice", None, None, None), ("ellipsis",))
# Ops whose result is in C order where their first operand is.
_OF_THE_FIRST = frozenset(
    ("accumulate", "argpartition", "argsort", "as_weak", "astype", "bitcast", "broadcast_to",
     "checked", "complex_modulus", "copy", "copy_to", "cumprod", "cumsum",
     "expand_dims", "flip", "identity", "index_add", "index_update", "partition", "repeat",
     "reshape", "roll", "sort", "squeeze", "stop_gradient", "strengthen", "view",
     "all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var")
)  # fmt: skip
# Ops whose result is in C order where all their operands are, beside those that go element by
# element.
_ALIKE = frozenset(
    ("cholesky", "choose_among", "complex_product", "concat", "inv", "matmul", "solve", "stack")
)
# Ops that make arrays in C order; of matrices, not of stacks of them.
_IN_C_ORDER = frozenset(
    ("arange", "full", "linspace", "random_bits", "random_integers", "random_normal",
     "random_uniform", "tensordot", "zeros")
)  # fmt: skip
_OF_MATRICES = frozenset(("cholesky", "inv", "matmul", "solve"))


def lay_out(result: Any, order: str | None, like: Any = None) -> Any:
    """`result`, of which the program said its `order`: "A", "K" and None are that of `like`.

    Raises ValueError for another order, as NumPy does.
    """
    order = order or "K"
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    interpreter: Any = trace.current()
    root = getattr(interpreter, "root", None)
    if root is not None and getattr(result, "value", None) is not None:
        said = order == "C" if order in "CF" else interpreter.value_of(like)
        root.laid_out[result.value] = said
    return result


def inputs_in_c_order(value: Value) -> set[Value] | None:
    """The inputs of the trace that must be in C order for an array made as `value` to be.

    None where that is not known. A view of an array in C order counts as one, as what is computed
    of it is in C order.
    """
    root = trace.current().root  # type: ignore[attr-defined]
    inner: dict[Value, list[Value]] = {}
    needed: set[Value] = set()
    seen, todo = set(), [value]
    while todo:
        one = todo.pop()
        if one in seen or _has_one_order(one.type):
            continue
        seen.add(one)
        said = root.laid_out.get(one)
        if isinstance(said, bool):
            if not said:
                return None
        elif said is not None:
            todo.append(said)
        elif one in inner:
            todo += inner[one]
        elif one.node is not None:
            sources = _sources(one.node, one, inner)
            if sources is None:
                return None
            todo += sources
        elif isinstance(outer := root.stands_for.get(one), Value):
            todo.append(outer)
        elif one in root.graph.inputs:
            needed.add(one)
        else:
            return None
    return needed


def _has_one_order(type_: Type) -> bool:
    """Whether arrays of a type lie in memory in one way only: they have one axis at most."""
    if type(type_) is not TensorType or type_.rank is None:
        return False
    return sum(n != 1 for n in type_.shape or ()) <= 1


def _rank(value: Value) -> int | None:
    return value.type.rank if isinstance(value.type, TensorType) else None


def _sources(node: Node, value: Value, inner: dict[Value, list[Value]]) -> list[Value] | None:
    """The values that must be in C order for `value` to be; None if that is not known.

    Inputs of the node's graphs are added to `inner`, with what they stand for.
    """
    op, graphs = node.op, node.graphs
    if op.name == "constant":
        return [] if node.attrs["value"].flags.c_contiguous else None
    if op.name in _IN_C_ORDER or (op.name in _OF_MATRICES and _rank(value) == 2):
        return []
    if op.name == "cond":
        for graph in graphs:
            pairs = zip(graph.inputs, node.inputs[1:], strict=True)
            inner.update((own, [given]) for own, given in pairs)
        return [graph.outputs[value.index] for graph in graphs]
    if op.name == "while":
        body, count = graphs[1], node.attrs["captures"]
        again = [None] * count + list(body.outputs)
        for own, given, next_ in zip(body.inputs, node.inputs, again, strict=True):
            inner[own] = [given] if next_ is None else [given, next_]
        return [node.inputs[count + value.index], body.outputs[value.index]]
    if op.name in _OF_THE_FIRST or _takes_rows(node):
        return node.inputs[:1]
    return list(node.inputs) if op.elementwise or op.name in _ALIKE else None


def _takes_rows(node: Node) -> bool:
    """Whether parts of an array are taken that lie as it does: arrays as indices come first."""
    if node.op.name == "getitem":
        return True
    if node.op.name != "getitem_array":
        return False
    rest = list(node.attrs["index"])
    while rest and rest[0][0] == "array":
        del rest[0]
    return all(entry in _WHOLE for entry in rest)
