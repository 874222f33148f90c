"""How Sphinx makes web pages of this folder; the README has the command."""

import inspect
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

import autograph as ag

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# The reference names things as programs do: `ag.sum`.
sys.modules["ag"] = ag
sys.modules |= {f"ag.{n}": getattr(ag, n) for n in ag.__all__ if inspect.ismodule(getattr(ag, n))}

project = "autograph"
author = copyright = "The autograph authors"
release = version = installed_version("autograph-numpy")

extensions = [
    "sphinx.ext.autodoc",
    "myst_parser",
    "code_links",
    "contents",
    "docstrings",
    "notebook_pages",
    "pictures",
    "reference",
    "section_search",
]
exclude_patterns = ["README.md"]  # its list is the table of contents of index.md
nitpicky = True
toc_object_entries_show_parents = "hide"

# Annotations name aliases of the source; what a parameter takes is said in the docstring.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

html_theme = "pydata_sphinx_theme"
html_title = "autograph"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
# Pages that have none below them need no list of these.
html_sidebars = {page: [] for page in ("index", "gallery", "coming_from", "format", "changelog")}
html_theme_options = {
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_prev_next": False,
    "show_toc_level": 2,
}
