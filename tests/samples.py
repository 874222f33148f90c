"""How many samples a test goes through, and how many tests a run.

A test for each op or function goes through all of the samples that it is declared with: there are
ten times as many samples as ops, and most take less time than what pytest does for a test.

Of the tests of a function with the mark `broad(n)`, a run takes about one of n; the others are
long tests.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pytest


class Sample(NamedTuple):
    """Arguments of a test: `values`, the `number`th sample of what is called `name`."""

    name: str
    number: int
    values: tuple[Any, ...]


def samples_of(
    named: Mapping[str, tuple[Any, Callable[[], Iterable[tuple[Any, Any]]] | None]],
) -> list[Sample]:
    """What each name stands for, with operands and attributes of each of its samples."""
    return [
        Sample(name, number, (thing, *sample))
        for name, (thing, samples) in sorted(named.items())
        for number, sample in enumerate(samples() if samples else ())
    ]


def for_each(names: str, samples: Iterable[Sample]) -> Callable[[Callable[..., None]], Any]:
    """Parametrize a test, which takes `names`, by the names of samples; it runs for each of them.

    A failure has a note that tells the sample. A test is skipped if each of its samples is.
    """
    groups = [
        pytest.param(list(group), id=name)
        for name, group in itertools.groupby(samples, lambda sample: sample.name)
    ]
    taken = names.split(", ")

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def test_all(samples: list[Sample], **fixtures: Any) -> None:
            skipped = []
            for sample in samples:
                try:
                    test(**dict(zip(taken, sample.values, strict=True)), **fixtures)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except Exception as error:
                    error.add_note(f"with sample {sample.number}: {sample.values[1:]}")
                    raise
            if len(skipped) == len(samples):
                raise skipped[0]

        others = inspect.signature(test).parameters.values()
        fixtures = [p for p in others if p.name not in taken]
        given = inspect.Parameter("samples", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test_all.__signature__ = inspect.Signature([given, *fixtures])  # type: ignore[attr-defined]
        return pytest.mark.parametrize("samples", groups)(test_all)

    return decorate


def leave_to_long_tests(items: Iterable[pytest.Item]) -> None:
    """Mark as long what a run leaves out of the tests of functions that are `broad`.

    By their names, so that it is no matter which others there are: it takes the first, and of the
    others one of n, whichever of several parameters they differ in.
    """
    met: set[str] = set()
    for item in items:
        broad = item.get_closest_marker("broad")
        if broad is None or item.get_closest_marker("long") is not None:
            continue
        function = item.nodeid.partition("[")[0]
        if function in met and zlib.crc32(item.nodeid.encode()) % broad.args[0]:
            item.add_marker("long")
        met.add(function)


__all__ = ["Sample", "for_each", "leave_to_long_tests", "samples_of"]
