"""What transforms make of functions: names, methods, copies, pickles."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf
from runtime.autodiff.derived import Derived


def cube(x):
    """The third power."""
    return (x**3).sum()


@ag.custom_gradient
def clipped(x):
    return x, lambda dy: ag.clip(dy, -1.0, 1.0)


class Model:
    weight = 2.0

    @ag.grad
    def loss(self, x):
        return self * x

    @ag.custom_gradient
    def scaled(self, x):
        return x * self.weight, lambda dy: dy * 10.0


MADE = {
    "grad": ag.grad(cube),
    "value_and_grad": ag.value_and_grad(cube),
    "jacobian": ag.jacobian(cube),
    "jacfwd": ag.jacfwd(cube),
    "hessian": ag.hessian(cube),
    "grad of grad": ag.grad(lambda x: cube(x)),
    "grad of converted": ag.grad(ag.convert(cube)),
    "recompute_grad": ag.recompute_grad(cube),
    "grad twice": ag.jacobian(ag.grad(cube), 0),
    "vmap": ag.vmap(cube),
    "vmap of grad": ag.vmap(ag.grad(cube)),
    "converted": ag.convert(ag.grad(cube)),
    "tf.recompute_grad": tf.recompute_grad(cube),
    "tf.grad_pass_through": tf.grad_pass_through(cube),
}
X = np.array([[1.0, 2.0], [3.0, 4.0]])


def as_text(made):
    try:
        return repr(made(X))
    except (TypeError, ValueError) as error:
        return repr(error)


@pytest.mark.parametrize("name", sorted(MADE.keys() - {"grad of grad"}))
def test_a_pickled_one_does_the_same(name):
    again = pickle.loads(pickle.dumps(MADE[name]))
    assert type(again) is type(MADE[name]) and as_text(again) == as_text(MADE[name])


def test_one_of_a_lambda_says_why_it_is_not_pickled():
    for made in (MADE["grad of grad"], ag.vmap(lambda x: x), ag.convert(lambda x: x)):
        with pytest.raises(pickle.PicklingError, match=r"lambda.*cloudpickle"):
            pickle.dumps(made)


def test_a_decorated_function_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(clipped)) is clipped
    assert pickle.loads(pickle.dumps(Model.scaled)) is Model.scaled


def test_a_pull_back_says_why_it_is_not_pickled():
    _, pull_back = ag.vjp(cube, X)
    with pytest.raises(pickle.PicklingError, match="pickle the function and its arguments"):
        pickle.dumps(pull_back)
    assert pull_back(1.0)[0].tolist() == (3 * X**2).tolist()


def test_it_has_the_name_and_the_text_of_its_function():
    made = ag.grad(cube)
    assert isinstance(made, Derived) and repr(made) == "<grad of cube>"
    assert (made.__name__, made.__doc__, made.__wrapped__) == ("cube", "The third power.", cube)
    assert list(inspect.signature(made).parameters) == ["x"]
    assert copy.copy(made) is made and copy.deepcopy([made])[0] is made


def test_it_is_bound_to_objects_as_a_function_is():
    model = Model()
    assert Model.loss(2.0, 3.0) == 3.0
    for way in (lambda f: f, ag.convert):
        assert way(lambda x: model.scaled(x))(3.0) == 6.0
        assert way(ag.grad(lambda x: model.scaled(x)))(3.0) == 10.0


def test_nothing_is_asked_of_a_derivative_at_a_call():
    """What it is made of never changes: native code finds all else that a call takes for granted."""
    converted = ag.convert(ag.grad(cube))
    guards = converted.get_concrete_function(np.ones(2))._traced.guards
    assert not [guard for guard in guards if not guard.is_of_code and guard.place.route is None]
