"""Sizes that a graph does not know, where Keras' own code would ask for their values.

Most of Keras' code takes None, or a tensor, for such a size. What does not is here, for sizes that
are known only at run time; with known ones it is Keras' own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from runtime.building import building
from runtime.process.later import later
from runtime.tensor import Tensor

__all__ = ["OF_SIZES"]

_BACKEND = "autograph.keras.backend"


def _resizes(resize: Callable[..., Any]) -> Callable[..., Any]:
    """Have `keras.ops.image.resize` take sizes that are tensors, whose signs it would look at."""

    @functools.wraps(resize)
    def call(images: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(n, Tensor) and not n.is_known for n in size):
            return later(f"{_BACKEND}.image").resize(images, size, *args, **kwargs)
        return resize(images, size, *args, **kwargs)

    return call


def _steps_through_time(layer: Any) -> Any:
    """Have `TimeDistributed` go through all steps of an unknown number of them.

    Keras' own code goes through as many as there are examples in the batch.
    """
    original = layer.call

    @functools.wraps(original)
    def call(self: Any, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if building() is None or inputs.type.shape[1] is not None:
            return original(self, inputs, training=training, mask=mask)
        core = later(f"{_BACKEND}.core")
        given = {"training": training} if self.layer._call_has_training_arg else {}
        takes_mask = self.layer._call_has_mask_arg and mask is not None

        def step(rows: Any) -> Any:
            if takes_mask:
                return self.layer.call(rows[0], mask=rows[1], **given)
            return self.layer.call(rows, **given)

        def turned(x: Any) -> Any:
            return x.swapaxes(0, 1)

        rows = (turned(inputs), turned(mask)) if takes_mask else turned(inputs)
        return turned(core.map(step, rows))

    layer.call = call
    return layer


# By module and name in Keras, as in `autograph.keras.users`.
OF_SIZES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "keras.src.ops.image": {"resize": _resizes},
    "keras.src.layers.rnn.time_distributed": {"TimeDistributed": _steps_through_time},
}
