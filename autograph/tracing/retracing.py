"""Why a function is traced again, in one line: what differs, from what to what, and what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.tracing.signature import (
    Arguments,
    Identity,
    differences,
    is_input_key,
    other_nests,
)
from autograph.tracing.signature import type_of_key as type_of
from runtime.structure import tree

__all__ = ["FIRST", "Reason", "closed", "generalised", "of_arguments", "of_guards"]


class Reason(NamedTuple):
    """What differs from the traces that there are, and how to do without another one."""

    text: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.text}; to avoid it, {self.remedy}" if self.remedy else self.text


FIRST = Reason("first call")
# So many differences are told; a model has hundreds of arrays.
_SHOWN = 3
_NUMBER = "pass it as an array or a NumPy scalar"


def of_guards(broken: Sequence[str], *, is_opened: bool) -> Reason:
    """The reason where what the function read from outside has changed.

    With `is_opened`, that is numbers only, which are inputs from now on.
    """
    text = _first(broken) or "what it read from outside changed"
    if is_opened:
        return Reason(f"{text}, an input from now on")
    return Reason(text, "pass it as an argument, or keep it in an array or a Variable")


def of_arguments(nearest: Arguments, new: Arguments, fixed: frozenset[str]) -> Reason:
    """The reason where the arguments have another signature; `nearest` is the most similar one.

    `fixed` are the paths of the ints whose values the function needs while tracing.
    """
    text = _first(differences(nearest, new)) or "new arguments"
    if nearest.structure != new.structure:
        return Reason(text, _remedy_of_nests(other_nests(nearest.structure, new.structure)))
    changed = [
        (path, old, now)
        for path, old, now in zip(new.paths, nearest.keys, new.keys, strict=True)
        if old != now
    ]
    remedies = [_remedy(path, old, now, fixed) for path, old, now in changed]
    return Reason(text, _remedy_of_sizes(changed) or next(filter(None, remedies), ""))


def generalised(reason: Reason, arguments: Arguments, general: Arguments, since: str) -> Reason:
    """The reason of a trace that serves other sizes, too: of which arguments, since which shape."""
    pairs = zip(general.paths, arguments.keys, general.keys, strict=True)
    names = _first([f"`{path}`" for path, old, now in pairs if old != now], ", ")
    return Reason(f"{reason.text}; sizes of {names} are open since the {since} shape")


def closed(reason: Reason, why: str) -> Reason:
    """The reason of a trace of one shape where one of open sizes is none, or no better."""
    return Reason(f"{reason.text}; sizes are not left open: {why}", reason.remedy)


def _first(texts: Sequence[str], joint: str = "; ") -> str:
    """The first of some texts, and how many more there are."""
    more = [f"{len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return joint.join([*texts[:_SHOWN], *more])


def _remedy(path: str, old: Any, new: Any, fixed: frozenset[str]) -> str:
    if is_input_key(old) and is_input_key(new):
        return _remedy_of_types(old, new)
    if isinstance(old, Identity) and isinstance(new, Identity):
        return "pass the same object, or what the function reads of it"
    if path in fixed:
        return "note that the function needs its value for a shape, an axis or an index"
    kinds = {key[0] for key in (old, new) if isinstance(key, tuple)}
    if kinds <= {str, bytes}:
        return "note that each text has a graph of its own: pass a number or flag in its place"
    if kinds == {int} or kinds == {int, "int"}:
        return ""  # from the second value on, all of them have one trace
    if kinds <= {bool, type(None), int}:
        return f"note that each value has a graph of its own: {_NUMBER} if it is a number"
    return "pass values of one kind"


def _remedy_of_types(old: Any, new: Any) -> str:
    one, other = type_of(old), type_of(new)
    if one.dtype != other.dtype or one.weak != other.weak:
        return "pass values of one dtype"
    if one.shape == other.shape:
        return "pass values of one kind: arrays, NumPy scalars or tensors"
    return "pass arrays of one rank"


def _remedy_of_sizes(changed: Sequence[tuple[str, Any, Any]]) -> str:
    """What helps where nothing but sizes are others; empty where it is more."""
    specs, has_own = [], False
    for path, old, new in changed:
        if not (is_input_key(old) and is_input_key(new)):
            return ""
        one, other = type_of(old), type_of(new)
        if one.shape is None or other.shape is None or len(one.shape) != len(other.shape):
            return ""
        if (one.dtype, one.weak) != (other.dtype, other.weak) or one.shape == other.shape:
            return ""
        pairs = list(zip(one.shape, other.shape, strict=True))
        shape = ", ".join("None" if a != b else str(b) for a, b in pairs)
        has_own |= any(a != b and {a, b} & {0, 1} for a, b in pairs)
        specs.append(f"TensorSpec([{shape}], {str(other.dtype)!r}) for `{path}`")
    note = (
        "note that sizes 0 and 1 have graphs of their own, and for the others " if has_own else ""
    )
    named = _first(specs, " and ")
    return f"{note}use reduce_retracing=True, or an input_signature with {named}"


def _remedy_of_nests(found: Sequence[tuple[tree.Structure, str]]) -> str:
    """What helps where the structure of nests is another one."""
    nest, text = found[0]
    path = text.split("`")[1]
    if nest.kind is None or not issubclass(nest.kind, (list, tuple)):
        return f"pass `{path}` with the same keys in each call"
    if all(child == tree.LEAF for child in nest.children):
        return (
            f"pass an array instead of the {nest.kind.__name__} (`np.array({path})`), with "
            "reduce_retracing=True if its size changes"
        )
    return f"pass `{path}` with the same number of items, of the same kinds, in each call"
