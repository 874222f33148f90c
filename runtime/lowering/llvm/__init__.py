"""Programs of kernels as LLVM IR text."""
