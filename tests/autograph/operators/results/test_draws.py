import random

import numpy as np
import pytest

from autograph.operators.results.draws import drawn, has_draws, is_draw
from runtime.effects.generators import DRAW, SAMPLE
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def ops_of(method, *args, **kwargs):
    """The draws that a call of a generator's method adds to a graph; None if it is left to Python."""
    rng = np.random.default_rng(0)
    with tracing() as facts:
        facts.outside.add(rng)
        given = [x() if callable(x) else x for x in args]
        if drawn(getattr(rng, method), tuple(given), kwargs) is NotImplemented:
            assert not [n for n in facts.builder.graph.nodes if n.op in (DRAW, SAMPLE)]
            return None
        return [n for n in facts.builder.graph.nodes if n.op in (DRAW, SAMPLE)]


@pytest.mark.parametrize(("method", "args", "kwargs", "op", "name", "operands"), [
    ("random", (), {}, DRAW, "random", 0),
    ("normal", (0.0, 2), {"size": (2, 3)}, DRAW, "normal_deviate", 0),
    ("normal", (placeholder, placeholder), {}, DRAW, "normal_deviate", 1),
    ("uniform", (0, placeholder), {}, DRAW, "uniform_deviate", 2),
    ("gamma", (placeholder, 1.0), {}, SAMPLE, "gamma_deviate", 2),
    ("gamma", (2.0, placeholder), {}, DRAW, "gamma_deviate", 2),
    ("beta", (1.0, placeholder), {}, SAMPLE, "beta", 2),
    ("poisson", (placeholder,), {}, DRAW, "poisson", 1),
    ("integers", (3, 9), {"dtype": np.uint8, "endpoint": True}, DRAW, "integers_to", 2),
    ("choice", ([1.5, 2.5],), {"size": 3}, DRAW, "choice", 1),
    ("permutation", (4,), {}, DRAW, "order", 0),
], ids=lambda p: p if isinstance(p, str) else "")  # fmt: skip
def test_a_draw_is_one_node(method, args, kwargs, op, name, operands):
    (node,) = ops_of(method, *args, **kwargs)
    assert node.op is op and node.attrs["method"] == name and node.attrs["count"] == operands


@pytest.mark.parametrize(("method", "args", "kwargs"), [
    ("random", (), {"out": np.zeros(2)}), ("random", (), {"size": ()}), ("random", (-1,), {}),
    ("normal", ([1.0, 2.0],), {}), ("normal", (0.0, -1.0, 2, 3), {}), ("integers", (0,), {}),
    ("integers", (5.0,), {}), ("integers", (2,), {"dtype": bool}), ("choice", ([],), {}),
    ("choice", (["a", "b"],), {}), ("choice", (30, 9, False), {}),
    ("permutation", (np.ones((2, 2)), 1), {}), ("standard_gamma", (1.0,), {"dtype": np.float32}),
    ("dirichlet", ((1.0, 2.0),), {}), ("bytes", (3,), {}),
], ids=lambda p: p if isinstance(p, str) else "")  # fmt: skip
def test_what_is_left_is_a_call_of_python_code(method, args, kwargs):
    assert ops_of(method, *args, **kwargs) is None


def test_draws_are_those_of_generators_alone():
    assert is_draw(np.random.Generator, "normal") and is_draw(np.random.Generator, "shuffle")
    assert not is_draw(np.random.Generator, "spawn") and not is_draw(None, "normal")
    assert is_draw(np.random.RandomState, "randn") and is_draw(random.Random, "gauss")
    assert not is_draw(random.Random, "normal") and not is_draw(dict, "random")
    assert has_draws(random.Random) and not has_draws(dict)
