"""A compiled graph: how it is called, and what happens where native code cannot go on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from runtime import config
from runtime.devices import copied
from runtime.errors import Origin
from runtime.execute import Executable
from runtime.execute.kernels import compute
from runtime.execute.native import (
    blocks,
    calling_out,
    engine,
    layout,
    library,
    pool,
    samplers,
    twister,
)
from runtime.execute.native.builtins import builtin
from runtime.execute.native.cache import compiled, is_kept
from runtime.execute.native.context import HEAP, OWN_SAMPLER, PART, SAMPLER, Context
from runtime.execute.native.engine import QUICK, Loaded, load
from runtime.execute.native.entry import entry_text
from runtime.execute.native.miss import MISS
from runtime.execute.native.objects import Linked
from runtime.execute.native.outside import Called, Descriptions
from runtime.execute.native.reading import Reading, table
from runtime.execute.native.signature import Signature
from runtime.execute.native.together import cores, together
from runtime.execute.tracebacks import entry as line_of
from runtime.execute.tracebacks import relocate, standing_for
from runtime.graph.ir import Node
from runtime.process.caching import cached_property
from runtime.spec import TensorType, weak_number

__all__ = [
    "Code",
    "Made",
    "Native",
    "OwnValues",
    "Place",
    "bring_in",
    "bring_in_more",
    "column_filler",
    "needs_llvm",
    "of_own_values",
    "plain",
    "problem",
    "still",
]


class Place(NamedTuple):
    """Where native code can fail: the node, its positions, whether its operands are all at hand."""

    node: Node
    origins: Sequence[Origin]
    is_complete: bool


class Made(NamedTuple):
    """What code is made of: its text, and where it can fail, by the numbers of sites."""

    text: str
    places: Sequence[Place]


class Code(NamedTuple):
    """Compiled code, and what one must know to call it: nothing of the process or of a graph.

    `repeats`: errors are raised by running the plan, since something is pending where they come
    from. It may need threads, memory from the heap, and NumPy's functions that draw. Parameters
    that are `overwritten` hold what would be further results.
    """

    machine: bytes
    signature: Signature
    constants: Sequence[np.ndarray[Any, Any]] = ()
    repeats: bool = False
    needs_threads: bool = False
    needs_heap: bool = False
    overwritten: tuple[int, ...] = ()
    draws: bool = False
    has_own_draws: bool = False

    @property
    def needs(self) -> tuple[Any, ...]:
        """All but the code, what it takes and gives, and constants."""
        return self[3:]

    @classmethod
    def of(
        cls,
        text: str,
        signature: Signature,
        constants: Sequence[np.ndarray[Any, Any]] = (),
        *,
        repeats: bool = False,
        overwritten: tuple[int, ...] = (),
    ) -> Code:
        """A text, compiled; what it needs besides is made at the same time."""
        needs_threads, needs_heap = PART in text, HEAP in text
        tasks: list[Callable[[], Any]] = [partial(compiled, text)]
        tasks += [pool.parallel] if needs_threads else []
        tasks += [blocks.addresses] if needs_heap else []
        machine, *_ = together(tasks)
        needs = (
            repeats,
            needs_threads,
            needs_heap,
            overwritten,
            SAMPLER in text,
            OWN_SAMPLER in text,
        )
        return cls(machine, signature, constants, *needs)


class Native:
    """A graph as native code: `call` gives the tuple of results, `alone` the one result, or MISS.

    `together` gives the tuple, or MISS where `alone` would.

    What native code cannot do, `fallback` does: other kinds of arguments, and the errors that need
    more than the operands of a node. `made` tells what the code is made of when that is asked for:
    of code that was kept, it takes a while to find out, and may not be known.
    """

    def __init__(
        self,
        code: Code,
        made: Callable[[], Made | None],
        fallback: Callable[[], Executable],
        name: str = "graph",
        outside: Sequence[Called] = (),
    ) -> None:
        self.code, self.name = code, name
        self._make = made
        self._prepare = fallback
        self._plan: Executable | None = None
        # What Python computes, and whether any of that is an effect: then no plan may run it again.
        self.outside = outside
        self._is_once = any(called.is_once for called in outside)
        handlers = _Handlers(self)
        signature = code.signature
        loaded = load(code.machine)
        found = entry()
        functions = {"kernel": loaded.address("enter"), "shapes": loaded.address("shapes")}
        functions["poll"] = found.address("poll")
        # Most graphs have no work for threads, and need little memory.
        if code.needs_threads:
            functions |= {"parallel": pool.parallel(), "pool": pool.address()}
        if code.needs_heap:
            functions |= blocks.addresses()
        if any(result.may_be_large for result in signature.results):
            functions["memory"] = blocks.memory_of_arrays()
        if code.draws:
            functions |= samplers.addresses()
        if code.has_own_draws:
            functions |= twister.addresses()
        if outside:
            described = Descriptions(outside)
            functions |= {"call_out": calling_out.address(), "outside": described.address}
            handlers.described = described
        words = signature.words(code.overwritten)
        context = Context(handlers.words(), functions, words, code.constants)
        handlers.context = context
        kept = context.address, loaded, context
        self.call = builtin(found.address("call"), name, *kept)
        self._kept = kept
        is_single = len(signature.results) == 1
        self.alone = builtin(found.address("alone"), name, *kept) if is_single else None
        self.together = builtin(found.address("together"), name, *kept)

    def reading(
        self,
        reading: Reading,
        fallback: Callable[..., Any],
        missed: Any = None,
        make: Callable[..., Any] | None = None,
        check: Callable[..., Any] | None = None,
    ) -> Callable[..., Any]:
        """As `alone`, of the arguments of a call, with what the graph reads from outside.

        `fallback` is called with the arguments where something there is not as it was. With
        `missed`, as `together`, but that is given for arguments of other types; or what is to
        `make` of the tuple. With `check`, that looks at the inputs of the graph first, and `make`
        is given them behind the tuple.
        """
        words, kept = table(reading, self._kept[0], fallback, missed, make, check)
        name = "reading"
        if reading.is_of_arguments:
            name = "alone_still" if missed is None else "together_still"
        name = "reading_nests" if reading.nests else name
        address = entry().address(name)
        return builtin(address, "reading", ctypes.addressof(words), words, kept, *self._kept)

    @cached_property
    def made(self) -> Made | None:
        """What the code is made of, where that is known."""
        return self._make()

    @property
    def source(self) -> str:
        """The LLVM IR that is compiled."""
        return "" if self.made is None else self.made.text

    def place(self, site: int) -> Place | None:
        """The place of a site, where it is known."""
        return None if self.made is None else self.made.places[site - 1]

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        results: tuple[Any, ...] = self.call(*inputs)
        return results

    @property
    def plan(self) -> Executable:
        """The plan of the same graph, made when it is first needed."""
        if self._plan is None:
            self._plan = self._prepare()
        return self._plan


def still(reading: Reading) -> Callable[[], bool] | None:
    """A builtin that tells whether classes, functions and names are as `reading` has them.

    None where there is no native code.
    """
    if problem() is not None or not config.native.value:
        return None
    context = Context.of_the_process({})
    words, kept = table(reading, ctypes.addressof(context), bool)
    address = entry().address("still")
    return builtin(address, "still", ctypes.addressof(words), words, kept, context)


def plain(
    reading: Reading,
    function: Callable[..., Any],
    names: tuple[str, ...],
    known: Callable[..., Any],
) -> Callable[..., Any] | None:
    """A builtin that calls a function with its arguments, the last ones by `names`.

    It gives MISS where they are not what `reading` has, or what is outside; there, `known` is
    asked, which gives True or MISS. None where there is no native code.
    """
    if problem() is not None or not config.native.value:
        return None
    context = Context.of_the_process({}, MISS)
    told = function, names
    words, kept = table(reading, ctypes.addressof(context), known, plain=told)
    address = entry().address("plain")
    return builtin(address, "reading", ctypes.addressof(words), words, kept, context)


class OwnValues(NamedTuple):
    """Arguments that are told by their classes, and in lists, tuples and dicts by what comes first.

    That is of one of the `kinds`, and within so many nests at most. Lists of more than `few` things
    of the `others` are not meant.
    """

    kinds: Sequence[type]
    deepest: int
    others: Sequence[type]
    few: int


def of_own_values(
    function: Callable[..., Any], names: tuple[str, ...], values: OwnValues
) -> Callable[..., Any] | None:
    """A builtin that calls a function with such arguments, the last ones by `names`.

    It gives MISS where they are others. None where there is no native code.
    """
    if problem() is not None or not config.native.value:
        return None
    context = Context.of_the_process({}, MISS)
    kinds = (ctypes.c_uint64 * len(values.kinds))(*map(id, values.kinds))
    others = (ctypes.c_uint64 * len(values.others))(*map(id, values.others))
    row = [
        *(ctypes.addressof(context), id(function), id(names) if names else 0),
        *(values.few, values.deepest, id(list), id(tuple), id(dict)),
        *(len(kinds), ctypes.addressof(kinds), len(others), ctypes.addressof(others)),
    ]
    words = (ctypes.c_uint64 * len(row))(*row)
    kept = words, kinds, others, values, function, names, context
    return builtin(entry().address("plain_values"), "own", ctypes.addressof(words), *kept)


@cache
def column_filler() -> Callable[[list[Any], Any, type], bool] | None:
    """A builtin that copies the numbers of a list, all of one class, into an array of as many.

    It gives False where they are not. None where there is no native code.
    """
    if problem() is not None:
        return None
    context = Context.of_the_process({})
    address = entry().address("column")
    return builtin(address, "column", ctypes.addressof(context), context)


def problem() -> str | None:
    """Why there is no native code in this process; None where there is."""
    return layout.problem() or library.problem()


def needs_llvm() -> bool:
    """Whether what all graphs need is native code that no process has kept."""
    return problem() is None and not is_kept(entry_text(), QUICK)


def bring_in() -> None:
    """Make what all graphs need: the entry, where there is native code.

    What only large graphs need is made ready where it is kept.
    """
    if problem() is not None:
        return
    entry()
    if not library.is_in_use():
        pool.bring_in()
        blocks.bring_in()


def bring_in_more(is_asked: Callable[[], bool], is_ending: Callable[[], bool]) -> None:
    """Make LLVM ready to compile graphs, then what only large graphs need, one by one.

    Once a graph was asked for, not where there is one processor, which that graph is to have.
    """
    tasks: list[Callable[[], None]] = [engine.warm_up]
    tasks += [partial(_quickly, text) for text in (pool.pool_text, blocks.blocks_text)]
    for make in tasks:
        if is_ending() or (is_asked() and cores() == 1):
            return
        make()


def _quickly(text: Callable[[], str]) -> None:
    compiled(text(), QUICK)


@cache
def entry() -> Loaded | Linked:
    """The entry, compiled when the first graph is, for ever: builtins have its addresses.

    LLVM would make it a twentieth faster, in half of the time of a first call. Threads that ask at
    once make one each, of which the cache has the last.
    """
    code = load(compiled(entry_text(), QUICK))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    return code


class _Handlers:
    """What native code calls."""

    context: Context
    described: Descriptions

    def __init__(self, native: Native) -> None:
        self.native = native

    def words(self) -> dict[str, Any]:
        """The callables by the names that native code knows them by."""
        return {
            "fallback": self.fallback,
            "failed": self.failed,
            "failed_alone": self.failed_alone,
            "interrupted": self.interrupted,
            "miss": MISS,
        }

    def fallback(self, *inputs: Any) -> tuple[Any, ...]:
        """Run the plan on inputs that native code does not take."""
        return self.native.plan(*inputs)

    def failed(self, site: int, *inputs: Any) -> tuple[Any, ...]:
        """Raise what the node at a site raises on the operands in the error slot."""
        if self.native.code.repeats:
            return self.native.plan(*inputs)
        place = self.native.place(site)
        if place is not None and place.is_complete:
            types = [value.type for value in place.node.inputs]
            words = self.context.operands(len(types))
            values = [_unpacked(word, t) for word, t in zip(words, types, strict=True)]
            try:
                compute(place.node, values, [])
            except Exception as error:
                relocate(error, standing_for(place.origins, globals()))
                raise
        if self.native._is_once:
            assert place is not None
            raise RuntimeError(f"native code found an error in `{place.node.op.name}`")
        return self.native.plan(*inputs)

    def failed_alone(self, site: int, *inputs: Any) -> Any:
        """As `failed`, for one result, which nobody else holds."""
        (result,) = self.failed(site, *inputs)
        return result if isinstance(result, (int, float, complex)) else copied(result)

    def interrupted(self, site: int, error: BaseException) -> None:
        """Show an exception of a signal handler at the user's line of a loop."""
        trace = error.__traceback__
        place = self.native.place(site)
        for origin in () if place is None else reversed(place.origins):
            trace = line_of(origin, trace)
        raise error.with_traceback(trace)


def _unpacked(word: bytes, type_: Any) -> Any:
    """An operand as a Python number or NumPy scalar."""
    assert isinstance(type_, TensorType)
    scalar = np.frombuffer(word[: type_.dtype.itemsize], type_.dtype)[0]
    return weak_number(scalar, type_) if type_.weak else scalar
