"""Lists, sets and dicts made in converted code are known to be new; `*` goes over what it unpacks.

[a, b]      ag__.fresh([ag__.ld(a), ag__.ld(b)])
[*a, b]     ag__.fresh([*ag__.spread(ag__.ld(a)), ag__.ld(b)])
{a, b}      ag__.display(ag__.ld(a), ag__.ld(b))
{'k': v}    ag__.fresh({'k': ag__.ld(v)})
{k: v}      ag__.dict_display((ag__.ld(k), ag__.ld(v)))
f(*a)       ag__.converted_call(ag__.ld(f), (*ag__.iterate(ag__.ld(a)),), None, fscope)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, tuple_of
from autograph.syntax.walk import transform_children

ITERATE = Template("ag__.iterate(iterable)")
SPREAD = Template("ag__.spread(iterable)")
DICT_DISPLAY = Template("ag__.dict_display()")
DISPLAY = Template("ag__.display()")
FRESH = Template("ag__.fresh(made)")


def convert_display(node: Any, conversion: Conversion) -> gast.expr:
    """What a body writes into a container of its own is nobody else's business."""
    made: gast.expr = transform_children(node, conversion.expression)
    if isinstance(getattr(node, "ctx", None), gast.Store | gast.Del):
        return made
    return FRESH.expression(node, made=made)


def convert_list(node: Any, conversion: Conversion) -> gast.expr:
    """The length of what `*` puts into a list may depend on data."""
    if not isinstance(node.ctx, gast.Load):
        return convert_display(node, conversion)
    for position, part in enumerate(node.elts):
        if not isinstance(part, gast.Starred):
            node.elts[position] = conversion.expression(part)
            continue
        part.value = SPREAD.expression(part, iterable=conversion.expression(part.value))
    return FRESH.expression(node, made=node)


def convert_set(node: Any, conversion: Conversion) -> gast.expr:
    """Whether two items are the same one may depend on data."""
    if any(isinstance(part, gast.Starred) for part in node.elts):
        return convert_display(node, conversion)
    call: Any = DISPLAY.expression(node)
    call.args = [conversion.expression(part) for part in node.elts]
    made: gast.expr = call
    return made


def convert_dict(node: Any, conversion: Conversion) -> gast.expr:
    """Whether two keys are the same one may depend on data, unless all are written as constants."""
    if all(key is None or isinstance(key, gast.Constant) for key in node.keys) or None in node.keys:
        return convert_display(node, conversion)
    call: Any = DICT_DISPLAY.expression(node)
    for key, value in zip(node.keys, node.values, strict=True):
        pair = [conversion.expression(key), conversion.expression(value)]
        call.args.append(tuple_of(pair, key))
    made: gast.expr = call
    return made


def convert_starred(node: Any, conversion: Conversion) -> gast.expr:
    """What `*` unpacks is gone through, as by a loop."""
    made: Any = transform_children(node, conversion.expression)
    if isinstance(node.ctx, gast.Load):
        made.value = ITERATE.expression(node, iterable=made.value)
    starred: gast.expr = made
    return starred


EXPRESSIONS = {
    gast.List: convert_list,
    gast.Set: convert_set,
    gast.Dict: convert_dict,
    gast.Starred: convert_starred,
}
