"""Tests of `runtime.contexts`: what `within` does when a graph runs."""

import pytest

from runtime.contexts import ENTER, EXIT, WITHIN
from runtime.errors import StagingError


class Manager:
    def __init__(self, swallows=False):
        self.log, self.swallows = [], swallows

    def __enter__(self):
        self.log.append("in")

    def __exit__(self, kind, error, traceback):
        self.log.append(kind)
        return self.swallows


def run(manager, graph, *operands):
    return WITHIN.kernel(None, *operands, manager=lambda: manager, is_setting=True, graphs=[graph])


def test_the_graph_runs_within_the_manager():
    manager = Manager()
    assert run(manager, lambda x: (manager.log.append(x), x + 1)[1], 3) == 4
    assert manager.log == ["in", 3, None]


def test_an_error_leaves_the_manager_too():
    manager = Manager()
    with pytest.raises(KeyError):
        run(manager, lambda: {}["k"])
    assert manager.log == ["in", KeyError]


def test_an_error_that_it_swallows_is_never_passed_over():
    with pytest.raises(StagingError, match="a Manager swallowed an error that was not expected"):
        run(Manager(swallows=True), lambda: {}["k"])


@pytest.mark.parametrize(("is_setting", "can_raise"), [(True, False), (False, True)])
def test_only_a_setting_is_entered_without_risk(is_setting, can_raise):
    for op in (ENTER, WITHIN):
        assert op.can_raise([], {"manager": None, "is_setting": is_setting}) is can_raise


def test_they_are_effects():
    assert {op.effect for op in (ENTER, EXIT, WITHIN)} == {"host"}


def test_the_halves_do_not_run_alone():
    for op in (ENTER, EXIT):
        with pytest.raises(AssertionError, match="run as one `within`"):
            op.kernel(None, manager=None, is_setting=True)
