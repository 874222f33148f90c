"""The function that the user names: `MODULE:FUNCTION`, or a file that `save` wrote."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import autograph as ag
from autograph.cli.failure import CommandError, in_one_line, suggestion

__all__ = ["load_target"]

SAVED = ".agz"


def load_target(text: str) -> Callable[..., Any]:
    """The callable called `text`: `train:step`, `train.py:step`, `train:Model.step`, `step.agz`.

    A file that ends in `.agz` is a saved program; nothing is imported for it. Else the module is
    imported, with its folder on the search path as `python` has it. A method is that of an object
    which its class makes without arguments. Raises CommandError when there is no such module or
    function, and for what the module's own code raises.
    """
    if text.endswith(SAVED):
        return _load_program(text)
    module_name, separator, path = text.rpartition(":")
    if not (separator and module_name and path):
        raise CommandError(
            f"{text!r} is not MODULE:FUNCTION, such as train:step or train.py:step, "
            f"nor a {SAVED} file"
        )
    target: Any = _load_module(module_name)
    for name in path.split("."):
        owner, target = target, _attribute(target, name, text)
        if _is_method(owner, name):
            target = getattr(_object_of(owner, name, text), name)
    if not callable(target):
        raise CommandError(f"{text} is no function but {type(target).__name__}")
    return target  # type: ignore[no-any-return]


def _load_program(path: str) -> ag.Program:
    try:
        return ag.load(path)
    except ag.SavedProgramError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error


def _attribute(owner: object, name: str, text: str) -> object:
    try:
        return getattr(owner, name)
    except AttributeError:
        hint = suggestion(name, (known for known in dir(owner) if not known.startswith("_")))
        raise CommandError(f"{text}: there is no {name!r}{hint}") from None


def _is_method(owner: object, name: str) -> bool:
    """Whether it is one that needs an object: neither a static method nor one of the class."""
    if not isinstance(owner, type):
        return False
    declared = inspect.getattr_static(owner, name)
    return isinstance(declared, (FunctionType, ag.Function))


def _object_of(owner: type, name: str, text: str) -> object:
    """An object of a class, for its method."""
    try:
        inspect.signature(owner).bind()
    except (TypeError, ValueError) as error:
        raise CommandError(
            f"{text}: a method needs an object, and {owner.__name__}() cannot make one: {error}; "
            f"make one in the module, `model = {owner.__name__}(...)`, and name model.{name}"
        ) from error
    with in_one_line():
        made: object = owner()
    return made


def _load_module(name: str) -> ModuleType:
    with in_one_line():
        try:
            if name.endswith(".py"):
                return _import_file(Path(name))
            _search_first(Path.cwd())
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and f"{name}.".startswith(f"{error.name}."):
                raise CommandError(f"{name}: there is no module {error.name!r}") from error
            raise


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise CommandError(f"{path}: no such file")
    _search_first(path.resolve().parent)
    # A file called as a module that is in use, `random.py`, must not stand in its place.
    name = path.stem if path.stem not in sys.modules else f"autograph_run_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        error.filename = error.filename or str(path)  # of bytes that are no text
        raise
    return module


def _search_first(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
