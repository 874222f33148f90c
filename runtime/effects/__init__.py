"""What happens in order while a graph runs: control flow, calls of Python, contexts, draws."""
