"""What native code works on are contents of variables: when they are the variables' own again.

Python code that is called from such code may read and assign variables. Before, it is given what
was assigned since it ran last, and behind it contents are taken anew. Where a node raises, so is
what was assigned before.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.execute.lending import put
from runtime.execute.native.stateful import shared
from runtime.graph.ir import Node, Op
from runtime.random.generator import ADVANCE
from runtime.spec import TensorType, Type, type_of_number

__all__ = ["DRAW_KEYS", "PUT", "PUT_IF_RAISED", "TAKE"]


def _put(xp: Any, *contents: Any, at: tuple[int, ...]) -> tuple[()]:
    inputs, known = shared.get()
    for k, content in zip(at, contents, strict=True):
        known.pop(k, None)  # it is not to be held here
        put(inputs[k], content)
        known[k] = inputs[k].array
    return ()


def _take(
    xp: Any, *old: Any, at: tuple[int, ...], types: tuple[TensorType, ...], asked: tuple[int, ...]
) -> Any:
    inputs, known = shared.get()
    found: list[Any] = []
    for k in at:
        content = inputs[k].array
        if content is not known[k]:
            _check(inputs[k], types[len(found)])
            known[k] = content
        found.append(content)
    for k in asked:
        found.append(inputs[k].array is not known[k])
    return tuple(found)


def _check(variable: Any, type_: TensorType) -> None:
    """Raise StagingError where a variable holds something of another shape or dtype."""
    content = variable.array
    if content.shape != type_.shape or content.dtype != type_.dtype:
        raise StagingError(
            f"plain Python, which the converted function calls, gave {variable.name!r} "
            f"{content.dtype} values of shape {content.shape}, where it had {type_}",
            "assign values of the same shape, or call it outside of the converted function",
        )


def _taking(node: Node) -> Any:
    taken = partial(_take, np, **node.attrs)
    is_one = len(node.outputs) == 1
    return lambda settings: (lambda *old: taken()[0]) if is_one else taken


def _draw_keys(xp: Any, *dims: Any, at: int, **attrs: Any) -> Any:
    return ADVANCE.kernel(xp, shared.get().inputs[at], *dims, **attrs)


def _keys(*dims: Type, at: int, **attrs: Any) -> tuple[Type, Type]:
    number = TensorType(np.dtype(np.uint64), ())
    return number, number


PUT = Op(
    "put_contents",
    _put,
    lambda *contents, at: (),
    effect="assign",
    doc="Give variables the contents that native code has for them.",
)
# The nodes behind it are what may raise.
PUT_IF_RAISED = Op(
    "put_contents_if_raised",
    _put,
    lambda *contents, at: (),
    doc="What `put_contents` does, where the next node raises.",
)
TAKE = Op(
    "take_contents",
    _take,
    lambda *old, at, types, asked: (*types, *[type_of_number(False)] * len(asked)),
    effect="read",
    raises=lambda types, attrs: True,
    doc="Contents of variables, which may be others than the `old` ones; of some, whether so.",
    options={"directly": _taking},
)
DRAW_KEYS = Op(
    "draw_keys",
    _draw_keys,
    _keys,
    effect="draw",
    raises=ADVANCE.raises,
    doc="What `advance` does, of the state at a position.",
)
