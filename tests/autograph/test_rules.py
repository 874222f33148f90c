"""`ag.config.convert_module` and `ag.config.do_not_convert_module` (B4.01)."""

import colorsys
import contextlib
import inspect
import io
import sys
import types

import numpy as np
import pytest

import autograph as ag
from autograph import rules
from autograph.frontend import conversion

TEXT = """
seen = []

def sign(x):
    seen.append(type(x).__name__)
    if x > 0:
        return 1.0
    return -1.0

def scale(x):
    seen.append(type(x).__name__)
    return x * 2

def halves(x):
    return [x / 2, x.sum()]

class Layer:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.call(x)

    def call(self, x):
        seen.append(type(x).__name__)
        return x * self.factor

    @property
    def parts(self):
        return [self.factor]

layer = Layer(3)

counts = [0]

def tick(*given):
    counts[0] += 1
    return counts[0] + sum(given)

def row():
    return [tick()]

def steps(most):
    try:
        for _ in range(most % 7):
            sent = yield tick()
            tick(sent or 0)
    except ValueError:
        yield tick() * 100

class Counter:
    def __init__(self):
        self.n = 2

    def bump(self, *given):
        self.n += 1
        return self.n + sum(given)

    def steps(self):
        for _ in range(3):
            yield self.bump()

    bumped = property(bump)
    __len__ = __call__ = __int__ = __neg__ = __index__ = __round__ = __hash__ = bump
    __add__ = __radd__ = __getitem__ = bump

    def __float__(self):
        return float(self.bump())

    def __getattr__(self, name):
        return self.bump() if name == "missing" else object.__getattribute__(self, name)

    def __contains__(self, item):
        return item < self.bump()

    def __bool__(self):
        return self.bump() % 2 == 0

    def __lt__(self, other):
        return self.bump() < 5

    def __eq__(self, other):
        return self.bump() == other

    def __iter__(self):
        return iter([self.bump()])

    def __iadd__(self, other):
        self.n += other
        return self

    def __delitem__(self, key):
        self.n += 1

    def __format__(self, spec):
        return str(self.bump())

    def __repr__(self):
        return str(self.bump())

class Batches:
    begun = asked = 0

    def __iter__(self):
        self.begun += 1
        return iter(_Numbers(self.begun))

class _Numbers:
    def __init__(self, number):
        self.number, self.left = number, 2

    def __iter__(self):
        Batches.asked += 1
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.number + self.left * 1.0
"""


@pytest.fixture(autouse=True)
def _no_rules(monkeypatch):
    monkeypatch.setattr(rules, "_rules", ())
    monkeypatch.setattr(rules, "_decisions", {})


@pytest.fixture
def library():
    return ag.convert_source(TEXT, "library.inner")


def test_b4_01_a_rule_leaves_modules_below_alone(library):
    ag.config.do_not_convert_module("library")
    assert conversion.left_alone(library.sign) == "a rule leaves library.inner alone"
    f = ag.convert(lambda x: library.scale(x) + 1)
    assert (f(1.0), f(2.0)) == (3.0, 5.0)
    assert library.seen == ["Tensor"]
    with pytest.raises(ag.StagingError, match="bool"):
        ag.convert(lambda x: library.sign(x))(1.0)


def test_an_iterable_that_is_left_alone_begins_once_for_each_loop(library):
    ag.config.do_not_convert_module("library")
    batches = library.Batches()
    f = ag.convert(_sums_of_epochs)
    assert [f(batches, 2) for _ in range(3)] == [8.0, 16.0, 24.0]
    assert (batches.begun, type(batches).asked, f.trace_count) == (6, 6, 1)


def _sums_of_epochs(batches, epochs):
    total = 0.0
    for _ in range(epochs):
        for x in batches:
            total += x
    return total


# Each is a function of `n`, with the names of the module, `o`, a Counter of its, `kept`, a list, and
# `box`, an object of the user's.
COUNTING = [
    "return o.bump()",
    "return o.bump(n)",
    "return o.bumped",
    "return o.missing",
    "return getattr(o, 'bumped')",
    "return hasattr(o, 'missing')",
    "return o()",
    "return len(o)",
    "return int(o), float(o), round(o)",
    "return -o, o + 1, 1 + o, o[4], o < 3, o == 4, o != 4",
    "return list(range(40))[o]",
    "return 3 in o, 5 not in o",
    "return 1 if o else 2",
    "return not o",
    "return o and 3, o or 3",
    "while o: return 1",
    "assert o",
    "o += 3; return o.n",
    "del o[1]; return o.n",
    "return f'{o} {o!r}', str(o), '%s' % (o,), '{}'.format(o)",
    "return next(iter(o))",
    "return [x for x in o]",
    "return tick()",
    "return tick(n)",
    "return tick() if n > 1 else None",
    "if n > 1: tick()",
    "return row(), (tick(), tick())",
    "found = row(); found.append(n); return found",
    "kept.append(tick()); return kept[-1]",
    "box.seen = tick(), o.bump(); return box.seen",
    "made = Counter(); made.bump(); return made.n",
    "return [tick() for _ in range(3)]",
    "return list(map(lambda x: o.bump() + x, [1, 2]))",
    "return sorted([3, 1], key=lambda x: o.bump())",
    "print(tick(), o.bump())",
    "raise ValueError(tick())",
    "found = 0\n    for v in steps(9): found += v * n\n    return found",
    "return [v + n for v in o.steps()], list(steps(4))",
    "g = o.steps(); a = next(g)\n    for i in range(9): a += i * n\n    return a + sum(g)",
    "g = steps(90); return next(g), g.send(2), g.throw(ValueError()), next(g, n)",
    "g = steps(90); next(g); return g.throw(KeyError(n))",
    "for v in o.steps():\n        if v > n + 3: break\n    return v",
    "for _ in range(1500 + n): found = tick()\n    return found",
    "for _ in range(1500): found = len(o), o.bump(n)\n    return found",
]


@pytest.mark.parametrize("is_marked", [False, True])
@pytest.mark.parametrize("body", COUNTING)
def test_code_that_is_left_alone_runs_as_often_as_in_python(body, is_marked):
    if not is_marked:
        ag.config.do_not_convert_module("library")
    assert _calls_of(body, ag.convert, is_marked) == _calls_of(body, lambda g: g, is_marked)


def _calls_of(body, wrap, is_marked):
    """What calls of a function give, print and leave, each time."""
    module = ag.convert_source(TEXT, "library.inner")
    functions = [*vars(module.Counter).values(), module.tick, module.row, module.steps]
    for function in filter(inspect.isfunction, functions) if is_marked else ():
        ag.do_not_convert(function)
    users = ag.convert_source(f"def g(n):\n    {body}\n", "users")
    o, box, kept = module.Counter(), types.SimpleNamespace(seen=None), []
    names = {"o": o, "box": box, "kept": kept, "tick": module.tick, "row": module.row}
    vars(users).update(names, Counter=module.Counter, steps=module.steps)
    g, found = wrap(users.g), []
    for n in (1, 2, 1, 3, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                given = g(n)
            except Exception as error:
                given = repr(error)
        given = "o" if given is o else given
        found.append((given, printed.getvalue(), o.n, module.counts[0], box.seen, [*kept]))
    return found


# Functions that stage something: what is left alone runs once while tracing, in a trace that begins
# anew, in bodies of loops that are traced several times, and where arrays are passed on to it.
@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("return x * tick()", 1),
        ("return x + o.bump(x).sum()", 1),
        ("for v in x: o.bump()", 1),
        ("for v in x: o.bump(v)", 1),
        ("s = 0\n    for v in x:\n        s = s + v / 2\n        o.bump(s)\n    return s", 1),
        (
            "s = 0\n    for v in x:\n        s = s + v / 2\n        o.bump(s)\n        halves(s)\n"
            "    return s",
            1,
        ),
        (
            "o.bump(); tick(); o.bump(x)\n    a = []\n    for v in x: a.append(v)\n"
            "    b = a if x.sum() > 0 else [1.0]\n    b.append(2.0)\n    return b",
            3,
        ),
    ],
)
def test_code_that_is_left_alone_runs_once_while_tracing(library, body, runs):
    ag.config.do_not_convert_module("library")
    users = ag.convert_source(f"def g(x):\n    {body}\n", "users")
    o = library.Counter()
    vars(users).update(o=o, tick=library.tick, halves=library.halves)
    g = ag.convert(users.g)
    for x in (np.ones(3), np.arange(3.0)):
        g(x)
        assert (o.n - 2 + library.counts[0], g.trace_count) == (runs, 1)
    assert g.traces()[0].graph.nodes


# What code that is left alone and converted code change both. Each is a function of `n`; `left` runs
# a part of it that is left alone, and `log`, `o` and `kept` are those of the closure.
SHARED = [
    "o.n += 10; o.log.append('f'); a = left_n(); o.n += 100; o.log.append('g'); return a * n + o.n",
    "kept[n + 1] = [0]; a = left_key(n); a += sum(kept[n]) if n in kept else 0; return a",
    "total(10); a = left_total(); total(100); return a * n",
    "def cb(v): log.append(v); return v * 2\n    return left_call(n, cb)",
    "log.append('f'); return left_again(n) + 1",
    "c = Kind(n); c.up(); c.down(); c.k += 1; d = Kind.of(3); return c.k + c.up() + d.down()",
    "c = Marked(1); c.n += n; return c.n",
    "x = [0, 1, n]; s = left_list(x); x.append(s); left_list(x); return x",
]


def _shared(body, wrap):
    """What calls of a function give and leave, each time."""
    log, kept, sum_ = [], {}, 0
    o = types.SimpleNamespace(n=0, log=[])

    def total(n):
        nonlocal sum_
        sum_ += n

    @ag.do_not_convert
    def left_total():
        nonlocal sum_
        sum_ += 1
        return sum_

    @ag.do_not_convert
    def left_n():
        o.n += 1
        o.log.append(o.n)
        return o.n

    @ag.do_not_convert
    def left_key(n):
        kept.setdefault(n, []).append(len(kept))
        return len(kept)

    @ag.do_not_convert
    def left_call(n, call):
        log.append("in")
        return call(n) + call(n)

    @ag.do_not_convert
    def left_again(n):
        log.append(n)
        return users.f(n - 1) + 1 if n else 0

    @ag.do_not_convert
    def left_list(x):
        log.append(len(x))
        x.append(len(log))
        return len(x)

    @ag.do_not_convert
    class Marked:
        def __init__(self, n):
            log.append(n)
            self.n = n

    class Kind:
        @ag.do_not_convert
        def __init__(self, k):
            log.append(k)
            self.k = k

        def up(self):
            self.k += 1
            log.append("up")
            return self.k

        @ag.do_not_convert
        def down(self):
            self.k -= 1
            log.append("down")
            return self.k

        @classmethod
        @ag.do_not_convert
        def of(cls, k):
            log.append(("of", k))
            return cls(k)

    names = {name: x for name, x in locals().items() if name not in ("body", "wrap")}
    users = ag.convert_source(f"def f(n):\n    {body}\n", "users")
    vars(users).update(names)
    users.f = wrap(users.f)
    return [
        (users.f(n), [*log], repr(o), {k: [*x] for k, x in kept.items()}, left_total())
        for n in (2, 3, 2, 5)
    ]


@pytest.mark.parametrize("body", SHARED)
def test_what_code_that_is_left_alone_changes_with_others_is_changed_as_often(body):
    assert _shared(body, ag.convert) == _shared(body, lambda g: g)


# Functions that read a number which code that is left alone counts up, of a closure or module.
COUNTED = [
    "return x * number(), n",
    "number(); return x * n",
    "y = x * n; number(); return y, n",
]


@pytest.mark.parametrize("is_global", [False, True])
@pytest.mark.parametrize("x", [3, 1.5, np.ones(2)], ids=str)
@pytest.mark.parametrize("body", COUNTED)
def test_a_number_that_code_left_alone_counts_does_not_freeze(body, x, is_global):
    scope = "global" if is_global else "nonlocal"
    text = f"def number():\n    {scope} n\n    n += 1\n    return n\n"
    text += f"def g(x):\n    {body}\n"
    if is_global:
        text = "n = 0\n" + text
    else:
        inner = "".join(f"    {line}\n" for line in ("n = 0\n" + text).splitlines())
        text = f"def made(do_not_convert):\n{inner}    do_not_convert(number)\n    return g\n"

    def found(wrap):
        module = ag.convert_source(text, "users")
        if is_global:
            ag.do_not_convert(module.number)
        g = wrap(module.g if is_global else module.made(ag.do_not_convert))
        return [repr(g(x)) for _ in range(5)]

    assert found(ag.convert) == found(lambda g: g)


# What such code makes is changed as what converted code makes is, also where a trace begins anew.
MADE = [
    "d = left(); d.append(2); return x * len(d), d[0], d[4]",
    "d = left(); d[0].append(2); d[1]['k'] = 1; return x * len(d[0]), d[:2]",
    "d = left()[2]; d.n += 1; d.log.append(d.n); return x * d.n, d.log",
    "a, d = 1.0, left()[2]; d.n += 1\n    for v in x: a = [a, d.n, v][1]\n    return a, d.n",
    "d = left()[3]; d[1].n += 1; d[0].append(d[1].n); return x * d[1].n, d[0]",
]
AGAIN = """
    a = []
    for v in x: a.append(v)
    b = a if x.sum() > 0 else [1.0]
    b.append(2.0)
"""


@pytest.mark.parametrize("begins_anew", [False, True])
@pytest.mark.parametrize("body", MADE)
def test_what_code_that_is_left_alone_has_made_may_be_changed(body, begins_anew):
    first, at, last = body.rpartition("return")
    body = first + (AGAIN + "    " if begins_anew else "") + at + last
    users = ag.convert_source(f"def g(x):\n    {body}\n", "users")

    class Made:
        def __init__(self):
            self.n, self.log = 0, []

    def left():
        return [[1], {}, Made(), ([], Made())]

    vars(users).update(left=ag.do_not_convert(left))
    g = ag.convert(users.g)
    for x in (np.ones(3), np.arange(3.0)):
        # An item of a list by data alone has the joined type.
        np.testing.assert_equal(g(x), users.g(x))
    assert g.traces()[0].graph.nodes and g.trace_count == 1


def test_loops_that_python_can_run_do_not_freeze_what_is_left_alone(library):
    ag.config.do_not_convert_module("library")
    users = ag.convert_source("def g(x, n):\n    return sum(tick() for _ in range(n))\n", "users")
    vars(users).update(tick=library.tick)
    assert ag.convert(users.g)(np.ones(2), 9000) == sum(range(9001))
    assert library.counts == [9000]


# Calls of Python's ints with code that is left alone: `counting` is a module that a rule leaves
# alone, and `o` an object of it.
COUNTING = """
n = 0
log = []
def count():
    global n
    n += 1
    return n
def say(x):
    print("left", x)
    return x
def upto(k):
    for i in range(k):
        log.append(i)
        yield i
class Counter:
    def __init__(self): self.n = 0
    def steps(self):
        for _ in range(3):
            self.n += 1
            yield self.n
    def more(self):
        self.n += 10
        return self.n
class Walker:
    def __init__(self, k): self.k = k
    def __iter__(self): return upto(self.k)
"""
OF_INTS = [
    "m = counting.count(); t = 0\n    for i in range(50): t += i * k % 7\n    return t + m",
    "m = counting.count(); t = 0\n    for i in range(5000): t += i * k % 7\n    return t + m",
    "print('first'); t = counting.say(k); print('last', t); return t",
    "t = 0\n    for i in range(40): t += i * k\n    print(t); counting.say(t); return t",
    "o = counting.Counter(); return [v + k for v in o.steps()], sum(o.steps()) * k, o.n",
    "return [v + k for v in o.steps()], sum(o.steps()) * k",
    "a = o.more(); b = [v + k for v in o.steps()]; return a, b, o.more() * k",
    "t = 0\n    for v in counting.Walker(3): t += v * k\n    return t, len(counting.log)",
    "a, *b = counting.Walker(4); return a, b, max(counting.Walker(3)) * k, [*counting.log]",
    "t = 0\n    for a, b in zip(counting.upto(3), counting.upto(2)): t += a * k + b\n    return t",
    "try: return counting.say(k) // (k - 4)\n    finally: counting.count(); print(counting.n)",
]


def _counted(monkeypatch, body, values, wrap):
    """What calls give, print and leave, with the module and the object as they are at first."""
    counting = types.ModuleType("counting")
    monkeypatch.setitem(sys.modules, "counting", counting)
    exec(COUNTING, vars(counting))
    users = ag.convert_source(f"def f(k):\n    {body}\n", "users")
    vars(users).update(counting=counting, o=counting.Counter())
    f, found = wrap(users.f), []
    for k in values:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                result = repr(f(k))
            except ZeroDivisionError as error:
                result = repr(error)
        found.append((result, out.getvalue(), counting.n, [*counting.log], users.o.n))
    return found, f


@pytest.mark.parametrize("values", [(3, 3, 3), (3, 4, 3, 5, 6, 7, 8)], ids=["same", "others"])
@pytest.mark.parametrize("body", OF_INTS)
def test_python_makes_a_call_of_ints_in_which_code_left_alone_runs(monkeypatch, body, values):
    ag.config.do_not_convert_module("counting")
    found, f = _counted(monkeypatch, body, values, ag.convert)
    assert found == _counted(monkeypatch, body, values, lambda g: g)[0]
    assert f.trace_count and "left alone" in str(f.explain())


# What a trace of floats takes ahead of a generator is seen by what else is left alone.
OF_FLOATS = [
    ("o = counting.Counter(); return [v + k for v in o.steps()], sum(o.steps()) * k", None),
    ("return [v + k for v in counting.upto(3)], sum(counting.upto(2)) * k", "generator"),
    ("return [v + k for v in o.steps()], sum(counting.upto(2)) * k", None),
    ("return [v + k for v in o.steps()], sum(o.steps()) * k", "generator"),
    ("a = [v + k for v in o.steps()]; return a, o.more() * k", "generator"),
]


@pytest.mark.parametrize(("body", "refused"), OF_FLOATS)
def test_generators_left_alone_that_share_what_they_change_are_refused(monkeypatch, body, refused):
    ag.config.do_not_convert_module("counting")
    if refused:
        with pytest.raises(ag.StagingError, match=refused):
            _counted(monkeypatch, body, (3.0,), ag.convert)
        return
    found, f = _counted(monkeypatch, body, (3.0, 4.0, 3.0), ag.convert)
    expected, _ = _counted(monkeypatch, body, (3.0, 4.0, 3.0), lambda g: g)
    assert [row[0] for row in found] == [row[0] for row in expected]
    assert f.trace_count == 1 and f.traces()[0].graph.nodes


def test_b4_01_objects_of_what_a_rule_leaves_alone_are_traced_as_functions_are(library):
    ag.config.do_not_convert_module("library")
    layer = library.layer
    f = ag.convert(lambda x: layer(x) if layer(x) > 2 else layer.call(-x))
    assert (f(1.0), f(-1.0)) == (3.0, 3.0)
    assert set(library.seen) == {"Tensor"}
    layer.inside = [library.Layer(k) for k in range(3)]  # which is not looked at
    assert (f(1.0), f.trace_count) == (3.0, 1)
    assert not any(node.op.name == "host_call" for node in f.traces()[0].graph.walk())


@pytest.mark.parametrize("convert", [ag.convert, lambda o: ag.convert(lambda x: o(x))])
def test_a_marked_call_of_an_object_sees_what_the_object_holds_now(convert):
    class Scale:
        @ag.do_not_convert
        def __call__(self, x):
            return x * self.factor[0]

    scale = Scale()
    scale.factor = [2.0]
    f = convert(scale)
    assert f(3.0) == 6.0
    scale.factor[0] = 5.0
    assert (f(3.0), f(4.0), f.trace_count) == (15.0, 20.0, 2)


def test_b4_01_lists_of_what_a_rule_leaves_alone_are_kept_in_the_place_of_empty_ones(library):
    ag.config.do_not_convert_module("library")

    def best_of(x, rounds):
        best, low = [], np.inf
        for _ in range(rounds):
            x = x * x - 0.7
            if abs(x.sum()) < low:
                low = abs(x.sum())
                best = library.halves(x)
        return best

    function, x = ag.convert(best_of), np.array([0.2, 0.9])
    for rounds in (0, 1, 5):
        found, expected = function(x, np.int64(rounds)), best_of(x, rounds)
        assert list(map(np.shape, found)) == list(map(np.shape, expected))
        assert all(map(np.allclose, found, expected))
    assert function.trace_count == 1


def test_b4_01_their_properties_give_new_objects_and_are_no_reason_to_trace_again(library):
    ag.config.do_not_convert_module("library")
    layer = library.layer
    f = ag.convert(lambda x: x * layer.parts[0])
    assert (f(1.0), f(2.0), f.trace_count) == (3.0, 6.0, 1)


@pytest.mark.parametrize("name", ["__call__", "call"])
def test_b4_01_such_an_object_and_its_methods_are_traced_as_they_are_also_first(library, name):
    ag.config.do_not_convert_module("library")
    target = library.layer if name == "__call__" else library.layer.call
    f = ag.convert(target)
    assert (f(1.0), f(2.0), f.trace_count, library.seen) == (3.0, 6.0, 1, ["Tensor"])


def test_b4_01_what_has_been_converted_stays(library):
    f = ag.convert(lambda x: library.sign(x))
    assert f(3.0) == 1.0
    ag.config.do_not_convert_module("library")
    assert (f(-3.0), f.trace_count) == (-1.0, 1)
    assert ag.convert(library.sign)(-2.0) == -1.0


def test_b4_01_the_innermost_module_and_the_later_rule_decide(library):
    ag.config.do_not_convert_module("library")
    ag.config.convert_module("library.inner")
    assert conversion.left_alone(library.sign) is None
    ag.config.do_not_convert_module("library.inner")
    assert conversion.left_alone(library.sign) is not None
    ag.config.convert_module("library.inn")
    assert conversion.left_alone(library.sign) is not None


def test_b4_01_a_rule_converts_what_would_be_left_alone():
    assert "standard library" in conversion.left_alone(colorsys.rgb_to_hsv)
    ag.config.convert_module("colorsys")
    assert conversion.left_alone(colorsys.rgb_to_hsv) is None
    f = ag.convert(lambda r, g, b: colorsys.rgb_to_yiq(r, g, b)[0])
    assert f(0.2, 0.4, 0.6) == pytest.approx(colorsys.rgb_to_yiq(0.2, 0.4, 0.6)[0])
    assert f(0.3, 0.4, 0.6) == pytest.approx(colorsys.rgb_to_yiq(0.3, 0.4, 0.6)[0])
    assert f.trace_count == 1


@pytest.mark.parametrize("name", ["autograph", "runtime.ops", "no module", ""])
def test_b4_01_rules_that_make_no_sense_are_refused(name):
    with pytest.raises(ValueError, match="module|conversion itself"):
        ag.config.convert_module(name)
