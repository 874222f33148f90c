"""`autograph bench` (A62)."""

import argparse
import json

import pytest

import autograph as ag
from autograph.cli import bench
from autograph.cli.command import main
from tests.devices.disguised import disguised


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1..1e7", [10**k for k in range(8)]),
        ("5..600", [5, 50, 500]),
        ("3", [3]),
        ("7,2,1e3", [7, 2, 1000]),
    ],
)
def test_lengths_are_written_as_a_range_or_one_by_one(text, wanted):
    assert bench.sizes(text) == wanted


@pytest.mark.parametrize("text", ["", "a", "1..", "1.5", "0", "-3..4", "9..1", "1..inf", "1,,2"])
def test_what_is_no_length_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        bench.sizes(text)


def test_a62_the_curves_of_each_device_are_printed(capsys):
    """A62: a row for each length, warm-up and run apart, a mark for each device."""
    with disguised():
        devices = ag.list_devices()
        assert main(["bench", "device", "--n", "1..100", "--seconds", "0"]) == 0
    title, heads, legend, *rows = capsys.readouterr().out.splitlines()
    assert "microseconds" in title and all(device in heads for device in devices)
    assert len(devices) == 3 and legend.split() == ["n"] + 3 * ["warm-up", "run"]
    assert [row.split()[0] for row in rows] == ["1", "10", "100"]
    for row in rows:
        assert all(float(number) > 0 for number in row.split()[1:7])
        assert set("".join(row.split()[7:])) <= set("*o+") != set()


def test_a62_times_as_json(capsys):
    assert main(["bench", "device", "--n", "2,30", "--seconds", "0.001", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = [(device, n) for n in (2, 30) for device in ag.list_devices()]
    assert [(times["device"], times["n"]) for times in found] == wanted
    assert all(times["warm_up"] > 0 and times["run"] > 0 for times in found)


def test_a62_a_call_ends_when_the_device_has_done_its_work(monkeypatch):
    """A62: each product is waited for, the warm-up, which the mean leaves out, as well."""
    log = []
    product = ag.matmul
    monkeypatch.setattr(ag, "matmul", lambda *args: (log.append("product"), product(*args))[1])
    monkeypatch.setattr(bench, "synchronize", lambda device: log.append(device))
    bench.measure("/cpu:0", 5, 0.0)
    assert log == ["/cpu:0", "product", "/cpu:0", "product", "/cpu:0"]


def test_one_device_alone_is_said_to_be(capsys):
    main(["bench", "device", "--n", "3", "--seconds", "0"])
    shown = capsys.readouterr().out
    assert ("There is no other device than /cpu:0." in shown) is (len(ag.list_devices()) == 1)


def test_wrong_lengths_are_wrong_use(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["bench", "device", "--n", "many"])
    assert stop.value.code == 2
    assert "'many' is neither 10,1000 nor 1..1e7" in capsys.readouterr().err
