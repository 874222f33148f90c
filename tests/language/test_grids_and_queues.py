"""Programs over small grids, whose rounds are large, and over queues of numbered events."""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from tests.language.harness import Samples, check

samples = Samples()
rng = np.random.default_rng(8)
IMAGE, POINTS = rng.random((8, 8)), rng.random((10, 2))
FRUIT = rng.integers(0, 3, (8, 8))


@samples("", (IMAGE,), (IMAGE * 0,), (IMAGE * 0 + 1,))
def regions(image):
    h, w = image.shape
    label = np.zeros((h, w), int)
    current = 0
    for i in range(h):
        for j in range(w):
            if image[i, j] > 0.5 and label[i, j] == 0:
                current += 1
                todo = [(i, j)]
                while todo:
                    a, b = todo.pop()
                    if a < 0 or b < 0 or a >= h or b >= w:
                        continue
                    if image[a, b] <= 0.5 or label[a, b] != 0:
                        continue
                    label[a, b] = current
                    todo.extend([(a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)])
    return label, current


@samples("", (POINTS, np.float64(0.3)), (POINTS, np.float64(0.01)), (POINTS * 0, np.float64(1.0)))
def clusters(points, radius):
    n = len(points)
    labels = [0] * n
    found = 0
    for i in range(n):
        if labels[i] != 0:
            continue
        near = [j for j in range(n) if np.abs(points[i] - points[j]).sum() <= radius]
        if len(near) < 3:
            labels[i] = -1
            continue
        found += 1
        labels[i] = found
        k = 0
        while k < len(near):
            j = near[k]
            if labels[j] <= 0:
                if labels[j] == 0:
                    more = [m for m in range(n) if np.abs(points[j] - points[m]).sum() <= radius]
                    if len(more) >= 3:
                        near += more
                labels[j] = found
            k += 1
    return labels, found


@samples("", (FRUIT,), (FRUIT * 0,), (FRUIT * 0 + 2,))
def spreading(grid):
    h, w = grid.shape
    minutes = 0
    while True:
        new, spread = grid.copy(), 0
        for y in range(h):
            for x in range(w):
                if grid[y, x] == 2:
                    if y > 0 and new[y - 1, x] == 1:
                        new[y - 1, x] = 2
                        spread += 1
                    if y < h - 1 and new[y + 1, x] == 1:
                        new[y + 1, x] = 2
                        spread += 1
                    if x > 0 and new[y, x - 1] == 1:
                        new[y, x - 1] = 2
                        spread += 1
                    if x < w - 1 and new[y, x + 1] == 1:
                        new[y, x + 1] = 2
                        spread += 1
        if not spread:
            return minutes, (grid == 1).any()
        minutes += 1
        grid = new


@samples("", (POINTS[:, 0] * 10, POINTS[:, 1] * 5), (POINTS[:, 0] * 0, POINTS[:, 1] * 0 + 1))
def workshop(arrivals, work):
    numbers = itertools.count(1)
    events = []
    for time in arrivals:
        heapq.heappush(events, (time, next(numbers), 0))
    busy = waiting = k = 0
    done = []
    while events:
        time, number, kind = heapq.heappop(events)
        begins = (kind == 0 and busy < 2) or (kind == 1 and waiting > 0)
        if kind == 1:
            done.append(number)
            if begins:
                waiting -= 1
            else:
                busy -= 1
        elif begins:
            busy += 1
        else:
            waiting += 1
        if begins:
            heapq.heappush(events, (time + work[k % len(work)], next(numbers), 1))
            k += 1
    return done, k, next(numbers)


@samples(
    "", (np.array([0.5, 0.3, 2.0]),), (np.array([2.0, 0.1, 0.1]),), (np.array([9.0, 9.0, 9.0]),)
)
def retried(waits):
    attempt, value = 0, 1.0
    while True:
        attempt += 1
        try:
            value = value * waits[attempt - 1]
            if value > 1:
                raise TimeoutError(attempt)
        except TimeoutError as error:
            if attempt == 3:
                return error.args[0] * 10, value
            continue
        else:
            break
        finally:
            print("attempt", attempt)
    return attempt, value


test_programs = samples.test()


def test_the_rounds_of_a_grid_are_one_loop():
    nodes = check(regions, (IMAGE,)).graph.nodes
    assert [node.op.name for node in nodes].count("while") == 1
    assert len(nodes) < 30
