"""How many floating-point operations a graph takes, and what it has to read and write.

An operation on an element counts one, whatever it is (the convention of XLA's cost analysis); a
product that is added to a sum counts two. Integers and comparisons count as floats do. Moving
elements, sorting, drawing random numbers and looking up count nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from runtime.graph.counters import counter_of
from runtime.graph.ir import Graph, Node
from runtime.spec import TensorType, Type

__all__ = ["FREE", "NUMBERS", "RULES", "Work", "work_of"]

NUMBERS = ("math_", "cmath_")


class Work(NamedTuple):
    """Operations of a call, the bytes of all that goes in and out, and the open loops.

    `bytes` are what must be moved at least: arguments, results, and the contents of variables that
    are read and assigned. `open_loops` are the places of loops of which only the run tells how
    often they go round: their bodies are counted once.
    """

    flops: int
    bytes: int
    open_loops: tuple[str, ...]


def work_of(graph: Graph) -> Work:
    """The work of one run. Of branches the one with more is counted.

    Raises ValueError where a size is not known before the run.
    """
    open_loops: list[str] = []
    flops = _of_graph(graph, open_loops)
    moved = [v.type for v in (*graph.inputs, *graph.outputs)]
    for node in graph.walk():
        if node.op.effect == "read":
            moved += [v.type for v in node.outputs]
        elif node.op.effect == "assign":
            moved += [v.type for v in node.inputs]
    return Work(flops, sum(map(_bytes, moved)), tuple(dict.fromkeys(open_loops)))


def _of_graph(graph: Graph, open_loops: list[str]) -> int:
    return sum(_of_node(node, open_loops) for node in graph.nodes)


def _of_node(node: Node, open_loops: list[str]) -> int:
    if not node.graphs:
        return _own(node)
    inside = [_of_graph(graph, open_loops) for graph in node.graphs]
    if node.op.name != "while":
        return max(inside)
    counter = counter_of(node)
    trips = None if counter is None else counter.trips(node)
    if trips is None:
        open_loops.append(str(node.origin))
        trips = 1
    return inside[0] * (trips + 1) + inside[1] * trips


def _own(node: Node) -> int:
    # Functions of Python's `math` and `cmath` are of one number each.
    is_each = node.op.elementwise or node.op.name.startswith(NUMBERS)
    if is_each and node.op.name not in FREE:
        return _size(node.outputs[0].type)
    rule = RULES.get(node.op.name)
    if rule is None:
        return 0
    found = rule([v.type for v in node.inputs], [v.type for v in node.outputs], node.attrs)
    return int(found)


def _shape(type_: Type) -> tuple[int, ...]:
    assert isinstance(type_, TensorType)
    if not type_.is_static:
        raise ValueError(f"the work is not known before the run: a value is {type_}")
    return tuple(n or 0 for n in type_.shape or ())


def _size(type_: Type) -> int:
    return math.prod(_shape(type_)) if isinstance(type_, TensorType) else 0


def _bytes(type_: Type) -> int:
    return _size(type_) * type_.dtype.itemsize if isinstance(type_, TensorType) else 0


# ---- rules: of types of operands, types of results, attributes -----------------------------------

Rule = Callable[[list[Type], list[Type], dict[str, Any]], float]


def _times(count: int) -> Rule:
    return lambda given, made, attrs: count * _size(given[0])


def _matmul(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
    return 2 * _size(made[0]) * _shape(given[0])[-1]


def _contracted(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
    axes: tuple[int, ...] = attrs["axes"][0]
    return 2 * _size(made[0]) * math.prod(_shape(given[0])[axis] for axis in axes)


def _vecdot(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
    axis: int = attrs.get("axis", -1)
    return 2 * _size(made[0]) * max(_shape(t)[axis] for t in given)


def _einsum(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
    sizes: dict[str, int] = {}
    for term, type_ in zip(attrs["terms"], given, strict=True):
        for letter, size in zip(term, _shape(type_), strict=True):
            sizes[letter] = max(size, sizes.get(letter, 1))
    return len(given) * math.prod(sizes.values())


def _windows(of: int, kernel: int) -> Rule:
    """Each element of a convolution's result sums as many products as a kernel has for it."""

    def rule(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
        types = [*given, *made]
        return 2 * _size(types[of]) * math.prod(_shape(types[kernel])[:-1])

    return rule


def _fourier(given: list[Type], made: list[Type], attrs: dict[str, Any]) -> float:
    """5 n log2(n) (M. Frigo and S. Johnson, "The Design and Implementation of FFTW3", 2005); half
    of it for real numbers.
    """
    whole = max((*given, *made), key=_size)
    n = _shape(whole)[attrs["axis"]]
    kinds = {t.dtype.kind for t in (*given, *made) if isinstance(t, TensorType)}
    return (5 if kinds == {"c"} else 2.5) * _size(whole) * math.log2(max(n, 2))


def _of_square(factor: float) -> Rule:
    """`factor` times n^3 for each matrix (G. Golub and C. Van Loan, "Matrix Computations")."""
    return lambda given, made, attrs: factor * _size(given[0]) * _shape(given[0])[-1]


def _of_any(factor: float) -> Rule:
    """`factor` times m n min(m, n) for each matrix."""
    return lambda given, made, attrs: factor * _size(given[0]) * min(_shape(given[0])[-2:])


RULES: dict[str, Rule] = {
    **dict.fromkeys(
        ("sum", "mean", "prod", "max", "min", "any", "all", "count_nonzero", "argmax", "argmin",
         "nanargmax", "nanargmin", "cumsum", "cumprod", "sum_to", "sum_like",
         "window_max", "window_argmax", "window_sum", "window_spread", "array_equal", "array_equiv",
         "ufunc_reduce", "ufunc_fold", "ufunc_accumulate", "ufunc_scan", "ufunc_sums_at",
         "ufunc_reduceat", "index_replace"),
        _times(1),
    ),
    **dict.fromkeys(
        ("index_add", "index_extreme", "index_scale", "index_apply"),
        lambda given, made, attrs: _size(given[1]),
    ),
    **dict.fromkeys(("var", "std"), _times(4)),
    **dict.fromkeys(("linear_recurrence", "accumulate"), _times(2)),
    **dict.fromkeys(("complex_product", "complex_modulus"), _times(6)),
    "matmul": _matmul,
    "tensordot": _contracted,
    "vecdot": _vecdot,
    "einsum": _einsum,
    "convolve": lambda given, made, attrs: 2 * _size(given[0]) * _size(given[1]),
    "convolution": _windows(2, 1),
    "convolution_input": _windows(0, 1),
    "convolution_kernel": _windows(1, 2),
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), _fourier),
    "cholesky": _of_square(1 / 3),
    **dict.fromkeys(("det", "slogdet"), _of_square(2 / 3)),
    "solve": lambda given, made, attrs: (
        2 / 3 * _size(given[0]) * _shape(given[0])[-1] + 2 * _size(made[0]) * _shape(given[0])[-1]
    ),
    "inv": _of_square(2),
    "eigh": _of_square(9),
    "eig": _of_square(25),
    "eigvals": _of_square(10),
    "lu": _of_square(2 / 3),
    "expm": _of_square(30),
    "sqrtm": _of_square(30),
    "eigvalsh": _of_square(4 / 3),
    "qr": _of_any(4),
    **dict.fromkeys(("svd", "pinv"), _of_any(14)),
    "svdvals": _of_any(4),
    "lstsq": _of_any(4),
}  # fmt: skip

# What moves, makes, looks up or orders elements, draws or holds them.
FREE = frozenset(
    {
        "positive", "real", "imag", "conj", "where", "make_complex", "frame_of", "frame_read",
        "frame_with", "frame_take", "choose_among", "astype", "zeros", "full", "arange", "linspace",
        "linspace_of",
        "diagonal", "frexp", "unravel_index", "ravel_multi_index", "getitem", "getitem_array",
        "index_update", "constant", "dim", "strengthen", "as_weak", "identity", "stop_gradient",
        "missing", "choose", "stack_empty", "stack_push", "stack_pop", "stack_take", "zeros_of",
        "concat", "stack", "nonzero", "partition", "argpartition", "copy_to", "window_pick",
        "window_place", "repeat", "roll", "round_number", "append_row", "rows_alike", "segments",
        "as_long_as", "unique_values", "copy", "sort", "argsort", "searchsorted", "unique",
        "checked", "has_axes",
        "not_negative", "estimated_edges", "bitcast", "best_prefixes", "row_swaps", "kept_boxes",
        "split_text", "text_method", "text_ranks", "find_key", "link_all", "link_last",
        "unlink_row", "without_row", "order_last", "order_without", "rows_in_order",
    }
)  # fmt: skip
