"""What is certain of calls of Python code before they are made: what they give, what they see."""

from __future__ import annotations

import copy
import datetime
import functools
import io
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.captured.host_values import HostValue
from autograph.operators.results.host_runs import Declared
from runtime import ops
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import type_of
from runtime.spec import TensorSpec, TensorType, broadcast_shapes, type_of_number
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = ["bound", "generators", "is_blind", "is_discreet", "is_of_the_moment", "kind_of_result",
           "known_result", "owner_of", "sources", "types_of", "uses_clock"]  # fmt: skip


def _loaded(module: str, *names: str) -> tuple[type, ...]:
    """Classes of a module that is not imported for this: who has one of their objects did so."""
    found = sys.modules.get(module)
    return () if found is None else tuple(getattr(found, name) for name in names)


def generators() -> tuple[type, ...]:
    """The classes of NumPy's that draw random numbers."""
    return _loaded("numpy.random", "Generator", "RandomState")


def sources() -> tuple[type, ...]:
    """The classes whose objects draw random numbers, or are what such objects draw from."""
    return (*generators(), *_randoms(), *_loaded("numpy.random", "BitGenerator", "SeedSequence"))


def is_of_the_moment(kind: type, name: str) -> bool:
    """Whether an attribute of objects of a class tells of the state that draws change."""
    return issubclass(kind, sources()) and not callable(getattr(kind, name, callable))


def _randoms() -> tuple[type, ...]:
    return _loaded("random", "Random")


# Methods of `random.Random` that give a float, and an int, for Python numbers.
_FLOATS = frozenset(
    ("random", "uniform", "triangular", "gauss", "normalvariate", "lognormvariate", "expovariate",
     "vonmisesvariate", "gammavariate", "betavariate", "paretovariate", "weibullvariate")
)  # fmt: skip
_INTS = frozenset(("randint", "randrange"))
# Modules whose functions see nothing of the program but what they are given.
_BLIND = frozenset(
    ("time", "random", "_random", "numpy", "secrets", "_io", "io", "json", "struct", "autograph")
)
# Those that, moreover, do not keep what they are given.
_DISCREET = _BLIND | {"logging", "warnings"}
_NOW = frozenset(("now", "utcnow", "today"))


def owner_of(function: Any) -> tuple[Any, str]:
    """The object that a function is a method of, and its name; (None, name) for others."""
    if isinstance(function, HostValue):
        return function.kind, function.method or ""
    owner = getattr(function, "__self__", None)
    return owner, getattr(function, "__name__", "")


def uses_clock(function: Any) -> bool:
    """Whether a method of a class of `datetime` asks what time it is."""
    owner, name = owner_of(function)
    return name in _NOW and isinstance(owner, type) and issubclass(owner, datetime.date)


def root_of(function: Any) -> str:
    """The package that a function belongs to, or the class of the object that it is bound to."""
    if isinstance(function, HostValue):
        return "" if function.kind is None else function.kind.__module__.partition(".")[0]
    if ops.special.is_of_scipy(function):
        return "numpy"  # as its functions: they see and keep nothing
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        module = type(owner).__module__
    return module.partition(".")[0]


def is_blind(function: Any) -> bool:
    """Whether a call sees and changes nothing of the program but what it is given."""
    return root_of(function) in _BLIND


def is_discreet(function: Any) -> bool:
    """Whether nothing that a call is given is kept after it."""
    return root_of(function) in _DISCREET


# ---- results -----------------------------------------------------------------------------------


def known_result(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Declared | None:
    """The types of what a call gives, where they are certain; None where they are not."""
    function, args = bound(function, args)
    if _is_silent(function):
        return NOTHING
    if isinstance(function, np.ufunc):
        return _of_ufunc(function, args, kwargs)
    owner, name = owner_of(function)
    if isinstance(owner, _randoms()) or owner in _randoms():
        return _of_random(name, args, kwargs)
    if isinstance(owner, generators()) or owner in generators():
        return _of_generator(owner, name, args, kwargs)
    certain = _CERTAIN.get((root_of(function), name))
    return None if certain is None else types_of(certain)


# Functions that give a number of one type always, by their package and name.
_CERTAIN: dict[tuple[str, str], type] = {
    ("posix", "getpid"): int,
    ("genericpath", "exists"): bool,
    ("genericpath", "isfile"): bool,
    ("genericpath", "isdir"): bool,
    ("logging", "isEnabledFor"): bool,
    ("logging", "getEffectiveLevel"): int,
}


def bound(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A method that is called with its object for the first argument, as bound to that."""
    name = getattr(function, "__name__", "")
    if not args or not isinstance(args[0], (*_randoms(), *generators())):
        return function, args
    if getattr(type(args[0]), name, None) is not function:
        return function, args
    return getattr(args[0], name), args[1:]


def kind_of_result(function: Any, args: tuple[Any, ...] = ()) -> type | None:
    """The class of what a call gives, where that is certain."""
    if (function is copy.copy or function is copy.deepcopy) and isinstance(args[0], sources()):
        return type(args[0])
    if function is open:
        return io.IOBase
    if isinstance(function, type):
        return function if issubclass(function, sources()) else None
    if getattr(function, "__name__", "") == "default_rng" and root_of(function) == "numpy":
        return generators()[0]
    return None


# A result of None.
NOTHING = Declared(tree.flatten(())[1], (), False)


def _is_silent(function: Any) -> bool:
    """Whether a function gives None always."""
    if function is time.sleep:
        return True
    owner, name = owner_of(function)
    if isinstance(owner, io.IOBase) or owner is io.IOBase:
        return name in ("close", "flush", "writelines")
    if name == "seed":
        return isinstance(owner, (*_randoms(), *generators())) or root_of(function) == "numpy"
    return name in _LOGGING and root_of(function) == "logging"


_LOGGING = frozenset(
    ("debug", "info", "warning", "error", "exception", "critical", "log", "warn", "fatal")
)


def _of_random(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Declared | None:
    if name in _PICKS:
        return _of_pick(name, args, kwargs)
    numbers = all(_python_kind(x) for x in tree.leaves((args, kwargs)) if x is not None)
    if not numbers or name not in _FLOATS | _INTS:
        return None
    return types_of(float if name in _FLOATS else int, is_new=True)


def _python_kind(x: Any) -> type | None:
    """The class of a Python number, be it known or not; None for what is none."""
    if isinstance(x, Tensor):
        return type(x.type.dtype.type(0).item()) if x.type.weak else None
    return type(x) if type(x) in (bool, int, float) else None


# Methods of `random.Random` that give items of a sequence.
_PICKS = frozenset(("choice", "choices", "sample"))


def _of_pick(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Declared | None:
    """What is picked of an array, or a sequence of Python numbers of one class."""
    if name == "choice" and args and isinstance(args[0], Tensor) and args[0].type.rank == 1:
        return types_of(TensorSpec((), args[0].type.dtype))
    if not args or type(args[0]) not in (list, tuple, range) or not len(args[0]):
        return None
    kinds = {int} if type(args[0]) is range else set(map(_python_kind, args[0]))
    kind = kinds.pop()
    if kinds or kind is None:
        return None
    if name == "choice":
        return types_of(kind, is_new=True)
    count = kwargs.get("k", args[1] if name == "sample" and len(args) > 1 else 1)
    if type(count) is not int or count < 0:
        return None
    return types_of([kind] * count, is_new=True)


def _of_generator(
    owner: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Declared | None:
    """What a draw of NumPy's gives: as another generator gives it for arguments of such types."""
    old = generators()[1]
    legacy = isinstance(owner, old) or owner is old
    if name not in (_LEGACY_DRAWS if legacy else _DRAWS):
        return None
    if any(isinstance(x, HostValue) for x in tree.leaves((args, kwargs))):
        return None
    alike = _Alike()
    given = tree.map_structure(alike, (list(args), dict(kwargs)))
    _with_valid_operands(name, *given)
    makes: Callable[[int], Any] = np.random.RandomState if legacy else np.random.default_rng
    try:
        made = getattr(makes(0), name)(*given[0], **given[1])
    except (TypeError, ValueError):
        return None  # as it is, or as it will be
    likes, structure = tree.flatten(made)
    types = [_type_like(x) for x in likes]
    known = [t for t in types if t is not None]
    if len(known) < len(types):
        return None
    if alike.open_sizes:
        known = [TensorType(t.dtype, (None,) * len(t.shape or ())) if t.rank else t for t in known]
    return Declared(structure, tuple(known), True)


def _with_valid_operands(name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Change operands of a draw that may not fit each other to valid ones; they change no type."""
    if name == "choice":
        kwargs.pop("p", None)
        args[3:4] = [None] * len(args[3:4])
    elif name == "multinomial":
        args[1:2] = map(np.zeros_like, args[1:2])
        kwargs.update({"pvals": np.zeros_like(kwargs["pvals"])} if "pvals" in kwargs else {})
    elif name in _BETWEEN:
        ends = [*args[:2], *(kwargs[key] for key in ("low", "high") if key in kwargs)]
        if len(ends) == 2 and ends[1] is not None:
            low, high = ends[0] * 0, ends[1] * 0 + 1
            args[:2] = [low, high][: len(args[:2])]
            kwargs.update((k, x) for k, x in (("low", low), ("high", high)) if k in kwargs)


# Draws between two bounds.
_BETWEEN = frozenset(("integers", "randint", "uniform"))


def _of_ufunc(ufunc: np.ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Declared | None:
    """What a ufunc that is not NumPy's gives: its loops say so, and broadcasting does."""
    if kwargs or ufunc.signature is not None or len(args) != ufunc.nin:
        return None
    if not all(isinstance(x, (Tensor, np.ndarray, np.generic, *_NUMBERS)) for x in args):
        return None
    types = [type_of(x) for x in args]
    given = [_NUMBERS[_KINDS.index(t.dtype.kind)] if t.weak else t.dtype for t in types]
    try:
        dtypes = ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[ufunc.nin :]
        shape = broadcast_shapes(*[t.shape for t in types])
    except (TypeError, ValueError):
        return None  # as the call itself will say
    if any(kind_of(dtype) not in "biufc" for dtype in dtypes):
        return None
    results = [TensorSpec(shape, dtype) for dtype in dtypes]
    return types_of(results[0] if ufunc.nout == 1 else tuple(results), is_new=True)


_NUMBERS, _KINDS = (bool, int, float, complex), "bifc"


_DRAWS = frozenset(
    ("random", "standard_normal", "normal", "uniform", "exponential", "standard_exponential",
     "gamma", "standard_gamma", "beta", "poisson", "binomial", "geometric", "integers", "lognormal",
     "laplace", "logistic", "gumbel", "rayleigh", "weibull", "power", "chisquare", "standard_t",
     "standard_cauchy", "triangular", "vonmises", "wald", "pareto", "permutation", "choice",
     "multivariate_normal", "dirichlet", "multinomial", "negative_binomial", "hypergeometric", "f",
     "noncentral_f", "noncentral_chisquare", "logseries", "zipf")
)  # fmt: skip
_LEGACY_DRAWS = (_DRAWS - {"integers"}) | {
    "rand", "randn", "randint", "random_sample", "random_integers", "sample", "ranf",
}  # fmt: skip


class _Alike:
    """Gives, for a traced argument, a value of its type; notes whether a size may be traced."""

    def __init__(self) -> None:
        self.open_sizes = False

    def __call__(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        if x.is_known:
            return x.numpy() if x.type.rank else x.numpy()[()]
        type_ = x.type
        if type_.weak:
            self.open_sizes |= type_.dtype.kind == "i"
            return {"b": True, "i": 1, "f": 1.0, "c": 1j}[kind_of(type_.dtype)]
        if type_.rank == 0:
            self.open_sizes |= type_.dtype.kind in "iu"
            return type_.dtype.type(1)
        self.open_sizes |= type_.shape is None or None in type_.shape or type_.dtype.kind in "iu"
        return np.ones([n or 1 for n in type_.shape or (1,)], type_.dtype)


def _type_like(x: Any) -> TensorType | None:
    if type(x) in (bool, int, float, complex):
        return type_of_number(x)
    if isinstance(x, (np.ndarray, np.generic)) and kind_of(x.dtype) in "biufc":
        return TensorType(x.dtype, x.shape)
    return None


@functools.singledispatch
def _type_of_spec(spec: Any) -> TensorType:
    if spec in (bool, int, float, complex):
        return type_of_number(spec(0))
    try:
        return TensorType(np.dtype(spec), ())
    except TypeError:
        raise TypeError(
            f"`result` is a nest of ag.TensorSpec, or of the types of numbers, not {spec!r}"
        ) from None


@_type_of_spec.register
def _(spec: TensorSpec) -> TensorType:
    return spec.type


def types_of(specs: Any, *, is_new: bool = False) -> Declared:
    """A nest of `TensorSpec`s, or of types of numbers, as what a call was said to give."""
    leaves, structure = tree.flatten(specs)
    return Declared(structure, tuple(map(_type_of_spec, leaves)), is_new)
