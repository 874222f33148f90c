"""Gradient descent: Variables hold the parameters of a line, a tape gives the gradients."""

import numpy as np

import autograph as ag

slope = ag.Variable(0.0, name="slope")
offset = ag.Variable(0.0, name="offset")


@ag.convert
def train(x, y, rate, tolerance):
    """Descend until the gradient is small; gives the number of steps and the last loss."""
    steps, size, loss = 0, 1.0, 0.0
    while size > tolerance:
        with ag.GradientTape() as tape:
            error = slope * x + offset - y
            loss = (error * error).mean()
        by_slope, by_offset = tape.gradient(loss, [slope, offset])
        slope.assign_sub(rate * by_slope)
        offset.assign_sub(rate * by_offset)
        size = abs(by_slope) + abs(by_offset)
        steps += 1
    return steps, loss


def main():
    x = np.linspace(-1, 1, 50)
    y = 3 * x + 0.5 + 0.01 * np.sin(40 * x)
    steps, loss = train(x, y, 0.3, 1e-8)
    print(f"{int(steps)} steps: y = {float(slope):.4f} x + {float(offset):.4f}")

    expected = np.polyfit(x, y, 1)
    assert np.allclose([float(slope), float(offset)], expected, atol=1e-6)
    assert float(loss) < 1e-4
    assert train.trace_count == 1


def plot(axes):
    x = np.linspace(-1, 1, 50)
    y = 3 * x + 0.5 + np.random.default_rng(0).normal(size=50)
    steps, loss = train(x, y, 0.3, 1e-8)
    axes.scatter(x, y, s=8)
    axes.plot(x, float(slope) * x + float(offset), color="C1")
    axes.set(xlabel="x", ylabel="y", title=f"{int(steps)} steps, loss {float(loss):.2f}")


if __name__ == "__main__":
    main()
