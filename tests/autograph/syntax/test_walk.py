"""Walking trees: dispatch by class, and places of what is made."""

import ast

import gast
import pytest

from autograph.syntax import walk
from autograph.syntax.walk import Transformer, Visitor, children, place_of


class Collecting(Visitor):
    def __init__(self):
        self.names, self.calls = [], 0

    def visit_Name(self, node):
        self.names.append(node.id)

    def visit_Call(self, node):
        self.calls += 1
        self.generic_visit(node)


class Rewriting(Transformer):
    def visit_Name(self, node):
        return gast.Constant(7, None) if node.id == "seven" else node

    def visit_Pass(self, node):
        return None

    def visit_Assert(self, node):
        return [gast.Expr(node.test), gast.Expr(node.test)]


def rewritten(text):
    return ast.unparse(gast.gast_to_ast(Rewriting().visit(gast.parse(text))))


def test_a_visitor_goes_on_where_it_has_no_method():
    visitor = Collecting()
    visitor.visit(gast.parse("def f(a):\n    return [g(b), c.d]\n"))
    assert visitor.names == ["a", "g", "b", "c"] and visitor.calls == 1


def test_a_visitor_takes_lists_with_holes():
    visitor = Collecting()
    visitor.visit_all([None, gast.parse("a").body[0]])
    assert visitor.names == ["a"]


def test_children_are_in_field_order_without_operators_and_contexts():
    node = gast.parse("a + b").body[0].value
    assert [child.id for child in children(node)] == ["a", "b"]
    assert list(children(node.left)) == []


@pytest.mark.parametrize(("before", "after"), [
    ("x = seven", "x = 7"), ("f(seven, [seven])", "f(7, [7])"),
    ("if x:\n    pass", "if x:\n    pass"),
    ("pass\nx", "x"), ("assert a", "a\na"),
    ("def f():\n    pass\n    return seven", "def f():\n    return 7"),
])  # fmt: skip
def test_what_a_transformer_gives_stands_in_the_place(before, after):
    assert rewritten(before).strip().replace("\n\n", "\n") == after


def test_what_is_made_stands_on_the_line_of_what_it_replaces():
    tree = Rewriting().visit(gast.parse("x = 1\nassert seven"))
    assert [statement.lineno for statement in tree.body] == [1, 2, 2]
    assert place_of(tree.body[1]) == {
        "lineno": 2, "col_offset": 0, "end_lineno": 2, "end_col_offset": 12,
    }  # fmt: skip


def test_a_node_without_a_place_has_none():
    assert set(place_of(gast.Pass()).values()) == {None}


def test_child_expressions_are_replaced_and_keywords_handed_on():
    def visit(node):
        if isinstance(node, gast.Name):
            return gast.Name(node.id.upper(), node.ctx, None, None)
        assert isinstance(node, gast.expr | gast.keyword)
        return walk.transform_children(node, visit)

    statement = gast.parse("f(a[b], d=e).g").body[0]
    made = walk.transform_children(statement.value, visit)
    assert ast.unparse(gast.gast_to_ast(made)) == "F(A[B], d=E).g"


def test_blocks_are_given_in_program_order():
    text = "try: a\nexcept E: b\nexcept F: c\nelse: d\nfinally: e\n"
    blocks = walk.statement_lists(gast.parse(text).body[0])
    assert [block[0].value.id for block in blocks] == ["a", "b", "c", "d", "e"]
    match = gast.parse("match x:\n    case 1: a\n    case 2: b\n").body[0]
    assert [block[0].value.id for block in walk.statement_lists(match)] == ["a", "b"]
    assert list(walk.statement_lists(gast.parse("x").body[0])) == []
