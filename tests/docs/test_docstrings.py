"""Every public name says what it is, with an example; every example in a docstring is true."""

import doctest
import importlib
import inspect
import io
import pkgutil
from importlib.util import find_spec

import numpy as np
import pytest

import autograph
import autograph as ag
import runtime.ops

NAMESPACES = {
    "autograph": ag,
    "fft": ag.fft,
    "linalg": ag.linalg,
    "nn": ag.nn,
    "image": ag.image,
    "debugging": ag.debugging,
    "directives": ag.directives,
    "random": ag.random,
    "special": ag.special,
}
PUBLIC = {
    f"{space}.{name}": getattr(module, name)
    for space, module in NAMESPACES.items()
    for name in getattr(module, "__all__", ())
}
# They are NumPy's own.
DTYPES = {name for name, x in PUBLIC.items() if isinstance(x, type) and issubclass(x, np.generic)}
MODULES = sorted(
    module.name
    for package in (autograph, runtime)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


def run(name, text, namespace):
    test = doctest.DocTestParser().get_doctest(
        text, {"ag": ag, "np": np, **namespace}, name, None, 0
    )
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.write)
    assert not runner.failures, report.getvalue()


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - DTYPES))
def test_a_public_name_has_a_docstring_with_an_example_that_is_true(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert text.strip(), f"{name} has no docstring"
    assert text.strip()[0] != ">", f"the docstring of {name} begins with its example"
    assert ">>>" in text, f"the docstring of {name} has no example"
    run(name, text, {})


def _public(name):
    """What `ag` is in the examples of a module: internal ops are in no public namespace."""
    return runtime.ops if name.startswith("runtime.ops.") else ag


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name):
    if ".keras" in name and find_spec("keras") is None:
        pytest.skip("needs the extra `keras`")
    module = importlib.import_module(name)
    for found in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if found.examples:
            run(found.name, found.docstring, {"ag": _public(name), **vars(module)})


@pytest.mark.parametrize(
    "cls",
    [
        ag.Tensor,
        ag.Variable,
        ag.TensorSpec,
        ag.GradientTape,
        ag.Function,
        ag.ConcreteFunction,
        ag.random.Generator,
    ],
    ids=lambda cls: cls.__name__,
)
def test_the_methods_of_a_public_class_have_docstrings(cls):
    public = [name for name in dir(cls) if not name.startswith("_")]
    bare = [name for name in public if not inspect.getdoc(inspect.getattr_static(cls, name))]
    data = {"shape", "dtype", "name", "array_class", "constraint"}
    assert not set(bare) - data, bare
