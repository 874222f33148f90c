"""TensorFlow's control flow as functions: conditions, loops, maps, `TensorArray`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph as ag
from autograph.tf.tensors import as_results, as_tensor, cast
from runtime.structure import tree

__all__ = [
    "TensorArray",
    "case",
    "cond",
    "foldl",
    "foldr",
    "map_fn",
    "scan",
    "switch_case",
    "vectorized_map",
    "while_loop",
]


def cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """`true_fn()` if `pred` is true, else `false_fn()`; in a graph both are traced, one runs.

    >>> import autograph.tf as tf
    >>> tf.cond(tf.constant(2) > 1, lambda: 10, lambda: 20).numpy()
    np.int32(10)
    """
    return ag.cond(pred, _of_tensors(true_fn), _of_tensors(false_fn))


def _of_tensors(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with tensors in its result: what another path gives may be no variable."""
    return lambda *args: as_results(fn(*args))


def case(
    pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False,
    strict: bool = False, name: str = "case",
) -> Any:  # fmt: skip
    """The result of the function beside the first true predicate, else of `default`.

    >>> import autograph.tf as tf
    >>> x = tf.constant(7)
    >>> tf.case([(x > 10, lambda: 1), (x > 5, lambda: 2)], default=lambda: 3).numpy()
    np.int32(2)
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    pairs = [(pred, _of_tensors(fn)) for pred, fn in pairs]
    return ag.case(pairs, default and _of_tensors(default), exclusive)


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Any:  # fmt: skip
    """The result of the function at `branch_index`, else of `default`.

    >>> import autograph.tf as tf
    >>> tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]).numpy()
    np.int32(20)
    """
    branches = tree.map_structure(lambda x: _of_tensors(x) if callable(x) else x, branch_fns)
    return ag.switch_case(as_tensor(branch_index), branches, default and _of_tensors(default))


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any],
    shape_invariants: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, maximum_iterations: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; gives the last values.

    Shapes and dtypes may change from round to round; `shape_invariants` and `parallel_iterations`
    are taken and not needed.

    >>> import autograph.tf as tf
    >>> i, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    >>> s
    <tf.Tensor: shape=(), dtype=int32, numpy=10>
    """
    started = as_results(loop_vars)
    return as_results(ag.while_loop(cond, _of_tensors(body), started, maximum_iterations))


# ---- along an axis -----------------------------------------------------------------------------


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: int | None = None,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    name: str | None = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """`fn` of each row of `elems`, the results stacked.

    >>> import autograph.tf as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    rows = as_results(elems) if not isinstance(elems, list) else as_tensor(elems)
    return as_results(ag.map_fn(_of_tensors(fn), rows))


def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True
) -> Any:
    """`fn` of all rows of `elems` at once.

    >>> import autograph.tf as tf
    >>> tf.vectorized_map(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    return as_results(ag.vectorized_map(_of_tensors(fn), as_results(elems)))


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    infer_shape: bool = True, reverse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The values of `a = fn(a, x)` over the rows of `elems`, stacked.

    `a` begins as `initializer`, or as the first row (the last one with `reverse`).

    >>> import autograph.tf as tf
    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    rows = as_results(elems)

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        after = as_results(fn(carry, row))
        return after, after

    if initializer is not None:
        return as_results(ag.scan(step, as_results(initializer), rows, reverse=reverse)[1])
    first, rest = _parted(rows, reverse)
    found = ag.scan(step, first, rest, reverse=reverse)[1]
    return as_results(tree.map_structure(lambda a, b: _joined(a, b, reverse), first, found))


def _parted(rows: Any, reverse: bool) -> tuple[Any, Any]:
    """The row to begin with, and the others."""
    first = tree.map_structure(lambda x: x[-1 if reverse else 0], rows)
    rest = tree.map_structure(lambda x: x[:-1] if reverse else x[1:], rows)
    return first, rest


def _joined(first: Any, found: Any, reverse: bool) -> Any:
    parts = [ag.expand_dims(first, axis=0), found]
    return ag.concat(parts[::-1] if reverse else parts)


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The last of the values of `a = fn(a, x)` over the rows of `elems`.

    >>> import autograph.tf as tf
    >>> tf.foldl(lambda a, x: a - x, tf.constant([1, 2, 3])).numpy()
    np.int32(-4)
    """
    return _folded(fn, elems, initializer, False)


def foldr(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The same from the last row to the first.

    >>> import autograph.tf as tf
    >>> tf.foldr(lambda a, x: a - x, tf.constant([1, 2, 3])).numpy()
    np.int32(0)
    """
    return _folded(fn, elems, initializer, True)


def _folded(fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, reverse: bool) -> Any:
    rows = as_results(elems)
    first, rest = _parted(rows, reverse) if initializer is None else (as_results(initializer), rows)

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        return as_results(fn(carry, row)), None

    return as_results(ag.scan(step, first, rest, reverse=reverse)[0])


class TensorArray(ag.TensorArray):
    """Tensors of one shape by index, in which a loop collects its rows.

    >>> import autograph.tf as tf
    >>> rows = tf.TensorArray(tf.float32, size=2)
    >>> rows = rows.write(0, 1.5)
    >>> rows.stack().numpy()
    array([1.5, 0. ], dtype=float32)
    """

    def read(self, index: Any, name: str | None = None) -> Any:
        """The row at `index`."""
        return as_tensor(super().read(index))

    def stack(self, name: str | None = None) -> Any:
        """All rows in one tensor."""
        return as_tensor(super().stack())

    def concat(self, name: str | None = None) -> Any:
        """The rows one after the other, along their first axis."""
        return as_tensor(super().concat())

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The rows at `indices`."""
        return as_tensor(super().gather(as_tensor(indices)))

    def size(self, name: str | None = None) -> Any:
        """Number of rows, an int32 scalar."""
        return cast(super().size(), np.int32)
