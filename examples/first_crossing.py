"""A search that ends early: `return` and `break` inside loops whose conditions are data."""

import numpy as np

import autograph as ag


@ag.convert
def first_crossing(signal, level):
    """Index of the first sample at or above `level`, refined to the crossing; -1 without one."""
    for i in range(len(signal)):
        if signal[i] >= level:
            if i == 0:
                return 0.0
            before, after = signal[i - 1], signal[i]
            return i - 1 + (level - before) / (after - before)
    return -1.0


@ag.convert
def bracket(coefficients, low, high):
    """A root of the polynomial between `low` and `high` by bisection, to machine precision."""
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if value(coefficients, low) * value(coefficients, middle) <= 0:
            high = middle
        else:
            low = middle
    return middle


def value(coefficients, x):
    """The polynomial at `x` by Horner's rule, highest power first."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


def main():
    signal = np.sin(np.linspace(0, 3, 200))
    crossing = first_crossing(signal, 0.5)
    print(f"crosses 0.5 at sample {crossing:.3f}")
    root = bracket(np.array([1.0, 0.0, -2.0]), 0.0, 2.0)
    print(f"root of x**2 - 2: {root}")

    assert np.isclose(crossing, np.pi / 6 / 3 * 199, atol=1e-2)
    assert first_crossing(signal, 2.0) == -1.0
    # The gradient by the level: how fast the crossing moves when the level is raised.
    moved = ag.grad(first_crossing, argnums=1)(signal, 0.5)
    step = signal[int(crossing) + 1] - signal[int(crossing)]
    assert np.isclose(moved, 1 / step)
    assert np.isclose(root, np.sqrt(2.0))


def plot(axes):
    signal = np.sin(np.linspace(0, 3, 200))
    axes.plot(signal)
    for level in (0.25, 0.5, 0.75, 1.0):
        crossing = first_crossing(signal, level)
        axes.axhline(level, color="gray", linewidth=0.5)
        if crossing >= 0:
            axes.plot(crossing, level, "o", color="C1")
    axes.set(xlabel="sample", ylabel="signal and levels")


if __name__ == "__main__":
    main()
