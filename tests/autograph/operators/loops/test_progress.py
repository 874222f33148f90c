"""Progress bars, known by their packages."""

import types

import pytest

from autograph.operators.loops.progress import _begin, _end, is_progress


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
