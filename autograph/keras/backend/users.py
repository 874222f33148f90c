"""Code of the user's that Keras calls: converted while a graph is traced, as it is in TensorFlow.

Keras' own modules are traced as they are. What the user writes in a class of Keras' (a layer's
`call`, a model's `train_step`), or gives to one (a loss function), may branch and loop by data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.operators.calls.calls import converted_call
from autograph.operators.calls.plain_calls import UNCONVERTED
from autograph.operators.stand_ins.scope import ConversionOptions, FunctionScope
from runtime.building import building

__all__ = ["converted_methods", "of_user"]

_SCOPE = FunctionScope("call", "fscope", ConversionOptions(user_requested=True))
# Methods that Keras calls while a graph is traced, of layers, models, losses, metrics, optimizers.
_METHODS = (
    "call", "train_step", "test_step", "predict_step", "compute_loss", "compute_metrics",
    "update_state", "result", "update_step",
)  # fmt: skip
_OWN = ("keras", "autograph", "runtime")


def _is_of_user(thing: Any) -> bool:
    module = getattr(thing, "__module__", None) or ""
    return module.partition(".")[0] not in _OWN


def converted_methods(cls: type) -> None:
    """Have the methods of a class of the user's converted where they are called in a graph."""
    if not _is_of_user(cls):
        return
    for name in _METHODS:
        function = vars(cls).get(name)
        if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
            setattr(cls, name, of_user(function))


def of_user(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's that is converted when it is called while a graph is traced."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if building() is None:
            return function(*args, **kwargs)
        return converted_call(function, args, kwargs, _SCOPE)

    setattr(call, UNCONVERTED, True)
    return call
