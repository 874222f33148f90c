"""Dicts that have a key on one path only, with values of any kinds: results, state, options."""

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check, count_nodes, graph_of, refuse

CASES = [
    (np.array(x),) for x in ([1.0, 2, 3], [-1.0, 2, 3], [1.0, -2, 3], [-1.0, -2, 3], [5.0, 1, -9])
]
samples = Samples()


def optional(x):
    """A dict that may have an array, and a number."""
    found = {}
    if x[0] > 0:
        found["a"] = x
    if x[1] > 0:
        found["s"] = 2
    return found


@samples("E2", *CASES, conds=2)
def a_result_with_optional_keys(x):
    found = {"n": len(x)}
    if x[0] > 0:
        found["first"] = x[0]
        found["rest"] = x[1:]
    if x[1] > 0:
        found["label"] = "big"
    return found


@samples("E2", *CASES)
def numbers_of_several_types(x):
    found = {"n": len(x), "some": False}
    if x.sum() > 3:
        found["mean"] = x.sum() / 2
        found["most"] = 7
    found["ratio"] = 0.5
    return found


@samples("E2", *CASES, conds=1)
def a_result_of_two_shapes(x):
    found = {}
    if x[0] > 0:
        found["a"] = 1
    else:
        found["s"] = x + 1
    return {"inner": found, "any": bool(found)}


@samples("E2", *CASES)
def asked_for_and_made(x):
    found = optional(x)
    if "a" not in found:
        found["a"] = np.zeros(3)
    return found["a"], found.get("s", -1), len(found), "s" in found, "t" in found


@samples("E9", *CASES)
def a_missing_key(x):
    return optional(x)["s"]


@samples("E2", *CASES)
def taken_out_and_set(x):
    found = optional(x)
    a = found.pop("a", None)
    found.setdefault("s", 7)
    found["s"] += 1
    del found["s"]
    return a is None, len(found), found


@samples("E2", *CASES)
def other_names_of_it(x):
    found = {"n": 0}
    other = found
    if x[0] > 0:
        other["m"] = x
    found["n"] += 1
    return other["n"], len(found), found is other, other.pop("m", None) is None, len(found)


@samples("E4", *CASES)
def gone_through(x):
    found, total, names = optional(x), 0.0, []
    for key, value in found.items():
        total += np.sum(value)
        names.append(key)
        if key == "s" and total > 3:
            break
    return float(total), names, [key for key in found], sorted(found), len(found.values())


@samples("E4", *CASES)
def a_dict_made_of_its_items(x):
    return {key: float(np.sum(value)) for key, value in optional(x).items()}


@samples("E4", *CASES)
def copied_and_joined(x):
    found = optional(x)
    other = found.copy()
    other["z"] = 1
    found |= {"y": x[2]}
    return {**found, "q": 2}, other, dict(found)


@samples("E4", *CASES)
def several_in_a_list(x):
    return [("a" in found, found.get("s", 0)) for found in [optional(x), optional(-x)]]


@samples("E9", *CASES)
def left_by_a_try(x):
    found = {}
    try:
        if x[0] > 0:
            found["a"] = x
        if x[1] > 0:
            raise ValueError("e")
        found["b"] = 1
    except ValueError:
        found["error"] = "bad"
    return found


@samples("E2", *CASES)
def written_by_a_function_inside(x):
    found = {}

    def add(key, value):
        found[key] = value

    if x[0] > 0:
        add("a", x.sum())
    if x[1] > 0:
        add("b", [1, 2])
    return found


@samples("E2", *CASES)
def in_an_order_by_data(x):
    found = {}
    if x[0] > 0:
        found["a"] = 1
    found["s"] = x
    if x[1] > 0:
        found["t"] = "text"
    found["a"] = 1
    if x[2] > 0:
        found.pop("s")
        found["s"] = x * 2
    return found, {"inside": found.copy()}


@samples("E4", *((np.array(x), n) for x in ([3.0, 1.0], [1.5, -2.0], [-1.0, 0.5]) for n in [3]))
def one_key_or_another_after_a_loop(x, n):
    info, k = {}, 0
    while k < n:
        k += 1
        x = x / 2
        if np.max(np.abs(x)) < 0.3:
            info["steps"], info["left"] = k, x.sum()
            break
    else:
        info["warning"] = f"not converged after {n}"
    return info


@samples("E4", *((np.array(x), n) for x in ([3.0, 1.0], [1.5, -2.0], [-1.0, 0.5]) for n in [20]))
def state_that_a_loop_makes(x, n):
    """As optimizers do: what is kept of each parameter is made when it is first seen."""
    momentum, params = {}, {"w": x, "b": x[0]}
    for step in range(n):
        loss = np.sum(params["w"] ** 2) + params["b"] ** 2
        if loss < 0.1:
            break
        for key in params:
            if key not in momentum:
                momentum[key] = np.zeros_like(params[key])
            momentum[key] = 0.5 * momentum[key] + 0.2 * params[key]
            params[key] = params[key] - momentum[key]
    return params["w"], params["b"], step, len(momentum)


@samples("E2", *CASES)
def a_value_of_two_kinds_on_some_paths(x):
    found = {}
    if x[0] > 0:
        pass
    elif x[2] > 0:
        found["a"] = (1, x)
    else:
        found["a"] = "text"
    found["s"] = x[1:]
    more = {"a": 1} if "a" in found and len(found) > 1 else {}
    return len(found), more


@samples("E2", *CASES)
def a_value_of_two_kinds_that_a_loop_puts_in(x):
    found = {}
    i = 0
    while i < 2 and x[i] < 0:
        if x[2] > 0:
            found["a"] = (1, x)
        else:
            found["a"] = "text"
        i += 1
    return len(found), "a" in found, i


@samples("E2", *CASES)
def a_value_of_two_kinds_that_a_try_puts_in(x):
    found = {}
    try:
        if x[0] > 0:
            raise ValueError
        if x[2] > 0:
            found["a"] = (1, x)
        else:
            found["a"] = "text"
    except ValueError:
        found["s"] = 1
    return len(found), "a" in found, "s" in found


test_keys_are_there_where_python_has_them = samples.test()


def weighted(x):
    found = {"scale": 2.0}
    if x[0] > 0:
        found["extra"] = x * x
    total = np.sum(x) * found["scale"]
    if "extra" in found:
        total = total + np.sum(found["extra"] * x)
    for value in found.values():
        total = total + np.sum(value)
    return total


@pytest.mark.parametrize("x", [case[0] for case in CASES])
def test_gradients_go_through_the_values(x):
    found = ag.grad(ag.convert(weighted))(x)
    steps = 1e-6 * np.eye(3)
    expected = [(weighted(x + s) - weighted(x - s)) / 2e-6 for s in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_state_of_a_loop_is_in_one_loop_of_the_graph():
    checked = check(state_that_a_loop_makes, *((np.array([3.0, a]), 40) for a in (1.0, 2.0)))
    assert count_nodes(graph_of(checked.function), "while") == 1


# ---- refused -------------------------------------------------------------------------------------


def gone_through_in_another_order(x):
    return [key for key in in_an_order_by_data(x)[0]]


def printed(x):
    print(optional(x))


def a_value_of_two_kinds(x):
    found = {}
    if x[0] > 0:
        if x[1] > 0:
            found["a"] = (1, x)
        else:
            found["a"] = "text"
    return found.get("a")


def compared(x):
    return optional(x) == {"s": 2}


def a_view_as_a_whole(x):
    return optional(x).keys() == {"s"}


def of_the_caller(found, x):
    if x > 0:
        found["label"] = "high"
        found["b"][0] = x
    elif x < 0:
        value = found.pop("a")
        found["low"] = value
        found["a"] = value + 1
    found["n"] = x * 2
    return found, found.get("low", 0.0), len(found)


def counted_for_the_caller(found, x):
    for v in (x, -x, x + 1):
        if v > 0:
            found["positive"] = found.get("positive", 0) + 1
    if x == 0:
        raise ValueError(f"zero, {len(found)}")
    return found.setdefault("negative", x)


def that_shares_its_values(given, x):
    own = [x]
    found = {"given": given["items"], "own": own, "both": {"own": own, "n": x * 2}}
    if x > 0:
        found["last"] = own
    return found, own


def test_a_value_of_such_a_dict_is_the_object_that_it_is_elsewhere():
    for backend in BACKENDS:
        with config.backend.using(backend):
            converted = ag.convert(that_shares_its_values)
            for x in (1.0, -1.0):
                given = {"items": [1.0, 2.0]}
                found, own = converted(given, x)
                assert found["given"] is given["items"] and found["own"] is own == [x]
                assert found["both"]["own"] is own and found.get("last", own) is own
                assert found.keys() == that_shares_its_values(given, x)[0].keys()
            assert converted.trace_count == 1


def test_a_dict_of_the_callers_gets_keys_on_some_paths():
    older = {"a": 1.0, "b": np.array([1.0, 2.0])}
    check(of_the_caller, (older, 2.0), (older, -1.0), (older, 0.0))
    check(counted_for_the_caller, ({}, 2.0), ({}, -2.0), ({}, 0.0))
    given = {"a": 1.0, "b": np.zeros(2)}
    assert ag.convert(of_the_caller)(given, -1.0)[0] is given
    assert list(given) == ["b", "low", "a", "n"]


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (gone_through_in_another_order, "gone through, and the order of its keys depends on data"),
        (printed, "a dict is used as a whole, and whether it has 'a' depends on data"),
        (compared, "a dict is used as a whole, and whether it has 'a' depends on data"),
        (a_value_of_two_kinds, "is a tuple of 2 items on one path but the str 'text' on the other"),
        (a_view_as_a_whole, "a view of a dict is used as a whole"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_needs_all_keys_is_refused(sample, match):
    refuse(sample, *CASES[0], match=match)
