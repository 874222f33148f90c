"""The whole pipeline on varied plain functions: converted ones do what the originals do."""

import copy
import re

import pytest

from tests.autograph.converters import samples
from tests.autograph.converters.running import load, run


@pytest.fixture(scope="module")
def text():
    with open(samples.__file__) as file:
        return file.read()


@pytest.fixture(scope="module")
def modules(text):
    return {convert: load(text, "__dict__", convert=convert) for convert in (False, True)}


CASES = [
    pytest.param(function.__name__, arguments, id=f"{function.__name__}-{number}")
    for function, argument_lists in samples.CASES.items()
    for number, arguments in enumerate(argument_lists)
]


@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_converted_function_does_what_the_original_does(modules, name, arguments):
    plain, converted = (
        run(modules[convert][name], *_rebuilt(arguments, modules[convert]))
        for convert in (False, True)
    )
    assert without_addresses(converted.log) == without_addresses(plain.log)
    assert converted.error is plain.error, f"{converted.error}: {converted.message}"
    assert without_addresses(converted.value) == without_addresses(plain.value)


def without_addresses(value):
    return re.sub("0x[0-9a-f]+", "0x", repr(value))


def _rebuilt(arguments, namespace):
    """Fresh arguments, with boxes of the module under test."""
    return tuple(
        namespace["Box"](a.name, a=a.a) if isinstance(a, samples.Box) else copy.deepcopy(a)
        for a in arguments
    )
