"""Lists that the graph holds as rows, of which it is known how many: as lists of their items."""

from __future__ import annotations

from typing import Any

from autograph.operators import open_dicts, open_sets, templates
from autograph.operators.growing import item
from autograph.operators.runs import has_runs, holds_runs, known_length

__all__ = ["expanded", "fstring", "percent"]


def fstring(*parts: Any) -> Any:
    """An f-string: see `templates.fstring`."""
    return templates.fstring(*(p if type(p) is str else (expanded(p[0]), *p[1:]) for p in parts))


def percent(text: Any, values: Any) -> Any:
    """`text % values`."""
    return templates.percent(text, expanded(values))


def expanded(x: Any, around: tuple[int, ...] = ()) -> Any:
    """A nest for what looks at all that is in it now; what has no known length is as it is."""
    if open_sets.items_of(x) is not None:
        raise open_sets.refused("it is made into text, or an array")
    if not holds_runs(x) or id(x) in around:
        return x
    inner = (*around, id(x))
    if type(x) is list and has_runs(x):
        length = known_length(x)
        return x if length is None else [expanded(item(x, k), inner) for k in range(length)]
    if type(x) in (list, tuple):
        return type(x)(expanded(part, inner) for part in x)
    if isinstance(x, dict) and open_dicts.pairs_of(x) is not None:
        raise open_dicts.refused("it is made into text, or an array")
    if type(x) is dict:
        return {key: expanded(part, inner) for key, part in x.items()}
    return x
