"""What is known about a function before it is converted."""

from autograph.analysis.facts import ALL_NEEDS, Facts, Need, analyze
from autograph.analysis.scopes import Kind, Scope, ScopeTree, is_view

__all__ = ["ALL_NEEDS", "Facts", "Kind", "Need", "Scope", "ScopeTree", "analyze", "is_view"]
