"""Methods that Python calls by itself on the user's objects: guarded, staged, and with effects."""

import contextlib
import dataclasses
import functools
import threading

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, assert_equal, no_line_of, observe, refuse

samples = Samples()
F, I = np.float64, np.int64


def follow(sample, make, change, *cases, traces):
    """Calls with one object that `change` changes before the last: as plain Python each time."""
    things = [make() for _ in range(1 + len(BACKENDS))]
    plain = things.pop()
    functions = [ag.convert(sample) for _ in BACKENDS]
    for k, case in enumerate(cases):
        if k == len(cases) - 1:
            for thing in (plain, *things):
                change(thing)
        expected = observe(sample, (plain, *case))
        for backend, function, thing in zip(BACKENDS, functions, things):
            alone = no_line_of(__file__) if k == 1 else contextlib.nullcontext()
            with config.backend.using(backend), config.check.using(True), alone:
                got = observe(function, (thing, *case))
            assert type(got.error) is type(expected.error), f"{got} for {expected}"
            assert_equal(got.value, expected.value)
            assert got.printed == expected.printed
            assert repr(vars(thing)) == repr(vars(plain))
    for function in functions:
        assert function.trace_count == traces, function.explain()


# ---- what implicit calls read is guarded (S6) ----------------------------------------------------


class Bag:
    def __init__(self):
        self.items, self.table = [1.0, 2.0], {"a": 2.0, "b": 3.0}
        self.limit = 2

    def __iter__(self):
        return iter(self.items[: self.limit])

    def __len__(self):
        return self.limit

    def __contains__(self, item):
        return item < self.limit

    def __getitem__(self, key):
        return self.table[key] * self.limit

    def keys(self):
        return [k for k in self.table if self.table[k] > self.limit - 1]

    def __call__(self, x):
        return x * self.limit


class Lazy(Bag):
    """Its items come from a generator."""

    def __iter__(self):
        for item in self.items:
            if item < self.limit:
                yield item


class Sized:
    limit = 1

    def __len__(self):
        return self.limit


class Flag(Bag):
    def __bool__(self):
        return self.limit > 1


def total(*args, **kwargs):
    return sum(args) + sum(kwargs.values())


def first_and_rest(bag, x):
    first, *rest = bag
    return x * first, [x + r for r in rest]


def unpacked(bag, x):
    (a,) = [*bag][:1]
    return x * a


def looped(bag, x):
    for item in bag:
        x = x + item
    return x


def by_hand(bag, x):
    iterator = iter(bag)
    return x * next(iterator, 0.0) + next(iterator, 5.0)


IMPLICIT = {
    "display": lambda bag, x: [x * item for item in [*bag]],
    "set": lambda bag, x: x * len({*bag}) + 1.0,
    "tuple": lambda bag, x: x * sum((1.0, *bag)),
    "arguments": lambda bag, x: total(x, *bag),
    "keywords": lambda bag, x: total(x, **bag),
    "mapping": lambda bag, x: x * total(0.0, **{**bag}),
    "dict": lambda bag, x: x * len(dict(bag)),
    "unpacked": unpacked,
    "starred": first_and_rest,
    "loop": looped,
    "comprehension": lambda bag, x: [x + item for item in bag],
    "iterator": by_hand,
    "in": lambda bag, x: x if 1 in bag else -x,
    "not in": lambda bag, x: x if 1 not in bag else -x,
    "len": lambda bag, x: x * len(bag),
    "bool": lambda bag, x: x if bool(bag) else -x,
    "if": lambda bag, x: x if bag else -x,
    "not": lambda bag, x: x if not bag else -x,
    "and": lambda bag, x: x if bag and x is not None else -x,
    "item": lambda bag, x: x * bag["a"],
    "call": lambda bag, x: bag(x),
    "sum": lambda bag, x: x + sum(bag),
    "sorted": lambda bag, x: x * sorted(bag)[-1],
    "list": lambda bag, x: x * len(list(bag)),
    "max": lambda bag, x: x * max(bag),
    "zip": lambda bag, x: [x * a for a, _ in zip(bag, "ab")],
    "enumerate": lambda bag, x: [x * a + i for i, a in enumerate(bag)],
    "map": lambda bag, x: list(map(lambda a: x * a, bag)),
    "any": lambda bag, x: x if any(a > 1.5 for a in bag) else -x,
}


@pytest.mark.parametrize("sample", IMPLICIT.values(), ids=IMPLICIT)
def test_s6_what_implicit_calls_read_is_guarded(sample):
    def change(bag):
        bag.limit = 1

    follow(sample, Flag, change, (F(2.0),), (F(3.0),), (F(4.0),), traces=2)


@pytest.mark.parametrize("key", ["display", "arguments", "loop", "unpacked", "sum", "sorted"])
def test_s6_generators_of_objects_are_guarded(key):
    def change(bag):
        bag.items[0] = 0.5

    follow(IMPLICIT[key], Lazy, change, (F(2.0),), (F(3.0),), (F(4.0),), traces=2)


@pytest.mark.parametrize("key", ["if", "bool", "len", "not"])
def test_s6_the_length_is_the_truth_value(key):
    def change(sized):
        sized.limit = 0

    follow(IMPLICIT[key], Sized, change, (F(2.0),), (F(3.0),), (F(4.0),), traces=2)


def test_s6_other_attributes_may_change():
    def change(bag):
        bag.table["a"] = 9.0

    follow(IMPLICIT["len"], Bag, change, (F(2.0),), (F(3.0),), (F(4.0),), traces=1)


# ---- their control flow is staged, arrays are inputs ---------------------------------------------


class Point:
    """Every operator of it branches on data."""

    __array_ufunc__ = None

    def __init__(self, x):
        self.x = x
        self.count = F(0.0)
        if x > 100:
            self.x = x / 2

    def _clipped(self, y):
        self.count = self.count + 1.0
        if y > 10:
            return y - 10
        return y

    def __add__(self, y):
        return self._clipped(self.x + y)

    def __radd__(self, y):
        if y > 1:
            return y - self.x
        return self.x

    def __matmul__(self, y):
        return self._clipped(self.x * y)

    def __iadd__(self, y):
        if y > 2:
            self.x = self.x + y
        return self

    def __neg__(self):
        return -self.x if self.x > 0 else F(0.0)

    def __abs__(self):
        return self._clipped(abs(self.x))

    def __lt__(self, y):
        if self.x > 3:
            return y > 0
        return y < 0

    def __eq__(self, y):
        return self._clipped(y) == self.x

    def __hash__(self):
        return 3

    def __float__(self):
        return float(self._clipped(self.x))

    def __int__(self):
        return int(self._clipped(self.x))

    def __bool__(self):
        return bool(self._clipped(self.x) > 4)

    def __len__(self):
        n = 2
        if self.x > 3:
            n = 3
        return n

    def __contains__(self, y):
        if y > self.x:
            return False
        return y > 0

    def __getitem__(self, k):
        if self.x > k:
            return self.x * k
        return self.x

    def __setitem__(self, k, value):
        if value > 3:
            self.x = value * k

    def __delitem__(self, k):
        self.x = self.x + k

    def __call__(self, y):
        if y > 3:
            return y + self.x
        return y - self.x

    def __str__(self):
        return f"at {self.x}"

    def __repr__(self):
        return f"Point({self._clipped(self.x)})"

    def __format__(self, spec):
        return f"<{self.x:{spec}}>" if spec else "<>"

    @property
    def half(self):
        if self.x > 5:
            return self.x / 2
        return self.x

    @half.setter
    def half(self, value):
        if value > 2:
            self.x = value * 2
        else:
            self.x = value * 3

    def __round__(self, n=0):
        return self._clipped(self.x)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.count = self.count + 1.0
        if self.x > 3:
            return self.x * len(name)
        return self.x


def add_in_place(p, x):
    p += x
    return p.x


def set_item(p, x):
    p[2] = x
    return p.x


def delete_item(p, x):
    del p[2]
    return p.x


def set_property(p, x):
    p.half = x
    return p.x


def text(p, x):
    print(p, repr(p), f"{p!r} {p:.2f} {p} {x}", str(p), format(p, ".1f"))
    print(", ".join([str(p), "and", f"{x}"]))
    return x


def missing_twice(p, x):
    return p.nothing + p.none * x, p.count


OPERATORS = {
    "add": lambda p, x: p + x,
    "radd": lambda p, x: x + p,
    "matmul": lambda p, x: p @ x,
    "iadd": add_in_place,
    "neg": lambda p, x: -p * x,
    "abs": lambda p, x: abs(p) + x,
    "lt": lambda p, x: p < x,
    "gt": lambda p, x: -x if x > p else x,
    "eq": lambda p, x: x if p == x else -x,
    "float": lambda p, x: float(p) * x,
    "int": lambda p, x: int(p) * x,
    "if": lambda p, x: x if p else -x,
    "not": lambda p, x: not p,
    "bool": lambda p, x: bool(p),
    "len": lambda p, x: len(p) * x,
    "in": lambda p, x: x in p,
    "not in": lambda p, x: x if x not in p else -x,
    "getitem": lambda p, x: p[3] + x,
    "setitem": set_item,
    "delitem": delete_item,
    "call": lambda p, x: p(x),
    "property": lambda p, x: p.half * x,
    "setter": set_property,
    "text": text,
    "getattr": missing_twice,
    "getattr default": lambda p, x: getattr(p, "nothing", 5.0) * x,
    "hasattr": lambda p, x: x if hasattr(p, "nothing") else -x,
}


@pytest.mark.parametrize("sample", OPERATORS.values(), ids=OPERATORS)
def test_s9_operator_methods_are_staged(sample):
    def change(p):
        p.x = F(2.5)

    cases = [(F(4.0),), (F(8.0),), (F(-3.0),), (F(1.0),)]
    follow(sample, lambda: Point(F(6.0)), change, *cases, traces=1)


def made(x):
    p = Point(x)
    q = p + 3.0
    p += q
    p[1] = x
    return q, -p, abs(p), p.half, p.count, p.missing


@samples("S9", (F(4.0),), (F(8.0),), (F(-3.0),), (F(300.0),))
def made_in_the_function(x):
    return made(x)


@samples("S9", (F(4.0),), (F(-8.0),))
def made_in_a_branch(x):
    y = x
    if x > 0:
        p = Point(x)
        p += 5.0
        y = p.x + p
    return y


@samples("S9", (F(4.0),), (F(0.0),))
def made_in_a_loop(x):
    s = F(0.0)
    while s < x:
        p = Point(s)
        p.half = s + 1.0
        s = s + abs(p)
    return s


class Base:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)

    def __new__(cls, x):
        self = super().__new__(cls)
        self.made = x if x > 0 else -x
        return self

    def __init__(self, x):
        self.x = x * 2.0

    def __add__(self, other):
        return self.x + other


class Derived(Base):
    def __init__(self, x):
        super().__init__(x)
        if x > 1:
            self.x = self.x + 1.0

    def __add__(self, other):
        return super().__add__(other) * 10.0


@samples("S9", (F(4.0),), (F(-8.0),))
def constructors(x):
    d = Derived(x)
    return d.made, d.x, d + x


@dataclasses.dataclass
class Pair:
    a: object
    b: object = 2.0
    kept: object = dataclasses.field(default=0.0, compare=False)

    def __post_init__(self):
        if self.a > 2:
            self.a = self.a * 2.0


# From Python 3.13 on, `==` of dataclasses gives what the last comparison gave.
@samples("S9", (F(4.0),), (F(1.0),), (F(8.0),), joined=True)
def dataclasses_of_data(x):
    p, q = Pair(x), Pair(x * 1.0, 2.0, kept=7.0)
    r = Pair(F(8.0))
    return p.a, p == q, p == r, p != r, x if p == r else -x


class Journaling:
    def __init__(self):
        object.__setattr__(self, "log", [])
        object.__setattr__(self, "values", {})

    def __setattr__(self, name, value):
        if name.startswith("v"):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)
            self.values[name] = value

    def __delattr__(self, name):
        self.log.append(f"del {name}")
        object.__delattr__(self, name)


def set_and_delete(thing, x):
    thing.seen = x * 2.0
    thing.gone = x
    del thing.gone
    return thing.seen


def test_s8_setattr_and_delattr_of_the_user():
    follow(set_and_delete, Journaling, lambda t: None, (F(1.0),), (F(2.0),), (F(3.0),), traces=1)


class Typed:
    """A descriptor with a branch on data."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, thing, owner=None):
        if thing is None:
            return self
        return getattr(thing, self.name) * 2.0

    def __set__(self, thing, value):
        if value > 3:
            value = value - 3
        setattr(thing, self.name, value)


class Described:
    value = Typed()

    def __init__(self):
        self._value = F(1.0)


def through_descriptor(thing, x):
    thing.value = thing.value + x
    return thing.value


def test_s9_descriptors_are_converted():
    def change(thing):
        thing._value = F(7.0)

    cases = [(F(1.0),), (F(2.0),), (F(3.0),)]
    follow(through_descriptor, Described, change, *cases, traces=1)


class Cached:
    def __init__(self):
        self.x = F(3.0)
        self.runs = []

    @functools.cached_property
    def square(self):
        self.runs.append(1)
        if self.x > 2:
            return self.x * self.x
        return self.x


def test_s9_cached_properties_are_computed_once():
    plain, thing = Cached(), Cached()
    f = ag.convert(read_cached)
    for k in range(4):
        if k == 3:
            plain.x = thing.x = F(9.0)
        assert_equal(f(thing, F(k)), read_cached(plain, F(k)))
        assert vars(thing) == vars(plain)
    assert f.trace_count == 2  # the second finds the value in its place


def read_cached(thing, x):
    return thing.square * x + thing.square


class Countdown:
    """An iterator with state."""

    def __init__(self):
        self.n = 3

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


def test_s8_iterators_of_the_user_advance_at_each_call():
    plain, thing = Countdown(), Countdown()
    f = ag.convert(one_more)
    for k in range(5):
        assert_equal(f(thing, F(k)), one_more(plain, F(k)))
        assert thing.n == plain.n


def one_more(iterator, x):
    return x + next(iterator, -7.0)


class Halving:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        if self.x < 1.0:
            raise StopIteration
        self.x = self.x / 2.0
        return self.x


def halved(x):
    total = F(0.0)
    for y in Halving(x):  # refused
        total = total + y
    return total


def test_s8_an_iterator_that_ends_depending_on_data_is_refused():
    refuse(halved, F(5.0), match="a Halving has a next item is known only")


class Weird:
    def __init__(self):
        self.x = F(2.0)

    def __hash__(self):
        return hash(self.x)

    def __len__(self):
        return self.x  # no int


def no_int(thing, x):
    return len(thing) * x


def test_s1_what_python_refuses_stays_refused():
    with pytest.raises(TypeError):
        no_int(Weird(), 1.0)
    with pytest.raises((TypeError, ag.StagingError)):
        ag.convert(no_int)(Weird(), 1.0)


@samples("S9", (Point(F(6.0)), F(1.0)))
def text_of_an_object_changed(p, x):
    return str(p).upper(), x


def test_s18_classes_are_as_before_after_a_trace_and_for_other_threads():
    before = dict(vars(Point))
    seen = []

    class Spy(Point):
        def __add__(self, y):
            thread = threading.Thread(target=lambda: seen.append(Point(F(1.0)) + F(2.0)))
            thread.start()
            thread.join()
            return super().__add__(y)

    f = ag.convert(lambda p, x: p + x)
    for k in (1, 2):
        assert f(Spy(F(2.0)), F(1.0)) == 3.0 and seen == [3.0] * k
    assert dict(vars(Point)) == before
    assert f(Point(F(2.0)), F(1.0)) == 3.0
    assert dict(vars(Point)) == before


class Ratio:
    def __init__(self, n, d):
        self.n, self.d = n, d

    def __float__(self):
        return self.n / self.d


def a_number_of_numpys_as_a_float(n):
    return float(Ratio(n, 2)) + 1.0


@pytest.mark.filterwarnings("ignore:.*returned non-float:DeprecationWarning")
def test_s9_a_number_of_numpys_is_a_float():
    converted = ag.convert(a_number_of_numpys_as_a_float)
    for n in (3, -4):
        found = converted(np.int64(n))
        assert found == a_number_of_numpys_as_a_float(np.int64(n)) and type(found) is float


# ---- `in` of what has no `__contains__` goes through it up to what is found ----------------------


class Counted:
    def __init__(self, items):
        self.items, self.seen = items, 0

    def __iter__(self):
        for v in self.items:
            self.seen += 1
            yield v


class Indexed:
    def __init__(self, items):
        self.items, self.seen = items, 0

    def __getitem__(self, i):
        self.seen += 1
        return self.items[i]


class Going:
    def __init__(self, items):
        self.items, self.seen = items, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.seen >= len(self.items):
            raise StopIteration
        self.seen += 1
        return self.items[self.seen - 1]


SOUGHT = np.array([3.0, 4.0, 5.0]), F(4)


@samples("B5.10", SOUGHT, (SOUGHT[0], F(3)), (SOUGHT[0], F(7)))
def objects_that_are_searched(x, wanted):
    things = [Counted(x), Indexed([x[0], 4.0, x[2]]), Going([x[0], 4.0, x[2]])]
    found = [wanted in thing for thing in things]
    return found, [thing.seen for thing in things], 4.0 in Counted([x[0], 4.0])


@samples("B5.10", SOUGHT, (SOUGHT[0], F(3)), (SOUGHT[0], F(7)))
def iterators_that_are_searched(x, wanted):
    asked = []

    def ask(v):
        asked.append(v)
        return v

    def each():
        for v in x:
            asked.append(-v)
            yield v

    found = wanted in map(ask, x), wanted in each(), wanted not in iter([3.0, 4.0])
    return found, asked, wanted in reversed(x), (0, wanted) in enumerate(x)


@samples("B5.10", (np.array([3.0, 4.0]),), (np.array([-3.0, 4.0]),))
def a_sum_that_starts_with_an_object_that_can_be_gone_through(x):
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Pair(self.a + other.a, self.b + other.b)

        def __iter__(self):
            yield self.a
            yield self.b

    total = sum([Pair(v, -v) for v in x], Pair(1.0, x[0]))
    return list(total)


# ---- numbers and text that methods give ------------------------------------------------------


class Amount:
    def __init__(self, cents):
        self.cents = cents

    def __float__(self):
        return self.cents / 100

    def __complex__(self):
        return self.cents * 1j

    def __bool__(self):
        return self.cents > 3

    def __str__(self):
        return self.cents

    __repr__ = __str__

    def __format__(self, spec):
        return self.cents

    __int__ = __str__


def asked(question, thing):
    try:
        return question(thing)
    except TypeError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:.*returned non-:DeprecationWarning")
@pytest.mark.parametrize("number", [I(5), F(5), np.float32(5)])
@pytest.mark.parametrize("question", [
    float, complex, int, bool, str, repr, lambda a: f"{a}", lambda a: f"{a!r}",
    lambda a: 1 if a else 2,
])  # fmt: skip
def test_b5_10_numbers_and_text_of_the_wrong_class(question, number):
    """NumPy's float64 is a float, too; what is no text is a TypeError in Python's words."""

    def sample(x):
        return asked(question, Amount(x))

    assert_equal(ag.convert(sample)(number), sample(number))


# ---- attributes that raise where data says so ------------------------------------------------


class Rooted:
    def __init__(self, v):
        self.v = v

    @property
    def root(self):
        if self.v < 0:
            raise AttributeError("negative")
        return np.sqrt(self.v)

    @functools.cached_property
    def double(self):
        if self.v < 0:
            raise AttributeError("negative")
        return self.v * 2

    def __getattr__(self, name):
        if name == "triple" and self.v > 0:
            return self.v * 3
        raise AttributeError(name)


@samples("B5.10", (F(4),), (F(-1),))
def attributes_that_are_asked_for(x):
    thing = Rooted(x)
    found = [hasattr(thing, name) for name in ("root", "double", "triple", "none")]
    values = [getattr(thing, name, F(-1)) for name in ("root", "double", "triple", "none")]
    return found, values, 1 if hasattr(thing, "root") else 2


def names_that_an_object_has(x):
    thing = Rooted(x)
    if x > 0:
        thing.extra = x
    return thing.__dict__.get("extra", -1.0)  # refused


def names_by_vars(x):
    thing = Rooted(x)
    if x > 0:
        thing.extra = x
    return len(vars(thing)) * x  # refused


def test_the_dict_of_an_object_whose_attributes_depend_on_data_is_not_looked_at():
    """It had the attribute on every path, and 0 where there was none."""
    for sample in (names_that_an_object_has, names_by_vars):
        refuse(sample, F(1), match="whether `extra` is in it depends on data")


# ---- descriptors with a state of their own ---------------------------------------------------


class Watched:
    def __init__(self):
        self.sets = self.gets = 0
        self.large = []

    def __get__(self, thing, kind=None):
        if thing is None:
            return self
        self.gets += 1
        return thing.kept

    def __set__(self, thing, value):
        self.sets += 1
        if value > 1:
            self.large.append(float(value))
        thing.kept = value


class CountedMethod:
    def __init__(self, function):
        self.function, self.calls = function, 0

    def __get__(self, thing, kind=None):
        return functools.partial(self, thing)

    def __call__(self, *args):
        self.calls += 1
        return self.function(*args)


class Watching:
    value = Watched()

    @CountedMethod
    def twice(self, v):
        return v * 2


def through_descriptors(x):
    thing = Watching()
    thing.value = x
    return thing.twice(thing.value) + Watching().twice(x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_e2_what_a_descriptor_counts_outlives_the_call(backend):
    watched, method = Watching.__dict__["value"], Watching.__dict__["twice"]

    def outcomes(function):
        watched.sets = watched.gets = method.calls = 0
        watched.large = []
        for x in (1.0, 3.0, -1.0):
            found = function(F(x))
            yield found, watched.sets, watched.gets, list(watched.large), method.calls

    expected = list(outcomes(through_descriptors))
    with config.backend.using(backend), config.check.using(True):
        assert list(outcomes(ag.convert(through_descriptors))) == expected


class Obliging:
    def __init__(self, position):
        self.position = position

    def __index__(self):
        return self.position

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return 5


@samples("B3.02", (np.arange(3.0),), (np.ones(3),))
def an_index_that_has_an_answer_for_every_name(x):
    one = Obliging(1)
    return x[one] + one.anything


class Couple:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __array__(self, dtype=None, copy=None):
        return np.array([self.first, self.second], dtype=dtype)


class Told(Couple):
    def __array__(self, dtype=None, copy=None):
        print("asked for", dtype, copy)
        return super().__array__(dtype, copy)


class Holder:
    def __init__(self, content):
        self.content = content

    def __array__(self, dtype=None, copy=None):
        return self.content


PAIRS = (np.array([3.0, 1.0, 2.0]),), (np.array([-1.0, 2.0, -3.0]),)


@samples("B3.02", *PAIRS)
def arrays_of_objects(x):
    pair = Couple(x[0], 2.0)
    if x[1] > 1:
        pair.second = x[2]
    small = np.array(pair, dtype=np.float32)
    return np.asarray(pair).sum(), small, np.exp(pair), np.maximum(x[:2], pair)


@samples("B3.02", *PAIRS)
def what_an_array_of_an_object_is_asked_for(x):
    told = Told(x[0], x[1])
    return np.asarray(told), np.array(told), np.asarray(told, np.int64), np.add(told, 1)


@samples("B3.02", *PAIRS, tensors=False)
def arrays_that_objects_hold(x):
    holder = Holder(x)
    made = np.array(holder)  # NumPy trusts `__array__` to have copied it
    made[0] = 7.0
    np.asarray(holder)[1] = 8.0
    return made


def a_sum_of_an_object(x):
    return np.sum(Couple(x[0], x[1]))  # refused


def a_stack_of_objects(x):
    return np.stack([x[:2], Couple(x[0], x[1])])  # refused


@pytest.mark.parametrize("sample", [a_sum_of_an_object, a_stack_of_objects])
def test_other_functions_are_given_no_arrays_of_objects(sample):
    refuse(sample, *PAIRS[0], match="asks an object for an array, by its `__array__`")


test_protocols = samples.test()
