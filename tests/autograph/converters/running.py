"""Running a plain function and its conversion side by side."""

from __future__ import annotations

import ast
import builtins
import linecache
import textwrap
from dataclasses import dataclass
from typing import Any

import gast

from autograph.analysis import ScopeTree
from autograph.converters import PIPELINE, Context, convert_module, convert_tree
from autograph.converters.pipeline import Pipeline


@dataclass
class Outcome:
    """What a call did: its value or exception, and what it printed, in order."""

    value: Any
    error: type | None
    message: str
    log: list[str]


def run(function, *arguments) -> Outcome:
    """Calls the function with a `log` of what it prints."""
    log: list[str] = []
    function.__globals__["print"] = lambda *parts: log.append(" ".join(map(str, parts)))
    try:
        return Outcome(function(*arguments), None, "", log)
    except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
        return Outcome(None, type(error), str(error), log)


def converted_text(text: str, **context: Any) -> str:
    """The converted text of the one function in `text`."""
    node = gast.parse(textwrap.dedent(text)).body[0]
    tree = convert_tree(node, Context(text=textwrap.dedent(text), **context))
    return ast.unparse(gast.gast_to_ast(gast.Module(body=[tree], type_ignores=[])))


def converted_by(names: str, body: str, **context: Any) -> str:
    """The statements of a function `f(x, y)` after only the named converters."""
    wanted = names.split(", ")
    converters = [converter for converter in PIPELINE if converter.name in wanted]
    assert len(converters) == len(wanted), names
    text = "def f(x, y):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    node = gast.parse(text).body[0]
    Pipeline(converters, Context(text=text, **context), ScopeTree(node), node).function(node)
    lines = ast.unparse(gast.gast_to_ast(node)).splitlines()[2:]
    return textwrap.dedent("\n".join(lines)).strip()


_COUNT = iter(range(10**9))


def load(text: str, name: str, *, convert: bool) -> Any:
    """A function of a module given as text, plain or with the whole module converted."""
    filename = f"<sample {next(_COUNT)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "sample", "__builtins__": builtins}
    if convert:
        tree, report = convert_module(gast.parse(text), Context(filename=filename, text=text))
        assert not report.refused, report.refused
        exec(compile(gast.gast_to_ast(tree), filename, "exec"), namespace)
    else:
        exec(compile(text, filename, "exec"), namespace)
    return namespace if name == "__dict__" else namespace[name]


def assert_same(text: str, *argument_lists: tuple[Any, ...], name: str = "f") -> None:
    """Says that the function `f` of the text does the same when converted."""
    text = textwrap.dedent(text)
    for arguments in argument_lists or ((),):
        plain = run(load(text, name, convert=False), *arguments)
        converted = run(load(text, name, convert=True), *arguments)
        shown = f"arguments {arguments!r} of\n{text}"
        assert converted.log == plain.log, f"{converted}\nfor {plain}, {shown}"
        assert converted.error is plain.error, f"{converted} for {plain}, {shown}"
        assert repr(converted.value) == repr(plain.value), shown
