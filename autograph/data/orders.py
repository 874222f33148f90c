"""Orders of elements: permutations, and those of a buffer that is smaller than all elements."""
