"""`tf.autograph`: conversion, and what it is told."""

from __future__ import annotations

import autograph as ag
from autograph.directives import set_loop_options
from autograph.tf.names import serve

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]

to_code = ag.to_code
to_graph = ag.to_graph
set_verbosity = ag.set_verbosity
trace = ag.debugging.trace


class experimental:  # a namespace: `tf.autograph.experimental`
    """What is said of single functions and loops."""

    Feature = ag.Feature
    do_not_convert = staticmethod(ag.do_not_convert)
    set_loop_options = staticmethod(set_loop_options)


serve(globals())
