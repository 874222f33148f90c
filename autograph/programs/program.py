"""`Program`: functions that came out of a file, with the variables and arrays they share."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from autograph.operators.captured.variables import Nullable
from autograph.operators.values.bodies import check_defined
from autograph.tracing.concrete import MISS, ConcreteFunction, LeftToPython
from autograph.tracing.fast_path import call_key
from autograph.tracing.matching import conform_leaf, unknown_dimensions
from autograph.tracing.options import Binding
from autograph.tracing.results import ListHole, ResultHole
from autograph.tracing.signature import (
    COMPLEX,
    FLOAT,
    INT,
    Arguments,
    IntPolicy,
    classify,
    describe_key,
    is_input_key,
    type_of_key,
)
from autograph.tracing.tracebacks import shorten
from runtime.building import Builder, building, traced
from runtime.devices import is_device_array, moved
from runtime.errors import DeviceError, StagingError
from runtime.graph.clone import clone
from runtime.graph.ir import Graph
from runtime.graph.view import FuncGraph
from runtime.process.dispatch_flag import count as _attention
from runtime.spec import TensorSpec, TensorType, is_compatible
from runtime.structure import tree
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Program", "Signature"]

_NUMBERS = {FLOAT: float, INT: int, COMPLEX: complex}
_INT_LIMIT = 2**63
_NO_POLICY = IntPolicy(set(), set(), {})
_MISFIT = object()


class Signature(NamedTuple):
    """One saved graph; `declared` says which leaves of the arguments were given as a spec.

    A declared leaf takes arrays, tensors, and lists and numbers of a dtype that can be cast.
    """

    name: str
    concrete: ConcreteFunction
    declared: tuple[bool, ...]

    @property
    def arguments(self) -> Arguments:
        """Structure and keys of the arguments."""
        return self.concrete._traced.arguments


class Program:
    """A saved function: callable as the original was, without its source.

    Made by `autograph.load`. Calls take the graph whose signature fits the arguments most closely;
    TypeError says which signatures there are when none does. Results are tensors where an argument
    is a tensor or the program has variables, arrays and numbers otherwise.

    >>> import tempfile
    >>> import autograph as ag
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ag.save(ag.convert(lambda x: x * 2), f"{folder}/double.agz", [1.5])
    ...     double = ag.load(f"{folder}/double.agz")
    >>> double(4.0), list(double.signatures)
    (8.0, ['call'])
    """

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        signatures: Sequence[Signature],
        variables: Sequence[Variable],
        captured: Mapping[str, Any],
        device: str | None = None,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self.__signature__ = signature
        self._bind = Binding(self)
        self._signatures = tuple(signatures)
        self._variables = tuple(variables)
        self._captured = dict(captured)
        self._fast: dict[Any, ConcreteFunction] = {}
        # Where it is computed, None on the host: arguments from elsewhere are copied there.
        self._device = device
        # The file that it was loaded from, if it was.
        self.path: str | None = None

    # ---- looking -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.__name__

    @property
    def signatures(self) -> Mapping[str, ConcreteFunction]:
        """The graphs by the names that they were saved under."""
        return MappingProxyType({s.name: s.concrete for s in self._signatures})

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of all graphs; `assign` changes what the program does."""
        return self._variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trainable."""
        return tuple(v for v in self._variables if v.trainable)

    @property
    def captured(self) -> Mapping[str, Any]:
        """The arrays that the function read from outside, by name; they can be changed in place."""
        return MappingProxyType(self._captured)

    @property
    def graph(self) -> FuncGraph:
        """The graph. Raises ValueError where there are several: see `signatures`."""
        if len(self._signatures) != 1:
            names = ", ".join(repr(s.name) for s in self._signatures)
            raise ValueError(
                f"`{self.name}` has {len(self._signatures)} graphs; take one of them by its name, "
                f"`.signatures[...].graph`: {names}"
            )
        return self._signatures[0].concrete.graph

    @property
    def function_spec(self) -> inspect.Signature:
        """The parameters of the function."""
        return self._bind.signature

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The graph for arguments like these: values, or a `TensorSpec` in an array's place.

        Without arguments, the only graph. Raises TypeError where none fits.
        """
        if not args and not kwargs and len(self._signatures) == 1:
            return self._signatures[0].concrete
        return self._select(self._bound(args, kwargs))[0].concrete

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all graphs."""
        parts = (s.concrete.pretty_printed_signature(verbose) for s in self._signatures)
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<Program {self.name}{self.__signature__}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} is not pickled; save it with `save`, and load the file instead")

    # ---- calling -----------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the graph whose signature fits the arguments."""
        try:
            if not kwargs and not _attention[0]:
                leaves: list[Any] = []
                concrete = self._fast.get(call_key(args, kwargs, (), (), leaves))
                result = MISS if concrete is None else concrete.run_quickly(leaves)
                if result is not MISS:
                    return result
            return self._call(args, kwargs)
        except LeftToPython as left:
            error: BaseException = left.why
        except BaseException as raised:
            shorten(raised)
            raise
        raise error

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if building() is not None:
            return self.__ag_call__(args, kwargs)
        for leaf in tree.leaves((args, kwargs)):
            if hasattr(leaf, "__ag_called__"):  # an input of a model, which makes a layer of it
                return leaf.__ag_called__(self, args, kwargs)
        if self._device is not None:
            return self._call_there(self._bound(args, kwargs))
        signature, leaves = self._select(self._bound(args, kwargs))
        concrete = signature.concrete
        if any(isinstance(leaf, Tensor) for leaf in leaves):
            concrete = concrete.with_tensors
        self._remember(args, kwargs, leaves, concrete)
        return concrete.run(leaves)

    def _call_there(self, bound: dict[str, Any]) -> Any:
        """A call on another device than the host; results go back where the arrays came from."""
        given = tree.leaves(bound)
        there = tree.map_structure(self._brought, bound)
        signature, leaves = self._select(there)
        concrete = signature.concrete
        written = concrete._traced.written
        if written and any(a is not b for a, b in zip(given, tree.leaves(there), strict=True)):
            raise DeviceError(
                f"`{self.name}` writes into an argument, and is given one that is not on "
                f"{self._device}",
                f"copy it first (`x.to({self._device!r})`)",
            )
        if any(isinstance(leaf, Tensor) for leaf in leaves):
            return concrete.with_tensors.run(leaves)
        result = concrete.run(leaves)
        if any(map(is_device_array, given)):
            return result
        return tree.map_structure(_home, result)

    def _brought(self, leaf: Any) -> Any:
        if isinstance(leaf, Tensor) and leaf.ndim:
            return leaf.to(cast(str, self._device))
        return moved(leaf, self._device) if isinstance(leaf, np.ndarray) and leaf.ndim else leaf

    def _remember(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        concrete: ConcreteFunction,
    ) -> None:
        """Take the short way from the next call on, where the arguments are the inputs."""
        as_given = len(args) == len(leaves) and all(map(lambda a, b: a is b, args, leaves))
        if kwargs or not as_given or not self._bind.simple or not concrete.is_quick:
            return
        key = call_key(args, kwargs, (), (), [])
        if key is not None and all(map(is_input_key, key)) and len(self._fast) < 1000:
            self._fast = {**self._fast, key: concrete}

    # ---- choosing ----------------------------------------------------------------------------

    def check(self, *args: Any, **kwargs: Any) -> None:
        """Raise TypeError, which tells of all signatures, where none fits the arguments."""
        self._select(self._bound(args, kwargs))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._bind.bind(args, kwargs)
        except TypeError as error:
            raise TypeError("\n".join([f"{error}; expected one of", *self._expected()])) from None

    def _expected(self) -> list[str]:
        return [f"  {s.name}: ({_described(s.arguments)})" for s in self._signatures]

    def _select(self, bound: dict[str, Any]) -> tuple[Signature, list[Any]]:
        """The signature that fits most closely, and the inputs of its graph."""
        fitting = []
        for signature in self._signatures:
            arguments = classify(_conformed(bound, signature, self.name), _NO_POLICY)
            found = _inputs(signature, arguments, self.name)
            if found is not None:
                kinds = sum(map(lambda a, b: a != b, signature.arguments.keys, arguments.keys))
                unknown = unknown_dimensions(signature.arguments)
                fitting.append(((unknown, kinds), signature, found))
        if not fitting:
            raise TypeError(self._misfit(bound))
        _, signature, leaves = min(fitting, key=lambda row: row[0])
        return signature, leaves

    def _misfit(self, bound: dict[str, Any]) -> str:
        arguments = classify(bound, _NO_POLICY)
        given = _described(arguments)
        lines = [f"`{self.name}` was not saved for ({given}); expected one of"]
        lines += self._expected()
        lines.append("save it with further `signatures`, or convert the arguments")
        return "\n".join(lines)

    # ---- inside of a trace -------------------------------------------------------------------

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from converted code: while tracing, the graph becomes a part of the caller's."""
        builder = building()
        if builder is None:
            return self(*args, **kwargs)
        signature, leaves = self._select(self._bound(args, kwargs))
        return _inlined(builder, signature.concrete, leaves)


def _home(x: Any) -> Any:
    return moved(x, None) if is_device_array(x) else x


def _described(arguments: Arguments) -> str:
    pairs = zip(arguments.paths, arguments.keys, strict=True)
    return ", ".join(f"{path}: {describe_key(key)}" for path, key in pairs)


def _conformed(bound: dict[str, Any], signature: Signature, name: str) -> dict[str, Any]:
    """Arguments in which a list is an array where a spec was declared for it."""
    structure = signature.arguments.structure
    places = _parameters(structure)
    found = dict(bound)
    for key, place in places.items():
        if place is None or not signature.declared[place]:
            continue
        if isinstance(bound.get(key), (list, tuple)):
            spec = _spec(signature.arguments.keys[place])
            try:
                found[key] = conform_leaf(bound[key], spec, key, name)
            except (TypeError, ValueError):
                return bound
    return found


def _parameters(structure: tree.Structure) -> dict[Any, int | None]:
    """The position among the leaves of each parameter that is a leaf itself."""
    places: dict[Any, int | None] = {}
    position = 0
    for key, child in zip(structure.keys, structure.children, strict=True):
        places[key] = position if child.kind is None else None
        position += child.size
    return places


def _spec(key: Any) -> TensorSpec:
    type_ = type_of_key(key)
    return TensorSpec(type_.shape, type_.dtype)


def _inputs(signature: Signature, arguments: Arguments, name: str) -> list[Any] | None:
    """The inputs of a graph for these arguments; None when they do not fit."""
    mine = signature.arguments
    if mine.structure != arguments.structure:
        return None
    found = []
    rows = zip(mine.keys, signature.declared, arguments.keys, arguments.leaves, strict=True)
    for wanted, declared, key, leaf in rows:
        if not is_input_key(wanted):
            if wanted != key:
                return None
            continue
        value = _input(wanted, declared, key, leaf, signature.concrete.relaxed)
        if value is _MISFIT:
            return None
        found.append(value)
    return found


def _input(wanted: Any, declared: bool, key: Any, leaf: Any, relaxed: bool) -> Any:
    """The input of the graph for one leaf."""
    type_ = type_of_key(wanted)
    if not is_input_key(key):
        if wanted == INT and type(leaf) is int and -_INT_LIMIT <= leaf < _INT_LIMIT:
            return leaf
        return _converted(leaf, type_) if declared else _MISFIT
    given = type_of_key(key)
    if not is_compatible(type_, given):
        return _converted(leaf, type_) if declared else _MISFIT
    if relaxed and wanted != key and _meets_small_size(type_, given):
        return _MISFIT
    if "tensor" in (key[0], wanted[0]) or "weak" in (key[0], wanted[0]):
        return leaf
    is_scalar = wanted[0] == "scalar"
    if is_scalar == (key[0] == "scalar"):
        return leaf
    return leaf[()] if declared and is_scalar else _MISFIT


def _meets_small_size(type_: TensorType, given: TensorType) -> bool:
    """Whether a size of 0 or 1 meets an open dimension: broadcasting changes there."""
    pairs = zip(type_.shape or (), given.shape or (), strict=False)
    return any(d is None and n is not None and n < 2 for d, n in pairs)


def _converted(leaf: Any, type_: TensorType) -> Any:
    """A Python number as a declared scalar, if its kind of number can be cast."""
    if type(leaf) not in (bool, int, float, complex):
        return _MISFIT
    array = np.asarray(leaf)
    fits = np.can_cast(array.dtype, type_.dtype, "same_kind")
    if not fits or not is_compatible(type_, TensorType(type_.dtype, ())):
        return _MISFIT
    return array.astype(type_.dtype)[()]


def _inlined(builder: Builder, concrete: ConcreteFunction, leaves: list[Any]) -> Any:
    """The nodes of a graph, added to the one that is being built; gives the result."""
    own = concrete._traced
    things = [*leaves, *(c.place.fetch() for c in own.captured), *own.externals]
    graph = clone(own.graph)
    _check_errors(builder, graph, concrete.name)
    pairs = zip(graph.inputs, things, strict=True)
    values = {inside: builder.value_of(thing) for inside, thing in pairs}
    for node in graph.nodes:
        inputs = [values[v] for v in node.inputs]
        types = [v.type for v in node.outputs]
        made = builder.emit(node.op, inputs, node.attrs, node.graphs, types)
        builder.tell_tapes(made, map(traced, inputs), tuple(map(traced, made.outputs)))
        values.update(zip(node.outputs, made.outputs, strict=True))
    results = [traced(values[v]) for v in graph.outputs]
    for position, value in zip(own.written, results[own.outputs :], strict=False):
        _write_through(things[position], value, concrete.name)
    for out, position in own.identities.items():
        results[out] = things[position]
    structure, holes = own.result
    return tree.unflatten(structure, [_traced_part(h, results, concrete.name) for h in holes])


def _check_errors(builder: Builder, graph: Graph, name: str) -> None:
    """Refuse errors in branches and loops where the caller has written something before the call.

    That would have to be noted before each node there that may raise.
    """
    if not any(part.can_raise for node in graph.nodes for g in node.graphs for part in g.walk()):
        return
    mark = builder.mark()
    builder.tell_pending()
    is_pending = builder.size(mark) > 0
    builder.truncate(mark)
    if is_pending:
        raise StagingError(
            f"`{name}` may raise in a branch or loop, which a loaded program cannot do inside of a "
            "graph behind what was written into objects",
            "call it outside of the converted function, or before the writes",
        )


def _write_through(target: Any, value: Tensor, name: str) -> None:
    if not isinstance(target, Tensor):
        raise StagingError(
            f"`{name}` writes into an array that it captured, which a loaded program cannot do "
            "inside of a graph",
            "call it outside of the converted function",
        )
    target.assign(value)


def _traced_part(hole: Any, results: list[Any], name: str) -> Any:
    if isinstance(hole, ResultHole):
        return results[hole.index]
    if hasattr(hole, "text"):
        raise StagingError(
            f"`{name}` returns text, which a loaded program cannot do inside of a graph",
            "call it outside of the converted function",
        )
    if isinstance(hole, ListHole):
        raise StagingError(
            f"`{name}` returns a list whose length depends on data, which a loaded program cannot "
            "do inside of a graph",
            "call it outside of the converted function",
        )
    if hasattr(hole, "present"):
        parts = [_traced_part(h, results, name) for h in hole.holes]
        value = tree.unflatten(hole.structure, parts)
        return Nullable(f"the result of `{name}`", value, results[hole.present], check_defined)
    return hole.value
