"""Operations of ONNX that layers of networks are: products, convolutions, norms, recurrence."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autograph as ag
from autograph.programs.importing.table import (
    OPERATIONS,
    Unknown,
    channels_first,
    channels_last,
    known,
    operation,
)
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__ = ["by_axes", "known_sizes", "padding_of", "reach_of"]


@operation("Gemm")
def _gemm(
    x: Any, y: Any, c: Any = None, alpha: float = 1.0, beta: float = 1.0,
    transA: int = 0, transB: int = 0,
) -> Any:  # fmt: skip
    x = ag.matrix_transpose(x) if transA else x
    y = ag.matrix_transpose(y) if transB else y
    found = ag.astype(alpha * ag.matmul(x, y), dtype_of(x))
    return found if c is None else found + ag.astype(beta * c, dtype_of(x))


def by_axes(functions: Sequence[Any]) -> Callable[[int], Any]:
    """The function for a number of axes."""

    def function_for(axes: int) -> Any:
        if not 1 <= axes <= len(functions):
            raise Unknown(f"windows over {axes} axes")
        return functions[axes - 1]

    return function_for


_BY_AXES = {
    "conv": by_axes([ag.nn.conv1d, ag.nn.conv2d, ag.nn.conv3d]),
    "transposed": by_axes([ag.nn.conv1d_transpose, ag.nn.conv2d_transpose, ag.nn.conv3d_transpose]),
}


def padding_of(
    pads: Any, auto_pad: str, sizes: Sequence[Any], windows: Sequence[int], strides: Sequence[int]
) -> Any:
    axes = len(sizes)
    if auto_pad == "SAME_UPPER":
        return "same"
    if auto_pad == "SAME_LOWER":
        odd = [
            max((-(-n // step) - 1) * step + width - n, 0)
            for n, width, step in zip(known_sizes(sizes), windows, strides, strict=True)
        ]
        return tuple((n - n // 2, n // 2) for n in odd)
    if pads is None or auto_pad == "VALID":
        return "valid"
    return tuple((pads[k], pads[k + axes]) for k in range(axes))


def known_sizes(sizes: Sequence[Any]) -> list[int]:
    if not all(isinstance(n, int) for n in sizes):
        raise Unknown("windows of this kind over sizes that only the run tells")
    return list(sizes)


def reach_of(window: Sequence[int], dilations: Sequence[int]) -> list[int]:
    """How far windows reach that leave elements out."""
    return [(n - 1) * by + 1 for n, by in zip(window, dilations, strict=True)]


@operation("Conv")
def _conv(
    x: Any, kernel: Any, bias: Any = None, auto_pad: str = "NOTSET", dilations: Any = None,
    group: int = 1, kernel_shape: Any = None, pads: Any = None, strides: Any = None,
) -> Any:  # fmt: skip
    axes = rank_of(x) - 2
    turned = ag.permute_dims(kernel, (*range(2, axes + 2), 1, 0))
    strides, dilations = strides or [1] * axes, dilations or [1] * axes
    reach = reach_of(shape_of(kernel)[2:], dilations)
    found = _BY_AXES["conv"](axes)(
        channels_last(x), turned, strides=tuple(strides),
        padding=padding_of(pads, auto_pad, shape_of(x)[2:], reach, strides),
        dilations=tuple(dilations), groups=group,
    )  # fmt: skip
    return channels_first(found if bias is None else found + bias)


@operation("ConvTranspose")
def _conv_transpose(
    x: Any, kernel: Any, bias: Any = None, auto_pad: str = "NOTSET", dilations: Any = None,
    group: int = 1, kernel_shape: Any = None, output_padding: Any = None, output_shape: Any = None,
    pads: Any = None, strides: Any = None,
) -> Any:  # fmt: skip
    axes = rank_of(x) - 2
    strides, dilations = strides or [1] * axes, dilations or [1] * axes
    more, pads = output_padding or [0] * axes, pads or [0] * (2 * axes)
    reach, sizes = reach_of(shape_of(kernel)[2:], dilations), shape_of(x)[2:]
    whole = [(n - 1) * step + width for n, step, width in zip(sizes, strides, reach, strict=True)]
    if output_shape is None and auto_pad.startswith("SAME"):
        output_shape = [n * step for n, step in zip(sizes, strides, strict=True)]
    if output_shape is not None:
        over = [n + m - size for n, m, size in zip(whole, more, output_shape[-axes:], strict=True)]
        before = [n - n // 2 if auto_pad == "SAME_LOWER" else n // 2 for n in over]
        before = [max(n, 0) for n in before]
        pads = [*before, *(n - k for n, k in zip(over, before, strict=True))]
    found = _BY_AXES["transposed"](axes)(
        channels_last(x), ag.permute_dims(kernel, (*range(2, axes + 2), 1, 0)),
        strides=tuple(strides), dilations=tuple(dilations), groups=group, output_size=tuple(whole),
    )  # fmt: skip
    found = channels_first(found)
    ends = [n - pads[axes + k] + more[k] for k, n in enumerate(whole)]
    beyond = [max(m - pads[axes + k], 0) for k, m in enumerate(more)]
    if any(beyond):
        found = ag.pad(found, [(0, 0), (0, 0), *((0, n) for n in beyond)])
    found = found[(slice(None), slice(None), *map(slice, pads[:axes], ends))]
    return found if bias is None else found + ag.reshape(bias, (-1, *[1] * axes))


@operation("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(x: Any, kind: str) -> Any:
    axes = tuple(range(2, rank_of(x)))
    return (ag.mean if kind == "GlobalAveragePool" else ag.max)(x, axis=axes, keepdims=True)


@operation("BatchNormalization")
def _batch_norm(
    x: Any, scale: Any, bias: Any, mean: Any, var: Any, epsilon: float = 1e-5,
    momentum: float = 0.9, training_mode: int = 0,
) -> Any:  # fmt: skip
    moved: tuple[Any, ...] = ()
    if training_mode:
        axes = (0, *range(2, rank_of(x)))
        now = ag.mean(x, axis=axes), ag.var(x, axis=axes)
        pairs = zip((mean, var), now, strict=True)
        moved = tuple(
            ag.astype(old * momentum + new * (1 - momentum), dtype_of(old)) for old, new in pairs
        )
        mean, var = now
    shape = (1, -1, *[1] * (rank_of(x) - 2))
    scale, bias, mean, var = (ag.reshape(v, shape) for v in (scale, bias, mean, var))
    found = ag.astype((x - mean) / ag.sqrt(var + epsilon) * scale + bias, dtype_of(x))
    return (found, *moved) if moved else found


@operation("InstanceNormalization")
def _instance_norm(x: Any, scale: Any, bias: Any, epsilon: float = 1e-5) -> Any:
    axes, shape = tuple(range(2, rank_of(x))), (1, -1, *[1] * (rank_of(x) - 2))
    mean, var = ag.mean(x, axis=axes, keepdims=True), ag.var(x, axis=axes, keepdims=True)
    scale, bias = ag.reshape(scale, shape), ag.reshape(bias, shape)
    return ag.astype(scale * (x - mean) / ag.sqrt(var + epsilon) + bias, dtype_of(x))


@operation("Dropout")
def _dropout(
    x: Any, ratio: Any = None, training: Any = None, *, outputs: int, seed: int | None = None
) -> Any:
    keep = ag.ones_like(x, dtype=np.bool_)
    if training is not None and known(training, "a mode").any():
        share = 0.5 if ratio is None else ag.reshape(ratio, ())
        keep = ag.random.uniform(tuple(shape_of(x)), seed=seed) >= share
        x = ag.astype(ag.where(keep, x / (1 - share), 0), dtype_of(x))
    return x if outputs == 1 else (x, keep)


@operation("LRN")
def _local_norm(
    x: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Any:
    around = (size - 1) // 2, size // 2
    squares = ag.pad(x * x, [(0, 0), around, *[(0, 0)] * (rank_of(x) - 2)])
    channels = shape_of(x)[1]
    near = functools.reduce(ag.add, [squares[:, k : k + channels] for k in range(size)])
    return ag.astype(x / (bias + alpha / size * near) ** beta, dtype_of(x))


@operation("LpNormalization")
def _lp_norm(x: Any, axis: int = -1, p: int = 2) -> Any:
    norm = ag.abs(x).sum(axis=axis, keepdims=True) if p == 1 else _length(x, axis)
    return ag.where(ag.equal(norm, 0), ag.zeros_like(x), x / ag.where(ag.equal(norm, 0), 1, norm))


def _length(x: Any, axis: int) -> Any:
    return ag.sqrt(ag.sum(x * x, axis=axis, keepdims=True))


# ---- recurrence --------------------------------------------------------------------------------

_LIMITED = ("ThresholdedRelu", "LeakyRelu", "Elu", "HardSigmoid", "Affine", "ScaledTanh")
_OF_CELLS: dict[str, Callable[..., Any]] = {
    "Affine": lambda x, alpha=1.0, beta=0.0: alpha * x + beta,
    "ScaledTanh": lambda x, alpha=1.0, beta=1.0: alpha * ag.tanh(beta * x),
}


class _Cell:
    """One direction of a recurrent layer: its weights, and what one step does."""

    def __init__(self, kind: str, weights: Any, bias: Any, functions: list[Any], how: Any) -> None:
        self.kind, self.functions, self.how = kind, functions, how
        self.w, self.r = (ag.matrix_transpose(m) for m in weights)
        size = shape_of(self.r)[0]
        gates = shape_of(self.r)[1]
        both = ag.zeros((2 * gates,), dtype_of(self.r)) if bias is None else bias
        self.of_x, self.of_h = both[:gates], both[gates:]
        self.size, self.gates = size, gates // size

    def _limited(self, x: Any) -> Any:
        limit = self.how["clip"]
        return x if limit is None else ag.clip(x, -limit, limit)

    def _parts(self, x: Any) -> list[Any]:
        return [x[:, k * self.size : (k + 1) * self.size] for k in range(self.gates)]

    def step(self, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """The next state, and the next memory of an LSTM."""
        return {"RNN": self._simple, "GRU": self._gru, "LSTM": self._lstm}[self.kind](x, h, c)

    def _simple(self, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        (f,) = self.functions
        return f(self._limited(x @ self.w + self.of_x + h @ self.r + self.of_h)), c

    def _gru(self, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        f, g = self.functions
        at, size = 2 * self.size, self.size
        given = x @ self.w + self.of_x
        kept = h @ self.r[:, :at] + self.of_h[:at]
        z, r = self._parts(f(self._limited(given[:, :at] + kept)))[:2]
        if self.how["linear_before_reset"]:
            back = r * (h @ self.r[:, at:] + self.of_h[at:])
        else:
            back = (r * h) @ self.r[:, at:] + self.of_h[at:]
        new = g(self._limited(given[:, at : at + size] + back))
        return (1 - z) * new + z * h, c

    def _lstm(self, x: Any, h: Any, c: Any) -> tuple[Any, Any]:
        f, g, last = self.functions
        size, p = self.size, self.how["peepholes"]
        seen = [0, 0, 0] if p is None else [p[k * size : (k + 1) * size] for k in range(3)]
        i, o, forget, new = self._parts(x @ self.w + self.of_x + h @ self.r + self.of_h)
        i = f(self._limited(i + seen[0] * c))
        forget = 1 - i if self.how["input_forget"] else f(self._limited(forget + seen[2] * c))
        c = forget * c + i * g(self._limited(new))
        return f(self._limited(o + seen[1] * c)) * last(c), c

    def run(self, xs: Any, lengths: Any, h: Any, c: Any, reverse: bool) -> tuple[Any, ...]:
        """All states, the last one, and the last memory."""

        def step(carry: Any, given: Any) -> Any:
            h, c = carry
            x, k = given
            new_h, new_c = self.step(x, h, c)
            if lengths is None:
                return (new_h, new_c), new_h
            alive = (k < lengths)[:, None]
            kept = ag.where(alive, new_h, h), ag.where(alive, new_c, c)
            return kept, ag.where(alive, new_h, ag.zeros_like(new_h))

        rounds = ag.arange(shape_of(xs)[0])
        (h, c), states = ag.scan(step, (h, c), (xs, rounds), reverse=reverse)
        return states, h, c


_ACTIVATIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def _functions(names: Sequence[str], alphas: Any, betas: Any) -> list[Any]:
    """Activations, of which those that have parameters take the next ones."""
    left, right = iter(alphas or ()), iter(betas or ())
    found = []
    for text in names:
        name = next((n for n in (*_OF_CELLS, *OPERATIONS) if n.lower() == text.lower()), None)
        if name is None:
            raise Unknown(f"the activation {text!r} of a recurrent layer")
        how = {}
        if name in _LIMITED:
            how = {k: v for k, v in (("alpha", next(left, None)),) if v is not None}
        if name in ("HardSigmoid", "Affine", "ScaledTanh"):
            how |= {k: v for k, v in (("beta", next(right, None)),) if v is not None}
        found.append(functools.partial(_OF_CELLS.get(name) or OPERATIONS[name], **how))
    return found


@operation("RNN", "GRU", "LSTM")
def _recurrent(
    x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None, c: Any = None,
    p: Any = None, *, kind: str, hidden_size: int | None = None, direction: str = "forward",
    activations: Any = None, activation_alpha: Any = None, activation_beta: Any = None,
    clip: float | None = None, layout: int = 0, linear_before_reset: int = 0,
    input_forget: int = 0, output_sequence: int = 1,
) -> tuple[Any, ...]:  # fmt: skip
    ways, size = shape_of(r)[0], shape_of(r)[-1]
    xs = ag.swapaxes(x, 0, 1) if layout else x
    h, c = (ag.swapaxes(v, 0, 1) if layout and v is not None else v for v in (h, c))
    start = ag.zeros((ways, shape_of(xs)[1], size), dtype_of(x))
    h, c = (start if v is None else v for v in (h, c))
    functions = _functions(
        activations or _ACTIVATIONS[kind] * ways, activation_alpha, activation_beta
    )
    each = len(functions) // ways
    found = []
    for k in range(ways):
        how = {
            "clip": clip, "linear_before_reset": linear_before_reset, "input_forget": input_forget,
            "peepholes": None if p is None else p[k],
        }  # fmt: skip
        bias = None if b is None else b[k]
        cell = _Cell(kind, (w[k], r[k]), bias, functions[k * each : (k + 1) * each], how)
        reverse = direction == "reverse" or k == 1
        found.append(cell.run(xs, lengths, h[k], c[k], reverse))
    states, last, memory = (ag.stack(list(parts)) for parts in zip(*found, strict=True))
    # `found` has the direction first: before it ONNX has time, or the batch where that leads.
    states = ag.moveaxis(states, (0, 1, 2), (2, 1, 0) if layout else (1, 0, 2))
    last, memory = (ag.swapaxes(v, 0, 1) if layout else v for v in (last, memory))
    return (states, last, memory) if kind == "LSTM" else (states, last)
