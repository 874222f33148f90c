"""Control flow as functions, for those who want to write the graph form by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.calls.calls import converted_call
from autograph.operators.expressions.logical import and_
from autograph.operators.loops.loops import for_stmt, while_stmt
from autograph.operators.values.bodies import State, run_body
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.printing import graph_print as print
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from runtime import ops, trace
from runtime.building import Builder, building, traced
from runtime.errors import StagingError
from runtime.ops.arrays.agreement import in_shape_of
from runtime.ops.declaration.operands import shape_of, type_of
from runtime.spec import TensorType, Type, is_mobile, promote
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = [
    "associative_scan",
    "case",
    "cond",
    "map_fn",
    "print",
    "scan",
    "switch_case",
    "while_loop",
]

_SCOPE = FunctionScope("call", "fscope", ConversionOptions(user_requested=True))


def _converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a call of the user's function is here: in a graph, of the converted function."""
    if building() is None:
        return function
    return lambda *args: converted_call(function, args, None, _SCOPE)


def cond(
    pred: Any, true_fn: Callable[[], Any] | None, false_fn: Callable[[], Any] | None = None
) -> Any:
    """`true_fn()` if `pred` is true, else `false_fn()`; None stands for a function that gives None.

    Eagerly one of them is called; in a graph both are traced, and one runs.

    >>> import autograph as ag
    >>> ag.cond(ag.constant(2.0) > 1, lambda: "yes", lambda: "no")
    'yes'
    """
    first, second = (_converted(f) if f else lambda: None for f in (true_fn, false_fn))
    return if_exp(pred, first, second, "pred")


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    maximum_iterations: int | None = None,
    **options: Any,
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; gives the last values.

    Dtypes and shapes may change from round to round as in converted code, so that TensorFlow's
    `shape_invariants` and `parallel_iterations` are taken and not needed.

    >>> import autograph as ag
    >>> ag.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    (5, 10)
    """
    values = tuple(loop_vars)
    rounds: Any = 0
    cond, body = _converted(cond), _converted(body)

    def test() -> Any:
        if maximum_iterations is None:
            return cond(*values)
        return and_(lambda: rounds < maximum_iterations, lambda: cond(*values))

    def step() -> None:
        nonlocal values, rounds
        result = body(*values)
        values = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        rounds = rounds + 1

    def put(state: tuple[Any, ...]) -> None:
        nonlocal values, rounds
        values, rounds = state[:-1], state[-1]

    names = (*(f"loop_vars[{i}]" for i in range(len(values))), "rounds")
    while_stmt(test, step, lambda: (*values, rounds), put, names, dict(options))
    return list(values) if isinstance(loop_vars, list) else values


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Any]]],
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
) -> Any:
    """The result of the function beside the first true predicate; else that of `default`.

    Without a default, the last function runs when no predicate is true. `exclusive` asks that at
    most one predicate is true: RuntimeError otherwise.

    >>> import autograph as ag
    >>> x = ag.constant(7.0)
    >>> ag.case([(x > 10, lambda: "large"), (x > 5, lambda: "medium")], default=lambda: "small")
    'medium'
    """
    pairs = list(pred_fn_pairs)
    if not pairs and default is None:
        raise ValueError("case needs a pair (predicate, function), or a default")
    if exclusive:
        _check_exclusive([pred for pred, _ in pairs])
    rest = default if default is not None else pairs.pop()[1]

    def choose(k: int) -> Any:
        if k == len(pairs):
            return _converted(rest)()
        pred, function = pairs[k]
        return if_exp(pred, _converted(function), lambda: choose(k + 1), f"predicate {k}")

    return choose(0)


def _check_exclusive(preds: list[Any]) -> None:
    count: Any = 0
    for pred in preds:
        count = count + if_exp(pred, lambda: 1, lambda: 0, "predicate")

    def fail() -> None:
        raise RuntimeError("more than one predicate of an exclusive `case` is true")

    if_exp(count > 1, fail, lambda: None, "exclusive")


def switch_case(
    branch_index: Any,
    branch_fns: Sequence[Any] | dict[int, Callable[[], Any]],
    default: Callable[[], Any] | None = None,
) -> Any:
    """The result of the function at `branch_index` (an integer scalar); else that of `default`.

    `branch_fns` is a sequence of functions, of pairs (int, function), or a dict. Without a default,
    the function with the largest index runs for an index that is none of them.

    >>> import autograph as ag
    >>> ag.switch_case(ag.constant(1), [lambda: "zero", lambda: "one"], default=lambda: "other")
    'one'
    """
    if isinstance(branch_fns, dict):
        branches = dict(branch_fns)
    else:
        branches = dict(f if isinstance(f, tuple) else (i, f) for i, f in enumerate(branch_fns))
    if not branches:
        raise ValueError("switch_case needs at least one branch")
    if default is None:
        default = branches.pop(max(branches))
    pairs = [(branch_index == i, f) for i, f in sorted(branches.items())]
    return case(pairs, default)


# ---- along an axis -----------------------------------------------------------------------------


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Carry `init` through `carry, y = f(carry, x)` along axis 0 of `xs`; last carry, stacked ys.

    `init`, `xs` and y may be nests. Without `xs`, `f` gets None, `length` times. `reverse` goes
    from the last row to the first; the ys stand in the order of the rows all the same. One loop in
    a graph; gradients of any order.

    Raises ValueError when the rows differ in number, or the ys in shape; IndexError where a graph
    finds no row to learn the shape of a y from. StagingError when a y has no known number of axes.

    >>> import autograph as ag
    >>> ag.scan(lambda total, x: (total + x, total * x), 0.0, np.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 2., 9.]))
    """
    rows, structure = tree.flatten(xs) if xs is not None else ([], None)
    count = _common_length(rows, length)

    def row(i: Any) -> Any:
        return None if structure is None else tree.unflatten(structure, [r[i] for r in rows])

    def unseen(builder: Builder) -> Any:
        """A row of which only the type is known."""
        types = [type_of(r) for r in rows]
        parts = [TensorType(t.dtype, t.shape[1:], device=t.device) for t in types]  # type: ignore[index]
        values = [traced(builder.input(t)) for t in parts]
        return None if structure is None else tree.unflatten(structure, values)

    if building() is not None:
        return _Scan(_converted(f), init, row, count, reverse, unseen)()
    if int(count):
        return _scan_eagerly(f, init, row, int(count), reverse)
    with trace.interpreting(Builder("no rows")):
        out, types = _Scan(_converted(f), init, row, 0, reverse, unseen).results()
    is_plain = not any(isinstance(x, Tensor) for x in [*rows, *tree.leaves(init)])
    return init, tree.unflatten(out, [None if t is None else _none_of(t, is_plain) for t in types])


def _none_of(type_: Type, is_plain: bool) -> Any:
    """No results of a type, stacked."""
    whole = _zeros(0, type_)
    return whole.array if is_plain else whole


def _zeros(count: Any, type_: Type, shape: tuple[Any, ...] | None = None) -> Any:
    """So many zeros of a type, where it is; of a scalar of the host, where arrays are made."""
    sizes = type_.shape if shape is None else shape  # type: ignore[union-attr]
    return ops.zeros((count, *sizes), dtype=type_.dtype, device=type_.device)  # type: ignore[union-attr,misc]


def _is_open(type_: Type | None) -> bool:
    """Whether results of a type have a size that only the run tells; StagingError for the rank."""
    if type_ is None:
        return False
    shape = getattr(type_, "shape", None)
    if shape is None:
        raise StagingError(
            f"a result of the scanned function ({type_}) has a number of axes that depends on data",
            "give each row a result of the same shape, for example padded to the longest",
        )
    return None in shape


def _common_length(rows: list[Any], length: Any) -> Any:
    sizes = [shape_of(r)[0] if type_of(r).rank else None for r in rows]
    if None in sizes:
        raise ValueError("what is scanned needs an axis 0, but a part of it is a scalar")
    if length is not None:
        sizes.append(length)
    if not sizes:
        raise ValueError("scan needs `xs` or `length`")
    known = sorted({s for s in sizes if isinstance(s, int)})
    if len(known) > 1:
        raise ValueError(f"what is scanned has different lengths along axis 0: {known}")
    return known[0] if known else sizes[0]


def _scan_eagerly(
    f: Callable[..., Any], init: Any, row: Callable[[Any], Any], count: int, reverse: bool
) -> tuple[Any, Any]:
    carry, found = init, []
    for i in reversed(range(count)) if reverse else range(count):
        carry, y = f(carry, row(i))
        found.append(y)
    if reverse:
        found.reverse()
    columns = zip(*(tree.leaves(y) for y in found), strict=True)
    stacked = [None if c[0] is None else _stacked(c) for c in columns]
    return carry, tree.unflatten(tree.structure_of(found[0]), stacked)


def _stacked(parts: Sequence[Any]) -> Any:
    whole = ops.stack(parts)
    return whole if any(isinstance(p, Tensor) for p in parts) else whole.array


class _Scan:
    """A scan in the graph: one while node that fills an array for each leaf of y."""

    def __init__(
        self,
        f: Callable[..., Any],
        init: Any,
        row: Callable[[Any], Any],
        count: Any,
        reverse: bool,
        unseen: Callable[[Builder], Any],
    ) -> None:
        self.f, self.row, self.count, self.reverse = f, row, count, reverse
        self.unseen = unseen
        self.carry = init
        self.buffers: list[Any] = []
        # Where sizes are known after the first round alone: its results.
        self.first: list[Any] = []

    def __call__(self) -> tuple[Any, Any]:
        structure, types = self.results()
        names = ("carry", *(f"y[{j}]" for j in range(len(types))))
        if any(map(_is_open, types)):
            rounds = self._begun(types)
        else:
            self.buffers = [t and _zeros(self.count, t) for t in types]
            rounds = Indexed("the rows", self.count, lambda k: k)

        def get() -> tuple[Any, ...]:
            return (self.carry, *self.buffers)

        def put(state: tuple[Any, ...]) -> None:
            self.carry, self.buffers = state[0], list(state[1:])

        for_stmt(rounds, None, self._round, get, put, names, {"stage": True})
        return self.carry, tree.unflatten(structure, self.buffers)

    def _begun(self, types: Sequence[Type | None]) -> Indexed:
        """Make the first round, whose results tell the sizes of the others; the rounds left."""
        self.carry, y = self.f(self.carry, self.row(self._place(0)))
        self.first = tree.leaves(y)
        pairs = zip(self.first, types, strict=True)
        self.buffers = [t and _zeros(self.count, t, shape_of(x)) for x, t in pairs]
        self._keep(self._place(0), self.first)
        return Indexed("the rows", self.count - 1, lambda k: k + 1)

    def _place(self, k: Any) -> Any:
        """The row of a round."""
        return self.count - 1 - k if self.reverse else k

    def _round(self, k: Any) -> None:
        self.carry, y = self.f(self.carry, self.row(self._place(k)))
        leaves = tree.leaves(y)
        if self.first:
            pairs = zip(self.first, leaves, strict=True)
            leaves = [None if x is None else in_shape_of(first, x, _UNLIKE) for first, x in pairs]
        self._keep(self._place(k), leaves)

    def _keep(self, i: Any, leaves: Sequence[Any]) -> None:
        """Put results where those of a row stand."""
        pairs = zip(self.buffers, leaves, strict=True)
        self.buffers = [b if b is None else ops.index_update(b, y, i) for b, y in pairs]

    def results(self) -> tuple[tree.Structure, list[Type | None]]:
        """What y is once the carry has the types that it keeps; nothing of it stays."""
        carry = self.carry
        while True:
            structure, after, types = self._probe(carry)
            widened = _widened(carry, after)
            if widened is None:
                return structure, types
            carry = widened

    def _probe(self, carry: Any) -> tuple[tree.Structure, Any, list[Type | None]]:
        parent = building()
        assert parent is not None
        found: list[Any] = []

        def body(builder: Builder) -> None:
            is_empty = isinstance(self.count, int) and not self.count
            found.append(self.f(carry, self.unseen(builder) if is_empty else self.row(0)))

        outcome = run_body("probe", parent, body, State(tuple, lambda values: None, ()))
        if not found:
            raise StagingError("the scanned function always raises", "")
        del outcome
        after, y = found[0]
        leaves, structure = tree.flatten(y)
        return structure, after, [None if x is None else type_of(x) for x in leaves]


_UNLIKE = "the results of a scanned function differ in size: {0}, {1} in the first round"


def _widened(carry: Any, after: Any) -> Any:
    """The carry with the dtypes and devices of the next round; None when they are the same."""
    before, structure = tree.flatten(carry)
    later, other = tree.flatten(after)
    if structure != other:
        raise StagingError(
            "the carry of a scan comes back as another structure than it was given",
            "return as the first result what `init` is: the same tuples, lists and dicts",
        )
    changed = False
    result = []
    for a, b in zip(before, later, strict=True):
        type_, next_ = type_of(a), type_of(b)
        joined = promote(type_, next_)
        if joined.dtype != type_.dtype:
            changed = True
            weak = joined.weak and joined.dtype.type(0).item()
            a = weak if joined.weak else ops.astype(a, joined.dtype)
        if is_mobile(type_) and next_.device is not None:  # a number that met rows of a device
            changed = True
            a = ops.to_device(ops.asarray(a, dtype=joined.dtype), next_.device)
        result.append(a)
    return tree.unflatten(structure, result) if changed else None


def map_fn(fn: Callable[[Any], Any], elems: Any) -> Any:
    """`fn` applied to each row (along axis 0) of `elems`, one after the other, results stacked.

    `elems` may be a nest, whose rows `fn` gets as one such nest. One loop in a graph; `vmap`
    computes all rows at once.

    >>> import autograph as ag
    >>> ag.map_fn(lambda x: x * x, np.array([1.0, 2.0, 3.0]))
    array([1., 4., 9.])
    """
    return scan(lambda carry, x: (carry, _converted(fn)(x)), 0, elems)[1]


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """All partial results of an associative `fn` along an axis, in a logarithmic number of steps.

    `fn(a, b)` combines many pairs at once, element by element along the axis; `elems` may be a
    nest. (The odd-even scheme of R. E. Ladner and M. J. Fischer, "Parallel Prefix Computation",
    1980.)

    Raises ValueError when the length along the axis is not known while tracing.

    >>> import autograph as ag
    >>> ag.associative_scan(lambda a, b: a * b, np.array([1.0, 2.0, 3.0, 4.0]))
    array([ 1.,  2.,  6., 24.])
    """
    leaves, structure = tree.flatten(elems)
    length = _common_length([ops.moveaxis(x, axis, 0) for x in leaves], None)
    if not isinstance(length, int):
        raise ValueError("associative_scan needs to know the length along the axis; use `scan`")
    plain = not any(isinstance(x, Tensor) for x in leaves) and building() is None
    parts = [ops.flip(x, axis=axis) if reverse else ops.asarray(x) for x in leaves]
    combine = _converted(fn)

    def both(a: list[Any], b: list[Any]) -> list[Any]:
        return tree.leaves(combine(tree.unflatten(structure, a), tree.unflatten(structure, b)))

    done = _prefixes(both, parts, axis, length) if length else parts
    if reverse:
        done = [ops.flip(x, axis=axis) for x in done]
    return tree.unflatten(structure, [x.array if plain else x for x in done])


def _cut(parts: list[Any], axis: int, start: int | None, stop: int | None, step: int) -> list[Any]:
    key = (*(slice(None),) * (axis % type_of(parts[0]).rank), slice(start, stop, step))  # type: ignore[operator]
    return [x[key] for x in parts]


def _prefixes(
    both: Callable[[list[Any], list[Any]], list[Any]], parts: list[Any], axis: int, length: int
) -> list[Any]:
    """Combine neighbours, scan the half as many pairs, fill in what lies between."""
    if length == 1:
        return parts
    even, odd = _cut(parts, axis, 0, length - 1, 2), _cut(parts, axis, 1, None, 2)
    odds = _prefixes(both, both(even, odd), axis, length // 2)
    first = _cut(parts, axis, 0, 1, 1)
    later = _cut(parts, axis, 2, None, 2)
    if length == 2:
        evens = first
    else:
        before = odds if length % 2 else _cut(odds, axis, 0, -1, 1)
        pairs = zip(first, both(before, later), strict=True)
        evens = [ops.concat([a, b], axis=axis) for a, b in pairs]
    return [_interleaved(a, b, axis, length) for a, b in zip(evens, odds, strict=True)]


def _interleaved(even: Any, odd: Any, axis: int, length: int) -> Any:
    rank = type_of(even).rank
    assert rank is not None
    lead = (slice(None),) * (axis % rank)
    shape = shape_of(even)
    shape = (*shape[: axis % rank], length, *shape[axis % rank + 1 :])
    whole = ops.zeros(shape, even.dtype, device=type_of(even).device)
    whole = ops.index_update(whole, even, (*lead, slice(0, None, 2)))
    return ops.index_update(whole, odd, (*lead, slice(1, None, 2)))
