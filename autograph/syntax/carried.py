"""The text of functions that are pickled as they are, and that no file has where they are loaded.

A pickler such as cloudpickle takes code without the name of its file. So what is converted there
takes its text along, and that of the functions that it may call.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.errors import SourceUnavailableError
from autograph.syntax.source import Source, keep_source, source_of
from autograph.syntax.versions import nested

__all__ = ["keep_sources", "sources_of"]

# What tells functions of one program apart, wherever they are loaded.
_Key = tuple[str, int, bytes]


def sources_of(thing: Any) -> dict[_Key, Source]:
    """The text of a callable's function, and of those that it finds by its names."""
    found = {}
    for function in _functions(thing, set()):
        with contextlib.suppress(SourceUnavailableError):
            found[_key(function.__code__)] = source_of(function)
    return found


def keep_sources(thing: Any, sources: dict[_Key, Source]) -> None:
    """Make these the text of a callable's function, and of those that it finds by its names."""
    for function in _functions(thing, set()) if sources else ():
        if (source := sources.get(_key(function.__code__))) is not None:
            keep_source(function.__code__, source)


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno, code.co_code


def _functions(thing: Any, seen: set[int]) -> Iterator[FunctionType]:
    """The functions that a callable or class runs or finds, to which no name leads."""
    if id(thing) in seen or not _is_carried(thing):
        return
    seen.add(id(thing))
    if isinstance(thing, FunctionType):
        yield thing
    for part in _parts(thing):
        yield from _functions(part, seen)


def _is_carried(thing: Any) -> bool:
    """Whether a function or class is pickled as it is: it is of the program itself, or local."""
    if not isinstance(thing, FunctionType | type):
        return True
    return thing.__module__ == "__main__" or "<" in thing.__qualname__


def _parts(thing: Any) -> Iterator[Any]:
    if isinstance(thing, FunctionType):
        names = {name for code in nested(thing.__code__) for name in code.co_names}
        yield from (thing.__globals__[name] for name in names & thing.__globals__.keys())
        yield from filter(None, map(_content, thing.__closure__ or ()))
    elif isinstance(thing, MethodType):
        yield from (thing.__func__, thing.__self__)
    elif isinstance(thing, staticmethod | classmethod):
        yield thing.__func__
    elif isinstance(thing, property):
        yield from (thing.fget, thing.fset, thing.fdel)
    elif isinstance(thing, type):
        yield from thing.__bases__
        yield from vars(thing).values()
    else:
        yield type(thing)
        yield from filter(callable, getattr(thing, "__dict__", {}).values())
        if isinstance(thing, functools.partial):
            yield thing.func


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not set yet
        return None
