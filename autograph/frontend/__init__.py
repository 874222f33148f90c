"""From source to converted code; and the composition root, which gives eager operators a context.

A trace has its context from who begins it. Eager operators run in plain frames of converted code,
in threads of the user's, and below code of Python's own, as in the `__eq__` of an object that
`sorted` compares: nothing can be passed down to there. What converts the functions that they meet
is one for the process, which is given to them here and nowhere else.
"""

from autograph.frontend.conversion import Converting
from autograph.operators.captured.context import serve_process

serve_process(Converting())
