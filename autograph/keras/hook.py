"""How released Keras comes to our backend: an import hook.

Keras chooses a backend by its name, in branches at the top of a few modules (`elif backend() ==
"numpy": from keras.src.backend.numpy import *`). While these modules are imported, they get one
branch more; and `keras.src.backend.autograph`, which it imports, is `autograph.keras.backend`. No
file of Keras is changed. Keras reads the name in the environment, where it stands for that moment
alone: programs that this one starts may have another backend. With another backend, as after
`keras.config.set_backend`, nothing is changed.

The classes of Keras that users derive from, or give functions to, come to know of their code when
they are made (`autograph.keras.users`). Shapes come to know of sizes that a graph does not know
(`autograph.keras.sizes`), models of saved programs (`autograph.keras.programs`).
"""

from __future__ import annotations

import ast
import copy
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from autograph import rules
from autograph.keras.programs import OF_PROGRAMS
from autograph.keras.sizes import OF_SIZES
from runtime.process.later import later
from runtime.tensor import tell_none

__all__ = ["install"]

NAME = "autograph"
_VARIABLE = "KERAS_BACKEND"
_CONFIGURATION = "keras.src.backend.config"
_SERVED = f"keras.src.backend.{NAME}"
_OURS = "autograph.keras.backend"
# Keras imports it where it takes our backend.
_TAKEN = f"{_OURS}.names"
_USERS = "autograph.keras.users"
# The modules of Keras that choose by the name of the backend what they import.
_CHOOSING = frozenset((
    "keras.src.backend", "keras.src.layers.layer", "keras.src.models.model",
    "keras.src.export.saved_model", "keras.src.utils.backend_utils",
))  # fmt: skip
# The backend whose branches ours are made like.
_MODEL = "numpy"


def install() -> None:
    """Serve the backend to Keras, and make it the one that Keras takes.

    Raises ImportError where Keras is not installed, or is there already with another backend.
    """
    loaded = sys.modules.get("keras.src.backend")
    if loaded is not None:
        if loaded.backend() != NAME:
            raise ImportError(
                f"keras was imported before, with its backend {loaded.backend()!r}: write `import "
                "autograph.keras` before `import keras`"
            )
        return
    if PathFinder.find_spec("keras") is None:
        raise ImportError("Keras is not installed: pip install 'autograph-numpy[keras]'")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    # What Keras does with tensors is traced as it is; of sizes it expects numbers and None.
    rules.add(rules.Rule("keras", convert=False))
    tell_none("keras")


def _told() -> dict[str, dict[str, Callable[[Any], Any]]]:
    """By module of Keras, what its classes come to know; it needs the compiler, as Keras does."""
    return {**later(_USERS).OF_USERS, **OF_PROGRAMS, **OF_SIZES}


class _Finder:
    """What Python asks for modules."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == _SERVED or name.startswith(f"{_SERVED}."):
            alias: Any = _Alias()
            return ModuleSpec(name, alias, is_package=name == _SERVED)
        if not name.startswith("keras.src.") or not _is_ours():
            return None
        kind = _kind_of(name)
        if kind is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = kind(name, spec.loader.path)
        return spec


def _is_ours() -> bool:
    """Whether Keras has our backend, or none so far."""
    chosen = getattr(sys.modules.get(_CONFIGURATION), "backend", None)
    return chosen is None or chosen() == NAME


def _kind_of(name: str) -> type[SourceFileLoader] | None:
    """What loads a module of Keras, where it is to be another than Python's."""
    if name == _CONFIGURATION:
        # Keras that is imported anew takes the backend that the environment has by then.
        return None if _TAKEN in sys.modules else _Configuring
    if name in _CHOOSING:
        return _Choosing
    return _Telling if name in _told() else None


class _Configuring(SourceFileLoader):
    """Has Keras read the name of our backend in the environment, and leaves that as it was."""

    def exec_module(self, module: ModuleType) -> None:
        before = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = NAME
        try:
            super().exec_module(module)
        finally:
            if before is None:
                del os.environ[_VARIABLE]
            else:
                os.environ[_VARIABLE] = before


class _Alias:
    """Gives a module of ours for a name in Keras."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Nothing of its own."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if name == _SERVED and _TAKEN in sys.modules:
            raise ImportError(
                f"the backend {NAME!r} is part of the Keras that was imported first: another "
                "Keras takes it in another process only"
            )
        part = name.removeprefix(_SERVED) or ".names"
        sys.modules[name] = importlib.import_module(_OURS + part)


class _Telling(SourceFileLoader):
    """Has the classes of a module know of the user's code."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        for name, take in _told().get(module.__name__, {}).items():
            setattr(module, name, take(getattr(module, name)))


class _Choosing(_Telling):
    """Compiles a module of Keras with the branch for our backend; keeps no compiled file."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self._compiled(self.get_data(path), path)

    def _compiled(self, data: bytes, path: str) -> CodeType:
        tree = ast.parse(data, path)
        chooser = _Branches()
        tree = chooser.visit(tree)
        if not chooser.count:
            raise ImportError(
                f"{path} does not choose a backend as Keras 3.15 and 3.16 do: this release of "
                "Keras is not supported"
            )
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code


class _Branches(ast.NodeTransformer):
    """Puts a branch for our backend before each branch for NumPy's, which it is made like."""

    def __init__(self) -> None:
        self.count = 0

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if not _is_of_numpy(node.test):
            return node
        self.count += 1
        body = [_Renamed().visit(copy.deepcopy(statement)) for statement in node.body]
        test = _Renamed().visit(copy.deepcopy(node.test))
        return ast.copy_location(ast.If(test, body, [node]), node)


def _is_of_numpy(test: ast.expr) -> bool:
    """Whether a test is `... == "numpy"`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return any(isinstance(x, ast.Constant) and x.value == _MODEL for x in test.comparators)


class _Renamed(ast.NodeTransformer):
    """Speaks of our backend instead of NumPy's: names of modules, of classes, and text."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if node.value == _MODEL:
            node.value = NAME
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        node.module = (node.module or "").replace(f"backend.{_MODEL}", f"backend.{NAME}")
        for one in node.names:
            one.name = one.name.replace(_MODEL.title(), NAME.title())
        return node
