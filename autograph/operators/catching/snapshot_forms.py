"""The forms of what a `try`, or a function that calls itself, carries in one place."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from autograph.operators.stand_ins.one_of import OneOf, index_of
from autograph.operators.stand_ins.references import select
from autograph.operators.stand_ins.values import NOTHING
from autograph.operators.symbolic.forms import Form as ItemForm
from runtime.spec import ErrorType, TensorType

__all__ = [
    "Among",
    "Called",
    "Conflict",
    "Form",
    "Grown",
    "Itself",
    "Kinds",
    "Leaf",
    "Nest",
    "OrMade",
    "OrNone",
    "Perhaps",
    "Raised",
    "Same",
    "Unset",
    "Written",
]


class Same(NamedTuple):
    """One Python value, or one array that is older than the `try`."""

    value: Any


class Unset(NamedTuple):
    """No value."""


class Leaf(NamedTuple):
    """A graph value; `is_array` if it is the content of an array, which may be an older one."""

    type: TensorType
    is_array: bool = False


class Nest(NamedTuple):
    """A container that the body made."""

    like: Any
    parts: tuple[Any, ...]


class Grown(NamedTuple):
    """What is in a list of which data decides how many items it has: the form of each.

    `like` is an empty list or tuple where the body made it, None for what is in an older list;
    `length` is how many items there are, where that is the same wherever the body may raise.
    """

    item: ItemForm
    like: Any = None
    length: int | None = None


class Among(NamedTuple):
    """One of several objects that are there after the `try`, by its number."""

    things: tuple[Any, ...]


class OrMade(NamedTuple):
    """One of several older objects or containers, by its number, or one that the body made."""

    things: tuple[Any, ...]
    made: Nest | Grown

    def made_among(self, x: Any) -> Any:
        """What the body made of what `x` is, or may be; one of several if it may be several."""
        if type(x) is not OneOf:
            return NOTHING if self._is_older(x) else x
        made = self.all_made(x)
        if len(made) < 2:
            return made[0] if made else NOTHING
        places = [k for k, one in enumerate(x.things) if not self._is_older(one)]
        return OneOf(select(x.index, {k: places.index(k) for k in places}), made)

    def all_made(self, x: Any) -> tuple[Any, ...]:
        """All that the body made of what `x` may be."""
        ones = x.things if type(x) is OneOf else (x,)
        return tuple(one for one in ones if not self._is_older(one))

    def index_of(self, x: Any) -> Any:
        """The number of what `x` is: of an older one, or the one after all for what was made."""
        if type(x) is OneOf:
            return select(x.index, {k: self.index_of(one) for k, one in enumerate(x.things)})
        return index_of(x, self.things) if self._is_older(x) else len(self.things)

    def _is_older(self, x: Any) -> bool:
        return any(x is thing for thing in self.things)


class Called(NamedTuple):
    """A function, by those parts that the body made or by which it differs, under their numbers.

    `others` are the functions of which it may be one.
    """

    like: Any
    parts: dict[int, Any]
    others: tuple[Any, ...]


class Itself(NamedTuple):
    """What a function holds that is that function."""


class Written(NamedTuple):
    """A text, by its letters."""


class Raised(NamedTuple):
    """An exception of one of the classes `kinds`, and of none of the `others`, that was caught."""

    kinds: tuple[type[BaseException], ...]
    others: tuple[type[BaseException], ...]

    @property
    def type(self) -> Any:
        """The type of what the graph has of it."""
        return ErrorType()


class Perhaps(NamedTuple):
    """A value and a bool that says whether there is one."""

    part: Any


class OrNone(NamedTuple):
    """A number or an array, and a bool that says whether it is there: else it is None."""

    part: Any


class Kinds(NamedTuple):
    """One of several values of several kinds, by its number: all of them are carried."""

    kinds: tuple[Any, ...]
    parts: tuple[Any, ...]


class Conflict(NamedTuple):
    """Values that no graph can choose from: an error where the place is read."""

    what: str
    hint: str


Form: TypeAlias = (
    Same
    | Unset
    | Leaf
    | Nest
    | Grown
    | Among
    | OrMade
    | Called
    | Itself
    | Written
    | Raised
    | Perhaps
    | OrNone
    | Kinds
    | Conflict
)
