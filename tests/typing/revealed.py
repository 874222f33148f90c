"""What a type checker sees of the public API; `test_reveal` checks the notes against `# is`."""

from collections.abc import Sequence
from typing import reveal_type

import numpy as np
import numpy.typing as npt

import autograph as ag
import autograph.tf as tf

Floats = npt.NDArray[np.float64]


@ag.convert
def scale(x: Floats, by: float = 2.0, *, clip: bool = False) -> Floats:
    return x * by


@ag.convert(reduce_retracing=True, returns="numpy")
def total(values: Sequence[float]) -> float:
    return sum(values)


class Model:
    @ag.convert
    def call(self, x: Floats, training: bool = False) -> Floats:
        return x

    @ag.convert(pure=True)
    def loss(self, x: Floats) -> float:
        return float(x.sum())

    def plain(self, x: Floats) -> Floats:
        return x


def wrapped(x: int, y: str) -> bytes:
    return y.encode() * x


x = np.ones(3)
model = Model()
reveal_type(scale)  # is Function[[x: ndarray, by: float =, *, clip: bool =], ndarray]
reveal_type(scale(x))  # is ndarray
reveal_type(scale(x, 3.0, clip=True))  # is ndarray
reveal_type(scale.python_function)  # is def (x: ndarray, by: float =, *, clip: bool =) -> ndarray
reveal_type(total)  # is Function[[values: Sequence[float]], float]
reveal_type(total([1.0]))  # is float
reveal_type(Model.call)  # is Function[[self: Model, x: ndarray, training: bool =], ndarray]
reveal_type(model.call)  # is BoundFunction[[x: ndarray, training: bool =], ndarray]
reveal_type(model.call(x, training=True))  # is ndarray
reveal_type(model.loss(x))  # is float
reveal_type(ag.convert(wrapped))  # is Function[[x: int, y: str], bytes]
reveal_type(ag.convert(wrapped)(1, "a"))  # is bytes
reveal_type(ag.convert(model.plain)(x))  # is ndarray
reveal_type(ag.convert(lambda x: x))  # is Function[[x: Any], Any]
reveal_type(scale.trace_count)  # is int
reveal_type(scale.traces())  # is list[ConcreteFunction]
reveal_type(ag.do_not_convert(wrapped))  # is def (x: int, y: str) -> bytes
reveal_type(ag.constant([1.0]))  # is Tensor
reveal_type(ag.Variable(1.0).assign(2.0))  # is Tensor

scale(x, "wide")  # error arg-type
scale()  # error call-arg
scale(x, clipped=True)  # error call-arg
model.call(x, x, x)  # error call-arg
total(3)  # error arg-type
ag.convert(3)  # error call-overload

reveal_type(tf.train.latest_checkpoint("folder"))  # is str | None
reveal_type(tf.nest.is_nested([1]))  # is bool
ag.nonsense  # error attr-defined
tf.nonsense  # error attr-defined
tf.math.nonsense  # error attr-defined
