"""`and`, `or` and `not`: operands are functions, so that the right ones run only when needed.

a and b             ag__.and_(lambda: a, lambda: b)
if a and b:         if ag__.both(lambda: a, lambda: b):
(a and b) or c      ag__.or_(lambda: ag__.asked_and(lambda: a, lambda: b), lambda: c)
not a               ag__.not_(a)
x = not (a and b)   x = ag__.not_(ag__.both(lambda: a, lambda: b, again=True))

How often an operand is asked whether it is true is that of Python's compiler, which jumps from one
to the other: of `if not (a and b)` each is asked once, the value `not (a and b)` asks both again.
From Python 3.12 on the outer operator of a value, as in `(a and b) or c`, asks what the inner gave.
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template
from autograph.syntax.walk import transform_children

AND = Template("ag__.and_()")
OR = Template("ag__.or_()")
ASKED_AND = Template("ag__.asked_and()")
ASKED_OR = Template("ag__.asked_or()")
BOTH = Template("ag__.both()")
EITHER = Template("ag__.either()")
BOTH_AGAIN = Template("ag__.both(again=True)")
EITHER_AGAIN = Template("ag__.either(again=True)")
NOT = Template("ag__.not_(operand)")

# Whether Python goes on from an inner operator without asking what that gives for its truth.
_IS_ASKED_ONCE = sys.version_info < (3, 12)


def convert_bool_op(node: Any, conversion: Conversion) -> gast.expr:
    """A chain of `and` or of `or` is one call."""
    if conversion.must_stay_inline(node):
        native: gast.expr = transform_children(node, conversion.expression)
        return native
    forms, is_again = (AND, OR), conversion.tests.get(node)
    if is_again is not None:
        forms = (BOTH_AGAIN, EITHER_AGAIN) if is_again else (BOTH, EITHER)
    elif node in conversion.asked:
        forms = (ASKED_AND, ASKED_OR)
    if is_again is not False:
        _note_asked(node, conversion)
    call: Any = forms[isinstance(node.op, gast.Or)].expression(node)
    call.args = [conversion.thunk(value) for value in node.values]
    made: gast.expr = call
    return made


def _note_asked(node: Any, conversion: Conversion) -> None:
    """The operands that the chain asks for their truth, and may give as its value."""
    if not _IS_ASKED_ONCE:
        return
    known = node.values if node in conversion.asked else node.values[:-1]
    conversion.asked.update(value for value in known if isinstance(value, gast.BoolOp))


def convert_unary_op(node: Any, conversion: Conversion) -> gast.expr:
    """`not` is a call; `-`, `+` and `~` are the operators of the value."""
    if isinstance(node.op, gast.Not):
        operand = conversion.test(node.operand, is_again=node not in conversion.tests)
        return NOT.expression(node, operand=operand)
    node.operand = conversion.expression(node.operand)
    native: gast.expr = node
    return native


EXPRESSIONS = {gast.BoolOp: convert_bool_op, gast.UnaryOp: convert_unary_op}
