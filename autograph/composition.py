"""The composition root: the one place where a room is given what the rooms above it do.

A trace has its context from who begins it. Eager operators have no such one: they run in plain
frames of converted functions, in threads of the user's, and below Python's own code, as in the
`__eq__` of an object that `sorted` compares, where nothing can be passed down. What converts the
functions that they meet is one for the process.
"""

from autograph.operators.captured.context import serve_process
from autograph.tracing.context import CONTEXT

__all__: list[str] = []

serve_process(CONTEXT)
