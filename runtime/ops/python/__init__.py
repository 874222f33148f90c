"""Python's own functions, texts, lists, dicts and calls, on the values of a graph."""
