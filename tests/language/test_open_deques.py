"""Deques whose length depends on data: searches in breadth, windows, queues and round robins."""

from collections import deque

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, count_nodes, graph_of, refuse

samples = Samples()


def F(*numbers):
    return np.array(numbers, dtype=float)


GRAPHS = (
    np.array([[0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 0]]),
    np.array([[0, 0, 0, 1, 1], [0, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [1, 0, 0, 0, 0]]),
)
MAZES = (np.array([[0, 0, 1], [1, 0, 1], [1, 0, 0]]), np.array([[0, 0, 0], [1, 1, 0], [1, 1, 0]]))
X, Y = F(1, -2, 3, -1), F(-1, 2, 2, 2)


@samples("E4", (GRAPHS[0], np.int64(0)), (GRAPHS[1], np.int64(1)))
def breadth_first(adjacent, start):
    n = adjacent.shape[0]
    distance = np.full(n, -1)
    distance[start] = 0
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in range(n):
            if adjacent[u, v] and distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


@samples("E4", (GRAPHS[0], np.int64(0)), (GRAPHS[1], np.int64(1)), tensors=False)
def breadth_first_with_a_set(adjacent, start):
    visited = {start}
    queue = deque([(start, 0)])
    far = 0
    while queue:
        u, d = queue.popleft()
        far = max(far, d)
        for v in range(len(adjacent)):
            if adjacent[u][v] == 1 and v not in visited:
                visited.add(v)
                queue.append((v, d + 1))
    return far, len(visited)


@samples("E4", (np.array([0, 1, 0, 1, 1]),), (np.array([1, 1, 1, 1, 0]),), tensors=False)
def snake(turns):
    body, food = deque([(2, 2)]), (4, 2)
    dx, dy, score = 1, 0, 0
    for t in turns:
        if t:
            dx, dy = -dy, dx
        head = ((body[0][0] + dx) % 6, (body[0][1] + dy) % 6)
        if head in body:
            break
        body.appendleft(head)
        if head == food:
            score += 1
            food = ((food[0] + 3) % 6, (food[1] + 1) % 6)
        elif (9, 9) not in body:
            body.pop()
    return score, list(body)


OLDER = deque([1, 4])


@samples("E4", (np.int64(4),), (np.int64(2),), (np.int64(9),), tensors=False)
def searched_of_known_length(n):
    pairs, numbers = deque([(0, n), (n, n)]), deque([n - 1, n, 7 * n, n])
    found = (n, n + 0) in pairs, (0, 2) in pairs, 2 in numbers, n in OLDER, pairs.count((0, n))
    places = numbers.count(n), numbers.index(n), pairs.index((n, n))
    numbers.remove(n)
    print(list(numbers))
    return found, places, list(numbers)


@samples("E4", (np.int64(4),), (np.int64(2),), tensors=False)
def not_there_to_be_removed(n):
    numbers = deque([np.int64(4), np.int64(1)])
    numbers.remove(n)
    return len(numbers)


@samples("E4", (MAZES[0],), (MAZES[1],))
def shortest_way(grid):
    h, w = grid.shape
    distance = -np.ones((h, w), dtype=int)
    distance[0, 0] = 0
    queue = deque([(0, 0)])
    while queue:
        r, c = queue.popleft()
        if (r, c) == (h - 1, w - 1):
            return distance[r, c]
        for dr, dc in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
            nr, nc = r + dr, c + dc
            if 0 <= nr < h and 0 <= nc < w and grid[nr, nc] == 0 and distance[nr, nc] == -1:
                distance[nr, nc] = distance[r, c] + 1
                queue.append((nr, nc))
    return -1


@samples("E4", (MAZES[0],), (MAZES[1],))
def components(image):
    h, w = image.shape
    labels = np.zeros((h, w), int)
    count = 0
    for i in range(h):
        for j in range(w):
            if image[i, j] and labels[i, j] == 0:
                count += 1
                labels[i, j] = count
                queue = deque([(i, j)])
                while queue:
                    y, x = queue.popleft()
                    for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                        v, u = y + dy, x + dx
                        if 0 <= v < h and 0 <= u < w and image[v, u] and not labels[v, u]:
                            labels[v, u] = count
                            queue.append((v, u))
    return labels, count


@samples("E4", (GRAPHS[0],), (GRAPHS[1],))
def topological_order(adjacent):
    n = len(adjacent)
    a = np.triu(adjacent, 1)
    degree = a.sum(axis=0)
    ready = deque()
    for i in range(n):
        if degree[i] == 0:
            ready.append(i)
    order = []
    while ready:
        u = ready.popleft()
        order.append(u)
        for v in range(n):
            if a[u, v]:
                degree[v] -= 1
                if degree[v] == 0:
                    ready.append(v)
    return order


@samples("E4", (F(1, 2, 3, 4, 5, 6),), (F(5, 2, 7, 1, 0, 1),))
def greatest_of_windows(x):
    window, found = deque(), []
    for i in range(len(x)):
        while window and window[0] <= i - 3:
            window.popleft()
        while window and x[window[-1]] <= x[i]:
            window.pop()
        window.append(i)
        if i >= 2:
            found.append(x[window[0]])
    return np.array(found)


@samples("E4", (np.array([3, 1, 2]),), (np.array([1, 1, 5]),))
def round_robin(bursts):
    rest = bursts.copy()
    done = np.zeros(len(rest), int)
    queue = deque(range(len(rest)))
    now = 0
    while queue:
        i = queue.popleft()
        run = min(2, rest[i])
        now += run
        rest[i] -= run
        if rest[i] > 0:
            queue.append(i)
        else:
            done[i] = now
    return done, now


@samples("E4", (X, np.int64(2)), (Y, np.int64(3)))
def methods(x, n):
    d = deque([0.5, 2.0])
    for v in x:
        if v > 0:
            d.append(float(v))
        else:
            d.appendleft(float(v))
    d.rotate(n)
    d.extend([7.0, 8.0])
    d.extendleft([5.0, 6.0])
    d[0] = 9.0
    d.insert(1, 4.5)
    d.remove(7.0)
    e = d.copy()
    e.reverse()
    del e[0]
    first = e[0]
    e.clear()
    asked = d[-1], d[n], list(d), d.count(2.0), d.index(8.0), 3.0 in d
    return d, e, asked, first, len(d), len(e), bool(e), type(d) is deque, isinstance(d, deque)


@samples("E4", (X,), (Y,))
def of_a_greatest_length(x):
    d, e = deque(maxlen=2), deque([1.0], 3)
    for v in x:
        if v > 0:
            d.append(v)
            e.appendleft(float(v))
    d.extend([4.0 * x[0]] * 3)
    return d, e, sum(d), max(e), sorted(e), d.maxlen, np.array(e)


@samples("E4", (X,), (-X,))
def gone_through(x):
    d = deque()
    for v in x:
        if v > 0:
            d.append((v, 2 * v))
    total = x[0]
    for a, b in d:
        total += a * b
    for i, (a, _) in enumerate(d):
        total += i * a
    for a, _ in reversed(d):
        total = total * 2 + a
    return total, [a for a, b in d if b > 2], [*d]


@samples("E4", (X,), (-X,))
def two_queues(x):
    a, b = deque(), deque([0.0 * x[0]])
    for v in x:
        if v > 0:
            a.append(v)
        else:
            b.append(v)
    rounds = 0
    while a and b:
        if a[0] > b[0]:
            b.append(a.popleft() - b.popleft())
        else:
            a.append(b.popleft())
        rounds += 1
        if rounds > 20:
            break
    return a, b, rounds


class Queue:
    def __init__(self):
        self.items = deque()

    def put(self, v):
        self.items.append(v)

    def get(self):
        return self.items.popleft()

    def __len__(self):
        return len(self.items)


@samples("E4", (X,), (-X,))
def in_an_object(x):
    queue = Queue()
    for v in x:
        if v > 0:
            queue.put(v)
    total = x[0]
    while len(queue):
        v = queue.get()
        total += v
        if v > 2:
            queue.put(v / 2)
    return total


@samples("E4", (X,), (-np.abs(X),))
def taken_from_an_empty_one(x):
    d = deque()
    for v in x:
        if v > 0:
            d.append(v)
    return d.popleft(), d.pop()


@samples("E4", (X,), (-np.abs(X),))
def an_index_out_of_range(x):
    d = deque([x[0]])
    for v in x:
        if v > 0:
            d.append(v)
    return d[2]


@samples("E4", (X,), (Y,))
def made_into_text(x):
    d, e = deque(), []
    for v in x:
        if v > 0:
            d.append(float(v))
            e.append((int(v), "up" if v > 1 else "low"))
    print(d, [d, 1])
    print(e, len(e))
    return f"{d!r:>30} {e}", str(e), "%s of %d" % (e, 3)


@samples("E4", (X,), (Y,))
def rotated_by_data(x):
    d = deque(range(6))
    count = 0
    while len(d) > 1:
        d.rotate(int(x[0]) + 3)
        d.popleft()
        count += 1
    return d[0], count


@samples("E4", (np.arange(30.0),), (np.arange(30.0)[::-1],))
def made_anew_in_each_round(x):
    total = 0
    for i in range(25):
        d = deque()
        for v in x[:5]:
            if v > i:
                d.append(v)
        total += len(d)
    return total


@samples("E4", (X,), (-X,))
def given_back_with_data_in_it(x):
    last, pairs = deque([x[0], x[1]], maxlen=3), deque([(x[0], 1.0), (x[1], 2.0)])
    last.append(x[2] * 2)
    last.append(x[3])
    return {"last": last, "again": last, "none": deque(), "known": deque([1, 2])}, pairs


@samples("E4", (X, 1.0), (Y, -1.0))
def opened_by_a_body_that_is_traced_again(x, total):
    steps, left, k = {0: 1, 1: 2}, deque([0.5]), 1
    for v in x:
        try:
            m = steps[k]
        except KeyError:
            k, m = 1, 0
        steps = {key: step + 1 for key, step in steps.items() if step < 9}
        if left:
            total += left.pop() + m
    return total, k, steps, left


@samples("E4", (X,), (-X,), joined=True)
def added_in_place(x):
    last = deque([x[0]], 4)
    for v in x:
        if v > 0:
            last.append(v)
    last += (v + last[0] for v in (x[1], x[2]))
    other = last
    last += [x[0], x[1]]
    return list(last), other is last


test_sample = samples.test()


def decayed(x):
    d = deque()
    for v in x:
        if v > 0:
            d.append(v * v)
    total = 0.0
    while d:
        total = total * 0.5 + d.popleft()
    return total


def test_a_gradient_goes_through_a_deque():
    assert np.array_equal(ag.grad(decayed)(X), [1.0, 0.0, 6.0, 0.0])
    assert np.array_equal(ag.grad(decayed)(-X), [0.0, 2.0, 0.0, 2.0])


def test_a_search_is_one_loop():
    f = ag.convert(breadth_first)
    f(GRAPHS[0], np.int64(0))
    assert count_nodes(graph_of(f), "while") >= 1


def changed_while_gone_through(x):
    d = deque([x[0]])
    for v in x:
        if v > 0:
            d.append(v)
    for v in d:  # refused
        if v > 1:
            d.append(v)
    return len(d)


def compared(x):
    d = deque()
    for v in x:
        if v > 0:
            d.append(v)
    return d == deque([1.0])  # refused


def older_than_the_call(x, d):
    for v in x:
        if v > 0:  # refused
            d.popleft()
    return len(d)


@pytest.mark.parametrize(
    ("sample", "arguments", "words"),
    [
        (changed_while_gone_through, (X,), "it is changed while"),
        (compared, (X,), "the length of a deque depends on data, and `__eq__`"),
        (older_than_the_call, (X, deque([1.0, 2.0, 3.0])), "a deque that is changed in place"),
    ],
)
def test_what_a_graph_cannot_tell_is_refused(sample, arguments, words):
    refuse(sample, *arguments, match=words)


def test_a_deque_of_items_of_two_kinds_or_of_arrays_is_not_given_back():
    refuse(lambda x: deque([x[0], 1]), X, match="a deque that it made")
    refuse(lambda x: deque([x * 2]), X, match="a deque that it made")


def averages(x, n):
    window, found = deque(maxlen=n), []
    for v in x:
        window.append(v)
        found.append(np.mean(window))
    return found, np.array(window), np.std(window), np.stack(window), max(window)


def test_arrays_are_made_of_deques():
    staged = ag.convert(averages)
    for n in (3, 2, 4):
        for found, expected in zip(
            staged(F(1, 2, 5, 3), n), averages(F(1, 2, 5, 3), n), strict=True
        ):
            np.testing.assert_array_equal(found, expected)
    assert staged.trace_count >= 2
