"""Generators: what stays around a `yield`, and what they are in the place of a loop."""

import ast
import textwrap

import gast
import pytest

from autograph.converters import Context, convert_for_consumer, convert_tree
from autograph.errors import UnsupportedSyntaxError
from autograph.generated import Options
from tests.autograph.converters.running import load, run
from tests.autograph.converters.samples_of_generators import SAMPLES

CALLEE = Context(options=Options(user_requested=False))


def parsed(text):
    return gast.parse(textwrap.dedent(text)).body[0]


def converted(text):
    """The statements of a generator's scope."""
    lines = ast.unparse(gast.gast_to_ast(convert_tree(parsed(text), CALLEE))).splitlines()
    start = next(i for i, line in enumerate(lines) if "GeneratorScope" in line)
    return textwrap.dedent("\n".join(lines[start + 1 :]))


def consumed(text):
    node = parsed(text)
    return ast.unparse(gast.gast_to_ast(node)) if convert_for_consumer(node, CALLEE) else None


CASES = {
    "yield": (
        "def g(x): y = yield x",
        "y = fscope.resumed((yield fscope.suspended(ag__.ld(x), False)))",
    ),
    "nothing": (
        "def g(): yield",
        "fscope.resumed((yield fscope.suspended(None, False)))",
    ),
    "delegation": (
        "def g(x): return (yield from x)",
        """
do_return = False
retval_ = ag__.UndefinedReturnValue()
retval_ = (yield from fscope.delegated(ag__.ld(x), False))
do_return = True
return fscope.ret(retval_, do_return)
""",
    ),
    "loops": (
        """
        def g(x, y):
            while x:
                for a, b in y:
                    yield a
                    if b: break
        """,
        """
while fscope.known(ag__.ld(x)):
    break_ = False
    for itr in fscope.items(ag__.ld(y)):
        a, b = ag__.unpack(itr, 2)
        fscope.resumed((yield fscope.suspended(ag__.ld(a), False)))

        def get_state():
            return (break_,)

        def set_state(vars_):
            nonlocal break_
            break_, = vars_

        def if_body():
            nonlocal break_
            break_ = True

        def else_body():
            nonlocal break_
            pass
        ag__.if_stmt(ag__.ld(b), if_body, else_body, get_state, set_state, ('break_',), 1)
        if not fscope.known(ag__.not_(break_)):
            break
""",
    ),
    "protected": (
        """
        def g(x):
            with x:
                yield 1
            try:
                yield 2
            finally:
                x()
        """,
        """
with ag__.context(ag__.ld(x)):
    fscope.resumed((yield fscope.suspended(1, True)))
fscope.regain()
try:
    with ag__.try_body(('yield',)):
        fscope.resumed((yield fscope.suspended(2, True)))
finally:
    fscope.regain()
    ag__.converted_call(ag__.ld(x), (), None, fscope)
""",
    ),
    "operands": (
        "def g(x): return x and (yield x)",
        """
do_return = False
retval_ = ag__.UndefinedReturnValue()
retval_ = ag__.ld(x) and fscope.resumed((yield fscope.suspended(ag__.ld(x), False)))
do_return = True
return fscope.ret(retval_, do_return)
""",
    ),
    "unreachable": (
        """
        def g():
            return
            yield
        """,
        """
do_return = False
retval_ = ag__.UndefinedReturnValue()
retval_ = None
do_return = True
if False:
    yield
return fscope.ret(retval_, do_return)
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted(before).strip() == after.strip()


def test_one_that_the_user_asked_for_is_refused():
    with pytest.raises(UnsupportedSyntaxError, match="this is a generator"):
        convert_tree(parsed("def g(): yield"), Context())


# ---- in the place of a loop ----------------------------------------------------------------------


def test_items_are_given_to_the_consumer():
    text = consumed("def g(x, *, k=1):\n    for v in x:\n        if v: yield v\n    return f(x)\n")
    assert text.startswith("def g(consumer_, /, x, *, k=1):")
    assert "ag__.converted_call(ag__.ld(consumer_), (ag__.ld(v),), None, fscope)" in text
    assert "ag__.for_stmt" in text and "yield" not in text


def test_delegation_is_a_loop():
    text = consumed("def g(x):\n    yield from x\n    consumer_ = 1\n")
    assert "def loop_body(itr)" in text and "consumer_1" in text


@pytest.mark.parametrize(
    "body",
    [
        "x = yield 1",
        "f((yield))",
        "if (yield): pass",
        "while (yield): pass",
        "return (yield)",
        "yield (yield)",
        "x = yield from y",
        "try:\n        yield\n    finally: f()",
        "with x:\n        yield",
        "if x:\n        with x:\n            yield",
    ],
)
def test_what_is_more_than_giving_items_stays_a_generator(body):
    assert consumed(f"def g(x):\n    {body}\n") is None


# ---- what they do --------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_a_converted_generator_does_what_the_original_does(number):
    text = textwrap.dedent(SAMPLES[number])
    results = [run(load(text, "f", convert=convert)) for convert in (False, True)]
    assert results[0] == results[1]
    assert results[0].error is None, results[0]
