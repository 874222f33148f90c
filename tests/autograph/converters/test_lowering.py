"""What the rewrites of one function share."""

import ast
from copy import deepcopy

import gast
import pytest

from autograph.analysis import ScopeTree
from autograph.converters.context import Context
from autograph.converters.lowering import Lowering, all_of, if_statement, none_set
from autograph.syntax.names import Namer

AT = gast.parse("\n    \nx").body[0]


def text(node):
    return ast.unparse(gast.gast_to_ast(node))


@pytest.mark.parametrize(("flags", "expected"), [
    ({"a"}, "not a"), ({"b", "a"}, "not a and (not b)"),
    ({"c", "a", "b"}, "not a and (not b) and (not c)"),
])  # fmt: skip
def test_that_no_flag_is_set(flags, expected):
    assert text(none_set(flags, AT)) == expected


def test_a_conjunction_is_flat():
    a, b, c = (gast.parse(x).body[0].value for x in ("a and b", "c or d", "e"))
    assert text(all_of([a, b, c], AT)) == "a and b and (c or d) and e"


def test_an_if_without_statements_passes():
    test = gast.parse("a").body[0].value
    made = if_statement(test, [], [], AT)
    assert text(made) == "if a:\n    pass" and made.lineno == made.body[0].lineno == 3


def test_what_is_known_of_a_statement_is_known_of_its_copy():
    function = gast.parse("def f():\n    while x: (lambda a: a)()\n").body[0]
    scopes = ScopeTree(function)
    lowering = Lowering(Context(), scopes, scopes[function], Namer(set()))
    loop = function.body[0]
    bound = gast.parse("f(maximum_iterations=5)").body[0].value.keywords
    lowering.loop_options[loop] = bound
    lowering.as_is.add(loop.body[0])
    copy = deepcopy(loop)
    lowering.alias(copy, loop)
    assert lowering.loop_options[copy][0].value.value == 5
    assert lowering.loop_options[copy][0] is not bound[0]
    assert copy.body[0] in lowering.as_is and copy not in lowering.as_is
    inner, original = copy.body[0].value.func, loop.body[0].value.func
    assert scopes[inner] is scopes[original]
