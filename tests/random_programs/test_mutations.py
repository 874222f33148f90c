"""A converter with a deliberate mistake is caught by the random programs."""

import re

import pytest

from autograph.converters.pipeline import PIPELINE
from tests.random_programs.mutations import MUTATIONS
from tests.random_programs.programs import make_program
from tests.random_programs.running import check, limited

PROGRAMS = 300
# What a mistake is about that few programs have: the others need not be run.
RARE = {
    "managers-others-lost": r"with .+, .+:",
    "contexts-write-lost": r"with .+:",
    "loops-tested-write-lost": r"while .*:=",
    "raises-class-not-asked-for": r"raise \(",
}


@pytest.mark.broad(5)
@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_is_caught(name):
    with MUTATIONS[name]():
        about = re.compile(RARE.get(name, ""))
        seeds = (seed for seed in range(PROGRAMS) if about.search(make_program(seed).source))
        caught = next(filter(_is_caught, seeds), None)
    assert caught is not None, f"{PROGRAMS} programs pass with the mistake {name}"
    assert not _is_caught(caught), f"program {caught} fails without the mistake too"


def _is_caught(seed):
    try:
        with limited(5.0):
            return check(make_program(seed)).difference is not None
    except TimeoutError:
        return True


def test_every_converter_has_a_mutation():
    without = {"directives", "displays"}  # they change nothing that a program can see
    for converter in PIPELINE:
        stem = converter.name.replace(" ", "-")
        assert converter.name in without or any(name.startswith(stem) for name in MUTATIONS)
