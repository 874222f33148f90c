"""Queues that a converted function makes: their methods, and what becomes of them."""

from __future__ import annotations

import queue

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

I = np.int64
X = np.arange(6.0)
COST = np.array([[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0.0]])
samples = Samples()


@samples("E9", (X,), (X + 1,))
def ordered_while_tracing(x):
    waiting = queue.PriorityQueue()
    for i in range(3):
        waiting.put((3 - i, i))
    order = []
    while not waiting.empty():
        order.append(waiting.get()[1])
    return x[order]


@samples("E9", (X,), (X + 1,))
def last_in_first_out(x):
    waiting = queue.LifoQueue(maxsize=4)
    for i in range(4):
        waiting.put_nowait(i)
    is_full, total = waiting.full(), x[0]
    while waiting.qsize() > 1:
        total = total * 10 + x[waiting.get_nowait()]
        waiting.task_done()
    return total, is_full, waiting.qsize()


@samples("E9", (X,), (X + 1,))
def put_in_while_taken_out(x):
    waiting = queue.Queue()
    waiting.put(1)
    while not waiting.empty():
        i = waiting.get()
        x[i] = x[i] * i
        if i < 4:
            waiting.put(i + 1)
    return x


@samples("E9", (COST,), (COST * 2,))
def shortest_ways(cost):
    n = len(cost)
    found = np.full(n, np.inf)
    found[0] = 0.0
    waiting = queue.PriorityQueue()
    waiting.put((0.0, 0))
    while not waiting.empty():
        d, u = waiting.get()
        if d > found[u]:
            continue
        for v in range(n):
            if cost[u, v] > 0 and d + cost[u, v] < found[v]:
                found[v] = d + cost[u, v]
                waiting.put((found[v], v))
    return found


@samples("E9", (X,), (X + 1,))
def empty_and_full(x):
    waiting = queue.Queue(maxsize=1)
    try:
        waiting.get(block=False)
    except queue.Empty:
        x = x + 1
    waiting.put(x)
    try:
        waiting.put_nowait(x)
    except queue.Full:
        x = x * 2
    return x, waiting.get()


test_samples = samples.test()


class Holder:
    def __init__(self):
        self.waiting = None


def test_what_is_kept_of_a_queue_is_one_of_pythons_with_its_items():
    def keep(holder, x):
        holder.waiting = queue.Queue()
        holder.waiting.put(3)
        holder.waiting.put(x[0])
        return x * 2

    function = ag.convert(keep)
    for _ in range(2):
        holder = Holder()
        function(holder, X)
        assert type(holder.waiting) is queue.Queue
        assert [holder.waiting.get(timeout=1) for _ in range(2)] == [3, 0.0]
        assert holder.waiting.unfinished_tasks == 2


def test_a_queue_from_outside_is_pythons_own():
    shared = queue.Queue()

    def note(x):
        shared.put(x[0])
        return x + 1

    function = ag.convert(note)
    function(X), function(X + 1)
    assert [shared.get(timeout=1), shared.get(timeout=1)] == [0.0, 1.0]


def test_more_tasks_done_than_there_are():
    def finish(x):
        waiting = queue.Queue()
        waiting.put(x)
        waiting.task_done()
        waiting.task_done()

    for function in (finish, ag.convert(finish)):
        with pytest.raises(ValueError, match="called too many times"):
            function(X)
