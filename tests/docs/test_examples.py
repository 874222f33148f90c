"""The programs of examples/ run, their own asserts hold, and each draws its plot of the gallery."""

import inspect
import runpy
import subprocess
import sys
import xml.dom.minidom

import pytest

from tests.docs.extensions import extension
from tests.docs.snippets import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda program: program.stem)
def test_an_example_runs_and_prints(program):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda program: program.stem)
def test_an_example_has_a_heading_and_a_plot(program):
    found = runpy.run_path(str(program))
    heading, _, subject = inspect.cleandoc(found["__doc__"]).partition("\n\n")[0].partition(": ")
    assert len(heading) < 30 and subject
    shown = []

    def draw(axes):
        found["plot"](axes)
        shown.append(axes.has_data())

    svg = extension("drawings").drawn(draw, heading)
    assert shown == [True]
    assert xml.dom.minidom.parseString(svg).documentElement.getAttribute("aria-label") == heading
