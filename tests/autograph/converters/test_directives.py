"""Directives go to the loop they stand first in; elsewhere they are errors at the user's line."""

import pytest

from autograph.errors import DirectiveError
from tests.autograph.converters.running import assert_same, converted_text


def test_options_go_to_the_loop():
    """B1.05: the directive leaves the code and becomes options of its loop."""
    text = converted_text(
        """
        def f(xs):
            for x in xs:
                directives.set_loop_options(maximum_iterations=3, parallel=x)
                print(x)
        """
    )
    assert "{'iterate_names': 'x', 'maximum_iterations': 3, 'parallel': ag__.ld(x)}" in text
    assert "set_loop_options" not in text


def test_element_type_is_removed():
    """B1.05: `set_element_type` leaves the code."""
    assert "set_element_type" not in converted_text("def f(x):\n    ag.set_element_type(x, 1)")


def test_loop_with_only_a_directive_runs():
    text = "def set_loop_options(): pass\ndef f():\n    for x in [1]:\n        set_loop_options()\n"
    assert_same(text + "    return x")


@pytest.mark.parametrize(
    "body",
    [
        "ag.set_loop_options(a=1)",
        "while x:\n        x = 1\n        ag.set_loop_options(a=1)",
        "while x:\n        pass\n    else:\n        ag.set_loop_options(a=1)",
        "if x:\n        ag.set_loop_options(a=1)",
    ],
)
def test_elsewhere_it_is_an_error(body):
    """B1.05: a misplaced directive is an error at the user's line."""
    with pytest.raises(DirectiveError, match="first") as caught:
        converted_text(f"def f(x):\n    {body}", filename="user.py")
    assert "user.py:" in str(caught.value)
    assert "in `f`" in str(caught.value)


def test_positional_arguments_are_an_error():
    with pytest.raises(DirectiveError, match="keyword arguments"):
        converted_text("def f(x):\n    while x:\n        set_loop_options(3)")
