"""`autograph devices`."""

import json

import pytest

import autograph as ag
from autograph.cli.command import main


@pytest.mark.parametrize("as_json", [False, True])
def test_devices_are_listed(as_json, capsys):
    assert main(["devices", "--json"] if as_json else ["devices"]) == 0
    shown = capsys.readouterr().out
    assert (json.loads(shown) if as_json else shown.split()) == ag.list_devices()
