"""Texts made of data: compared, searched, gone through, keys of dicts, read as numbers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

samples = Samples()


def N(*numbers):
    return np.array(numbers, dtype=np.int64)


FLOATS = tuple((np.float64(x),) for x in (3.0, 2.5, -0.0, 1e300))
WHOLE = tuple((np.int64(x),) for x in (3, 26, -121, 12321, 0))
MANY = ((np.array([1, 2, 1, 3, 1, 22]),), (np.array([5, 5, 5, 2, 2, 1]),))


@samples("S10", *FLOATS)
def compared_with_known_ones(x):
    text = f"{x}"
    return text == "3.0", "2.5" != text, f"{x:.1f}" == "3.0", text == 3.0, text < "3", "2" <= text


@samples("S10", *WHOLE)
def compared_with_each_other(n):
    return str(n) == str(n)[::-1], str(n) < str(n + 1), f"{n:>4}" > f"{-n}", str(n) != f"{n:d}"


@samples("S10", *WHOLE)
def searched(n):
    text = str(n)
    return "2" in text, text in "3212321", text not in ("3", "26"), "" in text, text in ["0"]


@samples("S10", *WHOLE)
def gone_through(n):
    total, signs = 0, ""
    for c in str(abs(n)):
        total = 3 * total + int(c)
        if c in "12":
            signs += c
    return total, signs, sum(int(c) ** 2 for c in str(abs(n))), [c for c in str(n) if c != "-"]


@samples("S10", *WHOLE)
def by_built_in_functions(n):
    text = str(n)
    found = list(text), len(text), [k for k, c in enumerate(text) if c == "2"], ord(text[0])
    return found, max(int(c) for c in str(abs(n))), "-".join(text), any(c == "2" for c in text)


@samples("S10", *WHOLE)
def by_methods(n):
    text = str(n)
    asked = text.count("2"), text.find("2"), text.startswith("1"), text.endswith(("1", "6"))
    padded = text.zfill(5), text.rjust(6), text.ljust(6, "."), text.replace("2", "two")
    return asked, padded, text.strip("-1"), text.isdigit(), f"a{n}b".upper(), "26".find(text)


@samples("S10", *WHOLE)
def in_other_bases(n):
    return bin(n), hex(n).upper(), oct(n)[2:], bin(n).count("1"), int(f"{n}") + 1, float(f"{n}.5")


@samples("S11", *WHOLE)
def raising(n):
    try:
        return str(n).index("2"), "found"
    except ValueError as error:
        return str(error), -1


@samples("S11", *WHOLE)
def numbers_that_are_none(n):
    try:
        return int(f"{n}x"[: 2 + n % 2])
    except ValueError:
        return -1


@samples("E2", *WHOLE)
def keys_of_known_dicts(n):
    names = {"3": "three", "26": "a dozen and 14"}
    return names.get(str(n), "none"), str(n) in names, names["3" if n < 0 else f"{26 + 0 * n}"]


@samples("E2", *MANY)
def keys_of_dicts_that_grow(xs):
    counts = {}
    for x in xs:
        key = f"k{x}"
        counts[key] = counts.get(key, 0) + 1
    return counts, "k1" in counts, counts["k2"], len(counts), sorted(counts.values())


@samples("E2", *MANY)
def kinds_of_keys(xs):
    counts = {"k1": 10}
    for x in xs:
        if x > 1:
            counts[f"k{x}" if x > 2 else "two"] = x
    for key, value in counts.items():
        print(key, value, key == "two")
    return list(counts), "k3" in counts


@samples("E2", *MANY)
def items_of_sets(xs):
    seen, again = set(), 0
    for x in xs:
        if str(x) in seen:
            again += 1
        seen.add(str(x))
    return len(seen), again, "22" in seen


@samples("E4", *MANY)
def in_lists_of_known_texts(xs):
    found = ["A" if x > 1 else "B" for x in xs if x > 0]
    letter = chr(64 + xs[0])
    return letter in found, found.count(letter), letter + "?" in found


@samples("S10", *WHOLE)
def in_a_loop_of_its_own(n):
    steps, text = 0, str(abs(n))
    while len(text) > 1 and steps < 9:
        text = str(sum(int(c) for c in text))
        steps += 1
    return steps, text, text == "9"


@samples("S10", *WHOLE)
def put_together_and_searched(n):
    text = ""
    n = abs(n)
    while n > 0:
        text += str(n % 2)
        n //= 2
    return text.count("1"), text.find("01"), text


@samples("S10", *FLOATS)
def chosen_and_put_in_order(x):
    text = f"{x}" if x > 2.7 else "h"
    best = max(text, f"{x + 1}", "3.5")
    for word in (f"{2 * x}", "k"):
        if word > best:
            best = word
    return text < "k", best


@samples("E2", *MANY)
def keys_that_are_tuples(xs):
    last = {}
    for i, x in enumerate(xs):
        last[str(x), int(x)] = i
    return last


@samples("E2", *MANY)
def lists_and_texts_under_texts(xs):
    places, squares = {}, {}
    for i, x in enumerate(xs):
        places.setdefault(f"n{x}", []).append(i)
        squares[f"{x}"] = f"value {x * x}"
    return places, squares.pop("1", None), squares


@samples("", (N(52, 32, 51, 32, 52),), (N(97, 97, 97, 97, 97),), (N(98, 32, 61, 32, 32),))
def words(codes):
    text = "".join(chr(c) for c in codes)
    found, counts = text.split(), {}
    for word in found:
        counts[word] = counts.get(word, 0) + 1
    known = {"4", "b"}
    for word in sorted(counts, reverse=True):
        print(word, "*" * counts[word], word * counts[word])
    longest = max(found, key=len, default="")
    return found, text.split(" "), text.rsplit(" ", maxsplit=1), longest, found == found[::-1], (
        sorted(known & set(found)), sorted(known | set(found)), len(set(found) - known),
        sorted((len(word), word) for word in found), known <= set(found), min(found),
    )  # fmt: skip


@samples("", (N(107, 61, 52, 10),), (N(97, 97, 10, 97),), (N(61, 61, 13, 10),))
def pairs(codes):
    text = "".join(chr(c) for c in codes)
    found, wrong = [], []
    for number, line in enumerate(text.splitlines()):
        key, is_there, value = line.partition("=")
        if not is_there:
            wrong.append(f"{number}: {line!r}")
            continue
        try:
            found.append((key, int(value, 16)))
        except ValueError as error:
            wrong.append(str(error))
    return sorted(found), wrong, text.rpartition("="), text.splitlines(True)


@samples("", (N(3, 12, 3),), (N(1, 1, 1),), (N(21, 3, 100),))
def labels_in_order(xs):
    labels = [f"n{x}" for x in xs]
    by_length = sorted(labels, key=lambda text: (len(text), text))
    return sorted(labels), by_length, sorted((f"k{x}", i) for i, x in enumerate(xs)), 2 * labels[0]


@samples("", (N(61, 10),), (N(97, 97),))
def parts_by_a_chosen_text(codes):
    return chr(codes[1]).split("" if codes[0] == 97 else "=")


@samples("", (np.int64(1),), (np.int64(3),))
def a_chosen_text_repeated(i):
    names = {1: "one", 3: "three"}
    return names[i] * 2, i * names[i]


@samples("S10", *MANY)
def sets_of_pairs(xs):
    return {(f"{x}", 1) for x in xs} | {(f"k{x}", 1) for x in xs}


test_sample = samples.test()


@pytest.mark.parametrize(
    "text",
    ["{:>{w}.{p}f}|{:>{}}", "{0:{1}}|{0!r:>{1}}|{x.real:{w}}", "{[0]} {}", "{v[0]:.1f}{{}}",
     "{0} {}", "{} {0}", "{} {} {} {}", "{5}", "{a}", "{:{}}"],
)  # fmt: skip
def test_fields_of_format(text):
    def sample(x, w):
        try:
            return text.format(x if "[0]" not in text else [x], w, 9, w=w, p=2, x=x, v=[x])
        except (ValueError, IndexError, KeyError) as error:
            return type(error).__name__, str(error)

    for x, w in ((2.5, np.int64(8)), (1.25, np.int64(12))):
        assert ag.convert(sample)(x, w) == sample(x, w)


def with_bytes(n):
    return f"{n}".encode()  # refused


def as_bytes(n):
    return bytes(f"{n}", "ascii")  # refused


def as_bytearray(n):
    return bytearray(f"{n}", "ascii")  # refused


def parts_as_bytes(n):
    parts = []
    for _ in range(n):
        parts.append(b"ab")
    return b"".join(parts)  # refused


def one_part_as_bytes(n):
    return b"-".join([b"a" if n > 0 else b"b", b"c"])  # refused


def prefixes(n):
    parts = []
    for _ in range(n):
        parts.append("ab")
    return "abc".startswith(tuple(parts))  # refused


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (with_bytes, "`encode` of a text that is known only when the"),
        (as_bytes, "a text that is known only when the graph runs is given to `bytes`"),
        (as_bytearray, "a text that is known only when the graph runs is given to `bytearray`"),
        (parts_as_bytes, "`bytes.join` is given what is known only when the graph runs"),
        (one_part_as_bytes, "`bytes.join` is given what is known only when the graph runs"),
        (prefixes, "`str.startswith` is given what is known only when the graph runs"),
    ],
)
def test_what_no_graph_holds_is_refused(sample, match):
    refuse(sample, np.int64(3), match=match)
