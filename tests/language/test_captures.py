"""What a function reads from outside of itself: by reference, guarded, or written back."""

import collections
import contextlib
import dataclasses
import math
import types

import numpy as np
import pytest

import autograph as ag

X = np.array([1.0, 2.0])
SCALE = 2.0
SPACE = math
WEIGHTS = np.array([1.0, 1.0])
TABLE = {"k": 3.0, "w": np.array([1.0, 2.0])}
ROWS = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]


@contextlib.contextmanager
def changed(space, name, value):
    old = space[name]
    space[name] = value
    try:
        yield
    finally:
        space[name] = old


class Model:
    rate = 0.5

    def __init__(self):
        self.counter, self.bias, self.layers = 0, 10.0, [1.0, 2.0]
        self.weights = np.array([1.0, 2.0])


# ---- Python values are guarded (B6.12) ----------------------------------------------------------


def test_b6_12_captured_global_number():
    """A22, B6.12: a changed global traces again, once, and the reason says so."""
    f = ag.convert(lambda x: x * SCALE)
    assert f(3.0) == 6.0
    with changed(globals(), "SCALE", 5.0):
        assert f(3.0) == 15.0 and f(4.0) == 20.0
        assert f.trace_count == 2
        assert f.traces()[-1].reason == "`SCALE`: 2.0 -> 5.0, an input from now on"
    assert f(3.0) == 6.0


def test_b6_12_captured_closure_number():
    k = 2

    def body(x):
        return x * k

    f = ag.convert(body)
    assert f(3.0) == 6.0
    k = 7
    assert f(3.0) == 21.0 and "`k`: 2 -> 7" in f.explain()


def test_guards_tell_numbers_apart():
    for values in ([1, 1.0, True], [0.0, -0.0], [float("nan"), float("nan"), 1.0]):
        box = types.SimpleNamespace(k=None)
        f = ag.convert(lambda x: (x + 1, type(box.k).__name__, math.copysign(1.0, box.k)))
        for k in values:
            box.k = k
            assert f(1.0) == (2.0, type(k).__name__, math.copysign(1.0, k))


def test_guard_on_nan_holds():
    nan = float("nan")
    f = ag.convert(lambda x: x if nan != nan else -x)
    f(1.0), f(2.0), f(3.0)
    assert f.trace_count == 1


def test_b10_07_attribute_change():
    model = Model()
    f = ag.convert(lambda m, x: x * 2 + m.bias)
    assert f(model, 0.0) == 10.0
    model.bias = 20.0
    assert f(model, 0.0) == 20.0
    assert "Model.bias: 10.0 -> 20.0" in f.explain()
    Model.rate, before = 3.0, Model.rate
    g = ag.convert(lambda m, x: x * m.rate)
    try:
        assert g(model, 2.0) == 6.0
        Model.rate = 4.0
        assert g(model, 2.0) == 8.0
        model.rate = 5.0
        assert g(model, 2.0) == 10.0
    finally:
        Model.rate = before


def test_attribute_that_appears_and_disappears():
    box = types.SimpleNamespace(a=1.0)

    @ag.convert
    def f(x):
        if hasattr(box, "b"):
            return x * 2
        return getattr(box, "c", 3.0) + x

    assert f(1.0) == 4.0
    box.b = 1
    assert f(1.0) == 2.0
    del box.b
    assert f(1.0) == 4.0
    box.c = 10.0
    assert f(1.0) == 11.0


@pytest.mark.parametrize("native", [True, False])
def test_a_name_may_come_to_be_another_module(native, monkeypatch):
    first, second = (types.ModuleType(name) for name in ("first", "second"))
    first.__dict__.update(TABLE=np.ones(2), scaled=lambda x: x * 2.0)
    second.__dict__.update(TABLE=np.full(2, 9.0), scaled=lambda x: x * 3.0)
    space, holder = first, types.SimpleNamespace(space=first)
    functions = [
        (lambda x: np.sqrt(x) + space.TABLE, "space"),
        (lambda x: space.scaled(x), "space"),
        (lambda x: holder.space.scaled(x), "holder"),
        (lambda x: SPACE.scaled(x), "SPACE"),
    ]
    for function, name in functions:
        f = ag.convert(function, native=native)
        for module in (first, first, second, second, first):
            space = module if name == "space" else first
            holder.space = module if name == "holder" else first
            monkeypatch.setitem(globals(), "SPACE", module)
            np.testing.assert_array_equal(f(np.ones(2)), function(np.ones(2)))
        assert f.trace_count <= 3


class Stepper:
    factor = 2.0

    def step(self, x):
        return x * self.factor

    def __call__(self, x):
        return x * 5.0

    @property
    def rate(self):
        return 3.0


def moved_by(x, by=1.0):
    return x + by


STEPPER = Stepper()


@pytest.mark.parametrize(
    ("function", "thing", "name", "other"),
    [
        (lambda x: STEPPER.step(x), Stepper, "step", lambda self, x: x - self.factor),
        (lambda x: STEPPER.step(x), STEPPER, "step", lambda x: x - 1.0),
        (lambda x: STEPPER(x), Stepper, "__call__", lambda self, x: x * 6.0),
        (lambda x: x * STEPPER.rate, Stepper, "rate", property(lambda self: 4.0)),
        (lambda x: moved_by(x), moved_by, "__defaults__", (5.0,)),
        (lambda x: np.sqrt(x), np, "sqrt", np.square),
    ],
)
def test_code_that_was_changed_is_seen_once_the_cache_is_cleared(
    function, thing, name, other, monkeypatch
):
    f = ag.convert(function)
    np.testing.assert_array_equal(f(X), function(X))
    monkeypatch.setattr(thing, name, other, raising=False)
    f.cache_clear()
    for _ in range(2):
        np.testing.assert_array_equal(f(X), function(X))


def test_module_attributes_are_guarded():
    module = types.ModuleType("settings_of_a_test")
    module.k = 2.0
    f = ag.convert(lambda x: x * module.k)
    assert f(1.0) == 2.0
    module.k = 3.0
    assert f(1.0) == 3.0 and "settings_of_a_test.k: 2.0 -> 3.0" in f.explain()


def test_captured_function_is_replaced():
    def helper(x):
        return x + 1

    f = ag.convert(lambda x: helper(x))
    assert f(1.0) == 2.0

    def helper(x):
        return x + 100

    assert f(1.0) == 101.0 and f.trace_count == 2


def test_items_and_containers_are_guarded():
    f = ag.convert(lambda x: x * TABLE["k"])
    assert f(1.0) == 3.0
    with changed(TABLE, "k", 4.0):
        assert f(1.0) == 4.0
    items = [1.0, 2.0]
    total = ag.convert(lambda x: x + sum(items) + len(items))
    assert total(0.0) == 5.0
    items.append(3.0)
    assert total(0.0) == 9.0
    assert "a list" in total.explain()


@pytest.mark.parametrize("read", [
    lambda x, c: x + sum(v for v in c), lambda x, c: x + len(c), lambda x, c: x + max(c),
    lambda x, c: x + (1 if 5.0 in c else 0), lambda x, c: x + sorted(c)[-1],
    lambda x, c: x + list(c)[-1], lambda x, c: x + [*c][-1], lambda x, c: x + (1 if c else 0),
    lambda x, c: x + c.count(5.0) if isinstance(c, list) else x + len(c),
    lambda x, c: x + sum(a * b for a, b in zip(c, c)),
    lambda x, c: x + sum(i * b for i, b in enumerate(c)),
    lambda x, c: x + math.fsum(c),
])  # fmt: skip
@pytest.mark.parametrize("kind", [list, set, collections.deque, lambda c: dict.fromkeys(c, 1.0)])
def test_reads_of_a_container_are_guarded(read, kind):
    captured = kind([1.0, 2.0])
    f = ag.convert(lambda x: read(x, captured))
    assert f(1.0) == read(1.0, captured)
    for change in (lambda: captured.update({5.0: 2.0}) if isinstance(captured, dict)
                   else captured.add(5.0) if isinstance(captured, set)
                   else captured.append(5.0), captured.clear, ):  # fmt: skip
        change()
        try:
            expected = read(1.0, captured)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                f(1.0)
        else:
            assert f(1.0) == expected


def test_negative_index_of_a_captured_list():
    items = [1.0, 2.0]
    f = ag.convert(lambda x: x + items[-1])
    assert f(0.0) == 2.0
    items.append(3.0)
    assert f(0.0) == 3.0


def test_unchanged_captures_do_not_retrace():
    model = Model()
    f = ag.convert(lambda x: x * SCALE + model.bias + TABLE["k"] + sum(model.layers))
    for i in range(5):
        f(float(i))
    assert f.trace_count == 1


# ---- arrays are inputs by reference -------------------------------------------------------------


def test_captured_array_changed_in_place():
    f = ag.convert(lambda x: (x * WEIGHTS).sum())
    before = WEIGHTS.copy()
    try:
        assert f(1.0) == 2.0
        WEIGHTS[0] = 10.0
        assert f(1.0) == 11.0 and f.trace_count == 1
    finally:
        WEIGHTS[:] = before


def test_captured_array_replaced():
    with changed(globals(), "WEIGHTS", np.array([1.0, 1.0])):
        f = ag.convert(lambda x: (x * WEIGHTS).sum())
        f(1.0)
        globals()["WEIGHTS"] = np.array([5.0, 5.0])
        assert f(1.0) == 10.0 and f.trace_count == 1
        globals()["WEIGHTS"] = np.ones(3)
        assert f(1.0) == 3.0 and f.trace_count == 2
        assert "`WEIGHTS`: float64[2] -> float64[3]" in f.traces()[-1].reason
        globals()["WEIGHTS"] = 7.0
        with pytest.raises(AttributeError):
            f(1.0)


def test_captured_tensor_and_numpy_scalar():
    box = types.SimpleNamespace(t=ag.constant(2.0), s=np.float32(3.0))
    f = ag.convert(lambda x: x * box.t * box.s)
    assert f(1.0).numpy() == 6.0
    box.t, box.s = ag.constant(5.0), np.float32(4.0)
    assert f(1.0).numpy() == 20.0 and f.trace_count == 1


def test_captured_scalar_in_a_condition():
    box = types.SimpleNamespace(limit=np.float64(3.0))

    @ag.convert
    def f(x):
        if x > box.limit:
            return box.limit
        return x

    assert f(5.0) == 3.0
    box.limit = np.float64(4.0)
    assert f(5.0) == 4.0 and f.trace_count == 1


def rows_by_iteration(x):
    for row in ROWS:
        x = x + row[0] * row.sum()
    return x


def rows_by_enumerate(x):
    for i, row in enumerate(ROWS):
        x = x + i * row
    return x


def rows_by_zip(x):
    for a, b in zip(ROWS, reversed(ROWS)):
        x = x + a * b
    return x


def rows_unpacked(x):
    a, (b, c) = ROWS[0], ROWS[1]
    return x + a[1] * b + c


def rows_in_comprehension(x):
    return x + sum([row.max() for row in ROWS])


def rows_summed(x):
    return x + sum(ROWS)


def rows_stacked(x):
    return x + np.stack(ROWS).sum(axis=0) + np.concatenate(ROWS).sum()


def row_methods(x):
    return x + ROWS[1].mean() + np.dot(ROWS[0], ROWS[1]) + len(ROWS[0])


def rows_starred(x):
    first, *rest = ROWS
    return x + first[0] + rest[0][1]


def table_items(x):
    for _, value in TABLE.items():
        x = x * value
    return x


def table_values(x):
    for value in TABLE.values():
        x = x + value
    return x + TABLE.get("w")[0] + TABLE.copy()["w"][1]


@pytest.mark.parametrize("body", [
    rows_by_iteration, rows_by_enumerate, rows_by_zip, rows_unpacked, rows_in_comprehension,
    rows_summed, rows_stacked, row_methods, rows_starred, table_items, table_values,
])  # fmt: skip
def test_arrays_in_captured_containers_are_not_baked_in(body):
    f = ag.convert(body)
    arrays = [*ROWS, TABLE["w"]]
    saved = [a.copy() for a in arrays]
    try:
        for _ in range(3):
            np.testing.assert_array_equal(f(1.0), body(1.0))
            for a in arrays:
                a += 1.5
        assert f.trace_count == 1
    finally:
        for a, old in zip(arrays, saved):
            a[:] = old


def test_array_in_a_captured_list_replaced():
    rows = [np.ones(2), np.ones(2)]
    f = ag.convert(lambda x: x + sum(r.sum() for r in rows))
    assert f(0.0) == 4.0
    rows[0] = np.full(2, 5.0)
    assert f(0.0) == 12.0


def test_arrays_in_captured_objects_of_a_list():
    models = [Model(), Model()]

    def body(x):
        for m in models:
            x = x * m.weights + m.bias
        return x

    f = ag.convert(body)
    np.testing.assert_array_equal(f(1.0), body(1.0))
    models[0].weights[:] = 7.0
    np.testing.assert_array_equal(f(1.0), body(1.0))
    models[1].weights = np.array([0.0, 1.0])
    models[1].bias = 4.0
    np.testing.assert_array_equal(f(1.0), body(1.0))
    models.append(Model())
    np.testing.assert_array_equal(f(1.0), body(1.0))


def test_captured_array_written_in_place():
    total = np.zeros(2)

    @ag.convert
    def f(x):
        total[0] += x.sum()
        return total[0]

    assert f(X) == 3.0 and f(X) == 6.0 and total.tolist() == [6.0, 0.0]
    assert f.trace_count == 1


def test_two_names_of_one_captured_array():
    a = np.zeros(2)
    b = a

    @ag.convert
    def f(x):
        a[0] = x
        return b[0] + 1

    assert f(1.0) == 2.0 and f(5.0) == 6.0 and a[0] == 5.0


# ---- methods that Python itself calls -----------------------------------------------------------


class Bag:
    """A container of the user's own."""

    def __init__(self):
        self.rows, self.limit = [1.0, 2.0], 3.0
        self.array = np.array([1.0, 2.0])

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __contains__(self, item):
        return item in self.rows

    def __bool__(self):
        return self.limit > 2.0

    def __call__(self, x):
        return x * self.limit

    def __eq__(self, other):
        return self.limit == other

    def __lt__(self, other):
        return self.limit < other

    def __add__(self, other):
        return self.array * self.limit + other

    def __neg__(self):
        return self.array * -self.limit

    def __enter__(self):
        return self.limit

    def __exit__(self, *details):
        return None

    def rows_generated(self):
        for row in self.rows:
            yield row

    @property
    def half(self):
        return self.limit / 2

    @classmethod
    def of_class(cls):
        return cls

    __hash__ = None


BAG = Bag()


def bag_iter(x):
    for row in BAG:
        x = x + row
    return x


def bag_with(x):
    with BAG as limit:
        return x * limit


def bag_generator(x):
    for row in BAG.rows_generated():
        x = x + row
    return x


@pytest.mark.parametrize("body", [
    bag_iter, lambda x: x + len(BAG), lambda x: x + BAG[1],
    lambda x: x + (1.0 if 4.5 in BAG else 2.0),
    lambda x: x if BAG else -x, lambda x: BAG(x), lambda x: x + (1.0 if BAG == 3.0 else 2.0),
    lambda x: x + (1.0 if BAG < 3.5 else 2.0), lambda x: BAG + x, lambda x: x + (-BAG), bag_with,
    bag_generator, lambda x: x + BAG.half, lambda x: x + bool(BAG), lambda x: x + sum(BAG),
    lambda x: x + max(BAG), lambda x: x + list(BAG)[0], lambda x: x + [r * 2 for r in BAG][1],
    lambda x: x + sorted(BAG)[0], lambda x: x + sum(a for a, _ in zip(BAG, BAG)),
], ids=["iter", "len", "getitem", "contains", "if", "call", "eq", "lt", "add", "neg", "with",
        "generator", "property", "bool", "sum", "max", "list", "comprehension", "sorted",
        "zip"])  # fmt: skip
def test_special_methods_read_what_is_there_now(body):
    f = ag.convert(body)
    BAG.rows, BAG.limit, BAG.array = [1.0, 2.0], 3.0, np.array([1.0, 2.0])
    for _ in range(2):
        np.testing.assert_array_equal(f(1.0), body(1.0))
    for change in (lambda: BAG.rows.append(4.5), lambda: setattr(BAG, "limit", 4.0),
                   lambda: setattr(BAG, "limit", 1.0),
                   lambda: setattr(BAG, "rows", [7.0, 8.0, 9.0]),
                   lambda: BAG.array.__setitem__(0, 50.0)):  # fmt: skip
        change()
        np.testing.assert_array_equal(f(1.0), body(1.0))


def argument_with(bag, x):
    with bag as limit:
        return x * limit


@pytest.mark.parametrize("body", [
    lambda bag, x: x + len(bag), lambda bag, x: x + bag[1], lambda bag, x: x if bag else -x,
    lambda bag, x: bag(x), lambda bag, x: x + (1.0 if bag == 3.0 else 2.0),
    lambda bag, x: x + (1.0 if bag < 3.5 else 2.0), lambda bag, x: bag + x, argument_with,
    lambda bag, x: x + (-bag), lambda bag, x: x + sum(bag.rows_generated()),
    lambda bag, x: x + bag.half, lambda bag, x: x + [*bag.rows][0],
    lambda bag, x: x + (bag.rows + [1.0])[0], lambda bag, x: x + sum(bag.rows[1:]),
    lambda bag, x: x + (1.0 if bag.rows == [1.0, 2.0] else 2.0), lambda bag, x: x + bag.__len__(),
])  # fmt: skip
def test_special_methods_of_arguments_read_what_is_there_now(body):
    bag, f = Bag(), ag.convert(body)
    np.testing.assert_array_equal(f(bag, 1.0), body(bag, 1.0))
    for change in (lambda: bag.rows.append(4.5), lambda: setattr(bag, "limit", 4.0),
                   lambda: setattr(bag, "limit", 1.0),
                   lambda: setattr(bag, "rows", [7.0, 8.0, 9.0]),
                   lambda: bag.array.__setitem__(0, 50.0)):  # fmt: skip
        change()
        np.testing.assert_array_equal(f(bag, 1.0), body(bag, 1.0))


# ---- writes to what outlives the call (S8, B10.07) ----------------------------------------------


def test_b10_07_external_list_grows_by_each_call():
    seen = []

    @ag.convert
    def f(x):
        seen.append(x * 2)
        return x

    for i in range(3):
        f(float(i))
    assert seen == [0.0, 2.0, 4.0] and f.trace_count == 1


def test_b10_07_counter_of_a_model():
    model = Model()

    @ag.convert
    def f(m, x):
        m.counter += 1
        return x + m.counter

    assert [f(model, 0.0) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert model.counter == 3 and "Model.counter: " in f.explain()


def test_counter_as_an_array_does_not_retrace():
    model = Model()
    model.counter = np.int64(0)

    @ag.convert
    def f(m, x):
        m.counter = m.counter + 1
        return x + m.counter

    assert [f(model, 0.0) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert model.counter == 3 and type(model.counter) is np.int64 and f.trace_count == 1


@pytest.mark.parametrize("change", [
    lambda c, x: c.append(x), lambda c, x: c.extend([x, 1.0]), lambda c, x: c.insert(0, x),
    lambda c, x: c.pop(), lambda c, x: c.pop(0), lambda c, x: c.clear(), lambda c, x: c.reverse(),
    lambda c, x: c.__setitem__(0, x), lambda c, x: c.sort(key=lambda v: -v),
    lambda c, x: c.remove(2.0), lambda c, x: c.append(c[0]), lambda c, x: c.append(float(len(c))),
    lambda c, x: (c.append(x), c.append(c[0] + c[-1])), lambda c, x: (c.append(x), c.pop(0)),
    lambda c, x: (c.append(1.0), c.append(float(len(c)))),
])  # fmt: skip
def test_changes_of_a_captured_list(change):
    ours, theirs = [3.0, 2.0, 5.0], [3.0, 2.0, 5.0]
    f = ag.convert(lambda x: (change(ours, x), x + 1)[1])
    for i in range(3):
        try:
            change(theirs, float(i))
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                f(float(i))
        else:
            f(float(i))
        assert ours == theirs
        ours.append(2.0), theirs.append(2.0)


@pytest.mark.parametrize("change", [
    lambda d, x: d.update(a=x), lambda d, x: d.__setitem__("new", x), lambda d, x: d.pop("a", None),
    lambda d, x: d.setdefault("c", x), lambda d, x: d.clear(),
    lambda d, x: d.update({k: x for k in list(d)}), lambda d, x: d.__setitem__("a", d["a"] + x),
])  # fmt: skip
def test_changes_of_a_captured_dict(change):
    ours, theirs = {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}
    f = ag.convert(lambda x: (change(ours, x), x + 1)[1])
    for i in range(3):
        f(float(i)), change(theirs, float(i))
        assert ours == theirs and list(ours) == list(theirs)
        for d in (ours, theirs):
            d["a"] = d.get("a", 0.0) + 1.0
            d[f"k{i}"] = 1.0


@pytest.mark.parametrize("content", [[7, 8, 9], [1, 8, 9], [True, 2.0, None], [1, 2], []])
@pytest.mark.parametrize("other", [[1, 2, 3], (1, None, 3), [1, 5, 6, 7]])
def test_a_captured_list_is_given_what_it_may_have_had(other, content):
    ours = [1, 2, 3]

    @ag.convert
    def f(x):
        ours[:] = other
        return x

    for before in ([1, 2, 3], content, [1, 2, 3]):
        ours[:] = before
        f(1.0)
        assert [*map(repr, ours)] == [*map(repr, other)]


def test_an_empty_captured_list_has_no_last_item():
    ours = []

    @ag.convert
    def f(x):
        ours[-1] = x

    with pytest.raises(IndexError, match="list assignment index out of range"):
        f(1.0)


def test_changes_of_a_captured_set_and_deque():
    ours, theirs = {1}, {1}
    last, last_expected = collections.deque([1.0], maxlen=2), collections.deque([1.0], maxlen=2)

    def change(s, d, x, k):
        s.add(k)
        s.discard(1)
        d.append(x)

    f = ag.convert(lambda x, k: (change(ours, last, x, k), x + 1)[1])
    for i in range(4):
        f(float(i), str(i)), change(theirs, last_expected, float(i), str(i))
        assert ours == theirs and last == last_expected
        ours.add(1), theirs.add(1)


def test_containers_among_the_arguments_are_changed():
    @dataclasses.dataclass
    class State:
        position: object
        steps: int = 0
        history: list = dataclasses.field(default_factory=list)

    def body(state, items, table, x):
        state.position = state.position + x
        state.steps += 1
        state.history.append(x * 2)
        items[0] = x
        items.append(items[0] + 1)
        table["last"] = x
        table.setdefault("first", x)
        return x

    f = ag.convert(body)
    ours, theirs = (State(0.0), [5.0], {}), (State(0.0), [5.0], {})
    for i in range(3):
        f(*ours, float(i)), body(*theirs, float(i))
        assert ours == theirs


def test_array_in_a_container_argument_is_written():
    @ag.convert
    def f(items):
        items[0][0] = 7.0
        return items[0].sum()

    a = np.zeros(2)
    assert f([a]) == 7.0 and a.tolist() == [7.0, 0.0]


def test_one_container_in_two_places_is_pythons():
    def f(a, b, x):
        a.append(x)
        return x * len(b)

    shared = [1.0]
    converted = ag.convert(f)
    assert converted([1.0], [2.0], np.ones(1)) == 1.0
    assert converted(shared, shared, np.ones(1)) == 2.0
    assert shared == [1.0, np.ones(1)]
    with pytest.raises(ag.StagingError, match="passed twice"):
        ag.convert(f, returns="tensor")(shared, shared, np.ones(1))
    assert len(shared) == 2


def test_object_made_in_the_function_is_stored():
    class Pair:
        def __init__(self, a):
            self.a = a

    model = Model()

    @ag.convert
    def f(m, x):
        m.pair = Pair("text")
        return x + 1

    f(model, 1.0)
    assert model.pair.a == "text"

    @ag.convert
    def g(m, x):
        m.pair = Pair(x)
        return x + 1

    g(model, 1.0)
    first = model.pair
    g(model, 2.0)
    assert (first.a, model.pair.a) == (1.0, 2.0)


def test_deleted_attribute():
    box = types.SimpleNamespace(a=1.0)

    @ag.convert
    def f(x):
        if hasattr(box, "a"):
            del box.a
        return x + 1

    assert f(1.0) == 2.0 and not hasattr(box, "a")
    assert f(1.0) == 2.0
    box.a = 3.0
    assert f(1.0) == 2.0 and not hasattr(box, "a")


COUNT = 0


def test_global_and_nonlocal_are_written():
    local = 0.0

    @ag.convert
    def f(x):
        global COUNT
        nonlocal local
        COUNT += 1
        local = local + x
        return local

    assert [f(1.0), f(2.0), f(3.0)] == [1.0, 3.0, 6.0]
    assert COUNT == 3 and local == 6.0


# ---- iterators and other state (B10.06) ---------------------------------------------------------


def test_b10_06_captured_iterator_is_never_frozen():
    source = iter([1.0, 2.0, 3.0])

    f = ag.convert(lambda x: x + next(source))
    assert [f(0.0), f(0.5)] == [1.0, 2.5] and f.trace_count == 1
    assert list(source) == [3.0]

    more = iter([1.0, 2.0])

    @ag.convert
    def g(x):
        for v in more:
            x = x + v
        return x

    assert [g(0.0), g(0.0)] == [3.0, 0.0] and list(more) == []


def test_iterator_made_in_the_function_is_fine():
    @ag.convert
    def f(x):
        source = iter([1.0, 2.0])
        return x + next(source) * 10 + next(source)

    assert f(0.0) == 12.0 and f(1.0) == 13.0


def test_random_and_time_are_not_frozen():
    import random
    import time

    generator = np.random.default_rng(0)
    for body in (lambda x: x + random.random(), lambda x: x + generator.normal(),
                 lambda x: x + np.random.rand()):  # fmt: skip
        f = ag.convert(body)
        assert len({f(1.0), f(1.0), f(1.0)}) == 3 and f.trace_count == 1
    clock = ag.convert(lambda x: x + time.perf_counter())
    assert time.perf_counter() <= clock(0.0) < clock(0.0) <= time.perf_counter()
    assert clock.trace_count == 1


# ---- the caller's arrays (S7) -------------------------------------------------------------------


def test_s7_argument_written_in_place():
    def body(x, y):
        x[0] = y.sum()
        x[1:] += 1
        return x

    f = ag.convert(body)
    x = np.zeros(3)
    assert f(x, X) is x and x.tolist() == [3.0, 1.0, 1.0]
    view = np.zeros((3, 2))
    assert f(view[:, 1], X).tolist() == [3.0, 1.0, 1.0] and view[:, 1].tolist() == [3.0, 1.0, 1.0]
    assert f.trace_count == 1


def test_s7_result_is_the_argument_or_shares_nothing():
    x = np.arange(4.0)
    assert ag.convert(lambda a: a)(x) is x
    for body in (lambda a: a[1:], lambda a: a.reshape(2, 2), lambda a: a.T, lambda a: a + 0,
                 lambda a: (a[:2], a[2:]), lambda a: np.asarray(a)[::2]):  # fmt: skip
        result = ag.convert(body)(x)
        for part in result if isinstance(result, tuple) else (result,):
            assert not np.shares_memory(part, x)


def test_s7_results_share_nothing_between_calls_and_with_captures():
    f = ag.convert(lambda x: (WEIGHTS, WEIGHTS * 1, np.zeros(2), x))
    same, product, zeros, _ = f(1.0)
    assert same is WEIGHTS
    zeros[:] = 9.0
    product[:] = 9.0
    assert f(1.0)[2].tolist() == [0.0, 0.0] and f(1.0)[1].tolist() == WEIGHTS.tolist()


def test_s7_aliased_arguments():
    @ag.convert
    def writes(a, b):
        a[0] = 5.0
        return b.sum()

    x = np.zeros(4)
    assert writes(x, x) == 5.0 and x[0] == 5.0  # as plain Python, which these calls are
    x[0] = 0.0
    assert writes(x, x[::-1]) == 5.0
    assert writes(np.zeros(4), x.copy()) == 5.0
    assert ag.convert(lambda a, b: (a * b).sum())(x, x) == 25.0


def test_s7_aliased_argument_and_capture():
    total = np.zeros(2)

    @ag.convert
    def f(x):
        total[0] = 4.0
        return x.sum()

    assert f(total) == 4.0
    total[0] = 0.0
    assert f(np.ones(2)) == 2.0 and total[0] == 4.0


def test_read_only_argument_written():
    x = np.zeros(2)
    x.flags.writeable = False

    @ag.convert
    def f(a):
        a[0] = 1.0
        return a.sum()

    with pytest.raises(ValueError, match="read-only"):
        f(x)
    assert x.tolist() == [0.0, 0.0]


# ---- arrays of which only the type is read -------------------------------------------------------

SIZED = np.zeros(3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: SIZED.shape[0] * x,
        lambda x: len(SIZED) * x,
        lambda x: np.ones(SIZED.shape).sum() * x,
        lambda x: [x * i for i in range(SIZED.size)],
        lambda x: x if SIZED.dtype == np.float64 else -x,
        lambda x: x if isinstance(SIZED, np.ndarray) and SIZED.ndim == 1 else -x,
    ],
    ids=["shape", "len", "made", "rounds", "dtype", "class"],
)
def test_e2_the_type_of_an_array_that_the_graph_does_not_read_is_guarded(function, monkeypatch):
    f = ag.convert(function)
    for array in (np.zeros(3), np.zeros(5), np.zeros(5, np.float32), np.ones((2, 1)), np.ones(3)):
        monkeypatch.setitem(globals(), "SIZED", array)
        assert f(2.0) == function(2.0)
    assert f.trace_count == 4  # the first one serves three numbers again
    assert "`SIZED`: float32[5] -> float64[2, 1]" in f.traces()[-1].reason


held = (np.ones(4), np.float64(1.5))


def given_back_by_a_try_that_writes(x, a):
    own = held[0]
    while a[0] > 1:
        try:
            if x > 2:
                raise ValueError
            return x, own, held
        except ValueError:
            held[0][:1] = held[1] * x
            x = x - 1
    return x, own, held


def test_a_tuple_from_outside_is_given_back_with_what_was_written_to_its_array():
    converted = ag.convert(given_back_by_a_try_that_writes)
    for x, first in ((4.0, 3.0), (1.0, 3.0), (5.0, 0.0)):
        found = []
        for call in (given_back_by_a_try_that_writes, converted):
            held[0][:] = 1.0
            value, own, nest = call(np.float64(x), np.array([first, 2.0]))
            assert own is held[0] and nest[0] is held[0]
            found.append((value, own.copy()))
        np.testing.assert_array_equal(found[0][0], found[1][0])
        np.testing.assert_array_equal(found[0][1], found[1][1])
    assert converted.trace_count == 1
