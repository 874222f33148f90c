"""Nests of leaves: taken apart, put together, and filled in with values."""
