"""Programs of every day: statistics, finance, images, games, graphs, text, machines with states."""

from __future__ import annotations

import math
from collections import Counter, deque, namedtuple
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from tests.language.arguments import A, I, N
from tests.language.harness import Samples

samples = Samples()
F = np.float64
rng = np.random.default_rng(5)


# ---- dynamic programming ---------------------------------------------------------------------


@samples("", (N(1, 3, 4, 1, 2), N(3, 4, 1, 2, 1)), (N(1, 1, 1, 1, 1), N(2, 2, 2, 1, 2)))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1), dtype=int)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table[n, m]


@samples("", (N(1, 3, 4, 5), N(1, 4, 5, 7), I(7)), (N(2, 2, 3, 1), N(3, 1, 9, 2), I(5)))
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@samples("", (N(1, 2, 5), I(11)), (N(3, 4, 5), I(2)))
def fewest_coins(coins, amount):
    unreachable = amount + 1
    table = [0] + [unreachable] * 11
    for total in range(1, 12):
        for coin in coins:
            if coin <= total:
                table[total] = min(table[total], table[total - coin] + 1)
    result = np.array(table)[amount]
    return result if result < unreachable else I(-1)


@samples("", (N(10, 9, 2, 5, 3, 7, 101, 18),), (N(1, 1, 1, 1, 1, 1, 1, 1),))
def longest_increasing_subsequence(x):
    lengths = np.ones(len(x), dtype=np.int64)
    for i in range(1, len(x)):
        for j in range(i):
            if x[j] < x[i] and lengths[j] + 1 > lengths[i]:
                lengths[i] = lengths[j] + 1
    return lengths.max()


@samples("", (N(1, 0, 2), N(2, 1, 0)), (N(0, 0, 1), N(1, 1, 1)))
def viterbi(observed, other):
    start, hidden = A(0.6, 0.4), 2
    moves = np.array([[0.7, 0.3], [0.4, 0.6]])
    emits = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
    score = start * emits[:, observed[0]]
    back = np.zeros((len(observed), hidden), dtype=int)
    for t in range(1, len(observed)):
        candidates = score[:, None] * moves
        back[t] = candidates.argmax(axis=0)
        score = candidates.max(axis=0) * emits[:, observed[t]]
    path = [int(score.argmax())]
    for t in range(len(observed) - 1, 0, -1):
        path.insert(0, back[t][path[0]])
    return np.array(path), score.max() * other.sum()


@samples("", (rng.random((4, 3)), I(3)), (rng.random((4, 3)), I(2)))
def needleman_wunsch(scores, gap):
    n, m = scores.shape
    table = np.zeros((n + 1, m + 1))
    table[:, 0] = -gap * np.arange(n + 1)
    table[0] = -gap * np.arange(m + 1)
    for i in range(n):
        for j in range(m):
            diagonal = table[i, j] + scores[i, j]
            table[i + 1, j + 1] = max(diagonal, table[i, j + 1] - gap, table[i + 1, j] - gap)
    return table


# ---- sorting and searching -------------------------------------------------------------------


@samples("", (A(3, 1, 2, 5, 4),), (A(1, 1, 1, 0, 0),))
def bubble_sort(x):
    swaps = 0
    for i in range(len(x)):
        swapped = False
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                swaps, swapped = swaps + 1, True
        if not swapped:
            break
    return swaps


@samples("", (A(3, 1, 2, 5, 4, 0),), (A(9, 9, 1, 1, 5, 5),))
def merge_sort_from_below(x):
    n, width = len(x), 1
    while width < n:
        merged = np.empty_like(x)
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, end):
                if i < middle and (j >= end or x[i] <= x[j]):
                    merged[k] = x[i]
                    i += 1
                else:
                    merged[k] = x[j]
                    j += 1
        x = merged
        width *= 2
    return x


@samples("", (A(3, 1, 2, 5, 4, 0),), (A(9, 9, 1, 1, 5, 5),))
def heap_sort(x):
    def sift(x, root, end):
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and x[child] < x[child + 1]:
                child += 1
            if x[root] >= x[child]:
                return
            x[root], x[child] = x[child], x[root]
            root = child

    n = len(x)
    for root in range(n // 2 - 1, -1, -1):
        sift(x, root, n)
    for end in range(n - 1, 0, -1):
        x[0], x[end] = x[end], x[0]
        sift(x, 0, end)


@samples("", (A(5, 2, 8, 1, 9, 3), I(2)), (A(1, 1, 2, 2, 3, 3), I(4)))
def quick_select(x, k):
    x = x.copy()
    lo, hi = 0, len(x) - 1
    while lo < hi:
        pivot, i, j = x[k], lo, hi
        while i <= j:
            while x[i] < pivot:
                i += 1
            while pivot < x[j]:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i, j = i + 1, j - 1
        if j < k:
            lo = i
        if k < i:
            hi = j
    return x[k]


@samples("", (N(2, 0, 2, 1, 1, 0),), (N(2, 2, 2, 0, 0, 0),))
def dutch_flag(x):
    low, mid, high = 0, 0, len(x) - 1
    while mid <= high:
        if x[mid] == 0:
            x[low], x[mid] = x[mid], x[low]
            low += 1
            mid += 1
        elif x[mid] == 1:
            mid += 1
        else:
            x[mid], x[high] = x[high], x[mid]
            high -= 1


@samples("", (N(1, 3, 2),), (N(3, 2, 1),), (N(1, 2, 3),), joined=True)
def next_permutation(p):
    i = len(p) - 2
    while i >= 0 and p[i] >= p[i + 1]:
        i -= 1
    if i < 0:
        return p[::-1]
    j = len(p) - 1
    while p[j] <= p[i]:
        j -= 1
    p = p.copy()
    p[i], p[j] = p[j], p[i]
    p[i + 1 :] = p[i + 1 :][::-1]
    return p


@samples("", (N(2, 2, 1, 1, 2),), (N(3, 3, 4, 2, 4),), joined=True)
def majority(votes):
    candidate, count = None, 0
    for vote in votes:
        if count == 0:
            candidate = vote
        count += 1 if vote == candidate else -1
    return candidate if (votes == candidate).sum() > len(votes) // 2 else -1


# ---- graphs and grids ------------------------------------------------------------------------

GRAPH = np.array([[0, 4, 1, np.inf], [4, 0, 2, 5], [1, 2, 0, 8], [np.inf, 5, 8, 0]])


@samples("", (GRAPH, I(0)), (GRAPH, I(3)))
def dijkstra(costs, source):
    n = len(costs)
    distance = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    distance[source] = 0
    for _ in range(n):
        best, u = np.inf, -1
        for v in range(n):
            if not done[v] and distance[v] < best:
                best, u = distance[v], v
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if distance[u] + costs[u, v] < distance[v]:
                distance[v] = distance[u] + costs[u, v]
    return distance


@samples("", (GRAPH,), (GRAPH[::-1, ::-1].copy(),))
def floyd_warshall(d):
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[None, k])
    return d


@samples("", (N(0, 2, 4), N(1, 3, 5)), (N(0, 1, 2), N(1, 2, 3)))
def union_find(a, b):
    parent = np.arange(6)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    sets = 6
    for i, j in zip(a, b):
        ri, rj = find(i), find(j)
        if ri != rj:
            parent[ri] = rj
            sets -= 1
    return sets, parent


@samples("", (np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]]), I(0)), (np.eye(3, dtype=int), I(2)))
def flood_fill(walls, start):
    """Cells to visit are in a queue of fixed size."""
    n = walls.shape[0]
    steps = np.full((n, n), -1)
    queue = np.zeros((n * n, 2), dtype=int)
    queue[0] = 0, start
    steps[0, start] = 0
    head, tail = 0, 1
    while head < tail:
        r, c = queue[head]
        head += 1
        for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            y, x = r + dr, c + dc
            if 0 <= y < n and 0 <= x < n and walls[y, x] == 0 and steps[y, x] < 0:
                steps[y, x] = steps[r, c] + 1
                queue[tail] = y, x
                tail += 1
    return steps


@samples("", (np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0.0]]), F(0.85)), (np.ones((3, 3)), F(0.5)))
def page_rank(links, damping):
    n = links.shape[0]
    shares = links / links.sum(axis=1, keepdims=True)
    rank, rounds = np.full(n, 1 / n), 0
    while True:
        new = (1 - damping) / n + damping * shares.T @ rank
        rounds += 1
        if np.abs(new - rank).sum() < 1e-9:
            return new, rounds
        rank = new


# ---- images ----------------------------------------------------------------------------------

PICTURE, OTHER = rng.integers(0, 256, (5, 6)), rng.integers(0, 256, (5, 6))


@samples("", (PICTURE,), (OTHER,))
def sobel(image):
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    h, w = image.shape
    out = np.zeros((h, w))
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            window = image[i - 1 : i + 2, j - 1 : j + 2]
            out[i, j] = math.hypot((window * kernel).sum(), (window * kernel.T).sum())
    return out


@samples("", (PICTURE,), (OTHER,))
def median_filter(image):
    out = image.copy()
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = np.sort(image[i - 1 : i + 2, j - 1 : j + 2].ravel())[4]
    return out


@samples("", (PICTURE,), (OTHER,))
def equalized(image):
    histogram = np.zeros(256, dtype=np.int64)
    for value in image.ravel():
        histogram[value] += 1
    cumulated = histogram.cumsum()
    lowest = cumulated[cumulated > 0][0]
    table = np.round((cumulated - lowest) / (image.size - lowest) * 255).astype(np.uint8)
    return table[image]


@samples("", (PICTURE, I(128)), (OTHER, I(60)))
def dithered(image, threshold):
    """Floyd and Steinberg: the error goes to the neighbours that come later."""
    x = image.astype(float)
    h, w = x.shape
    for i in range(h):
        for j in range(w):
            old = x[i, j]
            new = 255.0 if old > threshold else 0.0
            x[i, j] = new
            error = old - new
            if j + 1 < w:
                x[i, j + 1] += error * 7 / 16
            if i + 1 < h:
                if j > 0:
                    x[i + 1, j - 1] += error * 3 / 16
                x[i + 1, j] += error * 5 / 16
                if j + 1 < w:
                    x[i + 1, j + 1] += error / 16
    return x


# ---- learning --------------------------------------------------------------------------------

POINTS, OTHER_POINTS = (rng.normal(size=(12, 2)) + np.repeat([[0, 0], [4, 4]], 6, 0) for _ in "ab")
LABELS = np.repeat([0, 1], 6)


@samples("", (POINTS, POINTS[[0, 6]]), (OTHER_POINTS, OTHER_POINTS[[1, 2]]))
def k_means_with_empty_clusters(points, centres):
    labels = np.zeros(len(points), dtype=int)
    for round_ in range(20):
        distances = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
        new = centres.copy()
        for k in range(len(centres)):
            if (labels == k).any():
                mask = (labels == k)[:, None]
                new[k] = (points * mask).sum(axis=0) / mask.sum()
        if np.allclose(new, centres):
            break
        centres = new
    return centres, labels, round_


@samples("", (POINTS, LABELS, F(0.1)), (OTHER_POINTS, 1 - LABELS, F(0.5)))
def logistic_regression(x, y, rate):
    w, b, before = np.zeros(2), 0.0, np.inf
    for epoch in range(60):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        loss = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))
        if abs(before - loss) < 1e-3:
            print(f"stopped at {epoch}")
            break
        before = loss
        error = p - y
        w -= rate * (x.T @ error) / len(x)
        b -= rate * error.mean()
    return w, b


@samples("", (POINTS, LABELS), (OTHER_POINTS, 1 - LABELS))
def perceptron(x, y):
    w, b, mistakes = np.zeros(2), 0.0, 0
    for _ in range(10):
        changed = False
        for row, label in zip(x, 2 * y - 1):
            if label * (w @ row + b) <= 0:
                w, b = w + label * row, b + label
                mistakes, changed = mistakes + 1, True
        if not changed:
            break
    return w, b, mistakes


@samples("", (POINTS, A(1, 1), I(3)), (OTHER_POINTS, A(3, 3), I(3)))
def nearest_neighbours(points, at, k):
    order = np.argsort(((points - at) ** 2).sum(axis=1))
    votes = [0, 0]
    votes = np.zeros(2, dtype=int)
    for i in range(k):
        votes[LABELS[order[i]]] += 1
    return votes.argmax(), votes


@samples("", (A(1, 1.2, 0.9, 1.1, 5.0), F(0.1)), (A(0, 0, 0, 0, 0), F(2)))
def kalman_filter(measured, noise):
    x, p = np.array([0.0, 0.0]), np.eye(2)
    transition, seen = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    found = np.zeros(len(measured))
    for t, z in enumerate(measured):
        x = transition @ x
        p = transition @ p @ transition.T + 0.01 * np.eye(2)
        residual = z - (seen @ x)[0]
        s = (seen @ p @ seen.T)[0, 0] + noise
        gain = (p @ seen.T)[:, 0] / s
        x = x + gain * residual
        p = (np.eye(2) - np.outer(gain, seen[0])) @ p
        found[t] = x[0]
    return found, p


@samples("", (F(10), F(0.9)), (F(-4), F(0.5)))
def simulated_annealing(x, cooling):
    """Its random numbers come from NumPy, in their own order."""
    draws = np.random.default_rng(42)

    def energy(x):
        return x * x + 10 * np.sin(x)

    temperature, best, steps = 10.0, x, 0
    while temperature > 1e-2:
        candidate = x + draws.normal() * temperature
        change = energy(candidate) - energy(x)
        if change < 0 or draws.random() < np.exp(-change / temperature):
            x = candidate
            if energy(x) < energy(best):
                best = x
        temperature *= cooling
        steps += 1
    return best, steps


# ---- money and series ------------------------------------------------------------------------


@samples("", (F(100), F(95), F(0.2)), (F(50), F(80), F(0.5)))
def option_by_a_tree(price, strike, volatility):
    n, rate = 6, 0.02
    dt = 1 / n
    up = np.exp(volatility * np.sqrt(dt))
    q = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    values = np.array([max(strike - price * up ** (2 * i - n), 0.0) for i in range(n + 1)])
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            kept = np.exp(-rate * dt) * (q * values[i + 1] + (1 - q) * values[i])
            exercised = strike - price * up ** (2 * i - step)
            values[i] = max(kept, exercised)
    return values[0]


@samples("", (A(-100, 30, 40, 50, 20), F(0.1)), (A(-10, 0, 0, 0, 40), F(0)))
def internal_rate(flows, guess):
    rate = guess
    for _ in range(50):
        value = slope = 0.0
        for t, flow in enumerate(flows):
            value += flow / (1 + rate) ** t
            slope -= t * flow / (1 + rate) ** (t + 1)
        step = value / slope
        rate -= step
        if abs(step) < 1e-10:
            return rate
    raise RuntimeError("no convergence")


# ---- geometry --------------------------------------------------------------------------------

SQUARE = A(0, 0, 4, 0, 4, 4, 0, 4).reshape(4, 2)


@samples("", (SQUARE, A(2, 2)), (SQUARE, A(5, 1)), (SQUARE, A(-1, 2)))
def point_in_polygon(polygon, point):
    inside = False
    j = len(polygon) - 1
    for i in range(len(polygon)):
        (xi, yi), (xj, yj) = polygon[i], polygon[j]
        if (yi > point[1]) != (yj > point[1]):
            cut = (xj - xi) * (point[1] - yi) / (yj - yi) + xi
            if point[0] < cut:
                inside = not inside
        j = i
    return inside


@samples("", (rng.random((6, 2)),), (rng.random((6, 2)),))
def closest_pair(points):
    best, pair = np.inf, (0, 0)
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            d = np.hypot(*(points[i] - points[j]))
            if d < best:
                best, pair = d, (i, j)
    return best, pair


# ---- integers and codes ----------------------------------------------------------------------


@samples("", (I(3), I(200), I(13)), (I(2), I(10), I(1000)))
def power_modulo(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


@samples("", (I(97),), (I(91),), (I(2),), (I(1),))
def is_prime(n):
    if n < 2:
        return False
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1 if k == 2 else 2
    return True


@samples("", (N(4, 5, 3, 9, 1, 4, 8, 8, 0, 3, 4, 3, 6, 4, 6, 7),), (np.zeros(16, int),))
def luhn(digits):
    total = 0
    for i, digit in enumerate(digits[::-1]):
        if i % 2 == 1:
            digit = digit * 2
            if digit > 9:
                digit -= 9
        total += digit
    return total % 10 == 0


@samples("", (np.frombuffer(b"Wikipedia", np.uint8),), (np.frombuffer(b"autograph", np.uint8),))
def adler32(data):
    a, b = 1, 0
    for byte in data:
        a = (a + int(byte)) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@samples("", (np.uint32(1), I(5)), (np.uint32(2463534242), I(3)))
def xorshift(state, n):
    out = np.zeros(n, dtype=np.uint32)
    for i in range(n):
        state ^= state << np.uint32(13)
        state ^= state >> np.uint32(17)
        state ^= state << np.uint32(5)
        out[i] = state
    return out


@samples("", (I(2024), I(2), I(29)), (I(1900), I(1), I(1)))
def weekday(year, month, day):
    if month < 3:
        month, year = month + 12, year - 1
    k, j = year % 100, year // 100
    h = (day + 13 * (month + 1) // 5 + k + k // 4 + j // 4 + 5 * j) % 7
    names = ["Sat", "Sun", "Mon", "Tue", "Wed", "Thu", "Fri"]
    for i, name in enumerate(names):
        if h == i:
            print(name)
    return h


# ---- text that is printed --------------------------------------------------------------------


@samples("", (A(1.5, 22.25, 3),), (A(100, 0, -1),))
def printed_table(prices):
    print(f"{'item':<6}{'price':>8}")
    total = 0.0
    for i, price in enumerate(prices):
        print(f"{i:<6}{price:>8.2f}")
        total += price
    print("-" * 14)
    print(f"{'total':<6}{total:>8.2f}")


@samples("", (N(1, 1, 2, 2, 2, 3),), (N(5, 4, 4, 4, 4, 4),))
def run_lengths(x):
    """Values and counts in arrays of full length, and how many there are."""
    values, counts = np.zeros_like(x), np.zeros_like(x)
    k = 0
    values[0], counts[0] = x[0], 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            counts[k] += 1
        else:
            k += 1
            values[k], counts[k] = x[i], 1
    print(" ".join(f"{v}x{c}" for v, c in zip(values, counts)))
    return values, counts, k + 1


@samples("", (I(3),), (I(1),))
def towers_of_hanoi(shown):
    moves = []

    def move(n, source, target, spare):
        if n == 0:
            return
        move(n - 1, source, spare, target)
        moves.append((source, target))
        move(n - 1, spare, target, source)

    move(3, "A", "C", "B")
    for source, target in moves[:4]:
        print(f"{shown}: {source} -> {target}")
    return len(moves)


# ---- machines with states, records, objects ----------------------------------------------------


@dataclass
class Account:
    balance: float
    history: list = field(default_factory=list)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(f"cannot deposit {amount}")
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise RuntimeError(f"{amount} is more than {self.balance}")
        self.balance -= amount
        self.history.append(-amount)


@samples("", (F(50), F(30)), (F(5), F(100)), (F(-1), F(2)))
def bank_account(paid, taken):
    account = Account(10.0)
    account.deposit(paid)
    account.withdraw(taken)
    return account.balance, account.history


class Light(Enum):
    RED = 0
    GREEN = 1
    AMBER = 2


@samples("", (N(0, 1, 0, 1, 1),), (N(1, 1, 1, 1, 1),))
def traffic_light(ticks):
    state, waited, greens = Light.RED.value, 0, 0
    for tick in ticks:
        match state:
            case 0 if tick:
                state, waited = Light.GREEN.value, 0
            case 1:
                greens += 1
                if waited > 0 or tick:
                    state = Light.AMBER.value
            case 2:
                state = Light.RED.value
            case _:
                waited += 1
    return state, waited, greens


@dataclass(frozen=True)
class Particle:
    position: float
    velocity: float


@samples("", (F(0), F(1), I(5)), (F(2), F(-1), I(3)))
def moved_particle(x, v, n):
    p = Particle(x, v)
    for _ in range(n):
        p = replace(p, position=p.position + 0.1 * p.velocity)
        if abs(p.position) > 0.3:
            p = replace(p, velocity=-p.velocity)
    return p


State = namedtuple("State", "s i r")


@samples("", (F(0.3), I(10)), (F(0.9), I(4)))
def epidemic(beta, days):
    state = State(0.99, 0.01, 0.0)
    worst = 0.0
    for _ in range(days):
        new, healed = beta * state.s * state.i, 0.1 * state.i
        state = State(state.s - new, state.i + new - healed, state.r + healed)
        worst = max(worst, state.i)
    return state, worst


class RingBuffer:
    def __init__(self, size):
        self.items, self.next, self.count = np.zeros(size), 0, 0

    def push(self, value):
        self.items[self.next] = value
        self.next = (self.next + 1) % len(self.items)
        self.count = min(self.count + 1, len(self.items))

    def mean(self):
        return self.items.sum() / self.count


@samples("", (A(1, 2, 3, 4, 5),), (A(-1, 0, 0, 7, 7),))
def mean_of_the_last(x):
    buffer, means = RingBuffer(3), np.zeros(len(x))
    for i, value in enumerate(x):
        buffer.push(value)
        means[i] = buffer.mean()
    return means


@samples("", (A(3, 1, 2), I(1)), (A(9, 8, 7), I(2)))
def rotated_queue(x, n):
    queue = deque(x)
    for _ in range(2):
        queue.append(queue.popleft() * n)
    return list(queue)


@samples("", (F(2),), (F(-3),))
def counted_words(x):
    words = Counter("to be or not to be".split())
    total = 0.0
    for word, count in sorted(words.items()):
        total += count * x if len(word) == 2 else 0.0
    return total


class Stack:
    def __init__(self):
        self.values = []

    def push(self, x):
        self.values.append(x)

    def pop(self):
        return self.values.pop()


@samples("", (F(3), F(4)), (F(-1), F(0.5)))
def reverse_polish(x, y):
    stack = Stack()
    for token in "x y + 2 * x -".split():
        if token in "+-*":
            b, a = stack.pop(), stack.pop()
            stack.push(a + b if token == "+" else a - b if token == "-" else a * b)
        else:
            stack.push({"x": x, "y": y}.get(token, 2.0))
    return stack.pop()


@samples("", (np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]]), I(2)), (np.ones((3, 3), int), I(1)))
def life_by_neighbours(grid, steps):
    n, m = grid.shape
    for _ in range(steps):
        new = np.zeros_like(grid)
        for i in range(n):
            for j in range(m):
                alive = sum(
                    grid[(i + di) % n, (j + dj) % m]
                    for di in (-1, 0, 1)
                    for dj in (-1, 0, 1)
                    if (di, dj) != (0, 0)
                )
                if grid[i, j] == 1 and alive in (2, 3):
                    new[i, j] = 1
                elif grid[i, j] == 0 and alive == 3:
                    new[i, j] = 1
        grid = new
    return grid


@samples("", (A(3, 5), np.array([[1.0, 0, 4], [0, 2, 12], [3, 2, 18]])),
         (A(1, 1), np.array([[1.0, 1, 2], [1, 0, 1], [0, 1, 1.5]])))  # fmt: skip
def simplex(objective, constraints):
    m = len(constraints)
    table = np.zeros((m + 1, 2 + m + 1))
    table[:m, :2], table[:m, 2:-1] = constraints[:, :2], np.eye(m)
    table[:m, -1], table[m, :2] = constraints[:, 2], -objective
    rounds = 0
    while table[m, :-1].min() < -1e-12 and rounds < 10:
        col = np.argmin(table[m, :-1])
        row, best = -1, np.inf
        for i in range(m):
            if table[i, col] > 1e-12 and table[i, -1] / table[i, col] < best:
                row, best = i, table[i, -1] / table[i, col]
        if row < 0:
            raise ValueError("unbounded")
        table[row] /= table[row, col]
        for i in range(m + 1):
            if i != row:
                table[i] -= table[i, col] * table[row]
        rounds += 1
    return table[m, -1], rounds


test_programs = samples.test()
