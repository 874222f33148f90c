"""Lists and tuples that functions which call themselves are given, of other lengths in each call."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, count_nodes, refuse

X = np.array([3.0, 1.0, 2.0, -1.0, 7.0, 2.0])
OTHER = np.array([-3.0, 4.0, 0.5, 8.0, 2.5, -2.0])
FEW = np.array([-3.0, -4.0, 0.5, -8.0, -2.5, -2.0])
CASES = [(X,), (OTHER,), (FEW,)]
samples = Samples()


def positive(a):
    return [v for v in a if v > 0]


def quick(items):
    if len(items) <= 1:
        return items
    first = items[0]
    return (
        quick([x for x in items[1:] if x < first])
        + [first]
        + quick([x for x in items[1:] if x >= first])
    )


@samples("E11", *CASES)
def quicksort(a):
    return quick(list(a))


def halves_sorted(items):
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right = halves_sorted(items[:middle]), halves_sorted(items[middle:])
    found = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            found.append(left[i])
            i += 1
        else:
            found.append(right[j])
            j += 1
    return found + left[i:] + right[j:]


@samples("E11", *CASES)
def merge_sort(a):
    return halves_sorted(positive(a))


def merged(left, right):
    if not left:
        return right
    if not right:
        return left
    if left[0] < right[0]:
        return [left[0], *merged(left[1:], right)]
    return [right[0], *merged(left, right[1:])]


@samples("E11", *CASES)
def two_lists_merged(a):
    return merged(sorted(positive(a)), sorted(v + 0.5 for v in a if v < 3))


def sums(items):
    if len(items) == 0:
        return [0.0]
    rest = sums(items[1:])
    return rest + [items[0] + r for r in rest]


@samples("E11", *CASES, joined=True)
def sums_of_all_subsets(a):
    return sums(positive(a)[:4])


def orders(items):
    if len(items) <= 1:
        return 1
    total = 0
    for i in range(len(items)):
        total += orders(items[:i] + items[i + 1 :])
    return total


@samples("E11", *CASES)
def orders_counted(a):
    return orders(positive(a)[:4])


def found_in(items, wanted):
    if len(items) == 0:
        return False
    middle = len(items) // 2
    if items[middle] == wanted:
        return True
    if wanted < items[middle]:
        return found_in(items[:middle], wanted)
    return found_in(items[middle + 1 :], wanted)


@samples("E11", (X, 2.0), (X, 2.5), (OTHER, 8.0))
def binary_search(a, wanted):
    return found_in(sorted(positive(a)), wanted)


def backwards(items, found):
    if not items:
        return found
    return backwards(items[1:], [items[0], *found])


@samples("E11", *CASES)
def reversed_by_an_accumulator(a):
    return backwards(positive(a), [])


def steps(n, found=()):
    if n <= 1:
        return (*found, n)
    return steps(n // 2 if n % 2 == 0 else 3 * n + 1, (*found, n))


@samples("E11", (np.int64(6),), (np.int64(1),), (np.int64(27),))
def a_tuple_that_every_call_makes_longer(n):
    return steps(n)


@samples("E11", *CASES)
def pairs_texts_and_copies(a):
    def weighed(pairs):
        if not pairs:
            return 0.0
        i, v = pairs[0]
        return i * v + weighed(pairs[1:])

    def spelled(words):
        return "" if not words else words[0] + spelled(words[1:])

    def emptied(items):
        if len(items) == 0:
            return 0.0
        rest = list(items)
        last = rest.pop()
        return last + emptied(rest)

    kept = positive(a)
    pairs = [(i, v) for i, v in enumerate(a) if v > 0]
    return weighed(pairs), spelled(["p" if v > 1 else "n" for v in kept]), emptied(kept), len(kept)


@samples("E11", *CASES)
def the_same_list_in_all_calls(a):
    def emptied(items):
        if len(items) == 0:
            return 0.0
        last = items.pop()
        return last + emptied(items)

    kept = positive(a)
    return emptied(kept), len(kept)


def best(a, i, total, limit, path):
    if total > limit:
        return 0.0
    if i == len(a):
        return total + len(path)
    return max(best(a, i + 1, total + a[i], limit, [*path, i]), best(a, i + 1, total, limit, path))


@samples("E11", (X, np.float64(5.0)), (OTHER, np.float64(3.0)))
def a_path_beside_a_bounded_search(a, limit):
    return best(a, 0, 0.0, limit, [])


@samples("E11", (np.int64(3),), (np.int64(0),), (np.int64(5),))
def moves_put_into_an_outer_list(n):
    moves = []

    def move(k, source, goal, spare):
        if k == 0:
            return
        move(k - 1, source, spare, goal)
        moves.append((source, goal))
        move(k - 1, spare, goal, source)

    move(n, "A", "C", "B")
    return moves


def moved(k, source, goal, spare, moves):
    if k > 0:
        moved(k - 1, source, spare, goal, moves)
        moves.append(source + goal)
        moved(k - 1, spare, goal, source, moves)


@samples("E11", (np.int64(3),), (np.int64(0),))
def moves_put_into_a_list_that_is_given(n):
    moves = []
    moved(n, "A", "C", "B", moves)
    return moves, len(moves)


def all_orders(items):
    if len(items) <= 1:
        return [items]
    found = []
    for i in range(len(items)):
        for rest in all_orders(items[:i] + items[i + 1 :]):
            found.append([items[i], *rest])
    return found


@samples("E11", *CASES)
def permutations(a):
    return all_orders(positive(a)[:3])


def all_subsets(items):
    if not items:
        return [[]]
    rest = all_subsets(items[1:])
    return rest + [[items[0], *one] for one in rest]


@samples("E11", *CASES)
def subsets(a):
    return all_subsets(positive(a)[:3])


@samples("E11", (np.int64(4),), (np.int64(0),), (np.int64(6),))
def partitions(n):
    def parts(n, most):
        if n == 0:
            return [[]]
        found = []
        for k in range(min(n, most), 0, -1):
            for rest in parts(n - k, k):
                found.append([k, *rest])
        return found

    return parts(n, n)


test_lists_in_recursion = samples.test()


def test_lists_are_handed_on_by_the_graph():
    checked = check(quicksort, *CASES)
    assert count_nodes(checked.graph, "recursion") == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_flow_through_lists_that_are_handed_on(backend):
    def loss(items):
        return 0.0 if not items else items[0] ** 2 + 0.5 * loss(items[1:])

    with config.backend.using(backend):
        got = ag.grad(ag.convert(lambda a: loss(positive(a))))(X)
    np.testing.assert_allclose(got, [6.0, 1.0, 1.0, 0.0, 1.75, 0.25])


def raised_by(items, n):
    if n <= 0:
        return items
    return raised_by([items[0] + n, items[1]], n - 1)


def one_list_or_another_is_written(n):
    older = [1.0, 2.0]
    found = raised_by(older, n)
    found[0] = 9.0  # refused
    return older


def the_list_of_the_caller(n, items):
    return raised_by(items, n)


def lists_that_each_call_changes(a):
    def emptied(items):
        if len(items) == 0:
            return 0.0
        last = items.pop()  # refused
        return last + emptied(list(items))

    return emptied(positive(a))


def an_older_list_in_every_result(n):
    older = [1.0]

    def found(k):
        return [] if k <= 0 else [older, *found(k - 1)]

    result = found(n)
    older.append(2.0)
    return len(result[0])


def a_given_list_in_every_result(a, n):
    def tails(items, k):
        return [items] if k <= 0 else [*tails(items[1:], k - 1), items]

    kept = positive(a)
    result = tails(kept, n)
    kept.append(2.0)
    return len(result[-1])


def an_item_of_a_result_is_written(n):
    row = [1.0]

    def rows(one, k):
        return [] if k <= 0 else [one, *rows([2.0], k - 1)]

    result = rows(row, n)
    result[0].append(2.0)
    return len(row)


def arrays_in_a_result(x, n):
    def doubled(x, k):
        return [] if k <= 0 else [x, *doubled(x * 2, k - 1)]

    result = doubled(x, n)
    x[0] = 100.0
    return result[0][0]


def test_lists_in_results_are_not_written_where_another_name_may_have_them():
    two = np.int64(2)
    refuse(an_older_list_in_every_result, two, match="may be older|would not see")
    refuse(a_given_list_in_every_result, X, two, match="one of several|is changed here")
    refuse(an_item_of_a_result_is_written, two, match="is changed here|would not see")
    refuse(arrays_in_a_result, X, two, match="its items are arrays")


def tails(items, others, n, asked):
    if n <= 0:
        return asked(items, others)
    return tails(items[1:], others[:-1], n - 1, asked)


def two_arguments_are_one_list(a, n):
    kept = positive(a)
    return tails(kept, kept, n, lambda items, others: items is others)  # refused


def an_argument_is_an_older_list(a, n):
    kept = positive(a)
    return tails(kept, [], n, lambda items, others: items is kept)  # refused


def one_list_is_in_the_result_twice(a, n):
    kept = positive(a)
    return tails(kept, [], n, lambda items, others: items), kept  # refused


def an_older_list_is_changed_by_its_other_name(a, n):
    kept = positive(a)

    def heads(items, n):
        if n <= 0:
            return items[0]
        kept[0] = 5.0  # refused
        return heads(items[1:], n - 1) + items[0]

    return heads(kept, n)


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (two_arguments_are_one_list, "whether this is the same list depends on data"),
        (an_argument_is_an_older_list, "whether this is the same list depends on data"),
        (one_list_is_in_the_result_twice, "which list is in the result depends on data"),
        (an_older_list_is_changed_by_its_other_name, "one that it may be is changed here"),
    ],
)
def test_which_list_an_argument_is_is_not_known(sample, words):
    refuse(sample, X, np.int64(1), match=words)


def test_what_would_have_to_be_seen_in_two_lists_is_refused():
    refuse(one_list_or_another_is_written, np.int64(2), match="one that it may be is changed here")
    refuse(the_list_of_the_caller, np.int64(2), [1.0, 2.0], match="which list is in the result")
    refuse(lists_that_each_call_changes, X, match="which list an argument of `emptied` is depends")


# ---- lists of the caller's that may be given back ------------------------------------------------


def sorted_quickly(a):
    if len(a) <= 1:
        return a
    p = a[len(a) // 2]
    less, more = [v for v in a if v < p], [v for v in a if v > p]
    return sorted_quickly(less) + [v for v in a if v == p] + sorted_quickly(more)


@pytest.mark.parametrize("count", [0, 1, 5, 20])
def test_the_outermost_call_may_give_back_the_callers_list(count):
    given = [float(k * 7 % 11) for k in range(count)]
    own = given[:]
    found = ag.convert(sorted_quickly)(own)
    assert found == sorted(given) and own == given
    assert (found is own) == (sorted_quickly(own) is own)
    if count == 5:
        concrete = ag.convert(sorted_quickly).get_concrete_function(own)
        assert any(node.op.name == "recursion" for node in concrete.graph.walk())
