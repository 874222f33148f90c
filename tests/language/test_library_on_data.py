"""`heapq`, `bisect`, `takewhile` and its kin, and repeated text on data (B3.16, B4.10)."""

from __future__ import annotations

import bisect
import datetime
import fractions
import heapq
import io
import itertools
from heapq import heappop, heappush

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check, refuse

F, I = np.float64, np.int64
X = np.array([3, 1, 3, 2, 1, 3, 7])
TWO = ((X,), (np.array([5, 5, 5, 0, -2, 9, 5]),))
WEIGHTS = np.array([[0, 4, 1, 0], [4, 0, 2, 5], [1, 2, 0, 8], [0, 5, 8, 0]])
samples = Samples()


@samples("B3.16", *TWO)
def sorted_by_a_heap(numbers):
    heap, found = [], []
    for n in numbers:
        heappush(heap, n)
    smallest = heap[0]
    while heap:
        found.append(heappop(heap))
    return found, smallest


@samples("B3.16", *TWO)
def functions_of_heaps(numbers):
    heap = [5, 2, 8, 1]
    heapq.heapify(heap)
    for n in numbers:
        heapq.heappush(heap, int(n))
    one = heapq.heappushpop(heap, 1)
    other = heapq.heapreplace(heap, 6)
    return heap, one, other, heapq.heappushpop(heap, -50)


@samples("B3.16", *TWO)
def the_best_of_a_list(numbers):
    return heapq.nlargest(2, numbers), heapq.nsmallest(3, numbers), heapq.nsmallest(0, [3, 1])


@samples("B3.16", (WEIGHTS, I(0)), (WEIGHTS, I(3)), (WEIGHTS[::-1, ::-1].copy(), I(1)))
def shortest_ways(weights, start):
    n = len(weights)
    distances = [1000] * n
    distances[start] = 0
    heap = [(0, int(start))]
    while heap:
        distance, node = heapq.heappop(heap)
        if distance > distances[node]:
            continue
        for other in range(n):
            step = int(weights[node, other])
            if step > 0 and distance + step < distances[other]:
                distances[other] = distance + step
                heapq.heappush(heap, (distances[other], other))
    return distances


@samples("B3.16", *TWO)
def nothing_on_the_heap(numbers):
    heap = []
    if numbers[0] > 3:
        heappush(heap, numbers[0])
    print(heappop(heap) if numbers[0] > 3 else 0)
    return heappop(heap)


@samples("B3.16", *TWO)
def kept_in_order(numbers):
    found = []
    for n in numbers:
        bisect.insort(found, n)
    return (
        found,
        bisect.bisect_left(found, 3),
        bisect.bisect(found, 3),
        bisect.bisect_right(found, 100),
    )


@samples("B3.16", (X, I(5)), (X, I(0)), (X, I(70)))
def searched(numbers, n):
    known = [1, 3, 5, 7]
    return (bisect.bisect_left(known, n), bisect.bisect(known, n), bisect.bisect(known, n, 1, 3),
            bisect.bisect_left(np.sort(numbers), n), bisect.bisect_left(known, 4),
            bisect.bisect_left([7, 5, 3], -n, key=lambda k: -k))  # fmt: skip


@samples("B4.10", *TWO)
def while_it_holds(numbers):
    total = 0
    for n in itertools.takewhile(lambda n: n != 2, numbers):
        total += n
    for n in itertools.dropwhile(lambda n: n != 2, numbers):
        total = total * 2 + n
    return total, sum(itertools.filterfalse(lambda n: n % 2, numbers))


@samples("B4.10", *TWO)
def lists_while_it_holds(numbers):
    return (list(itertools.takewhile(lambda n: n < 7, numbers)),
            list(itertools.dropwhile(lambda n: n != 2, numbers)),
            [n for n in itertools.takewhile(lambda n: n < 3, [1, 2, 3, 1])])  # fmt: skip


@samples("B4.10", *TWO)
def items_of_an_iterator_that_are_left(numbers):
    steps = iter([1, 2, 3, 4, 5])
    first = list(itertools.takewhile(lambda n: n < 3, steps))
    return first, list(steps), numbers[0]


@samples("E4", (I(3),), (I(0),), (I(-2),))
def text_repeated(n):
    print("-" * n)
    print(2 * n * "ab" + "|", f"{'=' * n}>")
    for i in range(n):
        print("#" * (i + 1), end=" ")
    return "*" * n if n > 1 else "none"


@samples("E4", (I(1990),), (I(4),), (I(0),))
def texts_of_names_repeated(n):
    digits = ""
    for value, letters in zip((1000, 900, 500, 100, 90, 50, 10, 9, 5, 4, 1),
                              ("M", "CM", "D", "C", "XC", "L", "X", "IX", "V", "IV", "I")):  # fmt: skip
        count, n = divmod(n, value)
        digits += letters * count
    bar = "#"
    bar *= count
    return digits, bar, len(digits)


@samples("E4", (I(3),), (I(5),))
def text_repeated_in_an_error(n):
    if n > 0:
        raise ValueError("x" * n)


@samples("E4", *TWO)
def lists_asked_for_their_truth(numbers):
    stack, found = [], []
    for n in numbers:
        while stack and stack[-1] > n:
            stack.pop()
        found.append(len(stack) if stack and n > 2 else -1)
        if not stack or stack[-1] < n or (found and n == 3):
            stack.append(n)
        assert not (stack and n > 1000)
    return stack, found


@samples("B4.10", *((X, n) for n in (I(1), I(2), I(9))))
def repeated_and_gone_through_again(numbers, n):
    total = 0.0
    for v in itertools.islice(itertools.cycle(numbers), n):
        total += v * 2 - total / 4
    for v in itertools.cycle(numbers):
        total += v
        if total > 30:
            break
    again = [v + i for i, v in zip(range(n), itertools.cycle(numbers[numbers > 1]))]
    return total, again, sum(v for v in itertools.repeat(numbers[0], n))


@samples("B4.10", *((X, n) for n in (I(0), I(2), I(3))))
def put_together(numbers, n):
    few, more = numbers[:n], numbers[numbers > 1]
    products = list(itertools.starmap(lambda a, b: a * b, zip(few, more)))
    total = sum(itertools.starmap(max, zip(few, numbers)), numbers[0])
    one, other = itertools.chain.from_iterable([few, more]), (row[:n] for row in (few, numbers))
    return (
        products,
        total,
        [v * 2 for v in one],
        sum(itertools.chain.from_iterable(other), numbers[1]),
    )


@samples("B4.10", *((X, n) for n in (I(0), I(2), I(3))))
def in_all_ways(numbers, n):
    few = numbers[:n]
    pairs = [a * 10 + b for a, b in itertools.product(few, few)]
    choices = [a - b for a, b in itertools.combinations(few, 2)]
    orders = [a - b for a, b in itertools.permutations(few, 2)]
    longest = [a * b for a, b in itertools.zip_longest(few, numbers, fillvalue=-1)]
    return pairs, choices, orders, longest, list(itertools.accumulate(few))


@samples("B3.16", *TWO)
def neighbours_in_a_list_set_by_data(numbers):
    held, total = [0] * 7, 0
    for i, n in enumerate(numbers):
        held[n % 7] = i
    for a, b in itertools.pairwise(held):
        held[b % 3] = 9
        total += a * b
    steps = [b - a for a, b in itertools.pairwise(held)]
    return total, steps, list(itertools.pairwise(held)), any(s < 0 for s in steps)


@samples("B3.16", *TWO)
def neighbours_in_a_list_that_grows(numbers):
    held = [n for n in numbers if n > 1]
    total = 0
    for a, b in itertools.pairwise(held):
        if b > a:
            total += 1
        if a == b:
            break
    rises = all(a <= b for a, b in itertools.pairwise(held))
    return (
        total,
        rises,
        list(itertools.pairwise(held)),
        [b - a for a, b in itertools.pairwise(held)],
    )


@samples("B3.16", *TWO)
def combined_items_of_a_list_set_by_data(numbers):
    held, far = [0] * 4, 0
    for i, n in enumerate(numbers):
        held[n % 4] = i
    for a, b in itertools.combinations(held, 2):  # which has all items from the first one on
        far += abs(a - b)
        held[numbers[0] % 4] = 50
    pairs = [a * b for a, b in itertools.product(held, repeat=2)]
    return (
        far,
        pairs,
        list(itertools.product(held, "ab"))[-1],
        len([*itertools.permutations(held, 2)]),
    )


test_library = samples.test()


def a_list_or_its_item(numbers):
    stack = []
    for n in numbers:
        if n > 0:
            stack.append(n)
        last = stack and stack[-1]
        print(last)  # refused
    return stack


def test_what_is_a_list_or_a_number_is_refused_where_it_is_used():
    refuse(a_list_or_its_item, X, match="length of a list depends on data")


def test_repeated_text_is_text():
    length = ag.convert(lambda n: len("ab" * n))
    assert length(I(2)) == 4 and length(I(0)) == 0 and length.trace_count == 1


def lists_on_a_heap(numbers):
    heap = []
    for i, v in enumerate(numbers):
        heappush(heap, [v, 1.0 * i])
        if len(heap) > 3:
            heappop(heap)
    return heap, heap[0]


def test_lists_are_items_of_heaps():
    check(lists_on_a_heap, *TWO)


def taken_in_parts(numbers, n):
    rest = iter([1, 2, 3, 4, 5])
    first = list(itertools.islice(rest, n))
    total = sum(itertools.islice(numbers, 1, n)) if n > 0 else 0
    return first, [k * 2 for k in rest], total


def test_parts_whose_size_is_the_second_of_its_kind():
    staged = ag.convert(taken_in_parts)
    for n in (2, 3, 0, 9):
        assert staged(X, n) == taken_in_parts(X, n)


def a_length_of_time(x):
    return datetime.timedelta(seconds=float(x)), x  # refused


def a_fraction(x):
    return fractions.Fraction(int(x), 3), x  # refused


def text_put_into_a_stream(x):
    stream = io.StringIO()
    stream.write("known")
    stream.write(f"{x}")  # refused
    return stream.getvalue(), x


@pytest.mark.parametrize("sample", [a_length_of_time, a_fraction, text_put_into_a_stream])
def test_what_takes_numbers_and_texts_of_pythons_own_is_refused(sample):
    refuse(sample, F(3.0), match="is called with a value that is known only when the graph runs")
