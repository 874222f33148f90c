"""What a namespace answers for a name that it does not serve."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NoReturn

import autograph as ag

__all__ = ["missing"]

_KERAS = "Keras 3 on this runtime is not there yet"
_ABSENT = {
    "keras": _KERAS,
    "layers": _KERAS,
    "losses": _KERAS,
    "metrics": _KERAS,
    "optimizers": _KERAS,
    "estimator": "estimators are not there; TensorFlow 2.16 has removed them too",
    "string": "tensors hold numbers, not text",
    "strings": "tensors hold numbers, not text",
    "Session": "there are no sessions: call functions",
    "placeholder": "there are no placeholders: arguments of a tf.function are inputs of its graph",
    "compat": "there is no tf.compat: this is the spelling of TensorFlow 2",
    "py_function": "plain Python calls in a tf.function run at each call as they are written",
    "numpy_function": "plain Python calls in a tf.function run at each call as they are written",
}
_ELSEWHERE = {
    "reduce_std": "tf.math.reduce_std",
    "reduce_variance": "tf.math.reduce_variance",
    "log": "tf.math.log",
    "log1p": "tf.math.log1p",
    "erf": "tf.math.erf",
    "softmax": "tf.nn.softmax",
    "relu": "tf.nn.relu",
    "inv": "tf.linalg.inv",
    "to_float": "tf.cast(x, tf.float32)",
    "to_int32": "tf.cast(x, tf.int32)",
    "random_uniform": "tf.random.uniform",
    "random_normal": "tf.random.normal",
    "assign": "variable.assign",
    "diag": "tf.linalg.diag",
    "is_nan": "tf.math.is_nan",
}


def missing(space: str, served: dict[str, Any]) -> Callable[[str], NoReturn]:
    """The `__getattr__` of the namespace `space`, whose globals are `served`."""

    def answer(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"module {space!r} has no attribute {name!r}")
        raise AttributeError(f"{space}.{name} is not served{_advice(name, served)}")

    return answer


def _advice(name: str, served: dict[str, Any]) -> str:
    if name in _ABSENT:
        return f": {_ABSENT[name]}"
    if name in _ELSEWHERE:
        return f"; use {_ELSEWHERE[name]}"
    ours = next((n for n in (name, name.removeprefix("reduce_")) if n in ag.__all__), None)
    if ours is not None:
        return f"; ag.{ours} may do, with NumPy's meaning (import autograph as ag)"
    close = difflib.get_close_matches(name, served.get("__all__", ()), 4)
    if close:
        return f"; there is {', '.join(close)}"
    return "; docs/guide/tensorflow.md lists what is, dir() too"
