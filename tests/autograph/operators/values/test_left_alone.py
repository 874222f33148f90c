"""Functions marked with `do_not_convert`, and containers that only the graph knows."""

import numpy as np
import pytest

import autograph as ag


@ag.do_not_convert
def count(things):
    return len(things)


class Log:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    @ag.do_not_convert
    def count(self):
        return len(self.items)


def of_a_list(x):
    found = []
    if x[0] > 0:
        found.append(1.0)
    return count(found) + x.sum()


def of_a_dict(x):
    found = {}
    if x[0] > 0:
        found["a"] = 1.0
    if x[1] > 0:
        found["b"] = 2.0
    return count(found) + x.sum()


def of_a_dict_in_a_list(x):
    found = {}
    if x[0] > 0:
        found["a"] = x
    return count([found]) + x.sum()


def of_an_object(x):
    log = Log()
    for value in x:
        if value > 0:
            log.add(value)
    return log.count() + x.sum()


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        (of_a_list, "list"),
        (of_a_dict, "dict"),
        (of_a_dict_in_a_list, "dict"),
        (of_an_object, "list"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_plain_python_cannot_see_what_only_the_graph_knows(sample, kind):
    with pytest.raises(ag.StagingError, match=f"plain Python.*can see a {kind} whose") as caught:
        ag.convert(sample)(np.array([1.0, 2.0]))
    assert "let it be converted" in str(caught.value)


def test_what_python_knows_is_given():
    def known(x):
        return count([x, x]) + count({"a": x}) + x.sum()

    assert ag.convert(known)(np.array([1.0, 2.0])) == 6.0
