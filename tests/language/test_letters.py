"""`chr`, `ord`, and letters of texts that only the graph knows."""

from __future__ import annotations

import numpy as np

from tests.language.harness import Samples

I = np.int64
samples = Samples()


@samples("E1", (np.array([3, 1, 2]),), (np.array([25, 0, 13]),))
def shifted(shifts):
    found = []
    for letter, shift in zip("abz", shifts):
        found.append(chr((ord(letter) - 97 + shift) % 26 + 97))
    return "".join(found)


@samples("S11", *((I(n),) for n in (65, 8364, -1, 0x110000, 2**40)))
def letter_of_a_number(n):
    return chr(n), ord(chr(n)) + 1


@samples("S11", (I(1),), (I(2),))
def number_of_a_text(n):
    text = ""
    for _ in range(n):
        text += "b"
    return ord(text), ord("ACGT"[n])


@samples("E1", (np.array([72, 105]),), (np.array([33, 9731]),))
def joined(codes):
    text = "".join(chr(c) for c in codes)
    print(text)
    known = text == "Hi", "Hi" != text, chr(codes[0]) + "i" == text, text == text[::-1]
    return known, len(text), f"<{chr(codes[1])}>", text + "!" == "Hi!"


@samples("E1", (I(3),), (I(26),), (I(703),))
def name_of_a_column(n):
    name = ""
    while n > 0:
        n, rest = divmod(n - 1, 26)
        name = chr(65 + rest) + name
    return name


@samples("S11", *((I(n), I(k)) for n, k in ((1231, 0), (121, -1), (7, 1), (-15, -4))))
def letters_of_a_number(n, k):
    text = str(n)
    same = text == text[::-1]
    return same, len(text), text[k], text[1:], text[0] == text[-1]


@samples("E1", (I(1231),), (I(5),))
def texts_compared(n):
    try:
        if n > 1000:
            raise ValueError(f"too large: {n}")
        kind = "small"
    except ValueError as error:
        wanted = "too large: " + str(n)
        kind = "known" if str(error) == wanted else "other"
    label = str(n)
    return kind, label == f"{n}", label != f"{n + 1}"


test_letters = samples.test()
