"""The modules of docs/_ext that need no Sphinx, for their tests."""

import importlib
import sys

from tests.docs.snippets import ROOT

__all__ = ["EXTENSIONS", "extension"]

EXTENSIONS = ROOT / "docs" / "_ext"


def extension(name):
    """A module of that folder, which imports its neighbours by their bare names."""
    sys.path.insert(0, str(EXTENSIONS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXTENSIONS))
