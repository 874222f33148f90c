"""Calls in converted code: what is converted, what is pure, what belongs to the host."""

from __future__ import annotations

import builtins
import functools
import inspect
import re
import types
from collections import deque
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    FunctionType,
    MethodType,
    MethodWrapperType,
)
from typing import Any

import numpy as np

from autograph import rules
from autograph.operators import access
from autograph.operators.access import content_slot, delitem, getitem, iadd, ior, setitem
from autograph.operators.builtin_functions import HANDLERS, WITH_CALLBACKS
from autograph.operators.captures import (
    Trace,
    captured_from,
    current_trace,
    guard_content,
    guard_environment,
    with_captured,
)
from autograph.operators.frames import execute
from autograph.operators.plain_calls import UNCONVERTED, resolve
from autograph.operators.printing import format_method
from autograph.operators.scope import FunctionScope
from autograph.operators.templates import has_traced
from autograph.operators.variables import _Unreadable
from autograph.syntax.load import AG
from runtime import journal, ops
from runtime.building import building, constant, traced
from runtime.errors import HostCallError, StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "autograph_artifact",
    "converted_call",
    "converted_lambda",
    "frame_call",
    "is_artifact",
    "set_converter",
]

_BOUND_BUILTINS = (BuiltinFunctionType, BuiltinMethodType, MethodWrapperType)
ARTIFACT = "__ag_artifact__"

_converter: Callable[[Any], Any]


def set_converter(convert: Callable[[Any], Any]) -> None:
    """Install what converts a callee (called once, by `conversion`).

    `convert(function)` gives the converted function, or None for one that is left alone.
    """
    global _converter
    _converter = convert
    access.use_converter(convert)


# Functions made for a part of a function, in the qualified names of those defined in them.
_PARTS = re.compile(
    r"(?<=<locals>\.)(?:if_body|else_body|loop_body|loop_test|extra_test|thunk)(?:_\d+)?\.<locals>\."
)


@functools.cache
def _qualified(name: str) -> str:
    return _PARTS.sub("", name)


def autograph_artifact(function: Any) -> Any:
    """Mark a function that was defined in converted code: it is converted already.

    In a module of converted text it gets the qualified name that the user knows; a function that
    was converted in memory has it.
    """
    if AG in function.__globals__:
        function.__qualname__ = _qualified(function.__qualname__)
    setattr(function, ARTIFACT, True)
    _note_local_cells(function)
    return function


converted_lambda = autograph_artifact


def is_artifact(function: Any) -> bool:
    """Whether calling `function` runs converted code."""
    return hasattr(function, ARTIFACT)


def _note_local_cells(function: FunctionType) -> None:
    """Closure cells made during a trace are not captures of it."""
    trace = current_trace()
    if trace is None or not trace.scopes or function.__closure__ is None:
        return
    outer = trace.scopes[-1].cell_ids
    for cell in function.__closure__:
        if id(cell) not in outer:
            trace.local_cells[id(cell)] = cell


# ---- the call --------------------------------------------------------------------------------


def converted_call(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: FunctionScope
) -> Any:
    """`function(*args, **kwargs)`, with the callee converted.

    User code is converted and called; built-ins and NumPy get their meaning on tensors. While
    tracing, a call with effects or results that Python alone knows is refused: it would be frozen.
    """
    kwargs = kwargs or {}
    if type(function) is FunctionType and ARTIFACT in function.__dict__:
        return function(*args, **kwargs)
    if building() is None:
        convert = _twin if scope.options.recursive else _no_twin
        function, args, kwargs = resolve(function, args, kwargs, scope, convert)
        return function(*args, **kwargs)
    if isinstance(function, _Unreadable):
        function = function.load()
    if function is builtins.globals:
        return scope._globals
    handler = _handler(function)
    if handler is not None:
        return _call_builtin(function, handler, args, kwargs, scope)
    inlined = getattr(type(function), "__ag_call__", None)
    if inlined is not None:
        return inlined(function, args, kwargs)
    if isinstance(function, functools.partial):
        merged = {**function.keywords, **kwargs}
        return converted_call(function.func, (*function.args, *args), merged, scope)
    if isinstance(function, MethodType):
        return _call_method(function, args, kwargs, scope)
    if isinstance(function, _BOUND_BUILTINS) and not isinstance(
        function.__self__, types.ModuleType | None
    ):
        return _call_builtin_method(function, args, kwargs)
    if isinstance(function, FunctionType):
        return _call_function(function, args, kwargs, scope)
    if isinstance(function, type):
        return _call_class(function, args, kwargs, scope)
    call = getattr(type(function), "__call__", None)  # noqa: B004 - the function is wanted
    if isinstance(call, FunctionType) and not _is_left_alone(function):
        return converted_call(call, (function, *args), kwargs, scope)
    return _call_unconverted(function, args, kwargs)


def _twin(function: FunctionType) -> Callable[..., Any] | None:
    """What runs a function's converted code, None for one that is left alone."""
    if ARTIFACT in function.__dict__:
        return function
    return None if _is_left_alone(function) else _converter(function)


def _no_twin(function: FunctionType) -> Callable[..., Any] | None:
    return function if ARTIFACT in function.__dict__ else None


def _handler(function: Any) -> Callable[..., Any] | None:
    try:
        return HANDLERS.get(function)
    except TypeError:  # not hashable
        return None


def _call_builtin(
    function: Any, handler: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    if function not in _IDENTITY:
        args = tuple(map(with_captured, args))
    where = WITH_CALLBACKS.get(function)
    if isinstance(where, int) and args and args[where] is not None:
        args = (_callback(args[where], scope), *args[1:])
    elif isinstance(where, str) and kwargs.get(where) is not None:
        kwargs = {**kwargs, where: _callback(kwargs[where], scope)}
    return handler(*args, **kwargs)


# Built-ins that want the very object they are given.
_IDENTITY = frozenset((len, isinstance, type, getattr, setattr, delattr))


def _callback(function: Any, scope: FunctionScope) -> Callable[..., Any]:
    return lambda *args: converted_call(function, args, None, scope)


def _is_left_alone(function: Any) -> bool:
    if getattr(function, UNCONVERTED, False):
        return True
    return rules.decision(getattr(function, "__module__", None)) is False


def _call_function(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    if _is_left_alone(function):
        return function(*args, **kwargs)
    converted = _converter(function)
    if converted is None:
        return _call_unconverted(function, args, kwargs)
    return (converted if scope.options.recursive else function)(*args, **kwargs)


def _call_method(
    method: MethodType, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    owner, function = method.__self__, method.__func__
    if isinstance(owner, (Tensor, Variable)) or _is_left_alone(method):
        return method(*args, **kwargs)
    return converted_call(function, (owner, *args), kwargs, scope)


def _call_class(
    cls: type, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Any:
    """Make an object: `__init__` of the user's class is converted."""
    init = getattr(cls, "__init__", None)
    if (
        type(cls) is type
        and _is_plainly_made(cls)
        and isinstance(init, FunctionType)
        and not _is_left_alone(cls)
        and not hasattr(cls, "__dataclass_fields__")
        and building() is not None
        and _converter(init) is not None
    ):
        given = (args, kwargs) if issubclass(cls, BaseException) else ((), {})
        made = journal.fresh(cls.__new__(cls, *given[0], **given[1]))
        result = converted_call(init, (made, *args), kwargs, scope)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
        return made
    return _call_unconverted(cls, args, kwargs)


def _is_plainly_made(cls: type) -> bool:
    """Whether `__new__` does nothing that `__init__` does not do again."""
    new = getattr(cls, "__new__", None)
    if issubclass(cls, BaseException):
        return isinstance(new, BuiltinFunctionType)
    return new is object.__new__


# ---- methods of built-in containers ----------------------------------------------------------

_MUTATORS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "add",
        "discard",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "appendleft",
        "extendleft",
        "popleft",
        "rotate",
    ]
)
# Those that neither look at what is there nor depend on it.
_BLIND = frozenset("append extend appendleft extendleft add".split())  # noqa: SIM905
_CONTAINERS = (list, dict, set, deque)
_IMMUTABLE = (str, bytes, int, float, complex, tuple, range, frozenset, type, np.dtype)
_ITEM_METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": getitem, "__setitem__": setitem, "__delitem__": delitem,
    "__iadd__": iadd, "__ior__": ior,
}  # fmt: skip


def _call_builtin_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    owner, name = function.__self__, function.__name__
    if isinstance(owner, str) and name == "format":
        return format_method(owner, args, kwargs)
    if journal.recording() is None:
        return function(*args, **kwargs)
    if isinstance(owner, _CONTAINERS):
        if name in _ITEM_METHODS:
            return _ITEM_METHODS[name](owner, *args)
        if name not in _BLIND and (name != "update" or isinstance(owner, set)):
            guard_content(owner, f"a {type(owner).__name__}")
        if name in _MUTATORS:
            journal.note(content_slot(owner))
            _consumed(owner)
            if isinstance(owner, (dict, set)):
                args = tuple(_settled(a, name) for a in args[:1]) + args[1:]
            return captured_from(owner, function(*args, **kwargs))
        known = with_captured(owner)
        result = (function if known is owner else getattr(known, name))(*args, **kwargs)
        return journal.fresh(result) if name == "copy" else result
    if isinstance(owner, _IMMUTABLE):
        return _fresh(function(*args, **kwargs))
    if isinstance(owner, (np.ndarray, np.generic)):
        return _fresh(function(*args, **kwargs))
    trace = current_trace()
    if trace is None or _is_own(owner, trace):
        return function(*args, **kwargs)
    raise _host_call(function)


def _consumed(owner: Any) -> None:
    trace = current_trace()
    if trace is not None:
        trace.consumed(owner)


def _is_own(owner: Any, trace: Trace) -> bool:
    """Whether a method of `owner` sees and changes nothing but what belongs to the trace."""
    if trace.is_outside(owner):
        return False
    module = type(owner).__module__
    root = module.partition(".")[0]
    if root in _ARRAYS:
        return not module.startswith("numpy.random")
    return root in _PURE_MODULES or root in _OURS or journal.is_fresh(owner)


def _settled(x: Any, name: str) -> Any:
    if isinstance(x, Tensor) and not x.is_known:
        raise StagingError(
            f"a value that is known only when the graph runs is a key in `{name}`",
            "use an array instead",
        )
    return x


# ---- what is not converted -------------------------------------------------------------------

_PURE_MODULES = frozenset(
    [
        "math",
        "cmath",
        "operator",
        "itertools",
        "functools",
        "collections",
        "copy",
        "dataclasses",
        "string",
        "re",
        "enum",
        "typing",
        "numbers",
        "fractions",
        "decimal",
        "statistics",
        "bisect",
        "textwrap",
        "abc",
        "types",
        "inspect",
        "builtins",
        "_operator",
        "_functools",
        "_collections",
        "_bisect",
        "_abc",
        "typing_extensions",
        "contextlib",
        "array",
        "struct",
        "json",
        "keyword",
        "unicodedata",
        "difflib",
        "colorsys",
        "datetime",
        "calendar",
        "_struct",
        "_json",
        "_decimal",
        "_datetime",
    ]
)
_OURS = frozenset(("autograph", "runtime"))
_ARRAYS = frozenset(("numpy", "cupy"))
_HOST_BUILTINS = frozenset((input, open, __import__, exec, eval, compile, id, hash, vars, dir))


def _root_module(function: Any) -> str:
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        owner = getattr(function, "__objclass__", None) or type(function)
        module = getattr(owner, "__module__", "") or ""
    return module.partition(".")[0]


def _call_unconverted(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = current_trace()
    root = _root_module(function)
    if trace is None:
        return function(*args, **kwargs)
    if not isinstance(function, type) or root in ("builtins", "collections"):
        args = tuple(map(with_captured, args))
        kwargs = {name: with_captured(value) for name, value in kwargs.items()}
    if root in _OURS:
        return function(*args, **kwargs)
    if root in _ARRAYS:
        return _call_numpy(function, args, kwargs, trace)
    if root in ("math", "cmath") and any(map(has_traced, args)):
        return _call_math(function, args)
    if isinstance(function, type):
        return journal.fresh(function(*args, **kwargs))
    if isinstance(function, FunctionType):
        guard_environment(function)
    if _is_pure(function, root):
        return _fresh(function(*args, **kwargs))
    raise _host_call(function)


def _is_pure(function: Any, root: str) -> bool:
    if root == "builtins":
        return _handler(function) is None and not any(function is f for f in _HOST_BUILTINS)
    if root in _PURE_MODULES or isinstance(function, functools._lru_cache_wrapper):
        return True
    return isinstance(function, FunctionType) and inspect.isgeneratorfunction(function)


def _host_call(function: Any) -> HostCallError:
    name = getattr(function, "__qualname__", repr(function))
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    shown = f"{module}.{name}" if module and module != "builtins" else name
    error = HostCallError(
        f"`{shown}` is called while tracing: it runs outside of the graph, so that its result or "
        "effect would be frozen at this one call",
        "call it outside of the converted function, or wrap it in a function marked with "
        "@ag.do_not_convert if running it once per trace is what you want",
        origin=origin_of_caller(),
    )
    builder = building()
    if builder is not None:
        root = builder.root
        error.staged = bool(root.graph.inputs) or any(n.has_effect for n in root.graph.nodes)
    return error


def _call_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], trace: Trace) -> Any:
    """A NumPy function: its op where an argument is traced; a new array belongs to the trace."""
    module = getattr(function, "__module__", None) or ""
    if "random" in module or "random" in type(function).__module__:
        raise _host_call(function)
    if any(map(has_traced, [*args, *kwargs.values()])):
        args = _with_arrays(function, args)
        own = _MAKERS.get(function) or ops.numpy_function(_numpy_name(function))
        if own is not None and not isinstance(function, np.ufunc):
            return own(*args, **kwargs)
        return function(*args, **kwargs)
    return _fresh(function(*args, **kwargs))


def _array(x: Any, dtype: Any = None, *, copy: bool | None = True, **others: Any) -> Any:
    """`np.array` of something traced: always a new array."""
    _refuse_options("np.array", others)
    made = constant(x, dtype)
    if made.type.weak:
        made = ops.strengthen(made)
    return ops.copy(made) if isinstance(x, Tensor) and copy else made


def _asarray(x: Any, dtype: Any = None, **others: Any) -> Any:
    """`np.asarray` of something traced: the very array, if it is one of that dtype."""
    if isinstance(x, Tensor) and dtype in (None, x.dtype) and not x.type.weak:
        return x
    return _array(x, dtype, **others)


def _refuse_options(name: str, options: dict[str, Any]) -> None:
    given = [k for k, v in options.items() if (k, v) not in (("order", "K"), ("order", "C"))]
    if given:
        raise StagingError(
            f"`{name}` of a traced value has no `{given[0]}`", "leave the option out"
        )


# Functions that NumPy does not dispatch by their arguments.
_MAKERS: dict[Any, Callable[..., Any]] = {
    np.array: _array, np.asarray: _asarray, np.asanyarray: _asarray,
    np.ascontiguousarray: _asarray, np.full: ops.full, np.arange: ops.arange, np.zeros: ops.zeros,
    np.ones: ops.ones, np.empty: ops.empty, np.eye: ops.eye, np.identity: ops.eye, np.tri: ops.tri,
}  # fmt: skip


# NumPy functions whose first argument is a sequence of arrays, or a shape.
_TAKE_SEQUENCES = frozenset(
    (
        "array", "asarray", "asanyarray", "ascontiguousarray", "concatenate", "concat", "stack",
        "hstack", "vstack", "row_stack", "dstack", "column_stack", "block", "select", "choose",
        "piecewise", "lexsort", "multi_dot", "zeros", "ones", "empty", "full",
    )
)  # fmt: skip
_TAKE_ARRAYS = frozenset(("dot", "vdot", "inner", "outer", "where", "cross", "kron", "matmul"))


def _with_arrays(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments with lists of traced numbers and arrays put together, where NumPy would do so."""
    name = function.__name__
    if isinstance(function, np.ufunc) or name in _TAKE_ARRAYS:
        return tuple(map(_together, args))
    if not args or name in _TAKE_SEQUENCES:
        return args
    return (_together(args[0]), *args[1:])


def _together(x: Any) -> Any:
    if type(x) not in (list, tuple) or not has_traced(x):
        return x
    return constant(x)


def _numpy_name(function: Any) -> str:
    module = (getattr(function, "__module__", "") or "").removeprefix("numpy").lstrip(".")
    return f"{module}.{function.__name__}" if module else function.__name__


def _fresh(result: Any) -> Any:
    """A new array made while tracing becomes a constant of the graph, with a cell of its own."""
    if isinstance(result, np.ndarray) and result.dtype.kind in "biufc":
        builder = building()
        assert builder is not None
        return traced(builder.constant(result.copy()))
    if type(result) in (tuple, list) and any(isinstance(r, np.ndarray) for r in result):
        return journal.fresh(type(result)(map(_fresh, result)))
    return journal.fresh(result) if isinstance(result, _CONTAINERS) else result


_MATH = {
    "sqrt": "sqrt", "exp": "exp", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "expm1": "expm1", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "atan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "fabs": "abs", "hypot": "hypot",
    "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "copysign": "copysign",
}  # fmt: skip
_MATH_INT = {"floor": "floor", "ceil": "ceil", "trunc": "trunc"}


def _call_math(function: Any, args: tuple[Any, ...]) -> Any:
    """A function of `math` on tensors; gives a Python number, as `math` does."""
    name = function.__name__
    if name in _MATH_INT:
        return ops.as_weak(getattr(ops, _MATH_INT[name])(_double(args[0])), kind="int")
    op = getattr(ops, _MATH.get(name, ""), None)
    if op is None or function.__module__ != "math":
        raise StagingError(
            f"`{function.__module__}.{name}` has no tensor form yet",
            "use the function of `autograph` or NumPy that does it",
        )
    result = op(*map(_double, args))
    return ops.as_weak(result, kind="bool" if name.startswith("is") else "float")


def _double(x: Any) -> Any:
    if isinstance(x, Tensor):
        return ops.astype(ops.reshape(x, ()), np.dtype(np.float64))
    return float(x)


# ---- calls that look at the frame ------------------------------------------------------------


def frame_call(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    scope: FunctionScope,
    names: dict[str, Callable[[], Any]],
) -> Any:
    """`locals()`, `vars()`, `dir()`, `eval()` and `exec()` as if in the user's own frame."""
    kwargs = kwargs or {}
    if function is builtins.locals and not args and not kwargs:
        return _bound(names)
    if function is builtins.vars and not args:
        return _bound(names)
    if function is builtins.dir and not args:
        return sorted(_bound(names))
    if (function is builtins.eval or function is builtins.exec) and building() is None:
        return execute(function, scope, args, kwargs, lambda: _bound(names))
    if (function is builtins.eval or function is builtins.exec) and len(args) == 1 and not kwargs:
        return function(args[0], scope.globals, _bound(names))
    return converted_call(function, args, kwargs, scope)


def _bound(names: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    found = {}
    for name, read in names.items():
        try:
            value = read()
        except NameError:
            continue
        if not isinstance(value, _Unreadable):
            found[name] = value
    return found
