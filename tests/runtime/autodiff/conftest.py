"""Graphs are checked after tracing and after each pass."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runtime import config

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _checked_graphs():
    with config.check.using(True):
        yield
