"""Reductions, running sums, sorting and order statistics."""
