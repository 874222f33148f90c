"""Qualified names, fresh names and mangled names."""

import gast
import pytest

from autograph.syntax.names import Namer, mangle, mangle_tree, qualified_name


@pytest.mark.parametrize(
    ("text", "shown", "last", "root"),
    [
        ("a", "a", "a", "a"),
        ("a.b.c", "a.b.c", "c", "a"),
        ("a[0]", "a[0]", "a[0]", "a"),
        ("a[i].c", "a[i].c", "c", "a"),
        ("a['k']", "a['k']", "a['k']", "a"),
    ],
)
def test_qualified_names_of_places(text, shown, last, root):
    name = qualified_name(gast.parse(text).body[0].value)
    assert (str(name), name.last, name.root) == (shown, last, root)


@pytest.mark.parametrize("text", ["f()", "a[f()]", "(a + b).c", "a[1:2]", "1"])
def test_what_computes_has_no_qualified_name(text):
    assert qualified_name(gast.parse(text).body[0].value) is None


def test_fresh_names_clash_with_nothing():
    namer = Namer(["x", "x_1", "flag_"])
    assert [namer.fresh("x"), namer.fresh("x"), namer.fresh("flag_")] == ["x_2", "x_3", "flag_1"]
    assert namer.generated == {"x_2", "x_3", "flag_1"}


def test_a_fixed_name_is_made_once():
    namer = Namer(["vars_"])
    assert namer.fixed("vars_") == namer.fixed("vars_") == "vars_1"


@pytest.mark.parametrize(
    ("name", "class_name", "mangled"),
    [
        ("__x", "A", "_A__x"),
        ("__x", "__A", "_A__x"),
        ("__x__", "A", "__x__"),
        ("_x", "A", "_x"),
        ("__x", None, "__x"),
        ("__x", "__", "__x"),
    ],
)
def test_mangling(name, class_name, mangled):
    assert mangle(name, class_name) == mangled


def test_mangling_a_tree_is_what_python_does():
    text = (
        "def f(self, __p):\n    global __g\n    import __m, __m.n as __o\n    self.__x = __p\n"
        "    class B(__C):\n        __y = 1\n    return f(__k=1)"
    )
    tree = gast.parse(text).body[0]
    mangle_tree(tree, "A")
    body = tree.body
    assert tree.args.args[1].id == "_A__p"
    assert body[0].names == ["_A__g"]
    assert [alias.asname for alias in body[1].names] == ["_A__m", "_A__o"]
    assert body[2].targets[0].attr == "_A__x"
    assert body[3].bases[0].id == "_A__C"
    assert body[3].body[0].targets[0].id == "__y"
    assert body[4].value.keywords[0].arg == "__k"
