"""A name that is None, or a list, dict or object that a round of a loop makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A
from tests.language.harness import Samples, check, refuse

samples = Samples()

CASES = ((A(3, 1, 2, 0.5),), (A(1, 2, 3, 4),), (A(9, 9, 9, 9),))


@samples("B2.04", *CASES, whiles=1)
def best_parameters(x):
    best, least, waited = None, np.inf, 0
    layers = [{"w": np.zeros(2), "b": np.ones(3)}, {}, {"w": np.zeros((2, 3))}]
    for v in x:
        for layer in layers:
            for key in layer:
                layer[key] += v
        if v < least:
            least, waited = v, 0
            best = [{k: part.copy() for k, part in layer.items()} for layer in layers]
        elif (waited := waited + 1) >= 2:
            print("stopped")
            break
    for layer, kept in zip(layers, best):
        layer.update(kept)
    return layers, best, least


@samples("B2.04", *CASES, whiles=1)
def best_or_changed(x):
    best, n = None, 0
    for v in x:
        if best is None or v < best[0]:
            best = [v, n]
        else:
            best[1] += 10
        n += 1
    return best


@samples("B2.04", *CASES, joined=True)
def two_names_of_one(x):
    best = other = None
    for v in x:
        if v < 2.5:
            best = [v, 0.0]
            other = best
        elif best is not None:
            best[1] += v
        if v > 1.5 and other is not None:
            other[0] += 1
    return best, other


@samples("B2.04", *CASES)
def let_go_of(x):
    a = b = None
    for v in x:
        if v < 2.5:
            a = [v]
            b = a
        if b is not None:
            b[0] += 1
        if v > 1.5:
            b = None
    return a, b


@samples("B2.04", *CASES)
def handed_on(x):
    previous = current = None
    total = 0.0
    for v in x:
        previous, current = current, [v, v * 2]
        if previous is not None:
            total += previous[1] - current[0]
            previous[0] = total
    return total, previous, current


@samples("B2.04", *CASES)
def growing_until_full(x):
    held = None
    for v in x:
        if held is None:
            held = []
        held.append(v)
        if len(held) > 2:
            held = None
    return held


@samples("B2.04", *CASES, joined=True)
def reset_and_written_within(x):
    best = None
    for v in x:
        if v < 1.5:
            best = None
        elif v < 5:
            best = {"v": v, "w": [v, v + 1]}
        if best is not None and v > 2:
            best["w"].append(1.0)
    return best


@samples("B2.04", *CASES, joined=True)
def of_inner_rounds(x):
    best = None
    for v in x:
        for w in x:
            if best is None or v + w < best[0]:
                best = [v + w, [v, w]]
            elif v == w:
                best[1] = [0.0, 0.0]
    return best


@samples("B2.04", *CASES)
def arrays_within(x):
    best, i = None, 0
    while i < len(x):
        if best is None or x[i] < best["v"]:
            best = {"v": x[i], "i": i, "m": np.full(2, x[i])}
        best["m"][0] += 1
        i += 1
    return best["i"], best["m"], best


@samples("B2.04", *CASES)
def left_by_a_try(x):
    best = None
    for k, v in enumerate(x):
        try:
            if v > 8:
                raise ValueError("big")
            best = [v, k]
        except ValueError as error:
            print(error)
            best = None
    return best


@dataclass
class Record:
    least: float
    seen: list


@samples("B2.04", *CASES)
def objects_in_a_list(x):
    best = None
    for v in x:
        if v < 2.5:
            best = [Record(v, [v]), Record(v + 1, [0.0])]
        elif best is not None:
            best[0].seen[0] += 1
            best[1].least -= v
    if best is None:
        return "none"
    a, b = best
    return a.least, a.seen, b.least, b.seen


class Tracker:
    def __init__(self):
        self.best, self.count = None, 0

    def see(self, v, parts):
        self.count += 1
        if self.best is None or v < self.best["v"]:
            self.best = {"v": v, "parts": [part.copy() for part in parts]}
            return True
        return False


@samples("B2.04", *CASES)
def in_an_attribute(x):
    tracker, parts = Tracker(), [np.zeros(2), np.ones(1)]
    for v in x:
        parts[0] += v
        parts[1] *= v
        if not tracker.see(v, parts) and tracker.count > 3:
            break
    return tracker.best, tracker.count


@samples("B2.04", *CASES)
def of_known_items(x):
    found = None
    for v in x:
        if v > 2.5:
            break
        found = [1]
        found.append(2)
    if found is not None:
        found.append(3)
    return found


@samples("B2.04", *CASES)
def with_other_keys(x):
    pairs, t = {"before": 1}, x[0]
    while t > 2:
        pairs = {"after": 2}
        t -= 1
    pairs["last"] = 4
    return pairs


@samples("B2.04", *CASES)
def written_in_the_next_round(x):
    found, t = None, x[0]
    while t > 0:
        if found is None:
            found = {"a": 1}
        else:
            found["a"] = 2
        t -= 1
    return found


test_sample = samples.test()


def test_a_write_after_the_loop_reaches_the_one_in_the_name():
    def sample(x):
        best = None
        for v in x:
            if v < 1.5:
                best = None
            elif v < 5:
                best = {"v": v, "w": [v, v + 1]}
        if best is not None:
            best["v"] = 7.0
            best["w"][0] += 1
        return best

    check(sample, *CASES, joined=True)


def test_an_older_list_that_is_written_meanwhile_is_refused():
    def sample(x):
        best, now = None, [0.0, 0.0]
        for v in x:
            now = [now[0] + v, v]
            if v < 2.5:
                best = now
            now[1] += 1  # refused
        return best, now

    refuse(sample, *CASES[0], match="`best` is ")


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_gradient_is_that_of_the_list_that_was_kept(backend):
    def sample(x):
        best, parts = None, [x[0], x[1] * 2]
        for v in x:
            parts = [part * v for part in parts]
            if best is None or sum(parts) > best[0]:
                best = [sum(parts), list(parts)]
        return best[1][0] + best[0] ** 2

    for (x,) in CASES:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(sample))(x)
        for i in range(len(x)):
            step = np.zeros_like(x)
            step[i] = 1e-6
            slope = (sample(x + step) - sample(x - step)) / 2e-6
            assert abs(found[i] - slope) < 1e-5 * max(1.0, abs(slope))
