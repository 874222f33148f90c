"""`py_call` outside of graphs; in them: `tests/language/test_host_calls.py`."""

import numpy as np
import pytest

import autograph as ag


def test_tensors_are_given_as_arrays_and_results_are_checked():
    kinds = []

    def f(x, nest, *, k):
        kinds.extend((type(x), type(nest["a"][0])))
        return x * k

    x = ag.constant([1.0, 2.0])
    found = ag.py_call(f, x, {"a": [x]}, k=2.0, result=ag.TensorSpec([2]))
    assert type(found) is np.ndarray and found.tolist() == [2, 4] and kinds == [np.ndarray] * 2
    assert ag.py_call(f, x, {"a": [3]}, k="ab"[:0] or 3).tolist() == [3, 6]
    with pytest.raises(TypeError, match=r"gave float64\[2\], which is not the float64\[3\]"):
        ag.py_call(f, x, {"a": [x]}, k=2.0, result=ag.TensorSpec([3]))
    with pytest.raises(TypeError, match="gave a ndarray, which is not the structure"):
        ag.py_call(f, x, {"a": [x]}, k=2.0, result=[float, float])


def test_tapes_see_the_gradient_or_say_that_there_is_none():
    def square(x, **options):
        return ag.py_call(np.square, x, result=ag.TensorSpec([2]), **options)

    x = ag.constant([1.0, 3.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.sum(square(x, gradient=lambda g, v: 2 * v * g))
    assert tape.gradient(y, x).numpy().tolist() == [2, 6]
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.sum(square(x))
    with pytest.raises(LookupError, match="`numpy.square` is plain Python, and a gradient is"):
        tape.gradient(y, x)


def test_a_rule_for_several_arguments_and_results():
    def rule(g, h, x, y):
        return g * y + h, g * x + h

    spec = ag.TensorSpec([None])

    def f(x, y):
        p, s = ag.py_call(lambda x, y: (x * y, x + y), x, y, result=(spec, spec), gradient=rule)
        return ag.sum(p * 2 + s)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    for g in (f, ag.convert(f)):
        found = ag.grad(g, argnums=(0, 1))(x, y)
        assert [part.tolist() for part in found] == [(2 * y + 1).tolist(), (2 * x + 1).tolist()]


LOG: list[float] = []


def test_a_method_of_a_list_of_the_module_is_called():
    @ag.convert
    def logged(x):
        ag.py_call(LOG.append, x[0])
        for v in x:
            if v > 1:
                ag.py_call(LOG.append, v)
        return x * 2

    @ag.convert
    def counted(x):
        ag.py_call(LOG.append, x[0])
        return x + len(LOG)

    LOG.clear()
    logged(np.array([1.0, 2.0]))
    logged(np.array([3.0, 0.5]))
    assert LOG == [1.0, 2.0, 3.0, 3.0] and logged.trace_count == 1
    with pytest.raises(
        ag.StagingError, match="which the converted function reads or writes as well"
    ):
        counted(np.array([1.0, 2.0]))


def test_explain_says_who_asked_for_the_call():
    def doubled(x):
        return x * 2

    f = ag.convert(lambda x: ag.py_call(doubled, x, result=ag.TensorSpec((2,), "float64")) + 1)
    assert f(np.ones(2)).tolist() == [3, 3]
    asked = "doubled` is called by the host on each call: `py_call` asks for that"
    assert asked in f.explain()
