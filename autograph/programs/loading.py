"""`load`: a program out of a file that `autograph.programs.saving` wrote.

Nothing in the file is trusted: each part is asked for by name and type, each graph is checked and
its types are inferred anew, and nothing is imported, evaluated or run.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from typing import IO, Any

from autograph.operators.captured.captures import Captured, Place
from autograph.operators.results.reconstruction import (
    ItemPart,
    LettersPart,
    NumberPart,
    OptionalPart,
    RaggedPart,
    TextPart,
)
from autograph.operators.values.runs import FACTORIES, KINDS, ContainerKind
from autograph.programs.program import Program, Signature
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.options import Binding
from autograph.tracing.replay import ArrayWriter, Writers
from autograph.tracing.results import (
    ArrayHole,
    EntriesHole,
    FixedPart,
    ListHole,
    NoneHole,
    ResultHole,
    TextHole,
)
from autograph.tracing.signature import Arguments, IntPolicy, leaf_key, paths_of
from autograph.tracing.traced import Traced
from runtime.devices import HOST, moved, placement
from runtime.graph.check import accepts
from runtime.graph.ir import Graph
from runtime.ops.declaration.operands import is_number
from runtime.passes.placement import on_one_device
from runtime.save.container import Archive, read
from runtime.save.dtypes import parse_type
from runtime.save.exceptions import EXCEPTIONS
from runtime.save.graphs import read_graph
from runtime.save.places import Lines
from runtime.save.reading import Malformed, is_name, members, whole
from runtime.save.state import read_captured, read_reference, read_variables
from runtime.save.structures import read_structure
from runtime.save.values import Kind, Reader, Unstorable, Writer
from runtime.spec import WEAK_DTYPES, TensorType
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["FORMAT", "VERSION", "WRITERS", "load", "program_of", "unpacked"]

FORMAT = "autograph program"
# Raised when the document changes in a way that older readers do not know.
VERSION = 1
_KINDS = {kind.name: kind for kind in inspect._ParameterKind}
_NO_POLICY = IntPolicy(set(), set(), {})
_NUMBERS = {str(TensorType(d, (), weak=True)): (kind.__name__,) for kind, d in WEAK_DTYPES.items()}
_MOST = 10_000_000

ArraySource = Callable[[str, Any, tuple[int, ...]], Any]


def load(path: str | os.PathLike[str]) -> Program:
    """The program in a file that `save` wrote: called as the function was, without its source.

    Raises SavedProgramError, with the entry and the reason, for a file that is damaged, hostile, of
    a newer version or of another kind; OSError where it cannot be read. No code in the file is run.
    How much memory may be taken is set by `AUTOGRAPH_MAX_SAVED_BYTES`. Files say nothing of
    devices: within `with ag.device(...)` the program is put on that device, else on the host.

    >>> import tempfile
    >>> import autograph as ag
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(ag.convert(lambda x: x + 1), f"{folder}/f.agz", [ag.TensorSpec([None])])
    ...     ag.load(f"{folder}/f.agz")
    <Program <lambda>(x)>
    """
    program: Program = read(os.fspath(path), _program)
    program.path = os.fspath(path)
    return program


def unpacked(stream: IO[bytes], path: str = "program.agz") -> Program:
    """The program in an open file."""
    return _program(Archive(stream, path))


def _program(archive: Archive) -> Program:
    document = archive.manifest(FORMAT)
    with archive.reading("program.json"):
        program = program_of(document, archive.array, archive.path)
        archive.check_all_read()
    return program


def program_of(document: Any, array: ArraySource, path: str) -> Program:
    """The program of a JSON document; `array` gives the arrays of its entries."""
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise Malformed(f"it has version {version!r:.20}; this release reads up to {VERSION}")
    _, _, name, parameters, _, rows, variables, captured, files = members(
        document,
        {"format": (str,), "version": (int,), "name": (str,), "parameters": (list,),
         "gradients": (bool,), "signatures": (list,), "variables": (list,), "captured": (list,),
         "files": (list,)},
        {},
    )  # fmt: skip
    if not is_name(name) or not rows:
        raise Malformed("a program has a name and signatures")
    loader = _Loader(array, name, Lines(files, path))
    loader.read_state(variables, captured)
    signature = loader.parameters(parameters)
    program = loader.program(signature, [loader.signature(row, signature) for row in rows])
    loader.lines.publish()
    return program


class _Loader:
    """Reads the parts of one document."""

    def __init__(self, array: ArraySource, name: str, lines: Lines) -> None:
        self.reader = Reader(array, (*EXCEPTIONS, WRITERS))
        self.name = name
        self.lines = lines
        self.variables: list[Variable] = []
        self.captured: list[tuple[str, Any]] = []
        # That of a `with device(...)`: the whole program is put there. None: the host.
        wanted = placement()
        self.device = None if wanted in (None, HOST) else wanted

    def read_state(self, variables: Any, captured: Any) -> None:
        """Makes the variables and captured arrays."""
        self.variables = read_variables(variables, self.reader)
        self.captured = [
            (name, _on_device(thing, self.device))
            for name, thing in read_captured(captured, self.reader)
        ]

    def program(self, signature: inspect.Signature, signatures: list[Signature]) -> Program:
        """The program of these signatures."""
        names = [s.name for s in signatures]
        if len(set(names)) != len(names):
            raise Malformed("two signatures have the same name")
        titles: dict[str, Any] = {}
        for name, thing in self.captured:
            key, tail = name, 1
            while key in titles:
                tail += 1
                key = f"{name}_{tail}"
            titles[key] = thing
        return Program(self.name, signature, signatures, self.variables, titles, self.device)

    def parameters(self, rows: Any) -> inspect.Signature:
        """The parameters of a call."""
        made = []
        for row in rows:
            default = inspect.Parameter.empty
            if type(row) is dict and "default" in row:
                default = self.reader.read(row["default"])
                row = {key: value for key, value in row.items() if key != "default"}
            name, kind = members(row, {"name": (str,), "kind": (str,)}, {})
            if kind not in _KINDS or not name.isidentifier():
                raise Malformed(f"{name[:40]!r} is no parameter")
            made.append(inspect.Parameter(name, _KINDS[kind], default=default))
        return inspect.Signature(made)

    # ---- signatures --------------------------------------------------------------------------

    def signature(self, row: Any, parameters: inspect.Signature) -> Signature:
        """One graph, with its arguments and result."""
        (name, arguments, reads, graph, result, outputs, tensors,
         returns, written, identities, choices, relaxed, before_errors, compares,
         contiguous) = members(
            row,
            {"name": (str,), "arguments": (dict,), "reads": (list,), "graph": (dict,),
             "result": (dict,), "outputs": (int,), "tensors": (bool,)},
            {"returns": (str,), "written": (list,), "identities": (list,), "choices": (list,),
             "relaxed": (bool,), "writes_before_errors": (bool,),
             "compares_arrays": (bool,), "contiguous": (list,)},
        )  # fmt: skip
        if not is_name(name) or returns not in (None, "tensor", "numpy"):
            raise Malformed("a signature has a name")
        own, declared = self._arguments(arguments, parameters)
        made = read_graph(graph, self.reader, self.lines)
        if self.device is not None:
            made = on_one_device(made, self.device)
        captured, externals = self._reads(reads, made, own)
        whole(outputs, 0, len(made.outputs), "number of results")
        _check_pending(made)
        traced = Traced(
            graph=made,
            arguments=own,
            externals=externals,
            captured=captured,
            guards=[],
            result=self._result(result, outputs),
            written=_positions(written or (), len(made.inputs), "a written input"),
            outputs=outputs,
            tensors=tensors,
            has_effects=True,
            notes=[],
            variables=[x for x in externals if isinstance(x, Variable)],
            identities=_pairs(identities or (), outputs, len(made.inputs)),
            choices=_choices(choices or (), made, outputs),
            contiguous=_positions(contiguous or (), len(made.inputs), "a contiguous input"),
            writes_before_errors=bool(before_errors),
            compares_arrays=bool(compares),
        )
        _check_written(traced)
        concrete = ConcreteFunction(self.name, Binding.of(parameters), returns, traced, "loaded")
        concrete.relaxed = bool(relaxed)
        return Signature(name, concrete, declared)

    def _arguments(
        self, part: Any, parameters: inspect.Signature
    ) -> tuple[Arguments, tuple[bool, ...]]:
        nest, rows = members(part, {"structure": (dict,), "leaves": (list,)}, {})
        structure = read_structure(nest, self.reader)
        if structure.kind is not dict or structure.keys != tuple(parameters.parameters):
            raise Malformed("the arguments of a signature are not those of the function")
        if structure.size != len(rows):
            raise Malformed(f"{len(rows)} arguments are given for {structure.size}")
        paths = tuple(paths_of(structure))
        leaves, keys, declared = [], [], []
        for row, path in zip(rows, paths, strict=True):
            leaf, key, is_spec = self._leaf(row, path)
            leaves.append(leaf)
            keys.append(key)
            declared.append(is_spec)
        return Arguments(structure, tuple(leaves), paths, tuple(keys)), tuple(declared)

    def _leaf(self, part: Any, path: str) -> tuple[Any, Any, bool]:
        """Constant, key and whether it is declared, of one leaf of the arguments."""
        if type(part) is not dict or len(part) != 1:
            raise Malformed("an argument has a type or a value")
        ((word, content),) = part.items()
        if word == "value":
            value = self.reader.read(content)
            return value, leaf_key(value, path, _NO_POLICY), False
        if type(content) is not str:
            raise Malformed("an argument has a type or a value")
        if word == "number" and content in _NUMBERS and content != "bool":
            return None, _NUMBERS[content], False
        type_ = parse_type(content)
        if not isinstance(type_, TensorType) or type_.weak != (word == "weak"):
            raise Malformed(f"no argument is a {word[:20]} of type {content[:80]}")
        return None, _key(word, type_.on(self.device)), word == "spec"

    def _reads(
        self, parts: Any, graph: Graph, arguments: Arguments
    ) -> tuple[list[Captured], list[Any]]:
        """What the inputs of the graph are that follow the arguments."""
        given = [type_ for _, _, type_ in arguments.inputs()]
        things = [read_reference(part, self.variables, self.captured) for part in parts]
        types = [*given, *(type_ for _, type_ in things)]
        if len(types) != len(graph.inputs):
            raise Malformed(f"{len(types)} inputs are given for {len(graph.inputs)} of the graph")
        for value, type_ in zip(graph.inputs, types, strict=True):
            if not accepts(value.type, type_):
                raise Malformed(f"an input of the graph is {value.type}, but {type_} is given")
        captured: list[Captured] = []
        externals: list[Any] = []
        for (thing, type_), part in zip(things, parts, strict=True):
            if isinstance(thing, Variable) or externals:
                externals.append(thing)
            else:
                captured.append(_captured(self.captured[part["captured"]][0], thing, type_))
        return captured, externals

    def _result(self, part: Any, outputs: int, depth: int = 0) -> Any:
        nest, rows = members(part, {"structure": (dict, str), "leaves": (list,)}, {})
        structure = read_structure(nest, self.reader)
        if structure.size != len(rows):
            raise Malformed(f"{len(rows)} results are given for {structure.size}")
        if depth > _DEEPEST:
            raise Malformed("a result is nested too deeply")
        return structure, [self._hole(row, outputs, depth) for row in rows]

    def _hole(self, part: Any, outputs: int, depth: int) -> Any:
        if type(part) is dict and "text" in part:
            _, first, count = members(part, {"text": (dict,), "first": (int,), "count": (int,)}, {})
            whole(first, 0, outputs, "first value of a text")
            self.reader.holes = whole(count, 0, outputs - first, "number of values of a text")
            text = self.reader.read(part["text"])
            self.reader.holes = 0
            return TextHole(text, first, count)
        if type(part) is dict and "optional" in part:
            nest, present = members(part, {"optional": (dict,), "present": (int,)}, {})
            whole(present, 0, outputs - 1, "number of a result")
            structure, holes = self._result(nest, outputs, depth + 1)
            return NoneHole(structure, holes, present)
        if type(part) is dict and "entries" in part:
            nest, *pairs = members(
                part, {"entries": (dict,), "there": (list,), "ranks": (list,)}, {}
            )
            structure, holes = self._result(nest, outputs, depth + 1)
            count = len(structure.children)
            if structure.kind is not dict:
                raise Malformed("keys are said to be missing at times in what is no dict")
            there, ranks = (_pairs(x, count, outputs) for x in pairs)
            if ranks and len(ranks) != count:
                raise Malformed(f"{len(ranks)} of {count} keys have a rank")
            return EntriesHole(structure, holes, there, ranks)
        if type(part) is dict and "list" in part:
            item, first, count, kind, factory, most = members(
                part,
                {"list": (dict,), "first": (int,), "count": (int,)},
                {"kind": (str,), "factory": (str,), "most": (int,)},
            )
            whole(first, 0, outputs, "first output of a list")
            whole(count, 1, outputs - first, "number of outputs of a list")
            structure, parts = self._item(item, count)
            made = _container_kind(kind, factory, structure)
            if most is not None:
                if made.name != "deque":
                    raise Malformed("only a deque has a greatest length")
                made = made._replace(factory=whole(most, 0, sys.maxsize, "length of a deque"))
            return ListHole(structure, parts, first, count, kind=made)
        if type(part) is not dict or len(part) != 1:
            raise Malformed("a result is an output, a text or a value")
        ((word, content),) = part.items()
        if word == "value":
            return FixedPart(self.reader.read(content))
        if word not in ("output", "array"):
            raise Malformed(f"{word[:20]!r} is no kind of result")
        hole = ArrayHole if word == "array" else ResultHole
        return hole(whole(content, 0, outputs - 1, "number of a result"))

    def _item(self, part: Any, count: int, depth: int = 0) -> tuple[tree.Structure, list[Any]]:
        """The structure of the items of a list, and what is in each."""
        nest, rows = members(part, {"structure": (dict, str), "leaves": (list,)}, {})
        structure = read_structure(nest, self.reader)
        if structure.size != len(rows):
            raise Malformed(f"{len(rows)} parts are given for items of {structure.size}")
        return structure, [self._part_of_item(row, count, depth) for row in rows]

    def _part_of_item(self, part: Any, count: int, depth: int) -> ItemPart | FixedPart:
        if type(part) is dict and part.keys() == {"value"}:
            return FixedPart(self.reader.read(part["value"]))
        if type(part) is dict and "list" in part:
            return self._lists_in_items(part, count, depth)
        if type(part) is dict and "letters" in part:
            numbers = members(part, {"row": (int,), "letters": (int,)}, {})
            what = "number of a part of an item"
            return LettersPart(*(whole(number, 0, count - 1, what) for number in numbers))
        if type(part) is dict and "types" in part:
            return self._number_of_types(part, count)
        if type(part) is dict and "optional" in part:
            return self._optional_in_items(part, count, depth)
        required: dict[str, tuple[type, ...]] = {"row": (int,), "weak": (bool,)}
        row, weak, texts, present = members(part, required, {"texts": (list,), "present": (int,)})
        what = "number of a part of an item"
        found = self._number_of_item(whole(row, 0, count - 1, what), weak, texts)
        if present is None:
            return found
        return OptionalPart(tree.LEAF, [found], whole(present, 0, count - 1, what))

    def _number_of_types(self, part: Any, count: int) -> NumberPart:
        """A number in each item of a list, of one of several types."""
        which, types = members(part, {"row": (int,), "types": (list,)}, {})
        found = [self._part_of_item(one, count, _DEEPEST) for one in types]
        own = [one for one in found if type(one) is ItemPart]
        if not own or len(own) < len(found):
            raise Malformed("a number in a result is of types that are none")
        return NumberPart(whole(which, 0, count - 1, "number of a part of an item"), own)

    def _optional_in_items(self, part: Any, count: int, depth: int) -> OptionalPart:
        """Tuples that may be None, and are parts of the items of a list."""
        if depth >= _DEEPEST:
            raise Malformed("what may be None in a result is nested too deeply")
        item, present = members(part, {"optional": (dict,), "present": (int,)}, {})
        structure, parts = self._item(item, count, depth + 1)
        fixed = [x.value if isinstance(x, FixedPart) else x for x in parts]
        whole(present, 0, count - 1, "number of a part of an item")
        return OptionalPart(structure, fixed, present)

    def _lists_in_items(self, part: Any, count: int, depth: int) -> RaggedPart:
        """Lists, each of a length of its own, that are the items of a list."""
        if depth >= _DEEPEST:
            raise Malformed("lists in a result are nested too deeply")
        row, rows, item = members(part, {"row": (int,), "rows": (list,), "list": (dict,)}, {})
        what = "number of a part of an item"
        found = [whole(number, 0, count - 1, what) for number in rows]
        # What has no rows is in no item.
        structure, parts = self._item(item, max(len(found), 1), depth + 1)
        fixed = [x.value if isinstance(x, FixedPart) else x for x in parts]
        return RaggedPart(whole(row, 0, count - 1, what), found, structure, fixed)

    @staticmethod
    def _number_of_item(row: int, weak: bool, texts: list[Any] | None) -> ItemPart:
        if texts is None:
            return ItemPart(row, weak)
        if not texts or any(type(text) is not str for text in texts):
            raise Malformed("the texts of an item are no list of texts")
        return TextPart(row, tuple(texts))


# How deep parts of a result that may be None stand in each other.
_DEEPEST = 20


def _key(word: str, type_: TensorType) -> Any:
    """The key of a leaf of the arguments."""
    if word in ("spec", "array"):
        is_scalar = word == "spec" and type_.shape == ()
        if not is_scalar and type_.device is not None and type_.shape != ():
            return ("array on", type_.device, type_.dtype, type_.shape)
        return ("scalar", type_.dtype) if is_scalar else (type_.dtype, type_.shape)
    if word == "tensor" and type_.device is not None and type_.shape != ():
        return ("tensor", type_.device, type_.dtype, type_.shape)
    if word == "tensor":
        return ("tensor", type_.dtype, type_.shape)
    if word in ("scalar", "weak") and type_.shape == ():
        return (word, type_.dtype)
    raise Malformed(f"no argument is a {word[:20]!r}")


def _on_device(thing: Any, device: str | None) -> Any:
    """A captured array or tensor where the program is."""
    if device is None or is_number(thing):
        return thing
    return thing.to(device) if isinstance(thing, Tensor) else moved(thing, device)


def _captured(name: str, thing: Any, type_: Any) -> Captured:
    handle = thing if isinstance(thing, Tensor) else Tensor(thing)
    return Captured(Place(f"`{name}`", lambda: thing), type(thing), type_, handle, lambda: thing)


def _positions(part: Any, size: int, what: str) -> list[int]:
    found = [whole(x, 0, size - 1, what) for x in part]
    if len(set(found)) != len(found):
        raise Malformed(f"{what} is there twice")
    return found


def _pairs(part: Any, keys: int, values: int) -> dict[int, int]:
    """Pairs of positions."""
    found = {}
    for row in part:
        if type(row) is not list or len(row) != 2:
            raise Malformed("positions come in pairs")
        key = whole(row[0], 0, keys - 1, "position of a result")
        found[key] = whole(row[1], 0, values - 1, "position of an input")
    return found


def _choices(part: Any, graph: Graph, outputs: int) -> dict[int, tuple[int, dict[int, int]]]:
    found = {}
    for row in part:
        if type(row) is not list or len(row) != 3:
            raise Malformed("a choice is [result, number, positions]")
        out = whole(row[0], 0, outputs - 1, "position of a result")
        which = whole(row[1], outputs, len(graph.outputs) - 1, "position of a number")
        type_ = graph.outputs[which].type
        if not isinstance(type_, TensorType) or type_.shape != () or type_.dtype.kind not in "bi":
            raise Malformed("a choice is made by an integer")
        found[out] = (which, _pairs(row[2], _MOST, len(graph.inputs)))
    return found


def _check_written(traced: Traced) -> None:
    """Raise where what is written into an input does not fit it, or is not there."""
    graph = traced.graph
    contents = graph.outputs[traced.outputs :]
    expected = len(traced.written) + len(traced.choices)
    if len(contents) != expected:
        raise Malformed(
            f"the graph has {len(graph.outputs)} outputs; {expected} come after results"
        )
    for position, value in zip(traced.written, contents, strict=False):
        target = graph.inputs[position].type
        if not isinstance(target, TensorType) or target.weak or not accepts(target, value.type):
            raise Malformed(f"a {value.type} is written into an input that is a {target}")
    for value in graph.outputs:
        if not isinstance(value.type, TensorType):
            raise Malformed(f"an output of the graph is a {value.type}")


def _check_pending(graph: Graph) -> None:
    """Raise where what is to be written before an error has no place."""
    for node in graph.walk():
        write = node.attrs.get("write")
        if isinstance(write, Writers):
            positions = [p.position for p, _ in write.parts if isinstance(p, ArrayWriter)]
            types = [graph.inputs[p].type for p in positions if p < len(graph.inputs)]
            given = [v.type for v in node.inputs[: node.attrs["count"]]]
            if len(given) != len(types) or not all(map(accepts, types, given)):
                raise Malformed("what is written before an error does not fit the arguments")


# ---- writes before an error ------------------------------------------------------------------


def _container_kind(
    name: str | None, factory: str | None, structure: tree.Structure
) -> ContainerKind:
    """What is made of a list of items in a result."""
    if name is None and factory is None:
        return ContainerKind()
    is_pair = name in ("tuple", "set", "deque") or len(structure.children) == 2
    if name not in KINDS or factory not in FACTORIES or not is_pair:
        raise Malformed(f"no kind of container: {str(name)[:20]!r} of {str(factory)[:20]!r}")
    return ContainerKind(name, FACTORIES[factory])


def _write_writers(writer: Writer, x: Writers) -> list[int]:
    found = [w.position for w, count in x.parts if isinstance(w, ArrayWriter) and count == 1]
    if len(found) != len(x.parts):
        raise Unstorable("what it stores into a Python object before it may raise")
    return found


def _read_writers(reader: Reader, part: Any) -> Writers:
    if type(part) is not list or len(part) > reader.holes:
        raise Malformed("there are not as many arrays as values that are written")
    found = []
    for position in part:
        write = ArrayWriter()
        write.position = whole(position, 0, _MOST, "position of an array")
        found.append((write, 1))
    return Writers(tuple(found))


WRITERS = Kind("writes", (Writers,), _write_writers, _read_writers)
