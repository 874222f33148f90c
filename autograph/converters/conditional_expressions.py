"""Conditional expressions.

a if c else b     ag__.if_exp(c, lambda: a, lambda: b, 'c')
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.context import source_text
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant
from autograph.syntax.walk import transform_children

IF_EXP = Template("ag__.if_exp(test, body, orelse, text)")
TRUTH = Template("ag__.truth(test)")


def convert_if_exp(node: Any, conversion: Conversion) -> gast.expr:
    """Both values are functions: one of them runs."""
    if conversion.must_stay_inline(node):
        native: Any = transform_children(node, conversion.expression)
        native.test = TRUTH.expression(node.test, test=native.test)
        kept: gast.expr = native
        return kept
    text = constant(source_text(node.test), node)
    test = conversion.test(node.test)
    body, orelse = conversion.thunk(node.body), conversion.thunk(node.orelse)
    return IF_EXP.expression(node, test=test, body=body, orelse=orelse, text=text)


EXPRESSIONS = {gast.IfExp: convert_if_exp}
