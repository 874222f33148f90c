"""Tests of `runtime.config`."""

import threading

import numpy as np
import pytest

from runtime import config
from runtime.config import SWITCHES, Switch


@pytest.fixture
def switch():
    return Switch("sample", 1, int, "A sample.")


def test_the_innermost_block_wins(switch):
    with switch.using(2):
        with switch.using(3):
            assert switch.value == 3
        assert switch.value == 2
    assert switch.value == 1


def test_a_block_ends_when_its_body_raises(switch):
    with pytest.raises(KeyError), switch.using(2):
        raise KeyError
    assert switch.value == 1


def test_a_block_is_not_seen_by_other_threads(switch):
    seen = []
    with switch.using(2):
        thread = threading.Thread(target=lambda: seen.append(switch.value))
        thread.start()
        thread.join()
    assert seen == [1]


def test_set_and_reset_are_for_the_process(switch):
    switch.set(5)
    assert switch.value == 5
    switch.reset()
    assert switch.value == 1


def test_the_environment_gives_the_value_until_one_is_set(switch, monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_SAMPLE", "7")
    assert switch.value == 7
    switch.set(2)
    assert switch.value == 2


def test_a_wrong_environment_variable_is_named(switch, monkeypatch):
    monkeypatch.setenv("AUTOGRAPH_SAMPLE", "many")
    with pytest.raises(ValueError, match=r"sample cannot be 'many' \(from AUTOGRAPH_SAMPLE\)"):
        switch.value


@pytest.mark.parametrize("name", SWITCHES)
def test_each_switch_has_a_doc_and_a_valid_default(name):
    switch = SWITCHES[name]
    assert switch.doc.endswith(".")
    assert switch.parse(switch.default) == switch.default
    assert switch.variable == f"AUTOGRAPH_{name.upper()}"
    assert getattr(config, name) is switch


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("backend", "fortran"),
        ("check", "maybe"),
        ("verbosity", -1),
        ("cache_size", 1.5),
        ("default_float", "int32"),
        ("default_float", "no dtype"),
    ],
)
def test_wrong_values_are_refused(name, wrong):
    with pytest.raises(ValueError, match=f"{name} cannot be "), SWITCHES[name].using(wrong):
        pass


@pytest.mark.parametrize(
    ("text", "expected"), [("1", True), ("off", False), (True, True), (0, False)]
)
def test_flags_take_words_and_numbers(text, expected):
    with config.check.using(text):
        assert config.check.value is expected


def test_default_float_is_a_dtype():
    with config.default_float.using("float32"):
        assert config.default_float.value == np.dtype("f4")


def test_log_writes_where_the_verbosity_asks_for_it(capsys):
    with config.verbosity.using(1):
        config.log(2, lambda: pytest.fail("it is not asked for"))
        config.log(1, lambda: "said")
    assert capsys.readouterr().err == "said\n"
