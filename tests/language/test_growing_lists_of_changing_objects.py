"""Lists whose length depends on data, of objects that are written: they hold the very objects."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X, Y, Z = np.array([1.0, 2.0, 3.0]), np.array([5.0, 2.0, 1.0]), np.array([9.0, 9.0, 9.0])
THREE = ((X,), (Y,), (Z,))


class Particle:
    def __init__(self, x, v=1.0, name="p"):
        self.x, self.v, self.name = x, v, name
        self.alive, self.seen, self.place = True, [], np.zeros(2)

    def step(self):
        self.x += self.v
        self.seen.append(self.x)
        self.place[0] += self.x


class Slow(Particle):
    def step(self):
        self.x += 0.5 * self.v


@dataclass
class Process:
    number: int
    left: float
    end: float = 0.0


@samples("E4", *THREE, joined=True)
def filtered_and_moved(x):
    particles = [Particle(v) if k else Slow(v) for k, v in enumerate(x)]
    for _ in range(3):
        near = [p for p in particles if p.x < 4]
        for p in near:
            p.step()
    ends = [p.x for p in near], [p.x for p in particles], [len(p.seen) for p in particles]
    return ends, [p.place for p in particles], sum(isinstance(p, Slow) for p in near), len(near)


class World:
    def __init__(self, x):
        self.particles, self.dead, self.clock = [Particle(v) for v in x], [], []

    def tick(self):
        for p in self.particles:
            p.x -= 1.5
            if p.x <= 0:
                p.alive = False
        self.dead += [p for p in self.particles if not p.alive]
        self.particles = [p for p in self.particles if p.alive]


@samples("E4", *THREE, joined=True)
def world(x):
    w = World(x)
    for _ in range(30):
        w.tick()
        w.clock = [n for n in [*w.clock, len(w.dead)] if n > 1][-2:]
        if len(w.dead) == 2:
            w.dead[-1].v = 7.0
    return len(w.particles), [p.x for p in w.dead], [p.v for p in w.dead], w.clock


@samples("E4", *THREE, joined=True)
def round_robin(x):
    queue = deque(Process(i, v) for i, v in enumerate(x))
    clock, finished = 0.0, []
    while queue:
        p = queue.popleft()
        run = min(1.5, p.left)
        clock += run
        p.left -= run
        if p.left > 0:
            queue.append(p)
        else:
            p.end = clock
            finished.append(p)
    for p in finished:
        print(p.number, p.end)
    return sum(p.end for p in finished) / len(finished)


class Plant:
    def __init__(self, name):
        self.name, self.queue = name, []

    def add(self, process):
        self.queue.append(process)
        return self.name


@samples("E4", *THREE, joined=True)
def made_by_a_loop_over_an_array(x):
    plant = Plant("mill")
    for i, v in enumerate(x):
        plant.add(Process(i, v))
    for _ in range(3):
        for p in plant.queue:
            p.left -= 1.5
            if p.left < 0:
                p.end += p.left
    return [(p.number, p.left, p.end) for p in plant.queue], plant.queue[0]


@samples("E4", *THREE, joined=True)
def made_by_a_long_range(x):
    processes, kept = [], []
    for i in range(20):
        processes.append(Process(i, x[0] * i))
    for p in processes:
        p.left += x[1]
        if p.left > 20.0:
            kept.append(p.left)
    return kept, processes[-1]


@samples("E4", *THREE, joined=True)
def some_written_and_some_only_made(x):
    processes, notes = [], []
    for i, v in enumerate(x):
        processes.append(Process(i, v))
    while processes[0].left < 9:
        processes[0].left += 1
        notes.append((processes[0].left, len(notes)))
    return notes, processes


class Add:
    def __init__(self, n):
        self.n = n

    def do(self, state):
        state["value"] += self.n

    def undo(self, state):
        state["value"] -= self.n


class Scale(Add):
    def do(self, state):
        self.before = state["value"]
        state["value"] *= self.n

    def undo(self, state):
        state["value"] = self.before


@samples("E4", *THREE, joined=True)
def undone(x):
    state, done, again = {"value": 1.0 * x[0]}, [], []
    for i, v in enumerate(x):
        command = Add(v) if i % 2 == 0 else Scale(v)
        command.do(state)
        done.append(command)
        if state["value"] > 8:
            again.append(done.pop())
            again[-1].undo(state)
    while again:
        again.pop().do(state)
    return state, len(done)


@samples("E4", *THREE, joined=True)
def told_apart(x):
    particles = [Particle(v) for v in x]
    low, high = [], []
    for p in particles:
        (low if p.x < 3 else high).append(p)
    low.append(particles[0])
    known = [p in low for p in particles], low.count(particles[0]), low.index(particles[0])
    low.remove(particles[0])
    least = min(high, key=lambda p: p.x) if high else particles[1]
    where = high.index(least) if least in high else -1
    return known, len(low), where, least is particles[2], [p in low for p in high]


@samples("E4", *THREE, joined=True)
def in_pairs_and_groups(x):
    particles = [Particle(v, name=n) for v, n in zip(x, "aba")]
    groups, heap = defaultdict(list), []
    for i, p in enumerate(particles):
        if p.x < 6:
            groups[p.name].append(p)
            heapq.heappush(heap, (p.x, i, p))
    order = []
    while heap:
        v, i, p = heapq.heappop(heap)
        p.v += len(groups[p.name])
        order.append(i)
        if v < 2:
            heapq.heappush(heap, (v + 4, i, p))
    pairs = sorted(((p.v, p) for p in particles if p.x > 1), key=lambda pair: pair[0])
    for k, (_, p) in enumerate(pairs):
        p.x = 10.0 * k + x[0]
    return order, [p.v for p in particles], [p.x for p in particles], len(pairs)


@samples("E4", *THREE, joined=True)
def battle(x):
    units, beaten = [Particle(v) for v in x], 0
    for unit in list(units):
        others = [u for u in units if u is not unit and u.v > 0]
        target = min(others, key=lambda u: abs(u.x - unit.x)) if others else None
        if target is not None:
            target.v -= 0.4 * x[0]
            if target.v <= 0:
                units.remove(target)
                beaten += 1
    return [u.x for u in units], beaten


@samples("E4", *THREE, joined=True)
def some_are_none(x):
    particles = [Particle(v) for v in x]
    slots = [p if p.x < 3 else None for p in particles]
    count = 0
    for s in slots[::-1]:
        if s is not None:
            s.x += 10.0
            count += 1
    return count, [p.x for p in particles]


@samples("E4", *THREE, joined=True)
def some_were_none_before(x):
    particles = [Particle(v) if v < 6 else None for v in x]
    named = ["low" if v < 3 else None for v in x]
    near = [p for p in particles if p is None or p.x > 1.5]
    texts = [name for name, v in zip(named, x) if v > 1.5]
    for p in near:
        if p is not None:
            p.x += 1.0
    return [p.x for p in particles if p is not None], len(near), texts


@samples("E4", *THREE, joined=True)
def raised_on_the_way(x):
    particles = [Particle(v) for v in x]
    near = [p for p in particles if p.x < 6]
    try:
        for p in near:
            p.v = 2.0 * x[0]
            if p.x > 1.5:
                raise ValueError(f"too far: {p.x}")
    except ValueError as error:
        print(error)
    return [p.v for p in particles]


OLDER = [Particle(1.0), Particle(2.0), Particle(3.0)]


@samples("E4", (np.float64(2.5),), (np.float64(1.5),), (np.float64(0.5),), traces=2)
def of_the_module(limit):
    near = [p for p in OLDER if p.x < limit]
    for p in near:
        p.v *= 2.0
    return len(near)


test_sample = samples.test()


def test_a_list_that_is_an_attribute_is_replaced_in_one_loop_of_the_graph():
    graph = ag.convert(world).get_concrete_function(X).graph
    assert sum(op.type == "while" for op in graph.operations) < 6


def test_the_callers_objects_are_written():
    @ag.convert
    def move(particles, limit):
        near = [p for p in particles if p.left < limit]
        for p in near:
            p.left += 1.0
        return len(near)

    given = [Process(0, 1.0), Process(1, 2.0)]
    assert move(given, np.float64(1.5)) == 1
    assert move(given, np.float64(9.0)) == 2
    assert [p.left for p in given] == [3.0, 3.0]


def test_gradients_go_through_what_is_written():
    def loss(x, limit):
        particles = [Particle(v, limit) for v in x]
        near = [p for p in particles if p.x < limit]
        for p in near:
            p.step()
        return sum(p.x * p.v for p in near) + sum(p.x**2 for p in particles)

    x, limit = np.array([1.0, 2.0, 3.0]), 2.5
    dx, dlimit = ag.grad(ag.convert(loss), argnums=(0, 1))(x, limit)
    np.testing.assert_allclose(dx, [limit + 2 * 3.5, limit + 2 * 4.5, 6.0])
    np.testing.assert_allclose(dlimit, 3.5 + 4.5 + 2 * limit + 2 * 3.5 + 2 * 4.5)


def given_back(x):
    particles = [Particle(v) for v in x]
    return [p for p in particles if p.x < 3]


def printed(x):
    particles = [Particle(v) for v in x]
    print([p for p in particles if p.x < 3])  # refused


class Named:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


def equal_by_a_method(x):
    found = [n for n in [Named(v) for v in x] if n.x < 3]
    return Named(2.0) in found  # refused


def too_many(x):
    particles = [Particle(v + k) for k in range(11) for v in x]
    near = [p for p in particles if p.x < 9]
    return len(near)


REFUSED = [
    (printed, "it holds objects .Particle. and is made into text"),
    (equal_by_a_method, "objects that say what they are equal to, are compared"),
]


@pytest.mark.parametrize(("sample", "match"), REFUSED, ids=[r[0].__name__ for r in REFUSED])
def test_what_would_need_other_objects_in_each_call_is_refused(sample, match):
    refuse(sample, X, match=match)


def made_in_a_branch(x):
    found = []
    if x[0] > 2:
        found.append(Particle(3 * x[0]))
    for p in found:
        p.x += 1.0
    return [p.x for p in found]


def made_in_each_round(x):
    found = []
    for i in range(30):
        if x[0] < i:
            found.append(Particle(i * x[0]))
    return len(found)


@pytest.mark.parametrize("sample", [made_in_a_branch, made_in_each_round, given_back, too_many])
def test_objects_of_each_call_are_items(sample):
    check(sample, (X,), (X - 2,), joined=True)
