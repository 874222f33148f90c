"""What a namespace lists, and what it answers for a name that it does not serve."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import autograph as ag
from runtime.forks import imported

__all__ = ["serve"]

_KERAS = "Keras 3 on this runtime is not there yet"
_CALLS = (
    "plain Python calls in a tf.function run at each call as they are written; where the graph "
    "computes with what they give, use ag.py_call (import autograph as ag)"
)
_GRADIENTS = (
    "there are no types of operations to give a gradient to: tf.custom_gradient gives a function "
    "its gradient, tf.stop_gradient none"
)
_DENSE = "tensors are dense; segments of rows are summed by tf.math.segment_sum and its kin"
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
    "py_function": _CALLS,
    "numpy_function": _CALLS,
    "RegisterGradient": _GRADIENTS,
    "no_gradient": _GRADIENTS,
    "gradients": "ask a tf.GradientTape, or ag.grad",
    "hessians": "ask a tf.GradientTape twice, or ag.hessian",
    "Graph": "graphs are made by tf.function; f.get_concrete_function(...).graph is one",
    "SparseTensor": _DENSE,
    "sparse": _DENSE,
    "RaggedTensor": _DENSE,
    "ragged": _DENSE,
    "data": "datasets are not there yet",
    "raw_ops": "operations have the names of tf and its namespaces",
    "bfloat16": "NumPy has no such dtype; use tf.float16 or tf.float32",
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


def serve(served: dict[str, Any]) -> None:
    """Make the module of the globals `served` list its `__all__` and answer for other names.

    A namespace in `__all__` that is not there yet is imported when it is first asked for. Both
    functions are set from here, where type checkers do not see them: to those, a name that is not
    served is a mistake.
    """
    module, names = served["__name__"], served["__all__"]

    def answer(name: str) -> Any:
        if name in names:
            return imported(f"{module}.{name}")
        space = module.removeprefix("autograph.")
        if name.startswith("__"):
            raise AttributeError(f"module {space!r} has no attribute {name!r}")
        # With an object that is None, Python adds no guess of its own to the advice.
        raise AttributeError(
            f"{space}.{name} is not served{_advice(name, names)}", name=name, obj=None
        )

    served["__getattr__"] = answer
    served["__dir__"] = lambda: sorted(names)


def _advice(name: str, names: Sequence[str]) -> str:
    if name in _ABSENT:
        return f": {_ABSENT[name]}"
    if name in _ELSEWHERE:
        return f"; use {_ELSEWHERE[name]}"
    ours = next((n for n in (name, name.removeprefix("reduce_")) if n in ag.__all__), None)
    if ours is not None:
        return f"; ag.{ours} may do, with NumPy's meaning (import autograph as ag)"
    close = difflib.get_close_matches(name, names, 4)
    if close:
        return f"; there is {', '.join(close)}"
    return "; docs/guide/tensorflow.md lists what is, dir() too"
