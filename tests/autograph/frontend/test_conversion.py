"""What is converted and what is left alone, caches, and converted source as text and functions."""

import functools
import gc
import importlib.util
import inspect
import linecache
import sys
import textwrap
import traceback
import types
import weakref

import numpy as np
import pytest

import autograph as ag
from autograph import rules
from autograph.frontend import conversion, one_function
from runtime import config

X = np.array([1.0, -2.0])


def clamp(x):
    if x > 0:
        return x
    return -x


def calls_of_this_file(function):
    """Names of functions of this file that ran during a call."""
    seen = []

    def profile(frame, event, argument):
        if event == "call" and frame.f_code.co_filename == __file__:
            seen.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(None)
    return seen


# ---- callees (B4.01) ----------------------------------------------------------------------------


def module_from(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_b4_01_callees_are_converted_in_depth():
    def third(x):
        return clamp(x) + 1

    def second(x):
        while x > 10:
            x = x / 2
        return third(x)

    @ag.convert
    def first(x):
        return second(x)

    assert first(np.float64(-20.0)) == 21.0 and first(np.float64(20.0)) == 11.0
    assert first.trace_count == 1


def test_b4_01_each_function_is_converted_once():
    converted = conversion.convert_function(clamp)
    assert conversion.convert_function(clamp) is converted
    other = ag.convert(lambda x: clamp(x) + clamp(-x))
    other(np.float64(1.0))
    assert conversion.convert_function(clamp) is converted


def test_b4_01_closures_of_one_def_share_their_code():
    """B1.19, B4.01: one code object, cells of their own."""

    def make(k):
        def scaled(x):
            if x > 0:
                return x * k
            return x

        return scaled

    a, b = (conversion.convert_function(make(k)) for k in (2.0, 3.0))
    assert a is not b and a.__code__ is b.__code__
    assert ag.convert(make(2.0))(1.0) == 2.0 and ag.convert(make(3.0))(1.0) == 3.0


@pytest.mark.parametrize(("function", "why"), [
    (np.mean, "numpy"), (textwrap.dedent, "standard library"), (ag.grad, "runtime"),
    (pytest.importorskip, "pytest"),
])  # fmt: skip
def test_b4_01_left_alone(function, why):
    function = inspect.unwrap(function)
    assert why in conversion.left_alone(function)


def test_s19_b4_01_coroutines_are_left_alone_and_generators_are_not():
    def generate():
        yield 1

    async def coroutine():
        return 1

    async def both():
        yield 1

    @types.coroutine
    def old_style():
        yield 1

    assert conversion.left_alone(generate) is None
    for function in (coroutine, both, old_style):
        assert "coroutine" in conversion.left_alone(function)
    assert conversion.left_alone(clamp) is None


def test_b4_01_kinds_of_callables_in_converted_code():
    class Scale:
        def __init__(self, k):
            if k > 0:
                self.k = k
            else:
                self.k = -k

        def __call__(self, x):
            return clamp(x) * self.k

        def method(self, x):
            return self(x) + 1

        @classmethod
        def of_class(cls, x):
            return cls(2.0)(x)

        @staticmethod
        def static(x):
            return clamp(x)

    @functools.lru_cache
    def cached(n):
        return n * 2

    def generate(n):
        for i in range(n):
            yield float(i)

    def f(x):
        s = Scale(3.0)
        bound = s.method
        total = s(x) + bound(x) + Scale.method(s, x) + Scale.of_class(x) + Scale.static(x)
        total = total + functools.partial(clamp, x)() + (lambda y: y * 2)(x)
        total = total + cached(4) + sum(generate(3)) + max(abs(x), 1.0) + np.maximum(x, 0.5)
        return total + functools.reduce(lambda a, b: a + b, [x, x, x])

    g = ag.convert(f)
    for x in (np.float64(2.0), np.float64(-3.0)):
        assert g(x) == f(x)
    assert g.trace_count == 1


def test_b4_01_config_rules_by_module(tmp_path, monkeypatch):
    module = module_from(tmp_path, "left_alone_by_rule", """
        def clamp(x):
            if x > 0:
                return x
            return -x
        """)  # fmt: skip
    f = ag.convert(lambda x: module.clamp(x))
    assert f(np.float64(-2.0)) == 2.0
    monkeypatch.setattr(rules, "_rules", ())
    monkeypatch.setattr(rules, "_decisions", {})
    rules.add(rules.Rule("left_alone_by_rule", False))
    assert "rule" in conversion.left_alone(module.clamp)
    assert ag.convert(lambda x: module.clamp(x) + 1)(2) == 3
    rules.add(rules.Rule("left_alone_by_rule", True))
    assert conversion.left_alone(module.clamp) is None
    rules.add(rules.Rule("textwrap", True))
    assert conversion.left_alone(textwrap.dedent) is None


# ---- do_not_convert (B4.05) ---------------------------------------------------------------------


def test_b4_05_do_not_convert_runs_as_python_while_tracing():
    seen = []

    @ag.do_not_convert
    def helper(x):
        seen.append(type(x).__name__)
        return x * 2

    f = ag.convert(lambda x: helper(x) + 1)
    assert f(1.0) == 3.0 and f(2.0) == 5.0
    assert seen == ["Tensor"]


def test_b4_05_do_not_convert_of_a_tensor_condition_raises():
    @ag.do_not_convert
    def helper(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(ag.StagingError, match="bool"):
        ag.convert(lambda x: helper(x))(1.0)


def test_b4_05_forms():
    class C:
        def method(self, x):
            return x + 1

    left = ag.do_not_convert(C().method)
    assert ag.convert(lambda x: left(x))(1.0) == 2.0
    partial = ag.do_not_convert(functools.partial(clamp))
    assert partial(-1.0) == 1.0
    assert ag.do_not_convert(clamp.__class__(clamp.__code__, globals()))(-1.0) == 1.0

    @ag.convert
    @ag.do_not_convert
    def f(x):
        return x * 2

    assert f(2.0) == 4.0


# ---- source (A14, A30, B4.04, B4.06, E3) --------------------------------------------------------


def test_b4_06_to_graph():
    g = ag.to_graph(clamp)
    assert g(3) == 3 and g(-3) == 3 and g(ag.constant(-3.0)).numpy() == 3.0
    assert "if_stmt" in g.__ag_source__
    assert g.__name__ == "clamp" and ag.is_autograph_artifact(g)
    assert ag.to_graph(clamp, recursive=False, experimental_optional_features=None)(-2) == 2


def test_a14_to_code_is_a_module_that_runs(tmp_path):
    text = ag.to_code(clamp)
    for part in ("if_stmt(", "get_state", "set_state"):
        assert part in text
    path = tmp_path / "shown.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("shown", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    converted = next(v for k, v in vars(module).items() if k.endswith("clamp"))
    assert converted(-3) == 3


@pytest.mark.parametrize("entity", [
    clamp, ag.convert(clamp), lambda x: x if x > 0 else -x, np.vectorize(clamp).pyfunc,
])  # fmt: skip
def test_a14_to_code_of_entities(entity):
    compile(ag.to_code(entity), "shown", "exec")


def test_to_code_of_methods_and_partials():
    class C:
        def method(self, x):
            return x if x > 0 else -x

        @classmethod
        def made(cls, x):
            return x if x > 0 else -x

        @ag.convert
        def converted(self, x):
            return x if x > 0 else -x

    for entity in (C.method, C().method, C.made, C.converted, C().converted):
        assert "result_exp" in ag.to_code(entity)
    with pytest.raises(TypeError, match="not a Python function"):
        ag.to_code(3)
    with pytest.raises(TypeError, match="not a Python function"):
        ag.to_code(len)


def test_e3_convert_source():
    module = ag.convert_source("""
def f(x):
    '''Absolute value.'''
    if x > 0:
        return x
    return -x
""")
    f = ag.convert(module.f)
    assert f(-2.0) == 2.0 and f(np.float64(3.0)) == 3.0 and f.__doc__ == "Absolute value."
    assert "Absolute value" in inspect.getsource(module.f)
    with pytest.raises(SyntaxError):
        ag.convert_source("def f(:")


def test_convert_source_error_shows_the_line():
    module = ag.convert_source("def f(x):\n    y = x * 2\n    raise ValueError('no')\n")
    with pytest.raises(ValueError, match="no") as caught:
        ag.convert(module.f)(1.0)
    text = "".join(traceback.format_exception(caught.value))
    assert "raise ValueError('no')" in text


def test_s19_b4_04_source_from_linecache_is_found():
    text = "def f(x):\n    if x > 0:\n        return x\n    return -x\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    space = {"__name__": "cell"}
    exec(compile(text, "<cell 1>", "exec"), space)
    assert ag.convert(space["f"])(-1.0) == 1.0


def test_s19_b4_04_a_callee_without_source_is_refused():
    space = {"__name__": "nowhere"}
    exec("def f(x):\n    return x * 2\n", space)
    callee = space["f"]
    with pytest.raises(ag.StagingError, match="nowhere.f|`f`"):
        ag.convert(lambda x: callee(x) + 1)(1.0)


def test_b4_09_strict_conversion():
    """B4.09: what is left to the host otherwise is an error (AUTOGRAPH_STRICT_CONVERSION)."""
    space = {"__name__": "nowhere"}
    exec("def f(x):\n    return x * 2\n", space)
    callee = space["f"]
    f = ag.convert(lambda x: callee(x) + 1)
    with config.strict_conversion.using(True), pytest.raises(ag.SourceUnavailableError):
        f(1.0)


# ---- looking (B4.07, B4.08) ---------------------------------------------------------------------


def test_b4_07_is_autograph_artifact():
    assert not ag.is_autograph_artifact(clamp)
    assert ag.is_autograph_artifact(ag.to_graph(clamp))
    assert ag.is_autograph_artifact(ag.convert(clamp))


def test_b4_07_control_status():
    seen = []

    @ag.do_not_convert
    def unconverted():
        seen.append(ag.control_status_ctx().status)

    @ag.convert
    def f(x):
        seen.append(ag.control_status_ctx().status)
        unconverted()
        return x + 1

    f(1.0)
    assert seen == [ag.Status.ENABLED, ag.Status.DISABLED]
    assert ag.control_status_ctx().status is ag.Status.UNSPECIFIED


def test_b4_08_verbosity(capsys):
    def f(x):
        if x > 0:
            return x + 1
        return x

    with config.verbosity.using(4):
        ag.convert(f)(1.0)
    log = capsys.readouterr().err
    assert "converted " in log and "trace #1 of " in log and "if_stmt" in log
    ag.convert(lambda x: x + 2)(1.0)
    assert capsys.readouterr().err == ""


def test_b4_08_set_verbosity(capsys):
    ag.set_verbosity(1, alsologtostdout=True)
    try:
        ag.convert(lambda x: x + 3)(1.0)
    finally:
        ag.set_verbosity(0)
    output = capsys.readouterr()
    assert "trace #1" in output.err and "trace #1" in output.out
    ag.convert(lambda x: x + 4)(1.0)
    assert capsys.readouterr().out == ""


def test_b4_08_trace_prints_while_tracing(capsys):
    @ag.convert
    def f(x):
        ag.debugging.trace("tracing", x.shape)
        return x + 1

    f(X), f(X)
    assert capsys.readouterr().out == "tracing (2,)\n"


def test_environment_variables():
    names = {s.variable for s in config.SWITCHES.values()}
    assert {"AUTOGRAPH_VERBOSITY", "AUTOGRAPH_STRICT_CONVERSION"} <= names


# ---- plain Python (S3) --------------------------------------------------------------------------


def test_conversion_does_not_change_plain_python():
    def f(items, *, default=None, **more):
        """Doc."""
        found = {}
        for i, item in enumerate(items):
            if item in found:
                continue
            found[item] = i
        else:
            found["end"] = default
        return found, more

    g = ag.to_graph(f)
    assert g([1, 2, 1], default=3, k=4) == f([1, 2, 1], default=3, k=4)
    assert inspect.signature(g) == inspect.signature(f) and g.__doc__ == "Doc."
    assert g.__kwdefaults__ == f.__kwdefaults__ and g.__module__ == f.__module__


def test_nothing_staged_runs_as_python_and_is_logged_once(capsys):
    f = ag.convert(lambda text: text.upper())
    with config.verbosity.using(1):
        assert f("a") == "A" and f("b") == "B" and f("a") == "A"
    assert capsys.readouterr().err.count("nothing is staged") == 1


def test_second_call_runs_no_line_of_the_function():
    def one_more(x):
        return clamp(x) + 1

    f = ag.convert(one_more)
    f(np.float64(1.0))
    assert calls_of_this_file(functools.partial(f, np.float64(-1.0))) == []


def test_a_function_is_converted_once(monkeypatch):
    first = conversion.convert_function(clamp)
    monkeypatch.setattr(one_function, "convert", None)
    assert conversion.convert_function(clamp) is first


def recursive(held=None):
    """A function that reaches itself: a cell of its own holds it."""

    def f(x):
        return x if held is None or x > 0 else f(x + 1.0)

    return f


def test_functions_that_reach_themselves_do_not_live_as_long_as_the_table_of_twins():
    first = recursive()
    conversion.convert_function(first)
    gone = weakref.ref(first)
    del first
    for _ in range(conversion._HELD):
        conversion.convert_function(recursive())
    gc.collect()
    assert gone() is None


def test_what_a_function_holds_is_freed_with_it():
    held = Held()
    function = (lambda held: lambda x: x if held is None else x * 2.0)(held)
    twin = weakref.ref(conversion.convert_function(function))
    gone = weakref.ref(held)
    del held
    gc.collect()
    assert twin() is conversion.convert_function(function)
    del function
    gc.collect()
    assert gone() is None is twin()


class Held:
    """What a closure holds."""
