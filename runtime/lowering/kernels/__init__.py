"""Programs of kernels: scalar expressions, statements, arrays and memory, before any machine."""
