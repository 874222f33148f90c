"""`autograph.pyct`: transformers of one's own (B1.18)."""

import inspect
import traceback

import gast
import pytest

import autograph as ag
from autograph import pyct


class Doubled(pyct.Transformer):
    """Doubles integers; drops `pass`; counts expression statements."""

    value = pyct.Template("twice(value)")
    counted = pyct.Template("""
    seen.append(1)
    statement
    """)

    def visit_Constant(self, node):
        return self.value.expression(node, value=node) if type(node.value) is int else node

    def visit_Pass(self, node):
        return None

    def visit_Expr(self, node):
        return self.counted.statements(node, statement=[node])


def twice(x):
    return 2 * x


def test_b1_18_a_transformer_rewrites_expressions_and_statements():
    seen = []

    def f(x, y=3):
        pass
        seen
        if x:
            pass
        return x + 10 + y

    changed = pyct.transform(f, Doubled())
    assert changed(1) == 24
    assert seen == [1]
    assert f(1) == 14
    assert inspect.signature(changed) == inspect.signature(f)
    assert changed.__qualname__ == f.__qualname__


def test_b1_18_made_nodes_stand_on_the_user_s_lines():
    def f(x):
        return (
            x
            + 1
        )  # fmt: skip

    class Fail(pyct.Transformer):
        def visit_Constant(self, node):
            return (
                gast.parse("missing_name")
                .body[0]
                .value.__class__("missing_name", gast.Load(), None, None)
            )

    with pytest.raises(NameError) as caught:
        pyct.transform(f, Fail())(1)
    line = traceback.extract_tb(caught.value.__traceback__)[-1].line
    assert line == "+ 1"


def test_b1_18_inner_functions_keep_their_names():
    def f():
        return (lambda: 1), [lambda: i for i in range(1)][0]

    assert [g.__name__ for g in pyct.transform(f)()] == ["<lambda>", "<lambda>"]


def test_b1_18_methods_closures_and_lambdas():
    k = 5

    class C:
        __hidden = 2

        def m(self, x):
            return self.__hidden * x + k

    assert pyct.transform(C.m, pyct.to_anf)(C(), 3) == 11
    assert pyct.transform(lambda x: x * k, pyct.to_anf)(2) == 10


def test_b1_18_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="no function but Pass"):
        pyct.transform(twice, lambda tree: gast.Pass())
    with pytest.raises(ag.SourceUnavailableError):
        pyct.transform(len)


def test_b1_18_analyses():
    tree = pyct.parse_function(pyct.source_of(twice))
    scopes = pyct.ScopeTree(tree)
    assert scopes[tree].bound == {"x"}
    facts = pyct.analyze(tree, scopes)
    assert facts.live_in(tree.body[0]) == {"x"}
    assert str(pyct.qualified_name(gast.parse("a[i].b").body[0].value)) == "a[i].b"
    assert pyct.Namer({"x"}).fresh("x") == "x_1"
    assert pyct.unparse(tree).strip() == "def twice(x):\n    return 2 * x"
