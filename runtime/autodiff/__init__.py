"""Differentiation: a tape or a graph is a list of op applications, and one sweep walks it back."""

from __future__ import annotations

from runtime.autodiff import attempts, branches, loops, recursion
from runtime.autodiff.check import check_gradients
from runtime.autodiff.compiled import Differentiable
from runtime.autodiff.custom import custom_gradient, recompute_grad
from runtime.autodiff.forward import ForwardAccumulator
from runtime.autodiff.linearize import Linearized, linearize
from runtime.autodiff.sweep import NODE_RULES, NoGradientError
from runtime.autodiff.tape import GradientTape, UnconnectedGradients, watching
from runtime.autodiff.transforms import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)

# The rules of the ops that hold graphs.
NODE_RULES["cond"] = branches.cond_rule
NODE_RULES["call"] = branches.call_rule
NODE_RULES["custom_gradient"] = branches.custom_rule
NODE_RULES["recur"] = recursion.recur_rule
NODE_RULES["recursion"] = recursion.recursion_rule
NODE_RULES["try"] = attempts.try_rule
NODE_RULES["while"] = loops.while_rule

__all__ = [
    "Differentiable",
    "ForwardAccumulator",
    "GradientTape",
    "Linearized",
    "NoGradientError",
    "UnconnectedGradients",
    "check_gradients",
    "custom_gradient",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "recompute_grad",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "watching",
]
