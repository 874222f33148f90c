"""The modules of ours that are imported when they are first needed, and for what they wait.

A module imports what it needs where it begins; these few would make every program start later.
Those that bring public names wait in `autograph` itself, which lists the names.
"""

from importlib import import_module
from typing import Any

__all__ = ["LATER", "later"]

_GRAPH = "the first graph: a thread brings in what it can meanwhile"
_KERAS = "Keras, which may be absent, and which asks for its backend in an order of its own"

LATER = {
    "autograph.frontend.one_function": "the first conversion: it is a third of all there is",
    "autograph.frontend.rewriting": "the first function whose conversion is not on the disk",
    "autograph.derivative_graphs": "the second call of a derivative: the first needs no front end",
    "runtime.execute.native.prepared": _GRAPH,
    "runtime.lowering.kept": _GRAPH,
    "runtime.lowering.prepare": _GRAPH,
    "runtime.lowering.timed": "a profile of kernels",
    "runtime.lowering.stages": "a text of native code",
    "autograph.keras.users": _KERAS,
    "autograph.keras.backend.core": _KERAS,
    "autograph.keras.backend.export": _KERAS,
    "autograph.keras.backend.image": _KERAS,
}


def later(name: str) -> Any:
    """A module of those, imported if it is not there yet."""
    if name not in LATER:
        raise KeyError(f"{name} is to be imported where the module that needs it begins")
    return import_module(name)
