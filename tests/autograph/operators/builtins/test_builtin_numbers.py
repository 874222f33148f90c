"""Numbers that built-in functions give are Python's, in the graph."""

import pytest

from autograph.operators.builtins.builtin_functions import HANDLERS
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


@pytest.mark.parametrize(("kind", "weak"), [(int, int), (float, float), (bool, bool)])
def test_conversions_give_python_numbers_of_the_graph(kind, weak):
    with tracing():
        made = HANDLERS[kind](placeholder())
        assert made.type.weak and HANDLERS[type](made) is weak
