"""The user's lines in a saved program."""

import linecache

import pytest

from runtime.errors import Origin
from runtime.save.places import Lines, Places
from runtime.save.reading import Malformed


def given(filename, *lines):
    linecache.cache[filename] = (1, None, [f"{line}\n" for line in lines], filename)
    return filename


def written(*origins):
    places = Places()
    return [places.write(origin) for origin in origins], places.files()


def test_a_place_is_written_and_read():
    file = given("<folder/train.py>", "x = y", "z = x")
    found, files = written(Origin(file, 2, "step", span=(4, 5)), Origin(file, 1, "step"))
    assert found == [[0, 2, "step", 4, 5], [0, 1, "step"]]
    assert files == [{"name": "train.py", "lines": {"2": "z = x", "1": "x = y"}}]
    lines = Lines(files, "folder/step.agz")
    origin = lines.read(found[0])
    assert origin.filename == "<step.agz: train.py>" and origin.columns == (4, 5)
    lines.publish()
    assert origin.text == "z = x" and lines.read(found[1]).text == "x = y"


def test_two_files_of_one_name_are_told_apart():
    files = [{"name": "a.py", "lines": {"1": text}} for text in ("x", "y")]
    lines = Lines(files, "two.agz")
    lines.publish()
    origins = [lines.read([number, 1, "f"]) for number in (0, 1)]
    assert [origin.text for origin in origins] == ["x", "y"]
    assert origins[0].filename != origins[1].filename


def test_another_program_of_that_name_takes_nothing_away():
    for text in ("one = 1", "two = 2"):
        lines = Lines([{"name": "b.py", "lines": {"1": text}}], "same.agz")
        lines.publish()
        assert lines.read([0, 1, "f"]).text == text


def test_what_a_terminal_would_take_as_a_command_is_replaced():
    file = given("<odd.py>", "x = '\x1b[2J\t'")
    _, files = written(Origin(file, 1, "f"))
    assert files[0]["lines"]["1"] == "x = '?[2J\t'"


@pytest.mark.parametrize("part", [
    None, [0, 1], [0, 0, "f"], [1, 1, "f"], [-1, 1, "f"], [0, 1, 3], [0, 1, "f", 4, 2],
    [0, 1, "f", -1, 2], [0, 500_001, "f"], [0, True, "f"], [0, 1, "a\nb"],
])  # fmt: skip
def test_a_place_that_is_none_is_malformed(part):
    lines = Lines([{"name": "a.py", "lines": {}}], "a.agz")
    with pytest.raises(Malformed):
        lines.read(part)


@pytest.mark.parametrize("files", [
    {}, [{"name": "a/b.py", "lines": {}}], [{"name": "a.py"}], [{"name": 3, "lines": {}}],
    [{"name": "a.py", "lines": {"-1": "x"}}], [{"name": "a.py", "lines": {"1": 3}}],
    [{"name": "a.py", "lines": {"1": "a\nb"}}], [{"name": "a.py", "lines": {"999999999": "x"}}],
    [{"name": f"{k}.py", "lines": {"500000": "x"}} for k in range(5)],
])  # fmt: skip
def test_files_that_are_none_are_malformed(files):
    with pytest.raises(Malformed):
        Lines(files, "a.agz")
