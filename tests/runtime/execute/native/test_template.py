"""Lines of templates, and the IR text that they stand for."""

import pytest

from runtime.execute.native.context import word
from runtime.execute.native.template import expanded

LINES = {
    "  %f = word fallback": [
        f"  %f.at = getelementptr ptr, ptr %ctx, i64 {word('fallback')}",
        "  %f = load ptr, ptr %f.at",
    ],
    "  %n = count results.count": [
        f"  %n.at = getelementptr ptr, ptr %ctx, i64 {word('results.count')}",
        "  %n = load i64, ptr %n.at",
    ],
    "  %x = item i64 %rows, %k": [
        "  %x.at = getelementptr i64, ptr %rows, i64 %k",
        "  %x = load i64, ptr %x.at",
    ],
    "  %x = field ptr %thing, $TYPE": [
        "  %x.at = getelementptr i8, ptr %thing, i64 8",
        "  %x = load ptr, ptr %x.at",
    ],
    "  %more = icmp slt i64 %k, $TYPE ? round : done": [
        "  %more = icmp slt i64 %k, 8",
        "  br i1 %more, label %round, label %done",
    ],
    "; Is it so? Yes : no.": ["; Is it so? Yes : no."],
    "  %x = load ptr, ptr %y": ["  %x = load ptr, ptr %y"],
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_stands_for_ir(line):
    assert expanded(f"entry:\n{line}\n", {"TYPE": 8}) == "\n".join(["entry:", *LINES[line], ""])
