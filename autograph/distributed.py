"""Several processes as one computation: `ag.distributed`, by MPI.

    mpiexec -n 4 python train.py

runs a program four times, in processes that are numbered: its ranks. What they exchange are
operations with gradients: in a graph they are ordered effects, as in the program. A process that
no launcher started is rank 0 of 1, for which an exchange gives what it is given.

>>> import autograph as ag
>>> x = np.arange(3.0)
>>> total = ag.distributed.allreduce(x)  # `mpiexec -n 4`: 4 * x
>>> bool((total == ag.distributed.size() * x).all())
True
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar, cast, get_args

from autograph.operators.calls.calls import converted_call
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from runtime import ops
from runtime.building import building
from runtime.ops import collectives
from runtime.ops.declaration.operands import shape_of
from runtime.process.ranks import DistributedError, ranks
from runtime.structure import tree

__all__ = [
    "DistributedError",
    "DistributedOptimizer",
    "allgather",
    "allreduce",
    "barrier",
    "broadcast",
    "broadcast_variables",
    "local_rank",
    "rank",
    "size",
]

Reduction = Literal["sum", "mean", "max", "min"]
Optimizer = TypeVar("Optimizer")
_SCOPE = FunctionScope("call", "fscope", ConversionOptions(user_requested=True))


def rank() -> int:
    """The number of this process among those that compute together, from 0 on.

    It is a number of Python's: a graph, and a program that is saved, keeps it as it is.

    >>> import autograph as ag
    >>> ag.distributed.rank()
    0
    """
    return ranks().rank


def size() -> int:
    """The number of processes that compute together; 1 where no launcher started the program.

    Raises DistributedError where a launcher did, and mpi4py is missing or uses another MPI.

    >>> import autograph as ag
    >>> ag.distributed.size()
    1
    """
    return ranks().size


def local_rank() -> int:
    """The number of this process among those on its machine: which GPU it may take.

    >>> import autograph as ag
    >>> ag.distributed.local_rank()
    0
    """
    return ranks().local_rank


def allreduce(x: Any, op: Reduction = "sum") -> Any:
    """The sum, mean, maximum or minimum over ranks of arrays in a nest; None in it stays None.

    Dtypes and shapes are the same on all ranks, else DistributedError. Integers of a sum wrap; the
    mean of integers is float64; maxima are nan where one rank has nan. Raises TypeError for sums of
    bools and for maxima of complex numbers. The gradient is that of the sum over ranks.

    >>> import autograph as ag
    >>> gradients = [np.ones((2, 2)), None, 3.0]
    >>> first, _, last = ag.distributed.allreduce(gradients, op="mean")
    >>> first.shape, last.item()
    ((2, 2), 3.0)
    """
    if op not in get_args(Reduction):
        raise ValueError(f"op is one of {', '.join(map(repr, get_args(Reduction)))}, not {op!r}")
    if op in ("max", "min"):
        return _each(lambda *xs: [collectives.allreduce_extreme(x, reduce=op) for x in xs], x)
    return _each(lambda *xs: collectives.allreduce(*xs, reduce=op), x)


def broadcast(x: Any, root: int = 0) -> Any:
    """The arrays in a nest that rank `root` has; those of the others have its dtypes and shapes.

    Raises ValueError where there is no such rank. The gradient reaches `root`, from all ranks.

    >>> import autograph as ag
    >>> ag.distributed.broadcast(np.arange(3)).numpy()
    array([0, 1, 2])
    """
    return _each(lambda *xs: collectives.broadcast_from(*xs, root=root), x)


def allgather(x: Any) -> Any:
    """The rows of the arrays of all ranks, in the order of ranks; a number is a row.

    Ranks may have different numbers of rows, so that a graph does not know how many there are.

    >>> import autograph as ag
    >>> ag.distributed.allgather(np.array([[1, 2], [3, 4]])).shape
    (2, 2)
    >>> ag.distributed.allgather(ag.distributed.rank()).numpy()
    array([0])
    """
    return _each(lambda *xs: [collectives.allgather(_as_rows(x)) for x in xs], x)


def barrier() -> None:
    """Wait until all ranks are here.

    >>> import autograph as ag
    >>> ag.distributed.barrier()
    """
    collectives.barrier()


def broadcast_variables(variables: Iterable[Any], root: int = 0) -> None:
    """Assign to each of the variables, of ours or of Keras, what rank `root` has in it.

    >>> import autograph as ag
    >>> w = ag.Variable([1.0, 2.0])
    >>> ag.distributed.broadcast_variables([w])
    """
    found = list(variables)
    for variable, value in zip(
        found, broadcast([ops.asarray(v) for v in found], root), strict=True
    ):
        variable.assign(value)


def DistributedOptimizer(optimizer: Optimizer, op: Reduction = "mean") -> Optimizer:
    """An optimizer whose steps take the mean over ranks of the gradients that each rank gives.

    `optimizer` is one of Keras, or another object with `apply(gradients, ...)` or
    `apply_gradients(pairs)`, and is changed itself; of a function `step(gradients, ...)` it is a
    new one. Raises TypeError for anything else, and for what is distributed already.

    >>> import autograph as ag
    >>> w = ag.Variable(1.0)
    >>> def descend(gradients, variables):
    ...     for g, v in zip(gradients, variables):
    ...         _ = v.assign_sub(0.1 * g)
    >>> step = ag.distributed.DistributedOptimizer(descend)
    >>> step([2.0], [w])
    >>> round(w.numpy().item(), 3)
    0.8
    """
    kind: Any = type(optimizer)
    if hasattr(optimizer, "reduces_gradients"):
        raise TypeError(f"this {kind.__name__} is distributed already")
    for name, make in (("apply", _apply), ("apply_gradients", _apply_gradients)):
        if hasattr(kind, name):
            optimizer.__class__ = _derived(kind, {name: make(getattr(kind, name), op)})
            return optimizer
    if not callable(optimizer):
        raise TypeError(
            f"a {kind.__name__} is no optimizer: it has neither `apply` nor `apply_gradients`, and "
            "cannot be called with gradients"
        )
    return cast(Optimizer, _step(optimizer, op))


def _step(step: Callable[..., Any], op: Reduction) -> Callable[..., Any]:
    @functools.wraps(step)
    def distributed(gradients: Any, *args: Any, **kwargs: Any) -> Any:
        return _call(step, allreduce(gradients, op), *args, **kwargs)

    distributed.reduces_gradients = op  # type: ignore[attr-defined]
    return distributed


def _apply(method: Callable[..., Any], op: Reduction) -> Callable[..., Any]:
    @functools.wraps(method)
    def apply(self: Any, grads: Any, *args: Any, **kwargs: Any) -> Any:
        return _call(method, self, allreduce(list(grads), op), *args, **kwargs)

    return apply


def _apply_gradients(method: Callable[..., Any], op: Reduction) -> Callable[..., Any]:
    @functools.wraps(method)
    def apply_gradients(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        found = allreduce([gradient for gradient, _ in pairs], op)
        mended = [(new, variable) for new, (_, variable) in zip(found, pairs, strict=True)]
        return _call(method, self, mended, *args, **kwargs)

    return apply_gradients


def _derived(kind: Any, methods: dict[str, Any]) -> Any:
    """A class with other methods, which files and messages name as the user's."""
    names = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(kind)(kind.__name__, (kind,), {**names, **methods, "reduces_gradients": True})


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A call of the user's function: in a graph, of the converted function."""
    if building() is None:
        return function(*args, **kwargs)
    return converted_call(function, args, kwargs, _SCOPE)


def _each(exchange: Callable[..., Any], nest: Any) -> Any:
    """A nest of what an exchange gives for its arrays, all of them at once."""
    leaves, structure = tree.flatten(nest)
    given = [k for k, x in enumerate(leaves) if x is not None]
    for k, new in zip(given, exchange(*(leaves[k] for k in given)), strict=True):
        leaves[k] = new
    return tree.unflatten(structure, leaves)


def _as_rows(x: Any) -> Any:
    return ops.reshape(x, (1,)) if shape_of(x) == () else x
