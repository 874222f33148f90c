"""Tensors, variables, scopes and control flow, by the names that Keras gives them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.name_scope import name_scope
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.backend.common.symbolic_scope import SymbolicScope

import autograph as ag
from autograph.keras.users import eagerly
from runtime import trace
from runtime.building import Builder, building, traced
from runtime.ops.declaration.operands import type_of
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = [
    "IS_THREAD_SAFE", "SUPPORTS_COMPLEX_DTYPES", "SUPPORTS_RAGGED_TENSORS",
    "SUPPORTS_SPARSE_TENSORS", "Variable", "associative_scan", "cast", "common_dtype",
    "compute_output_spec", "cond", "convert_to_numpy", "convert_to_tensor", "custom_gradient",
    "device_scope", "dtype_of", "eagerly", "fori_loop", "in_graph", "is_tensor", "map",
    "name_scope", "random_seed_dtype", "remat", "scan", "scatter", "scatter_update", "shape",
    "slice", "slice_update", "stop_gradient", "switch", "unstack", "vectorized_map", "while_loop",
]  # fmt: skip

SUPPORTS_SPARSE_TENSORS = False
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True


def in_graph() -> bool:
    """Whether a graph is being traced."""
    return building() is not None


class Variable(KerasVariable):
    """A Keras variable, whose content is an `ag.Variable`.

    Its first value is computed at once, also where a layer is built while a graph is traced.
    """

    # Of its content, and of the tensors that reading it gives outside of graphs.
    content_class: ClassVar[type[ag.Variable]] = ag.Variable
    tensor_class: ClassVar[type[Tensor]] = Tensor

    def _initialize(self, value: Any) -> None:
        self._value = self.content_class(
            value, dtype=self._dtype, trainable=self._trainable, name=self._name
        )

    def _initialize_with_initializer(self, initializer: Callable[..., Any]) -> None:
        with eagerly():
            super()._initialize_with_initializer(initializer)

    def _direct_assign(self, value: Any) -> None:
        self._value.assign(value)

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        return convert_to_tensor(value, dtype=dtype)

    def _maybe_autocast(self, value: Any) -> Any:
        """`value`: the variable itself, which gradients are with respect to, or a tensor of it."""
        found = super()._maybe_autocast(value)
        is_content = isinstance(found, ag.Variable) or in_graph()
        return found if is_content else found.of_class(self.tensor_class)

    def __ag_variable__(self) -> ag.Variable:
        """What gradients are with respect to."""
        return self._value

    def read_value(self) -> Any:
        """What operations compute with."""
        value = self.value
        value = value.read_value() if isinstance(value, ag.Variable) else value
        return value if in_graph() else value.of_class(self.tensor_class)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(convert_to_numpy(self.value), dtype=dtype)

    def numpy(self) -> Any:
        """The content as an array of its own, in a graph too."""
        return self._value.numpy() if in_graph() else super().numpy()


def dtype_of(x: Any) -> Any:
    """What decides the dtype of a result: a dtype, or the Python type of a number."""
    if isinstance(x, Tensor) and x.is_weak:
        return {"b": bool, "i": int, "f": float, "c": complex}[x.dtype.kind]
    return getattr(x, "dtype", None) or type(x)


def common_dtype(*xs: Any) -> str:
    """The dtype that Keras gives a result of operands, dtypes, and Python numbers and types."""
    found: str = result_type(*[x if isinstance(x, (str, type)) else dtype_of(x) for x in xs])
    return found


def convert_to_tensor(
    x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None
) -> Any:
    """A tensor of numbers, nested lists, arrays, variables; in `dtype`, else in its own."""
    if sparse or ragged:
        raise ValueError("`sparse=True` and `ragged=True` are not supported: tensors are dense")
    if isinstance(x, (Variable, ag.Variable)):
        x = x.read_value()
    if isinstance(x, Tensor):
        if dtype is None:
            return ag.astype(x, common_dtype(x)) if x.is_weak else x
        dtype = standardize_dtype(dtype)
        return x if x.dtype == dtype and not x.is_weak else ag.astype(x, dtype)
    if dtype is not None:
        dtype = standardize_dtype(dtype)
    if isinstance(x, (list, tuple)):
        leaves = tree.flatten(x)
        if any(isinstance(leaf, (Tensor, KerasVariable, ag.Variable)) for leaf in leaves):
            dtype = dtype or common_dtype(*leaves)
            return ag.stack([convert_to_tensor(part, dtype) for part in x])
        dtype = dtype or (common_dtype(*leaves) if leaves else "float32")
    elif dtype is None:
        dtype = common_dtype(x) if isinstance(x, (bool, int, float, complex)) else None
        dtype = dtype or standardize_dtype(np.asarray(x).dtype)
    return ag.constant(np.asarray(x).astype(dtype))


def convert_to_numpy(x: Any) -> Any:
    """An array of its own with the content of a tensor or variable."""
    if isinstance(x, KerasVariable):
        x = x.value
    return np.array(x.numpy() if isinstance(x, (Tensor, ag.Variable)) else x)


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor, computed or to be computed."""
    return isinstance(x, (Tensor, ag.Variable))


def shape(x: Any) -> Any:
    """The size of each axis."""
    return tuple(x.shape)


def cast(x: Any, dtype: Any) -> Any:
    """The tensor in another dtype."""
    return convert_to_tensor(x, dtype=dtype)


# ---- shapes without values -------------------------------------------------------------------

# Sizes that stand for one that is not known: what is both at once depends on none.
_STAND_INS = (83, 89)


def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Shapes and dtypes of what a function gives for symbolic tensors: it is traced, not run.

    An unknown dimension is traced with two sizes: what differs in the result is unknown, too. Where
    neither fits the sizes that are known, it is traced as one that is not known.
    """
    symbolic = [x for x in tree.flatten((args, kwargs)) if isinstance(x, KerasTensor)]
    is_open = any(None in x.shape for x in symbolic)
    try:
        first = _traced_with(_STAND_INS[0], fn, args, kwargs)
    except ValueError:
        if not is_open:
            raise
        return _traced_with(None, fn, args, kwargs)
    if not is_open:
        return first
    second = _traced_with(_STAND_INS[1], fn, args, kwargs)
    flat = [_agreed(x, y) for x, y in zip(tree.flatten(first), tree.flatten(second), strict=True)]
    return tree.pack_sequence_as(first, flat)


def _agreed(x: Any, y: Any) -> Any:
    if not isinstance(x, KerasTensor):
        return x
    dims = [n if n == m else None for n, m in zip(x.shape, y.shape, strict=True)]
    return KerasTensor(dims, x.dtype)


class _OfSpecs(StatelessScope):
    """Variables keep their content within this: only sizes and dtypes are asked for.

    What the body of a branch or loop assigns is of the graph of that body alone.
    """

    def add_update(self, update: Any) -> None:
        """Do nothing."""


def _traced_with(
    size: int | None, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    # Of a trace that is open, what the function closes over can be captured.
    builder = Builder("spec", building())

    def placeholder(x: Any) -> Any:
        if not isinstance(x, (KerasTensor, Tensor)):
            return x
        shape: Any = x.type.shape if isinstance(x, Tensor) else x.shape
        dims = tuple(size if n is None else n for n in shape)
        return traced(builder.input(TensorType(np.dtype(x.dtype), dims)))

    with _OfSpecs(), SymbolicScope(), trace.interpreting(builder):
        args, kwargs = tree.map_structure(placeholder, (args, kwargs))
        return tree.map_structure(_spec, fn(*args, **kwargs))


def _spec(x: Any) -> Any:
    if not is_tensor(x):
        return x
    return KerasTensor(type_of(x).shape, standardize_dtype(x.dtype))


# ---- control flow ----------------------------------------------------------------------------


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """`true_fn()` or `false_fn()`; in a graph, one of two branches."""
    if isinstance(pred, KerasVariable):
        pred = pred.value
    return ag.cond(pred, lambda: _read(true_fn()), lambda: _read(false_fn()))


def _read(made: Any) -> Any:
    """What a function gives, with tensors for variables: another branch gives new values."""

    def content(x: Any) -> Any:
        return x.read_value() if isinstance(x, (Variable, ag.Variable)) else x

    return tree.map_structure(content, made)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """The result of the branch with a number, the first or last where there is none."""
    index = ag.clip(convert_to_tensor(index, "int32"), 0, len(branches) - 1)
    return ag.switch_case(index, [lambda one=one: _read(one(*operands)) for one in branches])


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    maximum_iterations: int | None = None,
) -> Any:
    """The variables after as many rounds of `body` as `cond` holds."""
    is_several = isinstance(loop_vars, (tuple, list))
    values = tuple(loop_vars) if is_several else (loop_vars,)
    values = tree.map_structure(convert_to_tensor, values)
    dtypes = tree.map_structure(lambda x: x.dtype, values)

    def step(*now: Any) -> Any:
        made = body(*now)
        made = tuple(made) if isinstance(made, (tuple, list)) else (made,)
        return tree.map_structure_up_to(dtypes, convert_to_tensor, made, dtypes)

    last = tuple(ag.while_loop(cond, step, values, maximum_iterations))
    return last if is_several else last[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    """The value after `body_fun(i, value)` for each integer from `lower` up to `upper`."""

    def step(i: Any, value: Any) -> Any:
        return i + 1, body_fun(i, value)

    start = convert_to_tensor(lower, "int32")
    last = while_loop(lambda i, value: i < upper, step, (start, init_val))
    return last[1]


def map(f: Callable[..., Any], xs: Any) -> Any:
    """The results of a function for each row of its argument, stacked."""
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]


def scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> Any:
    """The last carry of `carry, y = f(carry, x)` over rows of `xs`, and all `y`, stacked.

    `unroll` is taken and changes nothing: loops are compiled.
    """
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not _is_unroll(unroll):
        raise ValueError(
            f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}"
        )
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    init = tree.map_structure(convert_to_tensor, init)
    xs = None if xs is None else tree.map_structure(convert_to_tensor, xs)

    def step(carry: Any, x: Any) -> Any:
        carry, y = _read(f(carry, x))
        return carry, carry if y is None else y

    return ag.scan(step, init, xs, length, reverse)


def _is_unroll(n: Any) -> bool:
    return isinstance(n, bool) or (isinstance(n, int) and n > 0)


def associative_scan(
    f: Callable[..., Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """All results of an associative function over the first elements, first two, three, ..."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    elems = tree.map_structure(convert_to_tensor, elems)
    sizes = [x.shape for x in tree.flatten(elems)]
    if any(size[axis] != sizes[0][axis] for size in sizes):
        raise ValueError(
            f"Array inputs to associative_scan must have the same first dimension. (saw: {sizes})"
        )
    return ag.associative_scan(f, elems, reverse, axis)


def vectorized_map(function: Callable[..., Any], elements: Any) -> Any:
    """The results of a function for each row of its argument, computed together."""
    elements = tree.map_structure(convert_to_tensor, elements)
    return ag.vmap(lambda row: _read(function(row)))(elements)


# ---- parts of tensors ------------------------------------------------------------------------


def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Zeros of a shape, with values added at indices, which lie along the last axis."""
    values = convert_to_tensor(values)
    zeros = ag.zeros(tuple(shape), dtype=values.dtype)
    return ag.index_add(zeros, values, _columns(indices))


def _columns(indices: Any) -> tuple[Any, ...]:
    """An index for each axis, of an array that holds them along its last."""
    indices = convert_to_tensor(indices)
    if indices.dtype.kind != "i":
        indices = ag.astype(indices, "int64")
    return tuple(indices[..., k] for k in range(indices.shape[-1]))


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Any:
    """The inputs with rows replaced by updates, or reduced with them."""
    inputs = convert_to_tensor(inputs)
    updates = convert_to_tensor(updates, inputs.dtype)
    key = _columns(indices)
    if reduction is None:
        return ag.index_update(inputs, updates, key)
    if reduction == "add":
        return ag.index_add(inputs, updates, key)
    if reduction not in _REDUCTIONS:
        raise ValueError(f"Unsupported reduction: {reduction}")
    made = ag.copy(inputs)
    _REDUCTIONS[reduction].at(made, key, updates)
    return made


_REDUCTIONS = {"max": np.maximum, "min": np.minimum, "mul": np.multiply}


def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """The block of a shape that begins at a position."""
    inputs = convert_to_tensor(inputs)
    sizes = [size - s if n == -1 else n for n, s, size in
             zip(shape, start_indices, inputs.shape, strict=True)]  # fmt: skip
    return inputs[_block(start_indices, sizes)]


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """The inputs with the block that begins at a position replaced."""
    inputs = convert_to_tensor(inputs)
    updates = convert_to_tensor(updates, inputs.dtype)
    return ag.index_update(inputs, updates, _block(start_indices, updates.shape))


def _block(starts: Any, sizes: Sequence[Any]) -> tuple[Any, ...]:
    """The index of a block: slices where it begins at known places, else arrays of positions."""
    starts = [int(s) if not is_tensor(s) or s.is_known else s for s in starts]
    if not any(is_tensor(s) for s in starts):
        return tuple(builtins.slice(s, s + n) for s, n in zip(starts, sizes, strict=True))
    return ag.ix_(*(ag.arange(n) + s for s, n in zip(starts, sizes, strict=True)))


def unstack(x: Any, num: int | None = None, axis: int = 0) -> list[Any]:
    """The parts of a tensor along an axis."""
    return list(ag.unstack(convert_to_tensor(x), axis=axis))


# ---- the rest --------------------------------------------------------------------------------


def stop_gradient(variable: Any) -> Any:
    """The same value, through which no gradient flows."""
    return ag.stop_gradient(convert_to_tensor(variable))


def random_seed_dtype() -> str:
    """The dtype of the state of a seed generator."""
    return "uint32"


class custom_gradient:
    """A function whose gradient is that of the second thing it gives."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun
        self._call = ag.custom_gradient(fun)

    def __get__(self, instance: Any, owner: Any = None) -> Callable[..., Any]:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple(x.value if isinstance(x, KerasVariable) else x for x in args)
        return self._call(*args, **kwargs)


def remat(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose values the gradient computes again instead of keeping them."""
    return ag.recompute_grad(f)


def device_scope(device_name: Any) -> AbstractContextManager[Any]:
    """A context in which tensors are made on a device, as "cpu:0" or "gpu:0"."""
    if not isinstance(device_name, str):
        raise ValueError(
            "Invalid value for argument `device_name`. Expected a string like 'gpu:0'. "
            f"Received: device_name='{device_name}'"
        )
    name = device_name.lower()
    return ag.device(name if name.startswith("/") else f"/{name}")
