"""`hasattr` and `getattr` with a default as plain Python: each gives what Python's own does."""

import pytest

from autograph.library.asking import attribute_or, has_attribute


class Thing:
    plain = 1

    @property
    def missing(self):
        raise AttributeError("missing")

    @property
    def broken(self):
        raise ValueError("broken")


@pytest.mark.parametrize("name", ["plain", "missing", "nothing"])
def test_answers_are_those_of_python(name):
    thing = Thing()
    assert has_attribute(thing, name) is hasattr(thing, name)
    assert attribute_or(thing, name, 5) == getattr(thing, name, 5)


def test_other_errors_pass():
    for ask in (has_attribute, lambda thing, name: attribute_or(thing, name, 5)):
        with pytest.raises(ValueError, match="broken"):
            ask(Thing(), "broken")
