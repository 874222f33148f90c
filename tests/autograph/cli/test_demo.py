"""`autograph demo` and `autograph devices`."""

import json

import pytest

from autograph.cli import main


def test_the_demo_shows_every_stage(capsys):
    assert main(["demo"]) == 0
    printed = capsys.readouterr().out
    for words in ("while abs(", "ag__.while_stmt(", "while", "3.4760266448864"):
        assert words in printed


def test_the_gradient_of_the_demo_is_the_known_one(capsys):
    main(["demo"])
    lines = capsys.readouterr().out.splitlines()
    value, known = (
        float(next(line for line in lines if line.startswith(start)).split("=")[-1])
        for start in ("its gradient", "known")
    )
    assert value == pytest.approx(known, rel=1e-9)


def test_the_cpu_is_a_device(capsys):
    assert main(["devices"]) == 0
    assert "cpu:0" in capsys.readouterr().out


def test_devices_are_a_json_list(capsys):
    assert main(["devices", "--json"]) == 0
    assert any("cpu:0" in name for name in json.loads(capsys.readouterr().out))
