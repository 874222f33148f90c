"""The picture of a graph: each operation is a box below those whose results it takes.

Graphs of an operation, such as the test and the body of a loop, lie within its box.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from runtime.graph.codec import GraphDef, NodeDef

__all__ = ["picture"]

_ROW, _GAP, _LETTER, _MARGIN = 26.0, 26.0, 7.4, 12.0
_SIGNS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "negative": "-", "pow": "**",
    "matmul": "@", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
    "equal": "==", "not_equal": "!=",
}  # fmt: skip
_PARTS = {"while": ("while", "do"), "cond": ("then", "else")}


@dataclass
class _Box:
    """A drawing of a certain size, around its own origin; `x` and `y` are set by what holds it."""

    width: float
    height: float
    shapes: list[str] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    def placed(self) -> str:
        return f'<g transform="translate({self.x:.1f} {self.y:.1f})">{"".join(self.shapes)}</g>'


def picture(graph: GraphDef, title: str) -> str:
    """The SVG of a graph; its colours are those of the classes `graph-*` of the page."""
    box = _graph(graph)
    size = f'width="{box.width:.0f}" viewBox="0 0 {box.width:.1f} {box.height:.1f}"'
    start = f'<svg class="drawing graph" role="img" aria-label="{escape(title)}" {size}>'
    return f"{start}{box.placed()}</svg>"


def _graph(graph: GraphDef) -> _Box:
    constants = {node.name: _constant(node) for node in graph.node if _constant(node)}
    shown = {node.name: node for node in graph.node if node.name not in constants}
    boxes = {name: _node(node, constants, name in graph.output) for name, node in shown.items()}
    levels: dict[str, int] = {}
    edges: dict[str, list[str]] = {}
    for name, node in shown.items():
        # `name:1` is the second result of `name`.
        sources = dict.fromkeys(i.partition(":")[0] for i in node.input)
        edges[name] = [source for source in sources if source in shown]
        levels[name] = 1 + max((levels[source] for source in edges[name]), default=-1)
    _lead_past(boxes, levels, edges)
    height, width = _place(boxes, levels, edges)
    lines = [_edge(boxes[source], boxes[name]) for name in edges for source in edges[name]]
    return _Box(width, height, [*lines, *(box.placed() for box in boxes.values())])


def _lead_past(boxes: dict[str, _Box], levels: dict[str, int], edges: dict[str, list[str]]) -> None:
    """Give an edge that passes rows a place in each of them, as wide as a line."""
    for name in list(edges):
        for place, source in enumerate(edges[name]):
            for level in range(levels[source] + 1, levels[name]):
                point = f"{source} to {name}, {level}"
                boxes[point] = _Box(_MARGIN, 0)
                levels[point], edges[point] = level, [edges[name][place]]
                edges[name][place] = point


def _place(
    boxes: dict[str, _Box], levels: dict[str, int], edges: dict[str, list[str]]
) -> tuple[float, float]:
    """Put the boxes of a level side by side, ordered by those above; gives height and width."""
    rows = [[n for n in boxes if levels[n] == level] for level in sorted(set(levels.values()))]
    width = max(sum(boxes[n].width + _MARGIN for n in row) + _MARGIN for row in rows)
    y = _MARGIN

    def middle(name: str) -> float:
        above = [boxes[source].x + boxes[source].width / 2 for source in edges[name]]
        return sum(above) / len(above) if above else 0.0

    for row in rows:
        row.sort(key=middle)
        x = space = (width - sum(boxes[name].width for name in row)) / (len(row) + 1)
        for name in row:
            boxes[name].x, boxes[name].y = x, y
            x += boxes[name].width + space
        height = max(boxes[name].height for name in row)
        for box in (boxes[name] for name in row if not boxes[name].shapes):
            box.height, box.shapes = height, [_line(box.width / 2, height)]
        y += height + _GAP
    return y - _GAP + _MARGIN, width


def _constant(node: NodeDef) -> str:
    value = node.attr.get("value")
    return f"{value}" if node.op == "constant" and isinstance(value, int | float) else ""


def _node(node: NodeDef, constants: dict[str, str], is_result: bool) -> _Box:
    if node.graphs:
        return _with_graphs(node, is_result)
    if node.op == "Placeholder":
        return _leaf(node.name, "graph-input")
    words = [constants.get(name, "") for name in node.input]
    sign = _SIGNS.get(node.op, node.op)
    label = " ".join(filter(None, [*words[:1], sign, *words[1:]]))
    return _leaf(label, "graph-result" if is_result else "graph-node")


def _leaf(label: str, kind: str) -> _Box:
    width = max(2.2, len(label) + 2) * _LETTER
    return _Box(width, _ROW, [_rectangle(width, _ROW, kind), _text(width / 2, 17.5, label)])


def _with_graphs(node: NodeDef, is_result: bool) -> _Box:
    inner = [_graph(graph) for graph in node.graphs]
    x, height = _MARGIN, max(box.height for box in inner) + _ROW
    shapes = []
    for box, part in zip(inner, _PARTS.get(node.op, ("",) * len(inner)), strict=True):
        box.x, box.y = x, _ROW
        shapes += [_text(x + box.width / 2, 18, part, "graph-part"), box.placed()]
        x += box.width + _MARGIN
    kind = "graph-holder graph-result" if is_result else "graph-holder"
    return _Box(x, height, [_rectangle(x, height, kind), *shapes])


def _rectangle(width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" width="{width:.1f}" height="{height:.1f}" rx="6"/>'


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'
    )


def _line(x: float, height: float) -> str:
    return f'<path class="graph-edge" d="M{x:.1f} 0 V{height:.1f}"/>'


def _edge(source: _Box, target: _Box) -> str:
    x0, y0 = source.x + source.width / 2, source.y + source.height
    x1, y1 = target.x + target.width / 2, target.y
    middle = (y0 + y1) / 2
    curve = f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    return f'<path class="graph-edge" d="M{x0:.1f} {y0:.1f} {curve}"/>'
