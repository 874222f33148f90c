"""Templates: placeholders are filled, and every node stands where it was asked to."""

import ast

import gast

from autograph.syntax.template import STORE, Template, constant, name, stored, tuple_of

AT = gast.parse("(\nsomething)").body[0].value


def shown(statements):
    return ast.unparse(gast.gast_to_ast(gast.Module(body=statements, type_ignores=[])))


def test_names_expressions_and_blocks_are_filled_in():
    template = Template("""
        def called(parameter):
            nonlocal names
            body
            return value
    """)
    made = template.statements(
        AT,
        called="f",
        parameter="x",
        names=["a", "b"],
        body=gast.parse("a = 1\nb = 2").body,
        value=name("x", AT),
    )
    assert shown(made) == ("def f(x):\n    nonlocal a, b\n    a = 1\n    b = 2\n    return x")


def test_declarations_without_names_are_left_out():
    template = Template("def f():\n    nonlocal names\n    global others\n    return 1")
    assert shown(template.statements(AT, names=[], others=["g"])) == (
        "def f():\n    global g\n    return 1"
    )


def test_every_node_is_placed():
    template = Template("ag__.f(value, (lambda: value), [1])")
    made = template.expression(AT, value="x")
    placed = [node for node in gast.walk(made) if "lineno" in node._attributes]
    assert {(node.lineno, node.col_offset, node.end_lineno) for node in placed} == {(2, 0, 2)}


def test_a_template_can_be_filled_again():
    template = Template("f(value)")
    first, second = (template.expression(AT, value=text) for text in "ab")
    assert first is not second
    assert [ast.unparse(gast.gast_to_ast(made)) for made in (first, second)] == ["f(a)", "f(b)"]


def test_targets():
    made = Template("target = value").statements(
        AT, target=tuple_of([stored("a", AT), stored("b", AT)], AT, STORE), value=constant(1, AT)
    )
    assert shown(made) == "a, b = 1"


def test_calls_of_operators_stand_on_the_first_line_of_what_they_replace():
    # CPython puts a method call on the last line of its attribute.
    made = Template("ag__.while_stmt(test)").statements(AT, test=name("x", AT))
    call = made[0].value
    assert AT.lineno == call.lineno == call.func.end_lineno
