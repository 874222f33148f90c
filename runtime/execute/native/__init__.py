"""Native code on the CPU: what `runtime.lowering` writes as LLVM IR, compiled and called.

`llvmlite` is imported in `engine` and nowhere else, when the first graph is compiled.
"""
