"""`tf.function`: a Function whose arguments and results are tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from autograph.functions import BoundFunction
from autograph.functions import Function as AnyFunction
from autograph.tf.tensors import Array, Tensor, as_results, as_tensor
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.options import FunctionOptions, check_options
from autograph.tracing.signature import Arguments, IntPolicy
from autograph.tracing.tracebacks import shortened
from runtime.structure import tree
from runtime.tensor import Tensor as AnyTensor

__all__ = ["Function", "function"]

P = ParamSpec("P")
R = TypeVar("R")
_ARRAYS = (np.ndarray, np.number, np.bool_)


def _argument(x: Any) -> Any:
    is_array = isinstance(x, _ARRAYS) or (isinstance(x, AnyTensor) and type(x) is not Tensor)
    return as_tensor(x) if is_array else x


def _arguments(nest: Any) -> Any:
    """Arrays among arguments as tensors; what holds none is passed on itself."""
    leaves, structure = tree.flatten(nest)
    made = [_argument(x) for x in leaves]
    if all(a is b for a, b in zip(leaves, made, strict=True)):
        return nest
    return tree.unflatten(structure, made)


def _named(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: _arguments(x) for name, x in arguments.items()}


class Function(AnyFunction[P, R]):
    """A Python function as TensorFlow graphs: made by `tf.function`.

    Arrays that are passed become tensors, Python numbers are constants of a graph of their own,
    `print` prints while tracing, and all numbers that come back are tensors.

    >>> import autograph.tf as tf
    >>> @tf.function
    ... def square(x):
    ...     print("Tracing!")
    ...     return x * x
    >>> print(square(tf.constant(2)), square(tf.constant(3)))
    Tracing!
    tf.Tensor(4, shape=(), dtype=int32) tf.Tensor(9, shape=(), dtype=int32)
    """

    _stands_for_tensors = True
    _tensor_class = Tensor
    _array_class = Array

    def __init__(self, target: Callable[P, R], options: FunctionOptions) -> None:
        super().__init__(target, options)
        self._policy = IntPolicy(set(), set(), {}, by_value=True, closed=None)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the graph of the arguments' signature, traced first if it is new."""
        for x in args:
            if type(x) is not Tensor:
                break
        else:
            if not kwargs:
                return super().__call__(*args, **kwargs)
        return super().__call__(*map(_arguments, args), **_named(kwargs))

    def _conform(self, bound: dict[str, Any]) -> dict[str, Any]:
        return _named(super()._conform(bound))

    def _with_new_ints(self, bound: dict[str, Any], arguments: Arguments) -> Arguments:
        return arguments  # a number stays a constant, however many there are

    def _callable(self) -> Callable[..., Any]:
        inner = super()._callable()

        def of_tensors(*args: Any, **kwargs: Any) -> Any:
            return as_results(inner(*map(_arguments, args), **_named(kwargs)))

        return of_tensors

    def _run_unstaged(
        self, concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if concrete._traced.notes:  # a call that Python alone can do
            return self._run_python(args, kwargs)
        return concrete.run([None] * len(concrete._traced.arguments.inputs()))

    def _run_python(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return as_results(super()._run_python(args, kwargs))

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for arguments like these: values, or a `TensorSpec` in a tensor's place."""
        return super().get_concrete_function(*map(_arguments, args), **_named(kwargs))


def function(
    func: Any = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Turn a Python callable into graphs, one per signature of its arguments.

    As a decorator with or without options, or as a function of any callable. `input_signature`
    makes all calls share one graph; `reduce_retracing` leaves dimensions open that come with a
    second size; `autograph=False` traces without converting. `jit_compile` is taken and changes
    nothing: graphs are compiled as well as we can anyway.

    >>> import autograph.tf as tf
    >>> relu = tf.function(lambda x: x if x > 0 else 0)
    >>> relu(tf.constant(-1.5))
    <tf.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    options = check_options(
        {
            "input_signature": input_signature,
            "autograph": autograph,
            "reduce_retracing": reduce_retracing,
            "prints": "trace",
            "returns": "tensor",
            "jit_compile": jit_compile,
            "experimental_implements": experimental_implements,
            "experimental_autograph_options": experimental_autograph_options,
            "experimental_attributes": experimental_attributes,
            "experimental_relax_shapes": bool(experimental_relax_shapes),
            "experimental_compile": experimental_compile,
            "experimental_follow_type_hints": experimental_follow_type_hints,
        }
    )
    if func is None:
        return lambda target: _decorated(target, options)
    return _decorated(func, options)


def _decorated(target: Any, options: FunctionOptions) -> Any:
    if isinstance(target, (staticmethod, classmethod)):
        return type(target)(_decorated(target.__func__, options))
    if isinstance(target, AnyFunction):
        target = target.python_function
    if isinstance(target, BoundFunction):
        return BoundFunction(_decorated(target.__func__, options), target.__self__)
    if not callable(target):
        raise TypeError(f"tf.function takes a callable, not {target!r}")
    with shortened():
        return Function(target, options)
