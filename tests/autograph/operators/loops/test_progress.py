"""Progress bars, known by their packages."""

import types

import pytest

from autograph.operators.loops import progress
from autograph.operators.loops.progress import _advance_to, _begin, _end, _start, is_progress


def module(name):
    made = types.ModuleType(name)
    exec(
        "class tqdm:\n    pass\nclass Other:\n    pass\ndef trange(n): pass\n"
        "def track(x): pass\nclass Special(tqdm):\n    pass\n",
        made.__dict__,
    )
    return made


@pytest.mark.parametrize("package", ["tqdm.std", "rich.progress", "elsewhere"])
def test_bars_are_known_by_package_and_name(package):
    known = module(package)
    is_tqdm, is_rich = package == "tqdm.std", package == "rich.progress"
    assert is_progress(known.tqdm) == is_progress(known.Special) == is_tqdm
    assert is_progress(known.trange) == is_progress(known.track) == (is_tqdm or is_rich)
    assert not is_progress(known.Other) and not is_progress(range) and not is_progress(3)


def steps(length, end):
    seen = []

    def bar(items, mark):
        try:
            for k in items:
                seen.append((mark, k))
                yield
            seen.append("all")
        finally:
            seen.append("end")

    running = _begin(bar, length, ("m",), {})
    assert _start(running) == id(running)
    running.advance()
    running.advance()
    _end(running, end)
    return seen


def test_a_bar_goes_through_as_many_items_as_the_loop():
    assert steps(2, True) == [("m", 0), ("m", 1), "all", "end"]
    assert steps(3, False) == [("m", 0), ("m", 1), "end"]
    assert steps(None, False)[:2] == [("m", 0), ("m", 0)]


def test_attributes_are_those_of_the_bar():
    class Bar:
        def __init__(self, items):
            self.items = items

        def __iter__(self):
            return iter(self.items)

        def note(self):
            return len(self.items)

    assert _begin(Bar, 3, (), {}).note() == 3


class Clock:
    """Stands for `time`: each round of a loop takes so long."""

    def __init__(self, seconds):
        self.now, self.seconds = 0.0, seconds

    def monotonic(self):
        return self.now


def times_told(monkeypatch, seconds, rounds, mininterval=0.1):
    """At which rounds the host is told, where each takes so long; a bar sees all of them."""

    class Bar:
        def __init__(self, items):
            self.items, self.n, self.mininterval = items, 0, mininterval

        def __iter__(self):
            for _ in self.items:
                self.n += 1
                yield

    monkeypatch.setattr(progress, "time", clock := Clock(seconds))
    running = _begin(Bar, rounds, (), {})
    handle, due, told = _start(running), 0, []
    for begun in range(1, rounds + 1):
        if begun >= due:
            due = _advance_to(handle, begun)
            assert running.n == begun and due > begun
            told.append(begun)
        clock.now += seconds
    _advance_to(handle, rounds)
    assert running.n == rounds
    return told


def test_fast_rounds_are_told_some_times_a_second(monkeypatch):
    told = times_told(monkeypatch, 1e-5, 200_000)
    assert len(told) <= 2 / 0.025 + 20
    assert max(b - a for a, b in zip(told, told[1:])) * 1e-5 <= 0.1


@pytest.mark.parametrize(("seconds", "mininterval"), [(0.06, 0.1), (1e-5, 0)])
def test_slow_rounds_and_all_of_a_bar_that_shows_all_are_told_one_by_one(
    monkeypatch, seconds, mininterval
):
    assert times_told(monkeypatch, seconds, 500, mininterval) == list(range(1, 501))


def test_rounds_that_become_slow_are_told_more_often(monkeypatch):
    clock = Clock(0)
    monkeypatch.setattr(progress, "time", clock)
    running = _begin(iter, 10**6, (), {})
    handle, due = _start(running), 0
    for _ in range(10):
        due = _advance_to(handle, due)
    apart = []
    for _ in range(6):
        clock.now += 1.0
        begun, due = due, _advance_to(handle, due)
        apart.append(due - begun)
    assert apart[0] > 100 and apart[-1] == 1


def test_a_bar_is_gone_through_again_unless_it_is_a_generator():
    again = _begin(tuple, 3, (), {})
    for _ in range(2):
        _start(again)
        again.advance_to(3)
    once = _begin(iter, 3, (), {})
    _start(once)
    with pytest.raises(NotImplementedError, match="make another bar"):
        _start(once)
