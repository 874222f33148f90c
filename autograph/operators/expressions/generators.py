"""Generators while tracing: they stay Python's, each with a scope that is open while it runs.

A generator that a loop goes through from its first item on can also be run in the place of the
loop: it calls a `Consumer` for each item, and its own loops and branches are staged like any.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType, TracebackType
from typing import Any, NamedTuple, NoReturn

from autograph.operators.branches.conditionals import condition
from autograph.operators.captured.captures import Trace, current_trace, trace_at_hand
from autograph.operators.captured.methods import for_consumer
from autograph.operators.expressions.access import iterate
from autograph.operators.expressions.logical import and_, not_
from autograph.operators.values.bodies import State
from autograph.operators.values.iterables import Indexed, IndexedIterator, as_indexed
from autograph.operators.values.iterators import ASKED, ends, spend, taken
from autograph.operators.values.scope import FunctionScope, cells_of
from runtime import journal
from runtime.building import Builder, building, current_builder
from runtime.errors import Origin, StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Call", "Consumer", "Ending", "GeneratorScope", "call_of", "check_left", "made",
           "placed"]  # fmt: skip

_WAY_OUT = (
    "go through it by a `for` statement, with no `try` or `with` around the `yield`, or give the "
    "items in a loop of the function itself"
)


class GeneratorScope(FunctionScope):
    """The scope of a generator: entered when it begins, left and entered again at each `yield`."""

    __slots__ = ("_builder", "_is_left", "_mark")

    def __enter__(self) -> GeneratorScope:
        super().__enter__()
        self._is_left = False
        self._note_place()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._trace is None:
            return
        self._trace.generators.left.pop(self, None)
        if not self._is_left:
            super().__exit__(kind, error, traceback)
        if error is None:
            self._check_end()

    # ---- `yield` -----------------------------------------------------------------------------

    def suspended(self, value: Any, is_protected: bool) -> Any:
        """`value`, which the generator gives now: its scope is left.

        `is_protected`: in a `try` or `with`, which has something to do if it never goes on.
        """
        if self._trace is not None:
            self._check_end()
            self._leave(origin_of_caller() if is_protected else None)
        return value

    def resumed(self, sent: Any) -> Any:
        """What was sent; the generator goes on."""
        if self._trace is None:
            if building() is not None:
                raise self._foreign()
            return sent
        self._go_on()
        return sent

    def regain(self) -> None:
        """Enter the scope where an exception, thrown in at a `yield`, is caught."""
        trace = self._trace
        if trace is None or not self._is_left or not self._is_traced():
            return
        origin = trace.generators.left.get(self)
        if origin is not None and building() is not self._builder:
            # Python ignores what a generator raises that nobody holds any more.
            trace.generators.failures.append(self._of_two_bodies(origin))
        self._enter()

    def delegated(self, iterable: Any, is_protected: bool) -> Iterable[Any]:
        """What `yield from` goes through."""
        if self._trace is None:
            return iterable  # type: ignore[no-any-return]
        return _Delegate(self, iter(self.items(iterable)), is_protected)

    def _leave(self, origin: Origin | None) -> None:
        trace = self._trace
        trace.scopes.open.remove(self)
        self._is_left = True
        if origin is not None:
            trace.generators.left[self] = origin

    def _go_on(self) -> None:
        if not self._is_left:
            return
        if not self._is_traced():
            raise StagingError(
                f"the generator `{self.function_name}` was begun while a function was traced, and "
                "goes on after it",
                "go through it in the converted function",
            )
        origin = self._trace.generators.left.pop(self, None)
        if origin is not None and building() is not self._builder:
            raise self._of_two_bodies(origin)
        self._enter()

    def _is_traced(self) -> bool:
        """Whether the trace in which the generator began is under way."""
        return self._trace is current_trace()

    def _enter(self) -> None:
        self._is_left = False
        self._trace.scopes.open.append(self)
        self.note_shared()
        self._note_place()

    def _check_end(self) -> None:
        if self._builder is not None and self._builder is building():
            _refuse_end(self.function_name, self._builder, self._mark)

    def _note_place(self) -> None:
        self._builder = building()
        self._mark = None if self._builder is None else self._builder.mark()

    # ---- statements around a `yield` ---------------------------------------------------------

    def known(self, test: Any) -> Any:
        """A condition that decides about a `yield`; refused where it depends on data."""
        if self._trace is None:
            return test
        go = condition(test)
        if isinstance(go, Tensor):
            raise StagingError(
                f"whether the generator `{self.function_name}` comes to a `yield` depends on data, "
                "which is not a part of graphs yet where its items are taken one by one",
                _WAY_OUT,
                origin=origin_of_caller(),
            )
        return go

    def items(self, iterable: Any) -> Any:
        """The items of a loop around a `yield`; refused where their number depends on data."""
        if self._trace is None:
            return iterable
        if isinstance(iterable, Tensor | Indexed):
            indexed = as_indexed(iterable)
            assert indexed is not None
            if indexed.known_length() is None:
                raise StagingError(
                    f"how many items the generator `{self.function_name}` gives depends on data, "
                    "which is not a part of graphs yet where they are taken one by one",
                    _WAY_OUT,
                    origin=origin_of_caller(),
                )
            return indexed.unrolled()
        return iterate(iterable)

    # ---- refusals ----------------------------------------------------------------------------

    def _foreign(self) -> StagingError:
        return StagingError(
            f"the generator `{self.function_name}` was begun outside of the converted function, "
            "and would advance only while tracing",
            "pass its items as an argument, or make the generator in the function",
            origin=origin_of_caller(),
        )

    def _of_two_bodies(self, origin: Origin) -> StagingError:
        return StagingError(
            f"the generator `{self.function_name}` is left here, in a `try` or `with`, and goes on "
            "in a branch or loop that is staged",
            "go through all of its items in one place",
            origin=origin,
        )


def _refuse_end(name: str, builder: Builder, mark: Any) -> None:
    """Refuse a StopIteration that only the graph raises: a generator makes another of it."""
    nodes = builder.graph.nodes
    found = next((node for node in nodes[mark.now(nodes) :] if ends(node)), None)
    if found is not None:
        raise StagingError(
            f"the generator `{name}` raises StopIteration where that is known only when the graph "
            "runs",
            "end it by `return`",
            origin=found.origin,
        )


class _Delegate:
    """What `yield from` goes through while tracing: the scope is left with each item."""

    def __init__(self, scope: GeneratorScope, iterator: Iterator[Any], is_protected: bool) -> None:
        self._scope, self._iterator, self._is_protected = scope, iterator, is_protected

    def __iter__(self) -> _Delegate:
        return self

    def __next__(self) -> Any:
        return self._step(lambda: next(self._iterator))

    def send(self, value: Any) -> Any:
        """Go on with what the generator around was sent."""
        return self._step(lambda: self._iterator.send(value))  # type: ignore[attr-defined]

    def throw(self, *error: Any) -> Any:
        """Go on with what was thrown into the generator around."""
        throw = getattr(self._iterator, "throw", None)
        if throw is None:
            self._scope.regain()
            raise error[0]
        return self._step(lambda: throw(*error))

    def close(self) -> None:
        """End what it goes through, if that can be ended."""
        close = getattr(self._iterator, "close", None)
        if close is not None:
            close()

    def _step(self, advance: Callable[[], Any]) -> Any:
        self._scope._go_on()
        return self._scope.suspended(advance(), self._is_protected)


def check_left(trace: Trace) -> None:
    """Refuse generators that are left in a `try` or `with` when the trace ends."""
    if trace.generators.failures:
        raise trace.generators.failures[0]
    for scope, origin in trace.generators.left.items():
        raise StagingError(
            f"the generator `{scope.function_name}` is left here, in a `try` or `with`, and what "
            "it does at its end would be done only while tracing",
            "call its `close` when it is not needed any more",
            origin=origin,
        )


# ---- generators that are run in the place of a loop --------------------------------------------


class _Pass:
    """How far the items of a generator have come in a run of what goes through them."""

    __slots__ = ("_is_begun", "_is_over")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """None was taken yet: what goes through them begins."""
        self._is_begun: Any = False
        self._is_over: Any = False

    def goes_on(self) -> Any:
        """Whether there are items; refused where some may have been taken, but not all."""
        left = condition(and_(lambda: self._is_begun, lambda: not_(self._is_over)))
        if isinstance(left, Tensor) or left:
            raise StagingError(
                "a generator whose items data decides about is gone through, and some of its items "
                "may have been taken before",
                "make a list of it first (`list(...)`)",
                origin=origin_of_caller(),
            )
        return not_(self._is_over)

    def begin(self) -> None:
        """The items are about to be taken."""
        self._write("_is_begun")

    def end(self) -> None:
        """All of them were taken."""
        self._write("_is_over")

    def _write(self, name: str) -> None:
        def put(value: Any) -> None:
            setattr(self, name, value)

        key = ("pass", id(self), name)
        journal.note(journal.Slot(key, self, "a generator", lambda: getattr(self, name), put))
        put(True)


class Run(NamedTuple):
    """Runs a generator's code in the place of a loop: `code` calls a consumer for each item.

    `is_once`: it takes items of an iterator of Python's, so that only one may try to. `sources` are
    the generators that it goes through itself, which begin again with it. `copied` are iterators of
    which it goes through copies: their items are gone once it has come to its end. Of a source,
    `taken` says how far its items have come. `asked` is what the graph asks for each item: it knows
    itself how far it has come, so that anyone may take the next one.
    """

    name: str
    code: Callable[[Consumer], None]
    is_once: bool = False
    sources: tuple[Again, ...] = ()
    copied: tuple[IndexedIterator, ...] = ()
    taken: _Pass | None = None
    asked: Any = None

    def begins_again(self, advanced: Iterable[Any]) -> bool:
        """Whether it is nothing to it that items were taken from these iterators."""
        return all(self._goes_through(iterator) for iterator in advanced)

    def _goes_through(self, iterator: Any) -> bool:
        return any(x.generator is iterator or x.run._goes_through(iterator) for x in self.sources)

    def iterators(self) -> Iterator[IndexedIterator]:
        """The iterators of which it, or a source of it, goes through copies."""
        yield from self.copied
        for x in self.sources:
            yield from x.run.iterators()

    def note_taken(self, *, goes_to_end: bool) -> None:
        """After all items, or as many as data decides, were given: what nobody else can take."""
        for iterator in self.iterators():
            journal.note_unspent(iterator)
            if goes_to_end:
                iterator.rest()
            else:
                taken(iterator)
                spend([iterator])

    def __call__(self, consumer: Consumer) -> None:
        """Give all items to a consumer; no generator ends by StopIteration."""
        builder = current_builder()
        mark = builder.mark()
        if self.taken is None:
            for one in self._passes():
                one.reset()
        else:
            self.taken.begin()
        try:
            self.code(consumer)
            if self.taken is not None and consumer.goes_to_end:
                self.taken.end()
        except StopIteration as error:
            if consumer.error is error:
                raise
            raise RuntimeError("generator raised StopIteration") from error
        _refuse_end(self.name, builder, mark)

    def _passes(self) -> Iterator[_Pass]:
        for x in self.sources:
            if x.run.taken is not None:
                yield x.run.taken
            yield from x.run._passes()


class Again:
    """A generator that is run in the place of a loop, though items of it may have been tried."""

    def __init__(self, generator: Any, run: Run) -> None:
        self.generator, self.run = generator, run

    def __iter__(self) -> Iterator[Any]:
        yield self._one_by_one()

    def _one_by_one(self) -> NoReturn:
        raise StagingError(
            f"data decides how many items the generator `{self.run.name}` gives, which is not a "
            "part of graphs yet where they are taken one by one",
            _WAY_OUT,
            origin=origin_of_caller(),
        )

    def close(self) -> None:
        """End the generator."""
        self.generator.close()


def _again(x: Any) -> Any:
    """An argument of a generator function: a new generator as one that can begin again."""
    run = None if type(x) is Again else call_of(x)
    return x if run is None else _source(x, run)


def _source(generator: Any, run: Run) -> Again:
    trace = trace_at_hand()
    return Again(generator, run._replace(taken=trace.generators.made[generator].taken))


class Call(NamedTuple):
    """What made a generator: a call of a generator function."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def in_place(self) -> Run | None:
        """What runs the generator in the place of a loop; None where nothing can."""
        twin = for_consumer(self.function)
        if twin is None:
            return None
        args = tuple(map(_again, self.args))
        kwargs = {name: _again(x) for name, x in self.kwargs.items()}
        sources = tuple(x for x in (*args, *kwargs.values()) if type(x) is Again)
        is_once = any(x.run.is_once for x in sources)
        name = self.function.__name__
        return Run(name, lambda consumer: twin(consumer, *args, **kwargs), is_once, sources)


class _Placed(NamedTuple):
    """What made a generator: an expression, which goes through `source`."""

    name: str
    source: Any
    code: Callable[[Any, Consumer], None]
    # What is asked for each item: it cannot be gone through otherwise.
    asked: Any = None

    def in_place(self) -> Run | None:
        """What runs the generator in the place of a loop; None where nothing can."""
        source, is_once = self.source, self.asked is not None
        sources: tuple[Again, ...] = ()
        copied: tuple[IndexedIterator, ...] = ()
        if type(source) is GeneratorType:
            run = call_of(source)
            if run is None:
                return None
            source, is_once = _source(source, run), run.is_once
            sources = (source,)
        elif isinstance(source, IndexedIterator):
            source, copied = source.copy(), (source,)
        elif isinstance(source, Iterator):
            is_once = True

        def code(consumer: Consumer) -> None:
            self.code(source, consumer)

        return Run(self.name, code, is_once, sources, copied, asked=self.asked)


class _Made:
    """What made a generator of the trace, and how far what goes through it has come."""

    __slots__ = ("call", "taken")

    def __init__(self, call: Call | _Placed) -> None:
        self.call, self.taken = call, journal.fresh(_Pass())


def placed(
    generator: Any, name: str, source: Any, code: Callable[[Any, Consumer], None],
    asked: Any = None,
) -> Any:  # fmt: skip
    """A new generator, for which `code` can be run in the place of a loop, over its `source`.

    It must be where that is `asked` for each item.
    """
    trace = current_trace()
    journal.fresh(generator)
    if asked is not None:
        ASKED[id(generator)] = generator
    if trace is not None:
        trace.generators.made[generator] = _Made(_Placed(name, source, code, asked))
    return generator


def made(result: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`result` of a call; of a new generator it is noted what made it."""
    if type(result) is GeneratorType:
        trace = current_trace()
        if trace is not None and function.__code__.co_flags & inspect.CO_GENERATOR:
            journal.fresh(result)
            trace.generators.made[result] = _Made(Call(function, args, kwargs))
    return result


def call_of(iterator: Any) -> Run | None:
    """What runs a new generator in the place of a loop; None where nothing can."""
    if type(iterator) is Again:  # which is not tried a second time
        return iterator.run._replace(is_once=True)
    trace = current_trace()
    if trace is None or type(iterator) is not GeneratorType:
        return None
    found = trace.generators.made.get(iterator)
    if found is None or inspect.getgeneratorstate(iterator) != inspect.GEN_CREATED:
        return None
    run: Run | None = found.call.in_place()
    return run


class Consumer:
    """What a `for` statement does with each item of a generator that runs in its place.

    Called by the generator's code; whether it wants no more. The names that the statement changes
    are told to the journal: the loops and branches of the generator carry them.
    """

    def __init__(
        self,
        body: Callable[[Any], None],
        test: Callable[[], Any],
        state: State,
        *,
        goes_to_end: bool = False,
    ) -> None:
        trace = trace_at_hand()
        self.goes_to_end = goes_to_end
        self._body, self._test, self._state, self._trace = body, test, state, trace
        self._depth = len(trace.scopes.open)
        self.error: BaseException | None = None
        # What no cell holds (the state of `any`) is as new as this: nobody outside carries it.
        self._slots = journal.fresh(self)._own_slots()

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        (item,) = args
        inner = self._trace.scopes.open[self._depth :]
        del self._trace.scopes.open[self._depth :]
        self._trace.scopes.suspended += inner
        try:
            self.note_names()
            self._body(item)
            return not_(self._test())
        except BaseException as error:
            self.error = error
            raise
        finally:
            del self._trace.scopes.suspended[len(self._trace.scopes.suspended) - len(inner) :]
            self._trace.scopes.open += inner

    def note_names(self) -> None:
        """Tell the journal that the names of the statement are about to change."""
        if self._depth:
            self._trace.scopes.open[self._depth - 1].note_shared()
        for slot in self._slots:
            journal.note(slot)

    def forget_names(self, transaction: journal.Transaction) -> None:
        """Take the names out of the journal: the function around carries them as it always does."""
        for slot in self._slots:
            transaction.slots.pop(slot.key, None)

    def _own_slots(self) -> list[journal.Slot]:
        scope = self._trace.scopes.open[self._depth - 1] if self._depth else None
        shared = set() if scope is None else scope.cell_ids
        cells = cells_of(self._state.getter)
        slots = []
        for i, name in enumerate(self._state.names):
            cell = cells.get(name)
            if cell is None and name in getattr(self._state.getter, "__globals__", {}):
                continue  # noted by the scope
            if cell is not None and id(cell) in shared:
                continue
            if cell is not None:
                self._trace.scopes.cells[id(cell)] = cell
                if scope is not None:
                    journal.fresh_as(cell, scope)
            slots.append(self._slot(i, name, cell))
        return slots

    def _slot(self, i: int, name: str, cell: Any) -> journal.Slot:
        state = self._state

        def write(value: Any) -> None:
            values = list(state.get())
            values[i] = value
            state.set(tuple(values))

        key = ("cell", id(cell)) if cell is not None else ("consumer", id(self), i)
        return journal.Slot(key, cell or self, name, lambda: state.get()[i], write)


class Ending:
    """Gives items to a consumer, until it wants no more: `state` is whether it does, if it may."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self.is_left: Any = False
        self.state = None
        if not consumer.goes_to_end:
            self.state = State(lambda: (self.is_left,), self._set, ("the end of the items",))

    def put(self, item: Any) -> None:
        """Give an item to the consumer."""
        self.is_left = self._consumer.__ag_call__((item,), {})

    def _set(self, values: tuple[Any, ...]) -> None:
        (self.is_left,) = values
