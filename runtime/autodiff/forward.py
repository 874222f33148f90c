"""`ForwardAccumulator`: directional derivatives of whatever is computed in a `with` block."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from runtime.autodiff.tape import GradientTape, UnconnectedGradients
from runtime.autodiff.transforms import pushed_forward
from runtime.structure import tree

__all__ = ["ForwardAccumulator"]


class ForwardAccumulator:
    """Jacobian-vector products along `tangents` at `primals` (tensors, variables or nests).

    >>> import autograph as ag
    >>> x = ag.constant(3.0)
    >>> with ag.ForwardAccumulator(x, ag.constant(1.0)) as forward:
    ...     y = x * x
    >>> forward.jvp(y).numpy()
    np.float64(6.0)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._primals, structure = tree.flatten(primals)
        self._tangents, other = tree.flatten(tangents)
        if structure != other:
            raise ValueError("primals and tangents differ in structure")
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        # The products leave no record on the tape: one order of linearization is enough.
        self._tape.orders = 1

    def __enter__(self) -> ForwardAccumulator:
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *error: Any) -> None:
        self._tape.__exit__(*error)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """Derivative of a result, or of each in a nest; None (or zeros) where unconnected."""
        parts, structure = tree.flatten(primals)
        fill = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        paused = self._tape.stop_recording() if self._tape.is_open else nullcontext()
        with paused:
            moved = pushed_forward(self._tape, parts, self._primals, self._tangents, fill)
        return tree.unflatten(structure, moved)
