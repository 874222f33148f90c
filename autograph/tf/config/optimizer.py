"""`tf.config.optimizer`: which passes graphs go through before they run."""

from __future__ import annotations

from typing import Any

from autograph.tf.names import serve
from runtime import config as switches

__all__ = ["get_experimental_options", "get_jit", "set_experimental_options", "set_jit"]

# The passes that each of TensorFlow's options stands for.
_PASSES = {
    "constant_folding": ("fold_constants",),
    "arithmetic_optimization": (
        "raise_exact_powers", "simplify_arithmetic", "merge_common_subexpressions",
        "merge_branches",
    ),
    "layout_optimizer": ("merge_layout_changes",),
    "loop_optimization": ("hoist_loop_invariants", "roll_repetitions"),
    "function_optimization": ("inline_calls",),
}  # fmt: skip
_PRUNING = ("drop_dead_code",)
# Those that leave a pass out where they are true.
_DISABLING = {
    "disable_model_pruning": _PRUNING,
    "disable_meta_optimizer": (*_PRUNING, *(name for names in _PASSES.values() for name in names)),
}
# What is done anyway, or has nothing to do here.
_WITHOUT_PASS = frozenset(
    (
        "shape_optimization", "remapping", "dependency_optimization", "implementation_selector",
        "pin_to_host_optimization", "scoped_allocator_optimization", "auto_parallel",
        "min_graph_nodes", "memory_optimization", "use_plugin_optimizers",
    )
)  # fmt: skip
# What would give other numbers, or no errors.
_REFUSED = {
    "debug_stripper": "checks stay: take them out of the program",
    "auto_mixed_precision": "numbers keep their dtypes: cast them (tf.cast)",
    "auto_mixed_precision_onednn_bfloat16": "numbers keep their dtypes: cast them (tf.cast)",
    "auto_mixed_precision_mkl": "numbers keep their dtypes: cast them (tf.cast)",
}
_given: dict[str, Any] = {}
_jit = [""]


def set_experimental_options(options: dict[str, Any]) -> None:
    """Leave passes out, or in again, for graphs that are made from now on.

    Each option that TensorFlow has is taken; docs/guide/tensorflow.md says which pass it stands
    for. Without a pass a graph is slower and gives the same. Raises ValueError for an option that
    there is not, and for one that would change results.

    >>> import autograph.tf as tf
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": False})
    >>> tf.config.optimizer.get_experimental_options()["constant_folding"]
    False
    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    """
    known = sorted({*_PASSES, *_DISABLING, *_WITHOUT_PASS, *_REFUSED})
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"there is no option {name!r}; there are {', '.join(known)}")
        if value and name in _REFUSED:
            raise ValueError(f"{name} cannot be switched on: {_REFUSED[name]}")
    before = _left_out()
    _given.update(options)
    others = frozenset(switches.disable_passes.value) - before  # that somebody else left out
    switches.disable_passes.set(",".join(sorted(others | _left_out())))


def _left_out() -> frozenset[str]:
    """The passes that the options leave out."""
    off = [names for option, names in _PASSES.items() if not _given.get(option, True)]
    off += [names for option, names in _DISABLING.items() if _given.get(option, False)]
    return frozenset(name for names in off for name in names)


def get_experimental_options() -> dict[str, Any]:
    """The options that were set, and whether everything is left out.

    >>> import autograph.tf as tf
    >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
    False
    """
    return {"disable_model_pruning": False, "disable_meta_optimizer": False, **_given}


def set_jit(enabled: Any) -> None:
    """Taken and kept for `get_jit`: graphs are compiled as well as we can anyway.

    Raises ValueError for what is neither a bool nor "autoclustering".

    >>> import autograph.tf as tf
    >>> tf.config.optimizer.set_jit(True)
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    if enabled not in (True, False, "autoclustering"):
        raise ValueError(f"set_jit takes True, False or 'autoclustering', not {enabled!r}")
    _jit[0] = "autoclustering" if enabled else ""


def get_jit() -> str:
    """What was told to `set_jit`: "autoclustering", or "" where it is off.

    >>> import autograph.tf as tf
    >>> tf.config.optimizer.get_jit()
    ''
    """
    return _jit[0]


serve(globals())
