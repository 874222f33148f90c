"""Calls go through the runtime."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "positional": (
        "x(y, *x)",
        "ag__.converted_call(ag__.ld(x), (ag__.ld(y), *ag__.ld(x)), None, fscope)",
    ),
    "keywords": (
        "x(a=y, **y)",
        "ag__.converted_call(ag__.ld(x), (), dict(a=ag__.ld(y), **ag__.named(ag__.ld(y))), fscope)",
    ),
    "method": (
        "x.m()",
        "ag__.converted_call(ag__.getattr_(ag__.ld(x), 'm'), (), None, fscope)",
    ),
    "shadowed dict": (
        """
dict = x
y(a=1)
""",
        """
dict = ag__.ld(x)
ag__.converted_call(ag__.ld(y), (), (lambda **keywords_: keywords_)(a=1), fscope)
""",
    ),
    "locals": (
        "locals()",
        "ag__.frame_call(ag__.ld(locals), (), None, fscope, {'x': lambda: x, 'y': lambda: y})",
    ),
    "eval": (
        "eval(x)",
        (
            "ag__.frame_call(ag__.ld(eval), (ag__.ld(x),), None, fscope, {'x': lambda: x, "
            "'y': lambda: y})"
        ),
    ),
    "vars of something": (
        "vars(x)",
        "ag__.converted_call(ag__.ld(vars), (ag__.ld(x),), None, fscope)",
    ),
    "debugger": (
        "breakpoint()",
        "ag__.debugger(breakpoint)()",
    ),
    "debugger of pdb": (
        "pdb.set_trace(header=x)",
        "ag__.debugger(pdb.set_trace)(header=x)",
    ),
    "super outside a class": (
        "super()",
        "ag__.converted_call(ag__.ld(super), (), None, fscope)",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("names, calls", before) == after.strip()
