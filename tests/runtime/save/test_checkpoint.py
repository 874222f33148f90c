"""`Checkpoint`: the Variables of nested objects. Row B6.19."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import pytest

from runtime.errors import SavedProgramError
from runtime.save.checkpoint import Checkpoint
from runtime.variable import Variable


class Layer:
    def __init__(self, value: Any) -> None:
        self.w = Variable(np.full((2, 3), value), name="w")
        self.activation = np.tanh


class Slotted:
    __slots__ = ("b", "unset")

    def __init__(self) -> None:
        self.b = Variable(1)


Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class State:
    step: Any
    history: Any


class Model:
    def __init__(self, value: float = 1.0) -> None:
        self.layers = [Layer(value), Layer(value + 1)]
        self.again = self.layers[0]
        self.me = self
        self.table = {"a": Variable(value), 3: Pair(Variable(value, dtype="float32"), None)}
        self.state = State(Variable(0), (Variable([True]), Slotted()))


NAMES = [
    "model.layers[0].w",
    "model.layers[1].w",
    "model.table['a']",
    "model.table[3].left",
    "model.state.step",
    "model.state.history[0]",
    "model.state.history[1].b",
]


def content(model: Model) -> dict[str, Any]:
    return {name: v.numpy() for name, v in Checkpoint(model=model).variables().items()}


def test_variables_are_found_by_their_paths():
    assert list(Checkpoint(model=Model()).variables()) == NAMES


def test_values_come_back(tmp_path):
    path = tmp_path / "model.agc"
    Checkpoint(model=Model(5.0), other=Variable(2.5)).write(path)
    model, other = Model(), Variable(0.0)
    report = Checkpoint(model=model, other=other).restore(path)
    assert report.restored == (*NAMES, "other") and not report.missing and not report.unexpected
    assert type(other.numpy()) is np.float64 and other.numpy() == 2.5
    for name, value in content(Model(5.0)).items():
        np.testing.assert_array_equal(content(model)[name], value)


def test_a_chain_may_be_long(tmp_path):
    chain: Any = Variable(1.0)
    for _ in range(5000):
        chain = [chain]
    assert len(Checkpoint(chain=chain).variables()) == 1


def test_nothing_changes_when_something_does_not_fit(tmp_path):
    Checkpoint(model=Model(5.0), extra=Variable(1.0)).save(tmp_path / "m.agc")
    model = Model()
    model.table["a"] = Variable(np.zeros(2))
    model.state.step = Variable(1.0)
    model.new = Variable(1.0)
    before = content(model)
    with pytest.raises(ValueError) as caught:
        Checkpoint(model=model).restore(tmp_path / "m.agc")
    assert str(caught.value).splitlines()[1:] == [
        "  model.new: it is not in the file",
        "  extra: only the file has it",
        "  model.table['a']: expected float64[2], found float64[]",
        "  model.state.step: expected float64[], found int64[]",
    ]
    for name, value in content(model).items():
        np.testing.assert_array_equal(before[name], value)


def test_a_part_can_be_restored(tmp_path):
    Checkpoint(model=Model(5.0)).save(tmp_path / "m.agc")
    model = Model()
    model.new = Variable(1.0)
    del model.layers[1]
    report = Checkpoint(model=model).read(tmp_path / "m.agc", partial=True)
    assert report.missing == ("model.new",) and report.unexpected == ("model.layers[1].w",)
    assert model.layers[0].w.numpy()[0, 0] == 5.0


def test_variables_that_have_no_path_are_refused():
    with pytest.raises(TypeError, match=r"model\['s'\]: variable 'v' is in a set"):
        Checkpoint(model={"s": {Variable(1.0, name="v")}}).variables()
    with pytest.raises(TypeError, match="name the objects"):
        Checkpoint()


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"PK\x05\x06 not a zip")
    with pytest.raises(SavedProgramError, match="not a zip file"):
        Checkpoint(v=Variable(1.0)).restore(tmp_path / "x")
    with pytest.raises(FileNotFoundError):
        Checkpoint(v=Variable(1.0)).restore(tmp_path / "nothing")
