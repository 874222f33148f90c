"""Programs of kernels as C."""
