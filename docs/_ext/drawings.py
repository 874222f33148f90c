"""Drawings of matplotlib as SVG within a page: text and axes take the colours of its theme."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape

import matplotlib
import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["COLORS", "as_svg", "drawn", "style"]

# Seen as well on white as on black.
COLORS = ("#4e8fd0", "#ee6677", "#2f9c45", "#ccaa33", "#44bbdd", "#bb4499")
# What is drawn in it becomes the colour of the text around the drawing.
_TEXT = "#010203"
# Names of groups may stand on a page once only, and the font is that of the page.
_LEFT_OUT = (r"<metadata>.*?</metadata>\s*", r'(?<=<g) id="[^"]*"', r"font-family: [^;]*; ")
_STYLE = {
    "axes.edgecolor": _TEXT,
    "axes.labelcolor": _TEXT,
    "axes.titlecolor": _TEXT,
    "axes.facecolor": "none",
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "figure.facecolor": "none",
    "figure.figsize": (4.8, 3.2),
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "legend.frameon": False,
    "legend.labelcolor": _TEXT,
    "lines.linewidth": 1.8,
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "autograph",
    "text.color": _TEXT,
    "xtick.color": _TEXT,
    "ytick.color": _TEXT,
}


@contextmanager
def style() -> Iterator[None]:
    """What is drawn meanwhile can be put into a page by `as_svg`."""
    backend = matplotlib.get_backend()
    plt.switch_backend("agg")
    try:
        with matplotlib.rc_context(_STYLE):
            yield
    finally:
        plt.switch_backend(backend)


def drawn(
    draw: Callable[[Axes], object], title: str, size: tuple[float, float] = (4.8, 3.2)
) -> str:
    """The SVG of what a function draws into axes; `title` tells it to who cannot see."""
    with style():
        figure, axes = plt.subplots(figsize=size)
        try:
            draw(axes)
            return as_svg(figure, title)
        finally:
            plt.close(figure)


def as_svg(figure: Figure, title: str) -> str:
    """A figure that was made within `style`, as an element of a page."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :].replace(_TEXT, "currentColor")
    for left_out in _LEFT_OUT:
        text = re.sub(left_out, "", text, flags=re.DOTALL)
    label = f'<svg class="drawing" role="img" aria-label="{escape(title)}" '
    return text.replace("<svg ", label, 1)
