"""What kernels ask of the array module is what CuPy has, read off the code without CuPy."""

from __future__ import annotations

import ast
from pathlib import Path

import runtime
from tests.devices.disguised import _TABLE, FarArray

FILES = sorted(Path(runtime.__file__).parent.rglob("*.py"))


def names_of_the_array_module(tree):
    """Dotted names after `xp.`, where the code is not for NumPy alone."""
    inner = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts = []
            here = node
            while isinstance(here, ast.Attribute):
                parts.append(here.attr)
                here = here.value
            if isinstance(here, ast.Name) and here.id == "xp":
                yield ".".join(reversed(parts))


def is_in_cupy(name):
    """Whether CuPy has a function, a method of a ufunc, or a module's function of that name."""
    space, _, last = name.rpartition(".")
    if last in _TABLE.get(space, ()):
        return True
    return _TABLE[""].get(space) == "ufunc" and last in _TABLE["ufunc"]


def test_cupy_has_the_names_that_kernels_use():
    texts = [path.read_text() for path in FILES if "devices" not in path.parts]
    trees = [ast.parse(text) for text in texts if "xp." in text]
    names = {name for tree in trees for name in names_of_the_array_module(tree)}
    # The first is in the model of a kernel, the last is asked for by `hasattr`.
    assert {n for n in names if not is_in_cupy(n)} <= {"function", "ndarray", "vecdot"}
    assert len(names) > 100


def test_only_one_module_imports_cupy():
    named = [p.name for p in FILES if '"cupy"' in p.read_text() or "import cupy" in p.read_text()]
    assert named == ["cuda.py"]


def test_the_disguise_has_no_special_method_that_cupy_lacks():
    ours = {n for n in vars(FarArray) if n.startswith("__")}
    assert ours - set(_TABLE["special methods"]) <= {
        "__module__", "__slots__", "__weakref__", "__firstlineno__", "__static_attributes__",
        "__imatmul__", "__getattr__",
    }  # fmt: skip
