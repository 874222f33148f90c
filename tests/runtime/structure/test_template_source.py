"""Parts with holes as Python: what is written gives what filling them in gives."""

import numpy as np
import pytest

from runtime.structure.template_source import Source, rendering
from runtime.structure.templates import (
    ASCII,
    PERCENT,
    REPR,
    STR,
    Alternative,
    ArrayHole,
    Hole,
    LazyString,
    Line,
    Several,
    fill,
)

VALUES = (0.25, -3, "ä{}'\"\n", np.float64(1.5), True)


def text(*parts):
    return LazyString(parts)


def outcome(function, *args):
    try:
        found = function(*args)
    except ValueError as error:
        return type(error), str(error)
    return type(found), found


@pytest.mark.parametrize(("part", "is_filled"), [
    (Hole(2), False), (("x", Hole(0), (Hole(1),)), False), (None, False),
    (text("{x} = ", (Hole(0), -1, ".1f"), "'\\\n"), False),
    (text((Hole(2), REPR, None), (Hole(2), ASCII, ">20"), (Hole(3), STR, "")), False),
    (text((Hole(1), PERCENT, "%05d"), (Hole(1), hex, None)), False),
    (text((Hole(0), -1, text((Hole(4), -1, "d"), "8.2f"))), False),
    (text((text("a", (Hole(1), -1, None)), -1, None)), False),
    (text((Hole(0), -1, "{}")), False), (text((Hole(3), -1, None, {"precision": 2})), True),
    (ArrayHole(3), True), ([Hole(1)], True), ({"k": Hole(1)}, True),
    (text((Alternative(Hole(4), ("yes", Hole(0))), -1, None)), True),
])  # fmt: skip
def test_what_is_written_gives_what_is_filled_in(part, is_filled):
    source = Source(len(VALUES))
    made = source.function("return PART", {"PART": source.part(part)})
    assert outcome(made, *VALUES) == outcome(fill, part, VALUES)
    assert (fill in [cell.cell_contents for cell in made.__closure__ or ()]) == is_filled


def test_a_function_stands_where_it_is_to_stand():
    source = Source(1)
    stands = ("there.py", 7, "user")
    made = source.function("return 1 / PART", {"PART": source.part(Hole(0))}, {"a": 1}, stands)
    assert made.__globals__ == {"a": 1} and made(2) == 0.5
    with pytest.raises(ZeroDivisionError) as caught:
        made(0)
    last = caught.traceback[-1]
    code = last.frame.code.raw
    assert (code.co_filename, last.lineno + 1, code.co_name) == stands


@pytest.mark.parametrize("line", [
    Line((text("x", (Hole(1), -1, None)),), "", ""), Line((Hole(0), "b", Hole(3)), ", ", "!\n"),
    Line((), " ", "\n"), Line(("a", Several([Hole(0), Hole(1)])), " ", "."), Line((None,), "", ""),
])  # fmt: skip
def test_lines_are_rendered(line):
    assert rendering(line, len(VALUES), list)(*VALUES) == list(line(*VALUES))
