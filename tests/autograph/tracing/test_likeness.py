"""Objects made anew for each call: how often they are traced, and that each gets what is its own."""

import copy
import dataclasses
import enum
import functools
import gc
import weakref
from collections import deque, namedtuple
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import autograph as ag
from autograph.tracing import likening

X = np.arange(4.0)


class P:
    """An object of attributes."""

    def __init__(self, w=1.0, **more):
        self.w, self.n = np.full(4, float(w)), 2
        vars(self).update(more)

    def times(self, x):
        return x * self.w


class Q(P):
    def times(self, x):
        return x + self.w


class Slots:
    __slots__ = ("n", "w")

    def __init__(self, w):
        self.w, self.n = np.full(4, float(w)), 1


class Computed(P):
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.w + len(name)

    def __call__(self, x):
        return x * self.w + self.n

    def __str__(self):
        return f"P{self.n}"


@dataclasses.dataclass
class Data:
    w: np.ndarray
    n: float


Pair = namedtuple("Pair", "w n")
ONE = P(3)


def reads(p, x):
    return x * p.w + p.n


def writes(p, x):
    p.w = p.w + x
    p.n = p.n + 1
    return p.w.sum()


def writes_in_place(p, x):
    p.w[0] += x[1]
    return p.w + p.v


def stages_writes(p, x):
    for i in range(40):
        p.w = p.w * 0.5 + x
        p.n = p.n + i
    return p.w


def writes_by_branch(p, x):
    if x.sum() > p.n:
        p.w = p.w + 1
    else:
        p.v = x * 2
    return p.w + x


def walks(p, x):
    while p is not None:
        x = p.times(x)
        p = p.next
    return x


def layers(p, x):
    for layer in p.layers:
        layer.w = layer.w + 1
        x = layer.times(x)
    return x


def table(p, x):
    for one in p.table.values():
        x = one.times(x)
    return x + p.table["a"].n


def calls(f, x):
    return f(x) + 1


def call_all(fs, x):
    for f in fs:
        x = f(x)
    return x


def method(p, x):
    return p.times(x)


def keeps_history(p, x):
    p.seen.append(x.sum())
    p.last["k"], p.last["n"] = p.w, 5
    return x * p.w


def asks(p, x):
    return x + p.extra if hasattr(p, "extra") else x * getattr(p, "other", 2.0)


def may_be_none(p, x):
    return x if p.v is None else x * p.v


def raises(p, x):
    p.n = p.n + 1
    if x.sum() > p.limit:
        raise ValueError(f"above {p.limit}")
    p.n = p.n + 1
    return x


def writes_two(p, q, x):
    p.w = p.w + x
    q.w = q.w * 2
    return p.w + q.w, p is q


def writes_parts(p, x):
    return writes_two(p.a, p.b, x)


class Mode(enum.Enum):
    ADD = 1
    SCALE = 2


def by_mode(p, x):
    if p.mode is Mode(2):
        return x * p.w
    return x + p.w if {Mode.ADD: True}.get(p.mode) else x


def remembers(p, x):
    return x * remembered(p)


@functools.lru_cache
def remembered(p):
    return p.n


def of_parts(m, x):
    for key, part in sorted(vars(m).items()):
        if isinstance(part, P):
            x = part.times(x) + len(key)
    return x


def enters(p, x):
    with p:
        return x * p.w + p.n


class Manager(P):
    def __enter__(self):
        self.n = self.n + 1

    def __exit__(self, *error):
        self.n = self.n - 1


def tells(p, x):
    return p is ONE, p == ONE, x * p.w


def shows(p, x):
    return f"{p}", str([p]) == f"[{p!r}]", x * p.w


def finds(p, x):
    return p in HELD, x * p.w


def gives_back(p, x):
    p.w = p.w + x
    return p


def links(p, q, x):
    p.next = q
    return x * p.w


def multiplies(k, x, s=1.0):
    return x * k + s


def closure(k):
    return lambda x: x * k


def counting():
    n = 0

    def count(x):
        nonlocal n
        n += 1
        return x * n

    return count, lambda x: x + n


def two_of(k):
    return (lambda x: x * k), (lambda x: x + k)


def default(w):
    return lambda x, w=w: x * w


def chain(n):
    return functools.reduce(lambda rest, i: P(i + 1, next=rest), range(n), None)


def shared(i, **names):
    part = P(i)
    return P(i, a=part, b=part)


def same_arrays(i):
    p = P(i)
    p.v = p.w
    return p


HELD = [P(5), ONE]


def mixed():
    return [two_of(1.0)[0], two_of(2.0)[1]]


# The function, the arguments of each call, made for that, and the number of traces.
CALLS = {
    "read": (reads, [lambda i=i: (P(i), X) for i in range(4)], 1),
    "of a number that changes": (reads, [lambda i=i: (P(i, n=i * 0.5), X) for i in range(5)], 2),
    "of other dtypes": (reads, [lambda i=i: (P(n=[1, 1.0, True][i % 3]), X) for i in range(6)], 3),
    "with more attributes": (reads, [lambda i=i: (P(i, **{"abc"[i]: i}), X) for i in range(3)], 1),
    "of two classes": (method, [lambda i=i: ((P, Q)[i % 2](i), X) for i in range(6)], 2),
    "with __getattr__": (lambda p, x: x * p.foo, [lambda i=i: (Computed(i), X) for i in range(3)], 1),
    "with slots": (writes, [lambda i=i: (Slots(i), X) for i in range(3)], 3),
    "called": (calls, [lambda i=i: (Computed(i), X) for i in range(3)], 1),
    "dataclasses": (reads, [lambda i=i: (Data(X + i, float(i)), X) for i in range(3)], 1),
    "named tuples": (reads, [lambda i=i: (Pair(X + i, float(i)), X) for i in range(3)], 1),
    "written": (writes, [lambda i=i: (P(i), X) for i in range(3)], 1),
    "written numbers": (writes, [lambda i=i: (P(i, n=i), X) for i in range(4)], 2),
    "large numbers": (writes, [lambda i=i: (P(i, n=2 ** (61 + i)), X) for i in range(4)], 4),
    "written in a loop": (stages_writes, [lambda i=i: (P(i), X) for i in range(3)], 1),
    "written in a branch": (writes_by_branch, [lambda i=i: (P(i, n=i * 3), X) for i in range(4)], 2),
    "arrays written in place": (
        writes_in_place,
        [lambda: (P(1, v=X + 1), X), lambda: (same_arrays(1), X), lambda: (P(2, v=X + 2), X),
         lambda: (same_arrays(4), X)],
        2,
    ),
    "layers": (layers, [lambda i=i: (P(layers=[P(i), Q(2)]), X) for i in range(3)], 1),
    "layers in another order": (
        layers, [lambda i=i: (P(layers=[P(3), Q(2)][:: 1 - 2 * (i % 2)]), X) for i in range(4)], 2
    ),
    "one layer twice": (
        layers, [lambda i=i: (P(layers=[P(i), P(2)] if i % 2 else [P(i)] * 2), X) for i in range(4)], 2
    ),
    "a list of layers": (call_all, [lambda i=i: ([Computed(i), Computed(2)], X) for i in range(3)], 1),
    "a dict of objects": (table, [lambda i=i: (P(table={"a": P(i), "b": Q(2)}), X) for i in range(3)], 1),
    "a dict in another order": (
        table, [lambda i=i: (P(table={k: P(i) for k in ("ab", "ba")[i % 2]}), X) for i in range(4)], 2
    ),
    "a chain": (walks, [lambda n=n: (chain(n), X) for n in (2, 2, 3, 3, 2)], 2),
    "histories": (keeps_history, [lambda i=i: (P(i, seen=[X] * i, last={"n": 5, "k": 0}), X) for i in range(4)], 1),
    "small numbers put again": (
        keeps_history, [lambda i=i: (P(i, seen=[], last={"n": i, "k": 0}), X) for i in (5, 6, 5)], 2
    ),
    "attributes that are there or not": (
        asks, [lambda i=i: (P(**[{}, {"extra": 3.0 + i}, {"other": X}][i % 3]), X) for i in range(9)], 4
    ),
    "None or an array": (may_be_none, [lambda i=i: (P(v=[None, X + i][i % 2]), X) for i in range(4)], 2),
    "errors": (raises, [lambda i=i: (P(i, limit=i * 3.0), X) for i in range(4)], 2),
    "a method of their own": (
        method,
        [lambda i=i: (P(i, **({"times": lambda x: x - 1} if i % 2 else {})), X) for i in range(4)],
        2,
    ),
    "one object twice": (
        writes_two, [lambda i=i: (P(i), P(2), X) if i % 2 else (*[P(i)] * 2, X) for i in range(4)], 2
    ),
    "one part twice": (
        writes_parts,
        [lambda i=i: (P(a=P(i), b=P(2)) if i % 2 else shared(i), X) for i in range(4)],
        2,
    ),
    "the one that is held": (tells, [lambda i=i: ([ONE, P(i)][i % 2], X) for i in range(4)], 2),
    "in a list": (finds, [lambda i=i: ([HELD[0], P(i)][i % 2], X) for i in range(4)], 2),
    "shown by a method": (lambda p, x: (f"{p}", x), [lambda i=i: (Computed(n=i), X) for i in range(4)], 2),
    "members of enums": (by_mode, [lambda i=i: (P(i, mode=[*Mode][i % 2]), X) for i in range(6)], 2),
    "remembered": (remembers, [lambda i=i: (P(n=i), X) for i in range(3)], 3),
    "gone through by name": (of_parts, [lambda i=i: (P(a=P(i), bc=Q(2)), X) for i in range(3)], None),
    "entered": (enters, [lambda i=i: (Manager(i), X) for i in range(3)], None),
    "given back": (gives_back, [lambda i=i: (P(i), X) for i in range(3)], 1),
    "linked": (links, [lambda i=i: (P(i), P(2), X) for i in range(3)], 3),
    "lambdas": (calls, [lambda: (lambda x: x * 2, X)] * 3, 1),
    "two lambdas": (calls, [lambda i=i: ([lambda x: x * 2, lambda x: x][i % 2], X) for i in range(4)], 2),
    "closures": (calls, [lambda i=i: (closure(float(i)), X) for i in range(4)], 2),
    "closures over arrays": (calls, [lambda i=i: (closure(X + i), X) for i in range(3)], 1),
    "closures that share": (
        call_all, [lambda i=i: ([*two_of(i * 1.0)] if i % 2 else mixed(), X) for i in range(6)], 3
    ),
    "closures that count": (call_all, [lambda: ([*counting()], X)] * 3, 3),
    "defaults": (calls, [lambda w=w: (default(w), X) for w in (1.0, 1.0, 2.0, 1.0)], 2),
    "bound methods": (calls, [lambda i=i: ((P, Q)[i % 2](i).times, X) for i in range(4)], 2),
    "numbers of defaults": (calls, [lambda w=w: (default(w), X) for w in (1.0, 2.0, 3.0, 4.0)], 2),
    "partial functions": (
        calls,
        [lambda s=s: (functools.partial(multiplies, 2.0, s=s), X) for s in (1.0, 1.0, 3.0, 4.0)],
        2,
    ),
    "partial functions of arrays": (
        calls, [lambda k=k: (functools.partial(multiplies, X + k), X) for k in range(3)], 1
    ),
    "partial functions of partial functions": (
        calls,
        [lambda k=k: (functools.partial(functools.partial(multiplies, X + k), s=2.0), X) for k in range(3)],
        1,
    ),
}  # fmt: skip


def outcome(function, args):
    """What a call gives and leaves in its arguments."""
    own = {id(thing): i for i, thing in enumerate(args)}
    try:
        found = function(*args)
    except ValueError as error:
        return repr(error), told(args, own)
    return told(found, own), told(args, own)


def told(thing, own):
    if isinstance(thing, (tuple, list)):
        return [told(part, own) for part in thing]
    if isinstance(thing, np.ndarray):
        return thing.dtype, thing.tolist()
    if isinstance(thing, P) and id(thing) in own:
        fields = sorted(vars(thing).items())
        rest = {k: v for k, v in own.items() if k != id(thing)}
        return own[id(thing)], [(name, told(part, rest)) for name, part in fields]
    if isinstance(thing, dict):
        return [(key, told(part, own)) for key, part in thing.items()]
    if isinstance(thing, P | Slots):
        return type(thing), told(thing.w, own), repr(thing.n)
    return type(thing) if callable(thing) else (type(thing), repr(thing))


@pytest.mark.parametrize(("function", "makers", "count"), CALLS.values(), ids=CALLS)
def test_each_call_is_of_its_own_objects(function, makers, count):
    f = ag.convert(function)
    for make in makers:
        assert outcome(f, make()) == outcome(function, make())
    assert f.trace_count == count or count is None


def test_text_of_an_object_is_of_that_object():
    f = ag.convert(shows)
    for i in range(3):
        p = P(i)
        text, is_alike, _ = f(p, X)
        assert text == repr(p)
        assert is_alike


@pytest.mark.parametrize("read", ["attribute", "item", "cell", "global"])
def test_what_replaces_a_captured_object_is_not_traced(read, monkeypatch):
    box, items = P(), [None]

    def around(p):
        def by_cell(x):
            p.w = p.w + 1
            return p.times(x)

        return by_cell

    def by_attribute(x):
        box.p.w = box.p.w + 1
        return box.p.times(x)

    def by_item(x):
        items[0].w = items[0].w + 1
        return items[0].times(x)

    def by_global(x):
        ONE.w = ONE.w + 1
        return ONE.times(x)

    by_cell = around(P())
    f = ag.convert(
        {"attribute": by_attribute, "item": by_item, "cell": by_cell, "global": by_global}[read]
    )
    for i in range(4):
        p = box.p = items[0] = by_cell.__closure__[0].cell_contents = P(i)
        monkeypatch.setitem(globals(), "ONE", p)
        np.testing.assert_array_equal(f(X), X * (i + 1))
        np.testing.assert_array_equal(p.w, np.full(4, i + 1.0))
    assert f.trace_count == 1


def test_lists_of_two_states():
    box = P()
    f = ag.convert(lambda x: [x * k for k in box.items])
    for i in range(6):
        box.items = [[1.0, 2.0], [3.0]][i % 2].copy()
        np.testing.assert_array_equal(f(X), [X * k for k in box.items])
    assert f.trace_count == 2


def test_nothing_of_the_calls_is_kept_alive():
    f = ag.convert(lambda p, g, x: g(x) + p.times(x) + p.layers[0].w)
    seen = []
    for i in range(4):
        p, w = P(i, layers=[P(i)]), X + i
        seen += [weakref.ref(thing) for thing in (p, p.layers[0], w)]
        f(p, closure(w), X)
    assert f.trace_count == 1
    del p, w
    gc.collect()
    assert not any(reference() for reference in seen[3:])


@pytest.mark.parametrize(("most", "count"), [(50, 1), (5, 3)])
def test_a_graph_that_holds_too_much_to_look_at_serves_its_own_objects(most, count, monkeypatch):
    monkeypatch.setattr(likening, "_MOST_HELD", most)
    kept = [X]

    def keeps(p, x):
        kept[0] = x
        p.w = p.w + x
        return p.w * p.n

    f = ag.convert(keeps)
    for i in range(3):
        np.testing.assert_array_equal(f(P(i), X), (X + i) * 2)
    assert f.trace_count == count


MANY = [[[]] for _ in range(1000)]


def test_what_a_module_holds_is_not_held_by_a_graph_that_writes_a_name(monkeypatch):
    seen = []
    counted = SimpleNamespace(get_referents=lambda x: seen.append(x) or gc.get_referents(x))
    monkeypatch.setattr(likening, "gc", counted)
    one, other = counting()
    np.testing.assert_array_equal(ag.convert(call_all)([one, other], X), X + 1)
    assert 0 < len(seen) < len(MANY)


def test_threads_write_into_their_own_objects():
    f = ag.convert(stages_writes)
    f(P(0), X)

    def play(i):
        made = [P(i, n=2) for _ in range(50)]
        return [(f(p, X)[1], p.w[1], p.n) for p in made]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(play, range(8)))
    for i, each in enumerate(found):
        p = P(i, n=2)
        assert set(each) == {(stages_writes(p, X)[1], p.w[1], p.n)}
    assert f.trace_count == 1


def test_gradients_are_of_the_objects_of_the_call():
    f = ag.convert(lambda p, x: (x * p.w).sum())
    for i in range(3):
        p = P(i)
        p.w = ag.constant(p.w)
        with ag.GradientTape() as tape:
            tape.watch(p.w)
            y = f(p, X)
        np.testing.assert_array_equal(tape.gradient(y, p.w), X)
    assert f.trace_count == 1


def test_an_item_that_is_put_again_is_put_where_another_one_was():
    row, names = [5, 1], {"a": 5, "b": 1}

    @ag.convert
    def f(x):
        row[0] = row[-1] = 5
        names["a"] = 5
        names.update(b=1)
        return x

    for _ in range(3):
        f(X)
        assert (row, names) == ([5, 5], {"a": 5, "b": 1})
        row[:], names["a"], names["b"] = [7, 8], 7, 8


class Chain:
    def __init__(self, number):
        self.x, self.items, self.names = np.zeros(4) + number, [], {"a": number}

    def add(self, x):
        self.x = self.x + x
        return self


def gives_itself(chain, x):
    return chain.add(x).add(x)


def gives_itself_in_a_nest(chain, x):
    return {"chain": chain.add(x), "both": (chain, chain.x)}


def gives_its_list(chain, x):
    chain.items.append(float(x[0]))
    return chain.items, chain.names


def gives_a_list_that_grows_by_data(chain, x):
    for v in x:
        if v > 0:
            chain.items.append(float(v))
    return chain.items


@pytest.mark.parametrize(
    "function",
    [gives_itself, gives_itself_in_a_nest, gives_its_list, gives_a_list_that_grows_by_data],
)
def test_what_is_given_back_is_of_the_objects_of_the_call(function):
    f = ag.convert(function)
    for number in range(3):
        chain, plain = Chain(number / 2), Chain(number / 2)
        found, expected = f(chain, X), function(plain, X)
        pairs = {id(plain): chain, id(plain.items): chain.items, id(plain.names): chain.names}
        leaves = (found, expected), *zip(_parts(found), _parts(expected), strict=True)
        for one, other in leaves:
            assert one is pairs[id(other)] if id(other) in pairs else type(one) is type(other)
        assert repr(vars(chain)) == repr(vars(plain))
    assert f.trace_count == 1


def _parts(x):
    if isinstance(x, dict):
        x = tuple(x.values())
    return [y for part in x for y in (part, *_parts(part))] if isinstance(x, tuple) else []


def test_what_is_given_back_from_outside_is_itself():
    own, rows = Chain(1), [1.0]

    def function(chain, x):
        rows.append(float(x[0]))
        return own, rows, chain

    f = ag.convert(function)
    for number in range(3):
        chain = Chain(number)
        found = f(chain, X)
        assert found[0] is own and found[1] is rows and found[2] is chain
    assert len(rows) == 4


def draws(p, x):
    total = x.sum()
    for _ in range(3):
        total = total * 0.5 + p.one.uniform() - p.other.normal()
    return total


def test_other_generators_draw_their_own_numbers():
    def two(i):
        return P(i, one=ag.random.Generator(i), other=ag.random.Generator(i + 1))

    def one(i):
        given = ag.random.Generator(i)
        return P(i, one=given, other=given)

    function = ag.convert(draws)
    for made, count in ((two, 1), (one, 2)):
        for i in range(4):
            given, plain = made(i), made(i)
            for _ in range(2):
                assert np.isclose(function(given, X).numpy(), float(draws(plain, X)), rtol=1e-12)
            assert given.one.state.numpy().tolist() == plain.one.state.numpy().tolist()
            assert given.other.state.numpy().tolist() == plain.other.state.numpy().tolist()
        assert function.trace_count == count
    kept = two(9)
    alone = weakref.ref(kept)
    function(kept, X)
    del kept
    gc.collect()
    assert alone() is None


# Each writes into the container of its call, or reads it, in its order.
WITH_SETS = {
    "unread": lambda s, x: x * 2,
    "asked": lambda s, x: x * len(s) if 3 in s else x,
    "in order": lambda s, x: [x * v for v in s],
    "written": lambda s, x: (s.add(7), s.discard(1), x + len(s))[2],
    "two names": lambda s, x: (s.update(s | {9}), x)[1],
}
WITH_DEQUES = {
    "in order": lambda d, x: [x * v for v in d],
    "written": lambda d, x: (d.append(7), d.rotate(1), x * d[0])[2],
    "set": lambda d, x: (d.__setitem__(0, 5), x * d[0])[1],
    "of a length": lambda d, x: (d.extend([4, 5]), x * len(d), d.maxlen)[1:],
}
SETS = [{1, 3}, {3, 1}, {1, 3}, {8, 0}, {0, 8}, {1.0, 3}, {True, 3}, set(), {"a"}, {1, 3}]
DEQUES = [deque(x, n) for x, n in (([1, 2], None), ([1, 2], 2), ([1, 2], None), ([2, 1], None),
                                   ([1.0, 2], None), ([1, 2], 2))]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "made"),
    [(f, SETS) for f in WITH_SETS.values()] + [(f, DEQUES) for f in WITH_DEQUES.values()],
    ids=[*(f"set {name}" for name in WITH_SETS), *(f"deque {name}" for name in WITH_DEQUES)],
)
def test_sets_and_deques_of_each_call(f, made):
    function = ag.convert(f)
    for one in [x for x in made if all(type(v) is not str for v in x) or f is WITH_SETS["unread"]]:
        ours, plain = copy.copy(one), copy.copy(one)
        outcomes = []
        for run, given in ((function, ours), (f, plain)):
            outcomes.append((repr(run(given, X)), given, [*map(type, given)]))
        assert outcomes[0] == outcomes[1]
    count = function.trace_count
    for one in made[:3]:  # of these there are traces
        for _ in range(2):
            given = copy.copy(one)
            function(given, X)
    assert function.trace_count == count <= 8
    first = copy.copy(made[0])
    alone = weakref.ref(first)
    function(first, X)
    del first
    gc.collect()
    assert alone() is None


def test_a_set_in_two_places_is_another_trace_than_two_sets():
    def moved(a, b, x):
        a.add(5)
        return x * len(b)

    function = ag.convert(moved)
    for _ in range(2):
        one, two = {1}, {1}
        assert function(one, two, X).tolist() == X.tolist() and (one, two) == ({1, 5}, {1})
        assert function(one, one, X).tolist() == (2 * X).tolist() and one == {1, 5}
