"""Methods that Python calls by itself are called as often, and in the order, in which it calls them."""

import collections
import collections.abc
import copy

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, assert_equal, observe, refuse

samples = Samples()
F = np.float64


# ---- the length of what is made a list -----------------------------------------------------------


class Sized:
    def __init__(self, x):
        self.x = x
        self.asked = 0

    def __iter__(self):
        print("iter", self.x)
        return iter([self.x, F(2.0), F(1.0)])

    def __len__(self):
        print("len", self.x)
        self.asked += 1
        return 3


class Hinting:
    """An iterator that begins anew with each `iter`."""

    def __init__(self, x):
        self.x = x
        self.taken = 0

    def __iter__(self):
        print("iter")
        self.taken = 0
        return self

    def __next__(self):
        print("next", self.taken)
        if self.taken == 2:
            raise StopIteration
        self.taken += 1
        return self.x * self.taken

    def __length_hint__(self):
        print("hint", self.x)
        return 2 if self.taken == 0 else NotImplemented


class SizedByData(Sized):
    def __len__(self):
        print("len")
        if self.x > 2:
            return 5
        return int(self.x) - 2


class Broken(Sized):
    def __len__(self):
        raise TypeError("no length")

    def __length_hint__(self):
        print("hint")
        return "many"


def count(*args):
    return len(args)


def made_of(thing):
    print(list(thing), tuple(thing), sorted(thing))
    print([*thing, F(0.0)], (*thing,), count(*thing), count(1.0, *thing))
    items = [F(7.0)]
    items.extend(thing)
    items += thing
    items[:1] = thing
    print(items)


def gone_through(thing):
    print([x + 1.0 for x in thing], list(x * 2.0 for x in thing))  # noqa: C400
    print(list(map(abs, thing)), list(zip(thing, thing, strict=False)), max(thing))
    first, *rest = thing
    print(first, rest, sum(thing), any(x > 2 for x in thing), set(map(type, thing)))
    for x in thing:
        print(x)


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def lists_ask_for_the_length(x):
    made_of(Sized(x))
    made_of(Hinting(x))
    return x


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def others_do_not_ask(x):
    gone_through(Sized(x))
    gone_through(Hinting(x))
    return x


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def lists_ask_the_one_that_data_chooses(x):
    one, other = Sized(x), Sized(x + 1.0)
    thing = one
    if x > 2:
        thing = other
    items = list(thing)
    for item in thing:
        print(item)
    return items[0] + sum(thing), one.asked, other.asked


@samples("S9", (F(3.0),), (F(2.0),), (F(0.0),), tensors=False)
def a_length_by_data(x):
    return list(SizedByData(x))


@samples("S9", (F(3.0),), tensors=False, traces=0)
def a_length_that_is_none(x):
    return list(Broken(x))


class Items(collections.abc.Sequence):
    def __init__(self, x):
        self.x = x

    def __getitem__(self, k):
        print("item", k)
        if k > 2:
            raise IndexError(k)
        return self.x * k

    def __len__(self):
        print("len")
        return 3


@samples("S9", (F(3.0),), (F(-1.0),), tensors=False)
def sequences(x):
    items = Items(x)
    made_of(items)
    gone_through(items)
    return max(items), min(items), list(reversed(items))


# ---- the truth is asked once ---------------------------------------------------------------------


class Flag:
    def __init__(self, x):
        self.x = x
        self.asked = 0

    def __bool__(self):
        print("bool", self.x)
        self.asked += 1
        return bool(self.x > 2)

    def __repr__(self):
        return f"Flag\u00e9({self.x})"


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def operands_are_asked_once(x):
    flag = Flag(x)
    both = flag and F(7.0)
    either = flag or F(8.0)
    print(any([flag, flag]), all([flag, flag]), any((x < 2, flag)))
    print(bool(flag and flag), "no" if not (flag or flag) else "yes")
    return flag.asked


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def chosen_objects_are_asked_once(x):
    one, other = Flag(x), Flag(F(2.5))
    flag = one
    if x > 2:
        flag = other
    print(any([flag, flag]), all([flag, one]))
    return one.asked, other.asked


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def the_last_operand_is_not_asked(x):
    flag = Flag(x)
    last = (x > 2 and flag) or flag
    return last.x, flag.asked


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def ascii_of_own_text(x):
    return ascii(Flag(x)), f"{Flag(x)!a:>20}", ascii([1.0]), repr(Flag(x))


# ---- the library calls the user's methods --------------------------------------------------------


class Noted(collections.abc.MutableSequence):
    def __init__(self, x):
        self.items = [x, F(2.0)]
        self.inserted = 0

    def __getitem__(self, k):
        return self.items[k]

    def __setitem__(self, k, item):
        print("set", k, item)
        self.items[k] = item

    def __delitem__(self, k):
        print("delete", k)
        del self.items[k]

    def __len__(self):
        print("len")
        return len(self.items)

    def insert(self, k, item):
        print("insert", k, item)
        if item > 2:
            item = item * 10.0
        self.inserted += 1
        self.items.insert(k, item)


class Table(collections.UserDict):
    def __setitem__(self, key, item):
        print("set", key)
        super().__setitem__(key, item + 1.0)

    def __missing__(self, key):
        return len(key) * 1.0


class Row(collections.UserList):
    def append(self, item):
        print("append", item)
        super().append(item * 2.0)


class Fields(collections.abc.Mapping):
    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        print("item", key)
        if key not in ("a", "b"):
            raise KeyError(key)
        return self.x if key == "a" else self.x * 2.0

    def __iter__(self):
        print("iter")
        return iter(("a", "b"))

    def __len__(self):
        print("len")
        return 2


def change_sequence(noted, x):
    noted.append(x)
    noted.extend([x, F(1.0)])
    noted += [x]
    noted.pop()
    noted.reverse()
    return noted.inserted, noted.items


def change_table(table, x):
    table["b"] = x
    table.update(c=x)
    table.setdefault("d", x)
    return table["nothing"], table["b"], sorted(table)


def change_row(row, x):
    row.append(x)
    row.extend([x, x])
    row += [x]
    row.insert(0, x)
    return row[0], len(row), row.data


CHANGES = {
    "sequence": (lambda: Noted(F(5.0)), change_sequence),
    "table": (lambda: Table(a=F(5.0)), change_table),
    "row": (lambda: Row([F(5.0)]), change_row),
}


@pytest.mark.parametrize(("make", "change"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_s8_containers_of_the_library_that_are_given(make, change, backend):
    given, plain = make(), make()
    function = ag.convert(change)
    with config.backend.using(backend):
        for x in (F(3.0), F(1.0)):
            got, expected = observe(function, (given, x)), observe(change, (plain, x))
            assert got.error is None, got.error
            assert_equal(got.value, expected.value)
            assert got.printed == expected.printed
            assert repr(vars(given)) == repr(vars(plain))


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def containers_of_the_library_that_are_made(x):
    return change_sequence(Noted(x), x), change_table(Table(a=x), x), change_row(Row([x]), x)


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def mappings_in_patterns(x):
    match Fields(x):
        case {"a": a, "c": c}:
            return a + c
        case {"a": a, "b": b}:
            return a * b
    return x


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def copies_of_containers_of_the_library(x):
    table, row, k = Table(a=x), Row([x]), 0
    while k < x:
        one, other = table.copy(), copy.copy(row)
        one["a"] = x + k
        other[0] = x * k
        third = copy.deepcopy(row)
        third[0] = x
        print(one["a"], other[0], third[0], table["a"], row.copy()[0])
        k += 1
    return x


# ---- text of containers --------------------------------------------------------------------------


class Shown:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Shown({self.x})"


class Holding(Shown):
    def __repr__(self):
        return f"Holding({self.x!r})"


def prints_what_is_in_lists(shown, x):
    print([shown], {"a": (shown,)}, x)
    made = Holding(Shown(x))
    made.x.x = made.x.x + 1.0
    print([made], shown)
    return x


def prints_what_it_changed(shown, x):
    shown.x = x
    print(shown, [1.0])
    print(1.0, {"a": [Holding(shown)]})  # refused


def test_b6_lists_with_objects_in_text():
    given, plain = Shown(F(5.0)), Shown(F(5.0))
    function = ag.convert(prints_what_is_in_lists)
    for x in (F(3.0), F(1.0)):
        given.x = plain.x = x * 2.0
        expected = observe(prints_what_is_in_lists, (plain, x))
        assert observe(function, (given, x)).printed == expected.printed


def test_b6_lists_with_objects_that_the_call_changed_are_refused():
    refuse(prints_what_it_changed, Shown(F(5.0)), F(3.0), match="holds a Shown from outside")


# ---- copies --------------------------------------------------------------------------------------


class Copied:
    def __init__(self, x):
        self.x = x

    def __copy__(self):
        print("copy")
        if self.x > 2:
            return Copied(self.x * 2.0)
        return Copied(self.x * 3.0)

    def __deepcopy__(self, memo):
        print("deepcopy")
        return Copied(copy.deepcopy(self.x, memo) * 5.0)


class Stated:
    def __init__(self, x):
        self.x, self.seen = x, 0

    def __getstate__(self):
        print("state")
        self.seen += 1
        return {"x": self.x}

    def __setstate__(self, state):
        print("set state")
        self.x = state["x"] * 2.0


class Reduced:
    def __init__(self, x):
        self.x = x

    def __reduce__(self):
        print("reduce")
        return Reduced, (self.x * 2.0,)


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def copies_by_own_methods(x):
    thing, kept = Copied(x), Stated(x)
    one, other = copy.copy(thing), copy.deepcopy([thing, thing])
    print(other[0] is other[1])
    return (
        one.x,
        other[0].x,
        copy.copy(kept).x,
        copy.deepcopy(kept).x,
        kept.seen,
        copy.copy(Reduced(x)).x,
    )


# ---- classes that are asked ----------------------------------------------------------------------


class Asked(type):
    def __instancecheck__(cls, thing):
        print("instance")
        return thing > 2 if isinstance(thing, float) else type(thing) is str

    def __subclasscheck__(cls, kind):
        print("subclass", kind.__name__)
        return kind is float


class Large(metaclass=Asked):
    pass


class Scaled:
    def __class_getitem__(cls, factor):
        print("of", factor)
        if factor > 2:
            return factor * 2.0
        return factor


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def classes_say_what_belongs_to_them(x):
    kinds = isinstance(x, Large), isinstance(x, (int, Large)), isinstance("a", (Large, int))
    print(issubclass(float, Large), issubclass(int, (str, Large)), isinstance(Large(), Large))
    if isinstance(x, Large):
        x = x * 2.0
    return x, kinds


@samples("S9", (F(3.0),), (F(1.0),), tensors=False)
def items_of_a_class(x):
    return Scaled[x] + Scaled[1.0]


# ---- how often truth is asked for ----------------------------------------------------------------


class Truth:
    """Says when it is asked whether it is true."""

    def __init__(self, name, is_true):
        self.name = name
        self.is_true = is_true

    def __bool__(self):
        print(self.name)
        return bool(self.is_true)


class Ordered:
    def __init__(self, name, x):
        self.name = name
        self.x = x

    def __lt__(self, other):
        return Truth(f"{self.name}<{other.name}", self.x < other.x)


def as_tests(a, b, c):
    for _ in range(1):
        if not (a or b):
            print("neither")
        elif not (a and (b or not c)):
            print("not both")
    rounds = 0
    while not (a and b) and rounds < 2:
        rounds += 1
    print(rounds, 1 if not (a or b) else 2, [i for i in range(2) if not (a and b)])
    if (a or b) if c else (b and a):
        print("yes")
    if not not (a or c):
        print("no")


def as_values(a, b, c):
    print(not (a or b), not (a and b), not ((a or b) and c), not (a and (b or c)))
    print(((a or b) and c).name, (a and b or c).name, ((a or b) or c).name, (a or b and c).name)
    print((((a and b) or c) and a).name, not a or not b, not (not a or b), bool(a or b))
    print([not (a or b) for _ in range(2)], any(not (a and b) for _ in range(2)))
    if found := (a or b):
        print(found.name)


@samples(
    "S9", (F(3.0), F(1.0)), (F(1.0), F(3.0)), (F(1.0), F(1.0)), (F(3.0), F(3.0)), tensors=False
)
def asked_for_their_truth_by_data(x, y):
    as_tests(Truth("a", x > 2), Truth("b", y > 2), Truth("c", x + y > 4))
    as_values(Truth("a", x > 2), Truth("b", y > 2), Truth("c", x + y > 4))
    return x


@samples(
    "S9", (F(3.0), F(1.0)), (F(1.0), F(3.0)), (F(1.0), F(1.0)), (F(3.0), F(3.0)), tensors=False
)
def asked_for_their_truth_as_known(x, y):
    for first in (True, False):
        for second in (True, False):
            as_tests(Truth("a", first), Truth("b", second), x > y)
            as_values(Truth("a", first), Truth("b", second), Truth("c", x > y))
    return x


@samples(
    "S9", (F(3.0), F(1.0)), (F(1.0), F(3.0)), (F(1.0), F(1.0)), (F(3.0), F(3.0)), tensors=False
)
def chains_asked_for_their_truth(x, y):
    a, b, c = Ordered("a", x), Ordered("b", y), Ordered("c", F(2.0))
    if not (a < b < c):
        print("no")
    print(not (a < b < c), 1 if b < a < c else 2, [i for i in range(2) if a < c < b])
    while a < b < c and b < c:
        break
    return x


test_sample = samples.test()
