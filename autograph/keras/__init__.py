"""Keras 3 with this runtime as its backend: `import autograph.keras`, then `import keras`.

With `KERAS_BACKEND=autograph` in the environment, `import autograph` is enough. Keras is another
package (`pip install 'autograph-numpy[keras]'`); this one serves it a backend while it is imported.
Raises ImportError where Keras is not installed, or was imported before with another backend.

>>> import autograph.keras  # doctest: +SKIP
>>> import keras  # doctest: +SKIP
>>> keras.config.backend()  # doctest: +SKIP
'autograph'
"""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType

from autograph.keras.hook import install as _install
from runtime.process.later import later as _later

__all__ = ["load"]

_install()


def load(tensor_class: type | None = None) -> _ModuleType:
    """The package `keras` on our backend, its variables and metrics of tensors of a class."""
    keras = _import_module("keras")
    if tensor_class is not None:
        variables = _later("autograph.keras.backend.core").Variable
        own = {"tensor_class": tensor_class}
        variables.tensor_class = tensor_class
        variables.content_class = type("Variable", (variables.content_class,), own)
    return keras
