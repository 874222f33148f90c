"""Conditional expressions.

a if c else b            ag__.if_exp(c, lambda: a, lambda: b, 'c')
return a if c else b     ag__.result_exp(c, lambda: a, lambda: b, 'c')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.converters.context import source_text
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant
from autograph.syntax.walk import transform_children

IF_EXP = Template("ag__.if_exp(test, body, orelse, text)")
RESULT_EXP = Template("ag__.result_exp(test, body, orelse, text)")
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


def _staged(
    template: Template, node: Any, conversion: Conversion, convert: Callable[[Any], gast.expr]
) -> gast.expr:
    text = constant(source_text(node.test), node)
    test = conversion.test(node.test)
    body, orelse = (conversion.thunk(part, convert) for part in (node.body, node.orelse))
    return template.expression(node, test=test, body=body, orelse=orelse, text=text)


EXPRESSIONS = {gast.IfExp: convert_if_exp}
