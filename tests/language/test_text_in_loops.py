"""Text that staged loops put together (C6)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check

F, I = np.float64, np.int64
X = np.array([1.0, -2.0, 3.0, 0.5])
NEGATIVE = -np.abs(X)
samples = Samples()


@samples("C6", (I(3),), (I(0),), whiles=1)
def stars(n):
    text = ""
    while n > 0:
        text += "*"
        n -= 1
    return text


@samples("C6", (I(13),), (I(0),), whiles=1)
def binary(n):
    bits = ""
    while n > 0:
        bits = ("1" if n % 2 else "0") + bits
        n //= 2
    return bits or "none"


@samples("C6", (I(14),), (I(3),))
def roman(n):
    out = ""
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= value:
            out += letters
            n -= value
    return out


@samples("C6", (I(6),), (I(1),), whiles=1)
def path_of_collatz(n):
    text = f"{n}"
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        text += f" -> {n}"
    return text


@samples("C6", (X,), (NEGATIVE,))
def a_line_of_a_report(x):
    line = "values:"
    for v in x:
        if v > 0:
            if len(line) > 7:
                line += ","
            line += f" {v:.2f}"
    print(line, f"<{line}>")
    return line


@samples("C6", (X,), (NEGATIVE,))
def raised(x):
    wrong = ""
    for v in x:
        if v < 0:
            wrong += f" {v}"
    if wrong:
        raise ValueError("negative:" + wrong)


@samples("C6", (I(5),), (I(20),))
def fizz_buzz(n):
    out = ""
    for i in range(1, n + 1):
        word = ""
        if i % 3 == 0:
            word += "Fizz"
        if i % 5 == 0:
            word += "Buzz"
        if not word:
            word = str(i)
        out += word + " "
    return out


@samples("C6", (I(4),), (I(0),))
def lines_printed(n):
    for i in range(n):
        line = ""
        for _ in range(i):
            line += "*"
        print(i, line)


@samples("C6", (X,), (NEGATIVE,))
def the_last_message(x):
    message = "none"
    for i, v in enumerate(x):
        if v > 0:
            message = f"found {v} at {i}"
    return message


@samples("C6", (X,), (NEGATIVE,))
def joined_while_found(x):
    print(" ".join(str(v) for v in x if v > 0))
    return ", ".join(f"{v:.1f}" for v in x if v < 0)


@samples("C6", (X,), (NEGATIVE,))
def kinds_joined(x):
    kinds = []
    for v in x:
        if v != 0.5:
            kinds.append("up" if v > 0 else "down")
    return "-".join(kinds)


@samples("C6", (X[::2],), (NEGATIVE[:2],))
def joined_where_one_may_be_none(x):
    found = []
    for v in (x[0], x[1]):
        name = None
        for known, least in {"low": 0.0, "high": 2.0}.items():
            if v > least:
                name = known
        found.append(name)
    return "-".join(found)


@samples("C6", (X,), (np.maximum(X, -0.5),), (NEGATIVE,))
def joined_where_some_may_be_none(x):
    found = []
    for v in x:
        if v != -2.0:
            found.append("+" if v > 0 else "=" if v > -0.6 else None)
    return ".".join(found)


@samples("C6", (X,), (NEGATIVE,), tensors=False)
def joined_with_numbers(x):
    found = [v for v in x if v > 0]
    try:
        return "; ".join(found)
    except TypeError as error:
        return f"no text: {error}"


@samples("C6", (I(6),), (I(5),))
def asked_of_text(n):
    text = ""
    for i in range(n):
        text += str(i % 2)
    return text == "010101", text != "", text[::-1], text[1:3], len(text), not text


class Report:
    def __init__(self):
        self.text = ""

    def add(self, line):
        self.text += line + "\n"


@samples("C6", (X,), (NEGATIVE,))
def in_an_attribute(x):
    report = Report()
    report.add("begin")
    for v in x:
        if v > 0:
            report.add(f"  {v:8.3f}")
    report.add("end, año")
    return report.text


@samples("C6", (X, I(2)), (X, I(9)))
def written_in_a_try(x, i):
    log = ""
    for v in x:
        try:
            log += f"{v} "
            if v < 0:
                raise ValueError("negative")
            log += f"ok {x[i]};"
        except ValueError as error:
            log += f"<{error}>;"
        except IndexError:
            log += "no item;"
    return log


@samples("C6", (I(5),), (I(0),))
def given_back_by_a_recursion(n):
    def digits(k):
        if k == 0:
            return ""
        return digits(k - 1) + str(k)

    return digits(n)


@samples("C6", (X,), (NEGATIVE,))
def swapped(x):
    a = b = ""
    for v in x:
        a, b = b + f"{v:.0f}", a
    return a, b


test_sample = samples.test()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_loop_with_text_has_gradients(backend, capsys):
    def loss(x):
        text, total = "", 0.0
        for v in x:
            text += f"{v:.1f};"
            total += v * v
        print(text)
        return total

    with config.backend.using(backend):
        np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), 2 * X)
    assert capsys.readouterr().out == "1.0;-2.0;3.0;0.5;\n"


def texts_in_order(x):
    found = []
    for v in x:
        if v > 0:
            found.append(f"{v}")
    return sorted(found)


def test_a_list_of_texts_is_put_in_order():
    check(texts_in_order, (X,), (-X,))
