"""Shows one small program at every stage: source, converted source, graph, result, gradient."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

import autograph as ag
from autograph.cli.failure import Status

__all__ = ["SUMMARY", "add_arguments", "cube_root", "execute"]

SUMMARY = "one small program at every stage"

VOLUME = 42.0


def cube_root(volume: Any) -> Any:
    """Side of the cube of this volume, by Newton's iteration."""
    side = volume
    while abs(side**3 - volume) > 1e-12 * volume:
        side = side - (side**3 - volume) / (3 * side**2)
    return side


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph demo` takes: nothing."""


def execute(options: Namespace) -> Status:
    """Runs `autograph demo`."""
    volume = np.float64(VOLUME)
    function = ag.convert(cube_root)
    _section("The function, as written", inspect.getsource(cube_root))
    _section("Converted (ag.to_code)", ag.to_code(cube_root))
    _section("Its graph for a float64", str(function.get_concrete_function(volume).graph))
    _section(f"Its value and gradient at {volume}", _values(function, volume))
    return Status.DONE


def _values(function: Any, volume: np.float64) -> str:
    value, gradient = ag.value_and_grad(function)(volume)
    return (
        f"cube_root({volume})       = {value}\n"
        f"its gradient          = {gradient}\n"
        f"known: 1/(3*side**2)  = {1 / (3 * value**2)}"
    )


def _section(title: str, text: str) -> None:
    print(f"--- {title}\n\n{text.strip()}\n")
