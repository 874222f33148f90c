"""Lists, dicts and objects that staged loops carry: Python's identities, or a located refusal."""

from __future__ import annotations

import dataclasses
from collections import namedtuple

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64  # noqa: E741 - numbers of a kind
ROUNDS = ((F(1.5), I(3)), (F(1.5), I(0)), (F(-2.0), I(1)))
samples = Samples()


@dataclasses.dataclass
class Pair:
    x: float
    n: int = 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: float
    n: int = 0


class Plain:
    def __init__(self, x, n=0):
        self.n, self.x = n, x


class Slotted:
    __slots__ = ("n", "x")

    def __init__(self, x, n=0):
        self.x, self.n = x, n


Point = namedtuple("Point", "x n")
CHANGEABLE = [Pair, Plain, Slotted]
shared = [1.0, 2.0]


# ---- what is in a container changes ------------------------------------------------------------


@samples("E2", *ROUNDS, whiles=1)
def list_under_two_names(x, n):
    a = [x, 1.0]
    b = a
    for _ in range(n):
        a[0] = a[0] * 2
    return b[0], a[0], b is a


@samples("E2", *ROUNDS, whiles=1)
def dict_under_two_names(x, n):
    a = {"k": x}
    b = a
    i = 0
    while i < n:
        a["k"] += b["k"]
        i += 1
    return b["k"], a["k"], b is a


@samples("B2.22", *ROUNDS, whiles=1)
def what_a_function_gives_back_is_what_it_was_given(x, n):
    def step(state, by):
        state["x"] = state["x"] + by
        return state

    state = {"x": x, "n": 0}
    same = state
    for i in range(n):
        state = step(state, i)
    return state["x"], same["x"], state is same


@samples("E2", *ROUNDS, whiles=1)
def a_list_that_is_also_in_a_dict(x, n):
    inner = [x, 1.0]
    outer = {"k": inner}
    for _ in range(n):
        outer["k"][0] += 1
        inner[1] *= 2
    return outer["k"][1], inner[0], outer["k"] is inner


@samples("E2", *ROUNDS, whiles=1)
def a_list_that_a_closure_holds(x, n):
    held = [x, 1.0]

    def total():
        return held[0] + held[1]

    for _ in range(n):
        held[0] += total()
    return total()


@samples("E2", ([1.0, 2.0], I(3)), ([1.0, 2.0], I(0)), whiles=1)
def a_list_of_the_caller(given, n):
    mine = given
    for _ in range(n):
        mine[0] += 1.5
    return given[0], mine is given


@samples("B2.22", *ROUNDS, whiles=2)
def nested_loops(x, n):
    a = [x, 0.0]
    b = a
    for i in range(n):
        for j in range(n):
            a[0] += i
            b[1] += j
    return b[0], a[1], a is b


@samples("E2", *ROUNDS, whiles=1, joined=True)
def containers_that_an_early_return_gives_back(x, n):
    while n > 0:
        if x > n:
            return [x, 1.0], {"n": n}
        n -= 1
    return [1.0, x], {"n": n}


@samples("E2", *ROUNDS, whiles=1, conds=1)
def a_loop_in_a_branch(x, n):
    a = [x, 0.0]
    b = a
    if x > 0:
        for _ in range(n):
            a[0] += 1
    return b[0], a is b


@samples("E2", *ROUNDS, whiles=1)
def a_branch_in_a_loop(x, n):
    a = [x, 0.0]
    b = a
    for i in range(n):
        if x > i:
            a[0] += 1
        else:
            b[1] -= 1
    return b[0], a[1], a is b


@samples("E2", *ROUNDS, whiles=1, joined=True)
def items_are_taken_and_given_back(x, n):
    queue = [x, 1.0, 2.0]
    for i in range(n):
        queue.append(queue.pop(0) + i)
    return queue[0], queue[1], queue[2]


# ---- each round makes another ------------------------------------------------------------------


@samples("B2.06", *ROUNDS, whiles=1)
def a_dict_of_each_round(x, n):
    d = {"x": x, "n": 0}
    for _ in range(n):
        d = {**d, "n": d["n"] + 1}
    return d["x"], d["n"]


@samples("B2.06", *ROUNDS, whiles=1)
def a_list_of_each_round_that_is_changed(x, n):
    a = [x, 1.0]
    for i in range(n):
        a = [a[0] + i, a[1] * 2]
        a[0] += 0.5
    a[1] += 1
    return a[0], a[1]


@samples("B2.06", *ROUNDS, whiles=1)
def a_namedtuple_of_each_round(x, n):
    p = Point(x, 0)
    for _ in range(n):
        p = p._replace(x=p.x * 2, n=p.n + 1)
    return p


@samples("B2.06", *ROUNDS, whiles=1)
def one_list_under_two_names_of_each_round(x, n):
    a = b = [x]
    for i in range(n):
        a = b = [b[0] + i]
    a[0] = a[0] + 7.0
    return a[0], b[0], a is b


@samples("B2.06", *ROUNDS, whiles=1, joined=True)
def two_lists_change_places(x, n):
    a, b = [x], [2.0]
    for _ in range(n):
        a, b = b, a
        a[0] += 1
    b[0] += 10
    return a[0], b[0], a is b


@samples("B2.06", *ROUNDS, whiles=1, joined=True)
def the_list_of_the_last_round(x, n):
    now, before = [x], [0.0]
    for _ in range(n):
        before = now
        now = [now[0] + 1]
        before[0] -= 5
    before[0] += 50
    return now[0], before[0]


@samples("B2.06", *ROUNDS, whiles=1, joined=True)
def the_best_list_is_kept(x, n):
    best = [0.0, 0.0]
    for i in range(n):
        found = [x * i, 1.0]
        if found[0] >= best[0]:
            best = found
    best[1] += 1
    return best[0], best[1]


@samples("B2.06", *ROUNDS, whiles=1, joined=True)
def the_best_is_the_list_itself_until_a_copy_is_better(x, n):
    now = [x, x + 1]
    best, least = now, 100.0
    for _ in range(n):
        now[0] -= 1.0
        found = (now[0] - 1) ** 2
        if found < least:
            least = found
            best = now[:]
    now[1] += 5
    best[1] *= 2
    return best, now, least, best is now


@samples("B2.06", *ROUNDS, whiles=1, joined=True)
def lists_in_a_tuple_change_places(x, n):
    state = ([x], [1.0])
    for _ in range(n):
        first, second = state
        first[0] += 1
        second[0] += first[0]
        state = (second, first)
    return state[0][0], state[1][0]


@samples("E2", *ROUNDS, whiles=1)
def an_array_in_a_dict_of_each_round(x, n):
    a = {"w": np.ones(2) * x, "k": 0}
    first = a["w"]
    for i in range(n):
        a = {"w": a["w"] * 2, "k": i}
    first[0] = 9.0
    return a["w"] + 0, first + 0, a["k"]


@samples("B2.06", *ROUNDS, whiles=1)
def a_loop_that_is_left(x, n):
    a = Plain(x)
    for i in range(n):
        a = Plain(a.x + i, a.n)
        if a.x > 2:
            break
        if a.x < 0:
            continue
        a.n += 1
    return a.x, a.n


@samples("B2.06", *ROUNDS, whiles=1)
def a_return_from_a_loop(x, n):
    a = Pair(x)
    for _ in range(n):
        a = Pair(a.x + 1, a.n + 1)
        if a.x > 3:
            return a.x
    return -a.x - a.n


@samples("S8", (F(1.0), I(3)), (F(1.0), I(0)))
def other_attributes_of_each_round(x, n):
    p = Plain(x)
    for _ in range(n):
        p = Plain(x)
        p.more = 1.0
    return p.x, hasattr(p, "more")


test_containers_in_loops = samples.test()


@pytest.mark.parametrize("kind", [Pair, Frozen, Plain, Slotted, Point])
def test_b2_06_an_object_of_each_round(kind):
    def step(p, by):
        return kind(p.x * 2 + by, p.n + 1)

    def sample(x, n):
        p = kind(x, 0)
        for i in range(n):
            p = step(p, i)
        return p.x, p.n, type(p) is kind

    check(sample, *ROUNDS, whiles=1)


@pytest.mark.parametrize("kind", CHANGEABLE)
def test_e2_an_object_under_two_names(kind):
    def sample(x, n):
        p = kind(x)
        q = p
        for i in range(n):
            p.x = p.x * 2
            q.n = q.n + i
        return q.x, p.n, p is q

    check(sample, *ROUNDS, whiles=1)


@pytest.mark.parametrize("kind", CHANGEABLE)
def test_b2_06_objects_of_each_round_are_changed(kind):
    def sample(x, n):
        p, q = kind(x), kind(2.0)
        i = 0
        while i < n:
            p, q = kind(q.x + i), p
            q.n += 1
            i += 1
        p.x += 1
        q.x -= 1
        return p.x, p.n, q.x, q.n

    check(sample, *ROUNDS, whiles=1, joined=True)


def test_an_object_holds_all_that_it_held():
    def sample(x, n):
        p = Pair(x)
        p.more = 1.5
        for _ in range(n):
            p = dataclasses.replace(p, x=p.x + p.n)
            p.more = 2.5
        return p.x, p.more

    check(sample, *ROUNDS, whiles=1)


def test_the_result_is_an_object_of_its_class():
    def sample(x, n):
        p = Pair(x)
        for _ in range(n):
            p = Pair(p.x * 2, p.n + 1)
        return p

    assert ag.convert(sample)(F(3.0), I(2)) == Pair(12.0, 2)


@pytest.mark.parametrize("kind", [Pair, Plain, Slotted])
def test_gradients_pass_through_what_each_round_makes(kind):
    def sample(x, n):
        p = kind(x)
        same = p
        for _ in range(n):
            same.x = same.x * x
            p.n = p.n + 1
        q = kind(p.x)
        for _ in range(n):
            q = kind(q.x * x)
        return q.x

    for n, expected in ((0, 1.0), (2, 5 * 1.5**4)):
        assert np.isclose(ag.grad(ag.convert(sample))(F(1.5), I(n)), expected)


def test_what_a_loop_does_to_self_is_there_after_it():
    class Meter:
        def __init__(self):
            self.values, self.count = [0.0, 1.0], 0

        def run(self, x, n):
            kept = self.values
            for _ in range(n):
                self.values[0] += x
                self.count += 1
            return kept[0], kept is self.values

    plain, graph = Meter(), Meter()
    run = ag.convert(graph.run)
    values = graph.values
    for n in (3, 0, 1):
        assert run(F(2.0), I(n)) == plain.run(F(2.0), I(n))
        assert graph.values == plain.values and graph.count == plain.count
        assert graph.values is values


# ---- refusals ----------------------------------------------------------------------------------


def one_name_goes_on_alone(n):
    a = b = [0, 0]
    for i in range(n):
        a = [i, i]
    a[0] = 9
    return a[0] + b[0]


def the_other_is_changed(n):
    a = b = [0, 0]
    for i in range(n):
        a = [i, i]
    b[0] = 9
    return a[0] + b[0]


def changed_in_the_round_itself(n):
    a = b = [0, 0]
    for i in range(n):
        a[0] += 1
        a = [a[0], i]
    return a[0] + b[0]


def an_older_list_is_taken_up(n):
    table, row = [1, 2], [3, 4]
    for _ in range(n):
        row = table
    table[0] = 7
    return row[0]


def one_of_two_in_a_round(n):
    table, row = [1, 2], [3, 4]
    for i in range(n):
        if i > 1:
            row = table
        row[0] += 1
    return row[0] + table[0]


def two_become_one(n):
    a, b = [1], [2]
    for i in range(n):
        a = b = [i]
    a[0] = 5
    return a[0] + b[0]


def a_list_of_the_module(n):
    a = shared
    for i in range(n):
        a = [i, a[0]]
    a[0] = 5
    return a[0]


def a_list_of_an_attribute(n):
    p = Plain([1.0])
    kept = p.x
    for i in range(n):
        p.x = [p.x[0] + i]
    kept[0] = 5  # refused
    return p.x[0]


def in_an_outer_loop(n):
    a = b = [0, 0]
    for _ in range(n):
        for i in range(n):
            a = [i, i]
        a[1] += 1
    return a[1] + b[1]


SEEN = [
    one_name_goes_on_alone, the_other_is_changed, changed_in_the_round_itself, two_become_one,
    in_an_outer_loop,
]  # fmt: skip


@pytest.mark.parametrize("sample", SEEN, ids=lambda f: f.__name__)
def test_a_write_is_seen_by_another_name_of_the_list(sample):
    check(sample, (I(3),), (I(0),), (I(1),), joined=True)


def test_a_list_of_the_module_is_written_where_it_is_the_one():
    converted, found = ag.convert(a_list_of_the_module), []
    for function in (a_list_of_the_module, converted):
        for n in (0, 3):
            shared[:] = [1.0, 2.0]
            found.append((function(I(n)), list(shared)))
    shared[:] = [1.0, 2.0]
    assert found[2:] == found[:2]
    assert converted.trace_count == 1


def test_a_write_that_another_name_may_have_to_see_is_refused_at_its_line():
    message = refuse(a_list_of_an_attribute, I(3), match="which list .* is depends on data")
    assert "change it in each branch or before the loop" in message


def is_it_the_same(n):
    a = b = [0, 0]
    for i in range(n):
        a = [i, i]
    return a is b


def is_it_another(n):
    a = b = Plain(0)
    for i in range(n):
        a = Plain(i)
    return a != b


@pytest.mark.parametrize("sample", [is_it_the_same, is_it_another], ids=lambda f: f.__name__)
def test_whether_it_is_another_is_known(sample):
    check(sample, (I(3),), (I(0),))


def a_set_grows(x, n):
    seen = {"a", 1}
    for _ in range(n):
        seen.add("b")  # refused
    return x


def a_chain_of_objects(x, n):
    at = Plain(1.0, Plain(x, Plain(3.0, None)))
    for _ in range(n):
        at = at.n
    return at.x


def a_ring_of_objects(x, n):
    at, other = Plain(x), Plain(2.0)
    at.n, other.n = other, at
    for _ in range(n):
        at = at.n
    return at.x


def another_set_of_each_round(x, n):
    seen = {1}
    for _ in range(n):
        seen = {1}
    seen.add(2)  # refused
    return x


def another_class_of_each_round(x, n):
    p = Plain(x)
    for _ in range(n):
        p = Pair(p.x)  # refused
    return x


def a_list_made_by_an_operator(x, n):
    a = [x, 0.0]
    for _ in range(n):
        a = a[:1] + a[1:]
        a[1] += 1  # refused
    return a[1]


REFUSED = [
    (a_list_made_by_an_operator, "a list that each round makes by an operator is changed there"),
    (a_set_grows, "a graph holds no set whose items depend on data"),
    (another_set_of_each_round, "another set after one iteration\n(.*\n)*change the one from"),
    (another_class_of_each_round, "`p` is a Plain before the loop but a Pair of 2 items after"),
]


@pytest.mark.parametrize(("sample", "words"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_what_no_graph_holds_is_refused_at_its_line(sample, words):
    refuse(sample, F(1.0), I(3), match=words)


@pytest.mark.parametrize("sample", [an_older_list_is_taken_up, one_of_two_in_a_round])
def test_a_list_from_before_the_loop_is_itself_after_it(sample):
    check(sample, (I(30),), (I(0),), (I(2),))


def test_a_loop_walks_along_a_ring_of_objects():
    check(a_ring_of_objects, (F(1.0), I(30)), (F(1.0), I(31)), (F(1.0), I(0)), joined=True)


def test_a_loop_walks_along_a_chain_of_objects_and_past_its_end():
    check(a_chain_of_objects, *((F(1.5), I(n)) for n in range(5)), joined=True)


def test_python_loops_are_unrolled_where_that_is_known_to_be_right():
    def sample(x):
        now = before = [x]
        for i in range(40):
            before = now
            now = [now[0] + i]
        before[0] = 50.0
        return now[0], before[0], now is before

    check(sample, (F(1.0),), (F(2.0),))


@samples("E2", (2.5, -1.25), (9.0, -3.0))
def an_item_that_stays_a_number_is_read_in_a_loop_of_the_loop(x, y):
    held, items = {"p": -1.0, "q": 0.5, "r": 1.0}, {"q": 1.0, "r": 0.5}
    while y < 0:
        y += 1
        held["p"] = items["q"] + y
    while x > 0:
        x -= 3
        items["r"] -= sum([items["q"] for v in held.values() if v > 0.5], 0.0)
    return items, held


# ---- what an unpacking makes ------------------------------------------------------------------------


@samples("B2.12", *ROUNDS)
def the_rest_of_an_unpacking(x, n):
    items, total = [F(1), F(2), F(3)], x
    while n > 0:
        n -= 1
        first, *rest = items
        rest[:] = [first, x]
        rest[0] = rest[0] + n
        items[0] = rest[0]
        total = total + rest[1] + sum(rest)
    return total, items


@samples("B2.12", *ROUNDS)
def the_rest_in_another_place(x, n):
    box = Plain(x, [F(0), F(0)])
    while n > 0:
        n -= 1
        box.x, *box.n = [x, F(1), F(2)]
        box.n[0] = x + n
        ordered = sorted(box.n)
        ordered[0] = ordered[0] + box.n[1]
        x = x + ordered[0]
    return x, box.n
