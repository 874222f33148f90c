"""MODULE:FUNCTION to the callable."""

import sys

import pytest

from autograph.cli.failure import CommandError
from autograph.cli.targets import load_target

TRAIN = """
import neighbour_of_train

SIZE = 3

def step(x):
    return x + neighbour_of_train.ONE

class Model:
    weight = 3

    @staticmethod
    def step(x):
        return x + 10

    def scaled(self, x):
        return x * self.weight

    @classmethod
    def named(cls, x):
        return cls.__name__

    class Part:
        def half(self, x):
            return x / 2

class Needy(Model):
    def __init__(self, weight):
        self.weight = weight

class Odd(Model):
    def __init__(self):
        self.weight = {}["weight"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "train_a.py").write_text(TRAIN)
    (tmp_path / "random.py").write_text("def draw():\n    return 4\n")
    (tmp_path / "neighbour_of_train.py").write_text("ONE = 1\n")
    (tmp_path / "broken_a.py").write_text("def f(:\n")
    (tmp_path / "no_text_a.py").write_bytes(bytes(9))
    (tmp_path / "needy_a.py").write_text("import not_installed_anywhere\n")
    (tmp_path / "failing_a.py").write_text("def f(x):\n    return 1 / x\n\nf(0)\n")
    (tmp_path / "leaving_a.py").write_text("raise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def test_a_module_of_the_current_folder(folder):
    assert load_target("train_a:step")(1) == 2


def test_a_file_finds_its_neighbours(folder, monkeypatch):
    monkeypatch.chdir("/")
    assert load_target(f"{folder}/train_a.py:step")(1) == 2


def test_a_method_by_its_dotted_name(folder):
    assert load_target("train_a.py:Model.step")(1) == 11


def test_a_method_is_that_of_an_object_that_its_class_makes(folder):
    assert load_target("train_a:Model.scaled")(2) == 6
    assert load_target("train_a:Model.named")(2) == "Model"
    assert load_target("train_a:Model.Part.half")(2) == 1


def test_a_file_named_as_a_module_in_use_does_not_replace_it(folder):
    import random

    assert load_target("random.py:draw")() == 4
    assert sys.modules["random"] is random


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("train_a", "not MODULE:FUNCTION"),
        ("train_a:", "not MODULE:FUNCTION"),
        (":step", "not MODULE:FUNCTION"),
        ("train_a:stp", "no 'stp'; did you mean step"),
        ("train_a:Model.stop", "no 'stop'; did you mean step"),
        ("train_a:SIZE", "is no function but int"),
        ("train_a:Needy.scaled", r"Needy\(\) cannot make one: missing a required argument"),
        ("train_a:Odd.scaled", r"train_a.py:\d+: KeyError: 'weight' \(--traceback"),
        ("needy_a:f", r"needy_a.py:1: ModuleNotFoundError: No module named 'not_installed"),
        ("failing_a:f", r"failing_a.py:2: ZeroDivisionError: division by zero \(--traceback"),
        ("failing_a.py:f", r"failing_a.py:2: ZeroDivisionError: division by zero \(--traceback"),
        ("leaving_a:f", r"leaving_a.py:1: SystemExit: 3 \(--traceback"),
        ("no_such_module:f", "there is no module 'no_such_module'"),
        ("no_such_file.py:f", "no_such_file.py: no such file"),
        ("broken_a:f", r"broken_a.py:1: invalid syntax"),
        ("broken_a.py:f", r"broken_a.py:1: invalid syntax"),
        ("no_text_a.py:f", r"^no_text_a.py: source code string cannot contain null bytes"),
    ],
)
def test_a_wrong_target_says_what_is_wrong(folder, text, words):
    with pytest.raises(CommandError, match=words):
        load_target(text)
