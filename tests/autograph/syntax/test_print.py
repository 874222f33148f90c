"""What is printed parses to an equal tree."""

import ast
import sys
import sysconfig
import warnings
from pathlib import Path

import gast
import pytest

from autograph.syntax.print import unparse

LIBRARY = Path(sysconfig.get_path("stdlib"))
FAST = ["argparse.py", "ast.py", "dataclasses.py", "typing.py", "_pydecimal.py", "asyncio/tasks.py"]
HARD = ["test_fstring.py", "test_patma.py", "test_grammar.py", "test_string_literals.py"]
HARD += ["test_except_star.py", "test_named_expressions.py", "test_positional_only_arg.py"]
HARD += ["test_type_params.py", "test_type_aliases.py", "test_unpack_ex.py", "test_with.py"]

since_3_12 = pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
since_3_13 = pytest.mark.skipif(sys.version_info < (3, 13), reason="syntax of Python 3.13")


def parsed(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the library's own tests
        return ast.parse(data)


def assert_same_tree(data):
    tree = parsed(data)
    text = unparse(gast.ast_to_gast(tree))
    assert ast.dump(parsed(text)) == ast.dump(tree)
    return text


@pytest.mark.parametrize("name", FAST)
def test_files_of_the_library_come_back_equal(name):
    assert_same_tree((LIBRARY / name).read_bytes())


@pytest.mark.parametrize("name", HARD)
def test_python_s_own_syntax_tests_come_back_equal(name):
    path = LIBRARY / "test" / name
    if not path.exists():
        pytest.skip("this Python comes without it")
    assert_same_tree(path.read_bytes())


@pytest.mark.long
def test_the_whole_library_comes_back_equal():
    for path in LIBRARY.rglob("*.py"):
        data = path.read_bytes()
        try:
            parsed(data)
        except (SyntaxError, ValueError):
            continue  # broken on purpose, for the tests of Python's own tools
        assert_same_tree(data)


@pytest.mark.parametrize(
    "text",
    [
        "a + b * c",
        "(a + b) * c",
        "a - (b - c)",
        "a - b - c",
        "(-a) ** b",
        "-a ** -b",
        "(a ** b) ** c",
        "a ** b ** c",
        "not a == b",
        "(not a) == b",
        "a and b or c",
        "a and (b or c)",
        "a and (b and c)",
        "(a < b) < c",
        "a < b <= c",
        "(a if b else c) if d else e",
        "a if b else c if d else e",
        "lambda: 0",
        "lambda a, /, b=1, *c, d, **e: a",
        "(lambda: a)()",
        "f(x for x in y)",
        "f(a, *b, c=d, **e)",
        "f(*(a or b))",
        "[*a, *(b if c else d)]",
        "{**a, 'b': c}",
        "{**(a or b)}",
        "a[b, c:d:e, ...]",
        "a[b,]",
        "a[()]",
        "1 .real + 1.5.real",
        "[x for x in (a if b else c) if (d if e else f)]",
        "(x := 1) + 1",
        "'a' \"b\" '\\n\\t\\\\'",
        "b'\\x00'",
        "u'a'",
        "1e999 + 1e999j",
        "~-+a",
    ],
)
def test_expressions_come_back_equal(text):
    assert_same_tree(text)


@pytest.mark.parametrize(
    "text",
    [
        """f'{x}'""",
        """f'{x!r:>{width}.{y}}{{}}'""",
        '''f"{d['key']} it's \\n {x:\\x7b\\x7d}"''',
        """f'{x=}'""",
        """f'{(lambda: 0)()}{ {1: 2}[1] }{(lambda x: x)}'""",
        """u'a' f'{x}'""",
        """f'{x}' u'b' 'c' f''""",
        """f'''{f"{f'{x}'}"}'''""",
        """f'{x:}'""",
        '''f"""{'a' if x else "b'"} ''' + "'" + '''{y}"""''',
        """f'{"it"}\\'s "quoted"'""",
        """f'\\ud800 {x} \\\\'""",
        """f'{b"bytes"} {...} {1e999}'""",
    ],
)
def test_formatted_strings_come_back_equal(text):
    assert_same_tree(text)


@since_3_12
@pytest.mark.parametrize(
    "text",
    [
        """f'{'a' 'b'}'""",
        """f'{'\\n'.join(x)}'""",
        """f'{f'{f'{f'{f'{1}'}'}'}'}'""",
        """f'{d["\\'"] + '"' + "'" + '\\\\'}'""",
        "type X[T: int, *Ts, **P] = list[T]",
        "def f[T: (int, str)](x: T) -> T: pass",
        "class C[T](Base, metaclass=M): pass",
    ],
)
def test_syntax_of_3_12_comes_back_equal(text):
    assert_same_tree(text)


@since_3_13
@pytest.mark.parametrize("text", ["class C[T = int, *Ts = *tuple[int], **P = [int]]: pass"])
def test_syntax_of_3_13_comes_back_equal(text):
    assert_same_tree(text)


@pytest.mark.parametrize(
    "text",
    [
        "with ((a, b)): pass",
        "with (a, b) as c, (yield) as d: pass",
        "try: pass\nexcept* (A, B) as e: pass\nelse: pass\nfinally: pass",
        "match a, *b:\n case [1, -1 + 2j, *_, 'a' | None as c] if d: pass\n"
        " case {'a': 1 | 2, **rest} | {}: pass\n case C(1, b=(2 as d), c=[]): pass\n"
        " case ((a | b) as c) as d: pass\n case _: pass",
        "async def f(a, /, *, b: int = 1):\n async with a as b: await c\n async for d in e: pass",
        "x: int\n(x): int = 1\nx.y: int = 2",
        "if a: pass\nelif b: pass\nelse:\n if c: pass\n else: pass\n pass",
        "del (a), b[c]\nglobal d, e\nraise A from B\nassert a, b\nfrom . import x as y",
        "@(a if b else c)\nclass C(*bases, **keywords):\n  'doc'",
        "for x, in *a, b: break\nelse: pass",
    ],
)
def test_statements_come_back_equal(text):
    assert_same_tree(text)


@pytest.mark.parametrize(
    "text",
    [
        "one line",
        "two\n  lines\n",
        'ends in "',
        "\\ and \t tab",
        'has """ inside""" "',
        "\r\x00\ud800",
    ],
)
def test_docstrings_come_back_equal(text):
    assert_same_tree(f"def f():\n    {ascii(text)}\n    return 1")


def test_docstrings_are_printed_as_people_write_them():
    text = assert_same_tree('def f():\n    """One.\n\n    Two.\n    """\n')
    assert '"""One.\n\n    Two.\n    """' in text


def test_parentheses_stand_only_where_needed():
    text = "ag__.if_stmt(ag__.ld(x) > 0 and (a or b), lambda: -x * (y + 1), (x,))"
    assert assert_same_tree(text) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1, "(-1) ** x"), (-1.5, "(-1.5) ** x"), ((1, ...), "(1, ...) ** x"), (True, "True ** x")],
)
def test_constants_that_only_converters_make(value, text):
    node = gast.BinOp(
        gast.Constant(value, None), gast.Pow(), gast.Name("x", gast.Load(), None, None)
    )
    assert unparse(node) == text


def test_lists_of_statements_and_python_s_own_trees_are_printed():
    assert unparse(ast.parse("a = 1\nb = 2").body) == "a = 1\nb = 2"


def test_long_integers_have_no_limit():
    number = 1 << 80000
    assert ast.literal_eval(unparse(ast.Constant(number))) == number
