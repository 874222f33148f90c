"""`ag.Feature` (B6.03), and the source of a converted function (B4.06)."""

import pytest

import autograph as ag


def test_b6_03_features_are_accepted_wherever_options_are():
    def f(x):
        return x + 1

    assert ag.Feature.all()[0] is ag.Feature.ALL
    assert len(ag.Feature.all()) == 7
    chosen = ag.Feature.all_but([ag.Feature.LISTS, ag.Feature.NAME_SCOPES])
    assert len(chosen) == 4
    assert ag.to_graph(f, experimental_optional_features=chosen)(1) == 2
    assert ag.to_code(f, True, ag.Feature.LISTS) == ag.to_code(f)
    assert ag.convert(f, experimental_autograph_options=ag.Feature.all_but(ag.Feature.ALL))(1) == 2
    with pytest.raises(TypeError, match=r"ag\.Feature"):
        ag.convert(f, experimental_autograph_options="LISTS")
    with pytest.raises(TypeError, match=r"ag\.Feature"):
        ag.to_code(f, experimental_optional_features=[1])


def test_b4_06_to_graph_has_its_source():
    assert ag.to_graph(lambda x: x).__ag_source__.startswith("import autograph.operators as ag__")
