"""What the namespaces of `autograph.tf` list, and what they answer for other names."""

import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
import autograph.tf as tf
from autograph.tf import unserved


@pytest.mark.parametrize(
    ("space", "name", "advice"),
    [
        (tf, "layers", "tf.keras.layers"),
        (tf, "reduce_std", r"tf\.math\.reduce_std"),
        (tf, "nanmean", r"ag\.nanmean"),
        (tf, "reduce_summ", "reduce_sum"),
        (tf, "Session", "call functions"),
        (tf.math, "expp", "exp"),
        (tf.nn, "ctc_loss", "not served"),
        (tf.config, "threads", "not served; there is threading"),
        (tf, "summary", "not served: nothing is written for TensorBoard"),
        (tf, "io", r"np\.load"),
        (tf, "matmlu", "not served; there is matmul$"),
        (tf, "conv2d", r"use tf\.nn\.conv2d$"),
        (tf.nn, "matmul", r"use tf\.matmul$"),
        (tf, "set_random_seed", r"use tf\.random\.set_seed$"),
        (tf.image, "decode_png", "Pillow"),
        (tf, "cosine", r"not served; docs/guide/tensorflow\.md"),
        (tf, "RegisterGradient", r"tf\.custom_gradient gives a function its gradient"),
        (tf, "no_gradient", r"tf\.stop_gradient none"),
        (tf, "py_function", r"ag\.py_call"),
        (tf, "SparseTensor", "tensors are dense"),
    ],
)
def test_a_name_that_is_not_served_says_what_is(space, name, advice):
    with pytest.raises(AttributeError, match=advice):
        getattr(space, name)


SERVED = re.compile(r"\b(tf|ag)((?:\.\w+)+)")


def test_what_is_named_in_the_place_of_another_is_there():
    text = "\n".join([*unserved.MEANINGS.values(), *unserved.RENAMED.values()])
    for space, path in SERVED.findall(text):
        found = {"tf": tf, "ag": ag}[space]
        for part in path.split(".")[1:]:
            found = getattr(found, part)
    for page in re.findall(r"docs/\S+\.md", text):
        assert (Path(__file__).parents[3] / page).exists()


def test_what_has_another_name_or_none_is_not_served():
    for name in {*unserved.MEANINGS, *unserved.RENAMED}:
        *spaces, last = name.split(".")
        space = getattr(tf, spaces[0]) if spaces else tf
        assert last not in space.__all__, name
        with pytest.raises(AttributeError, match="not served[:;]"):
            getattr(space, last)


SPACES = [tf, *(getattr(tf, n) for n in tf.__all__ if inspect.ismodule(getattr(tf, n)))]
by_name = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)


@by_name
def test_every_name_says_what_it_is(space):
    for name in space.__all__:
        thing = getattr(space, name)
        assert not callable(thing) or thing.__doc__, name


@by_name
def test_a_namespace_lists_its_names_and_no_others(space):
    assert dir(space) == sorted(space.__all__)
    assert not any(name.startswith("_") for name in space.__all__)


@pytest.mark.parametrize("space", [tf, tf.math, tf.nn, tf.linalg], ids=lambda s: s.__name__)
def test_a_table_of_names_holds_nothing_else_but_its_own_modules(space):
    others = {n for n in vars(space) if not n.startswith("_")} - {*space.__all__}
    assert others <= {module.name for module in pkgutil.iter_modules(space.__path__)}


TEXT = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("*.py")))


@by_name
def test_every_name_is_asked_for_by_a_test(space):
    spellings = {}
    for other in SPACES:
        prefix = other.__name__.removeprefix("autograph.")
        for name in other.__all__:
            spellings.setdefault(id(getattr(other, name)), []).append(f"{prefix}.{name}")
    left = [
        name
        for name in space.__all__
        if not any(re.search(rf"\b{s}\b", TEXT) for s in spellings[id(getattr(space, name))])
    ]
    assert not left, f"no test of this folder has {', '.join(left)}"


def test_a_namespace_that_waits_is_there_when_it_is_asked_for():
    program = (
        "import sys, autograph.tf as tf\n"
        "assert 'autograph.tf.train' not in sys.modules and 'train' in dir(tf)\n"
        "assert tf.train.Checkpoint.__module__ == 'autograph.tf.train'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
