"""The function that the user names, and its inputs."""

import argparse

import numpy as np
import pytest

import autograph as ag
from autograph.cli.failure import CommandError, Status
from autograph.cli.programs import add_target_arguments, bind, convert, refusals
from autograph.cli.specs import Argument, ArrayFile, Literal, Spec


def step(x, y=2):
    return x + y


def test_arguments_of_the_command():
    parser = argparse.ArgumentParser()
    add_target_arguments(parser, "float64[3]")
    found = parser.parse_args(["train:step", "--input", "1", "--input", "y=2"])
    assert (found.target, found.inputs) == ("train:step", ["1", "y=2"])


def test_a_callable_is_converted_once():
    function = convert(step)
    assert convert(function) is function and function(np.float64(1)) == 3


def test_inputs_are_bound_by_position_and_name(tmp_path):
    np.save(tmp_path / "x.npy", np.ones(3))
    array = Argument(None, ArrayFile(tmp_path / "x.npy"))
    positional, named = bind(step, [array, Argument("y", Literal(5))])
    assert positional[0].tolist() == [1, 1, 1] and named == {"y": 5}
    (spec,), _ = bind(step, [Argument(None, Spec(np.dtype("f4"), (3, None)))])
    assert isinstance(spec, ag.TensorSpec) and spec.shape == (3, None)


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "--input: missing a required argument: 'x'"),
    ([Argument("z", Literal(1))], "missing a required argument|unexpected keyword argument 'z'"),
    ([Argument("x", Literal(1)), Argument("x", Literal(2))], "--input: x is given twice"),
    ([Argument(None, Literal(k)) for k in range(3)], "too many positional arguments"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(CommandError, match=message):
        bind(step, arguments)


def test_files_that_hold_no_array_are_refused(tmp_path):
    (tmp_path / "text.npy").write_text("no array")
    np.save(tmp_path / "objects.npy", np.array([object()], dtype=object), allow_pickle=True)
    for name in ("text.npy", "objects.npy", "missing.npy"):
        with pytest.raises(CommandError, match=name):
            bind(step, [Argument(None, ArrayFile(tmp_path / name))])


def test_what_is_refused_or_raised_is_the_commands_error():
    with pytest.raises(CommandError, match="no") as caught, refusals():
        raise ag.StagingError("no", "")
    assert caught.value.status is Status.REFUSED
    with pytest.raises(CommandError, match="KeyError: 'w'.*--traceback") as caught, refusals():
        raise KeyError("w")
    assert caught.value.status is Status.REFUSED


@pytest.fixture
def batch(tmp_path):
    np.savez(tmp_path / "batch.npz", x=np.arange(3.0), y=2.0)
    return tmp_path / "batch.npz"


def test_arrays_of_one_file_go_by_their_names(batch):
    positional, named = bind(step, [Argument(None, ArrayFile(batch))])
    assert positional == [] and named["x"].tolist() == [0, 1, 2] and named["y"] == 2.0


def test_arrays_that_have_no_names_go_by_position(tmp_path):
    np.savez(tmp_path / "batch.npz", np.arange(3.0), 2.0)
    positional, named = bind(step, [Argument(None, ArrayFile(tmp_path / "batch.npz"))])
    assert positional[0].tolist() == [0, 1, 2] and positional[1] == 2.0 and named == {}


def test_one_array_of_a_file_is_named(batch, tmp_path):
    positional, named = bind(step, [Argument("x", ArrayFile(batch, "y"))])
    assert positional == [] and named == {"x": 2.0}
    np.savez(tmp_path / "one.npz", only=5.0)
    assert bind(step, [Argument("x", ArrayFile(tmp_path / "one.npz"))]) == ([], {"x": 5.0})
    assert set(bind(step, [Argument("x", ArrayFile(batch))])[1]["x"]) == {"x", "y"}


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (lambda file: Argument("x", ArrayFile(file, "yy")), "no 'yy', but x, y; did you mean y"),
        (lambda file: Argument(None, ArrayFile(file.parent / "no.npz")), "no.npz: No such file"),
    ],
)
def test_a_wrong_array_of_a_file_is_told(batch, argument, message):
    with pytest.raises(CommandError, match=message):
        bind(step, [argument(batch)])


def test_a_file_and_an_argument_of_one_name_are_told(batch):
    with pytest.raises(CommandError, match="x is given twice"):
        bind(step, [Argument(None, ArrayFile(batch)), Argument("x", Literal(1))])


@pytest.mark.parametrize("content", [b"PK\x03\x04 and no more", b"", b"text", b"\x93NUMPY"])
def test_a_damaged_file_is_told(content, tmp_path):
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(CommandError, match="bad.npz: "):
        bind(step, [Argument(None, ArrayFile(tmp_path / "bad.npz"))])
