"""Lists of which the graph holds the items, for what looks at all that is in them.

Those of a known length become lists of their items. In text, others stand for themselves: their
content is put together when the text is made.
"""

from __future__ import annotations

from typing import Any

from autograph.operators.branches.chosen_text import of_each
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.variables import Nullable, ld
from autograph.operators.containers import open_deques, open_dicts, open_sets
from autograph.operators.containers.growing import item, packed
from autograph.operators.results.container_outputs import refuse_views
from autograph.operators.results.heap_results import refuse_references_in
from autograph.operators.results.item_templates import template_of
from autograph.operators.results.reconstruction import GrownContent
from autograph.operators.symbolic.forms import Form
from autograph.operators.values import templates
from autograph.operators.values.one_of import OneOf
from autograph.operators.values.runs import (
    ContainerKind,
    OpenDeque,
    has_runs,
    holds_runs,
    known_length,
    refusal,
)
from runtime.origins import origin_of_caller
from runtime.structure.templates import Several
from runtime.tensor import Tensor

__all__ = ["Beside", "expanded", "fstring", "modulo", "percent", "shown_in_text"]


def fstring(*parts: Any) -> Any:
    """An f-string: see `templates.fstring`."""
    shown = (p if type(p) is str else (shown_in_text(p[0]), *p[1:]) for p in parts)
    return templates.fstring(*shown)


def percent(text: Any, values: Any) -> Any:
    """`text % values`: a tuple holds a value for each field, a dict one for each name."""
    text, values = ld(text), ld(values)
    if type(values) is Nullable and isinstance(values.value, tuple | dict):
        one = values.value
        return if_exp(values.present, lambda: percent(text, one), lambda: percent(text, None), "%")
    if type(values) is OneOf and any(isinstance(x, tuple | dict) for x in values.things):
        return of_each(values, lambda one: percent(text, one))
    if isinstance(text, str) and type(values) is tuple and has_runs(values):
        raise refusal("each of its items is put into a field of a text", "put in all: `% (x,)`")
    if isinstance(text, str) and open_dicts.is_open(values):
        fields = [field["key"] for field in templates.PERCENT_FIELD.finditer(text)]
        named = {key: open_dicts.item(values, key) for key in fields if key is not None}
        values = named or values
    return templates.percent(text, shown_in_text(values))


def modulo(left: Any, right: Any) -> Any:
    """`left % right`, where the left may be a text."""
    return percent(left, right) if isinstance(left, str) else left % right


def expanded(x: Any) -> Any:
    """A nest for what looks at all that is in it now; what has no known length is as it is."""
    return _expanded(x, (), is_text=False)


def shown_in_text(x: Any) -> Any:
    """A nest for text: what has no known length is put together when the text is made."""
    return _expanded(x, (), is_text=True)


def _expanded(x: Any, around: tuple[int, ...], *, is_text: bool) -> Any:
    if open_sets.items_of(x) is not None:
        raise open_sets.refused("it is made into text, or an array")
    if not holds_runs(x) or id(x) in around:
        return x
    inner = (*around, id(x))

    def each(part: Any) -> Any:
        return _expanded(part, inner, is_text=is_text)

    if isinstance(x, OpenDeque):
        items = open_deques.items_of(x)
        is_late = is_text and items is not None
        return Grown(items, ContainerKind("deque", x.maxlen)) if is_late else open_deques.as_list(x)
    if type(x) in (list, tuple) and has_runs(x):
        if is_text and type(x) is list:
            refuse_views(x, "made into text", origin_of_caller())
        length = known_length(x)
        if length is not None:
            return type(x)(each(item(x, k)) for k in range(length))
        return Grown(x, ContainerKind(type(x).__name__)) if is_text else x
    if type(x) in (list, tuple):
        return type(x)(map(each, x))
    if open_dicts.is_open(x):
        if not is_text:
            raise open_dicts.refused("it is made into an array")
        kind = ContainerKind(type(x).__name__, getattr(x, "default_factory", None))
        open_dicts.pairs_of(x)  # refuses one whose keys are known
        return Grown(open_dicts.view(x, "items"), kind)
    if type(x) is dict:
        return {key: each(part) for key, part in x.items()}
    return x


class Beside(templates.Late):
    """The items of a list that are printed one beside the other (`print(*found)`)."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = Grown(items)

    def dug(self, operands: list[Tensor]) -> Several:
        """The items with holes for the rows, which are appended to `operands`."""
        return Several(self.items.dug(operands))


class Grown(templates.Late):
    """A container in text, of which the graph holds the items: as it is when that is asked for."""

    __slots__ = ("form", "kind", "rows")

    def __init__(self, items: Any, kind: ContainerKind | None = None) -> None:
        self.kind = kind or ContainerKind()
        self.form: Form
        self.rows: list[Tensor]
        self.form, self.rows = packed(items)

    def dug(self, operands: list[Tensor]) -> GrownContent:
        """The container with holes for the rows, which are appended to `operands`."""
        refuse_references_in(self.form, "made into text")
        parts, structure = template_of(self.form)
        first = len(operands)
        operands += self.rows
        return GrownContent(structure, parts, range(first, len(operands)), self.kind)
