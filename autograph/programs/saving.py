"""`save`: the graphs of a function in a file, which runs without the function's source.

The document that is written here is read in `autograph.programs.loading`; docs/format.md tells of
it.
"""

from __future__ import annotations

import inspect
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.functions import BoundFunction, Function, convert
from autograph.operators.results.reconstruction import (
    ItemPart,
    LettersPart,
    NumberPart,
    OptionalPart,
    RaggedPart,
    TextPart,
)
from autograph.operators.values.runs import FACTORIES, ContainerKind
from autograph.programs.loading import FORMAT, VERSION, WRITERS, program_of
from autograph.programs.program import Program, Signature
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.results import (
    ArrayHole,
    EntriesHole,
    FixedPart,
    ListHole,
    NoneHole,
    ResultHole,
    TextHole,
)
from autograph.tracing.signature import (
    COMPLEX,
    FLOAT,
    GENERATOR,
    INT,
    Arguments,
    Identity,
    is_input_key,
    type_of_key,
)
from autograph.tracing.traced import Traced
from runtime.autodiff.cotangents import is_differentiable
from runtime.autodiff.linearize import linearize
from runtime.errors import UnsavableError
from runtime.graph.ir import Graph
from runtime.passes.dead_code import drop_dead_code
from runtime.passes.placement import on_one_device
from runtime.process.files import replace_file
from runtime.save.container import json_text, pack
from runtime.save.dtypes import type_text
from runtime.save.exceptions import EXCEPTIONS
from runtime.save.graphs import write_graph
from runtime.save.places import Places
from runtime.save.reading import is_name
from runtime.save.state import State
from runtime.save.structures import write_structure
from runtime.save.values import Arrays, Unstorable, Writer
from runtime.spec import ErrorType, TensorSpec
from runtime.structure import tree

__all__ = ["packed", "save"]

DEFAULT_NAME = "call"
Specs = Sequence[Any] | Mapping[str, Any]


def save(
    function: Callable[..., Any],
    path: str | os.PathLike[str],
    signatures: Specs | None = None,
    *,
    gradients: bool = False,
) -> None:
    """Save the graphs of a function, with the variables and arrays that they read, to a file.

    `signatures` says for which arguments: a sequence of specs and values, one per parameter, or a
    dict from a name to such a sequence (or to a dict by parameter) for several graphs. Without it,
    the graphs are saved that the function has already, and a Keras model for its inputs. With
    `gradients`, it is an error if one of them cannot be differentiated.

    Raises UnsavableError, with the line, for what a file cannot hold: stores into Python objects,
    objects in messages and results. Raises ValueError when there is no graph. The file at `path`
    is replaced in one step, and only when all is well; raises OSError where a folder, a device or
    a pipe is in its place.

    >>> import tempfile
    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.convert
    ... def total(x):
    ...     result = 0.0
    ...     for value in x:
    ...         if value > 0:
    ...             result += value
    ...     return result
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(total, f"{folder}/total.agz", [ag.TensorSpec([None])])
    ...     loaded = ag.load(f"{folder}/total.agz")
    >>> loaded(np.array([1.0, -2.0, 3.5]))
    np.float64(4.5)
    """
    replace_file(path, packed(function, signatures, gradients))


def packed(function: Any, signatures: Specs | None = None, gradients: bool = False) -> bytes:
    """The content of the file that `save` writes."""
    told = getattr(function, "__ag_endpoints__", None)
    if told is not None and signatures is None:  # a model knows its inputs
        function, signatures = told()["__call__"]
    source = _source(function)
    found = list(_signatures(source, signatures))
    if gradients:
        for signature in found:
            _check_gradients(signature.concrete._traced.graph)
    document, arrays = _Document(source, found).finish()
    document["gradients"] = gradients
    # A file that could not be loaded must not be written.
    program_of(json.loads(json_text(document)), lambda entry, *_: arrays[entry], "")
    return pack(document, arrays)


class _Source(NamedTuple):
    """What is saved: a Function or Program, and the object that it is bound to."""

    function: Any
    instance: Any = None

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters of a call."""
        return list(self.function._bind.signature.parameters.values())

    def call(self, specs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call that specs stand for: one or several by position, or a dict by parameter."""
        own = () if self.instance is None else (self.instance,)
        if not isinstance(specs, Mapping):
            return (*own, *(specs if isinstance(specs, (list, tuple)) else [specs])), {}
        named = dict(zip((p.name for p in self.parameters), own, strict=False)) | dict(specs)
        known = {p.name: named.pop(p.name) for p in self.parameters if p.name in named}
        call = inspect.BoundArguments(self.function._bind.signature, OrderedDict(known))
        call.apply_defaults()
        return call.args, {**call.kwargs, **named}


def _source(function: Any) -> _Source:
    if isinstance(function, BoundFunction):
        return _Source(function.__func__, function.__self__)
    if isinstance(function, (Function, Program)):
        return _Source(function)
    if callable(function) and not isinstance(function, ConcreteFunction):
        return _source(convert(function))
    raise TypeError(f"cannot save {function!r}: it is no function; `convert` makes one")


# ---- which graphs ----------------------------------------------------------------------------


def _signatures(source: _Source, wanted: Specs | None) -> Iterator[Signature]:
    if isinstance(source.function, Program):
        yield from _of_program(source.function, wanted)
        return
    if wanted is None:
        yield from _existing(source)
        return
    named = wanted if isinstance(wanted, Mapping) else {DEFAULT_NAME: wanted}
    if not named:
        raise ValueError("`signatures` is empty")
    for name, specs in named.items():
        if not is_name(name):
            raise TypeError(f"the name of a signature is a text, not {name!r}")
        args, kwargs = source.call(specs)
        yield _traced(source, name, args, kwargs)


def _of_program(program: Program, wanted: Specs | None) -> Iterator[Signature]:
    if wanted is not None:
        raise ValueError("a loaded program has the signatures that it was saved with, no others")
    yield from program._signatures


def _existing(source: _Source) -> Iterator[Signature]:
    """The graphs that the function has and could still use."""
    function = source.function
    number = 0
    stale = None
    if function.input_signature is not None and not function.traces():
        yield _traced(source, DEFAULT_NAME, *source.call(function.input_signature))
        return
    for concrete in function.traces():
        if source.instance is not None and not _is_of(concrete, source.instance):
            continue
        broken = concrete.broken_guards()
        if broken:
            stale = broken[0]
            continue
        if concrete._traced.stages_nothing:
            continue
        number += 1
        name = DEFAULT_NAME if number == 1 else f"{DEFAULT_NAME}_{number}"
        yield Signature(name, concrete, _declared(function, concrete._traced.arguments))
    if not number:
        why = "it has not been called yet" if stale is None else f"what it read changed: {stale}"
        if stale is None and function.traces():
            why = "nothing in it depends on its arrays, it runs as plain Python"
        raise ValueError(
            f"`{function.__name__}` has no graph to save: {why}; call it, or pass `signatures`, "
            "such as [TensorSpec([None])]"
        )


def _declared(function: Any, arguments: Arguments) -> tuple[bool, ...]:
    """Which leaves the function's input signature has a spec for."""
    bound = arguments.rebuild(arguments.leaves)
    specs = tree.leaves({**bound, **function._declared(bound)})
    return tuple(isinstance(spec, TensorSpec) for spec in specs)


def _is_of(concrete: ConcreteFunction, instance: Any) -> bool:
    leaves = concrete._traced.arguments.leaves
    first = leaves[0] if leaves else None
    return isinstance(first, Identity) and first.ref() is instance


def _traced(source: _Source, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature:
    """The graph for arguments in which specs stand for arrays."""
    function = source.function
    concrete, declared = function._trace_declared(args, kwargs)
    if concrete._traced.stages_nothing:
        raise ValueError(
            f"`{function.__name__}` has no graph for signature {name!r}: nothing in it depends on "
            "its arrays, it runs as plain Python"
        )
    return Signature(name, concrete, declared)


def _check_gradients(graph: Graph) -> None:
    """Raise where no gradient of some result leads to the inputs that can have one."""
    inputs = enumerate(v.type for v in graph.inputs)
    wanted = tuple(i for i, type_ in inputs if is_differentiable(type_))
    given = tuple(j for j, v in enumerate(graph.outputs) if is_differentiable(v.type))
    linearize(graph, wanted, given)


# ---- the document ----------------------------------------------------------------------------


class _Document:
    """The JSON document of a program in the making."""

    def __init__(self, source: _Source, signatures: list[Signature]) -> None:
        self.source = source
        self.signatures = signatures
        self.arrays = Arrays()
        self.writer = Writer(self.arrays, (*EXCEPTIONS, WRITERS))
        self.places = Places()
        self.state = State(self.writer)
        self.dropped = self._dropped()

    def finish(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The document, and the arrays by the names of their entries."""
        function = self.source.function
        _refuse_overlap(self.signatures)
        rows = [self._signature(signature) for signature in self.signatures]
        document = {
            "format": FORMAT,
            "version": VERSION,
            "name": function.__name__,
            "parameters": self._parameters(),
            "gradients": False,
            "signatures": rows,
            "variables": self.state.variables,
            "captured": self.state.captured,
            "files": self.places.files(),
        }
        return document, self.arrays.entries

    # ---- parameters --------------------------------------------------------------------------

    def _dropped(self) -> dict[str, Any]:
        """The parameters that are objects, and so part of the program, with their objects' keys."""
        dropped: dict[str, Any] = {}
        for number, signature in enumerate(self.signatures):
            own = dict(self._objects(signature))
            if number and own != dropped:
                names = ", ".join(f"`{name}`" for name in {**dropped, **own})
                raise UnsavableError(
                    f"`{self.source.function.__name__}` was traced for several objects ({names})",
                    "save one file per object, with `signatures` for it",
                )
            dropped = own
        return dropped

    def _objects(self, signature: Signature) -> Iterator[tuple[str, Any]]:
        """Parameters that hold an object, which no caller of the loaded program can pass."""
        arguments = signature.arguments
        position = 0
        structure = arguments.structure
        for name, child in zip(structure.keys, structure.children, strict=True):
            keys = arguments.keys[position : position + child.size]
            position += child.size
            if not any(map(self._is_object, keys)):
                continue
            if any(map(is_input_key, keys)):
                raise UnsavableError(
                    f"parameter `{name}` of `{self.source.function.__name__}` holds an object "
                    "beside arrays, which a loaded program cannot be given",
                    "pass the object as a parameter of its own, or in a closure",
                )
            yield name, keys

    def _is_object(self, key: Any) -> bool:
        if is_input_key(key):
            return False
        if isinstance(key, Identity):
            return True
        try:
            self.writer.write(key[1:])
        except Unstorable:
            return True
        return False

    def _parameters(self) -> list[dict[str, Any]]:
        rows = []
        for parameter in self.source.parameters:
            if parameter.name in self.dropped:
                continue
            row: dict[str, Any] = {"name": parameter.name, "kind": parameter.kind.name}
            if parameter.default is not parameter.empty:
                what = f"the default of `{parameter.name}`"
                row["default"] = self._written(parameter.default, what)
            rows.append(row)
        return rows

    def _written(self, x: Any, what: str) -> Any:
        try:
            return self.writer.write(x)
        except Unstorable as error:
            raise UnsavableError(
                f"`{self.source.function.__name__}` cannot be saved: {what} is {error}",
                "a saved program holds arrays, numbers, text and operations",
            ) from None

    def _structure(self, structure: tree.Structure, what: str) -> Any:
        try:
            return write_structure(structure, self.writer)
        except Unstorable as error:
            raise UnsavableError(
                f"`{self.source.function.__name__}` cannot be saved: in {what} is {error}",
                "use tuples, lists, dicts, named tuples and dataclasses",
            ) from None

    # ---- signatures --------------------------------------------------------------------------

    def _signature(self, signature: Signature) -> dict[str, Any]:
        traced = signature.concrete._traced
        self._refuse_errors(traced)
        arguments, declared = self._without_dropped(signature)
        structure, holes = traced.result
        pairs = zip(arguments.keys, declared, arguments.leaves, strict=True)
        row: dict[str, Any] = {
            "name": signature.name,
            "arguments": {
                "structure": self._structure(arguments.structure, "the arguments"),
                "leaves": [self._leaf(key, is_spec, leaf) for key, is_spec, leaf in pairs],
            },
            "reads": self._reads(traced),
            "graph": write_graph(_graph_of(traced), self.writer, self.places),
            "result": {
                "structure": self._structure(structure, "the result"),
                "leaves": [self._hole(hole) for hole in holes],
            },
            "outputs": traced.outputs,
            "tensors": _has_own_tensors(traced),
        }
        returns = signature.concrete._returns
        extras = {
            "returns": returns,
            "written": traced.written,
            "identities": [list(pair) for pair in traced.identities.items()],
            "choices": [
                [out, which, [list(pair) for pair in positions.items()]]
                for out, (which, positions) in traced.choices.items()
            ],
            "relaxed": signature.concrete.relaxed,
            "writes_before_errors": traced.writes_before_errors,
            "compares_arrays": traced.compares_arrays,
            "contiguous": traced.contiguous,
        }
        return {**row, **{key: value for key, value in extras.items() if value}}

    def _refuse_errors(self, traced: Traced) -> None:
        """Refuse a result with the text of a caught exception: no file holds exceptions."""
        if any(isinstance(value.type, ErrorType) for value in traced.graph.outputs):
            raise UnsavableError(
                f"`{self.source.function.__name__}` cannot be saved: its result is the text of an "
                "exception that was caught",
                'give back a text of your own (`return "failed"`), or a number',
            )

    def _without_dropped(self, signature: Signature) -> tuple[Arguments, tuple[bool, ...]]:
        arguments = signature.arguments
        structure = arguments.structure
        rows: list[int] = []
        keys, children, position = [], [], 0
        for name, child in zip(structure.keys, structure.children, strict=True):
            span = range(position, position + child.size)
            position += child.size
            if name not in self.dropped:
                rows += span
                keys.append(name)
                children.append(child)
        kept = structure._replace(keys=tuple(keys), children=tuple(children))
        picked = Arguments(
            kept,
            tuple(arguments.leaves[i] for i in rows),
            tuple(arguments.paths[i] for i in rows),
            tuple(arguments.keys[i] for i in rows),
        )
        return picked, tuple(signature.declared[i] for i in rows)

    def _leaf(self, key: Any, declared: bool, leaf: Any) -> dict[str, Any]:
        if not is_input_key(key):
            return {"value": self._written(leaf, "a constant argument")}
        if key[0] == GENERATOR:
            raise UnsavableError(
                "a function that is given a generator of NumPy's cannot be saved",
                "give it the numbers that are drawn, or draw from an `ag.random.Generator`, which "
                "becomes a part of the program",
            )
        text = type_text(type_of_key(key).on(None))  # a file says nothing of devices
        if declared:
            return {"spec": text}
        if key in (FLOAT, INT, COMPLEX):
            return {"number": text}
        if key[0] in ("tensor", "scalar", "weak"):
            return {key[0]: text}
        return {"array": text}

    def _reads(self, traced: Traced) -> list[dict[str, int]]:
        found = []
        for captured in traced.captured:
            found.append((captured.place.fetch(), captured.place.name))
        found += [(thing, getattr(thing, "name", None) or "an array") for thing in traced.externals]
        return [self._refer(thing, name.replace("`", "")) for thing, name in found]

    def _refer(self, thing: Any, name: str) -> dict[str, int]:
        try:
            return self.state.refer(thing, name)
        except Unstorable as error:
            raise UnsavableError(
                f"`{self.source.function.__name__}` cannot be saved: it reads {error}",
                "a saved program reads Variables, tensors and arrays",
            ) from None

    def _hole(self, hole: Any) -> dict[str, Any]:
        if isinstance(hole, ResultHole):
            return {"array" if isinstance(hole, ArrayHole) else "output": hole.index}
        if isinstance(hole, TextHole):
            text = self._written(hole.text, "its result")
            return {"text": text, "first": hole.first, "count": hole.count}
        if isinstance(hole, NoneHole):
            nest = self._nest(hole.structure, map(self._hole, hole.holes))
            return {"optional": nest, "present": hole.present}
        if isinstance(hole, EntriesHole):
            nest = self._nest(hole.structure, map(self._hole, hole.holes))
            there, ranks = ([list(pair) for pair in x.items()] for x in (hole.there, hole.ranks))
            return {"entries": nest, "there": there, "ranks": ranks}
        if isinstance(hole, OptionalPart):
            if hole.structure.kind is None:
                return {**self._item_part(hole.parts[0]), "present": hole.present}
            nest = self._nest(hole.structure, map(self._item_part, hole.parts))
            return {"optional": nest, "present": hole.present}
        if isinstance(hole, RaggedPart):
            item = self._nest(hole.structure, map(self._item_part, hole.parts))
            return {"row": hole.row, "rows": list(hole.rows), "list": item}
        if isinstance(hole, NumberPart):
            return {"row": hole.row, "types": [*map(self._hole, hole.parts)]}
        if isinstance(hole, LettersPart):
            return {"row": hole.row, "letters": hole.letters}
        if isinstance(hole, ItemPart):
            number: dict[str, Any] = {"row": hole.row, "weak": hole.weak}
            if not isinstance(hole, TextPart):
                return number
            return number | {"texts": [self._written(text, "its result") for text in hole.texts]}
        if isinstance(hole, ListHole):
            item = self._nest(hole.structure, map(self._hole, hole.parts))
            found = {"list": item, "first": hole.first, "count": hole.count}
            return found if hole.kind.name == "list" else found | self._kind(hole.kind)
        assert isinstance(hole, FixedPart)
        return {"value": self._written(hole.value, "its result")}

    def _nest(self, structure: tree.Structure, leaves: Iterable[Any]) -> dict[str, Any]:
        """A part of the result that has parts."""
        return {"structure": self._structure(structure, "the result"), "leaves": [*leaves]}

    def _item_part(self, part: Any) -> dict[str, Any]:
        """What is in each item of a list: a number of it, or a value."""
        return self._hole(part if isinstance(part, ItemPart) else FixedPart(part))

    def _kind(self, kind: ContainerKind) -> dict[str, Any]:
        """What says which dict, set or deque a part of the result is."""
        if kind.name == "deque" and kind.factory is not None:
            return {"kind": kind.name, "factory": "", "most": kind.factory}
        name = next((name for name, factory in FACTORIES.items() if factory is kind.factory), None)
        if name is None:
            raise UnsavableError(
                f"in the result is a defaultdict whose factory is {kind.factory!r}, which is "
                "neither list nor a class of numbers",
                "return `dict(...)` of it",
            )
        return {"kind": kind.name, "factory": name}


def _graph_of(traced: Traced) -> Graph:
    """The graph, on the host, without what says which results are one array."""
    graph = traced.graph
    if len(graph.outputs) > traced.plain_outputs:
        outputs = graph.outputs[: traced.plain_outputs]
        graph = drop_dead_code(Graph(graph.inputs, graph.nodes, outputs, graph.name))
    return on_one_device(graph, None)


def _has_own_tensors(traced: Traced) -> bool:
    """Whether results are tensors whatever the arguments are."""
    given = any(is_input_key(key) and key[0] in ("tensor", "weak") for key in traced.arguments.keys)
    if not given:
        return traced.tensors
    kinds = [captured.kind for captured in traced.captured]
    is_array = [issubclass(kind, (np.ndarray, np.generic)) for kind in kinds]
    return (
        bool(traced.variables)
        or not all(is_array)
        or any(not isinstance(thing, np.ndarray) for thing in traced.externals)
    )


def _refuse_overlap(signatures: list[Signature]) -> None:
    """Refuse captured arrays of which one shows a part of another, if some are written.

    They would be separate arrays in the file.
    """
    arrays: dict[int, tuple[str, Any]] = {}
    is_written = False
    for signature in signatures:
        traced = signature.concrete._traced
        count = len(traced.arguments.inputs())
        is_written = is_written or any(position >= count for position in traced.written)
        for captured in traced.captured:
            thing = captured.place.fetch()
            if isinstance(thing, np.ndarray):
                arrays[id(thing)] = (captured.place.name, thing)
    rows: list[tuple[str, Any]] = list(arrays.values()) if is_written else []
    for number, (name, array) in enumerate(rows):
        for other_name, other in rows[:number]:
            if np.may_share_memory(array, other):
                raise UnsavableError(
                    f"{name} and {other_name} share memory, and the function writes into one of "
                    "them; loaded, they would be two arrays",
                    "capture the whole array only, and take the part of it in the function",
                )
