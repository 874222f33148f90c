"""The gradient of every op, inside graphs whose sizes are not known, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from programs import Compiled

from runtime import config, ops
from runtime.autodiff import check_gradients
from runtime.ops.declaration.declare import REGISTRY
from runtime.ops.matrices import general_matrices  # noqa: F401 - not brought in by `ops`

# Not smooth, of another precision, with results that are not unique, or without a rank.
LEFT_OUT = {"astype", "full", "round", "round_number", "squeeze"}
# Draws are integers, or jump: they have no gradient, and a step may leave their domain.
LEFT_OUT |= {"random_categorical", "random_binomial", "random_poisson", "random_subset"}

# Ops that read one triangle of their matrix only.
HERMITIAN = {"cholesky", "eigh", "eigvalsh"}


def _is_varied(x):
    return type(x) in (float, complex) or getattr(x, "dtype", None) in ("f8", "c16")


def _cases():
    for name, primitive in sorted(REGISTRY.items()):
        op = primitive.op
        if op.samples is None or op.vjp is None or name in LEFT_OUT:
            continue
        if op.options.get("cuts_gradients"):
            continue
        samples = [
            (inputs, attrs)
            for inputs, attrs in op.samples()
            if any(map(_is_varied, inputs))
            and not any(getattr(x, "dtype", None) in ("f4", "c8") for x in inputs)
            and not (op.options.get("has_phases") and any(map(np.iscomplexobj, inputs)))
        ]
        if samples:
            yield pytest.param(primitive, samples, id=name)


def _symmetric(x):
    """Half of what is added to a matrix that only counts when symmetric, on each side."""
    return 0.5 * (x + ops.conj(ops.matrix_transpose(x)))


@pytest.mark.broad(3)
@pytest.mark.parametrize(("primitive", "samples"), list(_cases()))
def test_gradients_in_graphs_of_unknown_sizes(primitive, samples):
    for inputs, attrs in samples:

        def function(*xs, attrs=attrs):
            xs = [_symmetric(x) for x in xs] if primitive.op.name in HERMITIAN else xs
            return primitive(*xs, **attrs)

        f = Compiled(function, unknown=True)
        order = 2 if inputs is samples[0][0] else 1
        with config.backend.using("plan"):  # machine code would cost five times as much
            check_gradients(f, inputs, order, rtol=1e-3, eps=1e-5)
