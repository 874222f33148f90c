"""The table: each workload by ours and by each peer, in turns.

It is printed by `python -m benchmarks.table [ROW ...]`.

`--python PATH` is the interpreter of the peers that this one has not; `--rounds N` how often all
have a turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence

from benchmarks.peers import NAMES, Peer, installed
from benchmarks.rows import ROWS

__all__ = ["main", "measure"]

# Seconds of a turn.
_TURN = 0.02
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
    given = parser.parse_args(arguments)
    unknown = [name for name in given.rows if name not in ROWS]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    here, there = installed(), installed(given.python)
    wanted = [name for name in given.peers.split(",") if name in here or name in there]
    peers = [Peer(name, sys.executable if name in here else given.python) for name in wanted]
    print(f"{'us per call':22}", *(f"{name:>11}" for name in wanted), f"{'ahead':>7}")
    ratios = []
    try:
        for name in given.rows:
            found = measure(name, peers, given.rounds)
            cells = [f"{found[p][0]:11.2f}" if p in found else f"{'-':>11}" for p in wanted]
            best = min((found[p][0] for p in _COMPARED if p in found), default=None)
            ratio = None if best is None or "ours" not in found else best / found["ours"][0]
            if ratio is not None:
                ratios.append(ratio)
            print(f"{name:22}", *cells, "" if ratio is None else f"{ratio:6.2f}x", flush=True)
    finally:
        for peer in peers:
            peer.close()
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.2f}x of {len(ratios)} rows")


if __name__ == "__main__":
    main()
