"""Members of enums that data chooses and puts into lists; those of a StrEnum are no plain texts."""

from __future__ import annotations

import enum
import heapq
import io
from collections import Counter, defaultdict

import numpy as np
import pytest

import autograph as ag
from autograph.programs.saving import packed
from tests.language.harness import Samples, check, refuse

samples = Samples()


class State(enum.Enum):
    WELL = "well"
    ILL = "ill"
    OVER = 3

    def following(self):
        members = list(State)
        return members[(members.index(self) + 1) % 3]


class Heading(enum.Enum):
    NORTH = (0, 1)
    EAST = (1, 0)
    WEST = (-1, 0)

    def __init__(self, dx, dy):
        self.dx, self.dy = dx, dy


class Pace(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"
    NONE = "none"


class Kind(str, enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2
    TOP = 3


class Name(str):
    def shout(self):
        return self.upper() + "!"


ADA, BOB = Name("ada"), Name("bob")

CASES = tuple((np.array(x),) for x in ([1, 2, 1, 0], [0, 0, 2, 2], [2, 1, 2, 1]))


# ---- in lists ------------------------------------------------------------------------------------


@samples("B3.15", *CASES)
def set_at_a_place(x):
    people = [State.WELL] * 3
    for j in x:
        ill = [i for i, p in enumerate(people) if p is State.ILL]
        if people[j] is State.WELL:
            people[j] = State.ILL
        elif len(ill) > 1:
            people[j] = people[j].following()
    return people, [p.value for p in people], sum(p is State.ILL for p in people)


@samples("B3.15", *CASES)
def grown(x):
    met = []
    for v in x:
        if v > 0:
            met.append(State.WELL if v > 1 else State.ILL)
    first = State.WELL if x[0] > 0 else State.OVER
    print(met, first)
    asked = State.WELL in met, met.count(State.ILL), first in met, met.count(first)
    return asked, met, [p.following() for p in met], met[-1].name, met.index(met[0])


@samples("B3.15", *CASES)
def in_rows(x):
    grid = [[State.WELL] * 3 for _ in range(3)]
    for i, v in enumerate(x):
        grid[v][i % 3] = State.ILL if grid[i % 3][v] is State.WELL else State.OVER
    return grid, sum(row.count(State.ILL) for row in grid)


@samples("B3.15", *CASES)
def with_attributes(x):
    headings, place = [Heading.NORTH] * 3, (0, 0)
    trail = [place]
    for v in x:
        headings[v] = Heading.EAST if headings[v] is Heading.NORTH else Heading.WEST
        place = (place[0] + headings[v].dx, place[1] + headings[v].dy)
        trail.append(place)
    return headings, trail


@samples("B3.15", *CASES)
def beside_none(x):
    held = [None] * 3
    for v in x:
        held[v] = State.WELL if held[v] is None else State.ILL if held[v] is State.WELL else None
    return held, [p is None for p in held]


@samples("B3.15", *CASES)
def of_several_enums(x):
    held = [State.WELL, Pace.FAST, State.OVER]
    for v in x:
        held[v] = Heading.EAST
    return held, held[0] is State.WELL, [type(p).__name__ for p in held]


# ---- in tuples that are compared -----------------------------------------------------------------


@samples("B3.15", *CASES)
def events_in_a_queue(x):
    queue, done = [], []
    for i, v in enumerate(x):
        heapq.heappush(queue, (float(v), i, State.WELL if v > 0 else State.ILL))
    while queue:
        time, i, state = heapq.heappop(queue)
        match state:
            case State.WELL:
                done.append((time, state))
                heapq.heappush(queue, (time + 0.5, i + 9, State.OVER))
            case State.ILL:
                pass
            case _:
                done.append((-time, State.OVER))
    return done


@samples("B3.15", *CASES)
def events_of_one_time(x):
    queue = []
    for i, v in enumerate(x):
        heapq.heappush(queue, (float(v), State.WELL if v > i else State.ILL))
    return heapq.heappop(queue)


@samples("B3.15", *CASES)
def members_without_an_order(x):
    state = State.WELL if x[0] > 0 else State.ILL
    try:
        return (x[1], state) < (x[2], State.OVER), state < State.OVER
    except TypeError as error:
        return str(error)


# ---- gone through --------------------------------------------------------------------------------


class Level(enum.IntEnum):
    LOW = 1
    MIDDLE = 5
    HIGH = 10

    @classmethod
    def of(cls, x):
        for level in reversed(cls):
            if x >= level:
                return level
        return None

    @classmethod
    def above(cls, x):
        for level in cls:
            if x < level:
                return level
        return cls.HIGH


LEVELS = ((np.array([0.0, 3, 7, 20]),), (np.array([10.0, 5, 1, -1]),))


@samples("B3.15", *LEVELS)
def levels(x):
    return [Level.of(v) for v in x], [Level.above(v) for v in x]


@samples("B3.15", *LEVELS)
def until_data_says(x):
    found = []
    for v in x:
        for level in Level:
            if level.value > v:
                found.append(level.name)
                break
        else:
            found.append("none")
    first = next((level for level in Level if level > x[0]), None)
    return found, first, any(level > x[1] for level in Level), [k for k in Level if k < x[2]]


# ---- as keys -------------------------------------------------------------------------------------


def _counted(kind, x):
    low, middle, high = kind
    met, pairs, sums = {}, {}, defaultdict(float)
    held = [low] * 4
    for i, v in enumerate(x):
        which = low if v == 0 else middle if v == 1 else high
        met[which] = met.get(which, 0) + 1
        sums[which] += 0.5 * v
        held[v] = which if i % 2 else high
    for a, b in zip(held, held[1:]):
        pairs[a, b] = pairs.get((a, b), 0) + 1
    kinds = [type(key) is kind for key in met], [type(key) is kind for key in sums]
    return met, sums, pairs, [key.name for key in met], kinds, low in met, len(set(held)), max(sums)


@samples("B3.15", *CASES)
def counted_by_rank(x):
    return _counted(Rank, x)


@samples("B3.15", *CASES)
def counted_by_pace(x):
    return _counted(Pace, x)


@samples("B3.15", *CASES)
def counted_by_state(x):
    met, moves, last = Counter(), {}, State.WELL
    for v in x:
        state = State.WELL if v == 0 else State.ILL if v == 1 else State.OVER
        met[state] += 1
        moves[last, state] = moves.get((last, state), 0) + 1
        last = state
    print([key.name for key in met], State.OVER in met)
    asked = (
        last in {State.WELL},
        last in {State.ILL: 1},
        last not in {1, 2},
        len({last, State.OVER}),
    )
    return met, moves, met.most_common(1), [type(a) is State for a, _ in moves], asked


# ---- strs of a class of their own ----------------------------------------------------------------


@samples("B3.15", *CASES)
def a_str_enum(x):
    pace = Pace.FAST if x[0] > 0 else Pace.SLOW
    kind = Kind.FAST if x[0] > 0 else Kind.SLOW
    print(pace, kind, [pace, kind], f"{pace:>6} {kind!r}")
    is_same = pace is Pace.FAST, kind is Kind.SLOW, type(pace) is Pace, isinstance(kind, str)
    equal = kind == Kind.FAST, kind == "slow", "fast" == pace, kind != "fast", pace == str(pace)
    return pace, kind, pace.name, kind.value, is_same, equal


@samples("B3.15", *CASES)
def as_texts(x):
    pace = Pace.FAST if x[0] > 0 else Pace.SLOW
    kind = Kind.FAST if x[0] > 0 else Kind.SLOW
    joined = "-".join([kind, "a", pace]), "mode " + kind, pace + "!", kind + pace, kind * 2
    parts = [c for c in kind], kind[0], len(pace), pace.upper(), kind.startswith("f"), "f" in kind
    known = {"fast": 1, "slow": 2}[kind], {Pace.FAST: 1, Pace.SLOW: 2}.get(pace, 3)
    return joined, parts, known, pace < "g", kind >= "g", pace == ("fast" if x[1] > 1 else "slow")


@samples("B3.15", *CASES)
def of_a_class_of_the_users(x):
    name = ADA if x[0] > 0 else BOB
    return name, name.shout(), name == "ada", name + "?", f"{name}", type(name) is Name


@samples("B3.15", *CASES)
def str_enums_in_lists(x):
    held, met = [Pace.FAST] * 3, []
    for v in x:
        held[v] = Pace.SLOW
        if v:
            met.append(Pace.FAST if v > 1 else Pace.SLOW)
    return held, [p.name for p in held], held[0] == "fast", met, ",".join(held), "".join(met)


@samples("B3.15", *CASES)
def carried_by_a_loop(x):
    kind = None
    for v in x:
        if v > 1:
            kind = Kind.FAST
        elif kind is None:
            kind = Kind.SLOW
    return kind, kind is Kind.SLOW


test_sample = samples.test()


def test_tuples_with_members_that_data_chose_are_not_sorted_without_a_key():
    def sample(x):
        found = [(v, State.WELL if v > 0 else State.ILL) for v in x]
        return sorted(found)  # refused

    refuse(sample, *CASES[0], match="sorted by what has no order")


def test_a_text_beside_a_member_is_refused():
    def sample(x):
        return "fast" if x[0] > 0 else Kind.FAST  # refused

    refuse(sample, *CASES[0], match="on one path but")


# ---- joined texts --------------------------------------------------------------------------------


def test_texts_of_which_some_are_set_by_data_are_joined():
    def sample(x):
        row = ["."] * 3
        for v in x:
            row[v] = "#" if row[v] == "." else "##"
        return "".join(row), "-".join(row), ", ".join(["a", *row])

    check(sample, *CASES)


def test_numbers_of_which_some_are_set_by_data_are_no_texts_to_join():
    def sample(x):
        row = [1, 2, 3]
        for v in x:
            row[v] = 7
        return "-".join(row)

    check(sample, *CASES, traces=0)


# ---- saved ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high"), [(Rank.LOW, Rank.HIGH), (State.WELL, State.ILL)])
def test_a_list_of_members_is_not_saved_as_one_of_numbers(low, high):
    def sample(x):
        return [low if v > 1 else high for v in x if v > 0]

    assert ag.convert(sample)(np.arange(3)) == [high, low]
    with pytest.raises(ag.UnsavableError, match="its result is an object of class"):
        io.BytesIO(packed(ag.convert(sample), [np.arange(3)]))
