"""Lists that grow by data, of objects of dataclasses."""

import heapq
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X, Y, Z = (
    np.array([1.0, 2.0, -2.0, 3.0]),
    np.array([3.0, 0.5, 0.1, -1.0]),
    np.array([-1.0, -2.0, -5.0, -1.0]),
)


@dataclass
class Point:
    x: float
    y: float = 0.0
    tags: list = field(default_factory=list)

    def norm(self):
        return abs(self.x) + abs(self.y)


@dataclass(frozen=True, order=True)
class Event:
    time: float
    kind: str = field(compare=False)


@dataclass(eq=False)
class Known:
    x: float


@samples("E4", (X,), (Y,))
def gone_through(x):
    points = []
    for v in x:
        if v > 0:
            points.append(Point(v, 2 * v))
    far = [p for p in points if p.x > 1]
    for p in points:
        print(p.x, p.norm())
    return points, len(points), far, [p.x for p in points], sum(p.norm() for p in points)


@samples("E4", (X,), (Y,), (Z,))
def sorted_and_chosen(x):
    events = []
    for v in x:
        events.append(Event(v, "late") if v > 0 else Event(-v, "early"))
        if v > 2:
            events.pop()
    events.sort(key=lambda e: e.time)
    first = events[0]
    return events, first, max(events, key=lambda e: e.time).kind, events[1:], f"{first}"


@samples("E4", (X,), (Y,), (np.array([0.0, 5.0, 1.0, 9.0]),))
def simulated(arrivals):
    events, free, waited, served = [], np.float64(0.0), np.float64(0.0), 0
    for t in arrivals:
        heapq.heappush(events, Event(t, "arrive"))
    while events:
        event = heapq.heappop(events)
        if event.kind == "arrive":
            begin = max(event.time, free)
            waited += begin - event.time
            free = begin + 1.5
            heapq.heappush(events, Event(free, "leave"))
        else:
            served += 1
    return waited, free, served


@dataclass(order=True)
class Job:
    time: float
    name: str = field(compare=False)


@samples("E4", (X,), (Y,), (Z,))
def taken_off_a_heap(x):
    jobs, times = [], []
    for i, t in enumerate(x):
        heapq.heappush(jobs, Job(t, "long" if i % 2 else "short"))
    while jobs:
        job = heapq.heappop(jobs)
        times.append(job.time)
        if job.name == "long" and job.time < 2:
            heapq.heappush(jobs, Job(job.time + 1, "short"))
    return times


@samples("E4", (X,), (Y,), (Z,))
def written_before(x):
    points, first = [], Point(x[0])
    if x[0] > 0:
        first.x = x[0] * 2
        points.append(first)
    for v in x:
        point = Point(v)
        if v <= 0:
            point.x = -v
            point.tags.append(v)
        points.append(point)
    return [(p.x, p.norm(), len(p.tags)) for p in points], points[0].x


@samples("E4", (X,), (Y,), (Z,))
def made_anew(x):
    points, at = [], Point(x[0])
    for v in x:
        at = replace(at, x=v)
        if v > 0:
            points.append(at)
    return points, [replace(p, y=x[0]) for p in points], at.x


test_sample = samples.test()


def written_afterwards(x):
    points, point = [], Point(0.0)
    for v in x:
        if v > 0:
            points.append(point)
    point.x = 1.0
    return points


def items_written(x):
    points = []
    for v in x:
        if v > 0:
            points.append(Point(v))
    for p in points:
        p.x += 1
    return points


def looked_for(x):
    points = []
    for v in x:
        if v > 0:
            points.append(Point(v))
    return Point(1.0) in points  # refused


def known_by_identity(x):
    points = []
    for v in x:
        if v > 0:
            points.append(Known(v))
    return len(points)


def told_apart(x):
    points, point = [], Point(0.0)
    for v in x:
        if v > 0:
            points.append(point)
    return points[0] is points[-1]


REFUSED = [
    (looked_for, "its items, which are objects, are compared"),
]


@pytest.mark.parametrize(
    "sample", [items_written, known_by_identity, written_afterwards, told_apart]
)
def test_items_that_are_written_or_told_by_identity(sample):
    check(sample, (X,), (Y,), (Z,))


@pytest.mark.parametrize(("sample", "match"), REFUSED)
def test_what_would_have_to_be_seen_in_the_list_is_refused(sample, match):
    refuse(sample, X, match=match)


def given(x, point):
    points = []
    for v in x:
        if v > 0:
            points.append(point)
    return points  # refused


def test_a_list_of_an_object_of_the_callers_is_not_given_back():
    refuse(given, X, Point(1.0), match="it holds objects .Point. and is given back")


def test_a_gradient_goes_through_their_attributes():
    def loss(x):
        points = []
        for v in x:
            if v > 0:
                points.append(Point(v, v * v))
        return sum(p.norm() * p.x for p in points)

    expected = np.where(X > 0, 2 * X + 3 * X**2, 0.0)
    np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), expected)


class Fitted:
    def fit(self, x):
        self.mean = x.mean()
        return self


class Begun(Fitted):
    def __init__(self):
        self.mean = 0.0


def test_a_class_without_an_init_is_told_to_have_one():
    def fitted(x, cls):
        found = []
        for v in x:
            if v > 0:
                found.append(cls().fit(x * v))  # refused
        return [one.mean for one in found]

    refuse(
        lambda x: fitted(x, Fitted), X, match="give the class an `__init__` that sets its attrib"
    )
    check(lambda x: fitted(x, Begun), (X,), (Y,), (Z,))
