"""Specs and other inputs as text."""

from pathlib import Path

import pytest

from autograph.cli.failure import CommandError
from autograph.cli.specs import Argument, ArrayFile, Literal, Spec, parse_argument, parse_spec


@pytest.mark.parametrize(
    ("text", "dtype", "shape"),
    [
        ("f32[3,4]", "float32", (3, 4)),
        ("f64[?,4]", "float64", (None, 4)),
        ("i64[]", "int64", ()),
        ("bool[0]", "bool", (0,)),
        (" c128 [ 2 , ? ] ", "complex128", (2, None)),
        ("float16[1]", "float16", (1,)),
        ("u8[...]", "uint8", None),
    ],
)
def test_a_spec_gives_dtype_and_shape(text, dtype, shape):
    assert parse_spec(text) == Spec(dtype, shape)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f32", "not a spec"),
        ("f32[3", "not a spec"),
        ("f32[3]]", "not a spec"),
        ("q7[3]", "unknown dtype 'q7'.*known are bool, i8"),
        ("flat32[3]", "did you mean float32"),
        ("[3]", "unknown dtype ''"),
        ("f32[-1]", "size '-1'"),
        ("f32[3,]", "size ''"),
        ("f32[n]", "size 'n' is neither a number nor"),
        ("f32[²]", "size '²'"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(text, words):
    with pytest.raises(CommandError, match=words):
        parse_spec(text)


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("f32[2]", Argument(None, Spec("float32", (2,)))),
        ("x=f32[2]", Argument("x", Spec("float32", (2,)))),
        ("x = data/x.npy", Argument("x", ArrayFile(Path("data/x.npy")))),
        ("a=b/x.npy", Argument("a", ArrayFile(Path("b/x.npy")))),
        ("all.npz", Argument(None, ArrayFile(Path("all.npz")))),
        ("x=b/all.npz:part.0", Argument("x", ArrayFile(Path("b/all.npz"), "part.0"))),
        ("n=3", Argument("n", Literal(3))),
        ("-1.5", Argument(None, Literal(-1.5))),
        ("[1, 2]", Argument(None, Literal([1, 2]))),
        ("mode='a=b'", Argument("mode", Literal("a=b"))),
        ("'a=b'", Argument(None, Literal("a=b"))),
        ("{'a': (1, None)}", Argument(None, Literal({"a": (1, None)}))),
    ],
)
def test_an_argument_is_a_spec_a_file_or_a_python_value(text, argument):
    assert parse_argument(text) == argument


@pytest.mark.parametrize("text", ["x=three", "x=", "x=f(3)", "x==3"])
def test_an_argument_that_is_none_of_them_is_an_error(text):
    with pytest.raises(CommandError, match="neither a spec"):
        parse_argument(text)
