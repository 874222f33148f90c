"""The order of the converters, and what they take."""

import gast
import pytest

from autograph.analysis import Need
from autograph.converters.pipeline import FLOW, PIPELINE, handlers_of, lambda_scope

NAMES = [converter.name for converter in PIPELINE]


def test_each_converter_is_there_once_and_says_why_it_stands_where_it_does():
    assert len(set(NAMES)) == len(NAMES)
    assert all(converter.reason for converter in PIPELINE)


@pytest.mark.parametrize(("first", "second"), [
    ("directives", "jumps"), ("matches", "jumps"), ("jumps", "names"), ("names", "calls"),
    ("branches", "exceptions"), ("loops", "exceptions"), ("matches", "chains"), ("jumps", "chains"),
])  # fmt: skip
def test_what_must_come_before_what(first, second):
    assert NAMES.index(first) < NAMES.index(second)


def test_rewrites_of_statements_come_before_the_one_walk():
    lowering = [converter.lower is not None for converter in PIPELINE]
    assert lowering == sorted(lowering, reverse=True)


def test_no_two_converters_take_one_class_of_node():
    for kind in ("expressions", "statements"):
        taken = [node for converter in PIPELINE for node in getattr(converter, kind)]
        assert len(set(taken)) == len(taken)


def test_every_compound_statement_is_taken():
    statements = handlers_of(PIPELINE).statements
    for node in (gast.If, gast.While, gast.For, gast.With, gast.Try, gast.FunctionDef, gast.Assert):
        assert node in statements
    assert gast.Match not in statements  # `matches` made branches of it before


def test_staged_statements_declare_that_they_need_to_know_what_is_live():
    for converter in PIPELINE:
        staged = {gast.If, gast.While, gast.For, gast.Try} & set(converter.statements)
        assert not staged or converter.needs == FLOW
        assert Need.BOUND in converter.needs


def test_a_part_of_the_pipeline_is_one():
    (names,) = (c for c in PIPELINE if c.name == "names")
    assert set(handlers_of([names]).expressions) == set(names.expressions)


def test_the_scope_of_a_lambda_has_a_fresh_name():
    assert lambda_scope(gast.parse("lambda x: x").body[0].value) == "fscope"
    assert lambda_scope(gast.parse("lambda fscope: fscope").body[0].value) == "fscope_1"
