"""Code of the user's that Keras calls: converted while a graph is traced, as it is in TensorFlow.

Keras' own modules are traced as they are. What the user writes in a class that derives from one of
Keras' (a layer's `call`, a model's `train_step`), or gives to one (a loss function), may branch and
loop by data. What has no source, as a class that `exec` made, is traced as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any

from autograph.frontend.conversion import left_alone
from autograph.operators.calls.calls import converted_call, traced_as_it_is
from autograph.operators.captured.methods import convert
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from autograph.rules import UNCONVERTED
from runtime import trace
from runtime.building import building
from runtime.eager import Eager

__all__ = ["OF_USERS", "at_once", "eagerly", "of_user"]

_SCOPE = FunctionScope("call", "fscope", ConversionOptions(user_requested=True))
_OWN = frozenset(("keras", "autograph", "runtime"))


def of_user(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's that is converted when it is called while a graph is traced."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if building() is None:
            return function(*args, **kwargs)
        if _has_no_source(function):
            return traced_as_it_is(function, args, kwargs)
        return converted_call(function, args, kwargs, _SCOPE)

    setattr(call, UNCONVERTED, True)
    return call


def eagerly() -> AbstractContextManager[Any]:
    """A context in which operations compute at once, also while a graph is traced."""
    return nullcontext() if building() is None else trace.interpreting(Eager())


def at_once(build: Callable[..., Any]) -> Callable[..., Any]:
    """A method that makes what a layer keeps: not of the graph that calls the layer first."""

    @functools.wraps(build)
    def call(*args: Any, **kwargs: Any) -> Any:
        with eagerly():
            return build(*args, **kwargs)

    return call


def _has_no_source(function: Any) -> bool:
    """Whether it would be converted, but its text is not to be had."""
    if not isinstance(function, FunctionType) or left_alone(function) is not None:
        return False
    return convert(function) is None


def _is_of_user(thing: Any) -> bool:
    module = getattr(thing, "__module__", None) or ""
    return module.partition(".")[0] not in _OWN


def _derived(*methods: str) -> Callable[[type], type]:
    """Have methods of the classes that users derive from one of Keras' converted."""

    def take(cls: type) -> type:
        assert "__init_subclass__" not in vars(cls)

        def init_subclass(made: Any, /, **options: Any) -> None:
            super(cls, made).__init_subclass__(**options)  # type: ignore[arg-type]
            for name in methods:
                function = vars(made).get(name)
                if isinstance(function, FunctionType) and _is_of_user(made):
                    setattr(made, name, of_user(function))
            build = vars(made).get("build")
            if isinstance(build, FunctionType) and not hasattr(build, "_is_default"):
                made.build = at_once(build)

        cls.__init_subclass__ = classmethod(init_subclass)  # type: ignore[assignment]
        return cls

    return take


def _given(method: str, attribute: str) -> Callable[[type], type]:
    """Have a function that an object was given converted where a method of Keras' calls it."""

    def take(cls: type) -> type:
        original = getattr(cls, method)

        @functools.wraps(original)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            function = vars(self).get(attribute)
            if building() is None or not _is_of_user(function):
                return original(self, *args, **kwargs)
            vars(self)[attribute] = of_user(function)
            try:
                return original(self, *args, **kwargs)
            finally:
                vars(self)[attribute] = function

        setattr(cls, method, call)
        return cls

    return take


_STEPS = (
    "call", "train_step", "test_step", "predict_step", "compute_loss", "compute_metrics",
    "update_state", "result", "update_step",
)  # fmt: skip
# By module and name in Keras: what stands there in the place of a class or function, or the class
# itself, which knows of the user's code.
OF_USERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    # Layers, models, losses, metrics and optimizers.
    "keras.src.saving.keras_saveable": {"KerasSaveable": _derived(*_STEPS)},
    "keras.src.optimizers.schedules.learning_rate_schedule": {
        "LearningRateSchedule": _derived("__call__")
    },
    "keras.src.regularizers.regularizers": {"Regularizer": _derived("__call__")},
    "keras.src.constraints.constraints": {"Constraint": _derived("__call__")},
    "keras.src.losses.losses": {"LossFunctionWrapper": _given("call", "fn")},
    "keras.src.metrics.reduction_metrics": {"MeanMetricWrapper": _given("update_state", "_fn")},
    "keras.src.layers.core.lambda_layer": {"Lambda": _given("call", "function")},
    "keras.src.layers.activations.activation": {"Activation": _given("call", "activation")},
}
