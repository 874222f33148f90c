"""Aiming by gradient: a throw through air ends in a loop when it lands, and so does its derivative.

The path is a list that grows until the ball is on the ground. How far it goes is differentiated by
the angle, and Newton's iteration finds the angle for a target.
"""

import numpy as np

import autograph as ag


@ag.convert
def path(speed, angle, step=0.01, drag=0.02):
    """The places of a ball, one for each step, until it is on the ground."""
    position = np.zeros(2)
    velocity = speed * np.array([np.cos(angle), np.sin(angle)])
    places = []
    while position[1] >= 0:
        places.append(position.copy())
        velocity -= step * (drag * np.linalg.norm(velocity) * velocity + np.array([0, 9.81]))
        position += step * velocity
    places.append(position.copy())
    return np.stack(places)


@ag.convert
def distance(speed, angle):
    """How far it goes: where the last step crosses the ground."""
    places = path(speed, angle)
    (x0, y0), (x1, y1) = places[-2], places[-1]
    return x0 + (x1 - x0) * y0 / (y0 - y1)


def aim(speed, target, angle):
    """The angle that hits the target, by Newton's iteration."""
    for _ in range(20):
        reached, slope = ag.value_and_grad(distance, argnums=1)(speed, angle)
        if abs(reached - target) < 1e-9:
            break
        angle -= (reached - target) / slope
    return angle


def main():
    angle = aim(20.0, 15.0, 0.2)
    print(f"to hit 15 m at 20 m/s: {np.degrees(angle):.4f} degrees")

    assert np.isclose(distance(20.0, angle), 15.0)
    by_angle = ag.grad(distance, argnums=1)(20.0, 0.5)
    between = distance(20.0, 0.5 + 1e-5) - distance(20.0, 0.5 - 1e-5)
    assert np.isclose(by_angle, between / 2e-5, rtol=1e-2)


def plot(axes):
    for target in (10.0, 15.0, 18.0):
        x, y = path(20.0, aim(20.0, target, 0.2)).T
        axes.plot(x, y)
        axes.plot(target, 0, "x", color="gray")
    axes.axhline(0, color="gray", linewidth=0.5)
    axes.set(xlabel="metres", ylabel="height")


if __name__ == "__main__":
    main()
