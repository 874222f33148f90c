"""Runs: what stands in a list for items whose number depends on data.

A list that a staged loop or branch makes longer or shorter is still the user's own list object, so
that all of its names see what is done to it. In it there is a `Run` in the place of items of which
only the graph knows how many there are: as rows of arrays, one for each number in an item. Other
items may stand before and behind it. What Python itself does without looking, as `append`, `+` and
`*`, keeps its meaning with runs; what looks into a list asks `has_runs` before.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import _Unreadable
from runtime.building import Builder, building
from runtime.devices import host_array
from runtime.errors import StagingError
from runtime.origins import Origin, origin_of_caller
from runtime.process.debuggers import glimpse, is_looking
from runtime.tensor import Tensor

__all__ = ["FACTORIES", "KINDS", "ContainerKind", "EntriesView", "LiveRun", "OpenDeque",
           "OpenSet", "Opened", "Packing", "Pad", "Rows", "Run", "Sealed", "SealedEntries",
           "as_users", "has_runs", "holds_nests", "holds_runs", "known_items", "known_length",
           "live", "mark_of", "note_shared", "opened", "padded", "python_class", "refusal",
           "settled", "unpadded"]  # fmt: skip


class Run(_Unreadable):
    """Items of a list, of the form `item`; `rows` are arrays with a row for each of them."""

    __slots__ = ("item", "rows")

    def __init__(self, item: Any, rows: list[Tensor]) -> None:
        super().__init__("a list")
        self.item, self.rows = item, rows
        trace = current_trace()
        if trace is not None:
            trace.containers.has_runs = True

    def counted(self) -> list[Tensor]:
        """Rows, in any order, as many as there are items."""
        return self.rows

    def load(self) -> NoReturn:
        raise refusal("its items are asked for here one by one")

    def _refuse_to_compare(self, other: Any) -> NoReturn:
        self.load()

    __eq__ = __ne__ = _refuse_to_compare

    def __hash__(self) -> int:
        raise refusal("a tuple of its items is a key, or an item of a set")

    def __repr__(self) -> str:
        if is_looking():
            return glimpse("as many items as data says")
        raise refusal("it is made into text")


class Packing:
    """The items of a list, to be put into rows for items of one form."""

    __slots__ = ("_pack", "_rows", "item", "items")

    def __init__(self, item: Any, items: list[Any], pack: Callable[..., list[Tensor]]) -> None:
        self.item, self.items, self._pack = item, items, pack
        self._rows: list[Tensor] | None = None

    def rows(self, content: Callable[[Any], Any]) -> list[Tensor]:
        """The rows, made when first asked for; `content` gives what is in an array."""
        if self._rows is None:
            self._rows = self._pack(self.item, self.items, content)
        return self._rows


class Rows(NamedTuple):
    """One of the arrays of rows for a list: a value that a staged statement carries."""

    packing: Packing
    position: int

    def now(self) -> Tensor:
        """The rows of the items as they are now."""
        return self.packing.rows(lambda x: x)[self.position]


class LiveRun(Run):
    """Items that are in a place which others write, too: they are what is there when looked at.

    `owner` is the list that it is all of; a copy of the run in another list would go on to follow
    the place, where a Python list has what was there when it was made.
    """

    __slots__ = ("_pinned", "owner")
    # What Python calls a list that is none: a view of a dict.
    kind = "list"

    def __init__(self, owner: list[Any]) -> None:
        _Unreadable.__init__(self, "a list")
        self.owner = owner
        # What it was at the end of bodies that were rolled back, by their builders.
        self._pinned: dict[Builder, Run] = {}
        trace = current_trace()
        if trace is not None:
            trace.containers.has_runs = True

    @property
    def item(self) -> Any:
        """The form of each item."""
        return self.frozen_then().item

    @property
    def rows(self) -> list[Tensor]:  # type: ignore[override]
        """The rows, as they are now."""
        return self.frozen_then().rows

    def frozen_then(self) -> Run:
        """What it is now; at the end of the body, where that has come to its end."""
        builder = building()
        pinned = None if builder is None else self._pinned.get(builder)
        return self.frozen() if pinned is None else pinned

    def pin(self, builder: Builder) -> None:
        """Remember what it is at the end of a body, which is about to be rolled back."""
        self._pinned[builder] = self.frozen()

    def frozen(self) -> Run:
        """What it is now, as a run that stays so."""
        raise NotImplementedError

    def get(self, key: Any) -> Any:
        """The item of an index."""
        raise NotImplementedError

    def places(self) -> Tensor | None:
        """In which row each item is, where it may be another one than that of its number."""
        return None

    def source(self) -> list[Any] | None:
        """The list of the items of a dict, of which it is a view."""
        return None

    def lists(self) -> list[Any]:
        """The lists that may be written by way of it."""
        return []

    def held(self) -> list[Any]:
        """What says where the items are: lists, and what the graph knows."""
        return self.lists()

    def cells(self) -> list[Any]:
        """The cells of the arrays that are written where the items are."""
        raise NotImplementedError

    def put(self, key: Any, value: Any) -> bool:
        """Set the item of an index; False: the list has to leave the place."""
        raise NotImplementedError


def live(x: Any) -> LiveRun | None:
    """The live run that a list is, if it is one."""
    first = list.__getitem__(x, 0) if isinstance(x, list) and list.__len__(x) else None
    if not isinstance(first, LiveRun):
        return None
    is_all = len(unpadded(list(list.__iter__(x)))) == 1
    if first.owner is not x:
        raise refusal(
            "it was made by an operator from one of several lists that data chooses between",
            "take a copy first (`list(row) + ...`), or write a loop",
        )
    return first if is_all else None


class Opened:
    """The mark in a dict whose keys depend on data: under it there is the list of its items.

    Or, where all keys that it may have are known, a dict of these; `is_in_order` says whether it
    has them in the order in which Python would, and `ranks` has the place of each key in that.
    """

    __slots__ = ("is_in_order", "owner", "ranks")

    def __init__(self, owner: Any, ranks: dict[Any, Any] | None = None) -> None:
        self.owner, self.ranks, self.is_in_order = owner, ranks, ranks is not None
        trace = current_trace()
        if trace is not None:
            trace.containers.has_runs = True

    def __repr__(self) -> str:
        return "..."


def mark_of(x: Any) -> Opened | None:
    """The mark in a dict whose keys depend on data; None in any other thing."""
    trace = current_trace()
    if trace is None or not trace.containers.has_runs or not isinstance(x, dict):
        return None
    marks = [key for key in dict.keys(x) if type(key) is Opened]
    if not marks:
        return None
    if len(marks) != dict.__len__(x) or marks[0].owner is not x:
        raise StagingError(
            "the keys of a dict depend on data, and another one was made of it by `|` or `**`",
            "write a loop over its items, or use `update`",
            origin=origin_of_caller(),
        )
    return marks[0]


def opened(x: Any) -> list[Any] | dict[Any, Any] | None:
    """The items of a dict whose keys depend on data, in a list; None of one whose keys do not.

    Of a dict of which the keys that it may have are known, they are in a dict.
    """
    mark = mark_of(x)
    return None if mark is None else dict.__getitem__(x, mark)


class EntriesView:
    """A view of a dict of which data decides what keys it has: `begin` gives what goes through it.

    What does not ask for that would take the view itself for what Python has, and is refused.
    """

    __slots__ = ("begin", "of")

    def __init__(self, of: dict[Any, Any], begin: Callable[[], Iterator[Any]]) -> None:
        self.of, self.begin = of, begin

    def _refuse(self, *args: Any) -> NoReturn:
        raise StagingError(
            "a view of a dict is used as a whole, and which keys the dict has depends on data",
            "go through it by a `for` statement, or ask the dict for keys one by one",
            origin=origin_of_caller(),
        )

    __iter__ = __contains__ = __eq__ = __ne__ = __repr__ = __hash__ = __bool__ = _refuse
    __len__ = __reversed__ = __and__ = __or__ = __sub__ = __xor__ = _refuse
    __rand__ = __ror__ = __rsub__ = __rxor__ = __le__ = __lt__ = __ge__ = __gt__ = _refuse


class _MayBeOpen:
    """A container that converted code made; `opened` are its items where the graph has them."""

    __slots__ = ()
    _opened: list[Any] | None

    @property
    def opened(self) -> list[Any] | None:
        """The list of its items, None as long as Python knows them."""
        return getattr(self, "_opened", None)

    @opened.setter
    def opened(self, items: list[Any] | None) -> None:
        if items is not None:
            self._opened = items  # type: ignore[misc]  # a slot of each class
        elif hasattr(self, "_opened"):
            del self._opened  # what is no attribute of the user's class is none of a result


class OpenSet(_MayBeOpen):
    """A set whose items may come to depend on data; `plain` are those that Python knows.

    It is no set to C code, which would look at the items itself: an operator of a frozenset and one
    asks this class. `isinstance` takes it for a set.
    """

    __slots__ = ("__weakref__", "_opened", "plain")
    __hash__ = None  # type: ignore[assignment]  # as of sets
    __class__ = property(lambda self: set)
    __iter__: Callable[[], Iterator[Any]]

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.plain = set(items)

    def __repr__(self) -> str:
        if self.opened is not None and is_looking():
            return glimpse("a set whose items depend on data")
        return repr({*self})


class OpenDeque(_MayBeOpen, deque[Any]):
    """A deque whose length may come to depend on data."""

    __slots__ = ("_opened",)
    __hash__ = None  # as of deques


def _guard(kind: type[_MayBeOpen], base: type, names: str, what: str, hint: str) -> None:
    """Refuse the methods of these names, which would look into one, while it is open."""

    def guarded(name: str) -> Any:
        own = _of_plain(name) if base is set else getattr(base, name)

        def method(self: _MayBeOpen, *args: Any) -> Any:
            if name == "__repr__" and self.opened is not None and is_looking():
                return glimpse(f"a {base.__name__} whose length depends on data")
            if any(isinstance(x, kind) and x.opened is not None for x in (self, *args)):
                raise StagingError(
                    f"{what} on data, and `{name}` of it is asked for",
                    hint,
                    origin=origin_of_caller(),
                )
            return own(self, *args)

        method.__name__ = name
        return method

    for name in names.split():
        setattr(kind, f"__{name}__", guarded(f"__{name}__"))
    kind.__name__ = kind.__qualname__ = base.__name__


def _of_plain(name: str) -> Any:
    """A method of sets, for one whose items Python knows."""
    own = getattr(set, name)

    def method(self: OpenSet, *args: Any) -> Any:
        result = own(self.plain, *(x.plain if type(x) is OpenSet else x for x in args))
        if result is self.plain:
            return self
        return OpenSet(result) if type(result) is set else result

    method.__name__ = name
    return method


for _method in vars(set):
    if not _method.startswith("_"):
        setattr(OpenSet, _method, _of_plain(_method))


_guard(
    OpenSet,
    set,
    "iter len contains reduce",  # `open_sets` has the other operators
    "the items of a set depend",
    "ask for items (`in`), sort them (`sorted(...)`), or use a dict",
)
_guard(
    OpenDeque,
    deque,
    "add mul iadd imul lt le gt ge eq ne iter len contains getitem repr reversed",
    "the length of a deque depends",
    "make a list of it first (`list(...)`), or take its items one by one",
)


def as_users(x: Any) -> Any:
    """A set or deque of which Python knows the items, as one of the user's class of it."""
    if isinstance(x, OpenSet):
        return {*x}
    return deque(x, x.maxlen) if isinstance(x, OpenDeque) else x


def known_items(x: Any) -> Iterator[Any]:
    """The items of a set that Python knows, past methods of the user's."""
    return set.__iter__(x.plain if type(x) is OpenSet else x)


def python_class(kind: type) -> type:
    """The class of a set or deque as the user knows it."""
    return set if kind is OpenSet else deque if kind is OpenDeque else kind


class Pad(Run):
    """No items: it keeps the size of a list, so that no iterator of it comes to an end."""

    __slots__ = ()


class ContainerKind(NamedTuple):
    """What is made of a list of items that a result holds: a list or tuple, or a dict of pairs."""

    name: str = "list"
    # Of a defaultdict, what makes the items that are missing; of a deque, its greatest length.
    factory: Any = None

    def make(self, items: list[Any]) -> Any:
        """The container of these items."""
        if self.name == "list":
            return items
        if self.name == "tuple":
            return tuple(items)
        if self.name == "set":
            return set(items if _are_hashable(items[:1]) else map(_hashable, items))
        if self.name == "deque":
            return deque(items, self.factory)
        are_keys = _are_hashable([key for key, _ in items[:1]])
        made = dict(items if are_keys else [(_hashable(key), value) for key, value in items])
        if self.name == "defaultdict":
            return defaultdict(self.factory, made)
        return made if self.name == "dict" else _DICTS[self.name](made)


_HASHABLE = (np.generic, int, float, str)


def _are_hashable(keys: Iterable[Any]) -> bool:
    """Whether keys are numbers and texts, or tuples of such: all of a column are as the first."""
    return all(
        _are_hashable(key) if type(key) is tuple else isinstance(key, _HASHABLE) for key in keys
    )


def _hashable(key: Any) -> Any:
    """A key of a dict: a number is no tensor there."""
    if _are_hashable((key,)):
        return key
    if type(key) is tuple:
        return tuple(map(_hashable, key))
    number = host_array(key.array if isinstance(key, Tensor) else key)
    return number[()] if isinstance(number, np.ndarray) else number


# What a defaultdict in a file may make its items by, by name.
FACTORIES: dict[str, Any] = {
    "": None, "int": int, "float": float, "bool": bool, "complex": complex, "list": list,
}  # fmt: skip
KINDS = ("tuple", "set", "deque", "dict", "OrderedDict", "Counter", "defaultdict")
_DICTS: dict[str, Any] = {"OrderedDict": OrderedDict, "Counter": Counter}


class Sealed:
    """A list whose length depends on data, as a part of the result of a function.

    Or a dict whose keys do, as the list of its items.
    """

    __slots__ = ("item", "kind", "rows", "whole")

    def __init__(
        self, whole: Any, item: Any, rows: list[Tensor], kind: ContainerKind | None = None
    ) -> None:
        self.whole, self.item, self.rows = whole, item, rows
        self.kind = kind or ContainerKind()


class SealedEntries:
    """A dict of which data decides what keys it has, as a part of the result of a function.

    `there` has the traced bools of those of the `values` that it may lack. With `ranks` the keys
    are in the order of these.
    """

    __slots__ = ("ranks", "there", "values", "whole")

    def __init__(
        self, whole: Any, values: dict[Any, Any], there: dict[Any, Tensor], ranks: dict[Any, Tensor]
    ) -> None:
        self.whole, self.values, self.there, self.ranks = whole, values, there, ranks


def refusal(what: str, hint: str = "", origin: Origin | None = None) -> StagingError:
    """The error for a use of a list with runs; in the user's line that is run, or at `origin`."""
    return StagingError(
        f"the length of a list depends on data, and {what}",
        hint or "use a `for` statement, an index or `np.array` of it, or an array in its place",
        origin=origin or origin_of_caller(),
    )


def settled(items: list[Any], owner: list[Any] | None = None, *, apart: bool = False) -> list[Any]:
    """Items of a list, to be put into another one: of a live run, what it is now.

    `owner` is the list that they were copied from just now, if they were. With `apart`, lists and
    dicts among the items are other ones in the new list.
    """
    if owner is None:
        live(items)
    found = [item.frozen() if isinstance(item, LiveRun) else item for item in unpadded(items)]
    if not apart:
        note_shared(found)
    return found


def holds_nests(run: Run) -> bool:
    """Whether there are lists or dicts among the items of a run, which are made anew there."""
    return run.item is not None and bool(run.item.holds_nests)


def note_shared(items: Iterable[Any]) -> None:
    """Remember that what these items of a list are may be in another list, too, or there twice."""
    trace = current_trace()
    runs = [x for x in items if isinstance(x, Run)] if trace is not None else []
    if trace is not None and runs:
        known, rows = trace.containers, (row for run in runs for row in run.rows)
        known.shares_nests |= any(map(holds_nests, runs))
        known.shares_arrays |= any(row.type.rank != 1 for row in rows)


def has_runs(x: Any) -> bool:
    """Whether `x` is a list or tuple with runs in it."""
    if not isinstance(x, (list, tuple)):
        return False
    trace = current_trace()
    if trace is None or not trace.containers.has_runs:
        return False
    items = list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x)
    return any(issubclass(kind, Run) for kind in {*map(type, items)})


def holds_runs(x: Any, around: tuple[int, ...] = ()) -> bool:
    """Whether there is a list with runs in a nest, or a dict whose keys depend on data."""
    trace = current_trace()
    if (
        trace is None
        or not trace.containers.has_runs
        or not isinstance(x, (list, tuple, dict, OpenSet, OpenDeque))
    ):
        return False
    if isinstance(x, OpenSet | OpenDeque):
        return x.opened is not None
    if has_runs(x):
        return True
    if isinstance(x, dict) and mark_of(x) is not None:
        return True
    items = dict.values(x) if isinstance(x, dict) else x
    return id(x) not in around and any(holds_runs(item, (*around, id(x))) for item in items)


def unpadded(content: Iterable[Any]) -> list[Any]:
    """The content of a list without what only keeps its size."""
    return [item for item in content if type(item) is not Pad]


def known_length(x: list[Any]) -> int | None:
    """How many items a list has, in which there may be runs, where that is known."""
    count = 0
    for part in unpadded(x):
        shape = part.rows[0].type.shape if isinstance(part, Run) else (1,)
        if shape is None or shape[0] is None:
            return None
        count += shape[0]
    return count


def padded(content: list[Any], now: list[Any]) -> list[Any]:
    """What a list is to hold for `content` that has runs: no less than the items of `now`."""
    size = len(now) + (not has_runs(now))
    return [*content, *(Pad(None, []) for _ in range(size - len(content)))]  # none is another
