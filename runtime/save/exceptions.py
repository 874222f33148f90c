"""Exceptions that a saved program raises and catches: classes are kept by their names.

A class is looked for among the modules that the process has imported already; nothing is imported
for a file, and no code of a module is run. Where it is not there, or is something else than a class
of exceptions that calls itself by that name, a class of that name takes its place which is derived
from `ForeignError` and from those of its bases that are there.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from runtime.effects.control import ExceptionTemplate, attributes_of
from runtime.errors import ForeignError
from runtime.save.reading import Malformed, is_name, members
from runtime.save.values import Kind, Reader, Unstorable, Writer
from runtime.structure.templates import Hole

__all__ = ["EXCEPTIONS", "class_named"]

_DEEPEST = 20


def class_named(module: str, name: str) -> type | None:
    """The class of that name in a module that was imported before; None where there is none.

    Nothing of the module is run: not even its `__getattr__`, which may import things.

    >>> class_named("builtins", "ValueError")
    <class 'ValueError'>
    """
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        try:
            found = vars(found).get(part)
        except TypeError:
            return None
    if not isinstance(found, type) or (found.__module__, found.__qualname__) != (module, name):
        return None
    return found


# ---- classes ---------------------------------------------------------------------------------


def _write_class(writer: Writer, kind: type) -> dict[str, Any]:
    if not issubclass(kind, BaseException):
        raise Unstorable(f"the class {kind.__qualname__}")
    part: dict[str, Any] = {"module": kind.__module__, "name": kind.__qualname__}
    if kind.__module__ != "builtins":
        bases = (b for b in kind.__bases__ if issubclass(b, BaseException))
        part["bases"] = [_write_class(writer, base) for base in bases]
    return part


def _read_class(reader: Reader, part: Any, depth: int = 0) -> type[BaseException]:
    module, name, bases = members(part, {"module": (str,), "name": (str,)}, {"bases": (list,)})
    if not is_name(module) or not is_name(name) or depth > _DEEPEST:
        raise Malformed("the class of an exception has no such name or bases")
    made = tuple(_read_class(reader, base, depth + 1) for base in bases or ())
    found = class_named(module, name)
    if found is not None and issubclass(found, BaseException):
        return found
    return _foreign(module, name, made)


@functools.lru_cache(maxsize=1000)
def _foreign(module: str, name: str, bases: tuple[type[BaseException], ...]) -> type[BaseException]:
    """A class that stands for one that is not there."""
    kept = [base for base in bases if not issubclass(ForeignError, base)]
    if not any(issubclass(base, ForeignError) for base in kept):
        kept.append(ForeignError)
    namespace = {"__module__": module, "__qualname__": name}
    try:
        return type(name.rpartition(".")[2], tuple(kept), namespace)
    except TypeError:  # bases of layouts that cannot be together
        return type(name.rpartition(".")[2], (ForeignError,), namespace)


# ---- templates -------------------------------------------------------------------------------


def _without_exceptions(template: ExceptionTemplate, depth: int) -> ExceptionTemplate:
    """The template with templates in place of the exceptions that it names as they are."""
    if issubclass(template.kind, BaseExceptionGroup) or depth > _DEEPEST:
        raise Unstorable("an exception that holds other exceptions")
    cause, context = (_part(part, depth + 1) for part in (template.cause, template.context))
    return ExceptionTemplate(
        template.kind, template.args, template.attributes, cause, context, template.suppress
    )


def _part(part: Any, depth: int) -> Any:
    if isinstance(part, BaseException):
        others = part.__cause__, part.__context__, part.__suppress_context__
        part = ExceptionTemplate(type(part), part.args, attributes_of(part), *others)
    return _without_exceptions(part, depth) if isinstance(part, ExceptionTemplate) else part


def _write(writer: Writer, template: ExceptionTemplate) -> dict[str, Any]:
    saved = _without_exceptions(template, 0)
    if not issubclass(saved.kind, Exception):
        raise Unstorable(f"the exception {saved.kind.__qualname__}, which is no Exception")
    part = {"class": _write_class(writer, saved.kind), "args": writer.write(tuple(saved.args))}
    for name in saved.attributes:
        if not _is_attribute(name):
            raise Unstorable(f"the attribute {name!r} of an exception")
    more = {
        "attributes": {k: writer.write(v) for k, v in saved.attributes.items()},
        "cause": writer.write(saved.cause),
        "context": writer.write(saved.context),
        "suppress": saved.suppress,
    }
    return {**part, **{key: value for key, value in more.items() if value}}


def _read(reader: Reader, part: Any) -> ExceptionTemplate:
    kind, args, attributes, cause, context, suppress = members(
        part,
        {"class": (dict,), "args": (list,)},
        {"attributes": (dict,), "cause": (dict,), "context": (dict,), "suppress": (bool,)},
    )
    found = _read_class(reader, kind)
    if not issubclass(found, Exception):
        raise Malformed(f"{found.__name__} is no Exception")
    fields = {key: reader.read(value) for key, value in (attributes or {}).items()}
    if not all(map(_is_attribute, fields)):
        raise Malformed("an exception has no such attribute")
    others = _read_other(reader, cause), _read_other(reader, context)
    return ExceptionTemplate(found, reader.read(args), fields, *others, bool(suppress))


def _read_other(reader: Reader, part: Any) -> Any:
    """The cause or the context of an exception."""
    found = reader.read(part)
    if found is not None and not isinstance(found, (ExceptionTemplate, Hole)):
        raise Malformed("the cause of an exception is an exception")
    return found


def _is_attribute(name: Any) -> bool:
    special = type(name) is str and name.startswith("__") and name != "__notes__"
    return type(name) is str and name.isidentifier() and not special


EXCEPTIONS = (
    Kind("exception", (ExceptionTemplate,), _write, _read),
    Kind("class", (type,), _write_class, _read_class),
)
