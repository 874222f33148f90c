"""Comparisons: single ones are the operators of the values, membership and chains are calls.

a < b           a < b
a == 1          a == 1
a == b          ag__.equal(a, b)
1j == b         ag__.equal(1j, b)
a < []          ag__.less(a, []), also for tuples, and where a name is bound to a list somewhere
a < b           ag__.less(a, b), where both may be lists: names, not used as numbers, and attributes
a not in b      ag__.not_in(a, b)
a is None       ag__.is_none(a)
a is b          ag__.is_(a, b)
a < b <= c      ag__.compare(a, ('<', lambda: b), ('<=', lambda: c)), or ag__.holds(...) where only
                its truth is asked for
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from autograph.analysis import Kind, Scope, is_view
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, constant, tuple_of
from autograph.syntax.walk import transform_children

EQUAL = Template("ag__.equal(left, right)")
IN = Template("ag__.in_(left, right)")
IS = Template("ag__.is_(left, right)")
IS_NOT = Template("ag__.is_not(left, right)")
IS_NONE = Template("ag__.is_none(name)")
IS_NOT_NONE = Template("ag__.is_not_none(name)")
NOT_EQUAL = Template("ag__.not_equal(left, right)")
NOT_IN = Template("ag__.not_in(left, right)")
ORDERINGS: dict[type[gast.AST], Template] = {
    gast.Lt: Template("ag__.less(left, right)"),
    gast.LtE: Template("ag__.less_equal(left, right)"),
    gast.Gt: Template("ag__.greater(left, right)"),
    gast.GtE: Template("ag__.greater_equal(left, right)"),
}
CHAIN = Template("ag__.compare(left)")
CHAIN_TEST = Template("ag__.holds(left)")

SIGNS: dict[type[gast.AST], str] = {
    gast.Lt: "<",
    gast.LtE: "<=",
    gast.Gt: ">",
    gast.GtE: ">=",
    gast.Eq: "==",
    gast.NotEq: "!=",
    gast.Is: "is",
    gast.IsNot: "is not",
    gast.In: "in",
    gast.NotIn: "not in",
}


def convert_compare(node: Any, conversion: Conversion) -> gast.expr:
    """Each operand of a chain is computed once, and only if those before it hold."""
    if len(node.ops) > 1 and not conversion.must_stay_inline(node):
        return _chain(node, conversion)
    is_against_none = _is_against_none(node)
    may_be_lists = _may_be_lists(node, conversion)
    native: Any = transform_children(node, conversion.expression)
    if len(node.ops) == 1 and isinstance(node.ops[0], gast.In | gast.NotIn):
        template = IN if isinstance(node.ops[0], gast.In) else NOT_IN
        return template.expression(node, left=native.left, right=native.comparators[0])
    is_equality = len(node.ops) == 1 and isinstance(node.ops[0], gast.Eq | gast.NotEq)
    operands = (node.left, node.comparators[0])
    are_clear = any(map(_is_no_list, operands)) and not any(map(_is_text, operands))
    if is_equality and not (are_clear and not _is_complex(node.left)):
        template = EQUAL if isinstance(node.ops[0], gast.Eq) else NOT_EQUAL
        return template.expression(node, left=native.left, right=native.comparators[0])
    ordering = ORDERINGS.get(type(node.ops[0])) if len(node.ops) == 1 else None
    if ordering is not None and may_be_lists:
        return ordering.expression(node, left=native.left, right=native.comparators[0])
    if is_against_none and _is_local_read(native.left):
        template = IS_NONE if isinstance(node.ops[0], gast.Is) else IS_NOT_NONE
        return template.expression(node, name=native.left.args[0])
    if len(node.ops) == 1 and isinstance(node.ops[0], gast.Is | gast.IsNot):
        template = IS if isinstance(node.ops[0], gast.Is) else IS_NOT
        return template.expression(node, left=native.left, right=native.comparators[0])
    kept: gast.expr = native
    return kept


def _is_text(node: Any) -> bool:
    """Whether an operand is written as a text: the other may be one that only the graph knows."""
    if isinstance(node, gast.Call):
        return isinstance(node.func, gast.Name) and node.func.id in _GIVING_TEXT
    is_literal = isinstance(node, gast.Constant) and isinstance(node.value, str)
    return is_literal or isinstance(node, gast.JoinedStr)


_GIVING_TEXT = frozenset(("str", "repr", "ascii", "chr", "format", "bin", "oct", "hex"))


def _is_complex(node: Any) -> bool:
    """Whether an operand is written with a complex number."""
    constants = (n for n in gast.walk(node) if isinstance(n, gast.Constant))
    return any(type(n.value) is complex for n in constants)


def _is_no_list(node: Any) -> bool:
    """Whether an operand is written such that it is surely no list, and holds none."""
    if isinstance(node, gast.UnaryOp):
        return True
    if isinstance(node, gast.BinOp):
        return not isinstance(node.op, gast.Add | gast.Mult | gast.BitOr)
    return isinstance(node, gast.Constant | gast.JoinedStr | gast.Compare | gast.BoolOp)


def _may_be_lists(node: Any, conversion: Conversion) -> bool:
    """Whether two lists or texts may be put in order, which Python does without asking more.

    Orderings of numbers are the tests of most loops, and stay as they are written.
    """
    operands = (node.left, node.comparators[0])
    if any(map(_is_text, operands)) or any(map(is_view, operands)):
        return True
    if any(map(_is_no_list, operands)):
        return False
    if any(_is_list(operand, conversion.function) for operand in operands):
        return True
    return _are_used_as_lists(operands, conversion.function)


def _are_used_as_lists(operands: Sequence[Any], scope: Scope) -> bool:
    """Whether two names are used as what is indexed, measured, gone through or equal to another.

    Of one of them it is enough that a loop takes it from somewhere. Neither is used as a number.
    Nothing tells what attributes are, what functions of the user's give, nor parameters and names
    of what was given that are used for nothing else.
    """
    uses = []
    for node in operands:
        if isinstance(node, gast.Attribute) or _is_given(node):
            uses.append(True)
            continue
        if not isinstance(node, gast.Name):
            return False
        holder = _holder(node.id, scope)
        is_parameter = node.id in holder.parameters and node.id not in holder.writes
        is_unused = is_parameter or node.id in holder.given or _is_gone_through(node.id, scope)
        if node.id in holder.numbers:
            return False
        if not is_unused and node.id not in holder.sequences | holder.items:
            return False
        uses.append(is_unused or node.id in holder.sequences)
    return any(uses)


def _is_given(node: Any) -> bool:
    """Whether an operand is what a function gives that is none of Python's own."""
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
    return is_call and not hasattr(builtins, node.func.id)


def _holder(name: str, scope: Scope) -> Scope:
    """Where what a name is bound to is noted; of comprehensions it is noted around them."""
    if name in scope.bound:
        return scope
    lambdas = (inner for inner in _inside(scope) if inner.kind is Kind.LAMBDA)
    return next((inner for inner in lambdas if name in inner.bound), scope.owner(name)) or scope


def _is_gone_through(name: str, scope: Scope) -> bool:
    """Whether a comprehension takes the name from somewhere."""
    inner = (inner for inner in _inside(scope) if inner.kind is Kind.COMPREHENSION)
    return name not in scope.bound and any(name in one.bound for one in inner)


def _inside(scope: Scope) -> Iterator[Scope]:
    """The lambdas and comprehensions in a function."""
    for child in scope.children:
        if child.kind in (Kind.LAMBDA, Kind.COMPREHENSION):
            yield child
            yield from _inside(child)


def _is_list(node: Any, scope: Scope) -> bool:
    if isinstance(node, gast.Name):
        return node.id in _holder(node.id, scope).lists
    if isinstance(node, gast.Subscript):
        return _is_list(node.value, scope)
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        return bool(node.func.attr == "tolist")
    return isinstance(node, gast.List | gast.ListComp | gast.Tuple)


def _is_against_none(node: Any) -> bool:
    """`name is None`: the name is not read before it is known whether it is None."""
    operand = node.comparators[0]
    return (
        len(node.ops) == 1
        and isinstance(node.ops[0], gast.Is | gast.IsNot)
        and isinstance(operand, gast.Constant)
        and operand.value is None
        and isinstance(node.left, gast.Name)
    )


def _is_local_read(node: Any) -> bool:
    """`ag__.ld(name)`: names that are shared with other functions are read in another way."""
    return isinstance(node, gast.Call) and getattr(node.func, "attr", None) == "ld"


def _chain(node: Any, conversion: Conversion) -> gast.expr:
    form = CHAIN_TEST if node in conversion.tests else CHAIN
    call: Any = form.expression(node, left=conversion.expression(node.left))
    for op, operand in zip(node.ops, node.comparators, strict=True):
        sign = constant(SIGNS[type(op)], operand)
        call.args.append(tuple_of([sign, conversion.thunk(operand)], operand))
    made: gast.expr = call
    return made


EXPRESSIONS = {gast.Compare: convert_compare}
