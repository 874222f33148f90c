"""Orders of objects and tuples, classes of exceptions by data, objects that give growing lists."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import namedtuple
from dataclasses import dataclass, field
from functools import total_ordering

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
EQUAL = np.array([1.0, 1.0, 1.0, 1.0])
samples = Samples()


def by_size(a, b):
    if abs(a) < abs(b):
        return -1
    return 1 if abs(a) > abs(b) else 0


BY_SIZE = functools.cmp_to_key(by_size)


@samples("", (X,), (NEGATIVE,), (EQUAL,))
def by_a_comparison(x):
    items = [(v, k) for k, v in enumerate(x)]
    items.sort(key=functools.cmp_to_key(lambda a, b: a[0] - b[0] or b[1] - a[1]))
    return sorted(x, key=BY_SIZE), sorted(x.tolist(), key=BY_SIZE, reverse=True), items


@samples("", (X,), (NEGATIVE,), (EQUAL,))
def the_best_by_a_comparison(x):
    key = functools.cmp_to_key(by_size)
    return max(x, key=key), min(x, key=BY_SIZE), key(x[0]) < key(x[1]), key(x[0]) == key(x[1])


@samples("", (np.array([3, 30, 34, 5, 9]),), (np.array([1, 2, 3, 10, 100]),))
def texts_by_a_comparison(numbers):
    def larger_first(a, b):
        return -1 if a + b > b + a else (1 if a + b < b + a else 0)

    return "".join(sorted([str(v) for v in numbers], key=functools.cmp_to_key(larger_first)))


class Size:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return abs(self.value) < abs(other.value)


@samples("", (X,), (NEGATIVE,), (EQUAL,))
def elements_by_objects(x):
    return sorted(x, key=Size), sorted(x, key=lambda v: Size(v - 1), reverse=True)


@dataclass(order=True)
class Point:
    a: float
    b: float
    name: str = field(default="", compare=False)


@total_ordering
class ByLess:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __lt__(self, other):
        return self.x < other.x

    __hash__ = None


@total_ordering
class ByGreaterEqual:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __ge__(self, other):
        return self.x >= other.x

    __hash__ = None


# ---- orders --------------------------------------------------------------------------------------


DRAWN = tuple((np.array(v),) for v in ([1, 2, 2, 4], [4, 3, 2, 1], [1, 1, 2, 2]))


@samples("E3", *DRAWN)
def items_of_dicts_of_lists(numbers):
    groups = {}
    for n in numbers:
        groups.setdefault(int(n) % 3, []).append(int(n))
    largest = {k: max(g) for k, g in sorted(groups.items(), reverse=True)}
    return sorted(groups.items()), [(k, sum(g)) for k, g in sorted(groups.items())], largest


def equal_starts(x):
    pairs = [(v > 0, [v, v]) for v in x if v > -5] + [(True, [x[0]]) for v in x if v > 100]
    return len(sorted(pairs))


def test_what_no_graph_compares_is_refused_where_it_decides():
    with pytest.raises(ValueError, match="equal numbers or texts before a list"):
        ag.convert(equal_starts)(X)
    assert ag.convert(equal_starts)(np.array([-1.0, 2.0])) == 2


@samples("D4", (X,), (NEGATIVE,), (EQUAL,), tensors=False, joined=True)
def order_of_dataclasses(x):
    p, q = Point(x[0], x[1]), Point(x[2], x[3])
    return p < q, p <= q, p > q, p >= q, max(p, q).a, min([p, q]).b


@samples("D4", (X,), (NEGATIVE,), (EQUAL,))
def sorted_dataclasses(x):
    points = [Point(x[i], x[i + 1], str(i)) for i in range(3)]
    points.sort()
    turned = sorted(points, reverse=True)
    return [p.a for p in points], [p.name for p in turned], points.index(max(points))


@samples("D4", (X,), (NEGATIVE,), (EQUAL,))
def the_best_in_a_loop(x):
    best = None
    for i in range(4):
        point = Point(x[i], float(i))
        if best is None or point < best:
            best = point
    return best.a, best.b


@samples("D4", (X,), (NEGATIVE,), (EQUAL,), tensors=False, joined=True)
def total_orders(x):
    a, b = ByLess(x[0]), ByLess(x[1])
    c, d = ByGreaterEqual(x[0]), ByGreaterEqual(x[1])
    return a < b, a <= b, a > b, a >= b, a != b, c < d, c <= d, c > d, c >= d


@samples("D4", (X,), (NEGATIVE,), (EQUAL,), tensors=False, joined=True)
def order_of_tuples(x):
    a, b = (x[0], x[1]), (x[2], x[3])
    pairs = [(x[i], x[i + 1]) for i in range(3)]
    return a < b, a <= b, a > b, a >= b, pairs[0] < pairs[1], sorted(pairs), max(a, b)


@samples("D4", (X,), (NEGATIVE,), (EQUAL,), joined=True)
def the_best_tuple(x):
    best = (0.0, -1)
    for i, v in enumerate(x):
        pair = (v, i)
        if pair > best:
            best = pair
    return best


@samples("D4", (X,), (NEGATIVE,))
def an_object_in_a_list(x):
    points = [Point(v, 0.0) for v in x]
    return Point(3.0, 0.0) in points, Point(x[0], 1.0) in points


# ---- vars ----------------------------------------------------------------------------------------


class Plain:
    def __init__(self, a):
        self.a = a


@samples("D4", (X,), (NEGATIVE,))
def names_of_an_object(x):
    thing = Plain(x[0])
    vars(thing)["b"] = x[1] * 2
    for v in x:
        thing.a += v
    return vars(thing), thing.b, [name for name in vars(thing)], sum(vars(thing).values())


# ---- exceptions of which data chooses the class ---------------------------------------------------


class Wrong(ValueError):
    pass


KINDS = {0: ValueError, 1: KeyError, 2: Wrong}


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def a_class_or_another(x):
    print("before")
    if x != 0:
        raise (ValueError if x > 0 else TypeError)(f"bad {x}")


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def caught_by_its_class(x):
    try:
        if x != 0:
            raise (ValueError if x > 0 else TypeError)("bad")
    except ValueError as error:
        print("value", error)
        return 1
    except TypeError as error:
        print("type", error)
        return 2
    return 3


@samples("F4", (F(1.0), I(0)), (F(-1.0), I(1)), (F(1.0), I(1)), (F(1.0), I(2)))
def a_class_of_a_table(x, k):
    if x > 0:
        raise KINDS[k]("no")
    return x


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def a_class_without_a_call(x):
    if x != 0:
        raise ValueError if x > 0 else KeyError
    return x


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def a_name_of_the_function_around(x):
    kind = Wrong if x > 0 else KeyError

    def fail():
        raise kind(f"bad {x}")

    if x != 0:
        fail()
    return x


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def a_class_that_an_attribute_holds(x):
    bag = Bag([])
    bag.kind = Wrong if x > 0 else KeyError
    if x != 0:
        raise bag.kind("bad")
    return x


@samples("F4", (F(1.0),), (F(-1.0),), (F(0.0),))
def a_class_that_a_function_gives(x):
    def kind():
        return Wrong if x > 0 else KeyError

    try:
        if x != 0:
            raise kind()("bad")
    except KeyError:
        return x * 3
    return x


def used_otherwise(x):
    error = (ValueError if x > 0 else TypeError)("bad")
    return str(error)  # refused


def test_an_exception_of_unknown_class_can_only_be_raised():
    refuse(used_otherwise, 1.0, match="the class of an exception depends on data")


# ---- objects that give the items of a growing list -----------------------------------------------


class Bag:
    def __init__(self, x):
        self.items = []
        for v in x:
            if v > 0:
                self.items.append(v)

    def __iter__(self):
        return iter(self.items)


class BagThatYields(Bag):
    def __iter__(self):
        for v in self.items:
            yield v * 2.0


@samples("D4", (X,), (NEGATIVE,), joined=True)
def gone_through(x):
    bag = Bag(x)
    return (
        sum(bag), [v * 2 for v in bag], list(bag), tuple(bag), sorted(bag), any(bag), all(bag),
        [(i, v) for i, v in enumerate(bag)], [*bag],
    )  # fmt: skip


@samples("D4", (X,), (NEGATIVE,), joined=True)
def gone_through_by_a_generator(x):
    bag = BagThatYields(x)
    print(*bag)
    total = 0.0
    for v in bag:
        total += v
    return total, sum(bag), [v for v in bag], list(bag), sorted(bag), tuple(map(abs, bag))


@samples("D4", (X,), (NEGATIVE,))
def unpacked_and_compared(x):
    bag = Bag(x)
    first, *rest = bag
    return first, rest, max(bag), min(bag)


@samples("", (X, X[::-1]), (NEGATIVE, EQUAL))
def sorted_pairs_and_items_of_iterators(x, y):
    pairs = sorted(zip(x, y))
    return (
        pairs,
        sorted(zip(x, y), reverse=True),
        sorted(enumerate(x), reverse=True),
        sorted(map(abs, x)),
        sorted(reversed(x)),
        list(zip(*sorted(zip(x, range(4))))),
    )


class Walk:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Walk(self.x + other.x, self.y + other.y)

    def __iter__(self):
        yield self.x
        yield self.y


@samples("", (X, X[::-1]), (NEGATIVE, EQUAL))
def sum_of_objects_that_are_iterables(x, y):
    steps = [Walk(a, b) for a, b in zip(x, y)]
    return list(sum(steps, Walk(0.0, 0.0))), sum((Walk(a, 1.0) for a in x), Walk(1.0, 0.0)).x


@samples("", (X, F(2.0)), (NEGATIVE, F(3.0)), joined=True)
def reduced_lists_of_open_length(x, k):
    found = []
    for v in x:
        if v > 0:
            found.append(v * k)
    return (
        functools.reduce(operator.add, found, 1.0),
        functools.reduce(lambda a, b: a * 2.0 + b, found, 0.0),
        functools.reduce(max, [v for v in x if v < 2]),
    )


@samples("", (X,), (NEGATIVE,))
def reduced_without_a_start(x):
    return functools.reduce(operator.add, [v for v in x if v > 0])


@samples("", (F(2.0), F(1e-8)), (F(9.0), F(1e-2)), whiles=1)
def counted_until_it_is_small(a, tolerance):
    x = a
    for k in itertools.count(1):
        new = 0.5 * (x + a / x)
        if abs(new - x) < tolerance:
            break
        x = new
    return new, k


@samples("", (I(30),), (I(7),), whiles=1)
def counted_in_steps_until_it_returns(n):
    for k in itertools.count(-2, 3):
        if k * k % 7 == n % 7:
            continue
        if k > n:
            return k


@samples("", (I(5),), (I(12),))
def first_of_all_numbers(n):
    return next(k for k in itertools.count(1) if k * k > n)


def counted_further(a):
    numbers = itertools.count()
    for k in numbers:
        if k > a:
            break
    return next(numbers)  # refused


def sorted_complex(x):
    return sorted(complex(v, 1.0) for v in x)


def test_complex_numbers_of_python_have_no_order():
    with pytest.raises(TypeError, match="'<' not supported between instances of 'complex'"):
        ag.convert(sorted_complex)(X)
    assert ag.convert(sorted_complex)(X[:1]) == [1 + 1j]


def test_a_counter_that_data_stopped_counts_no_further():
    refuse(counted_further, F(3.0), match="which are left is known only when the graph runs")


class Visit:
    def __init__(self, at, number):
        self.at, self.number = at, number

    def __lt__(self, other):
        return self.at < other.at


class Asked(Visit):
    asked = 0

    def __lt__(self, other):
        Asked.asked += 1
        return self.at < other.at


@samples("B3.10", (np.array([3.0, 1.0, 2.0, 1.0]),), (np.array([1.0, 1.0, 1.0, 0.0]),))
def a_list_of_objects_is_sorted_in_place(x):
    visits = [Visit(v, i) for i, v in enumerate(x)]
    visits.sort()
    first = [visit.number for visit in visits]
    visits.sort(reverse=True)
    return first, [visit.number for visit in visits]


def objects_with_nan(x):
    return [visit.number for visit in sorted([Visit(v, i) for i, v in enumerate(x)])]


def test_objects_of_which_none_is_the_least_are_not_sorted():
    f = ag.convert(objects_with_nan)
    assert f(np.array([2.0, 1.0, 3.0])) == [1, 0, 2]
    with pytest.raises(ValueError, match="objects are sorted of which none is the least"):
        f(np.array([2.0, np.nan, 1.0]))


def sorted_by_what_counts(x):
    return sorted([Asked(v, 0) for v in x])[0].at  # refused


def test_what_compares_with_effects_is_not_sorted_by_data():
    refuse(sorted_by_what_counts, np.ones(3), match="`Asked.__lt__` changes or prints something")


# ---- lists ---------------------------------------------------------------------------------------

ROWS = np.array([[1.0, 2.0], [-1.0, 0.5], [1.0, -2.0], [-1.0, 0.5], [3.0, 0.0]])


@samples("D4", (ROWS,), (-ROWS,), tensors=False)
def rows_as_lists(rows):
    by_second = sorted(rows.tolist(), key=lambda row: [row[1], row[0]])
    return sorted(rows.tolist()), sorted(rows.tolist(), reverse=True), by_second


@samples("D4", (ROWS,), (-ROWS,), tensors=False)
def sorted_lists_are_the_very_ones(rows):
    pairs = rows.tolist()
    first = sorted(pairs)[0]
    first[1] = 99.0
    pairs.sort()
    return pairs, [pair is first for pair in pairs]


@samples("D4", (ROWS,), (-ROWS,), tensors=False)
def lists_and_tuples_within_keys(rows):
    return sorted(((a, b), a * b) for a, b in rows), sorted([[b, (a, 1)] for a, b in rows])


@samples("D4", (ROWS,), (-ROWS,), tensors=False)
def lower_hull(rows):
    hull = []
    for p in sorted(rows.tolist()):
        while len(hull) >= 2:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (x1 - x0) * (p[1] - y0) - (y1 - y0) * (p[0] - x0) > 0:
                break
            hull.pop()
        hull.append(p)
    return np.array(hull)


# ---- a list is empty while it is sorted ------------------------------------------------------


class Counted:
    """What is less depends on how long the list is that holds it."""

    def __init__(self, x, around):
        self.x = x
        self.around = around

    def __lt__(self, other):
        return self.x > other.x if len(self.around) == 0 else self.x < other.x


@samples("", (X,), (NEGATIVE,))
def a_key_looks_at_the_list(x):
    items, seen = list(x), []

    def key(v):
        seen.append((len(items), v in items, items == []))
        return v if items else -v

    items.sort(key=key)
    grown = [v for v in x if v > -1]
    grown.sort(key=lambda v: v * len(grown) - v, reverse=True)
    held = []
    held += [Counted(v, held) for v in x]
    held.sort()
    return items, seen, grown, [one.x for one in held]


@samples("", (F(3.0), I(2), [1.0, 4.0, 2.0]), (F(-3.0), I(3), [3.0, 2.0, 1.0]))
def a_key_looks_at_the_list_of_the_caller(x, n, items):
    rows = [[x, F(2.0), F(5.0)], [F(1.0), x, F(0.5)]]
    if x > 2:
        items.sort(key=lambda v: v if items else -v)
    for i in range(n):
        rows[i % 2].sort(key=lambda v: v * (1 - 2 * len(rows[i % 2])))
    return rows


@samples("", (X,), (NEGATIVE,))
def a_key_that_raises_leaves_the_list(x):
    steps = 0

    def key(v):
        if v == 3:
            raise KeyError(len(made))
        return v

    try:
        made = [v for v in x if v > -3]
        made.sort(key=key)
        steps += 1
    except KeyError as error:
        print(error)
    before = made[:]
    try:
        before.append(x[0])
        before.sort(key=lambda v: [1.0, 2.0, 3.0][int(v)])
    except IndexError:
        steps = 7
    return made, before, steps


class Turned(namedtuple("Turned", "a b")):
    """A tuple with an order and an equality of its own."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __lt__(self, other):
        return self.b < other.b

    def __eq__(self, other):
        return self.b == other.b


Twosome = namedtuple("Twosome", "a b")


@samples("B3.05", (I(4), F(2.0)), (I(2), F(-1.0)))
def tuples_with_an_order_of_their_own(n, x):
    few, pairs = [Turned(x, -x), Turned(x * 0, x * 0), Turned(x + 1, x)], []
    found = sorted(few)[0], min(few), max(few), few[0] < few[1], few.index(Turned(9.0, 0.0))
    few.sort()
    tests = few[0] == few[1], (1, few[0]) < (1, few[2]), [few[0]] != [few[1]], few.count(few[1])
    for i in range(n):
        pairs.append(Turned(i, -i))
    by_key = max(pairs, key=lambda p: p.b).a, sorted(pairs, key=lambda p: p.b)[0].a
    return found, tests, few, min(pairs).a, by_key, pairs[0] < pairs[1]


@samples("B3.05", (I(4),), (I(2),))
def named_tuples_are_tuples(n):
    named, plain, lists = [], [], []
    for i in range(n):
        named.append(Twosome(i, -i))
        plain.append((i, -i))
        lists.append([i, -i])
    tests = named == plain, plain == named, named != plain, plain == lists, Twosome(1, -1) in plain
    return tests, named.count((0, 0)), sorted(named)[0].a


test_sample = samples.test()


def grown_and_sorted(n):
    pairs = []
    for i in range(n):
        pairs.append(Turned(i, -i))
    return sorted(pairs)  # refused


def grown_and_sought(n):
    pairs = []
    for i in range(n):
        pairs.append(Turned(i, -i))
    return Turned(7, 0) in pairs  # refused


def grown_and_compared(n):
    pairs = []
    for i in range(n):
        pairs.append(Turned(i, -i))
    return pairs == pairs[:]  # refused


def many_sorted(n):
    pairs = [Turned(n * k, -n) for k in range(20)]
    return sorted(pairs)  # refused


def sorted_within_keys(n):
    return sorted([(1, Turned(n, 3)), (1, Turned(n, -3))])  # refused


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (grown_and_sorted, "it is sorted, and its items are no numbers"),
        (grown_and_sought, "its items, which are objects, are compared"),
        (grown_and_compared, "its items, which are objects, are compared"),
        (many_sorted, "are sorted by a `__lt__` of their own"),
        (sorted_within_keys, "are sorted by a `__lt__` of their own"),
    ],
)
def test_many_tuples_with_an_order_of_their_own_are_refused(sample, match):
    refuse(sample, I(4), match=match)


def changed_by_its_key(x):
    items = [x, F(2.0)]

    def key(v):
        items.append(v)  # refused
        items.pop()
        return -v

    items.sort(key=key)
    return items


def test_a_key_that_changes_the_list_is_refused():
    refuse(changed_by_its_key, F(3.0), match="changed by the key")


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_orders_and_bags(backend):
    def loss(x):
        best = max(Point(x[0], x[1]), Point(x[2], x[3]))
        return best.a * best.b + sum(v * v for v in Bag(x))

    with config.backend.using(backend):
        np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), [2.0, 0.0, 6.5, 4.0])


def tuples_in_order(x):
    def pair(i):
        return x[i], x[i + 1]

    made = {"pair": pair}
    return made["pair"](0) < made["pair"](2)  # refused


def test_tuples_that_python_compares_are_refused_with_a_way_out():
    refuse(tuples_in_order, X, match=r"bind them to names in this function before \(`a, b =")


def of_what_is_known(x):
    total = np.full(3, 2).sum()
    pairs = sorted([(total, "b"), (np.int64(1), "a"), (total, "a")])
    numbers = [total, np.int64(1), 3]
    numbers.sort(reverse=True)
    return sorted([total, np.int64(1)]), pairs, numbers, x


def test_known_numbers_of_the_graph_are_sorted_beside_those_of_numpy():
    check(of_what_is_known, (np.float64(1.0),), (np.float64(2.0),))
