"""Subclasses of containers, records and enums of the user."""

import collections
import dataclasses
import enum
import io
import typing

import numpy as np
import pytest

import autograph as ag
from tests.language.arguments import A
from tests.language.harness import Samples, assert_equal, refuse

samples = Samples()
F = np.float64


class Doubling(list):
    def append(self, x):
        super().append(x * 2)

    def __getitem__(self, i):
        return super().__getitem__(i) + 1


class Shifted(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)

    def __getitem__(self, key):
        return super().__getitem__(key) + 1

    def __missing__(self, key):
        self[key] = key * 2
        return self[key]


@samples("S8", (F(1.0),), (F(5.0),))
def containers_made_in_the_function(x):
    values, table = Doubling(), Shifted()
    values.append(x)
    values.append(x + 1.0)
    table["a"] = x
    return values[0], len(values), list(values), table["a"], table.get("b", x)


class Holder:
    def __init__(self):
        self.table, self.values = Shifted(), Doubling()
        dict.__setitem__(self.table, "a", F(3.0))

    def __repr__(self):
        return repr((dict(self.table), list(self.values)))


def set_in_branch(holder, x):
    if x > 2:
        holder.table["a"] = x
    return holder.table["a"]


def grown(holder, x):
    holder.values.append(x)
    return holder.values[0]


@pytest.mark.parametrize("sample", [set_in_branch, grown])
def test_s8_subclasses_of_containers(sample):
    plain, thing = Holder(), Holder()
    f = ag.convert(sample)
    for x in (1.0, 5.0, 2.0, -1.0, 7.0):
        assert_equal(f(thing, F(x)), sample(plain, F(x)))
        assert repr(thing) == repr(plain)


class Vector(typing.NamedTuple):
    a: float
    b: float

    def __add__(self, other):
        if self.a > other.a:
            return Vector(self.a, other.b)
        return Vector(other.a, self.b)


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 1.0

    def __add__(self, other):
        if self.a > other.a:
            return dataclasses.replace(self, a=self.a - other.a)
        return Frozen(self.a + other.a, self.b)


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def __add__(self, other):
        if other > 0:
            return other + self.value
        return other - self.value

    def __str__(self):
        return f"<{self.name}>"


@samples("S9", (F(1.0),), (F(5.0),), tensors=False)
def records_and_enums(x):
    print(Frozen(x), [Frozen(x)], Vector(x, x * 2.0), {"k": Frozen(x)})
    print(f"{Frozen(x)} {Vector(x, x)!r} {Color.RED} {Color.BLUE!r}", Color.RED)
    return Vector(x, x) + Vector(F(2.0), F(3.0)), Frozen(x) + Frozen(F(2.0)), Color.RED + x


def printed_into_a_new_file(x):
    file = io.StringIO()
    print(x, file=file)  # refused
    return file.getvalue()


def test_s9_a_file_that_would_be_frozen_is_refused():
    refuse(printed_into_a_new_file, 3.0, match="made while tracing")


@samples("S9", (3.0,), (2.5,))
def compared_text(x):
    return f"{x}" == "3.0", f"{x}" in ("2.5", "4.5")


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 4


class Grain(enum.Enum):
    FINE = 1
    ROUGH = 2.5

    @property
    def weight(self):
        return self.value * 10.0


@samples("S9", (F(1.0),), (F(2.5),), (F(4.0),), (F(7.0),), tensors=False)
def members_that_data_looks_up(x):
    try:
        weight = Grain(x).weight
    except ValueError as error:
        print(error)
        weight = -1.0
    found = Rank(int(x))
    return weight, found + 1, found is Rank.HIGH, x.is_integer()


class Lenient(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


class Bits(enum.Flag):
    ONE = 1
    TWO = 2


def test_an_enum_that_finds_members_by_itself_is_not_asked_by_data():
    words = "`(Lenient|Bits)` finds members by more than their values"
    refuse(lambda x: Lenient(int(x)).value, F(1.0), match=words)
    refuse(lambda x: Bits(int(x)).value, F(1.0), match=words)


def counted():
    print("counted")
    return 7


@dataclasses.dataclass
class Particle:
    mass: float
    speed: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(2))
    seen: list = dataclasses.field(default_factory=list)
    number: int = dataclasses.field(default_factory=counted)
    hits: np.ndarray = dataclasses.field(default_factory=lambda: np.ones(2, int), kw_only=True)

    def push(self, force):
        self.speed += force / self.mass
        if force > 0:
            self.hits[0] += 1
            self.seen.append(force)


@dataclasses.dataclass
class Charged(Particle):
    charge: float = 1.0
    field: np.ndarray = dataclasses.field(default_factory=lambda: np.full(2, 0.5))

    def __post_init__(self):
        self.field[1] *= self.charge


class Named(Charged):
    def __init__(self, mass, name):
        super().__init__(mass, number=1)
        self.name = name


@dataclasses.dataclass
class Tally:
    start: int = dataclasses.field(default_factory=counted, init=False)
    steps: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(2), init=False)


@samples("S9", (A(1, -2, 3),), (A(-1, -2, -3),), tensors=False)
def what_default_factories_make_is_of_the_call(forces):
    light, total = Particle(2.0), 0
    for force in forces:
        light.push(force)
        one = Charged(1.0, charge=force, number=3)
        one.push(force)
        total += one.speed[0] * one.field[1] + one.number
    given = Charged(1.0, np.ones(2), [], 1, hits=np.zeros(2, int))
    given.push(forces[0])
    named, tally = Named(0.5, "a"), Tally()
    named.push(forces[1])
    tally.steps[1] += forces[2] + tally.start
    total += named.speed[1] + tally.steps[1]
    return light.speed, light.hits, light.seen, light.number, total, given.speed, given.hits


test_records_and_enums = samples.test()


def test_classes_made_by_calls_are_of_the_users_module():
    def made(x):
        classes = (
            collections.namedtuple("Pair", "a b"),  # noqa: PYI024 - made by a call
            typing.NamedTuple("Other", [("a", int)]),
            enum.Enum("Color", "RED BLUE"),
            dataclasses.make_dataclass("Record", ["a"]),
            type("Plain", (), {}),
        )
        return [c.__module__ for c in classes], type(x).__module__, x + 1

    assert ag.convert(made)(F(1)) == made(F(1))
