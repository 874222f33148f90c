"""Derivatives of functions: `grad`, `vjp`, `jvp`, `jacobian`, `hessian` and their kin.

They take plain and converted functions, work inside converted functions and nest. A derivative has
the type of the argument it belongs to: ndarray for ndarray, float for float, Tensor for Tensor.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from runtime import ops
from runtime.autodiff.cotangents import is_differentiable
from runtime.autodiff.derived import Derived, PullBack
from runtime.autodiff.rows import for_each, unfolded, units
from runtime.autodiff.stored import Stored, note_made
from runtime.autodiff.tape import GradientTape, UnconnectedGradients, opaque, watching
from runtime.building import building, traced
from runtime.devices import copied, is_device_array, placing_on
from runtime.eager import is_array
from runtime.errors import StagingError
from runtime.execute.tracebacks import relocate
from runtime.ops import stop_gradient
from runtime.ops.declaration.operands import type_of
from runtime.origins import is_user_code, origin_of_caller
from runtime.spec import TensorType
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "UsersLines",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "pushed_forward",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

Function = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R")
X = TypeVar("X", bound=Any)
S = TypeVar("S", covariant=True)
ZERO = UnconnectedGradients.ZERO


class Derivative(Protocol[P, S]):
    """A function of the arguments that the differentiated one has, by its type."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> S: ...

    def __get__(self, instance: Any, owner: Any = None) -> Callable[..., Any]: ...


@overload
def grad(f: np.ufunc) -> Derivative[..., Any]: ...
@overload
def grad(f: Callable[Concatenate[X, P], Any]) -> Derivative[Concatenate[X, P], X]: ...
@overload
def grad(
    f: Callable[P, Any], argnums: int | Sequence[int], has_aux: bool = False
) -> Derivative[P, Any]: ...
@overload  # of a lambda in a derivative of a derivative, mypy infers no parameters
def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Derivative[..., Any]: ...
def grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Function that gives the gradient of `f`, whose result is a scalar.

    `argnums` says by which arguments (a sequence gives a tuple of gradients); an argument may be a
    nest. With `has_aux`, `f` returns (scalar, anything) and the result is (gradient, anything).

    >>> import autograph as ag
    >>> ag.grad(lambda x: x**3)(2.0)
    12.0
    """
    both = value_and_grad(f, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        with UsersLines():
            value, result = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return Derived(gradient, grad, f, argnums, has_aux)


@overload
def value_and_grad(f: np.ufunc) -> Derivative[..., tuple[Any, Any]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[X, P], R],
) -> Derivative[Concatenate[X, P], tuple[R, X]]: ...
@overload
def value_and_grad(
    f: Callable[P, Any], argnums: int | Sequence[int], has_aux: bool = False
) -> Derivative[P, tuple[Any, Any]]: ...
@overload
def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Derivative[..., tuple[Any, Any]]: ...
def value_and_grad(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """Function that gives (value, gradient) of `f`; see `grad`.

    >>> import autograph as ag
    >>> ag.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """

    def both(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        with UsersLines():
            lifted = _Lifted(args, argnums)
            with lifted.storing, _WholeTape(watch_accessed_variables=False) as tape:
                tape.watch(lifted.tensors)
                result = f(*lifted.args, **kwargs)
            y, aux = result if has_aux else (result, None)
            _check_scalar(y)
            gradient = tape.gradient([_as_tensor(y)], lifted.tensors, unconnected_gradients=ZERO)
            value = lifted.lower_results((y, aux) if has_aux else y)
            return value, lifted.lower(gradient)

    return Derived(both, value_and_grad, f, argnums, has_aux)


def vjp(f: Callable[..., R], *primals: Any) -> tuple[R, Callable[[Any], tuple[Any, ...]]]:
    """Value of `f` and a function from a cotangent of the value to those of the arguments.

    >>> import autograph as ag
    >>> y, pull_back = ag.vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pull_back(1.0)
    (6.0, (3.0, 2.0))
    """
    with UsersLines():
        lifted = _Lifted(primals, range(len(primals)))
        whole = _WholeTape(persistent=True, watch_accessed_variables=False)
        with lifted.storing, whole as tape:
            tape.watch(lifted.tensors)
            y = f(*lifted.args)
        targets = [_as_tensor(part) for part in tree.leaves(y)]

    def pull_back(cotangent: Any) -> tuple[Any, ...]:
        with UsersLines():
            weights = tree.leaves(cotangent)
            found = tape.gradient(targets, lifted.tensors, weights, unconnected_gradients=ZERO)
            return tuple(lifted.lower(found))

    value: R = lifted.lower_results(y)
    return value, PullBack(pull_back)


def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, R]:
    """Value of `f` and the directional derivative along `tangents`.

    >>> import autograph as ag
    >>> ag.jvp(lambda x: x * x, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    with UsersLines():
        lifted = _Lifted(tuple(primals), range(len(primals)))
        with lifted.storing, _WholeTape(watch_accessed_variables=False) as tape:
            tape.watch(lifted.tensors)
            y = f(*lifted.args)
        parts, structure = tree.flatten(y)
        along = tree.leaves(tangents)
        moved = pushed_forward(tape, parts, tree.leaves(lifted.tensors), along, True)
        value: R = lifted.lower_results(y)
        each = zip(tree.leaves(value), moved, strict=True)
        moved = [_lower(part, tangent) for part, tangent in each]
        tangent: R = tree.unflatten(structure, moved)
        return value, tangent


def pushed_forward(
    tape: GradientTape, targets: list[Any], sources: list[Any], tangents: list[Any], fill: bool
) -> list[Any]:
    """Tangent of each target: the transpose of the transposed linear map that `tape` holds.

    The pull-back is linear in its cotangents, so its own pull-back is the derivative forward (the
    observation is J. Townsend's, "A new trick for calculating Jacobian vector products", 2017).
    Transposing all targets at once mixes nothing: each cotangent gets what belongs to its target.
    """
    targets = [_as_tensor(y) for y in targets]
    cotangents = []
    for y in targets:
        with placing_on(y.type.device):
            cotangents.append(opaque(ops.zeros(y.shape, dtype=y.dtype)))
    with _WholeTape(watch_accessed_variables=False) as second:
        second.watch([u for u in cotangents if is_differentiable(u.type)])
        pulled = tape.gradient(targets, sources, cotangents)
    pairs = [(w, t) for w, t in zip(pulled, tangents, strict=True) if w is not None]
    weights = [t for _, t in pairs]
    unconnected = ZERO if fill else UnconnectedGradients.NONE
    result: list[Any] = second.gradient([w for w, _ in pairs], cotangents, weights, unconnected)
    return result


def jacobian(f: Callable[P, Any], argnums: int | Sequence[int] = 0) -> Derivative[P, Any]:
    """Function that gives the Jacobian of `f`, row by row in reverse mode.

    The shape is that of the result followed by that of the argument.

    >>> import autograph as ag
    >>> ag.jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    def rows(*args: Any, **kwargs: Any) -> Any:
        with UsersLines():
            lifted = _Lifted(args, argnums)
            with lifted.storing, _WholeTape(watch_accessed_variables=False) as tape:
                tape.watch(lifted.tensors)
                y = f(*lifted.args, **kwargs)
            found = tape.jacobian(_as_tensor(y), lifted.tensors, unconnected_gradients=ZERO)
            return lifted.lower(found)

    return Derived(rows, jacobian, f, argnums)


jacrev = jacobian


def jacfwd(f: Callable[P, Any], argnums: int = 0) -> Derivative[P, Any]:
    """Function that gives the Jacobian of `f`, column by column in forward mode.

    It is the better choice where the argument has fewer elements than the result.

    >>> import autograph as ag
    >>> ag.jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """

    function: Function = f

    def columns(*args: Any) -> Any:
        with UsersLines():
            lifted = _Lifted(args, argnums)
            whole = _WholeTape(persistent=True, watch_accessed_variables=False)
            with lifted.storing, whole as tape:
                tape.watch(lifted.tensors)
                y = function(*lifted.args)
            x, parts = lifted.tensors, [_as_tensor(y)]
            shape = _known(type_of(x).shape)
            (found,) = for_each(
                units(type_of(x), shape), lambda t: pushed_forward(tape, parts, [x], [t], True)
            )
            return lifted.lower(unfolded(ops.moveaxis(found, 0, -1), shape, -1))

    return Derived(columns, jacfwd, f, argnums)


def _known(shape: Any) -> tuple[int, ...]:
    if shape is None or None in shape:
        raise ValueError(f"this needs the shape of the argument while tracing, but it is {shape}")
    return tuple(shape)


def hessian(f: Callable[P, Any], argnums: int = 0) -> Derivative[P, Any]:
    """Function that gives the matrix of second derivatives of a scalar function.

    >>> import autograph as ag
    >>> ag.hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(grad(f, argnums), argnums)


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Product of the Hessian of a scalar `f` with `tangents`: forward over reverse.

    With one primal the result is that of one argument, otherwise a tuple.

    >>> import autograph as ag
    >>> ag.hvp(lambda x: (x**3).sum(), (np.array([1.0, 2.0]),), (np.array([1.0, 0.0]),))
    array([6., 0.])
    """
    several = len(primals) > 1
    with UsersLines():
        return jvp(grad(f, tuple(range(len(primals))) if several else 0), primals, tangents)[1]


class _WholeTape(GradientTape):
    """A tape of all that a function does: what leaves it for plain numbers would be left out."""

    def give_out(self, x: Any, how: str) -> None:
        """Raise StagingError for a value that the derivative depends on."""
        if not any(self.tracked([x])):
            return
        raise StagingError(
            f"{how} gives the plain value of what the derivative depends on, and what is computed "
            "of that would be missing from the derivative",
            "convert the function (`@ag.convert`), which keeps it; or say that none is wanted: "
            "`ag.stop_gradient(x)` or `x.numpy()`",
            origin=origin_of_caller(),
        )


class UsersLines:
    """Leaves, of the tracebacks of errors in a `with` statement, the lines of the user's code.

    Not a `try` statement: `both` may be converted, and a staged `try` means more than this.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, place: object) -> None:
        if error is not None:
            relocate(error, _users)


def _users(part: TracebackType) -> tuple[()] | None:
    """Whether an entry of a traceback stays: those of the user's code do."""
    return None if is_user_code(part.tb_frame.f_code) else ()


# ---- arguments in, results out -----------------------------------------------------------------


class _Lifted:
    """Arguments with those at `argnums` as tensors of their own, and the way back."""

    def __init__(self, args: tuple[Any, ...], argnums: int | Sequence[int]) -> None:
        self._one = isinstance(argnums, int)
        numbers = [argnums] if isinstance(argnums, int) else list(argnums)
        if not all(isinstance(n, (int, np.integer)) for n in numbers):
            raise TypeError(
                f"argnums are positions of arguments, such as 0 or (0, 1), not {argnums!r}"
            )
        count = len(args)
        wrong = [n for n in numbers if not -count <= n < count]
        if wrong:
            raise IndexError(
                f"argnums has {wrong[0]}, and the call has {count} arguments by position"
            )
        numbers = [range(count)[n] for n in numbers]
        self._originals = [args[n] for n in numbers]
        self._keeps_tensors = building() is not None or any(
            isinstance(leaf, (Tensor, Variable)) for leaf in tree.leaves(args)
        )
        lifted = [tree.map_structure(functools.partial(_lift, n), args[n]) for n in numbers]
        changed = list(args)
        for n, tensor in zip(numbers, lifted, strict=True):
            changed[n] = tensor
        self.args = tuple(changed)
        # What the function stores in objects is plain afterwards, where all arguments are.
        self.storing = Stored(_plain, not self._keeps_tensors)
        if self._keeps_tensors:
            tree.map_structure(note_made, lifted)
        else:
            tree.map_structure(self.storing.note_given, lifted, self._originals)
        self.tensors: Any = lifted[0] if self._one else lifted

    def lower(self, gradients: Any) -> Any:
        """Gradients of the lifted arguments in the types of the originals."""
        if self._one:
            return _lowered(self._originals[0], gradients)
        return tuple(map(_lowered, self._originals, gradients))

    def lower_results(self, results: Any) -> Any:
        """Results of the function: plain where all arguments are."""
        if self._keeps_tensors:
            return results
        return tree.map_structure(lambda x: _plain(self.storing.lowered(x)), results)


def _lift(number: int, x: Any) -> Any:
    if isinstance(x, Variable):
        return x
    type_ = type_of(x)
    if not is_differentiable(type_):
        raise TypeError(
            f"derivatives need floating arguments, but argument {number} is {type_}: "
            "write `3.0` in place of `3`, or cast with `.astype(float)`"
        )
    if building() is not None:
        return _apart(x) if isinstance(x, Tensor) and x.is_traced else opaque(x)
    if isinstance(x, np.ndarray):
        x = x.view()
        x.flags.writeable = False
        return Tensor(x)
    return ops.identity(x) if isinstance(x, Tensor) or is_device_array(x) else Tensor(x)


def _apart(x: Tensor) -> Tensor:
    """The traced `x` as a tensor of its own: no view, so that no write to it reaches `x`."""
    builder = building()
    assert builder is not None
    node = builder.emit(ops.identity.op, [builder.value_of(x)])
    lifted = builder.array(node.outputs[0]) if x.stands_for_array else traced(node.outputs[0])
    builder.tell_tapes(node, [x], (lifted,))
    return lifted


def _lowered(original: Any, gradient: Any) -> Any:
    """Gradients in the types of the originals; the gradient of a leaf may have another shape."""
    return tree.map_structure(_lower, original, gradient)


def _lower(original: Any, gradient: Any) -> Any:
    if gradient is None or isinstance(original, Variable):
        return gradient
    if building() is not None:
        return _as_number(gradient) if type_of(original).weak else gradient
    if isinstance(original, Tensor):
        return gradient.of_class(type(original))
    plain = _plain(gradient)
    if plain is gradient:
        return gradient
    if isinstance(original, (float, complex)) and not isinstance(original, np.generic):
        return plain.item() if np.ndim(plain) == 0 else plain
    return plain


def _as_number(gradient: Any) -> Any:
    """A traced gradient by a Python number: a Python number too, if it is a single one."""
    type_ = type_of(gradient)
    return ops.as_weak(gradient) if type_.rank == 0 and not type_.weak else gradient


def _plain(x: Any) -> Any:
    """The raw value of a result, but the tensor where an outer derivative depends on it."""
    if not isinstance(x, Tensor) or x.is_traced or watching([x]):
        return x
    array = x.array
    return copied(array) if is_array(array) else array


def _as_tensor(y: Any) -> Any:
    if isinstance(y, Variable):
        return y.read_value()
    if isinstance(y, Tensor):
        return y
    if building() is not None:
        return opaque(y)
    return Tensor(y if is_device_array(y) else np.asarray(y)[()])


def _check_scalar(y: Any) -> None:
    type_ = type_of(y) if not isinstance(y, (tuple, list, dict)) else None
    if not isinstance(type_, TensorType) or type_.shape not in ((), None):
        found = type(y).__name__ if type_ is None else str(type_)
        raise TypeError(
            f"grad needs a function whose result is a scalar, but it is {found}: "
            "reduce it (`.sum()`), or use `jacobian` or `vjp`"
        )
    if not is_differentiable(type_):
        raise TypeError(f"grad needs a function with a floating result, but it is {type_}")
