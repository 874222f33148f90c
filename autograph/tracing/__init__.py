"""A function's traces: how one is made, what it takes for granted, how a call finds it."""
