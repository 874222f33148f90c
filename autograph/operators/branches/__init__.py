"""`if` in the graph: two paths, and what is one thing or another after them."""
