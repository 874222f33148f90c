"""What calls of random programs give or raise, and whether two of them gave the same."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

import numpy as np

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import GraphLimit


def outcome(function, x, *others):
    """What a call with a copy of the array gives, or the class and text of what it raises."""
    try:
        return function(x.copy(), *others)
    except ag.StagingError:
        raise
    except Exception as error:
        return type(error), str(error)


def as_it_is(x):
    """`x`: what is done to results and functions where nothing is to be done."""
    return x


def is_answered(text, cases, backends, seed, seen=as_it_is, called=as_it_is):
    """Run `f` of a program as Python and as a graph; whether the graph was not refused.

    `cases` are the arguments of calls of one signature, which one trace serves; `seen` is what of a
    result is compared, `called` makes of a function one that calls it with a case.
    """
    return graphs_of(text, cases, backends, seed, seen, called) is not None


def graphs_of(text, cases, backends, seed, seen=as_it_is, called=as_it_is):
    """The graphs, by the names of the backends that they were run on; None where one was refused."""
    function, graphs = ag.convert_source(text).f, {}
    for backend in backends:
        graph = graphs[backend] = ag.convert(function)
        with config.backend.using(backend), config.check.using(True):
            for case in cases:
                expected = outcome(called(function), *case)
                try:
                    assert_same(seen(outcome(called(graph), *case)), seen(expected))
                except ag.StagingError:
                    return None
                except AssertionError as error:
                    raise AssertionError(f"{backend}, {case}, seed {seed}\n{text}") from error
        assert graph.trace_count <= 1, f"seed {seed}\n{text}"
    return graphs


def is_done_alike(text, run, *cases):
    """Run `f` of a program as Python and as a graph; whether the graph was not refused.

    `run(f, *case)` gives all that a call gives, changes or raises but refusals.
    """
    function = ag.convert_source(text).f
    graph = ag.convert(function)
    for case in cases:
        expected = run(function, *case)
        try:
            found = run(graph, *case)
        except (ag.StagingError, GraphLimit) as error:
            if "does not know how to stage" in str(error):
                raise AssertionError(f"{case}\n{text}") from error
            return False
        assert found == expected, f"{case}\n{text}"
    return True


def one_backend(seed):
    """A backend by a seed, each as often as the others."""
    return [sorted(BACKENDS)[seed % len(BACKENDS)]]


def native_and_another(seed):
    """The native backend and another by a seed, each as often as the others."""
    others = sorted(name for name in BACKENDS if name != "native")
    return ["native", others[seed % len(others)]]


def with_numbers(result):
    """A result with a number for each list and dict in it, the same for the same one."""
    known = []

    def seen(x):
        if not isinstance(x, list | dict | tuple):
            return x
        if not isinstance(x, tuple):
            place = next((k for k, one in enumerate(known) if one is x), None)
            if place is not None:
                return f"number {place}"
            known.append(x)
        if isinstance(x, dict):
            return {key: seen(value) for key, value in x.items()}
        return type(x)(map(seen, x))

    return seen(result)


def assert_same(got, expected):
    """Equal, but for dtypes, which are joined where they depend on data."""
    if isinstance(expected, (list, tuple, deque)):
        assert type(got) is type(expected), "another kind"
        assert len(got) == len(expected), f"{got} for {expected}"
        for one, other in zip(got, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert type(got) is type(expected) in (dict, Counter, defaultdict)
        assert_same(list(got.items()), list(expected.items()))
    elif expected is None or isinstance(expected, (str, set, type)):
        assert got == expected
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-12)
