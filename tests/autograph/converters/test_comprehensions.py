"""Comprehensions are made by the runtime, which is given them in two forms."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "list": (
        "[-a for a in x]",
        "ag__.list_comp(ag__.ld(x), lambda itr: [-ag__.ld(a) for a in itr])",
    ),
    "condition": (
        "[-a for a in x if a]",
        (
            "ag__.list_comp(ag__.ld(x), "
            "lambda itr: [-ag__.ld(a) for a in itr if ag__.truth(ag__.ld(a))], "
            "lambda itr, go: [go.when(lambda: ag__.ld(a), lambda: go.put(-ag__.ld(a))) "
            "for a in itr])"
        ),
    ),
    "dict": (
        "{a: b for a, b in x}",
        (
            "ag__.dict_comp(ag__.ld(x), lambda itr: {ag__.ld(a): ag__.ld(b) for a, b in itr}, "
            "lambda itr, go: [go.put((ag__.ld(a), ag__.ld(b))) for a, b in itr])"
        ),
    ),
    "nested": (
        "{b for a in x for b in a}",
        (
            "ag__.set_comp(ag__.ld(x), "
            "lambda itr: {ag__.ld(b) for a in itr for b in ag__.iterate(ag__.ld(a))}, "
            "lambda itr, go: [go.over(ag__.ld(a), lambda itr_1: [go.put(ag__.ld(b)) "
            "for b in itr_1]) for a in itr])"
        ),
    ),
    "conditions": (
        "{a: b for a in x if a if y for b in a if b}",
        (
            "ag__.dict_comp(ag__.ld(x), "
            "lambda itr: {ag__.ld(a): ag__.ld(b) for a in itr if ag__.truth(ag__.ld(a)) "
            "if ag__.truth(ag__.ld(y)) for b in ag__.iterate(ag__.ld(a)) "
            "if ag__.truth(ag__.ld(b))}, "
            "lambda itr, go: [go.when(lambda: ag__.both(lambda: ag__.ld(a), lambda: ag__.ld(y)), "
            "lambda: go.over(ag__.ld(a), lambda itr_1: [go.when(lambda: ag__.ld(b), "
            "lambda: go.put((ag__.ld(a), ag__.ld(b)))) for b in itr_1])) for a in itr])"
        ),
    ),
    "generator": (
        "(y for a in x)",
        "ag__.generator_exp(ag__.ld(x), lambda itr: (ag__.ld(y) for a in itr))",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, comprehensions", before) == after.strip()


def test_a_name_bound_in_it_is_bound_by_a_function():
    text = converted_by("names, comprehensions", "[a for a in x if (y := a)]")
    before, after = text.split("ag__.list_comp")
    assert "nonlocal y" in before and "return value" in before
    assert ":=" not in after and after.count("bind(ag__.ld(a))") == 2
