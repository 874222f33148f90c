"""A graph as a picture: SVG with the graphs of a node as boxes in it, HTML with them folded.

The layout is in layers (K. Sugiyama, S. Tagawa and M. Toda, Methods for visual understanding of
hierarchical system structures, IEEE Transactions on Systems, Man, and Cybernetics 11 (1981)): each
box stands below what it takes, boxes of a layer are ordered by their neighbours, and a line that
passes a layer bends there.
"""

from __future__ import annotations

import html as markup
import itertools
import linecache
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from runtime.graph.ir import Graph, Node, Value
from runtime.graph.show import describe, literal
from runtime.places import short_place

__all__ = ["html", "svg"]

# In pixels: a character of the font, a line of text, and the space around and between boxes.
_CHARACTER, _LINE, _PAD = 7.25, 16.0, 8.0
_BESIDE, _BELOW = 18.0, 30.0
# So many layers, at most, a line bends around the boxes of; and so often neighbours are averaged.
_BENDS, _SWEEPS = 24, 6
_LONGEST = 48

_STYLE = """
.ag-graph text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1b1f24; }
.ag-graph .note { fill: #68707a; }
.ag-graph rect { fill: #eef3fb; stroke: #5b7fb5; }
.ag-graph .end { fill: #eaf6ee; stroke: #4f9a67; }
.ag-graph .held { fill: #f6f7f9; stroke: #8a929c; }
.ag-graph .part { fill: #ffffff; stroke: #b9c0c8; stroke-dasharray: 4 3; }
.ag-graph path { fill: none; stroke: #8a929c; }
@media (prefers-color-scheme: dark) {
.ag-graph text { fill: #e6e9ed; }
.ag-graph .note { fill: #9aa3ad; }
.ag-graph rect { fill: #22304a; stroke: #7fa3d8; }
.ag-graph .end { fill: #1f3a2a; stroke: #6dbb86; }
.ag-graph .held { fill: #262a30; stroke: #8a929c; }
.ag-graph .part { fill: #181b20; stroke: #59616b; }
}
"""


def svg(graph: Graph) -> str:
    """The graph as an SVG document of its own; graphs of a node are boxes within its box."""
    return _document(_Picture(graph, is_folded=False))


def html(graph: Graph) -> str:
    """The graph as an element of a page, of SVG alone: no script, nothing to be loaded.

    Graphs of a node stand below, folded, under its name and the user's line.
    """
    picture = _Picture(graph, is_folded=True)
    parts = [f'<div class="ag-picture" style="overflow-x: auto">{_document(picture)}</div>']
    for node in graph.nodes:
        for inner in node.graphs:
            said = markup.escape(f"{node.op.name}: {inner.name} {_place(node)}".rstrip())
            parts.append(f"<details><summary>{said}</summary>\n{html(inner)}</details>")
    return "\n".join(parts) + "\n"


# ---- boxes ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Box:
    """What stands in a layer: an input, a node, an output; or a bend of a line, of no size."""

    kind: str
    title: str = ""
    notes: Sequence[str] = ()
    tip: str = ""
    inner: Sequence[_Picture] = ()
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    above: list[_Box] = field(default_factory=list)
    below: list[_Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.head = _LINE * (1 + len(self.notes))
        longest = max(map(len, (self.title, *self.notes)))
        within = sum(p.width + _PAD for p in self.inner)
        self.width = max(longest * _CHARACTER + 2 * _PAD, within + _PAD)
        self.height = self.head + _PAD + max((p.height + _PAD for p in self.inner), default=0.0)
        if self.kind == "bend":
            self.width, self.height = 0.0, 0.0


def _of_node(node: Node, is_folded: bool) -> _Box:
    operands = [_inlined(v) for v in node.inputs]
    # Of `1 - x`: `subtract (1, ·)`.
    shown = f" ({', '.join(text or '·' for text in operands)})" if any(operands) else ""
    title = _shortened(describe(node) + shown)
    types = _shortened(", ".join(str(v.type) for v in node.outputs))
    notes = [note for note in (types, _place(node)) if note]
    if is_folded and node.graphs:
        notes.append(f"holds {', '.join(graph.name for graph in node.graphs)}")
    inner = [] if is_folded else [_Picture(graph, is_folded) for graph in node.graphs]
    kind = "held" if node.graphs else "node"
    return _Box(kind, title, notes, _source(node), inner)


def _inlined(value: Value) -> str | None:
    """The text of a number that is known, which has no box."""
    return None if value.node is None else literal(value.node)


def _place(node: Node) -> str:
    origin = node.origin
    return "" if origin is None else short_place(origin.filename, origin.lineno)


def _source(node: Node) -> str:
    """The user's line."""
    origin = node.origin
    return "" if origin is None else linecache.getline(origin.filename, origin.lineno).strip()


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


# ---- layout --------------------------------------------------------------------------------------


class _Picture:
    """The boxes of one graph with their places, and the lines between them."""

    def __init__(self, graph: Graph, is_folded: bool) -> None:
        self.name = graph.name
        self.boxes: list[_Box] = []
        # Lines: the boxes that one goes through, and where it comes in, from 0 (left) to 1.
        self.lines: list[tuple[list[_Box], float]] = []
        self._links: list[tuple[_Box, _Box, float]] = []
        self._fill(graph, is_folded)
        self._lower_sources()
        self.layers = self._in_layers()
        self._order()
        self.width, self.height = self._place_all()

    def _fill(self, graph: Graph, is_folded: bool) -> None:
        made: dict[Value, _Box] = {}
        for i, value in enumerate(graph.inputs):
            made[value] = self._add(_Box("end", value.name or f"input {i}", [str(value.type)]))
        for node in graph.nodes:
            if literal(node) is None:
                box = self._add(_of_node(node, is_folded))
                self._link(box, [v for v in node.inputs if _inlined(v) is None], made)
                made.update(dict.fromkeys(node.outputs, box))
        last = 1 + max((box.layer for box in self.boxes), default=-1)
        for i, value in enumerate(graph.outputs):
            known = _inlined(value)
            box = self._add(_Box("end", f"output {i}" if known is None else f"output {known}"))
            self._link(box, [] if known is not None else [value], made)
            box.layer = last

    def _add(self, box: _Box) -> _Box:
        self.boxes.append(box)
        return box

    def _link(self, box: _Box, values: Sequence[Value], made: dict[Value, _Box]) -> None:
        sources = [made[v] for v in values if v in made]
        for i, source in enumerate(sources):
            self._links.append((source, box, (i + 1) / (len(sources) + 1)))
            box.layer = max(box.layer, source.layer + 1)

    def _lower_sources(self) -> None:
        """What takes nothing stands just above what takes it."""
        takes = {box for _, box, _ in self._links}
        users = defaultdict(list)
        for source, box, _ in self._links:
            users[source].append(box.layer)
        for box in self.boxes:
            if box.kind == "node" and box not in takes and users[box]:
                box.layer = min(users[box]) - 1

    def _in_layers(self) -> list[list[_Box]]:
        for source, box, side in self._links:
            way = [source]
            if box.layer - source.layer <= _BENDS:
                bends = range(source.layer + 1, box.layer)
                way += [self._add(_Box("bend", layer=layer)) for layer in bends]
            way.append(box)
            for above, below in itertools.pairwise(way):
                above.below.append(below)
                below.above.append(above)
            self.lines.append((way, side))
        layers: list[list[_Box]] = [
            [] for _ in range(1 + max((b.layer for b in self.boxes), default=0))
        ]
        for box in self.boxes:
            layers[box.layer].append(box)
        return layers

    def _order(self) -> None:
        """Order each layer by the middle of the neighbours, downwards and upwards in turn."""
        place = {box: float(i) for layer in self.layers for i, box in enumerate(layer)}
        for sweep in range(_SWEEPS):
            is_down = sweep % 2 == 0
            for layer in self.layers if is_down else reversed(self.layers):
                middle = {
                    b: _mean(b.above if is_down else b.below, place.__getitem__, place[b])
                    for b in layer
                }
                layer.sort(key=middle.__getitem__)
                place.update((box, float(i)) for i, box in enumerate(layer))

    def _place_all(self) -> tuple[float, float]:
        for layer in self.layers:
            _set_apart(layer, [0.0] * len(layer))
        for sweep in range(_SWEEPS):
            is_down = sweep % 2 == 0
            for layer in self.layers if is_down else reversed(self.layers):
                _set_apart(layer, [_mean(b.above if is_down else b.below, _x, b.x) for b in layer])
        left = min((b.x - b.width / 2 for b in self.boxes), default=0.0)
        top = _PAD + _LINE
        for layer in self.layers:
            height = max((box.height for box in layer), default=0.0)
            for box in layer:
                box.x, box.y = box.x - left + _PAD, top
                if box.kind == "bend":
                    box.height = height
            top += height + _BELOW
        right = max((b.x + b.width / 2 for b in self.boxes), default=0.0)
        return max(right + _PAD, len(self.name) * _CHARACTER + 2 * _PAD), top - _BELOW + _PAD


def _x(box: _Box) -> float:
    return box.x


def _mean(boxes: Sequence[_Box], of: Callable[[_Box], float], otherwise: float) -> float:
    return sum(map(of, boxes)) / len(boxes) if boxes else otherwise


def _set_apart(layer: Sequence[_Box], wanted: Sequence[float]) -> None:
    """Place the boxes of a layer where they are wanted, as far as they leave each other room.

    Pushed to the right they fit, and pushed to the left; so they do midway.
    """
    gaps = [(a.width + b.width) / 2 + _BESIDE for a, b in itertools.pairwise(layer)]
    rightmost, leftmost = list(wanted), list(wanted)
    for i, gap in enumerate(gaps):
        rightmost[i + 1] = max(rightmost[i + 1], rightmost[i] + gap)
    for i in range(len(gaps) - 1, -1, -1):
        leftmost[i] = min(leftmost[i], leftmost[i + 1] - gaps[i])
    for box, a, b in zip(layer, rightmost, leftmost, strict=True):
        box.x = (a + b) / 2


# ---- drawing -------------------------------------------------------------------------------------


def _document(picture: _Picture) -> str:
    width, height = f"{picture.width:.0f}", f"{picture.height:.0f}"
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ag-graph" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="graph {markup.escape(picture.name)}">',
        f"<style>{_STYLE}</style>",
        '<defs><marker id="ag-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" style="fill: #8a929c; '
        'stroke: none"/></marker></defs>',
        *_drawn(picture),
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _drawn(picture: _Picture) -> Iterator[str]:
    yield _text(_PAD, _LINE, picture.name, "note")
    for way, side in picture.lines:
        yield f'<path d="{_curve(way, side)}" marker-end="url(#ag-tip)"/>'
    for box in picture.boxes:
        if box.kind != "bend":
            yield from _drawn_box(box)


def _drawn_box(box: _Box) -> Iterator[str]:
    left = box.x - box.width / 2
    yield "<g>"
    if box.tip:
        yield f"<title>{markup.escape(box.tip)}</title>"
    yield (
        f'<rect class="{box.kind}" x="{left:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{10 if box.kind == "end" else 3}"/>'
    )
    for i, words in enumerate((box.title, *box.notes)):
        yield _text(left + _PAD, box.y + _LINE * (i + 1) - 2, words, "note" if i else "")
    across = left + _PAD
    for part in box.inner:
        below = box.y + box.head + _PAD
        yield f'<g transform="translate({across:.1f} {below:.1f})">'
        yield f'<rect class="part" width="{part.width:.1f}" height="{part.height:.1f}"/>'
        yield from _drawn(part)
        yield "</g>"
        across += part.width + _PAD
    yield "</g>"


def _text(x: float, y: float, words: str, kind: str) -> str:
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{marked}>{markup.escape(words)}</text>'


def _curve(way: Sequence[_Box], side: float) -> str:
    """The line from the foot of the first box, straight through its bends, to the top of the last.

    `side` is where it comes in, from the left (0) to the right (1).
    """
    first, *bends, last = way
    x, y = first.x, first.y + first.height
    text = f"M {x:.1f} {y:.1f}"
    ends = [(b.x, b.y, b.y + b.height) for b in bends]
    ends.append((last.x + last.width * (side - 0.5), last.y, last.y))
    for to, top, foot in ends:
        middle = (y + top) / 2
        text += f" C {x:.1f} {middle:.1f} {to:.1f} {middle:.1f} {to:.1f} {top:.1f}"
        if foot != top:
            text += f" L {to:.1f} {foot:.1f}"
        x, y = to, foot
    return text
