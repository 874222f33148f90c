"""What code may ask about its own conversion."""

import pytest

import autograph as ag


def test_b6_03_features():
    assert set(ag.Feature.all()) == set(ag.Feature)
    left = ag.Feature.all_but([ag.Feature.LISTS, ag.Feature.NAME_SCOPES])
    assert ag.Feature.LISTS not in left and ag.Feature.EQUALITY_OPERATORS in left


def test_b4_07_status_in_nested_functions_and_lambdas():
    seen = []

    def note():
        seen.append(ag.control_status_ctx().status.name)

    @ag.do_not_convert
    def left_alone():
        seen.append(ag.control_status_ctx().status.name)

    @ag.convert
    def f(x):
        note()
        left_alone()
        (lambda: seen.append(ag.control_status_ctx().status.name))()
        return x * 2

    f(1.0)
    assert seen == ["ENABLED", "DISABLED", "ENABLED"]
    note()
    assert seen[-1] == "UNSPECIFIED"


@pytest.mark.parametrize(("entity", "artifact"), [
    (len, False), (lambda x: x, False), (ag.convert(lambda x: x), True), (3, False),
    (ag.to_graph(lambda x: x), True),
])  # fmt: skip
def test_b4_07_artifacts(entity, artifact):
    assert ag.is_autograph_artifact(entity) is artifact
