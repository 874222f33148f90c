"""What a graph does beside computing: what it hands out, prints, and has plain Python do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Effects"]


@dataclass(eq=False, repr=False)
class Effects:
    """The calls of plain Python that a graph makes, and what these and the caller may see."""

    # "graph": print on each call; "trace": print while tracing.
    prints: str = "graph"
    # What the `np.printoptions` around what is being traced change.
    print_options: list[dict[str, Any]] = field(default_factory=list)
    # Python code that the graph calls: how many calls there are so far, and before how many of
    # them each place was read last; the placeholders of the arrays and the keys of the places that
    # must be written before such a call; whether a call must know what it lends.
    calls: int = 0
    reads_at: dict[Any, int] = field(default_factory=dict)
    shared: set[int] = field(default_factory=set)
    written: set[Any] = field(default_factory=set)
    lends: bool = False
    # Whether arguments are among what was written before something that can raise.
    pends_on_arguments: bool = False
    # What an exception holds that the next node raises.
    raised: tuple[Any, ...] = ()
    # Templates of what the function stores in objects and gives back.
    handouts: Any = None
    # Where the bits of NumPy's generators are that the graph makes, by the value of the generator.
    bits: dict[Any, Any] = field(default_factory=dict)
