"""The Python files that the user names: a file, a folder, or a module by its dotted name."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from autograph.cli.failure import CommandError

__all__ = ["SourceFile", "find_file", "find_files"]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A Python file, and where it stands below the output folder."""

    path: Path
    place: Path


def find_files(name: str) -> list[SourceFile]:
    """Every Python file of the file, folder or module called `name`, in a stable order.

    The place of a package's file begins with the package's name, so that the output folder can be
    put on the module search path; a plain folder's files stand at the top.
    """
    path = _locate(name)
    if path.is_file():
        return [SourceFile(path, Path(path.name))]
    if not path.is_dir():
        raise CommandError(f"{name}: it is no regular file, nor a folder")
    root = path.resolve().parent if (path / "__init__.py").exists() else path.resolve()
    files = [
        SourceFile(file, file.resolve().relative_to(root)) for file in sorted(path.rglob("*.py"))
    ]
    if not files:
        raise CommandError(f"{name}: the folder holds no Python file")
    return files


def find_file(name: str) -> SourceFile:
    """The one Python file called `name`. Raises CommandError for a folder."""
    files = find_files(name)
    if _locate(name).is_dir():
        raise CommandError(f"{name} is a folder of {len(files)} files; name one of them")
    return files[0]


def _locate(name: str) -> Path:
    path = Path(name)
    if name and path.exists():
        return path
    if path.suffix == ".py" or len(path.parts) != 1:
        raise CommandError(f"{name}: no such file or folder")
    return _locate_module(name)


def _locate_module(name: str) -> Path:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        if getattr(error, "name", None) != name:  # else its parent is no package
            raise CommandError(f"{name}: {error}") from error
        spec = None
    if spec is None:
        raise CommandError(f"{name}: no such file, folder or module")
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    # A module that is frozen into the interpreter knows the file that it was made from.
    origin = getattr(spec.loader_state, "filename", None) or spec.origin
    if origin is None or not origin.endswith(".py"):
        raise CommandError(f"{name}: the module has no Python source ({spec.origin})")
    return Path(origin)
