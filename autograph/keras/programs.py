"""What Keras' classes do with saved programs: `model.export`, and programs as layers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph.programs.program import Program
from runtime.process.later import later

__all__ = ["OF_PROGRAMS"]

# It needs all of Keras, which is being imported when the classes are changed.
_EXPORT = "autograph.keras.backend.export"


def _writes_programs(model: Any) -> Any:
    """Have `model.export` and `tf.saved_model.save` write saved programs; ONNX is our own, too."""

    @functools.wraps(model.export)
    def export(self: Any, filepath: Any, format: str = "agz", *args: Any, **kwargs: Any) -> None:
        later(_EXPORT).export(self, filepath, format, *args, **kwargs)

    def endpoints(self: Any) -> dict[str, Any]:
        return {"__call__": later(_EXPORT).served(self)}

    model.export = export
    model.__ag_endpoints__ = endpoints
    return model


def _holds_programs(layer: Any) -> Any:
    """Have the layer of an artifact read a saved program."""

    def init(
        self: Any, filepath: Any, call_endpoint: str | None = "serve",
        call_training_endpoint: str | None = None, trainable: bool = True,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super(layer, self).__init__(trainable=trainable, name=name, dtype=dtype)
        self.call_endpoint = call_endpoint
        self.call_training_endpoint = call_training_endpoint
        later(_EXPORT).hold_program(self, filepath, call_endpoint, call_training_endpoint)
        self._build_at_init()

    def call(self: Any, inputs: Any, training: bool = False, **kwargs: Any) -> Any:
        chosen = self.call_training_endpoint if training else None
        endpoint = chosen or self.call_endpoint
        return later(_EXPORT).call_program(self, endpoint, inputs, kwargs)

    layer.__init__ = init
    layer.call = call
    return layer


def _takes_programs(method: str) -> Callable[[type], type]:
    """Have a method that is given layers take what `ag.load` gives, as the layer that it is."""

    def take(cls: Any) -> Any:
        original = getattr(cls, method)

        @functools.wraps(original)
        def call(self: Any, given: Any, *args: Any, **kwargs: Any) -> Any:
            is_program = isinstance(given, Program)
            layer = later(_EXPORT).layer_of(given) if is_program else given
            return original(self, layer, *args, **kwargs)

        setattr(cls, method, call)
        return cls

    return take


def _calls_programs(tensor: Any) -> Any:
    """Have the inputs of models call a program as a layer."""

    def call(self: Any, program: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return later(_EXPORT).layer_of(program)(*args, **kwargs)

    tensor.__ag_called__ = call
    return tensor


# By module and name in Keras, as in `autograph.keras.users`.
OF_PROGRAMS = {
    "keras.src.backend.common.keras_tensor": {"KerasTensor": _calls_programs},
    "keras.src.models.model": {"Model": _writes_programs},
    "keras.src.models.sequential": {"Sequential": _takes_programs("add")},
    "keras.src.utils.tracking": {"Tracker": _takes_programs("track")},
    "keras.src.export.tfsm_layer": {"TFSMLayer": _holds_programs},
}
