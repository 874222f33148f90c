"""A test for each op or function, which goes through all of the samples that it is declared with.

There are ten times as many samples as ops, and most take less time than what pytest does for a test.
"""

from __future__ import annotations

import functools
import inspect
import itertools
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


__all__ = ["Sample", "for_each", "samples_of"]
