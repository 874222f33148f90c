"""Export of models as programs."""

from __future__ import annotations

from typing import Any

__all__ = ["AutographExportArchive"]


class AutographExportArchive:
    """Nothing yet: `model.export` of Keras writes formats of other backends."""

    def track(self, resource: Any) -> None:
        raise NotImplementedError("keras' `export` is not supported: save programs with ag.save")

    def add_endpoint(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("keras' `export` is not supported: save programs with ag.save")
