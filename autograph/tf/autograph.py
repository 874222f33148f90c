"""`tf.autograph`: conversion, and what it is told."""

from __future__ import annotations

import types
from typing import Any

import autograph as ag
from autograph.directives import set_loop_options
from autograph.tf.names import missing

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]

to_code = ag.to_code
to_graph = ag.to_graph
set_verbosity = ag.set_verbosity
trace = ag.debugging.trace
experimental: Any = types.SimpleNamespace(
    Feature=ag.Feature,
    do_not_convert=ag.do_not_convert,
    set_loop_options=set_loop_options,
)

__getattr__ = missing("tf.autograph", globals())
