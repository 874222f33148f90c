"""Times a function in all ways to run it, or a product of vectors on each device."""

from __future__ import annotations

import json
import math
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import NamedTuple

import autograph as ag
from autograph.cli import function_times
from autograph.cli.failure import Status
from autograph.cli.function_times import arguments
from autograph.cli.programs import add_input_arguments
from autograph.cli.specs import parse_argument
from autograph.cli.targets import load_target
from runtime.devices import synchronize

__all__ = ["SUMMARY", "Times", "add_arguments", "execute", "measure", "sizes"]

SUMMARY = "how long a function takes in all ways to run it, or devices for vectors"

# Columns of the curves, and what stands in them for each device.
_WIDTH = 40
_MARKS = "*o+x#"


class Times(NamedTuple):
    """Seconds for one product of vectors of length `n`: of the first call, and of later ones."""

    device: str
    n: int
    warm_up: float
    run: float


def add_arguments(parser: ArgumentParser) -> None:
    """Declares what `autograph bench` takes."""
    parser.add_argument(
        "what",
        metavar="MODULE:FUNCTION|device",
        help="a function, or products of vectors on each device",
    )
    add_input_arguments(parser, "f32[3,4] (random numbers), x=file.npy, 3")
    parser.add_argument(
        "--n",
        metavar="SIZES",
        type=sizes,
        default="1..1e7",
        help="lengths of vectors: 10,1000 or, by powers of ten, 1..1e7",
    )
    parser.add_argument(
        "--seconds", type=float, default=0.2, help="how long to repeat each call or product"
    )
    parser.add_argument("--json", action="store_true", help="print the times as JSON")


def sizes(text: str) -> list[int]:
    """The lengths that a text stands for.

    >>> sizes("1..1e3"), sizes("5,70")
    ([1, 10, 100, 1000], [5, 70])
    """
    first, dots, last = text.partition("..")
    try:
        found = [_size(part) for part in ((first, last) if dots else text.split(","))]
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{text!r} is neither 10,1000 nor 1..1e7") from None
    if dots:
        low, high = found
        found = [low * 10**k for k in range(len(str(high))) if low * 10**k <= high]
    if not found or min(found) < 1:
        raise ArgumentTypeError(f"{text!r}: there is no length of at least 1")
    return found


def _size(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def execute(options: Namespace) -> Status:
    """Runs `autograph bench`."""
    if options.what != "device":
        return _bench_function(options)
    devices = ag.list_devices()
    found = [measure(device, n, options.seconds) for n in options.n for device in devices]
    if options.json:
        print(json.dumps([times._asdict() for times in found]))
    else:
        print("\n".join(_table(found, devices)))
    return Status.DONE


def _bench_function(options: Namespace) -> Status:
    target = load_target(options.what)
    positional, named = arguments(target, [parse_argument(text) for text in options.inputs])
    found = function_times.measure(target, positional, named, options.seconds)
    if options.json:
        ways = [way._asdict() for way in found.ways]
        costs = [cost._asdict() for cost in found.profile.costs]
        kernels = [kernel._asdict() for kernel in found.kernels.kernels] if found.kernels else []
        explained = {"costs": costs, "kernels": kernels, "explained": found.explained}
        print(json.dumps({"ways": ways, **explained}))
        return Status.DONE
    print(f"{'microseconds':12}{'first call':>14}{'later calls':>14}")
    for way in found.ways:
        print(f"{way.name:12}{way.first_call * 1e6:14.1f}{way.call * 1e6:14.2f}")
    print(f"\nnode by node, as a plan:\n{found.profile}\n")
    if found.kernels is not None:
        print(f"kernel by kernel, as native code:\n{found.kernels}\n")
    print(found.explained)
    return Status.DONE


def measure(device: str, n: int, seconds: float) -> Times:
    """Time the product of a row and a column of `n` random float32 numbers on a device.

    A call ends when the device has done its work. Later calls are repeated for about `seconds`;
    their time is the mean.
    """
    with ag.device(device):
        row = ag.random.normal((1, n), dtype=ag.float32)
        column = ag.random.normal((n, 1), dtype=ag.float32)
    synchronize(device)

    def timed(repeats: int) -> float:
        began = time.perf_counter()
        for _ in range(repeats):
            ag.matmul(row, column)
            synchronize(device)
        return time.perf_counter() - began

    warm_up = timed(1)
    repeats, elapsed = 1, timed(1)
    while elapsed < seconds:
        repeats *= 2
        elapsed = timed(repeats)
    return Times(device, n, warm_up, elapsed / repeats)


def _table(found: Sequence[Times], devices: Sequence[str]) -> list[str]:
    """Rows of times in microseconds, the run of each device drawn to a logarithmic scale."""
    marks = {device: _MARKS[i % len(_MARKS)] for i, device in enumerate(devices)}
    heads = "".join(f"{f'{device} {marks[device]}':>24}" for device in devices)
    legend = "".join(f"{'warm-up':>12}{'run':>12}" for _ in devices)
    runs = [times.run for times in found]
    rows = [
        "product of a row and a column of n float32, microseconds",
        f"{'':>10}{heads}",
        f"{'n':>10}{legend}",
    ]
    for n in dict.fromkeys(times.n for times in found):
        own = [times for times in found if times.n == n]
        numbers = "".join(f"{t.warm_up * 1e6:12.1f}{t.run * 1e6:12.2f}" for t in own)
        curve = [" "] * _WIDTH
        for times in own:
            curve[_column(times.run, min(runs), max(runs))] = marks[times.device]
        rows.append(f"{n:10}{numbers}  {''.join(curve)}".rstrip())
    if len(devices) == 1:
        rows.append(f"There is no other device than {devices[0]}.")
    return rows


def _column(value: float, low: float, high: float) -> int:
    if high <= low:
        return 0
    return round((_WIDTH - 1) * math.log(value / low) / math.log(high / low))
