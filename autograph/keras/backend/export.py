"""The place of Keras' export to formats of other backends."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["AutographExportArchive"]


class AutographExportArchive:
    """Refuses: what `model.export` of Keras writes is made by other backends."""

    def track(self, resource: Any) -> NoReturn:
        raise NotImplementedError(_REFUSAL)

    def add_endpoint(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(_REFUSAL)

    track_and_add_endpoint = add_endpoint


_REFUSAL = (
    "`export_saved_model` only currently supports the tensorflow, jax and torch backends. "
    "`model.save` keeps a model, `ag.save` the program of `ag.convert(model)`."
)
