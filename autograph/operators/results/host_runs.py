"""What a graph does at its place for a call of Python code, each time it runs."""

from __future__ import annotations

import ast
import contextlib
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from types import FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from autograph.operators.captured.guards import MISSING, Guard, Place, same_value
from autograph.operators.captured.variables import Undefined
from autograph.operators.results.reconstruction import handing_out, objects
from runtime.autodiff.stored import is_derivative_of_arrays
from runtime.effects.given_containers import arguments_of
from runtime.effects.host import Lending, current, hosting, lending
from runtime.errors import StagingError, located
from runtime.execute.kernels import Settings
from runtime.execute.tracebacks import relocate, standing
from runtime.origins import Origin
from runtime.spec import TensorType, fits, is_compatible, promote, type_of_number
from runtime.structure import tree
from runtime.structure.template_source import Source
from runtime.structure.templates import Fillable, fill, is_value
from runtime.tensor import Tensor

__all__ = ["Attribute", "Declared", "Flush", "HostCall", "Watch", "caller_at", "conform"]

_PYTHON: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}
_CONTAINERS = (list, dict, set, deque)


class Attribute(Fillable):
    """An attribute of what another part gives."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    @property
    def is_value(self) -> bool:
        return is_value(self.owner)

    def fill(self, operands: Any) -> Any:
        return getattr(fill(self.owner, operands), self.name)

    def written(self, source: Source) -> ast.expr:
        return ast.Attribute(source.part(self.owner), self.name, ast.Load())


class Watch:
    """What the trace read, or wrote, and Python code must leave as it is.

    Reads before the call do not count, unless a loop brings the call before them.
    """

    def __init__(self, facts: Any, number: int | None, looks: list[Callable[[], Any]]) -> None:
        self._guards: dict[Any, Guard] = facts.captures.guards
        self._captured: dict[Any, Any] = facts.captures.inputs
        self._reads: dict[Any, int] = facts.effects.reads_at
        self._number, self._looks, self.unwatched = number, looks, set[Any]()

    @cached_property
    def _places(self) -> tuple[list[Guard], list[Any]]:
        """What is looked at; the trace is over when this is asked for."""
        guards = [guard for key, guard in self._guards.items() if self._matters(key)]
        return guards, [c for k, c in self._captured.items() if self._matters(k)]

    def look(self) -> tuple[list[Any], list[Any], list[Any]]:
        """What is in all of the places."""
        guards, captured = self._places
        arrays = [c.place.fetch() for c in captured]
        return [g.found() for g in guards], arrays, [look() for look in self._looks]

    def readers(self, source: Source) -> list[ast.expr] | None:
        """Expressions for what is in the places, as `look` gives it; None where that is more."""
        if self._looks:
            return None
        guards, captured = self._places
        fetched = [(c.place, c.place.fetch) for c in captured]
        pairs = [*((guard.place, guard.found) for guard in guards), *fetched]
        return [_read(source, place, found) for place, found in pairs]

    def changed_between(self, before: tuple[Any, ...]) -> str | None:
        """`changed` for what was found by `readers`."""
        count = len(self._places[0])
        return self.changed(([*before[:count]], [*before[count:]], []))

    def _matters(self, key: Any) -> bool:
        is_after = self._number is None or self._reads.get(key, self._number) >= self._number
        return is_after and key not in self.unwatched

    def changed(self, before: tuple[list[Any], list[Any], list[Any]]) -> str | None:
        """In words, what is another than before; None where nothing is."""
        values, arrays, written = before
        now, arrays_now, written_now = self.look()
        guards, captured = self._places
        for guard, a, b in zip(guards, values, now, strict=True):
            if a is not b and not (guard.by_value and same_value(a, b)):
                return f"`{guard.place.name}`".replace("``", "`")
        for c, a, b in zip(captured, arrays, arrays_now, strict=True):
            if a is not b:
                return f"`{c.place.name}`"
        for one, other in zip(written, written_now, strict=True):
            if not _is_one(one, other):
                return "an object"
        return None


def _read(source: Source, place: Place, found: Callable[[], Any]) -> ast.expr:
    """An expression that reads a place: at once, where that is a name of a module."""
    kind, thing, key = place.route or ("", None, None)
    if kind == "attribute" and type(thing) is weakref.ref and type(thing()) is ModuleType:
        kind, thing = "item", vars(thing())
    if kind == "item" and type(thing) is dict:
        return source.call(thing.get, source.bound(key), source.bound(MISSING))
    return source.call(found)


def _is_one(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two looks found the same parts, which may be pairs."""
    return len(one) == len(other) and all(map(_is_same, one, other))


def _is_same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    return a is b or type(a) is Undefined or (type(a) is tuple and _is_one(a, b))


class Flush:
    """Writes what was written so far into objects, before Python code runs."""

    __slots__ = ("lasting", "looks", "write")

    def __init__(
        self, write: Callable[..., None], looks: dict[Any, Callable[[], Any]], lasting: bool
    ) -> None:
        self.write, self.looks, self.lasting = write, looks, lasting

    def __call__(self, *raws: Any) -> None:
        lent = lending()
        for key, look in self.looks.items():
            if lent is not None and key[0] != "content" and key not in lent.memory:
                (lent.memory[key],) = look()
        with _handing(self.lasting):
            self.write(*raws)

    def __repr__(self) -> str:
        return "write"


@contextlib.contextmanager
def _handing(lasting: bool) -> Iterator[dict[Any, Any]]:
    """What is made in here for a key is kept for the rest of the call, if it is `lasting`."""
    known = objects()
    here = dict(known)
    with handing_out(here):
        yield here
    if lasting:
        known.update(here)


class Declared(NamedTuple):
    """The nest of types that a call was said to give."""

    structure: Any
    types: tuple[TensorType, ...]
    # Whether nobody else holds an array that it gives; and who said so, for messages.
    is_new: bool
    said: str = "was declared as its result"

    @property
    def is_single(self) -> bool:
        """Whether it is one number or array."""
        return self.structure.kind is None


# A call of what may look at everything.
_LENDING = """
now = CURRENT()
lent = now.lending
if lent is None or not now.inside:
    return SLOWLY(*OPERANDS)
opened = lent.close() if lent.arrays else None
now.inside = False
try:
    result = CALLED
except ValueError as error:
    EXPLAIN(error)
    raise
finally:
    now.inside = True
    if opened:
        lent.open(opened)
"""


class HostCall:
    """Calls `callee(*args, **kwargs)`, parts with holes, with the run-time values."""

    def __init__(
        self,
        name: str,
        origin: Origin | None,
        run: FunctionType,
        parts: tuple[Any, list[Any], dict[str, Any]],
        declared: Declared | None,
        *,
        watch: Watch | None,
        lasting: bool,
        given: list[tuple[Any, ...]],
        as_arrays: bool,
        lends: bool,
        keeps: bool,
        advances: bool,
        count: int,
    ) -> None:
        self.name, self.origin, self.run = name, origin, run
        self.callee, self.args, self.kwargs = parts
        self.declared, self.watch, self.lasting = declared, watch, lasting
        self.take = None if declared is None else tree.taker(declared.structure)
        # Whether it takes items of iterators, one of which may have been taken while tracing.
        self.advances = advances
        # Paths to the containers among the arguments of the graph's own call.
        self.given = given
        # How many operands there are.
        self.count = count
        # Whether it may see, or keep, more than numbers.
        self.as_arrays, self.lends = as_arrays, lends
        # Whether arrays that it is given may be seen after it.
        self.keeps = keeps or any(map(callable, [*self.args, *self.kwargs.values()]))

    def __repr__(self) -> str:
        return self.name

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        try:
            found = self._made(*operands)
        except BaseException as error:
            relocate(error, _nowhere)
            raise
        is_single = self.declared is None or len(self.declared.types) == 1
        return (found,) if is_single else found

    @cached_property
    def _made(self) -> Callable[..., Any]:
        return self.directly()

    def directly(self, settings: Settings | None = None) -> Callable[..., Any]:
        """What makes the call, of the operands; where there is one result, it gives no tuple.

        It checks that `settings` are as they were after what may see more than numbers.
        """
        written = self._written(settings) if self._is_plain else None
        if written is not None:
            return written
        return self._slowly if settings is None else partial(self._slowly, settings=settings)

    @property
    def _is_plain(self) -> bool:
        """Whether nothing is made for the call, and nothing but the call sees what it is given."""
        parts = (self.callee, *self.args, *self.kwargs.values())
        return not self.as_arrays and not self.given and all(map(is_value, parts))

    def _written(self, settings: Settings | None) -> Callable[..., Any] | None:
        """The call at the user's line, as Python: what has nothing to do there is left out."""
        source = Source(self.count)
        readers = [] if self.watch is None else self.watch.readers(source)
        if readers is None:
            return None
        called: ast.Call = ast.Call(source.part(self.callee), list(map(source.part, self.args)), [])
        called.keywords = [ast.keyword(key, source.part(x)) for key, x in self.kwargs.items()]
        parts: dict[str, ast.expr] = {"CALLED": called}
        lines = ["result = CALLED"] if not self.lends else [_LENDING]
        for i, reader in enumerate(readers):
            parts[f"READ{i}"] = reader
            lines.insert(i, f"before{i} = READ{i}")
        if readers:
            before = "".join(f"before{i}, " for i in range(len(readers)))
            test = " or ".join(f"READ{i} is not before{i}" for i in range(len(readers)))
            lines.append(f"if {test}: SEE(({before}))")
        if settings is not None and (self.lends or _calls_back(self.args)):
            lines.append("if SETTINGS() is not USUAL: CHECK()")
        checked = self.declared is not None
        lines.append("return CHECKED(result)" if checked else "return result")
        things = {
            "SEE": self._see, "CHECKED": self._checked, "CURRENT": current,
            "EXPLAIN": self._explain, "SLOWLY": self._slowly,
        }  # fmt: skip
        if settings is not None:
            things |= {
                "SETTINGS": settings.get, "USUAL": settings.usual, "CHECK": settings.check
            }  # fmt: skip
        parts["OPERANDS"] = source.operands()
        parts |= {name: source.bound(thing) for name, thing in things.items()}
        code = self.run.__code__
        place = code.co_filename, code.co_firstlineno + 1, code.co_name
        made = source.function("\n".join(lines), parts, self.run.__globals__, place)
        standing.add(made.__code__)
        return made

    def _slowly(self, *operands: Any, settings: Settings | None = None) -> Any:
        if self.watch is not None:
            found = self._checked(self._watched(operands, self.watch))
        elif not self.lends:
            callee, args, kwargs = self._filled(operands)
            found = self._checked(self._called(callee, args, kwargs))
        else:
            found = self._checked(self._guarded(operands))
        if settings is not None:
            settings.check()
        return found

    def _see(self, before: tuple[Any, ...]) -> None:
        assert self.watch is not None
        self._refuse_change(self.watch.changed_between(before), "reads or writes as well")

    def _watched(self, operands: tuple[Any, ...], watch: Watch) -> Any:
        before = watch.look()
        result = self._guarded(operands)
        self._refuse_change(watch.changed(before), "reads or writes as well")
        return result

    def _guarded(self, operands: tuple[Any, ...]) -> Any:
        """The result of the call, which can change nothing that the graph has."""
        known = objects()
        before = set(known)
        with _handing(self.lasting) as here:
            callee, args, kwargs = self._filled(operands)
        made = [x for key, x in here.items() if key not in before]
        content = _contents([*here.values(), *self._given()])
        with _lent() as lent, lent.closed(made):
            result = self._called(callee, args, kwargs)
        for thing, old in content:
            if not _is_one(old, _content(thing)):
                self._refuse_change(f"a {type(thing).__name__}", "gave to it")
        return result

    def _filled(self, operands: tuple[Any, ...]) -> tuple[Any, list[Any], dict[str, Any]]:
        """The function and what it is given."""
        args = [fill(part, operands) for part in self.args]
        kwargs = {key: fill(part, operands) for key, part in self.kwargs.items()}
        if self.as_arrays or is_derivative_of_arrays():
            args, kwargs = tree.map_structure(_as_array, (args, kwargs))
        return fill(self.callee, operands), args, kwargs

    def _given(self) -> list[Any]:
        given = arguments_of()
        return [] if given is None else list(map(given.at, self.given))

    def _called(self, callee: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            return self.run(callee, args, kwargs)
        except ValueError as error:
            self._explain(error)
            raise _without_first(error)  # noqa: B904 - it is the same error
        except BaseException as error:  # noqa: BLE001 - it goes on
            raise _without_first(error)  # noqa: B904 - it is the same error

    def _explain(self, error: ValueError) -> None:
        if "read-only" in str(error):
            raise StagingError(
                f"`{self.name}` writes into an array of the converted function, which a graph "
                "does not see",
                "give it a copy (`x.copy()`), or let it give back a new array, by `ag.py_call`",
                origin=self.origin,
            ) from error

    def _refuse_change(self, what: str | None, why: str) -> None:
        if what is not None:
            raise StagingError(
                f"`{self.name}` changed {what}, which the converted function {why}: a graph does "
                "not see that",
                "let it give back the new value, by `ag.py_call`, or call it outside of the "
                "converted function",
                origin=self.origin,
            )

    def _checked(self, result: Any) -> Any:
        if self.declared is None:
            return result
        if not self.declared.types:
            return ()  # None
        refuse, is_new = self._refuse_result, self.declared.is_new
        if self.declared.is_single:
            return conform(result, self.declared.types[0], refuse, is_new)
        assert self.take is not None
        leaves = self.take(result)
        if leaves is None:
            self._refuse_result(f"gave {_title(result)}, which is not the structure")
        pairs = zip(leaves, self.declared.types, strict=True)
        found = tuple([conform(leaf, type_, refuse, is_new) for leaf, type_ in pairs])
        return found[0] if len(found) == 1 else found

    def _refuse_result(self, what: str) -> NoReturn:
        assert self.declared is not None
        raise TypeError(located(self.origin, f"`{self.name}` {what} that {self.declared.said}"))


def _calls_back(parts: list[Any]) -> bool:
    """Whether a function is among what is given."""
    return any(callable(getattr(part, "thing", part)) for part in parts)


def _nowhere(part: TracebackType) -> None:
    """No entry of a traceback is another one in the user's lines."""


def _as_array(x: Any) -> Any:
    return x.numpy() if isinstance(x, Tensor) else x


def _lent() -> contextlib.AbstractContextManager[Lending]:
    found = lending()
    return hosting() if found is None else contextlib.nullcontext(found)


def _contents(things: list[Any]) -> list[tuple[Any, tuple[Any, ...]]]:
    return [(x, _content(x)) for x in things if isinstance(x, _CONTAINERS) or _has_fields(x)]


def _has_fields(x: Any) -> bool:
    return isinstance(getattr(x, "__dict__", None), dict) and not isinstance(x, (type, Tensor))


def _content(x: Any) -> tuple[Any, ...]:
    if isinstance(x, dict):
        return tuple(dict.items(x))
    return tuple(x) if isinstance(x, _CONTAINERS) else tuple(vars(x).items())


def _title(x: Any) -> str:
    array = isinstance(x, (np.ndarray, np.generic))
    return f"{x.dtype}{list(x.shape)}" if array else f"a {type(x).__name__}"


def conform(x: Any, type_: TensorType, refuse: Callable[[str], None], is_new: bool = False) -> Any:
    """What a graph has for `x`, which Python code gave where `type_` was declared.

    `refuse` is told what is wrong.
    """
    if type(x) is np.ndarray and x.dtype is type_.dtype and x.shape and fits(x.shape, type_.shape):
        return x if is_new else x.copy()  # as nearly always
    given = x.numpy() if isinstance(x, Tensor) else x
    if type_.weak:
        if type(given) is not _PYTHON[type_.dtype.kind]:
            refuse(f"gave {_title(x)}, which is not the {type_}")
        type_of_number(given)
        return given
    if type(given) in _PYTHON.values():
        number = type_of_number(given)
        if type_.shape == () and promote(number, type_).dtype == type_.dtype:
            return np.asarray(given, type_.dtype)[()]
        refuse(f"gave {_title(x)}, which is not the {type_}")
    if not isinstance(given, (np.ndarray, np.generic)):
        refuse(f"gave {_title(x)}, which is not the {type_}")
    if not is_compatible(type_, TensorType(given.dtype, given.shape)):
        refuse(f"gave {_title(x)}, which is not the {type_}")
    array = np.asarray(given)
    if array.ndim == 0:
        return array[()]
    return array if is_new else array.copy()


# ---- the frame that calls -----------------------------------------------------------------------


def _call(function, args, kwargs):  # type: ignore[no-untyped-def]
    return function(*args, **kwargs)


def caller_at(origin: Origin | None, space: dict[str, Any]) -> FunctionType:
    """What calls a function from a frame at the user's line: code that looks there finds it."""
    code = _call.__code__
    if origin is not None:
        code = code.replace(
            co_filename=origin.filename,
            co_firstlineno=max(origin.lineno - 1, 1),
            co_name=origin.function,
            co_qualname=origin.function,
        )
    return FunctionType(code, space)


def _without_first(error: BaseException) -> BaseException:
    """The error, from the code that was called on."""
    traceback: TracebackType | None = error.__traceback__
    for _ in range(2):  # ours, and the frame at the user's line, which the graph puts there itself
        traceback = traceback and traceback.tb_next
    return error.with_traceback(traceback)
