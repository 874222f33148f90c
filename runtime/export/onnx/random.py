"""Random draws, in ONNX: the runtime's, which are others than ours, where that is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.table import result_dtype, writes
from runtime.graph.ir import Node

__all__: list[str] = []


def _zeros(emit: Emitter, node: Node, dims: tuple[Term, ...], dtype: Any) -> Term:
    """What a draw has the shape of."""
    if not emit.names.allow_random:
        raise refuse(
            "random numbers, which the runtime draws from a stream of its own",
            "pass them as an argument, or export with `allow_random=True`",
        )
    return emit("Expand", emit.constant(0, dtype), emit.sizes(node.attrs["shape"], dims))


@writes("advance")
def _advance(emit: Emitter, node: Node, *operands: Term) -> list[Term]:
    zero = emit.constant(0, np.uint64)
    return [zero, zero]


@writes("random_uniform")
def _uniform(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    return emit("RandomUniformLike", _zeros(emit, node, dims, result_dtype(node)))


@writes("random_normal")
def _normal(emit: Emitter, node: Node, key: Term, block: Term, *dims: Term) -> Term:
    return emit("RandomNormalLike", _zeros(emit, node, dims, result_dtype(node)))


@writes("random_bernoulli")
def _bernoulli(emit: Emitter, node: Node, key: Term, block: Term, p: Term, *dims: Term) -> Term:
    drawn = emit("RandomUniformLike", _zeros(emit, node, dims, np.dtype(np.float64)))
    return drawn < p.to(np.float64)
