"""Long lists among the arguments: one trace for all lengths, and what is written is the caller's."""

import dataclasses
import math
from collections import namedtuple

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from autograph.tracing.columns import columns_of
from runtime.effects.given_containers import arguments_of
from tests.language.harness import observe

Pair = namedtuple("Pair", "a b")
LENGTHS = 20, 24, 17


@dataclasses.dataclass
class Record:
    a: float
    b: int


class Body:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def move(self, by):
        self.a += by


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class Watched(Body):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Simulation:
    def __init__(self):
        self.best, self.log = None, []


def number(i):
    return float((i * 37) % 23) - 5.5


KINDS = {
    "floats": number,
    "odd floats": lambda i: [math.nan, -0.0, math.inf, 1.5][i % 4],
    "ints": lambda i: (i * 37) % 23 - 5,
    "floats of NumPy": lambda i: np.float64(number(i)),
    "ints of NumPy": lambda i: np.int64((i * 37) % 23 - 5),
    "bools": lambda i: i % 3 == 0,
    "numbers or None": lambda i: None if i % 4 == 1 else number(i),
    "tuples": lambda i: (number(i), i % 7),
    "named tuples": lambda i: Pair(number(i), i % 7),
    "tuples in tuples": lambda i: ((number(i), i), None if i % 3 else i),
    "records": lambda i: Record(number(i), i % 7),
    "bodies": lambda i: Body(number(i), i % 7),
    "slotted": lambda i: Slotted(number(i), i % 7),
}
NUMBERS = ["floats", "odd floats", "ints", "bools", "numbers or None"]
TUPLES = ["tuples", "named tuples", "tuples in tuples"]
OBJECTS = ["records", "bodies", "slotted"]


def shown(x, known):
    """What a nest holds, with the types of all, and which objects are in two places."""
    if isinstance(x, np.ndarray):
        return x.dtype, repr(x.tolist())
    if type(x).__module__ == __name__ and not isinstance(x, tuple) or isinstance(x, list):
        if id(x) in known:
            return known[id(x)]
        known[id(x)] = len(known)
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [shown(item, known) for item in x]
    if isinstance(x, dict):
        return [(shown(key, known), shown(value, known)) for key, value in x.items()]
    if type(x).__module__ == __name__:
        names = sorted(getattr(x, "__dict__", ("a", "b")))
        return type(x).__name__, [(name, shown(getattr(x, name), known)) for name in names]
    return type(x).__name__, repr(x)


def outcome(function, items, x, simulation):
    """What a call gives, or raises, and what it leaves in the list, its items and an object."""
    before = [*items]
    try:
        result = function(items, x, simulation)
    except Exception as error:
        result = type(error).__name__, str(error).partition("\n")[0]
    return shown([before, items, simulation, x, result], {})


# Numbers of another type are written beside those that are there, which keep theirs.
OF_OTHER_TYPES = [
    "L[3] = x[0]; L.append(x[1]); return L[3], L[-1], len(L)",
    "for i in range(4): L[i] = x[i % 2] * i\nreturn L[2:8], L[::-1], [*L, x[0]]",
    "for i, v in enumerate(L):\n    if i > 4: L[i] = x[0] + i\nL.reverse(); return L.pop(4), L",
    "M = [*L]\nM.insert(1, x[0])\nM.append(x[1])\nreturn M, M[4:]",
]
# What is done with a list `L`, an array `x` and an object `s`; and with which items.
USES = {
    "total = 0\nfor v in L: total = total + v\nreturn total": ["floats", "ints", "bools"],
    "return sum(L), max(L), min(L), len(L)": ["floats", "ints"],
    "return sorted(L), sorted(L, reverse=True)[:3]": ["floats", "ints", "bools"],
    "return np.array(L) * x[0]": ["floats", "odd floats", "ints", "bools"],
    "return [v for v in L if v], L": ["floats", "odd floats", "ints", "numbers or None"],
    "return sum(0 if v is None else v for v in L)": NUMBERS,
    "return L[0], L[-1], L[int(x[0])], L[5:2:-1]": NUMBERS + TUPLES,
    "L.append(L[0]); L[1] = L[2]; return len(L)": NUMBERS + TUPLES,
    "for i in range(len(L) - 1):\n    if i % 2: L[i], L[i + 1] = L[i + 1], L[i]": NUMBERS + TUPLES,
    "L.insert(1, L[3]); del L[int(x[0])]; return L.pop(), L": NUMBERS + TUPLES,
    "for i, v in enumerate(L): L[i] = v * 2 + i": ["ints"],
    "return list(zip(L, L[1:])), list(enumerate(L))": NUMBERS + TUPLES,
    "total = 0.0\nfor a, b in L: total = total + a * b\nreturn total": ["tuples", "named tuples"],
    "return max(v.a * v.b for v in L), [v for v in L if v.b > 2]": [*OBJECTS, "named tuples"],
    "total = 0.0\nfor p in L:\n    for q in L: total += p.a * q.b if p is not q else 0.0\n"
    "return total": OBJECTS,
    "for p in L: p.a = p.a * 0.5 + p.b": OBJECTS,
    "for p in L:\n    if p.a > 5: p.b = p.b + 1\n    p.a += 1.0\n    if p.b > 6: break": OBJECTS,
    "for p, q in zip(L, L[1:]): p.a = q.a": OBJECTS,
    "for p in L: p.move(1.5)": ["bodies"],
    "L[0].a, L[1].a = L[1].a, L[0].a": OBJECTS,
    "best = None\nfor p in L:\n    if best is None or p.a > best.a: best = p\nbest.a = 100.0\n"
    "return best, L[int(x[0])], L[3] is L[3], [p for p in L if p.a > 5]": OBJECTS,
    "p = type(L[0])(9.0, 2)\nfor q in L:\n    if q.a > p.a: p = q\nreturn p, L": OBJECTS,
    "for p in L:\n    p.a = p.a + 1.0\n    if p.a > 10: raise ValueError('large')": OBJECTS,
    "L[0].a = None; L[1].b = None; return [p.a for p in L[1:3]]": OBJECTS,
    "L.append(L[0])\nif x[0] > 0: raise ValueError('no')": NUMBERS + TUPLES,
    "return L[int(x[0]) + 100]": NUMBERS + TUPLES + OBJECTS,
    **dict.fromkeys(OF_OTHER_TYPES, [*NUMBERS, "floats of NumPy", "ints of NumPy"]),
    "for k in range(5): L[k] = (x[0], L[k][1])\nreturn L[3:7], sum(float(a) for a, b in L)": [
        "tuples"
    ],
    "L[0].a = x[0]; L[3].b = 1.5; return [float(p.a) for p in L]": OBJECTS,
    "for p in L:\n    if p.a > 5: p.a, p.b = x[0], 2 * x[1]": OBJECTS,
    "L[4] = x[0]; L[5] = 2**53; return sum(float(v) for v in L)": ["ints"],
    "L[4] = x[0]; return float(L[5])": ["ints"],
    "L[int(x[0])] = 0; return L == L[:]": ["floats", "bools"],
}
# Of these a trace needs the items one by one.
BY_ITEMS = {
    "L[3] = 7": ["tuples"],
    "L[3] = 'a'": NUMBERS + TUPLES,
    "L[0].c = 1.0": ["records", "bodies"],
    "s.best = L[0]; s.log.append(L[1])": OBJECTS,
    "L[0], L[1] = L[1], L[0]; L[2].a = 7.0": OBJECTS,
    "L.append(type(L[0])(1.0, 2)); L[0].a = 7.0": OBJECTS,
    "del L[0]; L[0].a = 7.0": OBJECTS,
}
CASES = [(use, kind, 1) for use, kinds in USES.items() for kind in kinds]
CASES += [(use, kind, None) for use, kinds in BY_ITEMS.items() for kind in kinds]


def made(use, tmp_path):
    """A function of a body."""
    path = tmp_path / "use.py"
    lines = use.replace("; ", "\n").splitlines()
    path.write_text("def use(L, x, s):\n" + "".join(f"    {line}\n" for line in lines))
    space = {"np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["use"]


@pytest.mark.broad(3)
@pytest.mark.parametrize(("use", "kind", "traces"), CASES)
def test_lists_of_any_length_share_a_trace_and_mean_what_they_mean_in_python(
    use, kind, traces, tmp_path
):
    function = made(use, tmp_path)
    converted = ag.convert(function)
    for length in LENGTHS:
        results = [
            outcome(
                f,
                [*map(KINDS[kind], range(length))],
                np.array([2.0, 3.0]),
                Simulation() if "s." in use else None,
            )
            for f in (converted, function)
        ]
        assert results[0] == results[1], length
    raises = "+ 100" in use
    if traces is not None and not raises:
        assert converted.trace_count == traces, converted.explain()
        assert not converted._policy.closed
    assert all(c._traced.arguments.has_columns for c in converted.traces()) == (traces == 1)


@ag.convert
def weighed(items, by):
    total = 0.0
    for v in items["x"]:
        total += v * by
    for v, w in zip(items["x"], items["pairs"], strict=True):
        total += v * w[0]
    return total


def test_lists_in_a_dict_or_a_tuple_are_columns_too():
    for n in LENGTHS:
        items = {"x": [number(i) for i in range(n)], "pairs": [(i, 0.5) for i in range(n)]}
        assert weighed(items, by=2.0) == weighed.python_function(items, 2.0)
    assert weighed.trace_count == 1


def mixed():
    things = [*map(KINDS["bodies"], range(20))]
    things[3] = Watched(1.0, 2)
    return things


def with_more():
    things = [*map(KINDS["bodies"], range(20))]
    things[5].c = 7.0
    return things


def with_less():
    things = [*map(KINDS["bodies"], range(20))]
    del things[5].b
    return things


def with_one_twice():
    things = [*map(KINDS["bodies"], range(20))]
    things[4] = things[2]
    return things


UNLIKE = {
    "floats and ints": lambda: [1.0, 2] * 10,
    "ints of over 64 bits": lambda: [2**70] * 20,
    "texts": lambda: ["a"] * 20,
    "arrays": lambda: [np.ones(2)] * 20,
    "tuples of several lengths": lambda: [(1.0,), (1.0, 2.0)] * 10,
    "objects of two classes": mixed,
    "more attributes": with_more,
    "fewer attributes": with_less,
    "an object twice": with_one_twice,
    "a method that sets attributes": lambda: [Watched(1.0, i) for i in range(20)],
    "a list of a class of the user's": lambda: type("Own", (list,), {})([1.0] * 20),
}


@pytest.mark.parametrize("kind", UNLIKE)
def test_unlike_items_are_what_they_are(kind):
    @ag.convert
    def first(items, x):
        return items[0], len(items) + x[0]

    items = UNLIKE[kind]()
    found, expected = first(items, np.ones(1)), first.python_function(items, np.ones(1))
    assert type(found[0]) is type(expected[0])
    assert found[1] == expected[1]
    assert type(items) is not list or columns_of(items) is None


def test_an_object_in_two_places_of_the_arguments_is_one_object():
    @ag.convert
    def moved(items, one, x):
        one.a = one.a + x[0]
        total = 0.0
        for p in items:
            total += p.a
        return total

    for function in (moved, moved.python_function):
        items = [Body(1.0, i) for i in range(20)]
        assert function(items, items[3], np.ones(1)) == 21.0
        assert items[3].a == 2.0


def test_what_was_called_before_does_not_show():
    @ag.convert
    def doubled(items):
        for i in range(len(items)):
            items[i] = items[i] * 2
        return items[0]

    for items in ([2**61] * 20, [2**62] * 20, [1.5] * 20, [True] * 20, [2**70] * 20, [1] * 20):
        given, expected = [*items], [*items]
        found, wanted = doubled(given), doubled.python_function(expected)
        assert (found, type(found)) == (wanted, type(wanted))
        assert list(map(repr, given)) == list(map(repr, expected))


def test_a_function_of_tensorflows_has_numbers_in_lists_for_constants():
    @tf.function
    def doubled(items):
        return tf.constant(2.0) * sum(items)

    assert [float(doubled([x] * 20)) for x in (1.0, 1.0, 2.0)] == [40.0, 40.0, 80.0]
    assert doubled.trace_count == 2


def test_the_log_says_why_a_list_is_item_by_item(capsys):
    @ag.convert
    def put(items):
        items[3] = "a"

    ag.set_verbosity(1)
    try:
        put([1.0] * 20)
    finally:
        ag.set_verbosity(0)
    told = capsys.readouterr().err
    assert "put: long lists are item by item" in told
    assert "items are not of one kind" in told


def test_gradients_go_through_what_is_computed_with_a_list_and_its_objects():
    @ag.convert
    def scaled(bodies, weights, x):
        total = 0.0
        for body, weight in zip(bodies, weights, strict=True):
            body.a = body.a * weight
            total = total + body.a * x
        return total

    for n in LENGTHS:
        bodies = [Body(float(i), 1) for i in range(n)]
        x = ag.constant(3.0)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = scaled(bodies, [2.0] * n, x)
        assert float(tape.gradient(y, x)) == n * (n - 1)
        assert (bodies[3].a, type(bodies[3].a)) == (6.0, float)
    assert scaled.trace_count == 1


def test_columns_in_a_saved_function(tmp_path):
    @ag.convert
    def weighted(x, items):
        return sum(v * x for v in items)

    items = [float(i) for i in range(20)]
    assert weighted(2.0, items) == 380.0
    ag.save(weighted, tmp_path / "weighted.agz", [2.0, items])
    assert ag.load(tmp_path / "weighted.agz")(2.0, items) == 380.0


@pytest.mark.parametrize("count", [5, 20, 33])
def test_a_list_is_written_once_more_after_python_has_seen_it(count):
    def moved(items, x):
        items.pop(0)
        ag.py_call(print, len(items))
        items.insert(0, items[-1])
        items.pop()
        ag.py_call(print, len(items))
        items.append(7.0)
        return x * 2

    ours, plain, converted = [list(map(float, range(count))) for _ in range(2)] + [
        ag.convert(moved)
    ]
    for _ in range(3):
        converted(ours, np.ones(2))
        moved(plain, np.ones(2))
        assert ours == plain


@pytest.mark.parametrize("changed", ["attribute", "equality"])
def test_classes_of_tuples_with_more_than_items_have_no_columns(changed):
    own = {"__eq__": lambda self, other: True, "__hash__": tuple.__hash__, "__slots__": ()}
    kind = type("Own", (Pair,), own if changed == "equality" else {})
    assert columns_of([Pair(1.0, 2)] * 20) is not None
    assert columns_of([kind(1.0, 2)] * 20) is None


def test_no_item_of_a_list_in_columns_is_looked_into():
    @ag.convert
    def moved(bodies, x):
        for body in bodies:
            body.a = body.a + float(x[0])

    records = [Record(1.0, i) for i in range(20)]
    moved(records, np.ones(1))
    (concrete,) = moved.traces()
    with concrete.holding({"bodies": records, "x": np.ones(1)}):
        held = arguments_of()
        assert held.at(("bodies",)) is records
        with pytest.raises(KeyError):
            held.at(("bodies", 3))


NESTS = {
    "grid": lambda i: [number(i + j) for j in range(4)],
    "ragged": lambda i: [number(i + j) for j in range(1 + i % 4)],
    "ints, some none": lambda i: [(i * j * 37) % 11 for j in range(i % 4)],
}
# What is done with a list of lists `L`, an array `x` and an object `s`.
USES_OF_NESTS = [
    "return L",
    "return L[0][0] if L[0] else None, L[-1][-1], len(L), len(L[2])",
    "return sum(sum(r) for r in L), [len(r) for r in L]",
    "return [v for r in L for v in r], sum(L, [])",
    "return np.array(L[1]) * x[0], np.array([sum(r) for r in L])",
    "t = 0.0\nfor i in range(len(L)):\n    for v in L[i]: t += v * x[0]\nreturn t",
    "for i in range(len(L)):\n    for j in range(len(L[i])): L[i][j] = L[i][j] + i",
    "n = len(L[1])\nfor i in range(1, len(L)):\n"
    "    for j in range(min(n, len(L[i]))):\n"
    "        if L[i][j] > 2: L[i][j] = L[i][j] * 2",
    "for r in L: r[:] = [v * 2 for v in r]",
    "for r in L: r.append(len(r) * 0 + r[-1])",
    "for r in L: r.reverse()",
    "L[1][0], L[2][0] = L[2][0], L[1][0]",
    "L[1][0] = x[0]",
    "L[1].extend(L[2])\nL[2].clear()",
    "r = L[1]\nr[0] = r[0] * 3\nreturn r[0], L[1][0]",
    "r = L[int(x[0])]\nL[2][0] = L[1][0]\nreturn r[0]",
    "L[1][0] = L[2][0]\nif x[0] > 0: raise ValueError('no')",
    "L[1][0] = L[2][0]\nreturn L[300][0]",
    "print(L[0], len(L[1]))\nreturn f'{L[0]}'",
]
# Of these a trace needs the lists one by one.
NESTS_BY_ITEMS = [
    "return [list(r) for r in L]",
    "return [[v * 2 for v in r] for r in L]",
    "return [(i, r) for i, r in enumerate(L)]",
    "s.rows = L; s.rows[1][0] = s.rows[2][0]; return s.rows is L",
    "return L[0], L[1]",
    "s.best = L[0]; s.log.append(L[1])",
    "return [r for r in L], L[1:4], list(L), dict(enumerate(L))",
    "L[0], L[1] = L[1], L[0]; L[0].append(L[2][0])",
    "L[1] = L[1][:]; L[1][0] = L[2][0]",
    "L[0] = L[1]; L[0][0] = L[2][0]",
    "L.append(L[1]); L[1][0] = L[2][0]",
    "return L.pop()",
    "L.insert(0, L.pop())",
    "del L[0]; L.reverse()",
    "M = L[:]\nM[1][0] = L[2][0]",
    "M = [r for r in L]\nM[1][0] = L[2][0]",
    "r = L[1]\nreturn r is L[1], L[0] is L[1]",
    "r = L[1] if x[0] > 0 else L[2]\nreturn r",
    "best = L[1]\nfor r in L[2:]:\n    if len(r) > len(best): best = r\nreturn best",
    "L[1][0] = 'a'",
    "L[0] = None",
]


@pytest.mark.broad(3)
@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("use", USES_OF_NESTS + NESTS_BY_ITEMS)
def test_lists_in_a_list_stay_the_lists_that_they_are(use, kind, tmp_path, capsys):
    function = made(use, tmp_path)
    converted = ag.convert(function)
    for length in LENGTHS:
        results = []
        for f in (converted, function):
            rows = [*map(NESTS[kind], range(length))]
            simulation, x = Simulation() if "s." in use else None, np.array([2.0, 3.0])
            kept = outcome(lambda *given, f=f, rows=rows: (f(*given), rows), rows, x, simulation)
            results.append((kept, capsys.readouterr().out))
        assert results[0] == results[1], length
    is_open = use in USES_OF_NESTS
    assert bool(converted._policy.closed) is not is_open or "raise" in use
    if is_open and "raise" not in use and "300" not in use:
        assert converted.trace_count == 1, converted.explain()


def doubled(grid, row, x):
    for i in range(len(grid)):
        grid[i][0] = grid[i][0] * float(x[0])
    return row[0]


def added(one, other, x):
    for i in range(len(one)):
        for j in range(len(one[i])):
            one[i][j] = one[i][j] + other[i][j] * float(x[0])


@pytest.mark.parametrize(
    ("function", "row"),
    [
        (doubled, lambda rows: [1.0]),
        (doubled, lambda rows: rows[3]),
        (added, lambda rows: [[*r] for r in rows]),
    ],
)
def test_a_list_in_a_list_may_be_an_argument_too(function, row):
    converted = ag.convert(function)
    for count in (20, 30):
        left = []
        for f in (converted, function):
            rows = [*map(NESTS["grid"], range(count))]
            given = row(rows)
            left.append(shown([[*rows], f(rows, given, np.array([2.0])), rows, given], {}))
        assert left[0] == left[1]
    assert converted.trace_count == 1
    assert not converted._policy.closed


def next_generation(cells, x):
    n, m, made = len(cells), len(cells[0]), []
    for i in range(n):
        row = []
        for j in range(m):
            near = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    near += cells[(i + di) % n][(j + dj) % m]
            row.append(1 if near == 3 or (near == 4 and cells[i][j]) else 0)
        made.append(row)
    return made


def test_lists_of_lists_that_are_made_of_those_of_the_caller_are_given_back():
    converted = ag.convert(next_generation)
    for count in (18, 24):
        cells = [[(i * j) % 2 for j in range(count + 3)] for i in range(count)]
        assert converted(cells, np.ones(1)) == next_generation(cells, np.ones(1))
    assert converted.trace_count == 1
    assert not converted._policy.closed


def test_a_class_that_gets_methods_or_properties_later_has_no_columns_then():
    def changed_later(name, value):
        kind = type("Later", (Body,), {})
        items = [kind(float(i), 1) for i in range(20)]
        assert columns_of(items) is not None
        setattr(kind, name, value)
        found = columns_of(items)
        delattr(kind, name)
        return found is None and columns_of(items) is not None

    assert changed_later("a", property(lambda self: 5.0, lambda self, value: None))
    assert changed_later("__eq__", lambda self, other: True)
    assert changed_later("__bool__", lambda self: False)


def test_a_class_whose_dict_is_its_own_property_has_no_columns():
    class Shown(Slotted):
        __slots__ = ()
        __dict__ = property(lambda self: {"a": 3.0})

    assert columns_of([Slotted(1.0, 2)] * 1 + [Slotted(float(i), 1) for i in range(20)])
    assert columns_of([Shown(float(i), 1) for i in range(20)]) is None


@pytest.mark.parametrize("count", [5, 20])
def test_nan_is_sought_by_which_object_it_is(count):
    def counted(items, x):
        return items.count(items[0]), x * 2

    nan = math.nan
    converted = ag.convert(counted)
    assert converted([float(i) for i in range(count)], np.ones(2))[0] == 1
    got = observe(converted, ([nan] * count, np.ones(2)))  # Python makes the call, where it may
    assert got.value[0] == count if got.error is None else "nan is looked for" in str(got.error)


def test_a_list_that_another_thread_has_emptied_has_no_columns():
    assert columns_of([]) is None


def test_numbers_of_several_types_in_saved_and_exported_functions(tmp_path):
    @ag.convert
    def replaced(x, items):
        found = [*items]
        for i in range(len(items)):
            if x[i] > 3:
                found[i] = x[i]
        return found

    x, items = np.arange(20.0), [5.0 - i for i in range(20)]
    expected = repr(replaced(x, items))
    assert expected == repr(replaced.python_function(x, items))
    ag.save(replaced, tmp_path / "replaced.agz")
    ag.export_python(replaced, tmp_path / "replaced.py")
    space = {"__name__": "replaced"}
    exec((tmp_path / "replaced.py").read_text(), space)
    for f in (ag.load(tmp_path / "replaced.agz"), space["replaced"]):
        assert repr(f(x, (np.array(items),))) == expected
