"""The tables of docs/guide/limits.md are true: each program in them becomes what its row says."""

import ast
import linecache
import re

import numpy as np
import pytest

import autograph as ag
from tests.docs.snippets import ROOT, working_folder

PAGE = ROOT / "docs" / "guide" / "limits.md"
TABLE = re.compile(r"^\| you write \| it runs as \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
OUTCOMES = ("native", "native, calls Python", "plan", "host", "refused")
# What the programs of the tables are called with, as the page says.
ARGUMENTS = {
    "x": np.array([2.0, -1.0, 3.0]),
    "y": np.array([0.5, 0.25, 1.0]),
    "m": np.eye(3),
    "n": np.int64(3),
    "i": np.int64(1),
    "words": np.array(["a", "b"]),
}
MODULE = """
import heapq, json, logging, math, os, random, time
from collections import Counter, deque, defaultdict
from dataclasses import dataclass

import numpy as np
import scipy.optimize, scipy.special, scipy.spatial
import autograph as ag


class Point:
    def __init__(self, at):
        self.at = at


class Money:
    def __radd__(self, other):
        return self


def positive(x):
    for v in x:
        if v > 0:
            yield v


def factorial(k):
    return 1 if k < 2 else k * factorial(k - 1)


log = []


def program({names}):
"""


def rows(text):
    """The programs of each row of the tables, each a text, and what the row says that they are."""
    for table in TABLE.findall(text):
        for line in table.splitlines():
            cell, outcome = line.strip("| ").split(" | ")[:2]
            spans = re.findall(r"`([^`]+)`", cell)
            are_expressions = all(map(_is_expression, spans))
            for program in spans if are_expressions else ["\n".join(spans)]:
                yield program, outcome


def _is_expression(span):
    try:
        ast.parse(span, mode="eval")
    except SyntaxError:
        return False
    return True


def source(program):
    """A module whose last function does what a cell of a table has, and gives back all of it."""
    body = ast.parse(program).body
    named = {node.id for node in ast.walk(ast.parse(program)) if _is_bound(node)}
    lines = [ast.unparse(node) for node in body if not isinstance(node, ast.Expr)]
    results = [ast.unparse(node) for node in body if isinstance(node, ast.Expr)] + sorted(named)
    lines.append(f"return {', '.join(results) or None}")
    text = "\n".join(lines)
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return MODULE.format(names=", ".join(arguments(program))).lstrip() + indented


def arguments(program):
    """Those that the program names, with their values."""
    named = {node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)}
    return {name: value for name, value in ARGUMENTS.items() if name in named}


def _is_bound(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def outcome(program):
    """What a program becomes, by what `explain` tells of it."""
    text = source(program)
    name = "limits_program.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"__name__": "limits_program"}
    exec(compile(text, name, "exec"), namespace)
    try:
        told = ag.explain(namespace["program"], *arguments(program).values())
    except ag.StagingError:
        return "refused"
    if "by the host" in told:
        return "host"
    if "runs as a plan" in told:
        return "plan"
    return "native, calls Python" if "native code calls" in told else "native"


ROWS = list(rows(PAGE.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("program", "expected"), ROWS, ids=[program for program, _ in ROWS])
def test_a_program_becomes_what_its_row_says(program, expected):
    assert expected in OUTCOMES
    with working_folder():
        assert outcome(program) == expected


def test_the_table_has_each_outcome():
    assert {expected for _, expected in ROWS} == set(OUTCOMES)


@pytest.mark.parametrize(
    ("program", "last"),
    [
        ("x[i]", "    return x[i]\n"),
        ("total = 0.0\nfor v in x: total += v", "    return total, v\n"),
        ("x[i] = 1.0", "    return None\n"),
    ],
)
def test_a_program_gives_back_what_it_computes(program, last):
    assert source(program).endswith(last)
