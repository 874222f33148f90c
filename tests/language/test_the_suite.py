"""What the language suite has: how many plain functions do the same in every mode, what does not.

Each sample is run as Python, eagerly, as a graph on each backend with one trace per signature and
no line of its own at the second call, and after save and load (`harness.check`): in the long tests
all of them, in each run one of twelve, each other one natively, and half of those in one more way.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, assert_clean

FILES = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))


def registered():
    """Each sample with what is asked of it, by its file and name."""
    found = {}
    for name in FILES:
        for thing in vars(importlib.import_module(f"tests.language.{name}")).values():
            for row in thing.rows if isinstance(thing, Samples) else ():
                sample, _, how = row.values
                found[f"{name}.{sample.__name__}", sample.__code__.co_firstlineno] = how
    return found


def test_there_are_as_many_samples_as_were_asked_for():
    assert len(registered()) >= 780


def test_no_more_than_some_leave_a_mode_out():
    """Most are run in all modes, with one trace; what leaves one out says so at the sample."""
    every = registered()
    left = {
        what: sorted(name for (name, _), how in every.items() if how.get(what, given) != given)
        for what, given in (("eager", True), ("saved", True), ("tensors", True), ("traces", 1))
    }
    assert len(left["saved"]) <= 0.01 * len(every), left["saved"]
    assert len(left["eager"]) <= 0.01 * len(every), left["eager"]
    assert len(left["tensors"]) <= 0.08 * len(every), left["tensors"]
    assert len(left["traces"]) <= 0.08 * len(every), left["traces"]


def test_none_of_them_has_a_name_twice():
    """A sample that another one hides is not run."""
    names = [name for name, _ in registered()]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, twice


# ---- programs that people write and that are refused -------------------------------------------

PROGRAMS = ("test_programs", "test_numerical_recipes", "test_everyday_programs")
refused = {}


def refuse(text, *arguments):
    """Register the program below, with the text of its refusal."""

    def register(program):
        refused[program.__name__] = (program, arguments, text)
        return program

    return register


@refuse("`encode` of a text that is known only when the graph runs", np.float64(3))
def bytes_of_a_text(x):
    name = f"{x}"
    return name.encode()


@refuse("the dtype of what `np.vectorize` gives is that of the result for the first element, and "
        "this function gives numbers of different types on different paths",
        np.array([3.0, 1.0]))  # fmt: skip
def vectorized(x):
    return np.vectorize(lambda v: v * 2 if v > 1 else 0)(x)


@pytest.mark.parametrize("name", refused)
def test_what_is_refused_says_why_at_a_line_of_the_program(name):
    program, arguments, text = refused[name]
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(program)(*arguments)
    assert caught.value.what == text
    assert str(caught.value).startswith(f"{__file__}:") and "^" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 12 and caught.value.hint
    assert_clean(caught.value)


def test_no_more_than_5_of_100_programs_are_refused():
    programs = [name for name, _ in registered() if name.startswith(PROGRAMS)]
    assert len(refused) <= 0.05 * (len(registered()) + len(refused))
    assert len(programs) >= 10 * len(refused)
