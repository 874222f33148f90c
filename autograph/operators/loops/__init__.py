"""`while` and `for`: by Python, or as one node of the graph."""
