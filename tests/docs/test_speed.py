"""The page on speed: what its summary says is what its tables have."""

import re
import statistics
import xml.dom.minidom

import pytest

from tests.docs.extensions import extension
from tests.docs.snippets import ROOT

PAGE = (ROOT / "docs" / "guide" / "speed.md").read_text(encoding="utf-8")
PEERS = ("tf.function", "XLA", "jax.jit", "torch", "torch.compile")
TIMES = extension("speed_drawing").times(PAGE)


def column(header, place):
    """The numbers in a column of the table that begins so."""
    table = re.search(rf"^\| {re.escape(header)} .*?(?=\n\n)", PAGE, re.DOTALL | re.MULTILINE)[0]
    cells = [line.strip("|").split("|")[place] for line in table.split("\n")[2:]]
    return [
        float(n[0]) if (n := re.findall(r"[\d.]+", c.replace(",", ""))) else None for c in cells
    ]


@pytest.mark.parametrize("workload", TIMES)
def test_how_far_a_workload_is_ahead(workload):
    times = TIMES[workload]
    best = min(times[peer] for peer in PEERS if peer in times)
    assert times["ahead"] == pytest.approx(best / times["ours"], rel=0.03)


def test_the_means_of_the_tables():
    ahead = [times["ahead"] for times in TIMES.values()]
    loops = column("program", 3)
    said = f"{statistics.geometric_mean(ahead):.1f} in the geometric mean, {min(ahead)} to "
    assert f"{said}{max(ahead):.0f} |" in PAGE
    said = f"{statistics.geometric_mean(loops):.2f} in the geometric mean, {min(loops)} to "
    assert f"{said}{max(loops)} |" in PAGE
    first = zip(
        column("workload | cold", 1), column("workload | cold", 2), column("workload | cold", 3)
    )
    cold, cached = zip(*((jax / cold, jax / cached) for cold, cached, jax in first if jax))
    mean = statistics.geometric_mean
    assert f"{mean(cold):.1f} in the geometric mean; {mean(cached):.0f} where another" in PAGE


def test_the_numbers_of_rows_are_said():
    for count, words in (
        (len(TIMES), "workloads](#workloads)"),
        (len(column("program", 3)), "loops over elements](#loops-over-elements)"),
        (sum(n is not None for n in column("workload | cold", 3)), "workloads](#first-calls)"),
    ):
        assert f"[{count} {words}" in PAGE


def test_the_picture_has_each_workload():
    drawing = xml.dom.minidom.parseString(extension("speed_drawing").picture(PAGE))
    texts = {text.firstChild.data for text in drawing.getElementsByTagName("text")}
    assert set(TIMES) <= texts


@pytest.mark.parametrize("picture", ["compile", "run"])
def test_curves_that_are_steep_are_named(picture):
    text = (ROOT / "docs" / "guide" / f"scaling_{picture}.svg").read_text(encoding="utf-8")
    slopes = {name: float(slope) for name, slope in re.findall(r">([\w ]+): ([\d.]+)</text>", text)}
    assert len(slopes) >= 5
    section = PAGE.partition("## How times grow")[2].partition("\n## ")[0]
    assert f"](scaling_{picture}.svg)" in section
    named = {name for line in section.split("\n- ")[1:] for name in re.findall("`(.*?)`", line)}
    assert {name for name, slope in slopes.items() if slope > 1.1} <= named
