"""`tf.Module`: an object whose variables are found in its attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from autograph.tf.variables import Variable as _Variable
from runtime.variable import Variable

__all__ = ["Module"]


class Module:
    """An object that knows the variables in its attributes, lists, dicts and other modules.

    >>> import autograph.tf as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
    ...         self.b = tf.Variable(tf.zeros([outputs]), name="b")
    ...
    ...     def __call__(self, x):
    ...         return tf.matmul(x, self.w) + self.b
    >>> dense = Dense(2, 3)
    >>> [v.name for v in dense.trainable_variables], dense(tf.ones([1, 2])).numpy()
    (['b:0', 'w:0'], array([[2., 2., 2.]], dtype=float32))
    """

    def __init__(self, name: str | None = None) -> None:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__).lower()
        self._name = words if name is None else name

    @property
    def name(self) -> str:
        """The name that was given, or that of the class in small letters."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A context that does nothing: names of variables are as they were given."""
        return nullcontext()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of this module and those in it, by names of attributes, each once."""
        return tuple(self._found(Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of the variables that are not trainable."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in this one, and in those."""
        return tuple(m for m in self._found(Module) if m is not self)

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        """The method: names of variables are as they were given."""
        return method

    def _found(self, kind: type) -> Iterator[Any]:
        seen: set[int] = set()

        def walk(thing: Any) -> Iterator[Any]:
            if id(thing) in seen:
                return
            seen.add(id(thing))
            if isinstance(thing, kind):
                yield thing
            for part in _parts(thing):
                yield from walk(part)

        yield from walk(self)


def _parts(thing: Any) -> Iterator[Any]:
    """What a module or container holds: variables before modules, as TensorFlow has them."""
    if isinstance(thing, Module):
        values = [vars(thing)[k] for k in sorted(vars(thing))]
        yield from (v for v in values if isinstance(v, _Variable))
        yield from (v for v in values if not isinstance(v, _Variable))
    elif isinstance(thing, (list, tuple)):
        yield from thing
    elif isinstance(thing, dict):
        yield from (thing[k] for k in sorted(thing, key=str))
