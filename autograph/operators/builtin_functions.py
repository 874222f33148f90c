"""Python's built-in functions on tensors: each with Python's meaning, value for value."""

from __future__ import annotations

import builtins
import functools
import operator
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators import (
    access,
    attributes,
    counting,
    gathering,
    growing,
    in_place,
    iterables,
    open_deques,
    open_dicts,
    open_sets,
)
from autograph.operators.bodies import stage_raise
from autograph.operators.captured_items import with_inputs
from autograph.operators.captures import current_trace
from autograph.operators.caught import Caught, KindOfError
from autograph.operators.chosen_text import is_chosen, of_each
from autograph.operators.comprehensions import filtered, generator_exp
from autograph.operators.conditionals import condition, if_exp
from autograph.operators.contents import content_slot
from autograph.operators.expanding import expanded
from autograph.operators.generators import call_of
from autograph.operators.growing_arrays import arrays_to_add, as_array
from autograph.operators.grown_text import letters_of
from autograph.operators.heaps import Reference, own_class
from autograph.operators.host_values import HostValue, NumPyValue
from autograph.operators.iterables import Indexed, IndexedIterator, is_open
from autograph.operators.iterators import taken
from autograph.operators.letters import letter_of, number_of_letter
from autograph.operators.listed import is_of_open_length
from autograph.operators.logical import greater, less, not_
from autograph.operators.loops import for_stmt
from autograph.operators.membership import in_
from autograph.operators.methods import method
from autograph.operators.one_of import OneOf, one_of
from autograph.operators.parted_arrays import Parts
from autograph.operators.printing import ascii_, format_, print_, repr_, str_
from autograph.operators.quantifiers import fold
from autograph.operators.ranges import OpenRange
from autograph.operators.reductions import reduced, sum_of
from autograph.operators.rows import length
from autograph.operators.runs import EntriesView, has_runs, python_class, refusal, settled
from autograph.operators.sorting import sorted_
from autograph.operators.templates import (
    LazyString,
    class_name_of,
    has_traced,
    python_type_of,
    shown,
    stands_for_other,
)
from autograph.operators.text_calls import by_letters
from autograph.operators.variables import Nullable, there
from runtime import journal, ops
from runtime.building import building
from runtime.errors import StagingError
from runtime.ops.python_math import math_power_modulo
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor
from runtime.tree import MADE_BY_CLASS_STATEMENT
from runtime.variable import Variable

__all__ = ["HANDLERS", "WITH_CALLBACKS", "single", "type_"]

_ABSENT = object()


def _plain(x: Any) -> Any:
    if isinstance(x, NumPyValue):
        return x.tensor
    if open_dicts.is_open(x):
        x = open_dicts.view(x)
    if has_runs(x):
        return growing.items_of(x)
    x = open_deques.going_through(x)
    return x.read_value() if isinstance(x, Variable) else x


def _array(x: Any) -> bool:
    return isinstance(x, (Tensor, Indexed))


def len_(x: Any) -> Any:
    """`len(x)`: a Python int where it is known, else an integer tensor."""
    if type(x) in (list, tuple) and has_runs(x):
        return length(x)
    if open_sets.items_of(x) is not None:
        return open_sets.size(x)
    x = x.of if type(x) is EntriesView else x
    if open_dicts.is_open(x):
        return open_dicts.size(x)
    if open_deques.items_of(x) is not None:
        return open_deques.size(x)
    x = _plain(x)
    if isinstance(x, Indexed):
        return len(x) if isinstance(x, IndexedIterator) else x.length
    if is_chosen(x):
        return of_each(x, len_)
    if isinstance(x, LazyString) and building() is not None:
        return ops.dim(letters_of(x), axis=0)
    if isinstance(x, Tensor):
        shape = x.type.shape
        if shape is None or (shape != () and shape[0] is None):
            return ops.dim(x, axis=0)
    own = method(x, "__len__") if current_trace() is not None else None
    if own is not None:
        return _length(own())
    return len(with_inputs(x))


def _length(n: Any) -> Any:
    """What Python makes of the result of a `__len__`."""
    if not is_open(n):
        return len(_Sized(shown(n)))
    if n.dtype.kind not in "iu" and not (n.type.weak and n.dtype.kind == "b"):
        raise TypeError(f"'{class_name_of(n)}' object cannot be interpreted as an integer")
    n = ops.as_weak(n, kind="int")
    stage_raise(n < 0, ValueError("__len__() should return >= 0"))
    return n


class _Sized:
    def __init__(self, n: Any) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n  # type: ignore[no-any-return]


# The methods by which an object gives a number, the first that it has.
_CONVERSIONS = {
    "int": ("__int__", "__index__"),
    "float": ("__float__", "__index__"),
    "complex": ("__complex__", "__float__", "__index__"),
}


def _own_number(x: Any, kind: str) -> Any:
    """What an object of the user's gives for a number; `x` itself where it gives none."""
    if current_trace() is None or isinstance(x, (Tensor, Variable)):
        return x
    if kind == "bool":
        return condition(x) if type(x).__flags__ & MADE_BY_CLASS_STATEMENT else x
    found = ((name, method(x, name)) for name in _CONVERSIONS[kind])
    name, own = next((pair for pair in found if pair[1] is not None), ("", None))
    if own is None:
        return x
    number = own()
    if is_open(number) and not _is_number_of(name, number):
        what = f"{name} returned non-{name.strip('_')} (type {class_name_of(number)})"
        raise TypeError(f"{type(x).__name__}.{what}" if name == "__float__" else what)
    return number


def _is_number_of(name: str, x: Tensor) -> bool:
    """Whether that method may give it: NumPy's `float64` is a `float`, too."""
    if x.type.weak:
        return x.dtype.kind in _KINDS[name]
    return x.type.rank == 0 and not x.is_array and x.dtype.type is _WITH_NUMPYS.get(name)


_WITH_NUMPYS = {"__float__": np.float64, "__complex__": np.complex128}
# Kinds of the Python numbers that these may give.
_KINDS = {"__int__": "ib", "__index__": "ib", "__float__": "f", "__complex__": "c"}


def _scalar(kind: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        if kind in ("int", "float") and args and isinstance(args[0], LazyString):
            return by_letters(kind, *args)
        if kind == "complex" and any(isinstance(x, LazyString) for x in args):
            raise StagingError(
                "a text that is known only when the graph runs is read as a number by `complex`",
                "use the number itself; `round(x, 2)` rounds one",
                origin=origin_of_caller(),
            )
        if len(args) == 1 and not kwargs:
            args = (_own_number(args[0], kind),)
            if kind == "bool" and (has_runs(args[0]) or isinstance(args[0], (dict, set))):
                return _scalar_of(condition(args[0]))
        if len(args) == 1 and not kwargs and is_open(_plain(args[0])):
            x = condition(args[0]) if kind == "bool" else _plain(args[0])
            if x.type.rank != 0:
                x = single(x)
            if kind in ("int", "float") and x.dtype.kind == "c" and not x.type.weak:
                x = ops.real(x)  # with a warning, in NumPy
            return ops.as_weak(x, kind=kind)
        if kind == "complex" and len(args) == 2 and any(map(is_open, map(_plain, args))):
            return _complex_of(*map(_plain, args))
        return python(*map(shown, map(_plain, args)), **kwargs)

    convert.__name__ = kind
    return convert


def _scalar_of(test: Any) -> Any:
    return ops.as_weak(test, kind="bool") if isinstance(test, Tensor) else test


def _complex_of(x: Any, y: Any) -> Any:
    """`complex(x, y)`: `x + y * 1j`, where either may be complex itself."""
    (a, b), (c, d) = ((ops.real(n), ops.imag(n)) for n in (x, y))
    real, imaginary = map(_as_float, (a, c))
    if _dtype_of(y).kind == "c":
        real = real - _as_float(d)
    if _dtype_of(x).kind == "c":
        imaginary = _as_float(b) + imaginary
    return ops.as_weak(ops.make_complex(real, imaginary), kind="complex")


def _as_float(x: Any) -> Any:
    return ops.astype(x, np.dtype(np.float64)) if isinstance(x, Tensor) else np.float64(x)


_ONES_ARE_REFUSED = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


def single(x: Tensor) -> Any:
    """The only element of a tensor.

    Raises TypeError for an array with axes, as NumPy does; before 2.4 it takes those of size 1.
    """
    shape = x.type.shape
    if shape is not None and any(_ONES_ARE_REFUSED or n not in (1, None) for n in shape):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return ops.reshape(x, ())


def range_(*args: Any) -> Any:
    """`range` with bounds that may be tensors."""
    args = tuple(map(_plain, args))
    if not any(map(is_open, args)):
        return range(*map(shown, args))
    if not 1 <= len(args) <= 3:
        return range(*args)
    for a in args:
        if isinstance(a, Tensor):
            _check_is_index(a)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return OpenRange(*(_weak_int(a) for a in (start, stop, step)))


def _check_is_index(x: Tensor) -> None:
    """Raise what Python does where `x` is no integer: a `bool` of Python's is one, not NumPy's."""
    is_integer = x.dtype.kind in ("iub" if x.type.weak else "iu")
    if x.type.rank not in (0, None) or (x.is_array and not is_integer):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    if not is_integer:
        kind = python_type_of(x).__name__
        shown_ = kind if x.type.weak else f"numpy.{kind}"
        raise TypeError(f"'{shown_}' object cannot be interpreted as an integer")


def _weak_int(x: Any) -> Any:
    return ops.as_weak(x, kind="int") if isinstance(x, Tensor) and is_open(x) else shown(x)


def _index(x: Any) -> Any:
    """`operator.index(x)`."""
    x = _plain(x)
    if not is_open(x):
        return operator.index(shown(x))
    _check_is_index(x)
    return _weak_int(x)


def enumerate_(x: Any, start: Any = 0) -> Any:
    x, start = _plain(x), _index(start)
    if call_of(x) is not None:
        return gathering.enumerated(x, start)
    traced = _array(x) or is_open(start)
    return journal.fresh(iterables.enumerated(x, start) if traced else enumerate(x, start))


def ndenumerate_(x: Any) -> Any:
    """`np.ndenumerate(x)` of an array."""
    x = _plain(x)
    if not isinstance(x, Tensor):
        return np.ndenumerate(x)
    return journal.fresh(iterables.with_indices(x))


def ndindex_(*shape: Any) -> Any:
    """`np.ndindex` of sizes that may be tensors."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if not any(map(is_open, shape)):
        return journal.fresh(np.ndindex(*map(shown, shape)))
    for size in shape:
        if is_open(size):
            _check_is_index(size)
            error = ValueError("negative dimensions are not allowed")
            stage_raise(ops.less(size, 0), error)
        elif operator.index(size) < 0:
            raise ValueError("negative dimensions are not allowed")
    return journal.fresh(iterables.positions("ndindex", list(map(_weak_int, shape))))


def zip_(*parts: Any, strict: bool = False) -> Any:
    parts = tuple(map(_plain, parts))
    if not strict and sum(call_of(part) is not None for part in parts) == 1:
        together = gathering.zipped(parts)
        if together is not None:
            return together
    traced = any(map(_array, parts))
    return journal.fresh(iterables.zipped(parts, strict) if traced else zip(*parts, strict=strict))


def reversed_(x: Any) -> Any:
    x = _plain(x)
    return journal.fresh(iterables.reversed_(x) if _array(x) else reversed(x))


def map_(function: Any, *parts: Any) -> Any:
    parts = tuple(map(_plain, parts))
    if len(parts) == 1 and call_of(parts[0]) is not None:
        return generator_exp(parts[0], lambda items: (function(item) for item in items))
    traced = any(map(_array, parts))
    return journal.fresh(iterables.mapped(function, parts) if traced else map(function, *parts))


def filter_(function: Any, x: Any) -> Any:
    if not _array(_plain(x)) and current_trace() is None:
        return filter(function, x)
    return filtered((lambda item: item) if function is None else function, _plain(x))


def sum_(x: Any, start: Any = 0) -> Any:
    if has_runs(x) and not np.ndim(start):
        arrays = arrays_to_add(x)
        x = x if arrays is None else arrays
    return sum_of(_plain(x), start)


def _dtype_of(x: Any) -> np.dtype[Any]:
    return x.dtype if isinstance(x, Tensor) else np.asarray(x).dtype


def _extreme(name: str, better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    python = getattr(builtins, name)

    def choose(best: Any, item: Any) -> Any:
        return if_exp(better(item, best), lambda: item, lambda: best, name)

    def choose_pair(best: Any, item: Any) -> Any:
        return if_exp(better(item[0], best[0]), lambda: item, lambda: best, name)

    def extreme(*args: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        choice = choose if key is None else choose_pair
        change = None if key is None else lambda item: (key(item), item)
        if not args:
            return python()
        is_changed = len(args) == 1 and call_of(args[0]) is not None
        x = _plain(gathering.gathered(args[0], change) if len(args) == 1 else args)
        if len(args) == 1 and _array(x):
            rows = iterables.as_indexed(x)
            assert rows is not None
            if change is not None and not is_changed:
                rows = _changed(rows, change)
            return _extreme_of(rows, choice, name, default, is_keyed=key is not None)
        items = list(access.iterate(x))
        if change is not None and not is_changed:
            items = [change(item) for item in items]
        items = there(items)
        if not items:
            return python(()) if default is _ABSENT else default
        order = items if key is None else [item[0] for item in items]
        if not any(map(_is_compared_by_data, order)):
            found = python(items) if key is None else python(items, key=operator.itemgetter(0))
        else:
            found = functools.reduce(choice, items)
        return found if key is None else found[1]

    extreme.__name__ = name
    return extreme


def _is_compared_by_data(x: Any) -> bool:
    """Whether Python cannot say which of such items is the least."""
    is_object = type(x).__flags__ & MADE_BY_CLASS_STATEMENT and not isinstance(x, type)
    return _array(x) or has_traced(x) or (bool(is_object) and current_trace() is not None)


def _changed(rows: Indexed, change: Callable[[Any], Any]) -> Indexed:
    return Indexed(rows.name, rows.length, lambda i: change(rows.item(i)))


def _extreme_of(
    rows: Indexed, choose: Callable[[Any, Any], Any], name: str, default: Any, *, is_keyed: bool
) -> Any:
    """The best of some rows, which are pairs of the key and the item if they are `keyed`."""
    known = rows.known_length()
    if known == 0:
        if default is _ABSENT:
            raise _of_nothing(name)
        return default
    if known is None and default is _ABSENT:
        stage_raise(ops.equal(rows.length, 0), _of_nothing(name))
    elif known is None:

        def some() -> Any:
            return _extreme_of(rows, choose, name, _ABSENT, is_keyed=is_keyed)

        return if_exp(rows.length > 0, some, lambda: default, name)
    rest = Indexed(name, rows.length - 1, lambda i: rows.item(i + 1))
    found = reduced(rest, rows.item(0), choose)
    return found[1] if is_keyed else found


def _of_nothing(name: str) -> ValueError:
    """Python's own error, whose text differs between versions."""
    try:
        getattr(builtins, name)(())
    except ValueError as error:
        return error.with_traceback(None)
    raise AssertionError(f"{name}(()) did not raise")


def _quantifier(name: str) -> Callable[[Any], Any]:
    python, op = getattr(builtins, name), getattr(ops, name)

    def quantify(x: Any) -> Any:
        x = as_array(x) if has_runs(x) else _plain(x)
        if isinstance(x, Tensor):
            if x.is_known:
                return python(x)
            if x.type.rank != 1:
                return fold(name, access.iterate(x))
            return ops.as_weak(op(x), kind="bool")
        return gathering.quantified(name, x) if current_trace() is not None else python(x)

    quantify.__name__ = name
    return quantify


def _collected(python: type) -> Callable[..., Any]:
    def collect(*args: Any, **kwargs: Any) -> Any:
        if args:
            args = (gathering.listed(args[0]), *args[1:])
            if open_dicts.is_open(args[0]):
                args = (open_dicts.view(args[0]), *args[1:])
        if args and has_runs(args[0]) and python is not list:
            args = (expanded(args[0]), *args[1:])
        if args and has_runs(args[0]):
            if python not in (list, tuple) or type(args[0]) not in (list, tuple):
                raise refusal(f"a {python.__name__} is made of it")
            items = settled(args[0])
            return tuple(items) if python is tuple else journal.fresh(items)
        if args and isinstance(_plain(args[0]), (Tensor, Indexed, list, dict, set)):
            return journal.fresh(python(access.iterate(_plain(args[0])), *args[1:], **kwargs))
        return journal.fresh(python(*args, **kwargs))

    collect.__name__ = python.__name__
    return collect


def _deque(items: Any = (), maxlen: Any = None) -> Any:
    """`deque(items, maxlen)`."""
    return open_deques.fresh(items if current_trace() is None else gathering.listed(items), maxlen)


def _set(*args: Any) -> Any:
    """`set(items)`."""
    if current_trace() is None:
        return _PLAIN_SET(*args)
    args = tuple(map(gathering.listed, args))
    if len(args) == 1 and open_sets.items_of(args[0]) is not None:
        return open_sets.copied(args[0])
    if len(args) != 1 or not (has_runs(args[0]) or has_traced(args[0]) or _array(_plain(args[0]))):
        return open_sets.fresh(_PLAIN_SET(*args))
    result = open_sets.fresh(set())
    for_stmt(args[0], None, _Adding(result), lambda: (), lambda values: None, (), {})
    return result


class _Adding:
    """A round of a loop that adds an item to a set."""

    def __init__(self, made: Any) -> None:
        self._made, self.__code__ = made, _Adding.__call__.__code__

    def __call__(self, item: Any) -> None:
        if open_sets.items_of(self._made) is None:
            journal.note(content_slot(self._made))
        open_sets.add(self._made, shown(item))


_PLAIN_SET = _collected(set)


def _counter(*args: Any, **kwargs: Any) -> Any:
    return (
        Counter(*args, **kwargs) if current_trace() is None else counting.counted(*args, **kwargs)
    )


def pow_(base: Any, exponent: Any, modulus: Any = None) -> Any:
    """`pow`; with a modulus, of Python integers."""
    operands = tuple(map(_plain, (base, exponent, modulus)))
    if modulus is None or not any(map(is_open, operands)):
        return pow(*map(shown, operands))
    for x in operands:
        if not (is_open(x) and x.type.weak and x.dtype.kind in "bi") and not isinstance(x, int):
            raise TypeError("pow() 3rd argument not allowed unless all arguments are integers")
    return math_power_modulo(*operands)


def divmod_(x: Any, y: Any) -> Any:
    """`divmod`: for Python's floats that are divided by zero it has an error of its own."""
    x, y = _plain(x), _plain(y)
    kinds = [n.dtype.kind if is_open(n) and n.type.weak else type(n).__name__[0] for n in (x, y)]
    if any(map(is_open, (x, y))) and set(kinds) <= set("bif") and "f" in kinds:
        growing.raise_if(ops.equal(y, 0) if is_open(y) else y == 0, _float_divmod())
    return divmod(x, y)


def _float_divmod() -> ZeroDivisionError:
    """Python's own error, whose text differs between versions."""
    try:
        divmod(1.0, 0.0)
    except ZeroDivisionError as error:
        return error.with_traceback(None)
    raise AssertionError("divmod(1.0, 0.0) did not raise")


def isinstance_(x: Any, kinds: Any) -> Any:
    """`isinstance` for the value that a tensor, or an exception in the graph, stands for."""
    if type(x) is Caught:
        return x.is_a(kinds)
    if isinstance(x, HostValue):
        x.refuse()
    if isinstance(x, LazyString):
        return issubclass(str, kinds)
    if isinstance(x, OpenRange | Parts):
        return issubclass(x.stands_for, kinds)
    if type(x) is OneOf:
        return x.is_any([isinstance_(one, kinds) for one in x.things])
    if type(x) is Nullable:
        own, of_none = isinstance_(x.value, kinds), isinstance(None, kinds)
        if isinstance(own, Tensor):
            combined = ops.logical_or if of_none else ops.logical_and
            there = ops.logical_not(x.present) if of_none else x.present
            return ops.as_weak(combined(there, own), kind="bool")
        return own if own == of_none else x.present if own else ops.logical_not(x.present)
    if isinstance(x, Reference):
        return issubclass(x.stands_for, kinds)
    if not isinstance(x, Tensor) or not stands_for_other(x):
        _note_class_of(x)
        return isinstance(x, kinds)
    return issubclass(python_type_of(x), kinds)


def _note_class_of(x: Any) -> None:
    """Note that the class of an object decides what a trace does: it may get another one."""
    trace = current_trace()
    if trace is not None:
        trace.meet(x)


def issubclass_(kind: Any, kinds: Any) -> Any:
    """`issubclass` for the class of an exception in the graph, too."""
    if isinstance(kind, HostValue):
        kind.refuse()
    return kind.is_subclass(kinds) if type(kind) is KindOfError else issubclass(kind, kinds)


def type_(*args: Any, **kwargs: Any) -> Any:
    """`type` of the value that a tensor stands for."""
    if len(args) == 1 and isinstance(args[0], LazyString):
        return str
    if len(args) == 1 and isinstance(args[0], OpenRange | Parts):
        return args[0].stands_for
    if len(args) == 1 and type(args[0]) is OneOf:
        classes = tuple(map(type_, args[0].things))
        return classes[0] if len(set(classes)) == 1 else one_of(args[0].index, classes)
    if len(args) == 1 and type(args[0]) is Caught:
        return args[0].kind()
    if len(args) == 1 and isinstance(args[0], HostValue):
        args[0].refuse()
    if len(args) == 1 and type(args[0]) is Nullable:
        there, one = args[0].present, args[0].value
        return if_exp(there, lambda: type_(one), lambda: type(None), "type")
    if len(args) == 1 and isinstance(args[0], Tensor) and stands_for_other(args[0]):
        return python_type_of(args[0])
    if len(args) == 1:
        _note_class_of(args[0])
    return own_class(python_class(type(*args))) if len(args) == 1 else type(*args, **kwargs)


def next_(iterator: Any, *default: Any) -> Any:
    """`next`; an iterator from outside of the trace would advance only while tracing."""
    if isinstance(iterator, HostValue):
        iterator.refuse()
    facts = current_trace()
    if facts is not None and facts.is_outside(iterator) and not facts.adopt(type(iterator)):
        raise StagingError(
            "`next` of an iterator that exists outside of the converted function would advance it "
            "only while tracing",
            "call `next` outside and pass the item as an argument",
        )
    taken(iterator)
    return gathering.first_of(iterator, *default)


def iter_(x: Any, *sentinel: Any) -> Any:
    if has_runs(x) or is_of_open_length(x):
        items = growing.items_of(x) if has_runs(x) else iterables.of_rows(x)
        items = items.as_they_are()
        return journal.fresh(IndexedIterator(items.name, items.length, items.item))
    made = iter(access.iterate(x)) if not sentinel else iter(x, *sentinel)
    return made if made is x else journal.fresh(made)


def _digits(python: Callable[[Any], str], spec: str) -> Callable[[Any], Any]:
    """`bin`, `oct` or `hex`, which write an integer as a format does."""

    def digits(x: Any) -> Any:
        x = _plain(x)
        if not is_open(x):
            return python(shown(x))
        _check_is_index(x)
        return format_(x, spec)

    digits.__name__ = python.__name__
    return digits


def _chr(x: Any) -> Any:
    x = _plain(x)
    if not is_open(x):
        return chr(shown(x))
    _check_is_index(x)
    return letter_of(x)


def _ord(x: Any) -> Any:
    if is_chosen(x):
        return of_each(x, ord)
    is_late = isinstance(x, LazyString) and building() is not None
    return number_of_letter(x) if is_late else ord(x)


def hasattr_(thing: Any, name: str) -> Any:
    """`hasattr` of the value that a tensor stands for."""
    if isinstance(thing, Tensor) and stands_for_other(thing):
        return hasattr(python_type_of(thing), name)
    if current_trace() is None:
        return hasattr(thing, name)
    if isinstance(thing, HostValue):
        thing.refuse()
    if type(thing) is Nullable:
        there, one = thing.present, thing.value
        return if_exp(there, lambda: hasattr_(one, name), lambda: hasattr(None, name), "hasattr")
    if type(thing) is OneOf:
        return of_each(thing, lambda one: hasattr_(one, name))
    found = attributes.presence(thing, name)
    if found is not None:
        return ops.as_weak(found, kind="bool")
    try:
        attributes.getattr_(thing, name)
    except AttributeError:
        return False
    return True


def getattr_(thing: Any, name: Any, *default: Any) -> Any:
    if not default:
        return attributes.getattr_(thing, name)
    return attributes.getattr_or(thing, name, *default)


HANDLERS: dict[Any, Callable[..., Any]] = {
    Counter: _counter, deque: _deque, **counting.METHODS,
    len: len_, int: _scalar("int", int), float: _scalar("float", float),
    bool: _scalar("bool", bool), complex: _scalar("complex", complex), range: range_,
    enumerate: enumerate_, zip: zip_, reversed: reversed_, map: map_, filter: filter_, sum: sum_,
    min: _extreme("min", less), max: _extreme("max", greater),
    any: _quantifier("any"), all: _quantifier("all"), sorted: sorted_, list: _collected(list),
    tuple: _collected(tuple), set: _set, frozenset: _collected(frozenset),
    isinstance: isinstance_, issubclass: issubclass_, type: type_, next: next_, iter: iter_,
    getattr: getattr_, hasattr: hasattr_, pow: pow_, divmod: divmod_,
    setattr: attributes.setattr_, delattr: attributes.delattr_, print: print_, str: str_,
    ascii: ascii_,
    repr: repr_, chr: _chr, ord: _ord,
    bin: _digits(bin, "#b"), oct: _digits(oct, "#o"), hex: _digits(hex, "#x"),
    format: format_, np.ndenumerate: ndenumerate_, np.ndindex: ndindex_,
    operator.not_: not_, operator.truth: _scalar("bool", bool),
    operator.index: _index, operator.getitem: access.getitem, operator.setitem: access.setitem,
    operator.delitem: access.delitem, operator.contains: lambda thing, item: in_(item, thing),
    **{getattr(operator, name): getattr(in_place, name) for name in in_place.IN_PLACE},
}  # fmt: skip

# Built-ins that call a function they are given, and the position or keyword of it.
WITH_CALLBACKS: dict[Any, int | str] = {
    map: 0, filter: 0, sorted: "key", min: "key", max: "key",
}  # fmt: skip
