"""Draws from NumPy's generators as nodes of the graph, in the place of calls of Python code.

A method is a function here that has NumPy's parameters. What it is not sure to draw as NumPy does,
it refuses, and the generator's own method is called each time the graph runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.captures import Trace, current_trace, trace_at_hand
from autograph.operators.captured.guards import Identity, IdentityGuard, Place
from autograph.operators.captured.host_values import HostValue
from autograph.operators.results.host_results import bound, generators, known_result, owner_of
from runtime import ops, trace
from runtime.building import Builder, building, current_builder, traced
from runtime.effects.generators import (
    BITS,
    BITS_TYPE,
    DRAW,
    GENERATOR,
    SAMPLE,
    bits_of,
    chosen_by,
    drawn_apart,
    is_sum_rounded_twice,
)  # fmt: skip
from runtime.ops.declaration.operands import encode_shape, type_of
from runtime.spec import ObjectType, TensorType, broadcast_shapes
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["drawn", "given_generator", "has_draws", "is_draw", "note_generator", "order_drawn"]

_F8, _I8 = np.dtype(np.float64), np.dtype(np.int64)
_NUMBER = TensorType(_F8, (), weak=True)


class _Refused(Exception):
    """A call that is left to Python."""


# So are calls with other parameters, and of shapes that do not fit.
_REFUSED = (_Refused, TypeError, ValueError)


def is_draw(kind: type | None, name: str) -> bool:
    """Whether a method of a class draws what a graph can draw."""
    return name in _library(kind).methods


def has_draws(kind: type | None) -> bool:
    """Whether objects of a class are generators that a graph can draw from."""
    return bool(_library(kind).methods)


def _library(kind: Any) -> _Library:
    """How a graph draws from objects of a class; nobody imports a library for this."""
    name = getattr(kind, "__module__", ""), getattr(kind, "__name__", "")
    return _LIBRARIES.get(name, _NONE)


def note_generator(made: HostValue) -> None:
    """Remember where the bits of a generator are that a call gives: they stay there."""
    facts = trace_at_hand()
    facts.effects.bits[made.value._value] = _bits_of(made.value)


def given_generator(builder: Builder, facts: Trace, bits: Tensor, name: str) -> HostValue:
    """What stands for a generator among the arguments of the graph, which has its bits."""
    node = builder.emit(GENERATOR, [builder.value_of(bits)], {}, types=(ObjectType(),))
    made = HostValue(traced(node.outputs[0]), name, generators()[0])
    facts.effects.bits[made.value._value] = bits
    return made


def drawn(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call of a method gives that is a draw of the graph; NotImplemented for other calls."""
    function, args = bound(function, args)
    owner, name = owner_of(function)
    if not _is_lasting(function, owner, name):
        return NotImplemented
    args = tuple(map(_content, args))
    kwargs = {key: _content(x) for key, x in kwargs.items()}
    declared = known_result(function, args, kwargs)
    drawing = _Drawing(function, owner, _NUMBER)
    if declared is not None and declared.is_single:
        drawing.declared = declared.types[0]
    elif drawing.library.prefix != "python.":  # whose numbers are of the type of a sum
        return NotImplemented
    builder = current_builder()
    mark = builder.mark()
    try:
        return drawing.library.methods[name](drawing, *args, **kwargs)
    except _REFUSED:
        builder.truncate(mark)
        return NotImplemented


def _is_lasting(function: Any, owner: Any, name: str) -> bool:
    """Whether it is a draw from one generator in all calls of the graph, or one that it makes."""
    if isinstance(function, HostValue):
        return is_draw(owner, name)
    facts = trace_at_hand()
    return is_draw(type(owner), name) and (facts.outside.has(owner) or _is_of_module(owner))


def _is_of_module(owner: Any) -> bool:
    """Whether it is what the functions of a module draw from, `np.random` or `random`."""
    places = (("numpy.random.mtrand", "_rand"), ("random", "_inst"))
    return any(getattr(sys.modules.get(name), own, None) is owner for name, own in places)


def _content(x: Any) -> Any:
    """An operand; of a Variable, what it holds."""
    return x.read_value() if isinstance(x, Variable) else x


def order_drawn(function: Any, count: Any) -> Any:
    """The order into which `shuffle` brings so many items; None where it is left to Python."""
    owner, name = owner_of(function)
    if not _is_lasting(function, owner, name):
        return None
    return _Drawing(function, owner, TensorType(_I8, (None,))).order(count)


class _Drawing:
    """A call of a method of a generator, which gives what is of the type `declared`."""

    def __init__(self, function: Any, owner: Any, declared: TensorType) -> None:
        self.function, self.owner, self.declared = function, owner, declared
        self.library = _library(owner if isinstance(function, HostValue) else type(owner))

    def draw(
        self, method: str, operands: Sequence[Any] = (),
        shape: tuple[tuple[int | None, ...], tuple[Any, ...]] = ((), ()),
        dtype: np.dtype[Any] = _F8, *, depends: bool = False,
    ) -> Any:  # fmt: skip
        """Add a draw; `depends`: what is drawn depends on operands, smoothly."""
        static, dims = shape
        method = self.library.prefix + method
        attrs = {"method": method, "shape": static, "dtype": dtype, "count": len(operands)}
        op = SAMPLE if depends and any(isinstance(x, Tensor) for x in operands) else DRAW
        return trace.apply(op, (self._bits(), *operands, *dims), attrs)

    def result(self, x: Any) -> Any:
        """A result, of the type that NumPy gives."""
        kind = self.declared.dtype.kind
        if self.declared.rank == 0:
            if not self.declared.weak:
                return ops.astype(x, self.declared.dtype)
            return x if type_of(x).weak else ops.as_weak(x, kind={"f": "float", "i": "int"}[kind])
        builder = current_builder()
        return builder.array(builder.value_of(x)).as_array()

    def shape(self, size: Any, *parameters: Any) -> tuple[tuple[int | None, ...], tuple[Any, ...]]:
        """The shape of a result, as `draw` takes it."""
        shapes = [type_of(x).shape or () for x in parameters if isinstance(x, Tensor)]
        if any(None in shape for shape in shapes):
            raise _Refused
        common = broadcast_shapes(*shapes) or () if shapes else ()
        static, dims = (common, ()) if size is None else encode_shape(size)
        is_other = common and broadcast_shapes(static, common) != static
        if is_other or (size is not None and not static):  # the latter is an array without axes
            raise _Refused
        if len(static) != self.declared.rank or any(n is not None and n < 0 for n in static):
            raise _Refused
        if any(type_of(n).dtype.kind not in "iu" or type_of(n).shape != () for n in dims):
            raise _Refused
        return static, dims

    def order(self, count: Any) -> Any:
        """Numbers from 0 on in the order in which `shuffle` leaves them."""
        return self.draw("order", (), encode_shape((count,)), _I8)

    def _bits(self) -> Tensor:
        facts, builder = current_trace(), building()
        assert facts is not None and builder is not None
        if not isinstance(self.function, HostValue):
            if _is_of_module(self.owner) and self.library.prefix == "state.":
                _guard_bits(facts, self.owner)
            return traced(builder.external(bits_of(self.owner), BITS_TYPE, "generator"))
        generator = self.function.generator
        known: Tensor | None = facts.effects.bits.get(generator._value)
        return _bits_of(generator) if known is None else known


def _guard_bits(facts: Trace, state: Any) -> None:
    """Have calls look whether `np.random` draws from the bits that it drew from."""
    place = Place("the bits of `np.random`", lambda: state._bit_generator)
    facts.captures.guards.setdefault(place.name, IdentityGuard(place, Identity(place.fetch())))


def _bits_of(generator: Tensor) -> Tensor:
    """Where the bits of a generator are that a call gave."""
    builder = current_builder()
    node = builder.emit(BITS, [builder.value_of(generator)], {}, types=(BITS_TYPE,))
    return traced(node.outputs[0])


# ---- operands ------------------------------------------------------------------------------------


def _float(x: Any) -> Any:
    """An operand as NumPy takes it for a number of float64, or an array of such."""
    if isinstance(x, Tensor):
        type_ = x.type
        if type_.dtype.kind not in "biuf" or type_.shape is None:
            raise _Refused
        if type_.rank:
            return ops.astype(x, _F8)
        return x if type_.weak and type_.dtype.kind == "f" else ops.as_weak(ops.astype(x, _F8))
    if type(x) in (int, float, bool) or isinstance(x, (np.floating, np.integer, np.bool_)):
        return float(x)
    raise _Refused


def _integer(x: Any) -> Any:
    """An operand that is a whole number."""
    if isinstance(x, Tensor):
        if x.type.dtype.kind not in "iu" or x.type.shape != ():
            raise _Refused
        return x
    if (type(x) is not int and not isinstance(x, np.integer)) or not -(2**63) <= x < 2**63:
        raise _Refused
    return int(x)


def _left_out(*operands: Any) -> bool:
    """Whether operands are known to be above 0, so that nobody needs to look at them."""
    return all(type(x) is float and 0 < x < np.inf for x in operands)


# ---- distributions of which the graph computes the rest ------------------------------------------


def _normal(d: _Drawing, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    loc, scale = _float(loc), _float(scale)
    shape = d.shape(size, loc, scale)
    if not is_sum_rounded_twice():
        return d.result(d.draw("normal", (loc, scale), shape, depends=True))
    deviate = d.draw("normal_deviate", () if _left_out(scale) else (scale,), shape)
    return d.result(loc + scale * deviate)


def _uniform(d: _Drawing, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    low, high = _float(low), _float(high)
    shape = d.shape(size, low, high)
    if not is_sum_rounded_twice():
        raise _Refused
    width = high - low
    deviate = d.draw("uniform_deviate", () if _left_out(width) else (low, high), shape)
    return d.result(low + width * deviate)


def _exponential(d: _Drawing, scale: Any = 1.0, size: Any = None) -> Any:
    scale = _float(scale)
    shape = d.shape(size, scale)
    deviate = d.draw("exponential_deviate", () if _left_out(scale) else (scale,), shape)
    return d.result(scale * deviate)


def _gamma(d: _Drawing, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    given = _float(shape), _float(scale)
    depends, size = isinstance(given[0], Tensor), d.shape(size, *given)
    deviate = d.draw("gamma_deviate", given, size, depends=depends)
    return d.result(given[1] * deviate)


# ---- standard distributions ----------------------------------------------------------------------


def _standard(method: str) -> Callable[..., Any]:
    def draw(d: _Drawing, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        if out is not None:
            raise _Refused
        return d.result(d.draw(method, (), d.shape(size), np.dtype(dtype)))

    return draw


def _standard_gamma(
    d: _Drawing, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
) -> Any:
    given = _float(shape)
    if out is not None or np.dtype(dtype) != _F8:
        raise _Refused
    return d.result(d.draw("standard_gamma", (given,), d.shape(size, given), depends=True))


def _of(
    method: str, bind: Callable[..., tuple[Any, ...]], dtype: np.dtype[Any] = _F8
) -> Callable[..., Any]:
    """A distribution: `bind` has its parameters, and gives them with the size behind."""

    def draw(d: _Drawing, *args: Any, **kwargs: Any) -> Any:
        *given, size = bind(*args, **kwargs)
        operands = [_float(x) for x in given]
        drawn = d.draw(method, operands, d.shape(size, *operands), dtype, depends=dtype == _F8)
        return d.result(drawn)

    return draw


def _binomial(d: _Drawing, n: Any, p: Any, size: Any = None) -> Any:
    operands = _integer(n), _float(p)
    return d.result(d.draw("binomial", operands, d.shape(size, *operands), _I8))


# ---- whole numbers and items ---------------------------------------------------------------------


def _integers(
    d: _Drawing, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64,
    endpoint: Any = False,
) -> Any:  # fmt: skip
    bounds = (0, _integer(low)) if high is None else (_integer(low), _integer(high))
    kind = np.dtype(dtype)
    if kind.kind not in "iu" or type(endpoint) is not bool or not kind.isnative:
        raise _Refused
    return d.result(d.draw("integers_to" if endpoint else "integers", bounds, d.shape(size), kind))


def _choice(
    d: _Drawing, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0,
    shuffle: Any = True,
) -> Any:  # fmt: skip
    if axis != 0 or not (replace is True or (replace is False and p is None and shuffle is True)):
        raise _Refused
    items = _items(a)
    count = _integer(a) if items is None else items.shape[0]
    if (type(count) is int and count < 1) or d.declared.dtype.kind not in "biuf":
        raise _Refused
    shape = d.shape(size)
    if p is not None:
        which = _weighted(d, count, p, shape)
    elif replace:
        which = d.draw("choice", (count,), shape, _I8)
    else:
        draw = lambda most: d.draw("integers_to", (0, most), dtype=_I8)  # noqa: E731
        which = None if d.library.prefix else drawn_apart(draw, count, size)
    if which is None:
        raise _Refused
    return d.result(which if items is None else items[which])


def _weighted(d: _Drawing, count: Any, p: Any, shape: Any) -> Any:
    """Which of so many it is, by their probabilities; NumPy says itself what is wrong with them."""
    weights = _items(p)
    if weights is None or weights.type.rank != 1 or weights.type.dtype.kind not in "biuf":
        raise _Refused
    by_numpy = lambda: d.draw("choice", (count, weights), shape, _I8)  # noqa: E731
    is_good, place = chosen_by(weights, count)
    return if_exp(is_good, lambda: place(d.draw("random", (), shape)), by_numpy, "choice")


def _permutation(d: _Drawing, x: Any, axis: Any = 0) -> Any:
    if axis != 0:
        raise _Refused
    items = _items(x)
    order = d.order(_integer(x) if items is None else items.shape[0])
    return d.result(order if items is None else items[order])


def _items(x: Any) -> Any:
    """What is chosen from, as an array; None for a number of choices."""
    if isinstance(x, Tensor):
        return x if x.type.rank else None
    if type(x) in (list, tuple) and all(type(item) in (bool, int, float) for item in x):
        return ops.asarray(np.array(x))
    return None


def _shuffle(d: _Drawing, *args: Any, **kwargs: Any) -> Any:
    raise _Refused  # an array is brought into an order: see `order_drawn`


# ---- `RandomState` -------------------------------------------------------------------------------


def _by_sizes(method: str) -> Callable[..., Any]:
    return lambda d, *sizes: d.result(d.draw(method, (), d.shape(sizes or None)))


def _by_size(method: str) -> Callable[..., Any]:
    return lambda d, size=None: d.result(d.draw(method, (), d.shape(size)))


def _randint(d: _Drawing, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    return _integers(d, low, high, size, dtype)


# ---- Python's `random` ---------------------------------------------------------------------------


def _real(x: Any) -> Any:
    """An operand of a sum, as it is: a real number."""
    type_ = type_of(x) if isinstance(x, (Tensor, float, int, np.number)) else None
    if type_ is None or type_.shape != () or type_.dtype.kind not in "iuf":
        raise _Refused
    return x


def _python_uniform(d: _Drawing, a: Any, b: Any) -> Any:
    return _real(a) + (_real(b) - a) * d.draw("random")


def _python_normal(method: str) -> Callable[..., Any]:
    return lambda d, mu=0.0, sigma=1.0: _real(mu) + d.draw(method) * _real(sigma)


def _python_exponential(d: _Drawing, lambd: Any = 1.0) -> Any:
    return d.draw("expovariate") / _real(lambd)


def _below(d: _Drawing, *ends: Any) -> Any:
    """A number from one on, or 0, below another."""
    ends = tuple(x if type(x) is int else ops.as_weak(x, kind="int") for x in map(_integer, ends))
    drawn = d.draw("below", ends, dtype=_I8)
    return drawn if len(ends) == 1 else ends[0] + drawn


def _randrange(d: _Drawing, start: Any, stop: Any = None) -> Any:
    return _below(d, start) if stop is None else _below(d, start, stop)


def _pick(d: _Drawing, seq: Any) -> Any:
    items = _items(seq)
    if items is None or items.type.rank != 1 or type(items.shape[0]) is not int:
        raise _Refused
    return d.result(items[_below(d, items.shape[0])])


# ---- libraries -----------------------------------------------------------------------------------


class _Library(NamedTuple):
    """The methods that draw from objects of a class, and what names of draws begin with."""

    prefix: str
    methods: Mapping[str, Callable[..., Any]]


_NONE = _Library("", {})
_OF_GENERATORS: dict[str, Callable[..., Any]] = {
    "random": _standard("random"),
    "standard_normal": _standard("standard_normal"),
    "standard_exponential": _standard("standard_exponential"),
    "standard_cauchy": _of("standard_cauchy", lambda size=None: (size,)),
    "standard_gamma": _standard_gamma,
    "normal": _normal,
    "uniform": _uniform,
    "exponential": _exponential,
    "gamma": _gamma,
    "beta": _of("beta", lambda a, b, size=None: (a, b, size)),
    "chisquare": _of("chisquare", lambda df, size=None: (df, size)),
    "f": _of("f", lambda dfnum, dfden, size=None: (dfnum, dfden, size)),
    "standard_t": _of("standard_t", lambda df, size=None: (df, size)),
    "pareto": _of("pareto", lambda a, size=None: (a, size)),
    "weibull": _of("weibull", lambda a, size=None: (a, size)),
    "power": _of("power", lambda a, size=None: (a, size)),
    "rayleigh": _of("rayleigh", lambda scale=1.0, size=None: (scale, size)),
    "laplace": _of("laplace", lambda loc=0.0, scale=1.0, size=None: (loc, scale, size)),
    "gumbel": _of("gumbel", lambda loc=0.0, scale=1.0, size=None: (loc, scale, size)),
    "logistic": _of("logistic", lambda loc=0.0, scale=1.0, size=None: (loc, scale, size)),
    "lognormal": _of("lognormal", lambda mean=0.0, sigma=1.0, size=None: (mean, sigma, size)),
    "wald": _of("wald", lambda mean, scale, size=None: (mean, scale, size)),
    "vonmises": _of("vonmises", lambda mu, kappa, size=None: (mu, kappa, size)),
    "triangular": _of("triangular", lambda left, mode, right, size=None: (left, mode, right, size)),
    "noncentral_chisquare": _of(
        "noncentral_chisquare", lambda df, nonc, size=None: (df, nonc, size)
    ),
    "logseries": _of("logseries", lambda p, size=None: (p, size), _I8),
    "zipf": _of("zipf", lambda a, size=None: (a, size), _I8),
    "poisson": _of("poisson", lambda lam=1.0, size=None: (lam, size), _I8),
    "geometric": _of("geometric", lambda p, size=None: (p, size), _I8),
    "binomial": _binomial,
    "integers": _integers,
    "choice": _choice,
    "permutation": _permutation,
    "shuffle": _shuffle,
}
_OF_STATES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("random", "random_sample", "ranf", "sample"), _by_size("random")),
    "rand": _by_sizes("random"),
    "randn": _by_sizes("standard_normal"),
    "standard_normal": _by_size("standard_normal"),
    "standard_exponential": _by_size("standard_exponential"),
    "randint": _randint,
    **{
        name: _OF_GENERATORS[name]
        for name in ("normal", "uniform", "exponential", "gamma", "beta", "chisquare", "poisson",
                     "binomial", "choice", "permutation", "shuffle", "laplace", "lognormal")
    },
}  # fmt: skip
_OF_PYTHON: dict[str, Callable[..., Any]] = {
    "random": lambda d: d.draw("random"),
    "uniform": _python_uniform,
    "gauss": _python_normal("gauss"),
    "normalvariate": _python_normal("normalvariate"),
    "expovariate": _python_exponential,
    "randint": lambda d, a, b: _below(d, a, b + 1),
    "randrange": _randrange,
    "choice": _pick,
}
# By the module and the name of the class.
_LIBRARIES = {
    ("numpy.random._generator", "Generator"): _Library("", _OF_GENERATORS),
    ("numpy.random.mtrand", "RandomState"): _Library("state.", _OF_STATES),
    ("random", "Random"): _Library("python.", _OF_PYTHON),
}
