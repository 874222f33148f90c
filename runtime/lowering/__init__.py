"""Graph to kernels: what arrays are in memory, which loops there are, and scalar code in them.

`lower.lower(graph)` gives a `Program` of statements on registers and buffers, which
`kernels.show.text` prints and `entry.module_text` renders as LLVM IR. What has no native form
raises `Refusal`, with the reason.
"""
