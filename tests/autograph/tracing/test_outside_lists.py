"""Long lists in names and attributes: one trace for all lengths, contents and lists."""

import importlib.util

import numpy as np
import pytest

import autograph as ag
from tests.autograph.tracing.test_columns import (
    BY_ITEMS,
    KINDS,
    LENGTHS,
    USES,
    Body,
    Simulation,
    number,
    outcome,
    shown,
)

# Where the list `L` is found. Each of these has `use(x, s)` and `put(items)`.
PLACES = {
    "a global name": """
L = []


def use(x, s):
{body}


def put(items):
    global L
    L = items
""",
    "a cell": """
def around():
    L = []

    def use(x, s):
{body}

    def put(items):
        nonlocal L
        L = items

    return use, put


use, put = around()
""",
    "an attribute": """
class Holder:
    def use(self, x, s):
{body}


holder = Holder()
use = holder.use


def put(items):
    holder.items = items
""",
}


def module(place, use, tmp_path):
    """A module with a function that uses a list in a place."""
    depth = 2 if "around" in PLACES[place] or "class" in PLACES[place] else 1
    lines = use.replace("; ", "\n").splitlines()
    body = "".join(f"{'    ' * depth}{line}\n" for line in lines).rstrip()
    if place == "an attribute":
        body = body.replace("L", "self.items")
    path = tmp_path / f"use_{len(list(tmp_path.iterdir()))}.py"
    path.write_text("import numpy as np\n" + PLACES[place].format(body=body))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


CASES = [(use, kind) for use, kinds in (USES | BY_ITEMS).items() for kind in kinds]


@pytest.mark.broad(3)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("use", "kind"), CASES)
def test_lists_in_places_mean_what_they_mean_in_python(use, kind, place, tmp_path):
    found, plain = (module(place, use, tmp_path) for _ in range(2))
    converted = ag.convert(found.use)
    for length in LENGTHS:
        results = []
        for put, f in ((found.put, converted), (plain.put, plain.use)):

            def use_of(items, x, simulation, put=put, f=f):
                put(items)
                return f(x, simulation)

            simulation = Simulation() if "s." in use else None
            items = [*map(KINDS[kind], range(length))]
            results.append(outcome(use_of, items, np.array([2.0, 3.0]), simulation))
        assert results[0] == results[1], length
    if use in USES and "raise" not in use and "+ 100" not in use:
        assert converted.trace_count <= 2, converted.explain()
        assert not converted._policy.lists.closed, converted.explain()


def world(kind, call=0):
    """Lists under several names, of which two are one by the `kind`."""
    found = Simulation()
    found.one = [number(i) + call for i in range(20)]
    found.two = found.one if kind == "one list twice" else [0.5] * 24
    found.rows, found.bodies = [found.one], [Body(number(i), i) for i in range(20)]
    found.back, found.best = found.bodies[::-1], found.bodies[3]
    passed = found.one if kind == "an argument" else [1.5] * 20
    return found, passed


# What is done with lists of an object `w`, of which one may be the argument `L`; whether they are
# columns to the end.
NAMES = {
    "return L is w.one, sum(w.one) * x[0]": True,
    "L.append(2.5); return len(w.one), sum(w.one) * x[0]": True,
    "w.one[0] = w.one[1]; return sum(L), sum(w.one), x": True,
    "w.two[0] = float(x[0]); return w.one[0], w.one is w.two, sum(w.one), sum(w.two)": True,
    "w.one = [v * x.size for v in w.one]; return sum(w.one)": True,
    "w.one.append(9.0); w.one = [v + 1 for v in w.one]; return len(w.one), x": True,
    "w.log = w.one; w.log[0] = float(x[0]); return w.log is w.one, sum(w.one)": True,
    "if x[0] > 0: w.one = [1.0] * 30\nreturn sum(w.one), len(w.one)": True,
    "w.one[:], w.two[:] = w.two[:], w.one[:]; return sum(w.one) * x[0]": True,
    "w.two.extend(w.one); w.one.clear(); return len(w.two), x": True,
    "t = sum(w.one) * x[0]; w.one.clear(); w.one.append(3.0); return t": True,
    "m = min(w.bodies, key=lambda b: b.a)\nm.a = m.a + float(x[0])\nreturn m": True,
    "w.one[1] = sum(w.one); return w.rows[0][1], w.rows[0] is w.one, x": False,
    "y = w.__dict__['one']\nw.one[0] = sum(w.one)\nreturn y[0], y is w.one, x": False,
    "for b in w.bodies: b.a += float(x[0])\nreturn w.best.a, w.best is w.bodies[3]": False,
    "for b in w.bodies: b.a += float(x[0])\nreturn w.back[0].a, w.back[19] is w.bodies[0]": False,
    "w.best = w.bodies[0]; w.best.a = float(x[0])": False,
    "w.bodies[0], w.bodies[1] = w.bodies[1], w.bodies[0]; return w.bodies[0].a * x[0]": False,
    "try: return sum(w.one) * x[0]\nexcept Exception: return None": True,
    "w.one.append(x.size); return w.one.count(1.5), x": None,
}


@pytest.mark.parametrize("kind", ["lists apart", "one list twice", "an argument"])
@pytest.mark.parametrize("use", NAMES)
def test_lists_under_several_names_stay_the_lists_that_they_are(use, kind, tmp_path):
    path = tmp_path / "use.py"
    lines = use.replace("; ", "\n").splitlines()
    path.write_text("def use(w, L, x):\n" + "".join(f"    {line}\n" for line in lines))
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    converted = ag.convert(space["use"])
    held, plain = world("lists apart"), world("lists apart")
    for call, now in enumerate(("lists apart", kind, "lists apart")):
        seen = []
        for mine, (fresh, passed) in ((held, world(now, call)), (plain, world(now, call))):
            vars(mine[0]).update(vars(fresh))
            mine[1][:], x = passed, np.array([2.0, 3.0])
            given = mine[0].one if now == "an argument" else mine[1]
            function = converted if mine is held else space["use"]
            result = function(mine[0], given, x)
            seen.append(shown([mine[0], given, result, x], {}))
        assert seen[0] == seen[1], now
    lists = converted._policy.lists
    if NAMES[use] is not None and kind == "lists apart":
        assert lists.opened and bool(lists.closed) is not NAMES[use], converted.explain()


def test_tables_that_nobody_changes_are_constants(tmp_path):
    table = [number(i) for i in range(20)]

    @ag.convert
    def weighed(x):
        return sum(table) * x

    for _ in range(2):
        assert (weighed(np.ones(2)) == sum(table)).all()
    assert not weighed._policy.lists.opened
    table[3] += 1.0
    assert (weighed(np.ones(2)) == sum(table)).all()
    table.append(2.0)
    assert (weighed(np.ones(2)) == sum(table)).all()
    assert (weighed.trace_count, len(weighed.traces())) == (2, 1)


def test_a_list_that_is_only_appended_to_is_not_read():
    log = [number(i) for i in range(200)]

    @ag.convert
    def noted(x):
        log.append(float(x[0]))
        return x * 2

    for _ in range(3):
        noted(np.ones(2))
    assert len(log) == 203
    assert noted.trace_count == 1
    assert not noted._policy.lists.opened


# What is in a list at first, and what is done with it.
BEGINNINGS = {
    "numbers": ([number(i) for i in range(200)], "items.append(sum(items, x))"),
    "rows": ([[number(i), 1.0] for i in range(200)], "items[0].append(sum(r[1] for r in items))"),
}
OTHERS = {
    "none": [], "few": [2.5, 0.5], "rows": [[1.0, 2.0], [2.0, 3.0]], "one row": [[1.0, 2.0]] * 20,
    "text": ["ab"] * 20, "shorter": [1.5] * 18, "shorter rows": [[1.0, 2.0] for _ in range(18)],
}  # fmt: skip


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_list_that_is_changed_may_have_other_things_in_it_next_time(beginning, other, tmp_path):
    first, use = BEGINNINGS[beginning]
    results = []
    for wrap in (ag.convert, lambda f: f):
        found = module("a cell", use.replace("items", "L"), tmp_path)
        function = wrap(found.use)
        seen = []
        for content in (first, OTHERS[other], first):
            copies = {id(v): v.copy() if type(v) is list else v for v in content}
            items = [copies[id(v)] for v in content]
            found.put(items)
            seen.append(outcome(lambda L, x, s, f=function: f(x, s), items, 1.0, None))
        results.append(seen)
        assert wrap is not ag.convert or function._policy.lists.opened
    assert results[0] == results[1]


def test_a_graph_that_is_called_by_itself_writes_into_the_list():
    items = [number(i) for i in range(200)]

    @ag.convert
    def halved(x):
        for i in range(len(items)):
            items[i] = items[i] * float(x[0])
        return items

    concrete = halved.get_concrete_function(np.ones(1))
    before = [*items]
    assert concrete(np.array([0.5])) is items
    assert items == [v * 0.5 for v in before]


def test_gradients_go_through_a_list_in_a_place():
    items = [number(i) for i in range(200)]

    def weighed(x):
        total = 0.0
        for v in items:
            total = total + v * x * x
        return total

    gradient = ag.grad(weighed)
    for change in (0.0, 2.5):
        items[3] += change
        assert gradient(2.0) == pytest.approx(4.0 * sum(items))
