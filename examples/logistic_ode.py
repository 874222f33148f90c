"""A differential equation: solved by steps, with the gradient of the result through them.

The logistic equation dy/dt = r y (1 - y) has a known solution, so both the value and its derivative
by the rate r can be checked. The step becomes smaller where the solution changes faster: how many
steps are made depends on the data.
"""

import numpy as np

import autograph as ag


def slope(y, rate):
    return rate * y * (1 - y)


@ag.convert
def solve(rate, start, end):
    """y at `end` by Heun's method (Karl Heun, 1900) with steps as long as the slope allows."""
    t, y = 0.0, start
    while t < end:
        k1 = slope(y, rate)
        step = 0.01 / (1 + abs(k1))
        if t + step > end:
            step = end - t
        k2 = slope(y + step * k1, rate)
        y = y + step * (k1 + k2) / 2
        t = t + step
    return y


def exact(rate, start, end):
    growth = np.exp(rate * end)
    return start * growth / (1 + start * (growth - 1))


def main():
    value, by_rate = ag.value_and_grad(solve)(1.5, 0.1, 4.0)
    y = exact(1.5, 0.1, 4.0)
    print(f"y(4) = {value:.6f}, exact {y:.6f}; dy/dr = {by_rate:.6f}")

    assert np.isclose(value, y, rtol=1e-4)
    assert np.isclose(by_rate, 4.0 * y * (1 - y), rtol=1e-3)


def plot(axes):
    ends = np.linspace(0.0, 6.0, 40)
    found = [ag.value_and_grad(solve)(1.5, 0.1, end) for end in ends]
    axes.plot(ends, exact(1.5, 0.1, ends), color="gray", linewidth=4, alpha=0.4, label="exact y")
    axes.plot(ends, [y for y, _ in found], label="y")
    axes.plot(ends, [by_rate for _, by_rate in found], label="dy/dr")
    axes.set(xlabel="t")
    axes.legend()


if __name__ == "__main__":
    main()
