"""The directives of the reference pages; what they show comes from the code.

```{api} ag.linalg          a table of these names, then an entry for each from its docstring;
:without: Class.method      leaves out methods that are public for the runtime only
inv solve
```

```{names} autograph.tf     a table of all that a module offers
```

```{command} run            the help text of `autograph run`
```
"""

from __future__ import annotations

import importlib
import inspect
import re
from argparse import ArgumentParser
from enum import Enum
from operator import attrgetter
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from docstrings import as_restructured_text
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import autograph as ag
from autograph.cli.command import COMMANDS

__all__ = ["setup"]

_FENCE = "`" * 8
_SENTENCE = re.compile(r".*?\.(?=\s|\Z)", re.DOTALL)


class Api(SphinxDirective):
    """A table of names, then an entry for each."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"without": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        space = self.arguments[0]
        names = [f"{space}.{name}" for name in " ".join(self.content).split()]
        without = [f"{space}.{name}" for name in self.options.get("without", "").split()]
        things = {name: self._thing(name) for name in (*names, *without)}
        lines = _table([(f":py:obj:`~{name}`", _summary(things[name])) for name in names])
        for name in names:
            members = [left for left in without if left.startswith(f"{name}.")]
            lines += _entry(name, things[name], [left.removeprefix(f"{name}.") for left in members])
        return _parsed(self, lines)

    def _thing(self, name: str) -> Any:
        try:
            return attrgetter(name.removeprefix("ag."))(ag)
        except AttributeError:
            raise self.error(f"the reference lists {name}, which does not exist") from None


class Names(SphinxDirective):
    """A table of what a module offers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        rows = [(f"``{name}``", _summary(getattr(module, name))) for name in _offered(module)]
        return _parsed(self, _table(rows))


class Command(SphinxDirective):
    """The help text of a command."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        command = COMMANDS[self.arguments[0]]
        parser = ArgumentParser(f"autograph {self.arguments[0]}", description=command.SUMMARY)
        command.add_arguments(parser)
        text = parser.format_help()
        return [nodes.literal_block(text, text, language="text")]


def _offered(module: ModuleType) -> list[str]:
    """`__all__`, or what has an example in its docstring."""
    names = [name for name in vars(module) if not (name.startswith("_") or name.endswith("_"))]
    return sorted(
        getattr(module, "__all__", None)
        or (name for name in names if ">>>" in _own_docstring(getattr(module, name)))
    )


def _own_docstring(thing: Any) -> str:
    is_ours = str(getattr(thing, "__module__", "")).startswith(("autograph.", "runtime."))
    return (is_ours and inspect.getdoc(thing)) or ""


def _summary(thing: Any) -> str:
    if isinstance(thing, np.dtype) or thing is np.dtype:
        return f"NumPy's ``{thing!r}``."
    if isinstance(thing, int):
        return f"The number ``{thing!r}``."
    docstring = inspect.getdoc(thing) or ""
    sentence = _SENTENCE.match(docstring.split("\n\n")[0])
    return as_restructured_text(sentence[0] if sentence else docstring).replace("\n", " ")


def _table(rows: list[tuple[str, str]]) -> list[str]:
    lines = [".. list-table::", "   :widths: auto", "   :class: names", ""]
    for name, summary in rows:
        lines += [f"   * - {name}", f"     - {summary}"]
    return [*lines, ""]


def _entry(name: str, thing: Any, left_out: list[str]) -> list[str]:
    if isinstance(thing, np.dtype | int):
        return [f".. py:data:: {name}", "", f"   {_summary(thing)}", ""]
    if not inspect.isclass(thing):
        return [f".. autofunction:: {name}", ""]
    kind, options = "class", ["   :members:"]
    if issubclass(thing, BaseException):
        kind, left_out = "exception", [*left_out, "__init__"]
    elif _is_in_parts(thing):
        options.append("   :inherited-members:")
    if issubclass(thing, Enum):
        options.append("   :undoc-members:")
    if left_out:
        options.append(f"   :exclude-members: {', '.join(left_out)}")
    return [f".. auto{kind}:: {name}", *options, ""]


def _is_in_parts(cls: type) -> bool:
    """Whether a class has members of a base that has no entry of its own."""
    return any(
        base.__module__.startswith("autograph.") and not hasattr(ag, base.__name__)
        for base in cls.__mro__[1:]
    )


def _parsed(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """The nodes of reStructuredText in a Markdown page."""
    return directive.parse_text_to_nodes("\n".join([f"{_FENCE}{{eval-rst}}", *lines, _FENCE]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("api", Api)
    app.add_directive("names", Names)
    app.add_directive("command", Command)
    return {"parallel_read_safe": True}
