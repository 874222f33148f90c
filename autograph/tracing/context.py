"""What a trace asks of the rooms above operators: to convert functions, and what is written."""

from __future__ import annotations

from typing import Any

from autograph.frontend.conversion import Converting
from autograph.operators.captured.captures import Trace
from autograph.operators.containers import open_deques, open_dicts, open_sets, partial_dicts
from autograph.operators.results.host_calls import call_value, look
from autograph.tracing import replay
from runtime.building import Builder

__all__ = ["CONTEXT"]


class _Tracing(Converting):
    """Converts functions, and knows what is written when a call has ended."""

    openers = open_dicts.opener, partial_dicts.opener, open_sets.opener, open_deques.opener
    call_value = staticmethod(call_value)
    look = staticmethod(look)

    def writes_for_host(self, trace: Trace, builder: Builder, *, lasting: bool) -> Any:
        """What was written before plain Python is called."""
        containers = trace.effects.handouts.containers
        return replay.host_writes(builder, trace, containers, lasting=lasting)


CONTEXT = _Tracing()
