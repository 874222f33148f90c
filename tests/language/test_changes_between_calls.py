"""What changes between two calls of a function is seen by the next one: of all that it reads."""

import functools
import importlib
import linecache
import math
import sys
import time
import types
from collections import Counter, deque
from itertools import count
from unittest import mock

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import assert_equal

X = np.array([1.0, 2.0, 3.0])
_numbers = count()


def run(text, names):
    """Run a text that Python's `inspect` finds."""
    filename = f"<changes {next(_numbers)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    exec(compile(text, filename, "exec"), names)


def module_of(text):
    made = types.ModuleType("changes")
    vars(made).update(np=np, math=math, sys=sys, time=time, functools=functools, Counter=Counter)
    run(text, vars(made))
    return made


def given(name, value, of="f"):
    """Sets an attribute of a function or object of the module."""
    return lambda m: setattr(functools.reduce(getattr, of.split("."), m), name, value)


def bound(name, value):
    return lambda m: setattr(m, name, value)


def unbound(name):
    return lambda m: delattr(m, name)


def other(expression, of):
    """Gives a function the code of another one."""

    def change(m):
        run(f"other_ = {expression}\n", vars(m))
        functools.reduce(getattr, of.split("."), m).__code__ = m.other_.__code__

    return change


def patched(target, new):
    """Patches a name of a library, and restores it."""
    owner, name = target.rsplit(".", 1)
    owner, old = importlib.import_module(owner) if "Counter" not in owner else Counter, []
    return [
        lambda m: old.append(getattr(owner, name)) or setattr(owner, name, new),
        lambda m: setattr(owner, name, old.pop()),
    ]


CLASS = """class A:
    k = 2.0
    def __init__(self): self.a = 1.0
    def g(self, x, a=1.0): return x * a
    def __call__(self, x, a=1.0): return x + a
    def __add__(self, x): return x * 2
    @property
    def p(self): return self.a
    @staticmethod
    def s(x): return x + 1
obj = A()
class B:
    def g(self, x): return x * 6
"""
CASES = {
    "its defaults": ("def f(x, a=1.0): return x * a", [
        given("__defaults__", (5.0,)), given("__defaults__", (7,)), given("__defaults__", None)]),
    "its keyword defaults": ("def f(x, *, a=1.0): return x * a", [
        lambda m: m.f.__kwdefaults__.update(a=9.0), lambda m: setattr(m.f, "__kwdefaults__", {"a": 2}),
        given("__kwdefaults__", None)]),
    "its code": ("def f(x, a=1.0): return x * a\n", [
        other("lambda x, a: x - a", "f"), other("lambda x, b, c: x - b", "f"), given("__defaults__", (3.0, 4.0))]),
    "defaults of a callee": ("def g(x, a=1.0): return x * a\ndef f(x): return g(x) + 1", [
        given("__defaults__", (5.0,), "g"), given("__defaults__", (7,), "g"), given("__defaults__", None, "g")]),
    "keyword defaults of a callee": ("def g(x, *, a=1.0): return x * a\ndef f(x): return g(x) + 1", [
        lambda m: m.g.__kwdefaults__.update(a=9.0), given("__kwdefaults__", None, "g")]),
    "code of a callee's callee": ("def g(x): return x * 2\ndef h(x): return g(x)\ndef f(x): return h(x) + 1", [
        other("lambda x: x - 9", "g")]),
    "a function as an argument of map": ("def g(x): return x + 1\ndef f(x): return sum(map(g, x))", [
        other("lambda x: x * 4", "g")]),
    "a key of sorted": ("def g(x, s=1): return x * s\ndef f(x): return sorted([3, 1, 2], key=g)[0] * x", [
        given("__defaults__", (-1,), "g")]),
    "a generator": ("def g(x):\n    for v in x:\n        if v > 1: yield v\ndef h(x):\n    for v in x:\n"
                    "        if v > 2: yield v * 2\ndef f(x):\n    t = 0.0\n    for v in g(x): t = t + v\n    return t", [
        other("h", "g")]),
    "a lambda": ("g = lambda x: x + 1\ndef f(x): return g(x)", [other("lambda x: x * 4", "g")]),
    "a decorated function": ("def d(g):\n    @functools.wraps(g)\n    def w(*a): return g(*a) * 2\n    return w\n"
                             "@d\ndef f(x, a=1.0): return x + a", [
        given("__defaults__", (8.0,), "f.__wrapped__"), other("lambda x, a: x - a", "f.__wrapped__")]),
    "a partial": ("def h(x, a): return x * a\nf = functools.partial(h, a=2.0)", [
        lambda m: m.f.keywords.update(a=7.0), other("lambda x, a: x - a", "h")]),
    "a function not to be converted": ("import autograph as ag\n@ag.do_not_convert\ndef g(n, k=2): return n * k\n"
                                       "def f(x): return x * g(3)", [
        given("__defaults__", (5,), "g"), other("lambda n, k: n - k", "g")]),
    "a method": (CLASS + "def f(x): return obj.g(x)", [
        other("lambda self, x, a: x - a", "A.g"), given("__defaults__", (4.0,), "A.g"),
        given("g", lambda self, x: x * 9, "A"), given("g", lambda x: x * 8, "obj")]),
    "__call__": (CLASS + "def f(x): return obj(x)", [
        other("lambda self, x, a: x - a", "A.__call__"), given("__call__", lambda self, x: x * 5, "A")]),
    "__call__ of what is converted": (CLASS + "f = obj", [
        other("lambda self, x, a: x - a", "A.__call__"), given("__call__", lambda self, x, b=2.0: x * b, "A")]),
    "a bound method": (CLASS + "f = obj.g", [given("__defaults__", (8.0,), "A.g"), given("a", 3.0, "obj")]),
    "an operator": (CLASS + "def f(x): return obj + x", [
        other("lambda self, x: x - 5", "A.__add__"), given("__add__", lambda self, x: x / 2, "A")]),
    "a property": (CLASS + "def f(x): return obj.p * x", [
        lambda m: setattr(m.A.p.fget, "__code__", (lambda self: self.a + 6).__code__),
        given("p", property(lambda self: 3.0), "A")]),
    "an initializer": (CLASS + "def f(x): return A().a * x", [
        other("lambda self: setattr(self, 'a', 8.0)", "A.__init__")]),
    "a static method": (CLASS + "def f(x): return A.s(x)", [given("s", staticmethod(lambda x: x * 9), "A")]),
    "the class of an object": (CLASS + "def f(x): return obj.g(x)", [lambda m: setattr(m.obj, "__class__", m.B)]),
    "the bases of a class": (CLASS + "class C(A): pass\no = C()\ndef f(x): return x if isinstance(o, B) else -x", [
        lambda m: setattr(m.C, "__bases__", (m.B,))]),
    "a class attribute": (CLASS + "def f(x): return x * obj.k + A.k", [given("k", 5, "A"), given("k", 6.0, "obj")]),
    "a name that is a built-in's": ("def f(x): return max(x[0], 2.0) * x", [
        bound("max", min), unbound("max"), bound("max", lambda a, b: a + b)]),
    "a built-in that a callee uses": ("def g(x): return x * abs(-3)\ndef f(x): return g(x)", [
        bound("abs", lambda x: 7), unbound("abs")]),
    "a built-in that a function in it uses": ("def f(x): return (lambda v: abs(v))(x)", [
        bound("abs", lambda v: v * 9), unbound("abs")]),
    "range": ("def f(x):\n    t = 0.0\n    for i in range(3): t = t + x[i]\n    return t", [
        bound("range", lambda n: [0]), unbound("range")]),
    "what uses up a generator": ("def f(x): return sum(v * 2 for v in x)", [bound("sum", lambda g: 1.0), unbound("sum")]),
    "locals": ("def f(x):\n    a = 1\n    return x * len(locals())", [bound("locals", lambda: [1] * 7), unbound("locals")]),
    "dict, with keywords in a call": ("def g(x, **k): return x * len(k)\ndef f(x): return g(x, a=1, b=2)", [
        bound("dict", lambda **k: {"a": 1}), unbound("dict")]),
    "an exception": ("def f(x):\n    try:\n        raise ValueError\n    except Exception:\n        return x", [
        bound("Exception", KeyError), unbound("Exception")]),
    "a module's own name, unbound": ("def max(a, b): return a - b\ndef f(x): return max(x[0], x[1]) * x", [
        unbound("max"), bound("max", min)]),
    "numpy.cos": ("def f(x): return np.cos(x)", [
        *patched("numpy.cos", np.sin), *patched("numpy.cos", lambda x: x + 100)]),
    "numpy.cos, as a mock": ("def f(x): return np.cos(x)", patched("numpy.cos", mock.MagicMock(return_value=np.ones(2)))),
    "numpy.zeros": ("def f(x):\n    y = np.zeros(3)\n    for i in range(3): y[i] = x[i] * 2\n    return y", patched(
        "numpy.zeros", lambda n: np.ones(n) * 5)),
    "numpy.pi": ("def f(x): return np.pi * x", patched("numpy.pi", 3.0)),
    "numpy.linalg.norm": ("def f(x): return np.linalg.norm(x) * x", patched("numpy.linalg.norm", lambda x: 7.0)),
    "math.floor": ("def f(x): return math.floor(2.5) * x", patched("math.floor", lambda x: 7.0)),
    "math.sqrt of data": ("def f(x): return math.sqrt(x[1]) * x", patched("math.sqrt", lambda x: 7.0)),
    "time.time": ("def f(x): return x * 0 + time.time() * 0", patched("time.time", lambda: 7.0)),
    "builtins.divmod": ("def f(x): return divmod(7, 2)[0] * x", patched("builtins.divmod", lambda a, b: (9, 9))),
    "a method of a class of the library": ("C = Counter('aab')\ndef f(x): return x * C.most_common(1)[0][1]", patched(
        "collections.Counter.most_common", lambda self, n: [("z", 9)])),
    "the length of sys.argv": ("def f(x): return x * len(sys.argv)", [
        lambda m: sys.argv.append("a"), lambda m: sys.argv.pop()]),
    "what is in sys.argv": ("def f(x): return x + 1 if '-z' in sys.argv else x", [
        lambda m: sys.argv.append("-z"), lambda m: sys.argv.pop()]),
    "sys.argv": ("def f(x): return x * len(sys.argv)", [
        lambda m: setattr(sys, "argv", [*sys.argv, "b"]), lambda m: setattr(sys, "argv", sys.argv[:-1])]),
    "a list": ("L = [1, 2]\ndef f(x): return x * len(L)", [lambda m: m.L.append("a"), lambda m: m.L.pop()]),
    "functions in a dict": ("D = {'a': lambda x: x + 1}\ndef g(x): return x * 5\ndef f(x): return D['a'](x)", [
        lambda m: m.D.update(a=m.g), other("lambda x: x * 9", "g")]),
    "a cell": ("def make():\n    k = 2.0\n    def f(x): return x * k\n    def s(v):\n        nonlocal k\n        k = v\n"
               "    return f, s\nf, s = make()", [
        lambda m: m.s(5.0), lambda m: m.s(4), lambda m: setattr(m.f.__closure__[0], "cell_contents", 8.0)]),
    "attributes of a module": ("import types\nM = types.ModuleType('M')\nM.g = lambda x: x + 1\nM.k = 2\n"
                               "def f(x): return M.g(x) * M.k", [given("g", lambda x: x * 3, "M"), given("k", 5, "M")]),
}  # fmt: skip
MODES = ("native", "plan")


def outcome(function):
    try:
        return function(X.copy())
    except Exception as error:  # noqa: BLE001 - they are compared
        return type(error).__name__, str(error)


def check(text, changes, mode, first=0):
    """After each change, a function that is converted after the `first` does what the plain one does."""
    made, argv, done = module_of(text), list(sys.argv), 0
    converted = None
    try:
        for change in (*changes, None):
            if done == first:
                converted = ag.convert(made.f, native=mode == "native")
            for _ in range(2 if done >= first else 0):
                assert_equal(outcome(converted), outcome(made.f), tolerance=1e-14)
            if change is not None:
                change(made)
                done += 1
    finally:
        for change in changes[done:]:
            change(made)  # libraries get their own names back
        sys.argv[:] = argv


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_a_change_between_calls_is_seen(name, mode):
    check(*CASES[name], mode)


@pytest.mark.parametrize("name", [name for name in CASES if "numpy" in name or "math" in name])
def test_what_is_patched_when_the_first_call_comes_is_seen_when_it_is_restored(name):
    check(*CASES[name], "native", first=1)


LENGTHS = 5, 2, 4, 3, 40, 2


@pytest.mark.parametrize("is_same", [False, True], ids=["another list", "the same list"])
@pytest.mark.parametrize(
    "text",
    [
        "try: places[3] = v\nexcept IndexError: return -1.0",
        "try:\n    places[1] = v\n    places[3] = v\nexcept IndexError as e: return str(e), places[1]",
        "try: queue[3] = v\nexcept IndexError: queue.append(v)",
        "places[3] = v; print('written')",
    ],
)
def test_an_item_that_a_later_list_lacks_is_an_error_at_its_place(text, is_same, capsys):
    """Where nothing but the position is asked of a list from outside."""
    function = "def f(v):\n    " + text.replace("\n", "\n    ") + "\n    return v"
    seen = []
    for make in (lambda f: f, ag.convert):
        names = {"places": [], "queue": deque()}
        run(function, names)
        f = make(names["f"])
        for n in LENGTHS:
            items = [1.0] * n
            if is_same:
                names["places"][:], names["queue"] = items, deque(items)
            else:
                names["places"], names["queue"] = items, deque(items)
            try:
                result = f(np.float64(2.0))
            except IndexError as error:
                result = str(error)
            out = capsys.readouterr().out
            seen.append((repr(result), repr(names["places"]), repr(names["queue"]), out))
    assert seen[: len(LENGTHS)] == seen[len(LENGTHS) :]
