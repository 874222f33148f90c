"""Tensors, operations, graphs, gradients and execution: what the compiler in `autograph` stands on.

Users import `autograph`; this package is the implementation behind it.
"""
