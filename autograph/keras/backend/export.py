"""Keras' models as programs that run without Keras: `model.export`, `ExportArchive`, and back.

What Keras' other backends write as TensorFlow's SavedModel is a saved program here, one file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from keras.src import layers, tree
from keras.src.export.export_utils import get_input_signature, make_input_spec
from keras.src.export.tfsm_layer import TFSMLayer
from keras.src.utils import io_utils
from keras.src.utils.naming import auto_name

import autograph as ag
from autograph.keras.backend.core import Variable

__all__ = ["AutographExportArchive", "call_program", "export", "hold_program", "layer_of", "served"]

_SERVE = "serve"
_FORMATS = (
    "'agz', a saved program that `ag.load` and `keras.layers.TFSMLayer` read and `autograph "
    "export` writes as Python or C, and 'onnx'"
)


def export(
    model: Any, filepath: str | os.PathLike[str], format: str = "agz", verbose: Any = None,
    input_signature: Any = None, **kwargs: Any,
) -> None:  # fmt: skip
    """Write the forward pass of a model to a file: format "agz", a saved program, or "onnx".

    `input_signature` is a list with the specs of what the model is called with; without it, those
    of the model, with an open batch size. With "onnx", `allow_random` is as in `ag.export_onnx`.
    Raises ValueError for a model that has not been built, and for a format of no backend;
    NotImplementedError for TensorFlow's.
    """
    if format == "tf_saved_model":
        raise NotImplementedError(
            "`export_saved_model` only currently supports the tensorflow, jax and torch backends. "
            f"Here there are {_FORMATS}"
        )
    if format not in ("agz", "onnx"):
        raise ValueError(f"Unrecognized format={format!r}. Supported formats are: {_FORMATS}")
    specs = get_input_signature(model) if input_signature is None else input_signature
    if format == "agz":
        archive = AutographExportArchive()
        archive.track_and_add_endpoint(_SERVE, model, specs, **kwargs)
        archive.write_out(filepath, verbose=verbose is None or verbose)
        return
    given = _specs(specs)
    ag.export_onnx(_function(model.__call__, model.name, len(given)), filepath, given, **kwargs)
    if verbose is None or verbose:
        io_utils.print_msg(f"Saved artifact at '{filepath}'.")


def served(model: Any) -> tuple[Any, list[Any]]:
    """The call of a model as a function, and the specs of its inputs, with an open batch size.

    Raises ValueError for a model that has not been built.
    """
    specs = _specs(get_input_signature(model))
    return _function(model.__call__, model.name, len(specs)), specs


class AutographExportArchive:
    """The endpoints of an artifact, which `write_out` writes as one saved program.

    An endpoint is a signature of the program, of its name. Where there are several, the program
    takes the name of the endpoint before the inputs.
    """

    def __init__(self) -> None:
        self._endpoints: dict[str, tuple[Any, list[Any] | None]] = {}
        self._tracked: list[Any] = []

    def track(self, resource: Any) -> None:
        """Take note of a layer whose variables the endpoints use; they are found by themselves.

        Raises ValueError for a layer that is not built, and for what is no layer.
        """
        if not isinstance(resource, layers.Layer):
            raise ValueError(
                f"Invalid resource type. Expected a Keras `Layer` or `Model`. Received {resource} "
                f"of type '{type(resource)}'"
            )
        if not resource.built:
            raise ValueError(
                "The layer provided has not yet been built. It must be built before export."
            )
        self._tracked.append(resource)

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None) -> Any:
        """Register a function, for inputs like the specs; gives the function with graphs.

        Without specs, `fn` is a function of `ag.convert` or `tf.function` that was called before.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        specs = None if input_signature is None else _specs(input_signature)
        if specs is None and not hasattr(fn, "get_concrete_function"):
            raise ValueError(
                "`input_signature` says the shape and dtype of the arguments, as in "
                "[keras.InputSpec(shape=(None, 3), dtype='float32')]; only a `tf.function` that "
                "has been called does without"
            )
        made = fn if specs is None else _function(fn, name, len(specs))
        self._endpoints[name] = made, specs
        return made

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Any, **kwargs: Any
    ) -> Any:
        """`track` a layer, and register its call."""
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Refuse: a saved program holds the variables that its endpoints read."""
        raise NotImplementedError(
            "a saved program holds the variables that its endpoints use, and no others: keep them "
            "with `ag.Checkpoint` or `model.save_weights`"
        )

    @property
    def variables(self) -> list[Any]:
        """The variables of all layers that are tracked."""
        return [v for layer in self._tracked for v in layer.variables]

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of them that are trained."""
        return [v for layer in self._tracked for v in layer.trainable_variables]

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The others."""
        return [v for layer in self._tracked for v in layer.non_trainable_variables]

    def write_out(
        self, filepath: str | os.PathLike[str], options: Any = None, verbose: bool = True
    ) -> None:
        """Write the file, in one step; prints what is in it with `verbose`."""
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        if options is not None:
            raise ValueError("`options` are those of TensorFlow's SavedModel; there are none here")
        if len(self._endpoints) == 1:
            ((name, (function, specs)),) = self._endpoints.items()
            ag.save(function, filepath, None if specs is None else {name: specs})
        else:
            ag.save(self._chosen_by_name(), filepath, self._signatures())
        if verbose:
            endpoints = ag.load(filepath).pretty_printed_concrete_signatures()
            io_utils.print_msg(
                f"Saved artifact at '{filepath}'. The following endpoints are available:\n\n"
                f"{endpoints}"
            )

    def _chosen_by_name(self) -> Any:
        functions = {name: function for name, (function, _) in self._endpoints.items()}

        @ag.convert
        def endpoints(endpoint: str, *inputs: Any) -> Any:
            return functions[endpoint](*inputs)

        return endpoints

    def _signatures(self) -> dict[str, list[Any]]:
        unknown = [name for name, (_, specs) in self._endpoints.items() if specs is None]
        if unknown:
            raise ValueError(f"beside others, the endpoints {unknown} need an `input_signature`")
        return {name: [name, *(specs or ())] for name, (_, specs) in self._endpoints.items()}


def _function(fn: Callable[..., Any], name: str, count: int) -> Any:
    """A function with graphs of so many inputs; the program has its name."""

    def one(inputs: Any) -> Any:
        return fn(inputs)

    def several(*inputs: Any) -> Any:
        return fn(*inputs)

    call = one if count == 1 else several
    call.__name__ = name
    return ag.convert(call)


def _specs(signature: Any) -> list[Any]:
    """What the arguments of a call are, as specs of ours."""
    given = signature if isinstance(signature, (list, tuple)) else [signature]
    return [tree.map_structure(_spec, part) for part in given]


def _spec(x: Any) -> Any:
    if isinstance(x, ag.TensorSpec):
        return x
    known = make_input_spec(x)
    return ag.TensorSpec(known.shape, known.dtype, known.name)


# ---- a program as a layer ------------------------------------------------------------------------


def hold_program(layer: Any, given: str | os.PathLike[str] | ag.Program, *endpoints: Any) -> None:
    """Have a layer hold a saved program, or the one in a file, whose Variables are its weights.

    Raises ValueError for an endpoint that the program does not have; as `ag.load` for the file.
    """
    program = given if isinstance(given, ag.Program) else ag.load(given)
    layer.filepath = program.path
    for name in endpoints:
        if name not in (None, *program.signatures) and not _is_the_only_one(program, name):
            raise ValueError(
                f"The endpoint '{name}' is not in {layer.filepath}. Available endpoints: "
                f"{list(program.signatures)}"
            )
    layer._held = _Held(program)
    for variable in program.variables:
        layer._track_variable(_weight(variable))


class _Held:
    """A program that a layer holds: were it an attribute, it would be a layer in the layer."""

    def __init__(self, program: ag.Program) -> None:
        self.program = program


_layers: WeakKeyDictionary[ag.Program, Any] = WeakKeyDictionary()


def layer_of(program: ag.Program) -> Any:
    """The layer that a loaded program is, the same each time."""
    if program not in _layers:
        _layers[program] = TFSMLayer(program, None, name=auto_name(program.name))
    return _layers[program]


def _is_the_only_one(program: Any, name: str | None) -> bool:
    """Whether an endpoint that nobody named is the one signature that the program has."""
    return name == _SERVE and len(program.signatures) == 1


def _weight(variable: ag.Variable) -> Variable:
    """A Keras variable that is a Variable of the program."""
    made = Variable(
        variable.numpy(), trainable=variable.trainable, dtype=str(variable.dtype),
        name=(variable.name or "variable").replace("/", "_"),
    )  # fmt: skip
    made._value = variable
    return made


def call_program(layer: Any, endpoint: str | None, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """What the program that a layer holds gives; an endpoint is one of its signatures."""
    program = layer._held.program
    several = endpoint is not None and len(program.signatures) > 1
    if several and "endpoint" not in program.function_spec.parameters:
        return program.signatures[endpoint](inputs, **kwargs)
    return program(*(endpoint,) * several, inputs, **kwargs)
