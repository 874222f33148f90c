"""The table: each workload by ours and by each peer, in turns.

It is printed by `python -m benchmarks.table [ROW ...]`.

`--variants` measures each row with inputs of another size, of another dtype, and with one more
operation, too, and says which part of the row's ratio each keeps; `--variants size,more` some.

`--python PATH` is the interpreter of the peers that this one has not; `--rounds N` how often all
have a turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from benchmarks.peers import NAMES, Peer, installed
from benchmarks.rows import ROWS, VARIANTS

__all__ = ["main", "measure"]

# Seconds of a turn.
_TURN = 0.02
# The part of a row's ratio that a variant should keep.
_KEPT = 0.8
_COMPARED = ("tensorflow", "xla", "jax", "torch", "inductor")


def measure(row: str, peers: Sequence[Peer], rounds: int) -> dict[str, tuple[float, float]]:
    """Median microseconds per call, and milliseconds of the first call, of each that can."""
    first, counts = {}, {}
    for peer in peers:
        try:
            first[peer] = peer.ask("prepare", row)
            peer.ask("block", row, 1)
            cost = peer.ask("block", row, 3)
        except RuntimeError as error:
            if "KeyError" not in str(error):
                print(f"  {row}: {error}", file=sys.stderr)
            continue
        counts[peer] = max(1, int(1e6 * _TURN / max(cost, 0.01)))
    times: dict[Peer, list[float]] = {peer: [] for peer in counts}
    for _ in range(rounds):
        for peer, count in counts.items():
            times[peer].append(peer.ask("block", row, count))
    return {peer.name: (statistics.median(t), first[peer]) for peer, t in times.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and the geometric mean of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=list(ROWS), metavar="ROW")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", default=",".join(NAMES))
    parser.add_argument("--variants", nargs="?", const=",".join(VARIANTS), default="")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.rows if name not in ROWS]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    kinds = [kind for kind in given.variants.split(",") if kind]
    if not set(kinds) <= set(VARIANTS):
        parser.error(f"the variants are {', '.join(VARIANTS)}")
    here, there = installed(), installed(given.python)
    wanted = [name for name in given.peers.split(",") if name in here or name in there]
    peers = [Peer(name, sys.executable if name in here else given.python) for name in wanted]
    print(f"{'us per call':26}", *(f"{name:>11}" for name in wanted), f"{'ahead':>7}")
    ratios, parts = [], []
    try:
        for name in given.rows:
            ratio = _line(name, peers, given.rounds)
            ratios += [] if ratio is None else [ratio]
            for kind in kinds:
                if ROWS[name].variant(kind) is None:
                    continue
                other = _line(f"{name}:{kind}", peers, given.rounds, ratio)
                parts += [] if ratio is None or other is None else [other / ratio]
    finally:
        for peer in peers:
            peer.close()
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.2f}x of {len(ratios)} rows")
    if parts:
        few = sum(part < _KEPT for part in parts)
        print(f"{few} of {len(parts)} variants keep less than {_KEPT:.0%} of the row's ratio")


def _line(name: str, peers: Sequence[Peer], rounds: int, row: float | None = None) -> float | None:
    """Measure and print a row or a variant; how far ahead of the best peer ours is.

    `row` is how far the row is whose variant this is.
    """
    found = measure(name, peers, rounds)
    cells = [f"{found[p.name][0]:11.2f}" if p.name in found else f"{'-':>11}" for p in peers]
    best = min((found[p][0] for p in _COMPARED if p in found), default=None)
    ratio = None if best is None or "ours" not in found else best / found["ours"][0]
    told = "" if ratio is None else f"{ratio:6.2f}x"
    if ratio is not None and row is not None:
        told += f"{ratio / row:6.0%}{' !' if ratio < _KEPT * row else ''}"
    print(f"{name:26}", *cells, told, flush=True)
    return ratio


if __name__ == "__main__":
    main()
