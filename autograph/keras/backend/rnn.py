"""Recurrent layers: one loop over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras.src import tree

import autograph as ag
from autograph.keras.backend.core import convert_to_tensor

__all__ = ["bidirectional_gru", "bidirectional_lstm", "cudnn_ok", "gru", "lstm", "rnn"]

Step = Callable[[Any, Any], tuple[Any, Any]]


def rnn(
    step_function: Step, inputs: Any, initial_states: Any, go_backwards: bool = False,
    mask: Any = None, constants: Any = None, unroll: bool = False, input_length: Any = None,
    time_major: bool = False, zero_output_for_mask: bool = False, return_all_outputs: bool = True,
) -> Any:  # fmt: skip
    """The last output, all outputs, and the last states of `output, states = step(x, states)`.

    Where the mask is false, states stay, and the output is that of the step before (zeros with
    `zero_output_for_mask`, and in the first step).
    """
    inputs = tree.map_structure(convert_to_tensor, inputs)
    if not time_major:
        inputs = tree.map_structure(_swapped, inputs)
    if mask is not None:
        mask = convert_to_tensor(mask, "bool")
        mask = mask if time_major or mask.ndim < 2 else _swapped(mask)
        mask = mask[..., None] if mask.ndim == 2 else mask
    if go_backwards:
        inputs = tree.map_structure(_backwards, inputs)
        mask = None if mask is None else _backwards(mask)
    step = _with_constants(step_function, tuple(constants or ()))
    states = tree.map_structure(convert_to_tensor, initial_states)
    if mask is not None:
        step, states, inputs = _masked(step, states, inputs, mask, zero_output_for_mask)
    loop = _unrolled if unroll else ag.scan
    states, outputs = loop(lambda carry, x: step(x, carry)[::-1], states, inputs)
    if mask is not None:
        states = states[0]
    if not return_all_outputs:
        outputs = tree.map_structure(lambda y: y[-1:], outputs)
    last = tree.map_structure(lambda y: y[-1], outputs)
    if not time_major:
        outputs = tree.map_structure(_swapped, outputs)
    return last, outputs, states


def _swapped(x: Any) -> Any:
    """With the axes of time and batch exchanged."""
    return ag.swapaxes(x, 0, 1)


def _backwards(x: Any) -> Any:
    return ag.flip(x, axis=0)


def _with_constants(step_function: Step, constants: tuple[Any, ...]) -> Step:
    """A step whose new states have the structure and dtypes of the old ones."""

    def step(x: Any, states: Any) -> Any:
        output, new = step_function(x, tuple(states) + constants)
        flat = [
            convert_to_tensor(y, old.dtype)
            for y, old in zip(tree.flatten(new), tree.flatten(states), strict=True)
        ]
        return output, tree.pack_sequence_as(states, flat)

    return step


def _masked(step: Step, states: Any, inputs: Any, mask: Any, zero: bool) -> tuple[Step, Any, Any]:
    """A step that carries the output before it, on inputs beside their mask."""
    first = step(tree.map_structure(lambda x: x[0], inputs), states)[0]
    blank = tree.map_structure(ag.zeros_like, first)

    def masked(x: Any, carried: Any) -> Any:
        x, is_there = x
        states, before = carried
        output, new = step(x, states)

        def chosen(y: Any, old: Any) -> Any:
            return ag.where(_beside(is_there, y), y, old)

        output = tree.map_structure(chosen, output, blank if zero else before)
        return output, (tree.map_structure(chosen, new, states), output)

    return masked, (states, blank), (inputs, mask)


def _beside(mask: Any, x: Any) -> Any:
    """A mask with as many axes as a tensor."""
    while mask.ndim > x.ndim:
        mask = mask[..., 0]
    return ag.reshape(mask, mask.shape + (1,) * (x.ndim - mask.ndim))


def _unrolled(step: Callable[[Any, Any], Any], states: Any, inputs: Any) -> Any:
    count = tree.flatten(inputs)[0].shape[0]
    if not count:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    outputs = []
    for t in range(count):
        states, output = step(states, tree.map_structure(lambda x, t=t: x[t], inputs))
        outputs.append(output)
    return states, tree.map_structure(lambda *ys: ag.stack(ys), *outputs)


def cudnn_ok(*args: Any, **kwargs: Any) -> bool:
    """False: Keras' own cells are what is looped over."""
    return False


def lstm(*args: Any, **kwargs: Any) -> Any:
    """Not there: Keras loops over its cell instead."""
    raise NotImplementedError


def gru(*args: Any, **kwargs: Any) -> Any:
    """Not there: Keras loops over its cell instead."""
    raise NotImplementedError


def bidirectional_lstm(*args: Any, **kwargs: Any) -> Any:
    """Not there: Keras runs two layers instead."""
    raise NotImplementedError


def bidirectional_gru(*args: Any, **kwargs: Any) -> Any:
    """Not there: Keras runs two layers instead."""
    raise NotImplementedError
