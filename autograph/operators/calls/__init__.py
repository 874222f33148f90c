"""Calls in converted code: of functions, methods, classes and managers."""
