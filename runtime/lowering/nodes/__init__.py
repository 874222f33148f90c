"""How each kind of node of a graph is written as kernels."""
