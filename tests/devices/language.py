"""The samples of the language suite, run within `with ag.device(...)`."""

from __future__ import annotations

import copy
import importlib
from pathlib import Path

import pytest

import autograph as ag
from runtime import config
from tests.language import harness

_FOLDER = Path(harness.__file__).parent


def samples():
    """Parameters (sample, cases, how) of the tables in all test files of the language suite."""
    found = []
    for path in sorted(_FOLDER.glob("test_*.py")):
        module = importlib.import_module(f"tests.language.{path.stem}")
        for table in vars(module).values():
            if type(table).__name__ == "Samples":
                found += [
                    pytest.param(*row.values, id=f"{path.stem[5:]}-{row.id}") for row in table.rows
                ]
    return found


def check_within(sample, cases, how, device, *, tolerance=0.0):
    """Within `with device(...)`, the sample as a graph does what it does in Python on the host."""
    options = {
        name: value
        for name, value in how.items()
        if name not in ("conds", "whiles", "traces", "joined", "tolerance", "eager", "tensors",
                        "saved")
    }  # fmt: skip
    comparing = {
        "joined": how.get("joined", False),
        "tolerance": max(how.get("tolerance", 0.0), tolerance),
    }
    function = ag.convert(sample, **options)
    for case in cases:
        expected = harness.observe(sample, copy.deepcopy(case))
        with config.check.using(True), ag.device(device):
            outcome = harness.observe(function, copy.deepcopy(case))
        graphs = [trace._traced.graph for trace in function.traces()[-1:]]
        units = sum(harness.units_of(graph, config.backend.value) for graph in graphs)
        harness._assert_agree(outcome, expected, sample, graph=True, units=units, **comparing)
