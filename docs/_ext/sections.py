"""An index of the sections of all pages, which `_static/section_search.js` ranks by BM25."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["Section", "index", "meant", "words"]

# A word of the title of a section, or of its page, counts as often as so many words of the text.
_TITLE, _PAGE_TITLE = 5, 2
# Pages that readers who ask a question mean less.
_WEIGHTS = {
    "reference/": 0.8,
    "format": 0.6,
    "contributing/": 0.5,
    "changelog": 0.4,
    "decisions/": 0.4,
}


@dataclass(frozen=True)
class Section:
    """A section of a page, without the sections in it; that of the page itself has no `anchor`."""

    page: str
    anchor: str
    title: str
    page_title: str
    text: str


def words(text: str) -> list[str]:
    """The words of a text in lower case, with the parts of names that have underscores.

    >>> words("Use `ag.py_call(f)`, twice.")
    ['use', 'ag', 'py_call', 'py', 'call', 'f', 'twice']
    """
    found = []
    for word in re.findall(r"\w+", text.lower()):
        parts = [part for part in word.split("_") if part]
        found += [word, *parts] if len(parts) > 1 else [word]
    return found


def meant(stopwords: frozenset[str]) -> frozenset[str]:
    """The words to leave out of an index: those of questions, but for the keywords of Python.

    >>> sorted(meant(frozenset({"how", "while"})) - {"can", "use", "get"})
    ['how']
    """
    return (stopwords | {"can", "get", "use"}) - {word.lower() for word in keyword.kwlist}


def index(
    sections: Iterable[Section], stem: Callable[[str], str], ignored: frozenset[str]
) -> dict[str, Any]:
    """The sections, and for each word the numbers of those that have it and how often they do.

    >>> found = index([Section("a", "b", "Loops", "Page", "a loop")], str, frozenset({"a"}))
    >>> found["sections"], found["terms"]
    ([['a', 'b', 'Page > Loops', 8, 1]], {'loops': [0, 5], 'page': [0, 2], 'loop': [0, 1]})
    """
    entries: list[list[Any]] = []
    terms: dict[str, list[int]] = {}
    for number, section in enumerate(sections):
        counts: Counter[str] = Counter()
        above = [(section.page_title, _PAGE_TITLE)] if section.anchor else []
        for text, weight in [(section.title, _TITLE), *above, (section.text, 1)]:
            for word in words(text):
                if word not in ignored:
                    counts[stem(word)] += weight
        title = " > ".join([text for text, _ in above] + [section.title])
        entries.append([section.page, section.anchor, title, counts.total(), _weight(section.page)])
        for word, count in counts.items():
            terms.setdefault(word, []).extend((number, count))
    return {"sections": entries, "terms": terms, "ignored": sorted(ignored)}


def _weight(page: str) -> float:
    return next((weight for start, weight in _WEIGHTS.items() if page.startswith(start)), 1)
