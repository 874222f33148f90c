"""FizzBuzz: a chain of branches and prints in program order, all inside one graph."""

import contextlib
import io

import numpy as np

import autograph as ag


@ag.convert
def fizzbuzz(n):
    for i in range(1, n + 1):
        if i % 15 == 0:
            print("FizzBuzz")
        elif i % 3 == 0:
            print("Fizz")
        elif i % 5 == 0:
            print("Buzz")
        else:
            print(i)


def main():
    fizzbuzz(np.int64(15))

    # The second call runs the graph alone; it prints all the same.
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        fizzbuzz(np.int64(30))
    lines = printed.getvalue().split()
    assert len(lines) == 30
    assert lines[:5] == ["1", "2", "Fizz", "4", "Buzz"] and lines[14] == lines[29] == "FizzBuzz"
    assert fizzbuzz.trace_count == 1


def plot(axes):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        fizzbuzz(np.int64(100))
    lines = printed.getvalue().split()
    kinds = [{"Fizz": 1, "Buzz": 2, "FizzBuzz": 3}.get(line, 0) for line in lines]
    axes.imshow(np.reshape(kinds, (10, 10)), cmap="Blues")
    axes.set_axis_off()
    for place, line in enumerate(lines):
        ink = "white" if kinds[place] > 1 else "black"
        text = line.replace("zB", "z\nB")
        axes.text(place % 10, place // 10, text, ha="center", va="center", color=ink, size=6)


if __name__ == "__main__":
    main()
