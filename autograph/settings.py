"""Switches for users: eager mode, verbosity."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from autograph import rules
from runtime import config as switches
from runtime.building import building
from runtime.passes import check_names

__all__ = ["config", "eager", "executing_eagerly", "set_verbosity"]


class config:  # a namespace: `ag.config.run_functions_eagerly(True)`
    """Settings of the process; each also has an environment variable `AUTOGRAPH_...`.

    >>> import autograph as ag
    >>> ag.config.run_functions_eagerly(True)
    >>> ag.config.functions_run_eagerly()
    True
    >>> ag.config.run_functions_eagerly(False)
    """

    @staticmethod
    def run_functions_eagerly(run_eagerly: bool) -> None:
        """Make converted functions run the original Python, so that breakpoints are hit."""
        switches.run_functions_eagerly.set(run_eagerly)

    @staticmethod
    def functions_run_eagerly() -> bool:
        """Whether converted functions run the original Python now."""
        return switches.run_functions_eagerly.value

    @staticmethod
    def soft_placement(enabled: bool) -> None:
        """Compute on the CPU where a device that is asked for is missing, instead of raising.

        `AUTOGRAPH_SOFT_PLACEMENT` sets it for a process.

        >>> import autograph as ag
        >>> ag.config.soft_placement(False)
        """
        switches.soft_placement.set(enabled)

    @staticmethod
    def convert_module(name: str) -> None:
        """Convert functions of a module and of those below it, where they would be left alone.

        For modules of the standard library and of the packages that are called as they are by
        default. The innermost module with a rule decides; a later rule replaces an earlier one.
        A rule is for code converted from then on: what has been traced is not traced again.

        >>> import autograph as ag
        >>> ag.config.convert_module("my_package.numerics")
        """
        rules.add(rules.Rule(name, convert=True))

    @staticmethod
    def do_not_convert_module(name: str) -> None:
        """Call functions of a module and of those below it as they are, as `do_not_convert` does.

        >>> import autograph as ag
        >>> ag.config.do_not_convert_module("my_package.plotting")
        """
        rules.add(rules.Rule(name, convert=False))

    @staticmethod
    def without_passes(*names: str) -> AbstractContextManager[None]:
        """Leave passes over graphs out, for functions that are first called in this context.

        `AUTOGRAPH_DISABLE_PASSES` does so for the process. Without a pass a function is slower, and
        gives the same. Raises ValueError where a name is none of a pass.

        >>> import autograph as ag
        >>> with ag.config.without_passes("merge_common_subexpressions"):
        ...     ag.convert(lambda x: ag.sin(x) * ag.sin(x))(0.0).item()
        0.0
        """
        check_names(names, "disable_passes")
        return switches.disable_passes.using(names)


@contextmanager
def eager() -> Iterator[None]:
    """Run converted functions as plain Python in this context, op by op.

    >>> import autograph as ag
    >>> f = ag.convert(lambda x: x + 1)
    >>> with ag.eager():
    ...     f(1.0)
    2.0
    """
    with switches.run_functions_eagerly.using(True):
        yield


def executing_eagerly() -> bool:
    """Whether operations compute at once: False while a graph is traced.

    >>> import autograph as ag
    >>> ag.executing_eagerly()
    True
    """
    return building() is None


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Log more: 1 conversions and traces with reasons, 2 graphs, 3 rewrites, 4 generated source.

    The log goes to standard error, with `alsologtostdout` to standard output too.
    `AUTOGRAPH_VERBOSITY` sets it for a process.

    >>> import autograph as ag
    >>> ag.set_verbosity(0)
    """
    switches.verbosity.set(level)
    switches.log_to_stdout.set(alsologtostdout)
