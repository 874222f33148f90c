"""Calls that look at the stack, as if the user's function had made them itself.

Between a converted function and what it calls stand frames of operators, and the function itself is
several: one for each branch, loop body and lazy operand.

This module has no `from __future__ import`: `exec`, `eval` and `compile` hand them on.
"""

import __future__

import builtins
import contextlib
import functools
import inspect
import itertools
import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from autograph.operators.captured.captures import guard_globals
from autograph.operators.values.scope import FunctionScope

__all__ = ["LOOKERS", "execute"]

_OPERATORS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(
    os.path.join(os.path.dirname(os.path.dirname(_OPERATORS)), part) + os.sep
    for part in ("autograph", "runtime")
)
_CALLERS = frozenset(
    os.path.join(_OPERATORS, room, f"{name}.py")
    for room, names in (
        (
            "calls",
            "calls plain_calls frames numpy_calls unconverted bound_builtins adoption contexts "
            "recursion recursive_functions",
        ),
        ("captured", "methods"),
        ("values", "transforms"),
    )
    for name in names.split()
)
_FUTURE: int = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


# ---- frames ----------------------------------------------------------------------------------


def _frames_of_user(*, parts: bool) -> Iterator[FrameType]:
    """The frames that plain Python would have, from the innermost on.

    A converted function is shown by the part of it that runs, with `parts`, or by itself.
    """
    frame: FrameType | None = sys._getframe(1)
    shown = False
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_OURS):
            is_part = _is_part(frame)
            if not (shown if parts else is_part):
                yield frame
            shown = is_part
        frame = frame.f_back


def _is_part(frame: FrameType) -> bool:
    """Whether an operator runs this frame as a part of a function."""
    code, back = frame.f_code, frame.f_back
    if back is None or not back.f_code.co_filename.startswith(_OPERATORS + os.sep):
        return False
    return back.f_code.co_filename not in _CALLERS and _is_made_for_part(code)


def _is_made_for_part(code: CodeType) -> bool:
    if code.co_flags & inspect.CO_GENERATOR or "FunctionScope" in code.co_names:
        return False
    return "ag__" in code.co_freevars or "ag__" in code.co_names


def _getframe(scope: FunctionScope, depth: Any = 0, /) -> FrameType:
    skipped = max(operator.index(depth), 0)
    frame = next(itertools.islice(_frames_of_user(parts=False), skipped, None), None)
    if frame is None:
        raise ValueError("call stack is not deep enough")
    return frame


def _getframemodulename(scope: FunctionScope, depth: int = 0) -> Any:
    frames = itertools.islice(_frames_of_user(parts=False), max(depth, 0), None)
    frame = next(frames, None)
    return None if frame is None else frame.f_globals.get("__name__")


def _currentframe(scope: FunctionScope) -> FrameType:
    return _getframe(scope)


# ---- warnings --------------------------------------------------------------------------------


def _warn(scope: FunctionScope, /, *args: Any, **kwargs: Any) -> Any:
    warn: Any = warnings.warn
    given = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False))
    level = kwargs.get("stacklevel", given.get("stacklevel", 1))
    if not isinstance(level, int) or "skip_file_prefixes" in kwargs or len(args) > 4:
        return warn(*args, **kwargs)
    real = _real_level(max(level, 1))
    if len(args) < 3:
        return warn(*args, **{**kwargs, "stacklevel": real})
    return warn(*args[:2], real, *args[3:], **kwargs)


def _real_level(level: int) -> int:
    """The stack level, counted from the caller, at which stands the user's frame `level`."""
    users = (f for f in _frames_of_user(parts=True) if not _is_import(f.f_code))
    wanted = next(itertools.islice(users, level - 1, None), None)
    frame: FrameType | None = sys._getframe(1)
    real = 1
    while frame is not None and frame is not wanted:
        frame = frame.f_back
        real += frame is not None and not _is_import(frame.f_code)
    return real if frame is not None else sys.maxsize >> 32


def _is_import(code: CodeType) -> bool:
    return "importlib" in code.co_filename and "_bootstrap" in code.co_filename


# ---- source that runs with the features of the user's module ---------------------------------


def _features(scope: FunctionScope) -> int:
    """The `from __future__` features of the user's function."""
    for frame in _frames_of_user(parts=True):
        if frame.f_globals is scope.globals:
            return frame.f_code.co_flags & _FUTURE
    return 0


def _compile(
    scope: FunctionScope,
    source: Any,
    filename: Any,
    mode: Any,
    flags: int = 0,
    dont_inherit: bool = False,
    optimize: int = -1,
    **kwargs: Any,
) -> Any:
    if not dont_inherit:
        flags |= _features(scope)
    return compile(source, filename, mode, flags, True, optimize, **kwargs)


def execute(
    function: Any,
    scope: FunctionScope,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    visible: Callable[[], dict[str, Any]] | None = None,
) -> Any:
    """`exec` or `eval`; names that are not given are the user's globals and `visible` locals."""
    given = {**dict(zip(("globals", "locals"), args[1:3], strict=False)), **kwargs}
    if not args or len(args) > 3:
        return function(*args, **kwargs)
    if given.get("globals") is not None:
        return function(_compiled(function, scope, args[0]), *args[1:], **kwargs)
    own = visible() if visible is not None else scope.globals
    locals_ = given.get("locals")
    rest = {k: v for k, v in kwargs.items() if k not in ("globals", "locals")}
    names = own if locals_ is None else locals_
    code = _compiled(function, scope, args[0])
    with contextlib.suppress(SyntaxError, TypeError, ValueError):  # raised by the call, too
        mode = "eval" if function is builtins.eval else "exec"
        read = compile(code, "<string>", mode, 0, True) if isinstance(code, (str, bytes)) else code
        guard_globals(scope.globals, _names(read))
    return function(code, scope.globals, names, **rest)


def _names(code: CodeType) -> Iterator[str]:
    """The names that some code, and the functions in it, may read of globals."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _compiled(function: Any, scope: FunctionScope, source: Any) -> Any:
    features = _features(scope)
    if not features or not isinstance(source, (str, bytes)):
        return source
    mode = "exec"
    if function is builtins.eval:
        mode, source = "eval", _without_indentation(source)
    return compile(source, "<string>", mode, features, True)


def _without_indentation(source: str | bytes) -> str | bytes:
    return source.lstrip(" \t") if isinstance(source, str) else source.lstrip(b" \t")


def _exec(scope: FunctionScope, /, *args: Any, **kwargs: Any) -> Any:
    return execute(builtins.exec, scope, args, kwargs)


def _eval(scope: FunctionScope, /, *args: Any, **kwargs: Any) -> Any:
    return execute(builtins.eval, scope, args, kwargs)


LOOKERS: dict[Any, Callable[..., Any]] = {
    sys._getframe: _getframe,
    inspect.currentframe: _currentframe,
    warnings.warn: _warn,
    compile: _compile,
    exec: _exec,
    eval: _eval,
}
if hasattr(sys, "_getframemodulename"):
    LOOKERS[sys._getframemodulename] = _getframemodulename
