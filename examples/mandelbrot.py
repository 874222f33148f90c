"""The Mandelbrot set: a `while` of one point, mapped over a plane of points.

`ag.vmap` makes one graph for all points. Its loop goes on until the last of them is done.
"""

import numpy as np

import autograph as ag


def escape(x, y, most):
    """The rounds of z -> z**2 + c, with c = x + iy, until |z| is above 2; at most `most`."""
    real = imaginary = 0.0
    rounds = 0
    while real * real + imaginary * imaginary <= 4 and rounds < most:
        real, imaginary = real * real - imaginary * imaginary + x, 2 * real * imaginary + y
        rounds += 1
    return rounds


@ag.convert
def picture(xs, ys, most):
    rows = ag.vmap(escape, in_axes=(0, None, None))
    return ag.vmap(rows, in_axes=(None, 0, None))(xs, ys, most)


def main():
    rounds = picture(np.linspace(-2.1, 0.7, 57), np.linspace(-1.2, 1.2, 21), 50)
    print("\n".join("".join(" .:-=+*#%@"[min(r, 45) // 5] for r in row) for row in rounds))

    assert rounds.shape == (21, 57)
    assert rounds[10, 42] == 50  # 0 never leaves
    assert rounds[0, 0] == escape(-2.1, -1.2, 50) == 1
    assert (rounds == rounds[::-1]).all()


def plot(axes):
    rounds = picture(np.linspace(-2.1, 0.7, 420), np.linspace(-1.2, 1.2, 320), 60)
    axes.imshow(np.log1p(rounds), extent=(-2.1, 0.7, -1.2, 1.2), cmap="magma")
    axes.set(xlabel="real part", ylabel="imaginary part")


if __name__ == "__main__":
    main()
