"""Three-address code: what it looks like, and that it does what the source does."""

import bisect
import copy
import fractions
import functools
import heapq
import linecache
import re
import statistics
import string
import textwrap
import types

import gast
import pytest

from autograph.syntax.anf import to_anf
from autograph.syntax.print import unparse
from tests.autograph.converters import samples


def anf(text):
    return unparse(to_anf(gast.parse(textwrap.dedent(text)))).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = a + b * c", "_t_1 = a\n_t_2 = b * c\ny = _t_1 + _t_2"),
        ("y = -1 + x.a.b", "_t_1 = x.a\n_t_2 = _t_1.b\ny = -1 + _t_2"),
        ("f(g(x))", "_t_1 = f\n_t_2 = g(x)\n_t_1(_t_2)"),
        ("y = f(x) and g(h(x))", "_t_1 = f(x)\ny = _t_1 and g(h(x))"),
        ("y = lambda: f(g(1))", "y = lambda: f(g(1))"),
        ("y = [f(g(x)) for x in xs()]", "_t_1 = xs()\ny = [f(g(x)) for x in _t_1]"),
        ("x[i + 1] += y", "_t_1 = x\n_t_2 = i + 1\n_t_1[_t_2] += y"),
        ("x += f(y)", "_t_1 = x\n_t_2 = f(y)\n_t_1 += _t_2\nx = _t_1"),
        ("f(a=1)[i:j] = x", "_t_1 = x\n_t_2 = f(a=1)\n_t_2[i:j] = _t_1"),
        ("del a, b", "del a, b"),
        ("if (n := f(x)) > 3:\n    pass", "_t_1 = f(x)\nn = _t_1\nif _t_1 > 3:\n    pass"),
    ],
)
def test_statements(text, expected):
    assert anf(text) == expected


def test_the_tree_given_is_left_as_it_is():
    tree = gast.parse("y = f(g(x))")
    before = gast.dump(tree)
    to_anf(tree)
    assert gast.dump(tree) == before


def test_new_names_clash_with_none_of_the_program():
    assert anf("_t_1 = f(g(x), _t_2)").startswith("_t_3 = f")


def test_a_function_that_sees_all_names_is_left_alone():
    text = "def f(x):\n    return locals() | g(h(x))"
    assert anf(text) == text


def test_lines_are_those_of_the_source():
    tree = to_anf(gast.parse("y = (a +\n     b * c)"))
    assert [node.lineno for node in tree.body] == [1, 2, 1]


def test_class_bodies_keep_their_names():
    text = anf("class C:\n    x = f(g(1))\n    def m(self):\n        return f(g(1))")
    assert "x = f(g(1))" in text
    assert "return t_1(t_2)" in text


# ---- behaviour ---------------------------------------------------------------------------------

PROGRAMS = [
    """
    def f():
        class Noted:
            def __init__(self, name): self.name = name
            def __getitem__(self, i): log(self.name, 'get', i); return Noted(f'{self.name}[{i}]')
            def __setitem__(self, i, v): log(self.name, 'set', i, str(v))
            def __getattr__(self, a): log(self.name, 'attr', a); return Noted(f'{self.name}.{a}')
            def __add__(self, o): log(self.name, '+', str(o)); return Noted(f'{self.name}+{o}')
            def __iadd__(self, o): log(self.name, '+=', str(o)); return Noted(f'{self.name}+={o}')
            def __iter__(self): log(self.name, 'iter'); return iter([self.name] * 2)
            def __format__(self, spec): log(self.name, 'format', spec); return self.name
            def __repr__(self): return self.name
            def __call__(self, *args, **more): log(self.name, *map(str, args), *more); return self
        def n(name):
            log(name)
            return Noted(name)
        def pack(*args, **more):
            log(*map(str, args), *more)
        a, b = Noted('A'), Noted('B')
        n('a')[str(n('i'))] += n('b') + n('c')
        n('a').x[1] = b[str(n('k')):2] = n('v')
        (p, n('t')[str(n('u'))]), *n('w')[0:1] = [n('1'), n('2')], 3, 4
        pack(*n('x'), n('y'), *a, k=n('z'), **{str(n('q')): n('r')}, l=b.last)
        pack(*n('x'), k=n('y'))
        pack([*n('x'), n('y')], {**{'m': n('m')}, str(n('n')): n('o')})
        f'{n("f")} {a:{n("g")}} {n("h")!s}'
        for n('t')[str(n('s'))] in [1, n('2')]:
            pass
        with_ = [n('c') for c in n('d') if n('e')]
        return (n('l') + n('m') if a and n('o') else n('p')).name, len(with_)
    """,
    """
    def f():
        x = 1
        def change():
            nonlocal x
            x += 10
            return x
        a = x + change()
        b = [x, change(), x]
        x += change()
        c = (x, y := change(), y + x)
        d = x < change() < (x + change()) < change()
        g = len
        def swap():
            nonlocal g
            g = sum
            return [5]
        return a, b, c, d, g(swap()), x
    """,
    """
    def f():
        out = []
        n = 0
        while n * 2 < len(out) + 6:
            n = n + 1
            if n == 2:
                continue
            out.append(n * (n + 1))
        else:
            out.append('else')
        while len(out) < 100:
            out.append(1)
            if len(out) + 1 > 12:
                break
        else:
            out.append('not here')
        for k in range(len(out)):
            while out[k] == out[k - 1] + 1:
                break
            else:
                if k + 1 > 3:
                    break
        return out, k
    """,
    """
    def f():
        from contextlib import contextmanager
        @contextmanager
        def entered(name):
            log('in', name)
            yield [name]
            log('out', name)
        with entered(str(1) + '1') as a, entered(a[0] + '2') as (b,), entered(b) as a[0 + 0]:
            log(a, b)
        try:
            assert len([1]) + 1 == 3, str(1) + 'message'
        except AssertionError as error:
            log(error.args[0].upper())
        try:
            raise ValueError(str(2)) from KeyError(str(3))
        except (ValueError, *[KeyError]) as error:
            log(error, error.__cause__)
        try:
            missing(log('never'))
        except NameError as error:
            log(error)
        try:
            later + log('never')
        except NameError as error:
            log(error)
        later = a
        del later[len(a) - 1], b
        return later
    """,
    """
    def f():
        def numbers(k=len([1, 2]) + 1, *, l=max(1, 2) * 2):
            got = yield k + len(str(l))
            got = (yield got * 2) + (yield from iter([7]) )if got else 0
        g = numbers()
        out = [next(g), g.send(5)]
        def again(name, function):
            log(name)
            return function
        @functools.partial(again, *[str(1) + 'a'])
        def decorated(x): return x * (x + 1)
        class C(*[object]):
            y = len([1]) + 1
            def z(self): return self.y + len(str(self.y))
        match [1, decorated(len(out) + 1)]:
            case [a, b] if b > a + 1:
                out.append(a + b * 2)
        return out, C().z(), [lambda i=i + 1: i * (i + 1) for i in range(3)][1]()
    """,
]


def load(text, *, flat):
    filename = f"<three-address {hash(text)} {flat}>"
    tree = gast.parse(textwrap.dedent(text))
    text = unparse(to_anf(tree) if flat else tree)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    seen = []
    space = {
        "log": lambda *parts: seen.append(" ".join(map(str, parts))),
        "functools": functools,
        "__name__": "sample",
    }
    exec(compile(text, filename, "exec"), space)
    return space, seen


@pytest.mark.parametrize("text", PROGRAMS)
def test_order_of_evaluation_is_kept(text):
    outcomes = []
    for flat in (False, True):
        space, seen = load(text, flat=flat)
        try:
            outcome = repr(space["f"]())
        except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
            outcome = repr(error)
        outcomes.append((outcome, seen))
    assert outcomes[1] == outcomes[0]
    assert "Error" not in outcomes[0][0]


with open(samples.__file__) as file:
    SAMPLES = file.read()


@pytest.fixture(scope="module")
def modules():
    return [load(SAMPLES, flat=flat)[0] for flat in (False, True)]


@pytest.mark.parametrize("name", [function.__name__ for function in samples.CASES])
def test_samples_do_what_they_did(modules, name):
    for arguments in samples.CASES[getattr(samples, name)]:
        plain, flat = (_outcome(space, name, arguments) for space in modules)
        assert flat == plain


def _outcome(space, name, arguments):
    printed = []
    space["print"] = lambda *parts: printed.append(parts)
    own = [
        space["Box"](a.name, a=a.a) if isinstance(a, samples.Box) else copy.deepcopy(a)
        for a in arguments
    ]
    try:
        value = space[name](*own)
    except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
        value = (type(error), str(error))
    return _plain(value), _plain(printed)


def _plain(value):
    return re.sub("0x[0-9a-f]+", "0x", repr(value))


def flat_copy(module):
    """The module's source as another module, in three-address code."""
    with open(module.__file__, encoding="utf-8") as source:
        tree = to_anf(gast.parse(source.read()))
    made = types.ModuleType(module.__name__)
    made.__package__ = module.__package__
    exec(compile(unparse(tree), f"<flat {module.__name__}>", "exec"), made.__dict__)
    return made


def test_statistics_does_what_it_did():
    flat = flat_copy(statistics)
    data = [1.5, 2.5, 2.5, 2.75, 3.25, 4.75]
    for name in ("mean", "fmean", "median", "mode", "stdev", "pvariance", "geometric_mean"):
        assert getattr(flat, name)(data) == getattr(statistics, name)(data)
    assert flat.quantiles(data, n=4) == statistics.quantiles(data, n=4)
    assert flat.NormalDist(1, 2).cdf(1.5) == statistics.NormalDist(1, 2).cdf(1.5)


def test_fractions_do_what_they_did():
    one, two = flat_copy(fractions).Fraction, fractions.Fraction
    for a, b in [(1, 3), (-7, 5), (22, 8)]:
        flat, plain = one(a, b), two(a, b)
        assert str(flat * flat + 1 / flat) == str(plain * plain + 1 / plain)
        assert str(round(flat**3, 2)) == str(round(plain**3, 2))
        assert str(one(f"{a}/{b}").limit_denominator(4)) == str(plain.limit_denominator(4))


def test_heaps_and_bisection_do_what_they_did():
    heap, items = flat_copy(heapq), [5, 1, 4, 1, 5, 9, 2, 6]
    assert heap.nsmallest(3, items) == [1, 1, 2]
    assert list(heap.merge([1, 4], [2, 3], key=lambda x: x)) == [1, 2, 3, 4]
    found = flat_copy(bisect)
    assert found.bisect_left([1, 2, 2, 3], 2) == 1


def test_string_templates_do_what_they_did():
    flat = flat_copy(string)
    assert flat.Template("$a and ${b}").substitute(a=1, b=2) == "1 and 2"
    assert flat.Formatter().format("{0!r:>5}|{k[0]}", "x", k=[3]) == "  'x'|3"


@pytest.mark.parametrize("module", [statistics, fractions, heapq, string, textwrap, functools])
def test_operands_are_names_or_constants(module):
    with open(module.__file__, encoding="utf-8") as source:
        tree = to_anf(gast.parse(source.read()))
    for function in (n for n in gast.walk(tree) if isinstance(n, gast.FunctionDef)):
        for statement in gast.walk(gast.Module(body=function.body, type_ignores=[])):
            if isinstance(statement, gast.Assign | gast.Return | gast.Expr):
                check_operation(statement.value)


def check_operation(node):
    if isinstance(node, gast.BinOp):
        assert _is_atom(node.left) and _is_atom(node.right)
    elif isinstance(node, gast.Call):
        assert isinstance(node.func, gast.Name)
        assert all(isinstance(a, gast.Starred) or _is_atom(a) for a in node.args)
        assert all(_is_atom(k.value) for k in node.keywords)
    elif isinstance(node, gast.Attribute | gast.Subscript):
        assert _is_atom(node.value)


def _is_atom(node):
    if isinstance(node, gast.UnaryOp):
        node = node.operand
    return isinstance(node, gast.Name | gast.Constant)
