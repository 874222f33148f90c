"""The lines of the file, notebook cell or command line that a code object was made from.

A file may be edited after it was imported. So nothing is taken from the times of files: of what
`linecache` remembers and what the file holds now, a text counts only if compiling it gives the very
code object. Of a function typed at a prompt, or below a magic of a notebook, it is looked for in
what was typed.
"""

from __future__ import annotations

import functools
import inspect
import io
import linecache
import os
import sys
import types
import weakref
from collections.abc import Mapping
from typing import Any

from autograph.errors import Location, SourceUnavailableError
from autograph.syntax import typed
from autograph.syntax.versions import Version, nested

# The name of what `exec`, `eval` and `python -c` run.
_SHARED_NAME = "<string>"
_versions: dict[str, list[Version]] = {}
# The lines of generators in converted code, which no text makes, by the identity of their code.
_of_generated: dict[int, tuple[weakref.ref[types.CodeType], list[str]]] = {}


def lines_of(code: types.CodeType, module: Mapping[str, Any]) -> list[str]:
    """Gives the whole text that a function was made from, as lines; `module` is its globals."""
    filename = code.co_filename
    if id(code) in _of_generated:
        return _of_generated[id(code)][1]
    if filename == _SHARED_NAME:
        texts = [_option_c(sys.orig_argv[1:]), *_known(filename, module)]
    else:
        texts = _known(filename, module)
    versions = _versions.setdefault(filename, [])
    for lines in filter(None, texts):
        if all(version.lines != lines for version in versions):
            versions.append(Version(filename, lines))
    for version in reversed(versions):
        if version.makes(code) or (
            _may_be_rewritten(filename, module) and version.makes_but_for_asserts(code)
        ):
            return version.lines
    found = typed.lines_of(code)
    if found is not None:
        return found
    if not versions or filename in (_SHARED_NAME, *typed.NAMES):
        raise unavailable(code, f"the text of `{code.co_qualname}` cannot be found.")
    raise unavailable(
        code,
        f"the file was changed after `{code.co_qualname}` was made from it, or something has "
        "rewritten the function (a decorator, a hook of imports).",
        "Import it again (importlib.reload), or restart the program.",
    )


def keep_lines(generated: types.CodeType, text: str, first: int) -> None:
    """Makes a text that begins at a line that of the generators in what was generated of it."""
    lines: list[str] = []
    for code in nested(generated):
        if code.co_flags & inspect.CO_GENERATOR:
            lines = lines or ["\n"] * (first - 1) + io.StringIO(text).readlines()
            gone = functools.partial(_drop, id(code))
            _of_generated[id(code)] = weakref.ref(code, gone), lines


def _drop(key: int, _: object) -> None:
    _of_generated.pop(key, None)


def _known(filename: str, module: Mapping[str, Any]) -> list[list[str]]:
    """Gives the lines that were read last, and those that the file has now."""
    entry: Any = linecache.cache.get(filename, ())
    remembered = entry[2] if len(entry) == 4 else []
    linecache.checkcache(filename)
    return [remembered, linecache.getlines(filename, dict(module))]


def _may_be_rewritten(filename: str, module: Mapping[str, Any]) -> bool:
    """Tells whether the code may be that of a tree which a tool has changed.

    So may be that of a notebook cell, and of a module whose loader does not compile its text.
    """
    if not os.path.exists(filename):
        return True
    loader = type(module.get("__loader__"))
    return hasattr(loader, "exec_module") and not hasattr(loader, "source_to_code")


def _option_c(arguments: list[str]) -> list[str]:
    """Gives the value of option -c, in any of its spellings: `-c text`, `-Ic text`, `-ctext`."""
    words = iter(arguments)
    for word in words:
        if not word.startswith("-") or word.startswith("--"):
            return []
        flags, found, text = word.partition("c")
        if found and not set(flags) & set("mWX"):
            return io.StringIO(text or next(words, "")).readlines()
        if word[-1] in "WX":
            next(words, "")
    return []


ADVICE = "Pass the text of the program to autograph.convert_source, or put the function in a file."
_TYPED = """Put it in a file, or type instead, with the imports that it needs:
    text = '''def {name}(...): ...'''
    {name} = autograph.convert(autograph.convert_source(text).{name})"""


def unavailable(
    code: types.CodeType, what: str, advice: str | None = None
) -> SourceUnavailableError:
    """Gives the error that names the function whose text is missing."""
    if advice is None and code.co_filename == typed.WITHIN_TIMEIT:
        advice = "Define it in a cell before, and time the call alone."
    if advice is None:
        was_typed = code.co_filename in typed.NAMES and code.co_name.isidentifier()
        advice = _TYPED.format(name=code.co_name) if was_typed else ADVICE
    location = Location(code.co_filename, code.co_firstlineno, code.co_name)
    return SourceUnavailableError(what, location=location, advice=advice)
