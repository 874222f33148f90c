"""`check`: a function as plain Python, eager, as graphs, and its gradient, compared."""

from autograph.checking.report import CheckReport, Difference
from autograph.checking.ways import check

__all__ = ["CheckReport", "Difference", "check"]
