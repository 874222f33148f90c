"""What a type checker sees of the public API; `test_reveal` checks the notes against `# is`."""

from collections.abc import Callable, Sequence
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


def cube(x: float, times: int = 1) -> float:
    return x**3 * times


v = ag.Variable(1.0)
reveal_type(v + 1)  # is Tensor
reveal_type(2.0 * v - x)  # is Any
reveal_type(v @ v)  # is Tensor
reveal_type(-v)  # is Tensor
reveal_type(v[0])  # is Tensor
reveal_type(v > 1)  # is Tensor
reveal_type(v == v)  # is Any
v += 1
reveal_type(tf.Variable(1.0) / 2)  # is Tensor
reveal_type(ag.grad(cube)(2.0))  # is float
reveal_type(ag.grad(ag.grad(lambda x: x**3))(2.0))  # is Any
reveal_type(ag.grad(cube, 0)(2.0, times=3))  # is Any
reveal_type(ag.grad(cube)(2.0, times=3))  # is float
reveal_type(ag.grad(lambda x: x * x)(2.0))  # is Any
reveal_type(ag.grad(np.sin)(2.0))  # is Any
reveal_type(ag.grad(cube, argnums=(0,))(2.0))  # is Any
reveal_type(ag.grad(ag.convert(cube))(2.0))  # is float
reveal_type(ag.convert(ag.grad(cube))(2.0))  # is float
reveal_type(ag.grad(model.plain)(x))  # is ndarray
reveal_type(ag.value_and_grad(cube)(2.0))  # is tuple[float, float]
reveal_type(ag.vjp(cube, 2.0))  # is tuple[float, def (Any) -> tuple[Any, ...]]
reveal_type(ag.jvp(cube, (2.0,), (1.0,)))  # is tuple[float, float]
reveal_type(ag.hessian(cube)(2.0, times=3))  # is Any
ag.hessian(cube)("wide")  # error arg-type
ag.grad(cube)()  # error call-arg
ag.grad(cube)(2.0, time=3)  # error call-arg


@ag.custom_gradient
def halved(x: float) -> tuple[float, Callable[[float], float]]:
    return x / 2, lambda dy: dy / 2


reveal_type(halved(1.0))  # is float
reveal_type(ag.recompute_grad(cube)(1.0))  # is float

scale(x, "wide")  # error arg-type
scale()  # error call-arg
scale(x, clipped=True)  # error call-arg
model.call(x, x, x)  # error call-arg
total(3)  # error arg-type
ag.convert(3)  # error call-overload

reveal_type(tf.train.latest_checkpoint("folder"))  # is str | None
reveal_type(tf.nest.is_nested([1]))  # is bool
reveal_type(tf.constant(1.0))  # is Tensor
reveal_type(tf.sin(1.0))  # is Tensor
reveal_type(tf.matmul([[1.0]], [[2.0]]))  # is Tensor
reveal_type(tf.reduce_sum([1.0]).dtype)  # is dtype[Any]
reveal_type(tf.nn.relu([1.0]))  # is Tensor
reveal_type(tf.random.uniform([2]))  # is Tensor
ag.nonsense  # error attr-defined
tf.nonsense  # error attr-defined
tf.math.nonsense  # error attr-defined
