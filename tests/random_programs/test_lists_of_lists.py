"""Random programs with lists of lists and dicts of lists, of lengths that data gives.

Rows become longer one by one, are taken out, put back, sorted, gone through and summed, in branches,
loops and `try`. As graphs the programs are right, or refused.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, native_and_another

ROWS = """rows.append([v])
rows.append([v, v + 1, v * 2])
rows.append([])
rows.append(list(rows[k % len(rows)]))
rows.append([u for u in x if u > v])
rows[k % len(rows)].append(v)
rows[k % len(rows)].append(v)
rows[k % len(rows)].append(v * 2)
rows[-1].append(total)
rows[0].extend([v, v])
rows[k % len(rows)] = [v] * (k % 4)
rows[k % len(rows)] = rows[k % len(rows)][1:]
rows.insert(k % 3, [v, total])
rows.reverse()
rows = rows[1:] + [[v]]
rows = [row for row in rows if len(row) != 1] or [[v]]
rows = [row + [v] for row in rows[:3]]
rows = sorted(rows, key=len)
if len(rows) > 2: rows.pop()
if len(rows) > 2: rows.pop(0)
if len(rows) > 3: del rows[1]
if len(rows[-1]) > 1: rows[-1].pop()
if len(rows[0]) > 1: rows[0].pop(0)
if len(rows[0]) > 2: rows[0][1] = v
if len(rows[-1]) > 0: rows[-1][-1] += v"""
ROW = """row.append(v)
row.append(v)
row.append(total)
row = []
row = [v, total]
row = row[:]
if row: rows.append(row); row = []
if row: rows.append(row); row = [v]
if len(row) > k % 3: rows.append(row); row = []
rows.append(row); row = []
rows.append(row[:])
rows.append(row)
kept = row
kept = row[:]
row = kept
kept.append(v)
if kept: rows.append(kept); kept = [v]
row, kept = kept, row
if row: row.pop()
row = sorted(row)
total += len(row) - len(kept)
total += sum(row)
total += sum(kept)"""
GROUPS = """groups.setdefault(k % 3, []).append(v)
groups.setdefault(int(v) % 4, []).append(total)
groups[k % 3] = groups.get(k % 3, []) + [v]
groups[k % 5] = [v] * (k % 3)
groups.pop(k % 3, None)
if 1 in groups: groups[1].append(v)
if 2 in groups and len(groups[2]) > 1: groups[2].pop()"""
READ = """total += len(rows)
total += sum(rows[k % len(rows)])
total += sum(len(row) for row in rows)
total += max(len(row) for row in rows)
total += sum(row[0] for row in rows if row)
total += sum(sum(row) for row in rows)
total += len(groups)
total += sum(len(group) for group in groups.values())
total += sum(key * len(group) for key, group in groups.items())
total += len(groups.get(1, []))
for row in rows: total += len(row) * 0.5
for row in rows: total += sum(row[:2])
for group in groups.values(): total -= sum(group)"""
TESTS = (
    "v > 0;v > 2;k % 2;k % 3;len(rows) > 2;len(rows[0]) > 1;total > 3;1 in groups;len(groups) > 1"
)
STATE = ["total = 0.0", "rows = [[x[0]]]", "groups = {}", "k, v = n, x[0]", "row, kept = [], [v]"]
# What a program writes: mostly the list of lists, a dict of lists, or rows before they are put in.
THEMES = [(ROWS, ROWS, GROUPS, READ), (ROWS, GROUPS, GROUPS, READ), (ROW, ROW, READ)]


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.theme = self.draw.choice(THEMES)
        self.lines: list[str] = []

    def write(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    def one_of(self, *texts: str) -> str:
        return self.draw.choice("\n".join(texts).splitlines())

    def block(self, indent: int, depth: int, most: int) -> None:
        for _ in range(self.draw.randint(1, most)):
            if depth and self.draw.random() < 0.4:
                self.compound(indent, depth - 1)
            else:
                self.write(indent, self.one_of(*self.theme))

    def compound(self, indent: int, depth: int) -> None:
        way, test = self.draw.random(), self.draw.choice(TESTS.split(";"))
        if way < 0.5:
            self.write(indent, f"if {test}:")
            self.block(indent + 1, depth, 2)
            if self.draw.random() < 0.5:
                self.write(indent, "else:")
                self.block(indent + 1, depth, 2)
        elif way < 0.85:
            number = len(self.lines)
            self.write(indent, f"for i{number} in range(n % {self.draw.randint(2, 5)}):")
            self.block(indent + 1, depth, 2)
            self.write(indent + 1, "k += 1")
            if self.draw.random() < 0.3:
                self.write(indent + 1, f"if {test}: break")
        else:
            self.write(indent, "try:")
            self.block(indent + 1, depth, 1)
            self.write(indent + 1, f"total += rows[k][{self.draw.randint(0, 2)}]")
            self.write(indent, "except IndexError:")
            self.write(indent + 1, self.one_of("total -= 1.0", READ))

    def program(self) -> str:
        """The text of a function of an array and an int."""
        self.lines = ["def f(x, n):"]
        for line in STATE:
            self.write(1, line)
        self.write(1, "for v in x:")
        self.block(2, 2, 4)
        self.write(2, "k += 1")
        self.block(1, 2, 2)
        given = self.draw.choice(["rows, groups", "rows", "groups", "[len(row) for row in rows]"])
        self.write(1, f"return total, k, {given}")
        return "\n".join(self.lines) + "\n"


ARRAYS = np.array([[1.5, -2.0, 3.0, 0.5, 4.0], [-1.0, 2.5, -0.5, 5.0, 3.5]])
CASES = [(x, n) for x in ARRAYS for n in map(np.int64, (0, 1, 3, 6))]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(Writer(seed).program(), CASES, native_and_another(seed), seed)


test_lists_of_lists, test_lists_of_lists_at_length = blocks_of(
    is_answered_of, step=10, many=1000, share=0.5
)
