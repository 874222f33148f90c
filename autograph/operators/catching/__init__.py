"""`try` and `assert` in the graph."""
