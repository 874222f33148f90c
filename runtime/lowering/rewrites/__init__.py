"""Programs of kernels made faster: each module is one rewrite."""
