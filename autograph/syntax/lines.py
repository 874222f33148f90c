"""The lines of the file, notebook cell or command line that a code object was made from.

A file that is edited while the program runs is noticed: of the versions seen, the one counts that
gives the very code object when it is compiled.
"""

from __future__ import annotations
import __future__

import contextlib
import inspect
import io
import linecache
import os
import sys
import time
import types
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from autograph.errors import Location, SourceUnavailableError

_STARTED = time.time()
# The name of what `exec`, `eval` and `python -c` run.
_SHARED_NAME = "<string>"


class _Version:
    """The lines of a file as they were at one time."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename = filename
        self.lines = lines
        self._codes: dict[int, frozenset[types.CodeType]] = {}

    def makes(self, code: types.CodeType) -> bool:
        """Tells whether compiling the lines gives this code object, constants included."""
        flags = features(code)
        if flags not in self._codes:
            self._codes[flags] = frozenset(self._compiled(flags))
        return code in self._codes[flags]

    def _compiled(self, flags: int) -> Iterator[types.CodeType]:
        text = "".join(self.lines)
        with contextlib.suppress(SyntaxError), warnings.catch_warnings(action="ignore"):
            yield from nested(compile(text, self.filename, "exec", flags, dont_inherit=True))


_versions: dict[str, list[_Version]] = {}


def _all_features() -> int:
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags & ~inspect.CO_NESTED


_FEATURES = _all_features()


def features(code: types.CodeType) -> int:
    """Gives the `from __future__` features of a code object, as flags for `compile`."""
    return code.co_flags & _FEATURES


def lines_of(code: types.CodeType, module: Mapping[str, Any]) -> list[str]:
    """Gives the whole text that a function was made from, as lines; `module` is its globals."""
    filename = code.co_filename
    linecache.checkcache(filename)
    if filename == _SHARED_NAME:
        lines = _text_without_a_file(code)
    else:
        lines = linecache.getlines(filename, dict(module))
    if not lines:
        raise unavailable(code, f"the text of `{code.co_qualname}` cannot be found.")
    versions = _versions.setdefault(filename, [])
    if not versions or versions[-1].lines != lines:
        versions.append(_Version(filename, lines))
    if len(versions) == 1 and _is_as_imported(filename, module):
        return lines
    return _version_of(code, versions)


def _version_of(code: types.CodeType, versions: list[_Version]) -> list[str]:
    for version in reversed(versions):
        if version.makes(code):
            return version.lines
    raise unavailable(
        code,
        f"the file was changed after `{code.co_qualname}` was made from it.",
        "Import it again (importlib.reload), or restart the program.",
    )


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """Gives a code object and all that are inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def _is_as_imported(filename: str, module: Mapping[str, Any]) -> bool:
    """Tells, cheaply, that a file was not edited; a doubt is settled by compiling it."""
    try:
        status = os.stat(filename)
    except OSError:
        return True
    return status.st_mtime < _STARTED or _is_cached_as(module.get("__cached__"), status)


def _is_cached_as(cached: object, status: os.stat_result) -> bool:
    """Tells whether the bytecode file of the import was made from the file as it is now.

    Its header is described in PEP 552: magic, flags, modification time, size.
    """
    if not isinstance(cached, str):
        return False
    try:
        with open(cached, "rb") as file:
            header = file.read(16)
    except OSError:
        return False
    stamp = int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF
    expected = b"".join(number.to_bytes(4, "little") for number in (0, *stamp))
    return header[4:] == expected


def _text_without_a_file(code: types.CodeType) -> list[str]:
    """Gives the text after `python -c`, or what `linecache` was told, if it makes the function.

    Every text that is run without a name has this one, so the name proves nothing.
    """
    option = io.StringIO(_option_c(sys.orig_argv[1:])).readlines()
    for lines in (option, linecache.getlines(_SHARED_NAME)):
        if _Version(_SHARED_NAME, lines).makes(code):
            return lines
    return []


def _option_c(arguments: list[str]) -> str:
    """Gives the value of option -c, in any of its spellings: `-c text`, `-Ic text`, `-ctext`."""
    words = iter(arguments)
    for word in words:
        if not word.startswith("-") or word.startswith("--"):
            return ""
        flags, found, text = word.partition("c")
        if found and not set(flags) & set("mWX"):
            return text or next(words, "")
        if word[-1] in "WX":
            next(words, "")
    return ""


ADVICE = "Pass the text of the program to autograph.convert_source, or put the function in a file."


def unavailable(code: types.CodeType, what: str, advice: str = ADVICE) -> SourceUnavailableError:
    """Gives the error that names the function whose text is missing."""
    location = Location(code.co_filename, code.co_firstlineno, code.co_name)
    return SourceUnavailableError(what, location=location, advice=advice)
