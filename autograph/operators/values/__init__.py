"""What stands for Python's values while a function is traced, and what can be asked of it."""
