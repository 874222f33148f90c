"""Graphs as Python source that needs NumPy alone."""
