"""`and`, `or` and `not`: operands are functions, so that the right ones run only when needed.

a and b     ag__.and_(lambda: a, lambda: b); where only its truth is asked for, ag__.both(...)
not a       ag__.not_(a)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template
from autograph.syntax.walk import transform_children

AND = Template("ag__.and_()")
OR = Template("ag__.or_()")
BOTH = Template("ag__.both()")
EITHER = Template("ag__.either()")
NOT = Template("ag__.not_(operand)")


def convert_bool_op(node: Any, conversion: Conversion) -> gast.expr:
    """A chain of `and` or of `or` is one call."""
    if conversion.must_stay_inline(node):
        native: gast.expr = transform_children(node, conversion.expression)
        return native
    forms = (BOTH, EITHER) if node in conversion.tests else (AND, OR)
    call: Any = forms[isinstance(node.op, gast.Or)].expression(node)
    call.args = [conversion.thunk(value) for value in node.values]
    made: gast.expr = call
    return made


def convert_unary_op(node: Any, conversion: Conversion) -> gast.expr:
    """`not` is a call; `-`, `+` and `~` are the operators of the value."""
    if isinstance(node.op, gast.Not):
        return NOT.expression(node, operand=conversion.test(node.operand))
    node.operand = conversion.expression(node.operand)
    native: gast.expr = node
    return native


EXPRESSIONS = {gast.BoolOp: convert_bool_op, gast.UnaryOp: convert_unary_op}
