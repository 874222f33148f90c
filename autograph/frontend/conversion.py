"""From a Python callable to its converted twin: what is converted, what is left, the cache."""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from autograph import rules
from autograph.errors import AutographError, SourceUnavailableError
from autograph.generated import AG, IN_GENERATED, Options
from autograph.operators.calls import calls
from autograph.operators.captured.code_seen import global_names
from autograph.operators.captured.context import Context
from autograph.operators.captured.methods import ORIGINAL, looked_up
from autograph.operators.values.scope import ConversionOptions, FunctionScope
from autograph.rules import UNCONVERTED
from runtime import config, warm_up
from runtime.process.collector import rarely
from runtime.process.forks import new_after_forks, whole
from runtime.process.interrupts import uninterrupted
from runtime.process.later import later
from runtime.process.recursion_limit import roomy

if TYPE_CHECKING:
    from autograph.frontend.one_function import Conversion

__all__ = [
    "Converting",
    "convert_function",
    "converted_source",
    "do_not_convert",
    "filename_of",
    "is_converted",
    "is_traced_as_it_is",
    "left_alone",
    "underlying_function",
]

F = TypeVar("F", bound=Callable[..., Any])

# Packages whose functions are called as they are; what they do with tensors is their affair.
_EXCLUDED = frozenset(
    [
        "numpy",
        "scipy",
        "cupy",
        "pandas",
        "matplotlib",
        "torch",
        "jax",
        "jaxlib",
        "tensorflow",
        "keras",
        "numba",
        "llvmlite",
        "sklearn",
        "xarray",
        "sympy",
        "PIL",
        "gast",
        "astunparse",
        "pytest",
        "_pytest",
        "hypothesis",
        "IPython",
        "ipykernel",
        "pluggy",
        "tqdm",
        "rich",
        "setuptools",
        "pip",
        "autograph",
        "runtime",
        "importlib",
        "attr",
        "attrs",
        "mpl_toolkits",
    ]
)
_STANDARD_LIBRARY = frozenset(sys.stdlib_module_names) - {"__main__", "this"}
_COROUTINES = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE


_lock = new_after_forks(threading.RLock())
_conversions: weakref.WeakKeyDictionary[
    CodeType, dict[tuple[str, Options, frozenset[str]], Conversion | AutographError]
] = weakref.WeakKeyDictionary()
# Converted functions, each with the parts that the user's had when it was made. A twin holds what
# the user's function is in (a module, a cell of its own), and so, often, that function itself. So
# this table holds no twins: those of the functions that were converted last are held beside it,
# each for as long as its function lives; others are made anew.
_functions: weakref.WeakKeyDictionary[
    FunctionType, dict[Options, tuple[weakref.ref[FunctionType], tuple[Any, ...]]]
] = weakref.WeakKeyDictionary()
_held: dict[int, tuple[weakref.ref[FunctionType], list[FunctionType]]] = {}
_order: deque[int] = deque()
_HELD = 512


@functools.cache
def _front_end() -> Any:
    """What reads and rewrites source: loaded with the first conversion, a third of the import."""
    warm_up.begin()
    return later("autograph.frontend.one_function")


def convert_function(function: FunctionType, options: Options | None = None) -> FunctionType:
    """The converted twin of a Python function; it shares globals and closure cells with it.

    A function that was given other parts meanwhile has another one, and so has one whose module has
    come to bind the name of a built-in. Raises ConversionError, with the user's file and line, when
    that cannot be.
    """
    options = options or Options()
    if calls.is_artifact(function):
        return function
    with whole, _lock:
        known = _functions.setdefault(function, {})
        parts = _parts_of(function)
        twin, had = known.get(options, (None, ()))
        made = twin() if twin is not None else None
        if made is None or not all(map(operator.is_, had, parts)):
            made = _front_end().make(_conversion(function, options), function)
            setattr(made, ORIGINAL, weakref.ref(function))
            known[options] = weakref.ref(made), parts
            _hold(made, function)
        return made


def _parts_of(function: FunctionType) -> tuple[Any, ...]:
    """What a function was made of, of which it may be given other ones, and its module."""
    return (
        function.__code__, function.__defaults__, function.__kwdefaults__, _shadowed(function),
    )  # fmt: skip


def _shadowed(function: FunctionType) -> frozenset[str]:
    """The names of built-ins in a function, and in its converted code, that its module binds."""
    names = function.__globals__
    bound = [name for name in _builtins_in(function.__code__) if name in names]
    return _same(frozenset(bound)) if bound else _NONE


_NONE: frozenset[str] = frozenset()


@functools.cache
def _same(names: frozenset[str]) -> frozenset[str]:
    """The one object for equal sets."""
    return names


@functools.lru_cache(maxsize=4096)
def _builtins_in(code: CodeType) -> tuple[str, ...]:
    return tuple(name for name in (*global_names(code), *IN_GENERATED) if name in vars(builtins))


def _hold(twin: FunctionType, function: FunctionType) -> None:
    """Keep a twin as long as its function lives, and is one of the last that were converted."""
    key = id(function)
    if key not in _held:
        forget = _held.pop  # when the process ends, the name goes before the table
        _held[key] = weakref.ref(function, uninterrupted(lambda gone: forget(key, None))), []
        _order.append(key)
    _held[key][1].append(twin)
    if len(_order) > _HELD:
        _held.pop(_order.popleft(), None)


@roomy
def _conversion(function: FunctionType, options: Options) -> Conversion:
    # Code objects are equal by content, wherever they come from: the file name tells them apart.
    conversions = _conversions.setdefault(function.__code__, {})
    shadowed = _shadowed(function)
    key = (function.__code__.co_filename, options, shadowed)
    known = conversions.get(key)
    if known is None:
        began = time.perf_counter()
        try:
            with rarely:
                known = _front_end().convert(function, options, shadowed)
        except AutographError as error:
            known = error
        conversions[key] = known
        took = 1e3 * (time.perf_counter() - began)
        config.log(1, lambda: f"converted {function.__qualname__} in {took:.1f} ms")
    if isinstance(known, AutographError):
        raise known
    return known


def filename_of(function: FunctionType) -> str:
    """The file of a function, in which lines are found also of what was typed at a prompt."""
    for key, known in _conversions.get(function.__code__, {}).items():
        if key[0] == function.__code__.co_filename and not isinstance(known, AutographError):
            return known.code.co_filename
    return function.__code__.co_filename


# ---- what is converted -----------------------------------------------------------------------


def left_alone(function: FunctionType) -> str | None:
    """Why a function that converted code calls is called as it is; None when it is converted."""
    reason = _belongs_to_others(function)
    if reason is None and function.__code__.co_flags & _COROUTINES:
        return "it is a coroutine"
    return reason


def is_traced_as_it_is(target: Any) -> bool:
    """Whether an object or method runs what a mark or a rule leaves alone.

    A function that is asked for by itself is converted, whatever a rule says of its module.
    """
    function, owner = underlying_function(target)
    return function is not None and owner is not None and _left_by_word(function)[0] is not None


def _left_by_word(function: FunctionType) -> tuple[str | None, str, bool | None]:
    """Why a mark or a rule leaves a function alone, if one does; its module, and what rules say."""
    module = str(function.__globals__.get("__name__") or function.__module__ or "")
    wanted = rules.decision(module)
    if getattr(function, UNCONVERTED, False):
        return "it is marked with do_not_convert", module, wanted
    return f"a rule leaves {module} alone" if wanted is False else None, module, wanted


def _belongs_to_others(function: FunctionType) -> str | None:
    reason, module, wanted = _left_by_word(function)
    if reason is not None:
        return reason
    root = module.partition(".")[0]
    if root in _EXCLUDED and not wanted and not rules.is_plain_python(module):
        return f"it belongs to {root}"
    if root not in _STANDARD_LIBRARY or wanted or _is_forced(function):
        return None
    return None if rules.is_of_container(function) else "it belongs to the standard library"


def _is_forced(function: FunctionType) -> bool:
    return bool(getattr(function, "__ag_convert__", False))


def _callee(function: FunctionType) -> FunctionType | None:
    """What converted code runs for a callee: its twin, or None to call it as it is."""
    if left_alone(function) is not None:
        return None
    try:
        return convert_function(function, _CALLEE)
    except SourceUnavailableError:
        if config.strict_conversion.value:
            raise
        return None


_CALLEE = Options(user_requested=False)
# Of a generator function what runs in the place of a loop, or `with`, over it; None where nothing.
_consumers: weakref.WeakKeyDictionary[
    FunctionType, dict[bool, tuple[weakref.ref[FunctionType] | None, tuple[Any, ...]]]
] = weakref.WeakKeyDictionary()


def _for_consumer(function: FunctionType, of_context: bool) -> FunctionType | None:
    """What runs in the place of a loop over a generator; None where only the generator can.

    `of_context`: in the place of a `with` statement.
    """
    original = vars(function).get(ORIGINAL, lambda: function)() or function
    if AG in original.__globals__:  # text that is converted already
        return None
    with whole, _lock:
        known = _consumers.setdefault(original, {})
        parts = _parts_of(original)
        twin, had = known.get(of_context, (None, ()))
        is_known = bool(had) and all(map(operator.is_, had, parts))
        made: FunctionType | None = twin() if twin is not None and is_known else None
        if made is None and (twin is not None or not is_known):
            made = _front_end().consumer_of(original, _CALLEE, parts[-1], of_context)
            known[of_context] = None if made is None else weakref.ref(made), parts
            if made is not None:
                _hold(made, original)
        return made


def _called(function: Any) -> Any:
    """What a function gives that is called by Python itself, as converted code calls it."""
    scope = FunctionScope("call", "fscope", ConversionOptions(user_requested=True))
    return calls.converted_call(function, (), None, scope)


class Converting(Context):
    """What gives operators the converted twins of functions."""

    convert = staticmethod(_callee)
    for_consumer = staticmethod(_for_consumer)
    why_left = staticmethod(left_alone)
    called = staticmethod(_called)


def is_converted(function: Any) -> bool:
    """Whether calling `function` runs converted code."""
    return calls.is_artifact(function)


def do_not_convert(function: F) -> F:
    """Leave a function as it is: converted code calls it while tracing, as plain Python.

    >>> import autograph as ag
    >>> @ag.do_not_convert
    ... def table(n):
    ...     return [k * k for k in range(n)]
    >>> ag.convert(lambda x: x * table(4)[2])(10.0)
    40.0
    """
    if isinstance(function, (MethodType, functools.partial)) or not hasattr(function, "__dict__"):

        @functools.wraps(function)
        def left(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        setattr(left, UNCONVERTED, True)
        return cast(F, left)
    setattr(function, UNCONVERTED, True)
    return function


def underlying_function(target: Any) -> tuple[FunctionType | None, Any]:
    """The Python function that a callable runs, and the object it is bound to (or None).

    Partials, and objects that say themselves what a call in a graph is, give (None, None): their
    function is reached by a call.
    """
    if hasattr(type(target), "__ag_call__"):
        return None, None
    if isinstance(target, MethodType) and isinstance(target.__func__, FunctionType):
        return target.__func__, target.__self__
    if isinstance(target, FunctionType):
        return target, None
    call = looked_up(type(target), "__call__")
    if isinstance(call, FunctionType) and not isinstance(target, type):
        return call, target
    return None, None


def converted_source(function: FunctionType, options: Options | None = None) -> str:
    """The converted function as the text of an importable module."""
    options = options or Options()
    if function.__code__.co_flags & inspect.CO_GENERATOR:  # as those that call it have it
        options = options._replace(user_requested=False)
    return str(_front_end().text_of(_conversion(function, options), function, options))
