"""Lists, sets and dicts made in converted code are known to be new; `*` goes over what it unpacks.

[a, b]      ag__.fresh([ag__.ld(a), ag__.ld(b)])
[*a, b]     ag__.fresh([*ag__.spread(ag__.ld(a)), ag__.ld(b)])
{a, b}      ag__.display(ag__.ld(a), ag__.ld(b))
{'k': v}    ag__.fresh({'k': ag__.ld(v)})
{k: v}      ag__.dict_display((ag__.ld(k), ag__.ld(v)))
{**a, k: v} ag__.dict_display((ag__.ld(a),), (ag__.ld(k), ag__.ld(v)))
{*a, b}     ag__.fresh({*ag__.iterate(ag__.ld(a)), ag__.ld(b)})
f(*a)       ag__.converted_call(ag__.ld(f), (*ag__.spread(ag__.ld(a)),), None, fscope)
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


def convert_set(node: Any, conversion: Conversion) -> gast.expr:
    """Whether two items are the same one may depend on data."""
    if any(isinstance(part, gast.Starred) for part in node.elts):
        for position, part in enumerate(node.elts):
            if not isinstance(part, gast.Starred):
                node.elts[position] = conversion.expression(part)
                continue
            part.value = ITERATE.expression(part, iterable=conversion.expression(part.value))
        return FRESH.expression(node, made=node)
    call: Any = DISPLAY.expression(node)
    call.args = [conversion.expression(part) for part in node.elts]
    made: gast.expr = call
    return made


def convert_dict(node: Any, conversion: Conversion) -> gast.expr:
    """Whether two keys are the same one may depend on data, unless all are written as constants."""
    if all(isinstance(key, gast.Constant) for key in node.keys):
        return convert_display(node, conversion)
    call: Any = DICT_DISPLAY.expression(node)
    for key, value in zip(node.keys, node.values, strict=True):
        pair = [conversion.expression(part) for part in (key, value) if part is not None]
        call.args.append(tuple_of(pair, value))
    made: gast.expr = call
    return made


def convert_starred(node: Any, conversion: Conversion) -> gast.expr:
    """How many items `*` puts into a list or tuple, or gives to a call, may depend on data."""
    made: Any = transform_children(node, conversion.expression)
    if isinstance(node.ctx, gast.Load):
        made.value = SPREAD.expression(node, iterable=made.value)
    starred: gast.expr = made
    return starred


EXPRESSIONS = {
    gast.List: convert_display,
    gast.Set: convert_set,
    gast.Dict: convert_dict,
    gast.Starred: convert_starred,
}
