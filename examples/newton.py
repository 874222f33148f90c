"""Newton's iteration: the cube root by a loop whose length depends on its input, and its gradient.

The rule of the derivative is known, d/dv v**(1/3) = 1 / (3 side**2), so the gradient through the
loop can be checked.
"""

import numpy as np

import autograph as ag


@ag.convert
def cube_root(volume):
    side = volume
    while abs(side**3 - volume) > 1e-12 * volume:
        side = side - (side**3 - volume) / (3 * side**2)
    return side


def main():
    side, slope = ag.value_and_grad(cube_root)(42.0)
    curvature = ag.grad(ag.grad(cube_root))(42.0)
    print(f"side {side:.6f}, slope {slope:.6f}, curvature {curvature:.6f}")

    assert np.isclose(side, 42 ** (1 / 3))
    assert np.isclose(slope, 1 / (3 * side**2))
    assert np.isclose(curvature, -2 / (9 * side**5))
    assert np.isclose(cube_root(8.0), 2.0)
    with ag.no_retrace():  # another number of rounds, the same graph
        assert np.isclose(cube_root(1e6), 100.0)


def plot(axes):
    volumes = np.linspace(0.2, 10.0, 50)
    axes.plot(volumes, [cube_root(v) for v in volumes], label="cube root")
    axes.plot(volumes, [ag.grad(cube_root)(v) for v in volumes], label="its derivative")
    axes.set(xlabel="volume")
    axes.legend()


if __name__ == "__main__":
    main()
