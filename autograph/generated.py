"""What generated code, its makers and its readers agree on: reserved names and options."""

from __future__ import annotations

from typing import NamedTuple

AG = "ag__"
"""The name under which generated code finds its operators."""

SCOPES = frozenset({"FunctionScope", "GeneratorScope"})
"""Each converted function of the user's names one of these, no function made for a part does."""

IN_GENERATED = ("dict",)
"""The built-ins that generated code reads by their names."""


class Options(NamedTuple):
    """The options that the generated code hands on to `ag__.ConversionOptions`."""

    recursive: bool = True
    user_requested: bool = True
    optional_features: tuple[str, ...] = ()
    internal_convert_user_code: bool = True
