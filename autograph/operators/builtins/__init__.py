"""Python's built-in functions, `math`, and comprehensions."""
