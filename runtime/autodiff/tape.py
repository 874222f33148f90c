"""`GradientTape`: remembers what is computed from what it watches, and differentiates it."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from runtime import ops, trace
from runtime.autodiff.adjoints import Adjoints
from runtime.autodiff.cotangents import conform, is_differentiable, type_of_any
from runtime.autodiff.explain import DEPENDS, STORED_INSIDE, Cut, reason
from runtime.autodiff.presence import plain
from runtime.autodiff.rows import for_each, unfolded, units
from runtime.autodiff.sweep import (
    CustomRecord,
    NodeRecord,
    NoGradientError,
    OpRecord,
    Record,
    heeding_records,
    key_of,
    sweep,
)
from runtime.building import building, traced
from runtime.devices import copied, is_device_array, placing_on
from runtime.errors import located
from runtime.graph.ir import Node, Op, Value
from runtime.ops.declaration.declare import no_gradient
from runtime.ops.declaration.operands import Abstract, type_of
from runtime.origins import origin_of_caller
from runtime.spec import TensorType
from runtime.structure import tree
from runtime.tensor import Tensor, is_constant
from runtime.variable import Variable

__all__ = [
    "GradientTape",
    "UnconnectedGradients",
    "lose",
    "make_read_only",
    "opaque",
    "protect",
    "watching",
]


class UnconnectedGradients(enum.Enum):
    """What the gradient is with respect to a source that the target does not depend on.

    >>> import autograph as ag
    >>> x, y = ag.Variable(1.0), ag.Variable(2.0)
    >>> with ag.GradientTape() as tape:
    ...     z = x * 3.0
    >>> tape.gradient(z, y, unconnected_gradients=ag.UnconnectedGradients.ZERO).item()
    0.0
    """

    NONE = "none"
    ZERO = "zero"


class _Pause:
    """A manager in which a tape records nothing."""

    def __init__(self, tape: GradientTape) -> None:
        self._tape, self._before = tape, False

    def __enter__(self) -> None:
        if self._tape._open is None:
            raise ValueError("the tape is not recording")
        self._before, self._tape._recording = self._tape._recording, False

    def __exit__(self, *details: object) -> None:
        self._tape._recording = self._before


class GradientTape:
    """Records operations for differentiation, in eager code and in converted functions.

    Trainable variables are watched when they are read, other tensors by `watch`. After one call of
    `gradient` the records are freed, unless the tape is `persistent`.

    >>> import autograph as ag
    >>> x = ag.constant(3.0)
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float64(6.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        # How often what it records is differentiated: a persistent tape may record its gradients.
        self.orders = 1 + persistent
        self._watches_variables = watch_accessed_variables
        self._recording = True
        self._open: AbstractContextManager[None] | None = None
        self._is_used = False
        self._variables: dict[Variable, None] = {}
        self._free()

    def _free(self) -> None:
        self._records: list[Record] = []
        # Keys of what depends on watched things, each with whatever keeps the key true.
        self._tracked: dict[Hashable, Any] = {}
        # By identity, what was watched, and the key of the value that it had then.
        self._watched: dict[int, tuple[Any, Hashable]] = {}
        self._nodes: set[Node] = set()
        self._cuts: dict[Hashable, Cut] = {}
        # Errors for gradients of anything but the results of a call, by the keys of these.
        self._lost: list[tuple[set[Hashable], Exception]] = []

    # ---- recording ---------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._open is not None:
            raise ValueError("the tape is recording already")
        self._open = trace.listening(self)
        self._open.__enter__()
        self._recording = True
        return self

    @property
    def is_open(self) -> bool:
        """Whether the tape is inside its `with` block."""
        return self._open is not None

    def __exit__(self, *error: Any) -> None:
        if self._open is not None:
            self._open.__exit__(*error)
            self._open = None

    def watch(self, tensor: Any) -> None:
        """Record what is computed from a tensor, variable or array, or from each in a nest.

        Watched integers have no gradient: there is a warning and the gradient is None.
        """
        for leaf in _sources(tensor)[0]:
            self._watch(leaf)

    def _watch(self, x: Any) -> None:
        if isinstance(x, Variable):
            self._variables[x] = None
        elif not isinstance(x, (Tensor, np.ndarray)) and not is_device_array(x):
            raise TypeError(
                f"a tape watches tensors, variables and arrays, not {type(x).__name__}: "
                "make a tensor of it with `constant`"
            )
        if not is_differentiable(_known_type(x)):
            _warn_of_integers("watched", x)
        builder = building()
        if builder is not None and isinstance(x, Tensor):
            builder.watch(x)
        key = key_of(x)
        self._tracked[key] = x
        self._watched[id(x)] = (x, key)

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched so far, in order."""
        return tuple(self._variables)

    def stop_recording(self) -> AbstractContextManager[None]:
        """Record nothing within the `with` block.

        Raises ValueError outside of the tape's own `with` block.
        """
        return _Pause(self)

    def reset(self) -> None:
        """Forget everything recorded and watched."""
        self._free()
        self._variables.clear()
        self._is_used = False

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> None:
        """Remember that `outputs` were computed from `inputs`, if from anything watched."""
        if not self._recording:
            return
        node = attrs.get("node")
        if node is not None:
            self._record_node(node)
            return
        keys = tuple(map(key_of, inputs))
        if op.effect == "read":
            self._auto_watch(keys[0])
        if not any(map(self.is_tracked, keys)):
            self._follow_cuts(keys, outputs)
            return
        results = () if op.vjp is no_gradient else self._track(outputs)
        if any(key is not None for key in results):
            self._records.append(_op_record(op, attrs, inputs, outputs, keys, results))
        else:
            cut = (op.name, origin_of_caller())
            self._cuts.update((key_of(x), cut) for x in outputs)

    def give_out(self, x: Any, how: str) -> None:
        """Nothing: what is computed of the plain number has no gradient, and may be meant so."""

    def lose(self, sources: Iterable[Any], results: Iterable[Tensor], error: Exception) -> None:
        """Know that a call wrote what it computed of `sources` where code without gradients reads.

        If that depends on anything watched, `error` is raised for gradients of all but `results`.
        """
        if self._recording and any(self.is_tracked(key_of(x)) for x in sources):
            self._lost.append(({x.key for x in results}, error))

    def _follow_cuts(self, keys: tuple[Hashable, ...], outputs: tuple[Any, ...]) -> None:
        """Remember of what lies behind an op without gradients which op that was."""
        for key in keys if self._cuts else ():
            if key in self._cuts:
                self._cuts.update((key_of(x), self._cuts[key]) for x in outputs)
                return

    def _record_node(self, node: Node) -> None:
        keys = [key_of(v) for v in node.inputs]
        for key in keys:
            self._auto_watch(key)
        if any(map(self.is_tracked, keys)):
            self._nodes.add(node)
            self._records.append(NodeRecord(node))

    def add(self, record: CustomRecord, outputs: Iterable[Any]) -> None:
        """Remember a record with a rule of its own."""
        self._track(outputs)
        self._records.append(record)

    def _track(self, outputs: Iterable[Any]) -> tuple[Hashable, ...]:
        """Keys of outputs, from now on tracked; None for what has no cotangent."""
        results = []
        for x in outputs:
            type_ = type_of_any(x)
            has_path = type_ is None or is_differentiable(type_)
            key = key_of(x) if has_path else None
            if has_path:
                self._tracked[key] = None
            results.append(key)
        return tuple(results)

    def _auto_watch(self, x: Any) -> None:
        if self._watches_variables and isinstance(x, Variable) and x.trainable:
            self._variables.setdefault(x)
            self._tracked.setdefault(x, x)

    def is_tracked(self, key: Hashable) -> bool:
        """Whether the value under `key` depends on something watched."""
        if key in self._tracked:
            return True
        return isinstance(key, Value) and key.node is not None and key.node in self._nodes

    def has_computed(self, key: Hashable) -> bool:
        """Whether the value under `key` was computed from something watched."""
        return key in self._tracked and self._tracked[key] is None

    def tracked(self, operands: Iterable[Any]) -> list[bool]:
        """Which operands depend on something watched; variables among them are accessed now."""
        if not self._recording:
            return [False for _ in operands]
        operands = list(operands)
        for x in operands:
            self._auto_watch(x)
        return [self.is_tracked(key_of(x)) for x in operands]

    # ---- differentiating ---------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Gradient of the sum of `target` with respect to `sources`, in the sources' structure.

        `output_gradients` weighs the elements of the target (same structure). Where the target
        does not depend on a source the result is None, or zeros if so asked for.
        Raises RuntimeError when the tape is not persistent and was used before.
        """
        self._use()
        targets = [self._read(x) for x in tree.leaves(target)]
        weights = tree.leaves(output_gradients)
        if output_gradients is None:
            weights = [None] * len(targets)
        if len(weights) != len(targets):
            raise ValueError(f"{len(targets)} targets, but {len(weights)} output_gradients")
        parts, structure = _sources(sources)
        fill = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        with self._paused():
            gradients = self._gradients(targets, parts, weights, fill)
        if not self.persistent:
            self._free()
        return tree.unflatten(structure, gradients)

    def _use(self) -> None:
        if self._is_used and not self.persistent:
            raise RuntimeError(
                "a non-persistent GradientTape gives gradients once: "
                "use GradientTape(persistent=True) for more"
            )
        self._is_used = True

    def _read(self, target: Any) -> Any:
        """A target as it is now; which of several arrays it is, is chosen on the tape."""
        if not isinstance(target, Tensor):
            return target
        before, self._recording = self._recording, True
        try:
            with nullcontext() if self.is_open else trace.listening(self):
                return target.current()
        finally:
            self._recording = before

    @contextmanager
    def _paused(self) -> Iterator[None]:
        """A tape that is used up by this does not record it."""
        before, self._recording = self._recording, self._recording and self.persistent
        try:
            yield
        finally:
            self._recording = before

    def _gradients(
        self, targets: list[Any], sources: list[Any], weights: list[Any], fill: bool
    ) -> list[Any]:
        for results, error in self._lost:
            if not all(key_of(y) in results for y in targets if y is not None):
                raise error
        keys = [self._key("source", x) for x in sources]
        records = list(self._records)
        kept = {key for key in keys if key is not None}
        adjoints = Adjoints(kept, heeding_records(records).__contains__)
        for y, weight in zip(targets, weights, strict=True):
            key = self._key("target", y)
            if key is not None:
                adjoints.add(key, _seed(y, weight))
        sweep(records, adjoints, self.is_tracked)
        return [
            _result(x, None if key is None else plain(adjoints.get(key)), fill)
            for x, key in zip(sources, keys, strict=True)
        ]

    def _key(self, role: str, x: Any) -> Hashable:
        """Key of a target or source; None for what no gradient can be of.

        A source that was written to since it was watched means its value of then.
        """
        if x is None or not _has_gradient(role, x):
            return None
        watched = self._watched.get(id(x)) if role == "source" else None
        return key_of(x) if watched is None else watched[1]

    def explain(self, target: Any, source: Any) -> str:
        """Why the gradient of `target` by `source` is what it is, above all when it is None.

        To be asked before a tape that is not persistent has given its gradient.

        >>> import autograph as ag
        >>> x = ag.constant(1.5)
        >>> with ag.GradientTape() as tape:
        ...     y = x * 2
        >>> print(tape.explain(y, x)[:44])
        the source is a tensor that was not watched:
        """
        watched = self._watched.get(id(source))
        key = key_of(source) if watched is None else watched[1]
        text = reason(target, source, key, self._records, self._cuts, self.is_tracked)
        if text != DEPENDS:
            return text
        target = self._read(target)
        before, self._recording = self._recording, False
        try:
            (found,) = self._gradients([target], [source], [None], False)
        except NoGradientError as error:
            return str(error)
        finally:
            self._recording = before
        return STORED_INSIDE if found is None else DEPENDS

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Derivatives of each element of `target` by each of `sources`.

        The shape of a result is the target's shape followed by the source's. The last two
        parameters are accepted for TensorFlow's sake.
        """
        self._use()
        parts, structure = _sources(sources)
        fill = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        shape = _static_shape(target, "jacobian")
        found = self._sweeps(target, parts, fill, units(type_of(target), shape))
        return tree.unflatten(structure, [unfolded(rows, shape, 0) for rows in found])

    def _sweeps(self, target: Any, sources: list[Any], fill: bool, weights: Any) -> list[Any]:
        """The gradients by each source for many weights of the target, along a first axis."""
        target = self._read(target)
        with self._paused():
            found = for_each(weights, lambda w: self._gradients([target], sources, [w], fill))
        if not self.persistent:
            self._free()
        return found

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Jacobian of each target[i] by source[i], where no other element of source matters.

        The result has the shape `(batch, *target.shape[1:], *source.shape[1:])`.
        """
        self._use()
        shape = _static_shape(target, "batch_jacobian")
        if not shape or tuple(type_of(source).shape or ())[:1] != shape[:1]:
            raise ValueError("target and source of a batch_jacobian must agree in the first axis")
        fill = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        weights = ops.expand_dims(units(type_of(target), shape[1:]), 1)
        weights = ops.broadcast_to(weights, (weights.shape[0], *shape))
        (rows,) = self._sweeps(target, [source], fill, weights)
        return None if rows is None else unfolded(ops.moveaxis(rows, 0, 1), shape[1:], 1)


def _sources(nest: Any) -> tuple[list[Any], Any]:
    """What gradients are with respect to, and its structure.

    An object may stand for a variable: `__ag_variable__` gives it.
    """
    leaves, structure = tree.flatten(nest)
    return [behind(x) for x in leaves], structure


def behind(x: Any) -> Any:
    """The variable that an object stands for, if it is one that does; else `x`."""
    given = getattr(type(x), "__ag_variable__", None)
    return x if given is None else given(x)


def lose(sources: Sequence[Any], results: Sequence[Tensor], error: Exception) -> None:
    """`GradientTape.lose` of all open tapes."""
    for tape in trace.tapes():
        if isinstance(tape, GradientTape):
            tape.lose(sources, results, error)


def watching(operands: Sequence[Any]) -> list[GradientTape]:
    """Open tapes that one of the operands matters to, innermost first."""
    tapes = [t for t in reversed(trace.tapes()) if isinstance(t, GradientTape)]
    return [t for t in tapes if any(t.tracked(operands))]


def _op_record(
    op: Op,
    attrs: dict[str, Any],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    keys: tuple[Hashable, ...],
    results: tuple[Hashable, ...],
) -> OpRecord:
    """A record that keeps of the operands only what the op's rule reads."""
    reads = op.reads
    kept = tuple(protect(x) if i in reads else _abstract(x) for i, x in enumerate(inputs))
    outs = tuple(protect(x) if "out" in reads else _abstract(x) for x in outputs)
    origin = origin_of_caller() if op.vjp is None else None
    return OpRecord(op, attrs, kept, outs, keys, results, origin)


def _abstract(x: Any) -> Any:
    """What stands for an operand whose value no rule reads."""
    type_ = type_of_any(x)
    if isinstance(type_, TensorType) and type_.is_static and not isinstance(x, Variable):
        return Abstract(type_)
    return x


def protect(x: Any) -> Any:
    """An operand such that later writes of the user do not change it.

    A tensor whose memory is read-only gets new memory when it is written, and its name shows that:
    what is kept is another name. The memory behind a view may be an array of the user's: views are
    copied. A copy goes by the key of its original.
    """
    if isinstance(x, np.ndarray) or is_device_array(x):
        return Tensor(copied(x), key=key_of(x))
    array = x._array if isinstance(x, Tensor) else None
    if isinstance(array, np.ndarray) and array.flags.writeable:
        if array.base is not None:
            return Tensor(array.copy(), key=x.key)
        array.flags.writeable = False
    return Tensor(array, x._value, x.key) if isinstance(x, Tensor) and x._cell is None else x


def make_read_only(array: Any) -> None:
    """Keep memory that is ours from being written to, views and what they are views of."""
    while isinstance(array, np.ndarray) and array.flags.writeable:
        array.flags.writeable = False
        array = array.base


def opaque(x: Any) -> Tensor:
    """A tensor whose value no graph being traced takes for known."""
    builder = building()
    if builder is None:
        return x if isinstance(x, Tensor) else Tensor(x)
    value = builder.value_of(x)
    if is_constant(value):
        value = builder.emit(ops.identity.op, [value]).outputs[0]
    return traced(value)


def _known_type(x: Any) -> TensorType:
    return x.type if isinstance(x, Variable) else type_of(x)


def _has_gradient(role: str, x: Any) -> bool:
    if is_differentiable(_known_type(x)):
        return True
    _warn_of_integers(role, x)
    return False


def _warn_of_integers(role: str, x: Any) -> None:
    what = (
        f"the {role} tensor is {_known_type(x).dtype}; gradients need a floating dtype: "
        "cast it first (`x.astype(float)`), or write `3.0` in place of `3`"
    )
    warnings.warn(located(origin_of_caller(), what), stacklevel=2)


def _seed(y: Any, weight: Any) -> Any:
    type_ = _known_type(y)
    if weight is None:
        shape = y.shape if isinstance(y, (Tensor, Variable)) else type_.shape
        with placing_on(type_.device):
            return ops.ones(shape, dtype=type_.dtype)
    if isinstance(weight, Variable):
        weight = weight.read_value()
    return conform(weight, type_)


def _result(x: Any, gradient: Any, fill: bool) -> Any:
    if gradient is None:
        if not fill or x is None:
            return None
        shape = x.shape if isinstance(x, (Tensor, Variable)) else type_of(x).shape
        with placing_on(_known_type(x).device):
            return ops.zeros(shape, dtype=_known_type(x).dtype)
    result = conform(gradient, _known_type(x))
    result = result if isinstance(result, Tensor) else _tensor(result)
    return result.of_class(type(x)) if isinstance(x, Tensor) and not x.is_traced else result


def _tensor(raw: Any) -> Tensor:
    """A tensor of a raw array of ours; while tracing, a constant."""
    raw = raw[()] if raw.ndim == 0 else raw
    builder = building()
    return Tensor(raw) if builder is None else traced(builder.constant(raw))


def _static_shape(target: Any, what: str) -> tuple[int, ...]:
    type_ = type_of(target)
    if not type_.is_static:
        raise ValueError(
            f"{what} needs the shape of its target while tracing, but the shape is {type_}"
        )
    return tuple(n for n in type_.shape or () if n is not None)
