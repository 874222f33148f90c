"""The Collatz sequence: steps to reach 1, by `if` inside `while`, on integers.

With an integer array's element or a NumPy scalar the whole function is one graph; the trip count is
known only when the graph runs.
"""

import numpy as np

import autograph as ag


@ag.convert
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@ag.convert
def longest(numbers):
    """The number of `numbers` that takes the most steps, and its steps."""
    best, most = numbers[0], 0
    for n in numbers:
        steps = collatz(n)
        if steps > most:
            best, most = n, steps
    return best, most


def main():
    number, steps = longest(np.arange(1, 100))
    print(f"{number} takes {steps} steps")

    assert collatz(np.int64(837799)) == 524
    assert (number, steps) == (97, 118)
    assert longest(np.arange(1, 1000))[0] == 871


def plot(axes):
    numbers = np.arange(1, 1001)
    axes.scatter(numbers, [collatz(n) for n in numbers], s=3)
    axes.set(xlabel="number", ylabel="steps to 1")


if __name__ == "__main__":
    main()
