"""Converted source, and source that has no file."""

import inspect
import traceback

import pytest

import autograph as ag


def branch(x):
    if x > 0:
        return x
    return -x


class Model:
    def __call__(self, x):
        return branch(x)

    def method(self, x):
        return x


def test_code_is_a_module_that_runs():
    space = {}
    exec(ag.to_code(branch), space)
    made = next(v for k, v in space.items() if getattr(v, "__name__", "") == "branch")
    assert (made(2), made(-2)) == (2, 2)


def test_the_graph_function_knows_its_source():
    assert ag.to_graph(branch).__ag_source__ == ag.to_code(branch)


@pytest.mark.parametrize(
    "entity", [ag.convert(branch), Model(), Model().method, ag.convert(Model().method)]
)
def test_functions_methods_and_objects_have_code(entity):
    assert ag.to_code(entity).startswith("import autograph.operators as ag__")


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="3 is not a Python function, method or callable object"):
        ag.to_code(3)


def test_text_becomes_a_module_with_lines():
    module = ag.convert_source(
        "def f(x):\n    if x > 0:\n        return 1 / x\n    return x\n", "made"
    )
    assert module.__name__ == "made" and "1 / x" in inspect.getsource(module.f)
    converted = ag.to_graph(module.f)
    assert converted(2) == 0.5
    with pytest.raises(TypeError) as caught:
        converted("a")
    row = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (row.filename, row.lineno) == (module.__file__, 2)


def test_text_that_is_not_python_says_where():
    with pytest.raises(SyntaxError) as caught:
        ag.convert_source("x = 1\ny = = 2\n")
    assert caught.value.lineno == 2
