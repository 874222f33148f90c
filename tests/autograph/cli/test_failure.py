"""How a command fails."""

from autograph.cli.failure import CommandError, Status, suggestion


def test_near_names_are_suggested():
    assert suggestion("nwton", ["newton", "secant"]) == "; did you mean newton?"
    assert suggestion("stepp", ["step", "steps"]) == "; did you mean step or steps?"
    assert suggestion("qqq", ["newton"]) == ""


def test_an_error_has_the_status_of_wrong_use():
    assert CommandError("no").status is Status.WRONG_USE
    assert CommandError("no", Status.REFUSED).status == 1
