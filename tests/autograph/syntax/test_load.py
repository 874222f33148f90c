"""Compiled trees stand in the place of the original function."""

import ast
import inspect
import sys
import traceback
import types
import warnings

import gast
import pytest

from autograph.syntax.load import compile_function, module_text
from autograph.syntax.make import make_function
from autograph.syntax.parse import parse_function, parse_module
from autograph.syntax.source import source_of

AG = types.SimpleNamespace(double=lambda x: 2 * x)
GLOBAL = 3


def rebuilt(function, change=lambda node: node, **options):
    """Takes the way of every converted function, without any converter."""
    source = source_of(function)
    node = change(parse_function(source))
    code = compile_function(
        node,
        name=source.qualname,
        filename=source.filename,
        free_names=function.__code__.co_freevars,
        class_name=source.class_name,
        flags=source.flags,
        **options,
    )
    return make_function(code, function, AG)


class Doubled(gast.NodeTransformer):
    def visit_Return(self, node):
        call = parse_module("ag__.double(0)").body[0].value
        call.args = [node.value]
        node.value = gast.copy_location(call, node.value)
        return node


def noted(function):
    function.noted = True
    return function


@noted
@noted
def sample(a, b: int = 2, *c, d, e: "str" = "e", **f) -> dict:
    """What it gives."""

    def inner(x):
        return x, GLOBAL

    return inner((a, b, c, d, e, f))


def fails(x):
    y = x + 1

    return y / 0


class Base:
    def value(self):
        return 1


class Model(Base):
    __secret = 5

    def value(self):
        return super().value() + self.__secret

    def kind(self):
        return __class__


def counter():
    count = 0

    def add(step=1):
        nonlocal count
        count += step
        return count

    def read():
        return count

    return add, read


def test_metadata_are_those_of_the_original():
    made = rebuilt(sample)
    assert made is not sample
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__"):
        assert getattr(made, name) == getattr(sample, name)
    assert made.__kwdefaults__ == sample.__kwdefaults__
    assert made.__annotations__ == sample.__annotations__
    assert made.noted
    assert inspect.signature(made) == inspect.signature(sample)


def test_results_are_those_of_the_original():
    assert rebuilt(sample)(1, d=4, g=6) == sample(1, d=4, g=6)


def test_the_tree_given_is_left_as_it_is():
    node = parse_function(source_of(sample))
    before = ast.dump(node, include_attributes=True)
    compile_function(node, name="sample", filename="here.py")
    assert ast.dump(node, include_attributes=True) == before


def test_getsource_gives_the_user_s_text():
    """B1.19: `inspect.getsource` finds the text of converted code."""
    assert inspect.getsource(rebuilt(sample)) == inspect.getsource(sample)
    assert inspect.getsource(rebuilt(Model.value)) == inspect.getsource(Model.value)


def test_code_stands_on_the_user_s_file_and_lines():
    made, original = rebuilt(sample).__code__, sample.__code__
    assert made.co_filename == original.co_filename
    assert made.co_firstlineno == original.co_firstlineno
    assert made.co_qualname == original.co_qualname
    assert list(made.co_positions()) == list(original.co_positions())


def test_inner_functions_keep_their_qualified_names():
    made = next(each for each in rebuilt(sample).__code__.co_consts if inspect.iscode(each))
    assert made.co_qualname == "sample.<locals>.inner"


def test_tracebacks_show_the_user_s_lines():
    """B1.19: tracebacks find the text of converted code."""
    with pytest.raises(ZeroDivisionError) as expected:
        fails(1)
    with pytest.raises(ZeroDivisionError) as found:
        rebuilt(fails)(1)
    frames = [traceback.extract_tb(each.value.__traceback__)[-1] for each in (expected, found)]
    assert frames[0] == frames[1]
    assert frames[1].line == "return y / 0"
    assert (frames[1].colno, frames[1].end_colno) == (frames[0].colno, frames[0].end_colno)


def test_tracers_see_the_user_s_lines():
    """B1.19: a debugger sees the user's lines."""

    def lines_run(function):
        seen = []

        def trace(frame, event, argument):
            if frame.f_code is function.__code__:
                seen.append((event, frame.f_lineno))
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            function(1, d=2)
        finally:
            sys.settrace(before)
        return seen

    assert lines_run(rebuilt(sample)) == lines_run(sample) != []


def test_closure_cells_are_shared_with_the_original():
    add, read = counter()
    made = rebuilt(add)
    assert made.__closure__[0] is add.__closure__[0]
    assert (made(), add(10), read()) == (1, 11, 11)


def test_a_cell_that_is_empty_may_be_filled_later():
    def outer():
        def f():
            return later

        made = rebuilt(f)
        later = 7
        return made

    assert outer()() == 7


def test_super_and_class_cells_work():
    model = Model()
    assert rebuilt(Model.value)(model) == 6
    assert rebuilt(Model.kind)(model) is Model


def test_rewritten_super_reads_the_class_cell():
    def change(node):
        node.body = parse_function_body("return super(__class__, self).value() + 10")
        return gast.fix_missing_locations(node)

    assert rebuilt(Model.value, change)(Model()) == 11


def parse_function_body(text):
    return parse_module(text).body


def test_generated_code_finds_its_operators():
    made = rebuilt(counter()[1], Doubled().visit)
    assert "ag__" in made.__code__.co_freevars
    assert made() == 0


def test_two_functions_of_one_code_have_their_own_cells():
    adds = [counter()[0], counter()[0]]
    source = source_of(adds[0])
    code = compile_function(
        parse_function(source),
        name=source.qualname,
        filename=source.filename,
        free_names=("count",),
    )
    first, second = (make_function(code, each, AG) for each in adds)
    assert (first(), first(), second()) == (1, 2, 1)


def test_lambdas_are_made_with_defaults_and_cells():
    k = 4
    function = lambda x, y=lambda: 2, *, z=3: (x, y(), z, k)
    made = rebuilt(function)
    assert made(1) == (1, 2, 3, 4)
    assert made.__closure__[0] is function.__closure__[0]
    assert inspect.getsource(made) == inspect.getsource(function)
    assert made.__code__.co_qualname == function.__code__.co_qualname


def test_the_prelude_of_a_lambda_sees_the_original_cells():
    k = 4
    function = lambda x: (x, k, scope)  # noqa: F821
    prelude = parse_module("scope = (ag__, (lambda: k).__closure__)").body
    made = rebuilt(function, prelude=prelude)
    x, value, (ag__, closure) = made(1)
    assert (x, value, ag__) == (1, 4, AG)
    assert closure[0] is function.__closure__[0]


def test_names_private_to_a_class_are_mangled():
    assert "_Model__secret" in rebuilt(Model.value).__code__.co_names


def test_future_features_are_those_of_the_original():
    space = {}
    text = (
        "from __future__ import annotations\ndef f():\n    def g(x: unknown): pass\n    return g\n"
    )
    exec(compile(text, "here.py", "exec"), space)
    node = parse_module(text).body[1]
    flags = space["f"].__code__.co_flags & 0x1000000
    code = compile_function(node, name="f", filename="here.py", flags=flags)
    assert make_function(code, space["f"], AG)().__annotations__ == {"x": "unknown"}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_are_cells():
    space = {}
    text = "def f[T](x: T) -> T:\n    return T\n"
    exec(text, space)
    function = space["f"]
    code = compile_function(
        parse_module(text).body[0], name="f", filename="here.py", free_names=("T",)
    )
    made = make_function(code, function, AG)
    assert made(1) is function.__type_params__[0]
    assert made.__type_params__ == function.__type_params__


def run_text(text):
    space = {}
    exec(
        compile(text.replace("import autograph.operators as ag__", "ag__ = None"), "t", "exec"),
        space,
    )
    return space


def test_a_module_text_can_be_run():
    text = module_text([parse_function(source_of(fails))])
    assert text.startswith("import autograph.operators as ag__\n\ndef fails(x):\n")
    with pytest.raises(ZeroDivisionError):
        run_text(text)["fails"](1)


def test_a_module_text_of_a_closure_is_a_factory():
    text = module_text([parse_function(source_of(counter()[0]))], free_names=("count",))
    assert run_text(text)["factory"](5)(2) == 7


def test_a_module_text_of_a_lambda_has_a_name():
    function = lambda x: x + 1
    assert run_text(module_text([parse_function(source_of(function))]))["lambda_"](1) == 2


def test_warnings_of_python_are_not_given_twice(tmp_path):
    space = {}
    path = tmp_path / "made_here.py"
    path.write_text("def f(x):\n    return x is 1 or '\\d'\n")
    with warnings.catch_warnings(action="ignore"):
        exec(compile(path.read_text(), str(path), "exec"), space)
    assert rebuilt(space["f"])(2) == "\\d"
