"""What is computed for each element of its own: arithmetic, comparisons, functions of numbers."""
