"""`tf.debugging`: checks that hold in eager code and in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.debugging import disable_check_numerics, enable_check_numerics
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.values.templates import lazy
from autograph.tf.errors import InvalidArgumentError
from autograph.tf.names import serve
from autograph.tf.tensor_shape import TensorShape
from autograph.tf.tensors import as_tensor, is_tensor, operands
from runtime import ops
from runtime.structure.templates import summary

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "enable_check_numerics",
    "is_numeric_tensor",
]


def _check(holds: Any, text: Callable[[], Any]) -> None:
    """Raise InvalidArgumentError unless `holds`; in a graph, when it runs."""

    def fail() -> None:
        raise InvalidArgumentError(text())

    if_exp(holds, lambda: None, fail, "condition")


def _shown(x: Any) -> Any:
    """The elements of a value; a piece of later text where they are known only then."""
    x = as_tensor(x)
    return summary(np.asarray(x.numpy()), 3) if x.is_known else (x, -1, None)


def _joined(pieces: list[Any]) -> Any:
    """One text, which is made when the graph runs where some piece is."""
    return "".join(pieces) if all(isinstance(p, str) for p in pieces) else lazy(tuple(pieces))


def _text(message: Any, fact: str, *values: Any) -> Callable[[], Any]:
    def text() -> Any:
        pieces: list[Any] = [f"{message}\n{fact}" if message else fact]
        for name, value in zip("xy", values, strict=False):
            pieces += [f"\n{name}: ", _shown(value)]
        return _joined(pieces)

    return text


def Assert(condition: Any, data: Any, summarize: int | None = None, name: Any = None) -> None:
    """Raise InvalidArgumentError, with `data`, unless `condition` is true.

    >>> import autograph.tf as tf
    >>> tf.debugging.Assert(tf.constant(1) > 2, [tf.constant(3)])
    Traceback (most recent call last):
    autograph.tf.errors.InvalidArgumentError: assertion failed: 3
    """

    def text() -> Any:
        pieces: list[Any] = ["assertion failed:"]
        for part in data:
            pieces += [" ", part if isinstance(part, str) else _shown(part)]
        return _joined(pieces)

    _check(ops.all(as_tensor(condition)), text)


def _said(message: Any, fact: str) -> str:
    """The user's message before the fact."""
    return f"{message}: {fact}" if message else fact


def _comparison(name: str, sign: str, compare: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def check(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
        first, second = operands(x, y)
        holds = ops.all(compare(as_tensor(first), second))
        _check(holds, _text(message, f"Condition x {sign} y did not hold.", x, y))

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise InvalidArgumentError unless `x {sign} y` for all elements.

    >>> import autograph.tf as tf
    >>> tf.debugging.{name}(*{_FINE[name]})
    """
    return check


_FINE = {
    "assert_equal": "(1, 1)",
    "assert_none_equal": "(1, 2)",
    "assert_greater": "(2, 1)",
    "assert_greater_equal": "(2, 1)",
    "assert_less": "(1, 2)",
    "assert_less_equal": "(1, 2)",
}
assert_equal = _comparison("assert_equal", "==", ops.equal)
assert_none_equal = _comparison("assert_none_equal", "!=", ops.not_equal)
assert_greater = _comparison("assert_greater", ">", ops.greater)
assert_greater_equal = _comparison("assert_greater_equal", ">=", ops.greater_equal)
assert_less = _comparison("assert_less", "<", ops.less)
assert_less_equal = _comparison("assert_less_equal", "<=", ops.less_equal)


def _against_zero(name: str, sign: str, compare: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def check(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
        holds = ops.all(compare(as_tensor(x), 0))
        _check(holds, _text(message, f"Condition x {sign} 0 did not hold element-wise:", x))

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise InvalidArgumentError unless `x {sign} 0` for all elements.

    >>> import autograph.tf as tf
    >>> tf.debugging.{name}({"1" if ">" in sign else "-1"})
    """
    return check


assert_positive = _against_zero("assert_positive", ">", ops.greater)
assert_negative = _against_zero("assert_negative", "<", ops.less)
assert_non_negative = _against_zero("assert_non_negative", ">=", ops.greater_equal)
assert_non_positive = _against_zero("assert_non_positive", "<=", ops.less_equal)


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, message: Any = None, summarize: Any = None,
    name: Any = None,
) -> None:  # fmt: skip
    """Raise InvalidArgumentError unless `|x - y| <= atol + rtol * |y|`; 10 epsilons unless said.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_near(1.0, 1.0 + 1e-7)
    """
    x, y = (as_tensor(v) for v in operands(x, y))
    least = 10 * np.finfo(x.dtype).eps if x.dtype.kind == "f" else 0.0
    rtol, atol = least if rtol is None else rtol, least if atol is None else atol
    holds = ops.all(ops.abs(x - y) <= atol + rtol * ops.abs(y))
    _check(holds, _text(message, "x and y not equal to tolerance", x, y))


def check_numerics(tensor: Any, message: str, name: Any = None) -> Any:
    """`tensor`; raises InvalidArgumentError where it has a nan or an infinity.

    >>> import autograph.tf as tf
    >>> tf.debugging.check_numerics([1.0, float("inf")], "loss")
    Traceback (most recent call last):
    autograph.tf.errors.InvalidArgumentError: loss : Tensor had NaN or Inf values
    """
    x = as_tensor(tensor)
    _check(ops.all(ops.isfinite(x)), lambda: f"{message} : Tensor had NaN or Inf values")
    return x


def assert_all_finite(x: Any, message: str, name: Any = None) -> Any:
    """The same.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_all_finite(1.0, "loss").numpy()
    np.float32(1.0)
    """
    return check_numerics(x, message)


# ---- of what is known at once ------------------------------------------------------------------


def assert_rank(x: Any, rank: Any, message: Any = None, name: Any = None) -> None:
    """Raise ValueError unless `x` has so many axes.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_rank([1, 2], 1)
    """
    assert_rank_in(x, (rank,), message)


def assert_rank_at_least(x: Any, rank: Any, message: Any = None, name: Any = None) -> None:
    """Raise ValueError unless `x` has so many axes or more.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_rank_at_least([[1]], 1)
    """
    found = as_tensor(x).ndim
    if found < int(rank):
        raise ValueError(
            f"{message or ''} x must have rank at least {rank}, but has {found}".strip()
        )


def assert_rank_in(x: Any, ranks: Any, message: Any = None, name: Any = None) -> None:
    """Raise ValueError unless the number of axes of `x` is among `ranks`.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_rank_in([1, 2], (1, 2))
    """
    found, wanted = as_tensor(x).ndim, [int(r) for r in ranks]
    if found not in wanted:
        text = " or ".join(map(str, wanted))
        raise ValueError(_said(message, f"x must have rank {text}, but has {found}"))


def assert_scalar(tensor: Any, message: Any = None, name: Any = None) -> Any:
    """`tensor`; raises ValueError unless it has no axes.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_scalar(1).numpy()
    np.int32(1)
    """
    assert_rank(tensor, 0, message)
    return as_tensor(tensor)


def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: Any = None) -> None:
    """Raise TypeError unless the dtype is this one.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_type(tf.constant(1), tf.int32)
    """
    found = as_tensor(tensor).dtype
    if found != np.dtype(tf_type):
        raise TypeError(
            f"{message or ''} tensor must be of {np.dtype(tf_type)}, not {found}".strip()
        )


def assert_integer(x: Any, message: Any = None, name: Any = None) -> None:
    """Raise TypeError unless the dtype is an integer type.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_integer(1)
    """
    found = as_tensor(x).dtype
    if found.kind not in "iu":
        raise TypeError(_said(message, f"an integer tensor is wanted, not {found}"))


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """The common dtype; raises ValueError unless all are of one floating dtype.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0)])
    dtype('float32')
    """
    found = {as_tensor(t).dtype for t in tensors or ()} | ({np.dtype(dtype)} if dtype else set())
    if len(found) > 1 or any(d.kind != "f" for d in found):
        raise ValueError(f"one floating dtype is wanted, not {sorted(map(str, found))}")
    return next(iter(found), np.dtype(np.float32))


def assert_shapes(
    shapes: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None
) -> None:
    """Raise ValueError unless tensors have the shapes beside them; names stand for equal sizes.

    >>> import autograph.tf as tf
    >>> tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", 3)), (tf.zeros([2]), ("N",))])
    """
    known: dict[str, Any] = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        found = TensorShape(as_tensor(x).shape).as_list()
        axes = tuple(wanted)
        if len(axes) != len(found):
            raise ValueError(
                f"{message or ''} shape {found} does not have {len(axes)} axes".strip()
            )
        for size, axis in zip(found, axes, strict=True):
            expected = known.setdefault(axis, size) if isinstance(axis, str) else axis
            if None not in (size, expected) and size != expected:
                fact = f"shape {found}: the size of axis {axis!r} must be {expected}, but is {size}"
                raise ValueError(_said(message, fact))


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers.

    >>> import autograph.tf as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant(1))
    True
    """
    return is_tensor(tensor) and tensor.dtype.kind in "iufc"


serve(globals())
