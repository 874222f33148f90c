"""How an op is declared: kernel, types, gradient and all else in one block.

    @op(inputs=1, infer=by_ufunc(np.sin), vjp=derivative(lambda out, x: cos(x)), reads=(0,))
    def sin(xp, x):
        "Sine of `x`."
        return xp.sin(x)

The function is the kernel; its leading parameters after the array module are operands, the others
static attributes. What the decorator gives is the `Primitive` that users call.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from runtime import trace
from runtime.devices import common_device, in_use, is_device_array, placement, placing
from runtime.dtypes import dtype_from
from runtime.errors import LimitOverflowError
from runtime.graph.ir import Op
from runtime.ops.declaration.inference import by_ufunc
from runtime.ops.declaration.operands import (
    as_fitting,
    content,
    is_large,
    is_number,
    is_tensor,
    type_of,
)
from runtime.placement import homes
from runtime.process.caching import cached_property
from runtime.spec import Dim, Shape, TensorType, type_of_number, weak_number

__all__ = [
    "FUNCTIONS",
    "REGISTRY",
    "Primitive",
    "always",
    "as_ufunc",
    "implements",
    "may_not_fit",
    "no_gradient",
    "numpy_function",
    "op",
    "overflows",
    "simpler_form",
    "takes_what_numpy_takes",
    "with_operands",
]

Samples: TypeAlias = Callable[[], Iterable[tuple[tuple[Any, ...], dict[str, Any]]]]
InputRule: TypeAlias = Callable[..., Any] | None
Function = TypeVar("Function", bound=Callable[..., Any])

REGISTRY: dict[str, Primitive] = {}
# Public functions around primitives, by NumPy's name, with sample arguments for the generic suite.
FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[str, ...], Samples | None]] = {}
_NUMPY: dict[str, Callable[..., Any]] = {}
# What such a function comes down to where it is given only what that one takes, too.
_SIMPLER: dict[Callable[..., Any], Callable[..., Any]] = {}
_INT = np.dtype(np.int64)
_REQUIRED = inspect.Parameter.empty


def numpy_function(name: str) -> Callable[..., Any] | None:
    """Our function for NumPy's `name` (as "add" or "linalg.inv"), None when there is none."""
    return _NUMPY.get(name)


def simpler_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """What `function` comes down to where it is given nothing that only it takes."""
    return _SIMPLER.get(function, function)


def by_numpy_name() -> dict[str, Callable[..., Any]]:
    """All functions of NumPy that have a meaning here, with that meaning."""
    return dict(_NUMPY)


def always(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of an op that may raise on any operands."""
    return True


def overflows(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of arithmetic: Python ints raise when a result leaves 64 bits."""
    for t in types:  # noqa: SIM110 - `all` of a generator takes three times as long
        if not (t.weak and t.dtype.kind in "bi"):
            return False
    return True


def no_gradient(g: Any, out: Any, *inputs: Any, **attrs: Any) -> tuple[None, ...]:
    """The gradient rule of an op that is constant almost everywhere."""
    return (None,) * len(inputs)


class Primitive:
    """An op as a function: operands first, then static attributes."""

    def __init__(self, op_: Op, inputs: int | None) -> None:
        self.op = op_
        self._takes_variables = op_.options.get("takes_variables", False)
        # Whether NumPy gives an array of this type back as it is: the very object.
        self._gives_itself = op_.options.get("gives_itself")
        self.inputs = inputs
        self.__name__ = self.__qualname__ = op_.name
        self.__doc__ = op_.doc
        self.__module__ = op_.kernel.__module__
        # Names of the static attributes, with their defaults.
        self.attributes, self._leading = _attributes(op_.kernel, inputs)
        # Of those, what may be given by position.
        self._positional = () if inputs is None else _positional(op_.kernel)[inputs:]
        self._required = {n for n, default in self.attributes.items() if default is _REQUIRED}
        # The largest number of operands; `_leading` is the least.
        self._most = sys.maxsize if inputs is None else inputs
        # How many operands make a call that needs no further look.
        self._alone = None if self._required else inputs
        self._named = frozenset(_parameters(op_.kernel)[1:])

    @cached_property
    def __signature__(self) -> inspect.Signature:
        signature = inspect.signature(self.op.kernel)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def __repr__(self) -> str:
        return f"<op {self.__name__}>"

    def __reduce__(self) -> Any:
        return declared_as, (self.op.name,)

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        if len(operands) == self._alone and not attrs:
            static = self.attributes.copy()
        elif self.op.numpy and not self._named.issuperset(attrs):
            return _called_as_numpys(self.op.numpy, self, operands, attrs)
        else:
            operands, static = self._arguments(operands, attrs)
        for x in operands:
            if hasattr(type(x), "read_value") and not self._takes_variables:
                operands = tuple(map(content, operands))
                break
        if self._gives_itself is not None and len(operands) == 1 and is_tensor(operands[0]):
            only = operands[0]
            if only.is_array and self._gives_itself(only.type, **static):
                return only
        try:
            return trace.apply(self.op, operands, static)
        except LimitOverflowError:
            fitting = _as_others_have_it(operands, static.get("dtype"))
            if fitting is None:
                raise
            return trace.apply(self.op, fitting, static)

    def _arguments(
        self, operands: tuple[Any, ...], attrs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The operands, and all attributes."""
        if len(operands) > self._most:
            operands, attrs = self._with_names(operands, attrs)
        static = {**self.attributes, **attrs}
        is_whole = not self._required or self._required <= attrs.keys()
        if not (
            is_whole
            and len(static) == len(self.attributes)
            and self._leading <= len(operands) <= self._most
        ):
            return self._bind(operands, attrs)
        for name, value in attrs.items():
            if type(value) not in _PLAIN:
                static[name] = _static(name, value)
        return operands, static

    def _with_names(
        self, operands: tuple[Any, ...], attrs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Attributes that are given by position, by their names; as they are where that fails."""
        given = operands[self.inputs :]
        further = dict(zip(self._positional, given, strict=False))
        if len(further) < len(given) or (attrs and not further.keys().isdisjoint(attrs)):
            return operands, attrs
        return operands[: self.inputs], {**further, **attrs}

    def _bind(
        self, operands: tuple[Any, ...], attrs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The operands, and all attributes, of a call that names operands; or its TypeError."""
        bound = self.__signature__.bind(*operands, **attrs)
        bound.apply_defaults()
        given = bound.arguments
        static = {name: _static(name, given.pop(name)) for name in self.attributes}
        if self.inputs is not None:
            return tuple(given.values()), static
        *leading, rest = given.values()
        return (*leading, *rest), static


def _called_as_numpys(
    names: tuple[str, ...], own: Any, operands: tuple[Any, ...], attrs: dict[str, Any]
) -> Any:
    """A call with a parameter that only NumPy's function takes: what that one makes of tensors.

    Raises TypeError for a parameter that it does not take either.
    """
    function = _of_numpy(names)
    unknown = attrs.keys() - _taken_by_numpy(function)
    if unknown:
        raise TypeError(f"{own.__name__}() got an unexpected keyword argument '{min(unknown)}'")
    # NumPy asks tensors for what they make of its call.
    given = {name: _tensors(x) for name, x in attrs.items()}
    if not operands:
        return function(**given)
    first, *rest = map(_tensors, operands)
    is_whole = is_tensor(first) or any(map(is_tensor, first if isinstance(first, list) else ()))
    return function(first if is_whole else REGISTRY["identity"](np.asarray(first)), *rest, **given)


def _tensors(x: Any) -> Any:
    """An array, and those in a list or tuple, as tensors; anything else as it is."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_tensors, x))
    return REGISTRY["identity"](x) if isinstance(x, (np.ndarray, np.generic)) else x


def _of_numpy(names: tuple[str, ...]) -> Any:
    """The first function of such a name that this version of NumPy has; None if it has none."""
    for name in names:
        found: Any = np
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            return found
    return None


@functools.lru_cache(maxsize=1024)
def _taken_by_numpy(function: Any) -> frozenset[str]:
    """Names of parameters of a function of NumPy; what tells no signature takes none."""
    if isinstance(function, np.ufunc):
        return frozenset(("out", "where", "casting", "order", "dtype", "subok", "signature"))
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


def takes_what_numpy_takes(*names: str) -> Callable[[Function], Function]:
    """Let a function also take the parameters that only NumPy's function of that name has."""

    def declare(function: Function) -> Function:
        own = inspect.unwrap(function)
        if own.__code__.co_flags & inspect.CO_VARKEYWORDS:
            return function
        known = frozenset(_parameters(own)[own.__code__.co_posonlyargcount :])

        @functools.wraps(function)
        def taking(*args: Any, **kwargs: Any) -> Any:
            if kwargs and not known.issuperset(kwargs):
                return _called_as_numpys(names, function, args, kwargs)
            return function(*args, **kwargs)

        return cast(Function, taking)

    return declare


def _as_others_have_it(operands: tuple[Any, ...], dtype: Any) -> tuple[Any, ...] | None:
    """Operands of which Python ints beyond 64 bits have the dtype that NumPy computes in.

    That of the others, or `dtype` where one is asked for; None where no int changes by that.
    """
    types = [type_of(x) for x in operands if x is not None and not is_large(x)]
    dtypes = {t.dtype for t in types if not t.weak and t.dtype.kind != "b"}
    if dtype is not None:
        dtypes.add(dtype)
    found = tuple(as_fitting(x, np.result_type(*dtypes)) for x in operands) if dtypes else operands
    return None if all(map(operator.is_, found, operands)) else found


def _attributes(kernel: Callable[..., Any], inputs: int | None) -> tuple[dict[str, Any], int]:
    """The parameters of a kernel that are no operands, with their defaults, and how many are.

    From the code: `inspect.signature` would take a tenth of the time of the import.
    """
    code = kernel.__code__
    positional = _positional(kernel)
    named = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    defaults = dict(zip(positional[::-1], (kernel.__defaults__ or ())[::-1], strict=False))
    defaults.update(kernel.__kwdefaults__ or {})
    static = named if inputs is None else (*positional[inputs:], *named)
    return {name: defaults.get(name, _REQUIRED) for name in static}, len(positional[:inputs])


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters of a function that may be given by name."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _positional(kernel: Callable[..., Any]) -> tuple[str, ...]:
    """The positional parameters of a kernel after the array module."""
    return kernel.__code__.co_varnames[1 : kernel.__code__.co_argcount]


# Types of attributes that are as they are.
_PLAIN = frozenset((type(None), bool, int))


def _static(name: str, value: Any) -> Any:
    """`value` in the form that attributes have: hashable, and without NumPy's scalar types."""
    if type(value) in _PLAIN:
        return value
    if name == "dtype":
        return value if isinstance(value, np.dtype) else dtype_from(value)
    if isinstance(value, (tuple, list)):
        if type(value) is tuple and _PLAIN.issuperset(map(type, value)):
            return value
        return tuple(_static("", v) for v in value)
    if isinstance(value, np.integer) or is_tensor(value):
        return operator.index(value)
    return value.item() if isinstance(value, (np.bool_, np.floating)) else value


def op(
    *,
    inputs: int | None,
    infer: Callable[..., Any],
    vjp: Callable[..., Any] | tuple[InputRule, ...] | None = None,
    reads: tuple[int | str, ...] = (),
    python: Callable[..., Any] | None = None,
    expression: str | None = None,
    effect: str | None = None,
    raises: Callable[..., bool] | None = None,
    elementwise: bool = False,
    view: bool = False,
    numpy: tuple[str, ...] = (),
    samples: Samples | None = None,
    name: str | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declare the op whose kernel is the decorated function; see `runtime.graph.ir.Op`.

    `inputs` counts the operands; None: all positional arguments are operands. `vjp` is one rule
    for all inputs, or a tuple of one rule per input, of which those are called whose input can
    have a gradient. With `python`, the result is weak when all operands are, and of the type that
    `python` gives. Further keywords become the op's `options`.
    """

    def declare(kernel: Callable[..., Any]) -> Primitive:
        own = name or kernel.__name__.strip("_")
        declared = Op(
            name=own,
            kernel=kernel,
            infer=infer if python is None else _weak_or(infer, python),
            vjp=_joined(vjp) if isinstance(vjp, tuple) else vjp,
            reads=reads,
            python=python,
            expression=expression,
            effect=effect,
            raises=_raising_as_elementwise(raises) if elementwise and inputs != 1 else raises,
            elementwise=elementwise,
            view=view,
            doc=inspect.getdoc(kernel) or "",
            numpy=numpy,
            samples=samples,
            options=options,
        )
        if own in REGISTRY:
            raise ValueError(f"op {own!r} is declared twice")
        primitive = Primitive(declared, inputs)
        REGISTRY[own] = primitive
        _NUMPY.update((function, primitive) for function in numpy)
        return primitive

    return declare


def as_ufunc(
    ufunc: np.ufunc,
    vjp: Callable[..., Any] | tuple[InputRule, ...] | None,
    *,
    scalar: str | None = "",
    numpy: tuple[str, ...] | None = None,
    **how: Any,
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declare an elementwise op with the operands, the dtypes and the names of a ufunc of NumPy.

    `how` goes to `op`. Where nothing is said of it, scalar code of one operand calls the function
    of C that has the op's name; with None there is no scalar code.
    """

    def declare(kernel: Callable[..., Any]) -> Primitive:
        own = kernel.__name__
        calls = scalar == "" and ufunc.nin == 1 and "expression" not in how
        text = f"{own}({{0}})" if calls else scalar
        further = how | {"scalar": text} if text else how
        return op(
            inputs=ufunc.nin,
            infer=by_ufunc(ufunc),
            vjp=vjp,
            elementwise=True,
            numpy=tuple(dict.fromkeys((ufunc.__name__, own))) if numpy is None else numpy,
            **further,
        )(kernel)

    return declare


def declared_as(name: str) -> Primitive:
    """The op of that name, as it is pickled."""
    return REGISTRY[name]


def implements(
    *names: str,
    samples: Samples | None = None,
    makes_arrays: bool = True,
    simpler: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]:
    """Declare a public function that is the meaning of NumPy's `names`, by default of its own.

    `samples` gives (args, kwargs) on which the generic suite compares it with the first of them.
    One that makes no arrays but by ops of its operands may say so: see `with_operands`. `simpler`
    is what it comes down to where it is given only what that one takes, too.
    """

    def declare(function: Function) -> Function:
        own = names or (function.__name__,)
        function = with_operands(function) if makes_arrays else function
        function = takes_what_numpy_takes(*own)(function)
        if simpler is not None:
            _SIMPLER[function] = simpler
        FUNCTIONS[own[0]] = (function, own, samples)
        _NUMPY.update((name, function) for name in own)
        return function

    return declare


def with_operands(function: Function) -> Function:
    """`function`, which makes arrays of its own, such that it makes them where its operands are.

    Raw arrays of other devices than the host reach it as tensors. It raises DeviceError where
    operands are on two devices, as a single op does.
    """

    @functools.wraps(function)
    def placed(*args: Any, **kwargs: Any) -> Any:
        if not in_use[0]:
            return function(*args, **kwargs)
        args = tuple(map(_as_tensor, args))
        kwargs = {name: _as_tensor(x) for name, x in kwargs.items()}
        if placement() is not None:
            return function(*args, **kwargs)
        device = common_device(homes((*args, *kwargs.values())), function.__name__)
        if device is None:
            return function(*args, **kwargs)
        with placing(device):
            return function(*args, **kwargs)

    return cast(Function, placed)


def _as_tensor(x: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(map(_as_tensor, x))
    return REGISTRY["identity"](x) if is_device_array(x) else x


def may_not_fit(types: Iterable[TensorType]) -> bool:
    """Whether a Python int meets integers too small for it, which raises OverflowError."""
    is_number = is_small = False
    for t in types:
        if t.dtype.kind == "i" and t.weak:
            is_number = True
        elif t.dtype.kind in "iu" and not t.weak and t.dtype != _INT:
            is_small = True
    return is_number and is_small


def _raising_as_elementwise(own: Callable[..., bool] | None) -> Callable[..., bool]:
    """The `raises` of an elementwise op: also where sizes or a Python int may not fit."""

    def raises(types: tuple[TensorType, ...], attrs: dict[str, Any]) -> bool:
        if own is not None and own(types, attrs):
            return True
        is_open = False
        for t in types:
            if t.weak and may_not_fit(types):
                return True
            is_open = is_open or t.shape is None or None in t.shape
        return is_open and any(map(_may_differ, _aligned([t.shape for t in types])))

    return raises


def _aligned(shapes: list[Shape]) -> Iterator[list[Dim]]:
    """Sizes that meet in broadcasting, axis by axis."""
    shapes = [s for s in shapes if s != ()]
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes) and len(shapes) > 1:
        yield [None, None]
    for axis in range(1, max(map(len, known), default=0) + 1):
        yield [s[-axis] for s in known if len(s) >= axis]


def _may_differ(sizes: list[Dim]) -> bool:
    """Whether sizes may turn out to be unequal at run time, none of them being 1."""
    others = [n for n in sizes if n != 1]
    return len(others) > 1 and None in others


def _weak_or(infer: Callable[..., Any], python: Callable[..., Any]) -> Callable[..., Any]:
    """`infer`, but among weak types only what Python itself gives for such numbers."""

    def weak_or_strong(*types: TensorType, **attrs: Any) -> Any:
        for t in types:
            if not t.weak:
                return infer(*types, **attrs)
        return type_of_number(python(*(weak_number(1, t) for t in types), **attrs))

    return weak_or_strong


def _joined(rules: tuple[InputRule, ...]) -> Callable[..., tuple[Any, ...]]:
    """One rule out of a rule per input."""

    def vjp(g: Any, out: Any, *inputs: Any, **attrs: Any) -> tuple[Any, ...]:
        return tuple(
            rule(g, out, *inputs, **attrs) if rule is not None and _is_active(x) else None
            for rule, x in zip(rules, inputs, strict=True)
        )

    vjp.rules = rules  # type: ignore[attr-defined]
    return vjp


def _is_active(x: Any) -> bool:
    return not is_number(x) and type_of(x).is_inexact
