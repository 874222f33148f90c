"""Members of an IntEnum and of flags that data chooses: numbers to operators, else themselves."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse


class Way(enum.IntEnum):
    UP = 1
    DOWN = -1
    IDLE = 0


class Stage(enum.IntEnum):
    FIRST = 0
    SECOND = 1
    THIRD = 2

    @property
    def following(self):
        return Stage((self + 1) % 3)

    def label(self):
        return f"<{self.name}>"


class Weight(float, enum.Enum):
    LIGHT = 0.5
    HEAVY = 2.5


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


@dataclass
class Robot:
    way: Way = Way.IDLE
    at: int = 0


X = np.array([3.0, -1.0, 0.0, 2.0])
TWO = ((X,), (-X,))
samples = Samples()


@samples("B3.15", *TWO)
def given_back(x):
    way = Way.UP if x[0] > 0 else Way.DOWN
    weight = Weight.LIGHT if x[0] > 0 else Weight.HEAVY
    return way, [way, Way.IDLE], {"way": way}, (way, x[0]), weight, type(way) is Way


@samples("B3.15", *TWO)
def shown(x):
    way = Way.UP if x[0] > 0 else Way.DOWN
    print(way, [way], f"{way} {way!r} {way.name} {way.value}")
    return isinstance(way, Way), isinstance(way, int), way is Way.UP, way == Way.UP, way in (1, 5)


@samples("B3.15", *TWO)
def computed_with(x):
    way = Way.UP if x[0] > 0 else Way.DOWN
    weight = Weight.LIGHT if x[0] > 0 else Weight.HEAVY
    ints = (
        way * 2,
        way - 1,
        1 - way,
        -way,
        +way,
        abs(way),
        way**2,
        way // 2,
        way % 2,
        divmod(7, way),
    )
    floats = way / 2, float(way), weight * 2, round(2.5 * way), math.sqrt(way + 2)
    mixed = (
        way + x[0],
        x[0] * way,
        x * way,
        way < x,
        np.sign(way),
        max(int(way), 0),
        x.sum() * weight,
    )
    return ints, floats, mixed, way > 0, way == 1, way != x[1], bool(way), not way, int(way)


@samples("B3.15", (X.astype("f4"), np.int8(3)), (-X.astype("f4"), np.int8(-3)))
def beside_narrow_numbers(x, n):
    way = Way.UP if x[0] > 0 else Way.DOWN
    weight = Weight.LIGHT if x[0] > 0 else Weight.HEAVY
    ints = n * way, way * n, np.add(n, way), np.array([n]) + way, n / way, way - n, n == way
    return ints, x * way, x * weight, weight * x, weight - n, x[1] * weight, weight / x[1], way > n


@samples("B3.15", *TWO)
def as_an_index(x):
    stage = Stage.FIRST if x[0] > 0 else Stage.THIRD
    zeros, numbers, copied = np.zeros(3), [1, 2, 3], x.copy()
    zeros[stage] = 5
    numbers[stage] = 7
    copied[stage:] += 1
    chosen = {Stage.FIRST: 1.0, Stage.THIRD: 2.5}[stage]
    return (
        zeros,
        numbers,
        copied,
        np.roll(x, stage),
        np.arange(stage + 1),
        chosen,
        list(range(stage)),
    )


@samples("B3.15", *TWO)
def walks_on(x):
    stage, counts, met, table = Stage.FIRST, [0, 0, 0], [], np.zeros(3)
    for v in x:
        if stage is Stage.FIRST and v > 0:
            stage = Stage.SECOND
        elif stage == Stage.SECOND:
            stage = Stage.THIRD
        else:
            stage = stage.following
        counts[stage] += 1
        table[stage] += v
        met.append(stage)
    return stage, counts, met, table, stage.name, stage.label()


@samples("B3.15", *TWO)
def steps_by_it(x):
    at, way = 0, Way.IDLE
    for v in x:
        way = Way.UP if v > at else Way.DOWN if v < at else Way.IDLE
        at += way
    return at, way


@samples("B3.15", *TWO, joined=True)
def becomes_a_number(x):
    way, other = Way.UP, Way.UP if x[0] > 0 else 5
    for v in x:
        way = way * -1 if v > 0 else way
    return way, other


@samples("B3.15", *TWO)
def held_by_an_object(x):
    robot = Robot()
    for v in x:
        if v > 0:
            robot.way = Way.UP
            robot.at += robot.way
    return robot


@samples("B3.15", *TWO)
def none_at_first(x):
    way = None
    for v in x:
        if v > 2:
            way = Way.UP
        elif v < -2:
            way = Way.DOWN
    return way, way is None


@samples("B3.15", *TWO)
def in_a_list(x):
    met = []
    for v in x:
        if v != 0:
            met.append(Way.UP if v > 0 else Way.DOWN)
    asked = Way.UP in met, met.count(Way.UP), met.index(1), met == [Way.UP]
    return met, asked, sum(met), np.array(met), sorted(met), max(met), met[0]


@samples("B3.15", *TWO)
def raised_and_matched(x):
    way = Way.UP if x[0] > 0 else Way.DOWN
    try:
        if x[1] > 0:
            raise ValueError(f"{way!r} {way.name}")
    except ValueError as error:
        print(error)
        way = Way.IDLE
    match way:
        case Way.UP:
            return 1
        case Way.DOWN:
            return 2
    return 3


@samples("B3.15", *TWO)
def flags(x):
    right = Right.READ if x[0] > 0 else Right.WRITE
    return right, right == Right.READ, right is Right.WRITE, right.name


@samples("B3.15", *TWO)
def least_of_all(x):
    best = Way.IDLE
    for way in Way:
        if way * x[0] > best * x[0]:
            best = way
    return best


class Metres(float):
    def half(self):
        return self / 2


@samples("B3.15", *TWO, tensors=False)
def numbers_of_a_class(x):
    length = Metres(1.0) if x[0] > 0 else Metres(3.0)
    last = Metres(0.0)
    for v in x:
        if v > 1:
            last = length
    total = 0.0
    for v in x:
        total = total + length * v
    return length, last, type(length) is Metres, length.half(), length + 1, total, [length]


test_enum = samples.test()


def combined_flags(x):
    right = Right.READ if x[0] > 0 else Right.WRITE
    return right | Right.WRITE  # refused


def test_operators_of_flags_are_refused_at_their_line():
    refuse(combined_flags, X, match="which Right this is depends on data")


def with_an_operator_of_its_own(x):
    step = Half.ONE if x[0] > 0 else Half.TWO
    return step + 1  # refused


class Half(enum.IntEnum):
    ONE = 1
    TWO = 2

    def __add__(self, other):
        return int(self) * 0.5 + other


def test_operators_that_a_class_has_of_its_own_are_refused():
    refuse(with_an_operator_of_its_own, X, match="which Half this is depends on data")


@pytest.mark.parametrize("first", [X, -X])
def test_a_module_gets_the_member(first):
    log = []

    @ag.convert
    def note(x):
        log.append(Way.UP if x[0] > 0 else Way.DOWN)

    note(first)
    note(-first)
    assert log == ([1, -1] if first is X else [-1, 1])
    assert [type(x) for x in log] == [Way, Way]
