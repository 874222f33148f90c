"""`collections.Counter` and other dicts made of what depends on data."""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from autograph.library import counters
from autograph.operators.builtins import in_place
from autograph.operators.builtins.gathering import mapping
from autograph.operators.builtins.growing_sorts import sorted_items
from autograph.operators.builtins.interleaved_extend import put_pair
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.methods import called
from autograph.operators.containers import key_rows, open_dicts, open_sets
from autograph.operators.containers.growing import slice_of
from autograph.operators.containers.keyed import is_open_key
from autograph.operators.expressions.access import setitem
from autograph.operators.expressions.generators import call_of
from autograph.operators.loops.loops import for_stmt
from autograph.operators.values.bodies import NO_NAMES
from autograph.operators.values.contents import content_slot
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import shown
from runtime import journal
from runtime.building import building

__all__ = ["METHODS", "counted", "dict_display", "dict_of_pairs", "difference", "intersection",
           "ior", "is_dict_of_pairs", "made_of_open_dict", "symmetric_difference", "union",
           "update"]  # fmt: skip


def dict_display(*pairs: tuple[Any, ...]) -> Any:
    """`{key: value, ...}` of which some keys are no constants; `(x,)` stands for `**x`."""
    made: dict[Any, Any] = journal.fresh({})
    for pair in pairs:
        if len(pair) == 2:
            setitem(made, *pair)
            continue
        found = mapping(pair[0], "'{}' object is not a mapping")
        if open_dicts.is_open(found):
            update(made, found)
        else:
            for key, value in {**found}.items():
                setitem(made, key, value)
    return made


def union(left: Any, right: Any) -> Any:
    """`left | right`, where the keys of dicts may depend on data."""
    if open_sets.are_of_views(left, right):
        return open_sets.of_views("or", "|", left, right)
    if building() is not None and isinstance(left, dict) and isinstance(right, dict):
        are_open = any(open_dicts.is_open(x) for x in (left, right))
        if are_open and _KINDS_OF_UNIONS.issuperset((type(left), type(right))):
            kind = type(right) if type(left) is dict else type(left)
            factory = (getattr(left, "default_factory", None),) if kind is defaultdict else ()
            made: Any = journal.fresh(kind(*factory))
            update(made, left)
            update(made, right)
            return made
        if are_open and not (type(left) is type(right) is Counter):
            kinds = " and ".join(f"a {type(x).__name__}" for x in (left, right))
            raise open_dicts.refused(f"{kinds} are put together by `|`")
    return left | right


def intersection(left: Any, right: Any) -> Any:
    """`left & right`, of which one may be a view of a dict."""
    is_of_views = open_sets.are_of_views(left, right)
    return open_sets.of_views("and", "&", left, right) if is_of_views else left & right


def difference(left: Any, right: Any) -> Any:
    """`left - right`, of which one may be a view of a dict."""
    is_of_views = open_sets.are_of_views(left, right)
    return open_sets.of_views("sub", "-", left, right) if is_of_views else left - right


def symmetric_difference(left: Any, right: Any) -> Any:
    """`left ^ right`, of which one may be a view of a dict."""
    is_of_views = open_sets.are_of_views(left, right)
    return open_sets.of_views("xor", "^", left, right) if is_of_views else left ^ right


_KINDS_OF_UNIONS = frozenset((dict, OrderedDict, defaultdict))


def ior(target: Any, value: Any) -> Any:
    """`target |= value`."""
    if building() is not None and isinstance(target, dict) and type(target) is not Counter:
        items = open_dicts.view(value, "items") if open_dicts.is_open(value) else value
        if open_dicts.is_open(target) or open_dicts.is_open(value) or has_runs(items):
            update(target, items)
            return target
    return in_place.ior(target, value)


def counted(*args: Any, **kwargs: Any) -> Any:
    """`Counter(items)`."""
    facts = current_trace()
    if facts is not None:
        facts.adopted.adopt(Counter)
    made: Any = journal.fresh(Counter())
    if len(args) != 1 or kwargs:
        made.update(*args, **kwargs)
    elif open_dicts.is_open(args[0]):
        return open_dicts.copied(args[0], Counter)
    else:
        _update_counter(made, args[0])
    return made


def _update_counter(x: Any, items: Any = None, /, **kwargs: Any) -> None:
    """`x.update(items)` of a Counter."""
    is_open = open_dicts.is_open(x)
    if items is None or isinstance(items, dict) or kwargs:
        is_open |= open_dicts.is_open(items)
        if is_open and not kwargs:
            called(functools.partial(counters.update, x, items))
            return
        if is_open:
            raise open_dicts.refused("a Counter is updated by names")
        journal.note(content_slot(x))
        Counter.update(x, items, **kwargs)
        return
    for_stmt(items, None, _Round(lambda item: _count(x, item)), *NO_NAMES, {})


class _Round:
    """A round of a loop; its place in the program is that of the call."""

    def __init__(self, body: Callable[[Any], None]) -> None:
        self._body, self.__code__ = body, _Round.__call__.__code__

    def __call__(self, item: Any) -> None:
        self._body(item)


def _count(x: Any, item: Any) -> None:
    if not open_dicts.is_open(x) and not is_open_key(item):
        journal.note(content_slot(x))
        x[shown(item)] += 1
        return
    open_dicts.opened_by(x, item, 1)
    open_dicts.put(x, item, open_dicts.get(x, item, 0) + 1)


def update(x: dict[Any, Any], /, *others: Any, **kwargs: Any) -> None:
    """`x.update(...)` of a dict whose keys depend on data, or that is given such ones."""
    for other in (*others, kwargs):
        items = other
        if isinstance(other, dict):
            is_open = open_dicts.is_open(other)
            items = open_dicts.view(other, "items") if is_open else list(other.items())
        for_stmt(items, None, _Round(lambda pair: put_pair(x, pair)), *NO_NAMES, {})


def is_dict_of_pairs(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether `dict(pairs)` is called with pairs of which only the graph knows how many there are.

    Or where it knows whether there is another one.
    """
    if function is not dict or len(args) != 1:
        return False
    (x,) = args
    is_open = isinstance(x, Indexed) and x.known_length() is None
    return is_open or type(x) is list and has_runs(x) or call_of(x) is not None


def dict_of_pairs(pairs: Any, /, **kwargs: Any) -> dict[Any, Any]:
    """`dict(pairs, **kwargs)`."""
    made: dict[Any, Any] = journal.fresh({})
    update(made, pairs, **kwargs)
    return made


def _most_common(x: Any, n: Any = None) -> Any:
    """`x.most_common(n)` of a Counter."""
    pairs = open_dicts.pairs_of(x)
    if pairs is None:
        return Counter.most_common(x, n)
    items = journal.fresh([key_rows.unlinked(pairs)])
    found = sorted_items(items, key=lambda pair: pair[1], reverse=True)
    return found if n is None else slice_of(found, slice(0, n))


def _copy(x: Any) -> Any:
    return Counter.copy(x) if not open_dicts.is_open(x) else open_dicts.copied(x)


# Methods of Counter that are functions of Python's own.
METHODS: dict[Any, Callable[..., Any]] = {
    Counter.update: _update_counter, Counter.most_common: _most_common, Counter.copy: _copy,
    Counter.total: lambda x: called(functools.partial(counters.total, x)),
    Counter.subtract: lambda *a, **b: called(functools.partial(counters.subtract, *a, **b)),
}  # fmt: skip


def made_of_open_dict(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A dict that is made of one whose keys depend on data; refuses to give that to others."""
    kinds = (dict, OrderedDict, defaultdict)
    if any(function is kind for kind in kinds) and not kwargs and len(args) in (1, 2):
        *factory, source = args
        if open_dicts.is_open(source) and len(factory) == (function is defaultdict):
            return open_dicts.copied(source, function, *factory)
    name = getattr(function, "__name__", type(function).__name__)
    raise open_dicts.refused(f"it is given to `{name}`")
