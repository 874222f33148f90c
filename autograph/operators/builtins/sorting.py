"""`sorted` of what is known only when the graph runs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from autograph.operators.branches.choosing import chosen
from autograph.operators.branches.conditionals import condition
from autograph.operators.builtins import growing_sorts
from autograph.operators.builtins.gathering import listed
from autograph.operators.captured.methods import method
from autograph.operators.captured.variables import there
from autograph.operators.expressions import access
from autograph.operators.symbolic.rows import pack
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.carried import is_numeric, is_python_complex, type_of, with_children
from autograph.operators.values.contents import content_slot, emptied
from autograph.operators.values.heaps import Reference
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import LazyString, class_name_of, has_traced, shown
from runtime import journal, ops
from runtime.building import building
from runtime.devices import placing_on
from runtime.errors import StagingError
from runtime.ops.python.texts import text_ranks
from runtime.origins import origin_of_caller
from runtime.spec import promote
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["has_own_order", "sort", "sorted_"]


def sorted_(x: Any, *, key: Any = None, reverse: bool = False) -> Any:
    """`sorted`: a list; of a traced array, whose length must be known, by a sort in the graph.

    Of tuples of numbers, too: they are ordered by their items, or by the key.
    """
    return journal.fresh(_sorted(x, key, reverse))


def sort(x: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    """`x.sort(key=key, reverse=reverse)`.

    As in Python the list is empty while its items are put in order: `key`, and a `__lt__` of the
    user's, may look at it.
    """
    journal.note(content_slot(x))
    if has_runs(x) and key is None:  # numbers and text do not look at it
        growing_sorts.in_order(x, reverse=reverse)(x)
        return
    if has_runs(x):
        before = journal.fresh(list(x))
        with emptied(x):
            put = growing_sorts.in_order(before, key=key, reverse=reverse)
        put(x)
        return
    items = [access.getitem(x, k) for k in range(len(x))]
    with emptied(x):
        made = _sorted(items, key, reverse)
    list.__setitem__(x, slice(None), made)


def _as_numbers(x: Any) -> Any:
    """Known keys, with NumPy's numbers for tensors: to compare the two is an op of the graph."""
    if isinstance(x, Tensor):
        return shown(x)
    return type(x)(map(_as_numbers, x)) if type(x) in (list, tuple) else x


def _sorted(x: Any, key: Any, reverse: bool) -> list[Any]:
    x = x.read_value() if isinstance(x, Variable) else x
    x = listed(x)
    if has_runs(x):
        return growing_sorts.sorted_items(x, key=key, reverse=reverse)
    items = list(access.iterate(x))
    if not isinstance(x, (Tensor, Indexed)) or building() is None:
        keys: Any = there(items if key is None else [key(item) for item in items])
        if building() is not None and any(map(has_own_order, keys)):
            keys = _ranks(keys)
        if not has_traced(keys):
            keys = _as_numbers(keys)
            order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
            return [items[k] for k in order]
    elif key is not None:
        keys = [key(item) for item in items]
        if any(map(has_own_order, keys)):
            keys = _ranks(keys)
    else:
        keys = x if isinstance(x, Tensor) else items
    known = None if isinstance(keys, Tensor) else _known_order(keys, reverse=reverse)
    if known is not None:
        return [items[k] for k in known]
    if not isinstance(x, Tensor) and any(isinstance(i, Tensor) and i.is_array for i in items):
        _refuse_arrays_of_rank_0(items)
    columns = _columns(keys)
    if any(column.ndim != 1 for column in columns):
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    growing_sorts.refuse_nan_sorted(column for column in columns if isinstance(column, Tensor))
    order = _order(columns, len(items), reverse)
    if isinstance(x, Tensor) and key is None:
        return list(ops.take(x, order, axis=0))
    if len(items) > _FEW and all(type(item) is list for item in items):
        made: list[Any] = journal.fresh(items)
        growing_sorts.put_in_order(made, order)
        return made
    return _permuted(items, order)


def _refuse_arrays_of_rank_0(items: list[Any]) -> None:
    if any(isinstance(x, Tensor) and x.is_array and x.type.rank == 0 for x in items):
        raise StagingError(
            "arrays of rank 0 are sorted, which a graph cannot put into another order",
            "sort numbers: take `x[()]` of each",
            origin=origin_of_caller(),
        )


def has_own_order(x: Any) -> bool:
    """Whether what is sorted is of a class of the user's, which says what is less."""
    if isinstance(x, tuple):
        return method(x, "__lt__") is not None
    return bool(type(x).__flags__ & MADE_BY_CLASS_STATEMENT) and not is_numeric(x)


def _ranks(keys: list[Any]) -> list[Any]:
    """How many of a few keys are less than each of them, as their class says.

    All are compared with all: which ones Python compares depends on what it finds.
    """
    builder = building()
    if builder is None or len(keys) > _FEW:
        return keys
    before = len(builder.graph.nodes)
    with journal.transaction() as asked:
        tests = [[condition(b < a) for b in keys if b is not a] for a in keys]
        has_written = bool(asked.slots)
    has_effect = any(node.has_effect for node in builder.graph.nodes[before:])
    is_open = any(isinstance(test, Tensor) for row in tests for test in row)
    if has_effect or (is_open and has_written):
        raise StagingError(
            f"`{class_name_of(keys[0])}.__lt__` changes or prints something, and how often sorting "
            "calls it is known only when the graph runs",
            "let it only compare",
            origin=origin_of_caller(),
        )
    if not is_open:
        return keys
    ranks = [
        sum(ops.astype(test, int) if isinstance(test, Tensor) else int(test) for test in row)
        for row in tests
    ]
    others = [[b for k, b in enumerate(ranks) if k != i] for i in range(len(ranks))]
    pairs = [
        ops.not_equal(test, b < a)
        for a, row, around in zip(ranks, tests, others, strict=True)
        for test, b in zip(row, around, strict=True)
    ]
    stage_raise(ops.any(ops.stack(pairs)), ValueError(_NO_ORDER))
    return ranks


_NO_ORDER = (
    "objects are sorted of which none is the least, as with nan: what Python makes of them depends "
    "on how they stood"
)


def _known_order(keys: list[Any], *, reverse: bool) -> list[int] | None:
    """The order of tuples that differ before the first item that the graph computes."""
    if not all(type(key) is tuple for key in keys):
        return None
    count = next((k for k, column in enumerate(zip(*keys, strict=False)) if has_traced(column)), 0)
    starts = [key[:count] for key in keys]
    order = sorted(range(len(keys)), key=starts.__getitem__, reverse=reverse)
    is_clear = all(starts[a] != starts[b] for a, b in itertools.pairwise(order))
    return order if is_clear else None


def _columns(keys: Any) -> list[Any]:
    """What is sorted by, the most important first: an array for each part of the keys."""
    if isinstance(keys, Tensor):
        return [keys]
    if len(keys) > 1 and any(map(is_python_complex, keys)):
        raise TypeError("'<' not supported between instances of 'complex' and 'complex'")
    kind = next((k for k in (tuple, list) if all(isinstance(key, k) for key in keys)), None)
    if kind is None:
        return [_column(tuple(keys))]
    if kind is tuple and any(map(has_own_order, keys)):
        raise StagingError(
            f"`{class_name_of(keys[0])}` in keys, or more than {_FEW}, are sorted by a `__lt__` of "
            "their own, and what they hold is known only when the graph runs",
            "sort by numbers (`key=`)",
            origin=origin_of_caller(),
        )
    if len({len(key) for key in keys}) != 1:
        raise StagingError(
            f"{kind.__name__}s of several lengths are sorted by what is known only when the graph "
            "runs",
            "give them one length, or sort by a number (`key=`)",
            origin=origin_of_caller(),
        )
    return [part for column in zip(*keys, strict=True) for part in _parts(column)]


def _parts(column: tuple[Any, ...]) -> list[Any]:
    """What is sorted by at one place of all keys, which may be tuples or lists again."""
    are_nests = any(all(isinstance(x, kind) for x in column) for kind in (tuple, list))
    return _columns(list(column)) if are_nests else [_column(column)]


def _column(values: tuple[Any, ...]) -> Any:
    """An array to sort by: of texts and the like, which are known, their ranks."""
    are_texts = [isinstance(value, str | LazyString) for value in values]
    if all(are_texts) and any(isinstance(value, LazyString) for value in values):
        return text_ranks(*pack(Written(), list(values)))
    if any(are_texts) and not all(are_texts):
        raise StagingError(
            "texts are sorted together with what is none",
            "sort by a text or number of each (`key=`)",
            origin=origin_of_caller(),
        )
    if any(type(value) is OneOf and value.in_numbers(weak=True) is value for value in values):
        raise StagingError(
            "items are sorted by what has no order, and data chooses it",
            "sort by a text or number of each (`key=`)",
            origin=origin_of_caller(),
        )
    if has_traced(values) or all(map(is_numeric, values)):
        return ops.stack(list(map(_as_tensor, values)))
    ranked = sorted(values)
    return np.array([ranked.index(value) for value in values])


def _order(columns: list[Any], length: int, reverse: bool) -> Any:
    """The positions of the sorted items; equal ones keep their order, as in Python."""
    flipped = [ops.flip(column) if reverse else column for column in columns]
    if len(flipped) == 1:
        order = ops.argsort(flipped[0], stable=True)
    else:
        order = ops.lexsort(flipped[::-1])
    return ops.flip(length - 1 - order) if reverse else order


# Up to so many texts or objects are put in order by branches: each may come to each place.
_FEW = 16


def _permuted(items: list[Any], order: Any) -> list[Any]:
    """Items in another order, which is known only when the graph runs."""
    if items and _are_alike(items):
        columns = [_permuted(list(column), order) for column in zip(*items, strict=True)]
        return [with_children(items[0], list(parts)) for parts in zip(*columns, strict=True)]
    wrong = next((item for item in items if not is_numeric(item)), None)
    lengths = {len(item) for item in items if isinstance(item, tuple)}
    if wrong is not None and len(items) <= _FEW and not (type(wrong) is tuple and len(lengths) > 1):
        return [chosen(items, order[k], "list") for k in range(len(items))]
    if wrong is not None:
        raise StagingError(
            f"a {type(wrong).__name__} is sorted by what is known only when the graph runs",
            "sort tuples (`sorted(map(tuple, rows))`), or an array of indices (`np.argsort`)"
            if isinstance(wrong, list)
            else "sort numbers, or an array of indices (`np.argsort`)",
            origin=origin_of_caller(),
        )
    if any(type_of(x).rank != 0 for x in items):  # which stay those very arrays
        return [chosen(items, order[k], "list") for k in range(len(items))]
    with placing_on(type_of(items[0]).device if items else None):  # they stay the scalars they are
        made = list(ops.take(ops.stack(list(map(_as_tensor, items))), order, axis=0))
    types = [type_of(item) for item in items]
    if not all(type_.weak for type_ in types):
        return made
    kind = _WEAK_KINDS[promote(*types).kind]
    return [ops.as_weak(item, kind=kind) for item in made]


def _are_alike(items: list[Any]) -> bool:
    """Whether items are tuples, or namedtuples of one class, of one length."""
    kind, length = type(items[0]), len(items[0]) if isinstance(items[0], tuple) else 0
    is_record = kind is tuple or (hasattr(kind, "_fields") and not hasattr(items[0], "__dict__"))
    return (
        issubclass(kind, tuple)
        and not issubclass(kind, Reference)
        and is_record
        and all(type(item) is kind and len(item) == length for item in items)
    )


_WEAK_KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


def _as_tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor) else np.asarray(x)
