"""Special methods of the user's classes run converted while a trace is open.

`a + b`, `[*obj]`, `sorted(objs)` or `obj.missing` call methods that a converter cannot see; so does
a method of a class of the library's, as `MutableSequence.append` calls `insert`. The classes of the
objects that a trace meets have stand-ins for these methods, which run the converted ones in the
trace, and the original ones for everybody else.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections import Counter
from collections.abc import Mapping
from sys import getrefcount
from types import CellType, FunctionType, GeneratorType
from typing import Any

from autograph import rules
from autograph.library import counters
from autograph.operators.branches.conditionals import condition
from autograph.operators.captured.captures import current_trace, guard_environment, guard_state
from autograph.operators.captured.context import Adoption, Function
from autograph.operators.captured.methods import (
    ORIGINALS,
    attribute,
    called,
    convert,
    mark,
)
from autograph.operators.expressions import orderings
from autograph.operators.expressions.attributes import getattr_
from autograph.operators.expressions.generators import made
from autograph.operators.expressions.logical import and_, is_, not_
from autograph.operators.expressions.logical import equal as equals
from autograph.operators.results.held_parts import fields_of
from autograph.operators.values.iterators import ends
from autograph.operators.values.one_of import note_refused_choice
from autograph.operators.values.templates import LazyString, shown
from runtime import journal, ops
from runtime.building import building, current_builder
from runtime.effects.left_runs import is_within_run, run_again, run_left
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["Adopted"]

# Not called on objects by what a function does, or asked for by everything.
_NEVER = frozenset(
    f"__{name}__"
    for name in (
        "getattribute", "del", "init_subclass", "class_getitem", "set_name", "sizeof", "dir",
        "instancecheck", "subclasscheck",
        "prepare", "await", "aiter", "anext", "aenter", "aexit", "new",
    )
)  # fmt: skip
# Python looks at what these give, so that it must be known.
_EXACT = frozenset(
    f"__{name}__"
    for name in (
        "bool", "len", "hash", "int", "index", "float", "complex", "str", "repr", "format",
        "length_hint",
    )
)  # fmt: skip


class Adopted(Adoption):
    """The classes that a trace met, and the stand-ins that they have because of it, until its end.

    None is adopted before the context is entered.
    """

    def __init__(self) -> None:
        self._classes: dict[type, bool] | None = None
        self._stand_ins: list[tuple[type, str, Any]] = []

    def __enter__(self) -> None:
        self._classes = {}

    def __exit__(self, *details: object) -> None:
        """Give the classes back as they were."""
        self._classes = None
        for cls, name, stand_in in reversed(self._stand_ins):
            original = ORIGINALS.pop(stand_in, None)
            if vars(cls).get(name) is not stand_in:
                continue
            if original is None:
                type.__delattr__(cls, name)
            else:
                type.__setattr__(cls, name, original)

    def adopt(self, kind: type) -> bool:
        """Give a class and its bases stand-ins; whether there are any."""
        if self._classes is None:
            return False
        found = self._classes.get(kind)
        if found is None:
            found = False
            if not isinstance(attribute(kind, "__getattribute__"), FunctionType):
                called = _called_by_library(kind)
                for cls in kind.__mro__[:-1]:
                    found = self._adopt_own(cls, called) or found
            self._classes[kind] = found
        return found

    def _adopt_own(self, cls: type, called: frozenset[str]) -> bool:
        found = False
        for name, function in list(vars(cls).items()):
            if function in ORIGINALS if isinstance(function, FunctionType) else False:
                found = True  # another trace around this one, or this one, has put it there
                continue
            stand_in = _stand_in(cls, name, function, is_called=name in called)
            if stand_in is None:
                continue
            try:
                type.__setattr__(cls, name, stand_in)
            except TypeError:  # a class that cannot be changed
                return False
            found = True
            ORIGINALS[stand_in] = function
            self._stand_ins.append((cls, name, stand_in))
        if found and "__eq__" in vars(cls) and attribute(cls, "__ne__") is object.__ne__:
            type.__setattr__(cls, "__ne__", _unequal)
            self._stand_ins.append((cls, "__ne__", _unequal))
        return found

    def watch(self, kind: type) -> None:
        """Give a class whose objects are told by their identity stand-ins for what tells them."""
        if self._classes is None or not kind.__flags__ & MADE_BY_CLASS_STATEMENT:
            return
        for name, default, stand_in in (
            ("__eq__", object.__eq__, _is_same_object),
            ("__hash__", object.__hash__, _hash_of_object),
        ):
            if attribute(kind, name) is default:
                type.__setattr__(kind, name, stand_in)
                self._stand_ins.append((kind, name, stand_in))


def _is_same_object(self: Any, other: Any) -> Any:
    """The `__eq__` of a class that has none, of objects that a staged statement may have made."""
    return True if is_(self, other) else NotImplemented


def _hash_of_object(self: Any) -> int:
    """The `__hash__` of a class that has none."""
    if building() is not None and journal.is_kin(self):
        note_refused_choice("it")
        raise StagingError(
            f"which {type(self).__name__} this is depends on data, and it is looked up in a dict "
            "or set",
            "give the class an `__eq__` and a `__hash__` of what it holds, or use another key",
            origin=origin_of_caller(),
        )
    return object.__hash__(self)


def _called_by_library(kind: type) -> frozenset[str]:
    """The names of the methods that Python's own code may call on an object: those it knows."""
    functions = (pair for base in kind.__mro__ for pair in vars(base).items())
    known = (n for n, f in functions if isinstance(f, FunctionType) and _is_of_library(f))
    return frozenset(name for name in known if not name.startswith("__"))


def _is_of_library(function: FunctionType) -> bool:
    return _is_of_others(function) or rules.is_of_container(function)


def _stand_in(cls: type, name: str, function: Any, *, is_called: bool) -> Function | None:
    if cls is Counter and name in counters.OPERATORS:
        return mark(functools.wraps(function)(_dispatcher(name, function, counters.OPERATORS)))
    order = orderings.order_of(cls, name, function)
    if order is not None:
        return mark(functools.wraps(function)(order))
    if not isinstance(function, FunctionType) or not (is_called or _is_special(cls, name)):
        return None
    if _is_of_others(function):
        return None
    is_equality = _is_generated_equality(cls, name, function)
    stand_in = _equality_of(cls, function) if is_equality else _dispatcher(name, function)
    if name == "__init__":  # libraries ask it for its parameters
        stand_in.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return mark(functools.wraps(function)(stand_in))


def _is_special(cls: type, name: str) -> bool:
    if name == "keys":
        return "__getitem__" in vars(cls)
    return name.startswith("__") and name.endswith("__") and name not in _NEVER


def _is_of_others(function: FunctionType) -> bool:
    """Whether a function certainly is not converted: asked before anything is parsed."""
    module = str(function.__globals__.get("__name__") or "")
    root = module.partition(".")[0]
    if rules.is_plain_python(module) or rules.is_of_container(function):
        return False
    return root in ("autograph", "runtime", "numpy") or (
        root in sys.stdlib_module_names and root != "__main__"
    )


def _dispatcher(
    name: str, original: FunctionType, twins: Mapping[str, Function] | None = None
) -> Function:
    """Runs what is converted of a method in a trace: the method, or what `twins` has for it."""
    exact = name in _EXACT
    source = original if twins is None else twins[name]

    def run(*args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if trace is None:
            return (run_again(original) or original)(*args, **kwargs)
        if is_within_run() and rules.is_left_alone(original):
            return original(*args, **kwargs)  # a part of what runs as it is
        is_first = name == "__init__" and getrefcount(args[0]) == journal.BEING_MADE[bool(kwargs)]
        if is_first and not any(fields_of(args[0])):
            journal.fresh(args[0])  # code that is not converted makes it
        trace.code.ask(type(args[0]), name)
        trace.outside.meet(args[0])
        if name == "__deepcopy__" and not trace.outside.has(args[1]):
            journal.fresh(args[1])  # the library made the memo
        twin = convert(source)
        if twin is None:
            is_left = rules.is_left_alone(original)
            if name != "__call__" or not rules.is_of_left_module(original):
                guard_environment(original)
                for argument in args:
                    guard_state(argument)
            result = run_left(original, args, kwargs) if is_left else original(*args, **kwargs)
            return journal.fresh(result) if type(result) is GeneratorType else result
        if name == "__next__":
            return _next(twin, args[0])
        result = made(twin(*args, **kwargs), twin, args, kwargs)
        return _known(result, args[0], name) if exact else result

    return run


def _next(twin: Function, iterator: Any) -> Any:
    """The next item; whether there is one must be known while tracing."""
    builder = current_builder()
    mark = builder.mark()
    item = twin(iterator)
    nodes = builder.graph.nodes[mark.now(builder.graph.nodes) :]
    if any(map(ends, nodes)):
        raise StagingError(
            f"whether a {type(iterator).__name__} has a next item is known only when the graph "
            "runs",
            "write the loop with `while`, or end it by `break`",
            origin=origin_of_caller(),
        )
    return item


def _known(result: Any, thing: Any, name: str) -> Any:
    """What a special method gave, where Python must have it now."""
    value = shown(result) if isinstance(result, Tensor) else result
    if isinstance(value, (Tensor, LazyString)):
        raise StagingError(
            f"`{type(thing).__name__}.{name}` gives what is known only when the graph runs, where "
            "Python needs it while tracing",
            "call a method of another name, or use the value directly",
            origin=origin_of_caller(),
        )
    return value


def _unequal(self: Any, other: Any) -> Any:
    """The `__ne__` that a class has because of its `__eq__`; the result may be traced."""
    if building() is None:
        return object.__ne__(self, other)
    equal: Any = type(self).__eq__
    result = equal(self, other)
    return result if result is NotImplemented else not_(result)


# ---- dataclasses -------------------------------------------------------------------------------


def _is_generated_equality(cls: type, name: str, function: FunctionType) -> bool:
    parameters = getattr(cls, "__dataclass_params__", None)
    is_own = "__dataclass_fields__" in vars(cls) and parameters is not None and parameters.eq
    return name == "__eq__" and bool(is_own) and function.__code__.co_filename == "<string>"


def _equality_of(cls: type, original: FunctionType) -> Function:
    """The `__eq__` of a dataclass, field by field, whose result may be traced.

    Up to Python 3.12 it compares tuples, from 3.13 on it is `a == b and ...`.
    """
    names = [f.name for f in dataclasses.fields(cls) if f.compare]

    def equal(self: Any, other: Any) -> Any:
        if building() is None:
            return original(self, other)
        if other.__class__ is not self.__class__:
            return NotImplemented
        if sys.version_info >= (3, 13):
            return and_(lambda: True, *(_comparison(self, other, name) for name in names))
        result: Any = True
        for name in names:
            a, b = getattr_(self, name), getattr_(other, name)
            test = True if a is b else condition(equals(a, b))
            if isinstance(test, Tensor):
                result = test if result is True else ops.logical_and(result, test)
            elif not test:
                return False
        return ops.as_weak(result, kind="bool") if isinstance(result, Tensor) else result

    return equal


def with_factories(function: Any, made: Any) -> Function | None:
    """The generated `__init__` of a dataclass, for an object, with factories that are converted.

    What it calls itself would be called while tracing only. None for any other function.
    """
    init = ORIGINALS.get(function, function)
    owner = next((cls for cls in type(made).__mro__ if _is_init(cls, init)), None)
    if owner is None or not init.__closure__:
        return None
    wanted = [f.default_factory for f in dataclasses.fields(owner)]

    def cell(own: CellType) -> CellType:
        content = own.cell_contents
        is_factory = content is not dataclasses.MISSING and any(content is f for f in wanted)
        return CellType(functools.partial(called, content)) if is_factory else own

    cells = tuple(map(cell, init.__closure__))
    result = FunctionType(init.__code__, init.__globals__, "__init__", init.__defaults__, cells)
    result.__kwdefaults__, result.__qualname__ = init.__kwdefaults__, init.__qualname__
    return result


def _is_init(cls: type, init: Any) -> bool:
    """Whether a function is the `__init__` that was generated for a dataclass."""
    if "__dataclass_fields__" not in vars(cls) or not isinstance(init, FunctionType):
        return False
    own = vars(cls).get("__init__")
    return ORIGINALS.get(own, own) is init and init.__code__.co_filename == "<string>"


def _comparison(one: Any, other: Any, name: str) -> Function:
    return lambda: equals(getattr_(one, name), getattr_(other, name))
