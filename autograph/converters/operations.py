"""Binary operators: `%` after a text formats; `*` and `+` of displays make new lists.

The keys of dicts that `|` puts together may depend on data.

"..." % a    ag__.percent("...", ag__.ld(a))
a % b        ag__.modulo(ag__.ld(a), ag__.ld(b))
[a] * n      ag__.repeated([ag__.ld(a)], ag__.ld(n))
[a] + b      ag__.joined([ag__.ld(a)], ag__.ld(b))
a | b        ag__.union(ag__.ld(a), ag__.ld(b))
a.keys() & b ag__.intersection(..., ag__.ld(b)), also for `-` and `^`, and for items
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis import is_view
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template

PERCENT = Template("ag__.percent(text, values_)")
MODULO = Template("ag__.modulo(left, right)")
REPEATED = Template("ag__.repeated(left, right)")
JOINED = Template("ag__.joined(left, right)")
UNION = Template("ag__.union(left, right)")
OF_VIEWS: dict[type[gast.AST], Template] = {
    gast.BitAnd: Template("ag__.intersection(left, right)"),
    gast.Sub: Template("ag__.difference(left, right)"),
    gast.BitXor: Template("ag__.symmetric_difference(left, right)"),
}


def convert_operation(node: Any, conversion: Conversion) -> gast.expr:
    """Binary operators of other operands stay."""
    known = conversion.lowering.literals
    on_left, on_right = _literals(node.left, known), _literals(node.right, known)
    is_text, is_list = str in on_left, list in on_left | on_right
    is_repeated = is_list or is_text or str in on_right
    may_be_text = isinstance(node.left, _NAMES) and not isinstance(node.right, gast.Constant)
    of_views = OF_VIEWS.get(type(node.op)) if is_view(node.left) or is_view(node.right) else None
    left, right = conversion.expression(node.left), conversion.expression(node.right)
    if isinstance(node.op, gast.Mod) and is_text:
        return PERCENT.expression(node, text=left, values_=right)
    if isinstance(node.op, gast.Mod) and may_be_text:
        return MODULO.expression(node, left=left, right=right)
    if isinstance(node.op, gast.Mult) and is_repeated:
        return REPEATED.expression(node, left=left, right=right)
    if isinstance(node.op, gast.Add) and is_list:
        return JOINED.expression(node, left=left, right=right)
    if isinstance(node.op, gast.BitOr):
        return UNION.expression(node, left=left, right=right)
    if of_views is not None:
        return of_views.expression(node, left=left, right=right)
    node.left, node.right = left, right
    made: gast.expr = node
    return made


# What may stand for a text that is written elsewhere (`FORMAT % (a, b)`, `message % args`).
_NAMES = (gast.Name, gast.Attribute, gast.Subscript, gast.Call)


def _literals(node: Any, known: dict[gast.AST, frozenset[type]]) -> frozenset[type]:
    """Whether an expression is a text or list that is written here, or made of one by operators.

    `known` are those that were asked for: all within a long sum are, over and over.
    """
    if isinstance(node, gast.BinOp):
        if node not in known:
            found = _literals(node.left, known) | _literals(node.right, known)
            known[node] = found & _MADE_BY.get(type(node.op), frozenset())
        return known[node]
    if isinstance(node, gast.List | gast.ListComp):
        return frozenset((list,))
    is_text = isinstance(node, gast.Constant) and isinstance(node.value, str)
    return frozenset((str,)) if is_text or isinstance(node, gast.JoinedStr) else frozenset()


# Which of these the result of an operator is if an operand is.
_MADE_BY: dict[type[gast.AST], frozenset[type]] = {
    gast.Add: frozenset((str, list)),
    gast.Mult: frozenset((list,)),
}


EXPRESSIONS = {gast.BinOp: convert_operation}
