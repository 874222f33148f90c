"""Objects, lists and dicts that data chooses between and that are written: the very one is."""

import copy
import dataclasses

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check

RNG = np.random.default_rng(17)
FEW = [(RNG.random(6),) for _ in range(4)]
# More rounds than are repeated: the loop is staged.
MANY = [(RNG.random(40),) for _ in range(3)]
samples = Samples()


class Account:
    """A running count and sum, with a log of the larger values."""

    def __init__(self, name="a"):
        self.name, self.count, self.total, self.log = name, 0, 0.0, []

    def add(self, v):
        self.count += 1
        self.total += float(v)
        if v > 0.5:
            self.log.append(float(v))

    @property
    def mean(self):
        return self.total / self.count if self.count else 0.0

    def __repr__(self):
        return f"Account({self.name}, {self.count}, {self.total:.3f})"


@dataclasses.dataclass
class Point:
    x: float = 0.0
    hits: int = 0


class Pair:
    """Two numbers, with operators of its own."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Pair(self.x + other.x, self.y + other.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __mul__(self, k):
        return Pair(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Pair) and self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return self.x < other.x

    def __neg__(self):
        return Pair(-self.x, -self.y)

    def __bool__(self):
        return self.x > 0.5

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __setitem__(self, k, v):
        if k == 0:
            self.x = v
        else:
            self.y = v

    def __contains__(self, v):
        return v == self.x

    def __iter__(self):
        yield self.x
        yield self.y

    def scale(self, k):
        self.x *= k
        self.y *= k
        return self

    def __str__(self):
        return f"<{self.x:.2f},{self.y:.2f}>"


class Switch:
    """What is called is written, too."""

    def __init__(self, at):
        self.at = at

    def __call__(self, by):
        self.at += by
        return self.at


class Node:
    def __init__(self, v):
        self.v, self.next, self.seen = v, None, 0


class Tree:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right, self.seen = v, left, right, 0


def pairs(x):
    return [Pair(float(x[i]), float(i)) for i in range(3)]


def content(things):
    return [(t.x, t.y) for t in things]


def points(x):
    return [Point(float(v)) for v in x[:3]]


def fields(things):
    return [(t.x, t.hits) for t in things]


# ---- chosen by an index, a key, a condition ------------------------------------------------------


@samples("E2", *MANY, joined=True)
def records_by_an_index(x):
    records = [{"n": 0, "s": 0.0} for _ in range(3)]
    for v in x:
        record = records[int(v * 3)]
        record["n"] += 1
        record["s"] += float(v)
    return records


@samples("E2", *MANY, joined=True)
def methods_of_one_of_several(x):
    accounts = [Account() for _ in range(3)]
    for v in x:
        accounts[int(v * 3)].add(v)
    return [(a.count, a.total, a.log, a.mean) for a in accounts]


@samples("E2", *FEW, joined=True)
def one_or_the_other(x):
    a, b = Account("a"), Account("b")
    r = a if x[0] > 0.5 else b
    r.add(x[1])
    r.count += 5
    return a.count, b.count, a.total, b.total, r.count, r.name, f"{r.name}", str(r), f"{r!r:>30}"


@samples("E2", *MANY, joined=True)
def by_a_text(x):
    d = {"low": Point(), "high": Point()}
    for v in x:
        k = "high" if v > 0.5 else "low"
        d[k].hits += 1
        d[k].x = max(d[k].x, float(v))
    return [(k, p.x, p.hits) for k, p in d.items()]


@samples("E2", *MANY, joined=True)
def by_a_tuple(x):
    d = {(0, 0): Point(), (0, 1): Point(), (1, 0): Point(), (1, 1): Point()}
    for i in range(5):
        d[int(x[i] * 2), int(x[i + 1] * 2)].hits += 1
    return [p.hits for p in d.values()]


@samples("E2", *FEW, joined=True)
def the_best_one(x):
    ps = points(x)
    best = ps[0]
    for p in ps[1:]:
        if p.x > best.x:
            best = p
    best.hits += 1
    return fields(ps), best.x


@samples("E2", *FEW, joined=True)
def the_best_one_or_none(x):
    ps = points(x)
    best = None
    for p in ps:
        if p.x > 0.3 and (best is None or p.x > best.x):
            best = p
    if best is not None:
        best.hits += 1
    return fields(ps)


@samples("E2", *FEW, joined=True)
def the_least_one_again_and_again(x):
    ps = points(x)
    for v in x:
        p = min(ps, key=lambda p: p.x)
        p.x += float(v)
        p.hits += 1
    return fields(ps)


@samples("E2", *FEW, joined=True)
def the_first_after_a_sort(x):
    ps = points(x)
    ps.sort(key=lambda p: p.x)
    ps[0].hits, ps[-1].hits = 1, 2
    sorted(ps, key=lambda p: -p.x)[0].x = 100.0
    return fields(ps)


@samples("E2", *FEW, joined=True)
def out_of_a_list_of_lists(x):
    cells = [[Point() for _ in range(2)] for _ in range(2)]
    for i in range(5):
        cells[int(x[i] * 2)][int(x[i + 1] * 2)].hits += 1
    return [[c.hits for c in row] for row in cells]


@samples("E2", *MANY, joined=True)
def nests(x):
    groups = {"a": {"n": 0, "v": []}, "b": {"n": 0, "v": []}}
    for v in x:
        k = "a" if v > 0.5 else "b"
        groups[k]["n"] += 1
        groups[k]["v"].append(float(v))
    return groups


@samples("E2", *MANY, joined=True)
def lists_by_a_condition(x):
    a, b = [1.0], [2.0]
    for v in x:
        one = a if v > 0.5 else b
        one.append(float(v))
    return a, b, max(a), len(b)


@samples("E2", *MANY, joined=True)
def states_of_a_machine(x):
    states = {"idle": {"go": "run", "n": 0}, "run": {"go": "idle", "n": 0}}
    now = "idle"
    for v in x:
        states[now]["n"] += 1
        if v > 0.5:
            now = states[now]["go"]
    return states["idle"]["n"], states["run"]["n"], now


# ---- what leads to others ------------------------------------------------------------------------


@samples("E2", *FEW, joined=True)
def round_a_ring(x):
    nodes = [Node(float(v)) for v in x[:4]]
    for a, b in zip(nodes, nodes[1:], strict=False):
        a.next = b
    nodes[-1].next = nodes[0]
    now, k = nodes[0], 0
    while now.v < 0.9 and k < 7:
        now.seen += 1
        now = now.next
        k += 1
    return [n.seen for n in nodes], k


@samples("E2", *MANY, joined=True)
def down_a_tree(x):
    root = Tree(0.5, Tree(0.25), Tree(0.75, Tree(0.6), Tree(0.9)))
    for v in x:
        node = root
        while node is not None:
            node.seen += 1
            node = node.left if v < node.v else node.right
    return root.seen, root.left.seen, root.right.seen, root.right.left.seen, root.right.right.seen


@samples("E2", *MANY, joined=True)
def whose_turn_it_is(x):
    class Game:
        def __init__(self):
            self.players, self.turn = [Point(1.0), Point(2.0)], 0

        def player(self):
            return self.players[self.turn]

        def step(self, v):
            p = self.player()
            p.x += v
            p.hits += 1
            self.turn = 1 - self.turn if v > 0.5 else self.turn

    game = Game()
    for v in x:
        game.step(float(v))
    return fields(game.players), game.turn


# ---- several names of one ------------------------------------------------------------------------


@samples("E2", *((np.int64(i), np.int64(j), 5.0) for i, j in [(0, 1), (1, 1), (2, 0)]), joined=True)
def two_indices(i, j, amount):
    accounts = [Point(10.0), Point(20.0), Point(30.0)]
    a, b = accounts[i], accounts[j]
    a.x -= amount
    b.x += amount
    if a is b:
        a.hits = 99
    return fields(accounts), a.x, b.x, b.hits


@samples("E2", *FEW, joined=True)
def one_of_one_of_several(x):
    a, b, c = Point(1.0), Point(2.0), Point(3.0)
    t = a if x[0] > 0.5 else b
    u = t if x[1] > 0.5 else c
    u.x += 10
    t.x += 100
    b.x *= 2
    return fields([a, b, c, t, u]), t is u, u is c


@samples("E2", *FEW, joined=True)
def given_to_a_function_and_back(x):
    ps = points(x)

    def touch(p, k):
        p.hits += k
        return p if k > 1 else ps[0]

    q = touch(ps[int(x[0] * 3)], 2)
    touch(q, 1).x = 0.0
    return fields(ps), q.__class__ is Point, type(q).__name__, isinstance(q, Point)


@samples("E2", *FEW, joined=True)
def told_by_identity(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    p.hits = 1
    return ps.index(p), p in ps, [q is p for q in ps], p is not ps[0], ps.count(p)


@samples("E2", *FEW, joined=True)
def written_before_an_error(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    try:
        p.hits = 5
        if x[1] > 0.5:
            raise ValueError(f"bad {p.hits}")
        p.x = -1.0
    except ValueError as error:
        p.hits += 100
        text = str(error)
    else:
        text = ""
    return fields(ps), text


@samples("E2", *FEW, joined=True)
def chosen_within_a_try(x):
    a, b = Point(1.0), Point(2.0)
    p = a
    try:
        if x[0] > 0.5:
            p = b
        if x[1] > 0.5:
            raise ValueError
        p.hits += 1
    except ValueError:
        p.hits += 10
    p.x += 5.0
    return fields([a, b])


@samples("E2", *FEW, joined=True)
def made_on_a_path(x):
    older = [1.0, 2.0]
    a = older if x[0] > 0.5 else [x[1], 0.0, 7.0]
    a[0] = 9.0
    a.append(3.0)
    return a[0] + older[0], len(a), len(older), sum(a)


@samples("E2", *MANY, joined=True)
def made_anew_in_a_loop(x):
    p = Point()
    for v in x:
        if v > 0.5:
            p = Point(1.0)
        p.hits += 1
    return p.hits, p.x


@samples("E2", *MANY, joined=True)
def as_often_as_a_break_lets_it(x):
    a, b = Point(), Point()
    i = 0
    while i < 4:
        now = a if x[i] > 0.5 else b
        if now.hits > 1:
            break
        now.hits += 1
        i += 1
    return i, fields([a, b]), now.hits


# ---- what is asked of it, and done to it ---------------------------------------------------------


@samples("E2", *FEW, joined=True)
def operators_in_place(x):
    ps = pairs(x)
    p = ps[int(x[0] * 3)]
    p += Pair(1.0, 2.0)
    return content(ps), (p.x, p.y)


@samples("E2", *FEW, joined=True)
def operators_that_make_others(x):
    ps = pairs(x)
    p = ps[int(x[0] * 3)]
    p.x += 1
    return content(ps), content([p + p, 2 * p, -p, p * 3])


@samples("E2", *FEW, joined=True)
def own_special_methods(x):
    ps = pairs(x)
    p = ps[int(x[0] * 3)]
    p[0] = 5.0
    p[1] += 2
    answers = 5.0 in p, len(p), list(p), [*p], bool(p), p == ps[1], p != ps[2], p < ps[0]
    return content(ps), p[0], answers


@samples("E2", *FEW, joined=True)
def gone_through(x):
    ps = pairs(x)
    p = ps[int(x[0] * 3)]
    p.x = 7.0
    a, b = p
    total = 0
    for q in p:
        total += q
    return a, b, total, sum(q * 2 for q in p), max(p), sorted(p), tuple(p)


@samples("E2", *FEW, joined=True)
def text_of_it(x):
    ps = pairs(x)
    p = ps[int(x[0] * 3)].scale(2).scale(3)
    kind = 1 if p else 2
    print(p, kind)
    return content(ps), str(p), f"{p}|{p!s:>14}"


@samples("E2", *FEW, joined=True)
def called(x):
    a, b = Switch(1.0), Switch(2.0)
    one = a if x[0] > 0.5 else b
    return one(3.0), one(x[1]), a.at, b.at


@samples("E2", *FEW, joined=True)
def copies(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    p.hits = 3
    other, deep = copy.copy(p), copy.deepcopy(p)
    other.x, deep.hits = 9.0, 7
    replaced = dataclasses.replace(p, x=1.0)
    replaced.hits += 1
    return fields([*ps, other, deep, replaced])


@samples("E2", *FEW, joined=True)
def the_library_asks_it(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    p.hits = 3
    return dataclasses.asdict(p), dataclasses.astuple(p), vars(p), p == ps[1], p == Point(0.5, 3)


@samples("E2", *FEW, joined=True)
def attributes_by_name(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    p.hits = 1
    setattr(p, "x", 3.0)  # noqa: B010
    p.new = 4
    found = getattr(p, "hits"), hasattr(p, "other"), getattr(p, "other", -1)  # noqa: B009
    del p.new
    return fields(ps), found, [hasattr(q, "new") for q in ps]


@samples("E2", *FEW, joined=True)
def methods_of_lists(x):
    lists = {"a": [1.0], "b": [2.0, 3.0]}
    items = lists["a"] if x[0] > 0.5 else lists["b"]
    items.append(9.0)
    items[0] = -1.0
    items += [4.0]
    items.extend([5.0])
    items.insert(0, 7.0)
    last = items.pop()
    del items[0]
    items.sort()
    asked = 9.0 in items, items.index(9.0), items[-1], items == lists["a"], max(items), len(items)
    return lists, last, asked, [v for v in items], items[:2], items + [1], list(reversed(items))


@samples("E2", *FEW, joined=True)
def methods_of_dicts(x):
    dicts = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    d = dicts[int(x[0] * 2)]
    d["a"] += 10
    d.update(b=1)
    total = 0
    for k, v in d.items():
        total += v * (2 if k == "a" else 3)
    values = d.values()
    d["b"] = 50
    asked = len(d), "b" in d, d.get("b", -1), d == dicts[0]
    return dicts, asked, total, list(d), sorted(d.items()), sum(values), [k for k in d.keys()]


@samples("E2", *FEW, joined=True)
def arrays_in_it(x):
    arrays = [np.zeros(2), np.ones(2)]
    ps = [Point(a) for a in arrays]
    for i in range(6):
        p = ps[int(x[i] * 2)]
        p.x[i % 2] += x[i]
        p.hits += 1
    return arrays, [p.hits for p in ps]


@samples("E2", *FEW, joined=True)
def classes_of_one_family(x):
    class First:
        kind = "first"

        def __init__(self):
            self.w = np.zeros(2)

        def hit(self, v):
            self.w += v

    class Second(First):
        kind = "second"

        def hit(self, v):
            super().hit(v * 2)
            self.w[0] = -1

    both = [First(), Second()]
    for v in x:
        one = both[int(v * 2)]
        one.hit(v)
        one.w = one.w * 2
    return [q.w for q in both], both[int(x[0] * 2)].kind


# ---- results and what is stored ------------------------------------------------------------------


@samples("E2", *FEW, joined=True)
def one_beside_all(x):
    ps = points(x)
    p = ps[int(x[0] * 3)]
    p.hits = 1
    return ps, p


@samples("E2", *FEW, joined=True)
def a_list_and_one_of_two(x):
    a, b = [x[1], 1.0], [x[2], 2.0]
    one = a if x[0] > 0.5 else b
    one.append(3.0)
    return {"one": one, "again": one}, a


@samples("E2", *FEW, joined=True)
def one_of_two_without_a_write(x):
    a, b = [x[1], 1.0], [x[2], 2.0]
    return a if x[0] > 0.5 else b, a


@samples("E2", *FEW, joined=True)
def rows_that_are_exchanged(x):
    rows = [[float(v), float(k)] for k, v in enumerate(x[:4])]
    for i in range(3):
        for j in range(3 - i):
            if rows[j][0] > rows[j + 1][0]:
                rows[j], rows[j + 1] = rows[j + 1], rows[j]
    rows[0].append(9.0)
    return rows


@samples("E2", *((RNG.random((3, 3)),) for _ in range(3)), joined=True, tolerance=1e-12)
def elimination_with_lists(matrix):
    m = [list(row) for row in matrix]
    for i in range(3):
        p = i
        for j in range(i, 3):
            if abs(m[j][i]) > abs(m[p][i]):
                p = j
        m[i], m[p] = m[p], m[i]
        for j in range(i + 1, 3):
            f = m[j][i] / m[i][i]
            for k in range(i, 3):
                m[j][k] -= f * m[i][k]
    return m


@samples("E2", *FEW, joined=True)
def dicts_of_other_keys(x):
    t = {"a": x[0]}
    if x[1] > 0.5:
        t = {"b": x[1], "c": 1.0}
    return t


@samples("E2", *((d, np.float64(x)) for x in (2.0, -1.0) for d in [{"a": [1.0], "b": [2.0]}]),
         joined=True)  # fmt: skip
def into_a_dict_of_the_callers(d, x):
    d["best"] = d["a"] if x > 0 else d["b"]
    d["best"].append(1.0)
    return d["best"] is d["a"]


test_the_very_one_is_written = samples.test()


# ---- others than those of the function -----------------------------------------------------------


class Shelf:
    def __init__(self):
        self.items, self.now = [Point(1.0), Point(2.0)], None


def on_a_shelf(shelf, x):
    p = shelf.items[0] if x > 0 else shelf.items[1]
    p.x += 1
    shelf.now = p
    return p


def test_an_object_from_outside_is_the_result_itself():
    shelf, plain = Shelf(), Shelf()
    convert = ag.convert(lambda x: on_a_shelf(shelf, x))
    for x in (2.0, -1.0, 3.0):
        found = convert(np.float64(x))
        on_a_shelf(plain, x)
        assert found is shelf.items[x <= 0] and shelf.now is found
        assert fields(shelf.items) == fields(plain.items)


def test_what_is_stored_is_the_very_one():
    shelf, plain = Shelf(), Shelf()

    def store(shelf, x):
        a, b = [x, 1.0], [x, 2.0]
        shelf.now = a if x > 0 else b
        shelf.now.append(x)
        shelf.first = a
        return x

    convert = ag.convert(lambda x: store(shelf, x))
    for x in (2.0, -1.0):
        convert(np.float64(x))
        store(plain, x)
        assert (shelf.now, shelf.first) == (plain.now, plain.first)
        assert (shelf.now is shelf.first) is (plain.now is plain.first)


def test_a_choice_in_the_result_is_refused_where_it_is_saved(tmp_path):
    converted = ag.convert(one_beside_all)
    converted(*FEW[0])
    with pytest.raises(ag.UnsavableError, match="in the result is a list or object that is one or"):
        ag.save(converted, tmp_path / "file")


def test_the_callers_lists_are_written():
    def add(a, b, x):
        one = a if x > 0 else b
        one.append(float(x))
        return len(one), one

    check(add, *(([1.0], [2.0, 3.0], np.float64(x)) for x in (2.0, -1.0)), joined=True)


def through_one_of_two(w):
    ps = [Point(1.0), Point(2.0)]
    p = ps[0] if w[0] > 0.5 else ps[1]
    p.x = p.x * w[1] + w[2]
    q = ps[int(w[1] * 2)]
    q.x *= w[0]
    return ps[0].x * 2 + ps[1].x * 3


@pytest.mark.parametrize("w", [case[0][:3] for case in FEW])
def test_gradients_go_through_the_very_one(w):
    found = ag.grad(ag.convert(through_one_of_two))(w)
    steps = 1e-6 * np.eye(3)
    expected = [(through_one_of_two(w + s) - through_one_of_two(w - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def left_by_a_try(x):
    older = [1.0]
    a = older
    try:
        if x[0] > 0.5:
            a = [x[1]]
        if x[2] > 9:
            raise ValueError
    except ValueError:
        pass
    a.append(3.0)
    return len(older), a


def test_one_that_a_try_made():
    check(left_by_a_try, *FEW, (np.full(6, 10.0),), joined=True)


@dataclasses.dataclass
class Record:
    v: float


def records_shown_within(a):
    one, other = Record(float(a[0])), Record(float(a[1]))
    r = one if a[0] > 0 else other
    r.v = 5.0 * float(a[1])
    before = f"{r} {[r]}"
    r.v += 1.0
    print([r], (r, 1), {"r": r})
    return before, str([other, r])


def lists_shown_within(a):
    one, other = [a[0]], [a[1]]
    r = None
    if a[0] > 0:
        r = one
    if a[1] > 0:
        r = other
    before = f"{r} {[r]}"
    one[0] = 7.0
    other[0] = 8.0
    print([r], (r, 1), {"r": r})
    return before, str([r])


def dicts_of_other_keys(a):
    r = None
    if a[0] > 0:
        r = {"a": float(a[0])}
    if a[1] > 0:
        r = {"b": float(a[1])}
    print(r)
    return str(r), f"{r!r}"


def test_chosen_objects_are_shown_as_they_were_when_the_text_was_asked_for():
    cases = [(np.array([s * 2.0, t * 1.75]),) for s in (1, -1) for t in (1, -1)]
    check(lists_shown_within, *cases)
    check(dicts_of_other_keys, *cases)
    check(records_shown_within, *cases)


def emptied_and_taken_from(a):
    kept = one = []
    if a[0] > 0:
        one = [a[1]]
    one.clear()
    try:
        if a[1] > 0:
            one.pop()
    except IndexError as error:
        print(error)
    return kept, one


def test_an_item_is_taken_from_one_of_several_lists_that_may_be_empty():
    check(
        emptied_and_taken_from,
        *[(np.array([s * 2.0, t * 1.75]),) for s in (1, -1) for t in (1, -1)],
    )
