"""`check`: a function as plain Python, eager, as graphs, and its gradient, compared."""

from autograph.tools.checking.report import CheckReport, Difference
from autograph.tools.checking.ways import check

__all__ = ["CheckReport", "Difference", "check"]
