"""Conditional expressions.

a if c else b            ag__.if_exp(c, lambda: a, lambda: b, 'c')
return a if c else b     ag__.result_exp(c, lambda: a, lambda: b, 'c')
a if p else b if ...     ag__.if_exps(lambda: z, (lambda: p, lambda: a), ...), where it is long
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.converters.context import source_text
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant, tuple_of
from autograph.syntax.walk import transform_children

IF_EXP = Template("ag__.if_exp(test, body, orelse, text)")
RESULT_EXP = Template("ag__.result_exp(test, body, orelse, text)")
IF_EXPS = Template("ag__.if_exps(otherwise)")
RESULT_EXPS = Template("ag__.if_exps(otherwise, is_result=True)")
TRUTH = Template("ag__.truth(test)")


def convert_if_exp(node: Any, conversion: Conversion) -> gast.expr:
    """Both values are functions: one of them runs."""
    if conversion.must_stay_inline(node):
        native: Any = transform_children(node, conversion.expression)
        native.test = TRUTH.expression(node.test, test=native.test)
        kept: gast.expr = native
        return kept
    return _staged(IF_EXP, node, conversion, conversion.expression)


def convert_result(node: Any, conversion: Conversion) -> gast.expr:
    """The value of a `return`, which may be of several kinds where it is such an expression."""
    if not isinstance(node, gast.IfExp) or conversion.must_stay_inline(node):
        return conversion.expression(node)
    return _staged(RESULT_EXP, node, conversion, lambda part: convert_result(part, conversion))


# Expressions in the last value of each other are one call where there are more.
LONGEST = 16


def _links(node: Any) -> list[Any]:
    """The conditional expressions of a chain: each is the last value of the one before."""
    found = []
    while isinstance(node, gast.IfExp):
        found.append(node)
        node = node.orelse
    return found


def _in_turn(
    links: list[Any],
    template: Template,
    conversion: Conversion,
    convert: Callable[[Any], gast.expr],
) -> gast.expr:
    pairs = []
    for link in links:
        test = conversion.thunk(link.test, conversion.test)
        pairs.append(tuple_of([test, conversion.thunk(link.body, convert)], link))
    otherwise = conversion.thunk(links[-1].orelse, convert)
    call: Any = template.expression(links[0], otherwise=otherwise)
    call.args += pairs
    made: gast.expr = call
    return made


def _staged(
    template: Template, node: Any, conversion: Conversion, convert: Callable[[Any], gast.expr]
) -> gast.expr:
    links = _links(node)
    if len(links) > LONGEST:
        form = IF_EXPS if template is IF_EXP else RESULT_EXPS
        return _in_turn(links, form, conversion, convert)
    text = constant(source_text(node.test), node)
    test = conversion.test(node.test)
    body, orelse = (conversion.thunk(part, convert) for part in (node.body, node.orelse))
    return template.expression(node, test=test, body=body, orelse=orelse, text=text)


EXPRESSIONS = {gast.IfExp: convert_if_exp}
