"""Converted functions, kept in the folder of compiled code: another process converts nothing.

What is kept is the bytecode of the converted function, under a key of all that conversion looks at:
the text of the function and where it stands, the names of its closure and those that its module
gives built-ins, the options, this Python, and the files of the converters and of `gast`. Loading it
is executing it, as with native code: the folder is the user's own, and a file counts only if it
holds its key and the digest of its content.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from types import CodeType

from autograph.generated import Options
from autograph.syntax.source import Source
from runtime import config
from runtime.execute.native.cache import digest, store
from runtime.execute.native.versions import version

__all__ = ["find", "keep", "key"]

# What conversion is made of: it imports nothing else of this package.
_FOLDERS = ("analysis", "converters", "syntax")
_FILES = ("errors.py", "frontend/one_function.py", "frontend/rewriting.py", "generated.py")


def key(
    source: Source, options: Options, free_names: Iterable[str], shadowed: Iterable[str]
) -> bytes | None:
    """The key of a function converted with these options; None where nothing is kept.

    `shadowed` are the names of built-ins that its module binds.
    """
    if config.verbosity.value > 3 or store() is None:
        return None  # the converted text is to be printed
    made_by = _made_by()
    if made_by is None:
        return None
    told = (tuple(source), tuple(options), tuple(free_names), sorted(shadowed))
    return digest(f"conversion\n{made_by}\n{told!r}".encode())


@cache
def _made_by() -> str | None:
    """What tells these converters and this Python from others; None where nothing does."""
    package = os.path.dirname(os.path.dirname(__file__))
    found = find_spec("gast")
    if found is None or found.origin is None:
        return None
    folders = [*(os.path.join(package, name) for name in _FOLDERS), os.path.dirname(found.origin)]
    try:
        files = [version(folder, _is_source) for folder in folders]
        files += [repr(_told(os.path.join(package, name))) for name in _FILES]
    except OSError:  # as in an archive
        return None
    return repr((files, sys.version, sys.implementation.cache_tag, sys.flags.optimize))


def _is_source(name: str) -> bool:
    return name.endswith(".py")


def _told(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def find(key: bytes) -> CodeType | None:
    """The converted code that is kept under a key."""
    kept = store()
    content = None if kept is None else kept.get(key)
    if content is None:
        return None
    try:
        code = marshal.loads(content)
    except (ValueError, EOFError, TypeError):
        return None
    return code if isinstance(code, CodeType) else None


def keep(key: bytes, code: CodeType) -> None:
    """Keep converted code, where that can be."""
    kept = store()
    if kept is not None:
        kept.put(key, marshal.dumps(code))
