"""`export_python`: a program as one file of Python that needs NumPy alone."""

from __future__ import annotations

import base64
import io
import os
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.programs.exporting.arguments import (
    Variable,
    apart,
    array_argument,
    constant_argument,
    number_argument,
    parts_of,
)
from autograph.programs.exporting.programs import (
    Input,
    content_of,
    inputs_of,
    is_variable,
    program_of_function,
    read_things,
    used_graph,
)
from autograph.programs.exporting.results import Results
from autograph.programs.program import Program, Signature
from autograph.programs.saving import Specs
from autograph.syntax.names import identifier
from autograph.tracing.concrete import fresh_outputs
from runtime.errors import UnsavableError
from runtime.export.python.functions import Functions
from runtime.export.python.sources import Sources
from runtime.graph.ir import Graph
from runtime.process.files import replace_file
from runtime.spec import TensorType
from runtime.structure import tree

__all__ = ["export_python"]

_LINE = 96


def export_python(
    function: Callable[..., Any], path: str | os.PathLike[str], signatures: Specs | None = None
) -> None:
    """Write a function or loaded program as one Python file that needs NumPy alone.

    `signatures` says for which arguments, as in `save`. The file has a function of the program's
    name, or one for each of several signatures under its name; results are arrays and numbers.
    Raises UnsavableError, with the line, for what such a file cannot hold, and ValueError where
    there is no graph; the file at `path` is replaced only when all is well.

    >>> import tempfile, runpy
    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.convert
    ... def root(x):
    ...     y = x
    ...     while abs(y * y - x) > 1e-9:
    ...         y = (y + x / y) / 2
    ...     return y
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.export_python(root, f"{folder}/root.py", [ag.TensorSpec([])])
    ...     exported = runpy.run_path(f"{folder}/root.py")
    >>> exported["root"](2.0)
    np.float64(1.4142135623746899)
    """
    program = program_of_function(function, signatures)
    replace_file(path, _File(program).text().encode())


def _refuse_dtypes(graph: Graph) -> None:
    """Refusal for numbers of other packages than NumPy, such as bfloat16."""
    made = ((value, node.origin) for node in graph.walk() for value in node.outputs)
    for value, origin in (*((value, None) for value in graph.inputs), *made):
        if isinstance(value.type, TensorType) and value.type.dtype.isbuiltin == 2:
            raise UnsavableError(
                f"this cannot be exported to Python: numbers of {value.type.dtype}, which NumPy "
                "alone does not have",
                "convert them to float32 in the function, and the weights before",
                origin,
            )


class _File:
    """One file in the making."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sources = Sources()
        self.functions = Functions(self.sources)
        self.things: dict[int, str] = {}
        self.state: list[str] = []
        names = [s.name for s in program._signatures]
        if len(names) == 1 and program.name.isidentifier():
            names = [program.name]
        self.names = [self.sources.fresh(identifier(name)) for name in names]

    def text(self) -> str:
        """The whole file."""
        pairs = zip(self.program._signatures, self.names, strict=True)
        public = [self._public(signature, name) for signature, name in pairs]
        if self.sources.arrays:
            self.sources.modules |= {"base64": "base64", "io": "io"}
        names = ", ".join(f'"{name}"' for name in self.names)
        title = f'"""`{self.program.name}` as a program of its own: it needs Python and NumPy.'
        head = f'{title}\n\nWritten by `autograph export`.\n"""\n'
        parts = [head, "\n".join(self.sources.imports()) + "\n", f"__all__ = [{names}]\n"]
        parts += [self._weights()] if self.sources.arrays else []
        parts += ["\n\n".join(self.sources.definitions)] if self.sources.definitions else []
        parts += ["\n".join(self.state) + "\n"] if self.state else []
        return "\n".join(parts) + "\n\n" + "\n\n".join([*self.functions.made, *public])

    def _weights(self) -> str:
        stream = io.BytesIO()
        np.savez(stream, allow_pickle=False, **self.sources.arrays)
        rows = textwrap.wrap(base64.b64encode(stream.getvalue()).decode(), _LINE)
        text = "\n".join(rows)
        read = "weights = dict(np.load(io.BytesIO(base64.b64decode(_WEIGHTS))))"
        return f'# Arrays, as NumPy saves them (.npz).\n_WEIGHTS = """\n{text}\n"""\n{read}\n'

    # ---- functions ---------------------------------------------------------------------------

    def _public(self, signature: Signature, name: str) -> str:
        """The function that people call: arguments in, result out."""
        traced = signature.concrete._traced
        graph = used_graph(signature)
        graph.name = f"graph_of_{name}"
        _refuse_dtypes(graph)
        things = [self._thing(title, thing) for title, thing in read_things(signature)]
        run = self.functions.main(graph, traced.written)
        lines, given = self._arguments(signature)
        inputs = [*given, *things]
        for position in traced.written:
            others = [x for k, x in enumerate(inputs) if k != position and k < len(given)]
            check = f"{self.sources.thing(apart)}({inputs[position]}, {inputs[position]!r}"
            lines.append(f"{check}, [{', '.join(others)}], {position in traced.contiguous})")
        outputs = [f"out{k}" for k in range(len(graph.outputs))]
        left = f"{', '.join(outputs)}{',' * (len(outputs) == 1)} = " if outputs else ""
        lines.append(f"{left}{run}({', '.join(inputs)})")
        result = self._result(signature, outputs, inputs)
        written = zip(traced.written, outputs[traced.outputs :], strict=False)
        if traced.written:
            lines.append(f"result = {result}")
            lines += [f"{inputs[position]}[...] = {out}" for position, out in written]
            result = "result"
        head = f"def {name}{self._parameters()}:"
        return "\n".join([head, *(f"    {line}" for line in lines), f"    return {result}"]) + "\n"

    def _parameters(self) -> str:
        """The parameters of a call, with their defaults, as source."""
        made, is_named = [], False
        for p in self.program.__signature__.parameters.values():
            star = "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
            if p.kind is p.KEYWORD_ONLY and not is_named:
                made.append("*")
            is_named = is_named or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
            default = "" if p.default is p.empty else f"={self.sources.value(p.default)}"
            made.append(f"{star}{p.name}{default}")
        return f"({', '.join(made)})"

    def _thing(self, title: str, thing: Any) -> str:
        """The global that holds a Variable or array."""
        if id(thing) not in self.things:
            name = self.sources.fresh(identifier(title))
            content = content_of(thing)
            source = self.sources.value(content[()] if content.ndim == 0 else content, name)
            if is_variable(thing):
                source = f"{self.sources.thing(Variable)}({source})"
            self.state.append(f"{name} = {source}")
            self.things[id(thing)] = name
        return self.things[id(thing)]

    # ---- arguments ---------------------------------------------------------------------------

    def _arguments(self, signature: Signature) -> tuple[list[str], list[str]]:
        """Lines that check the arguments, and the sources of the graph's inputs."""
        lines: list[str] = []
        leaves = iter(inputs_of(signature))
        constants = iter(signature.arguments.leaves)
        given: list[str] = []
        structure = signature.arguments.structure
        for name, child in zip(structure.keys, structure.children, strict=True):
            self._argument(str(name), child, leaves, constants, lines, given)
        return lines, given

    def _argument(
        self, name: str, structure: tree.Structure, leaves: Any, constants: Any,
        lines: list[str], given: list[str],
    ) -> None:  # fmt: skip
        if structure.kind is None:
            self._leaf(name, next(leaves), next(constants), lines, given)
            return
        kind = next((k for k in (dict, list, tuple) if issubclass(structure.kind, k)), object)
        parts = [f"{name}_{identifier(str(key))}" for key in structure.keys]
        keys = self.sources.value(tuple(structure.keys))
        taken = f"{self.sources.thing(parts_of)}({name}, {name!r}, {kind.__name__}, {keys})"
        lines.append(f"{', '.join(parts)}{',' * (len(parts) == 1)} = {taken}" if parts else taken)
        for part, child in zip(parts, structure.children, strict=True):
            self._argument(part, child, leaves, constants, lines, given)

    def _leaf(
        self, name: str, wanted: Input | None, constant: Any, lines: list[str], given: list[str]
    ) -> None:
        if wanted is None:
            value = self.sources.value(constant)
            lines.append(f"{self.sources.thing(constant_argument)}({name}, {name!r}, {value})")
            return
        given.append(name)
        lines.append(f"{name} = {self._checked(name, wanted)}")

    def _checked(self, name: str, wanted: Input) -> str:
        type_ = wanted.type
        if type_.weak:
            kind = {"b": "bool", "i": "int", "f": "float", "c": "complex"}[type_.dtype.kind]
            return f"{self.sources.thing(number_argument)}({name}, {name!r}, {kind})"
        rest = f'{name}, {name!r}, "{type_.dtype}", {type_.shape}'
        check = self.sources.thing(array_argument)
        return f"{check}({rest}, {wanted.is_declared}, {wanted.least})"

    # ---- results -----------------------------------------------------------------------------

    def _result(self, signature: Signature, outputs: list[str], inputs: list[str]) -> str:
        traced = signature.concrete._traced
        fresh = fresh_outputs(traced)

        def own(k: int) -> str:
            if k in traced.identities:
                return inputs[traced.identities[k]]
            type_ = traced.graph.outputs[k].type
            shape = type_.shape if isinstance(type_, TensorType) else None
            mine = outputs[k] if fresh[k] or shape == () else f"np.array({outputs[k]})"
            mine = f"{mine}[()]" if isinstance(type_, TensorType) and shape is None else mine
            if k in traced.choices:
                which, positions = traced.choices[k]
                rows = ", ".join(f"{n}: {inputs[p]}" for n, p in positions.items())
                return f"{{{rows}}}.get(int({outputs[which]}), {mine})"
            return mine

        results = Results(self.sources, outputs, own)
        structure, holes = traced.result
        return results.nest(structure, [results.part(hole) for hole in holes])
