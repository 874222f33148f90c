"""Functions keep signature and docstring; their bodies run in a scope of the runtime."""

import ast
import sys
import textwrap

import gast
import pytest

from autograph.converters import Context, convert_tree
from autograph.errors import UnsupportedSyntaxError
from tests.autograph.converters.running import assert_same, converted_text

OPTIONS = (
    "ag__.ConversionOptions(recursive=True, user_requested=True, optional_features=(), "
    "internal_convert_user_code=True)"
)


def test_function_with_return():
    text = converted_text('def f(x, *, k: int = 3) -> str:\n    """doc"""\n    return x')
    assert text == textwrap.dedent(
        f'''\
        def f(x, *, k: int=3) -> str:
            """doc"""
            with ag__.FunctionScope('f', 'fscope', {OPTIONS}) as fscope:
                do_return = False
                retval_ = ag__.UndefinedReturnValue()
                retval_ = ag__.ld(x)
                do_return = True
                return fscope.ret(retval_, do_return)'''
    )


def test_function_without_return():
    text = converted_text("def f(x):\n    x")
    assert text.splitlines()[2:] == ["        ag__.ld(x)"]


def test_closure_variables_are_listed():
    text = converted_text("def f(x): return k + w", free_names=frozenset({"k"}))
    assert "cells=lambda: (k,)" in text


def test_names_of_other_scopes_that_are_written_are_shared():
    text = converted_text("def f(x):\n    global g\n    g = x")
    assert "shared=(get_shared, set_shared, ('g',))" in text
    assert "ag__.read_or_undefined(lambda: g, 'g')" in text
    assert text.splitlines()[1] == "    global g"


def test_nested_function_is_marked_and_has_a_scope_of_its_own():
    text = converted_text("def f(x):\n    @d\n    def g(y): return x + y\n    return g")
    assert "@ag__.autograph_artifact\n        def g(y):" in text
    assert "cells=lambda: (x,)) as fscope_1" in text
    assert "fscope_1.read('x', x) + ag__.ld(y)" in text


def test_user_names_that_look_generated_are_avoided():
    assert_same(
        """
        def f(fscope=1, do_return=2, get_state=3, vars_=4, itr=5, if_body=6):
            if fscope:
                vars_ = do_return
                if_body = itr
            return fscope, do_return, get_state, vars_, itr, if_body
        """
    )


def test_private_names_are_mangled_as_in_their_class():
    text = converted_text("def f(self): return self.__x, __y", class_name="_A")
    assert "'_A__x'" in text
    assert "fscope.read('_A__y', _A__y)" in text


@pytest.mark.parametrize("text", ["async def f(): pass", "def f():\n    yield 1"])
def test_coroutines_and_generators_are_refused_with_their_place(text):
    with pytest.raises(UnsupportedSyntaxError) as caught:
        converted_text(text, filename="user.py")
    assert "user.py:1" in str(caught.value)
    assert text.splitlines()[0] in str(caught.value)


def test_lambda_is_converted_with_the_scope_of_its_caller():
    node = gast.parse("lambda x: x + k if x else (y := x)").body[0].value
    text = ast.unparse(gast.gast_to_ast(convert_tree(node, Context())))
    assert (
        text == "lambda x: ag__.ld(x) + fscope.read('k', k) if ag__.truth(ag__.ld(x)) "
        "else (y := ag__.ld(x))"
    )


def test_every_node_stands_on_a_line_of_the_user():
    text = "def f(x):\n    if x:\n        x += 1\n    return [x for x in [x]]"
    tree = convert_tree(gast.parse(text).body[0], Context())
    for node in gast.walk(tree):
        if "lineno" in node._attributes:
            assert 1 <= node.lineno <= 4
            assert node.col_offset is not None
    compile(gast.gast_to_ast(gast.Module(body=[tree], type_ignores=[])), "user.py", "exec")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of 3.12")
def test_type_parameters_stay():
    assert_same(
        """
        def f(x):
            def g[T: int, *Ts](y: T) -> T:
                if y:
                    return T.__name__, y
                return Ts
            type Pair[A] = tuple[A, x]
            class C[T]:
                t = T
            return g(x), g(0), Pair.__name__, C.__name__
        """,
        (1,),
    )
