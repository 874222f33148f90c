"""A trace for other objects than those that it was made with: a function that tells what is alike.

What a trace reads of an object from outside is known: attributes, items, cells, lengths, each
guarded or an input. Another object of the class of which all that is alike is served by the same
graph, with its own arrays for inputs, and is what the graph writes into. So are other functions of
the same code, methods of other objects, partial functions, lists, dicts, sets and deques.
"""

from __future__ import annotations

import enum
import functools
from collections import deque
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, NamedTuple, cast

from autograph.operators.captured.captures import Place, is_fixed, place_of_item
from autograph.operators.captured.defaults import place_of_default
from autograph.operators.captured.guards import weak
from autograph.operators.captured.standing import Owner
from autograph.rules import is_plain_python
from autograph.tracing.signature import Arguments, Identity
from runtime.random.generator import Generator
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Alike", "Likeness", "Number", "Opening", "is_movable", "loose_key"]


class Alike(NamedTuple):
    """What a graph needs for other objects: the arrays that it captures, and what it writes into.

    `others` are by the `id`s of those of the trace, `states` of generators by their number among
    the variables of it.
    """

    captured: tuple[Any, ...]
    others: dict[int, Any]
    states: dict[int, Variable]


class Number(NamedTuple):
    """A number that another object has in the place of a constant of the trace."""

    key: Any
    place: Place


def _is_of_users(kind: Any) -> bool:
    """Whether objects of a class hold nothing but attributes, and are made by the user's code."""
    if issubclass(kind, (Tensor, Variable, type, enum.Enum)):
        return False
    if is_fixed(kind.__module__) and not is_plain_python(kind.__module__):
        return False
    return all(c is object or c.__flags__ & MADE_BY_CLASS_STATEMENT for c in kind.__mro__)


def is_movable(thing: Any) -> bool:
    """Whether another object of the kind may serve in the place of this one."""
    kind: Any = type(thing)
    if kind is FunctionType:
        return _is_made_in_function(thing)
    return kind in _OF_PARTS or _is_of_users(kind)


# What is known through what it is made of, or holds; a generator has a state, which is its own.
_OF_PARTS = (MethodType, functools.partial, Generator, set, deque)


def _is_made_in_function(function: FunctionType) -> bool:
    return bool(function.__closure__) or "<" in function.__qualname__


def loose_key(arguments: Arguments) -> Any:
    """The key of arguments with classes in the places of objects."""
    if not any(isinstance(key, Identity) for key in arguments.keys):
        return arguments.key
    keys = tuple(
        ("like", _sort(leaf)) if isinstance(key, Identity) and is_movable(leaf) else key
        for key, leaf in zip(arguments.keys, arguments.leaves, strict=True)
    )
    return arguments._replace(keys=keys).key


def _sort(thing: Any) -> int:
    """The `id` of a class or a piece of code: what has another one is not alike anyway."""
    return id(thing.__code__ if type(thing) is FunctionType else type(thing))


class Written(NamedTuple):
    """The lines that look at the `leaves` of a call, and leave where they are not alike.

    `inputs` is what the graph captures of them, `others` what it writes into, and `states` those of
    generators, in Python.
    """

    lines: str
    inputs: str
    others: str
    states: str

    def finder(self, space: dict[str, Any]) -> Callable[[Sequence[Any]], Any]:
        """The function of leaves that gives an `Alike`, or a list of numbers that are others."""
        alike = f"Alike(({self.inputs}), {{{self.others}}}, {{{self.states}}})"
        text = f"def find(leaves):\n    bad = []\n    try:\n{self.lines}"
        text += f"        return bad or {alike}\n    except Exception:\n        return miss\n"
        return self._made("find", text, {**space, "miss": None})

    def server(
        self, space: dict[str, Any], tests: str, given: str, result: str
    ) -> Callable[..., Any] | None:
        """The function of arguments that gives the `result`; None where more is to be told.

        `given` is what the graph takes of the arguments, and `tests` are what else is to be false.
        """
        if self.others or self.states:
            return None
        text = f"def serve(*leaves):\n    if {tests}: return miss\n    bad = []\n    try:\n"
        text += f"{self.lines}        if bad: return miss\n"
        text += f"        inputs = ({given}{self.inputs})\n"
        text += f"    except Exception:\n        return miss\n    {result}\n"
        return self._made("serve", text, space)

    def _made(self, name: str, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        exec(compile(text, "<likeness>", "exec", dont_inherit=True), space)
        return cast("Callable[..., Any]", space[name])


class Likeness:
    """Tells whether what a call is given, and finds outside, is like what the trace had."""

    def __init__(
        self,
        key: Any,
        written: Written,
        space: dict[str, Any],
        numbers: list[Opening],
        owners: list[Owner],
    ) -> None:
        self.key = key
        self._written, self._space, self._numbers = written, space, numbers
        self._owners = owners

    @functools.cached_property
    def function(self) -> Callable[[Sequence[Any]], Any]:
        return self._written.finder(self._space)

    def server(
        self,
        run: Callable[..., Any],
        miss: Any,
        count: int,
        inputs: Sequence[int],
        wanted: Sequence[tuple[int, Any]],
        concrete: Any,
    ) -> Callable[..., Any] | None:
        """A function of the arguments of a call that runs a graph, where they are alike.

        `run` looks at the types of its inputs, those of the arguments first, and gives `miss` for
        others. There are `count` arguments, of which the `wanted` must be just these objects. A
        `concrete` graph is noted as used, and not run where its captures are replaced. None where
        the graph writes into what is alike.
        """
        space = {**self._space, "run": run, "miss": miss, "concrete": concrete}
        tests = [f"len(leaves) != {count}", "concrete._replaced"]
        for i, thing in wanted:
            space[f"argument{i}"] = thing
            tests.append(f"leaves[{i}] is not argument{i}")
        given = "".join(f"leaves[{i}], " for i in inputs)
        result = "concrete.used = True; return run(*inputs)"
        return self._written.server(space, " or ".join(tests), given, result)

    def find(self, leaves: Sequence[Any]) -> Alike | list[Number] | None:
        """What serves a call whose arguments have such leaves.

        Where nothing but some numbers are others, these; None where more is.
        """
        found = self.function(leaves)
        if type(found) is list:
            return [self._numbers[at].of(owner) for at, owner in found]
        return found  # type: ignore[no-any-return]

    def let_go(self) -> None:
        """Have the graph keep nothing of the objects of the trace, which are gone."""
        for owner in self._owners:
            owner.let_go()


class Opening(NamedTuple):
    """A number among what a trace reads: in which kind of place, and under which name."""

    kind: str
    name: Any

    def of(self, owner: Any) -> Number:
        """The same of another object."""
        if self.kind in ("default", "part"):
            return Number((self.kind, id(owner), self.name), place_of_default(owner, self.name))
        if self.kind == "cell":
            place = Place(f"`{self.name}`", lambda: owner.cell_contents, ("cell", owner, None))
            return Number(("cell", id(owner)), place)
        if self.kind == "item":
            return Number(("item", id(owner), self.name), place_of_item(owner, self.name))
        fetch, name = weak(owner), self.name
        title = f"{type(owner).__name__}.{name}"
        place = Place(title, lambda: getattr(fetch(), name), ("attribute", fetch, name))
        return Number(("attr", id(owner), name), place)
