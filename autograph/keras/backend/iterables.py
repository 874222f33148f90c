"""Batches from any iterable: what Keras' own adapters do not take."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from keras.src.trainers import data_adapters
from keras.src.trainers.data_adapters import array_data_adapter, data_adapter_utils
from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.data_adapters.py_dataset_adapter import PyDataset
from keras.src.trainers.epoch_iterator import EpochIterator

__all__ = ["Epochs", "adapted"]


def adapted(x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None) -> Any:
    """An adapter for an iterable of batches that is none of Keras' kinds; other data as it is."""
    if not hasattr(x, "__iter__") or _is_known(x, y, sample_weight):
        return x
    if y is not None or sample_weight is not None or class_weight is not None:
        raise ValueError(
            "an iterable of batches gives targets and weights itself, as (x, y) or (x, y, weights):"
            " pass no `y`, `sample_weight` or `class_weight` beside it"
        )
    # Of an iterator, which gives each batch once, Keras keeps the one that it looks at first.
    return (_packed(batch) for batch in x) if iter(x) is x else _Batches(x)


def _packed(batch: Any) -> Any:
    """A batch as a tuple."""
    parts = data_adapter_utils.unpack_x_y_sample_weight(batch)
    return data_adapter_utils.pack_x_y_sample_weight(*parts)


def _is_known(x: Any, y: Any, sample_weight: Any) -> bool:
    return (
        isinstance(x, (DataAdapter, PyDataset, types.GeneratorType))
        or array_data_adapter.can_convert_arrays((x, y, sample_weight))
        or data_adapters.is_tf_dataset(x)
        or data_adapters.is_torch_dataloader(x)
        or data_adapters.is_grain_dataset(x)
    )


class Epochs(EpochIterator):
    """Goes through data once in each epoch; that it comes to its end is no interruption."""

    def _interrupted_warning(self) -> None:
        if self.steps_per_epoch is not None or not self._may_end():
            super()._interrupted_warning()

    def _may_end(self) -> bool:
        """Whether nothing is missing: any iterable may end, and an execution may be the last."""
        known = self.data_adapter.num_batches
        last = known is not None and self._steps_seen > known
        return last or isinstance(self.data_adapter, _Batches)


class _Batches(DataAdapter):
    """Goes through an iterable once in each epoch."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, each a tuple."""
        return map(_packed, self._batches)

    @property
    def num_batches(self) -> int | None:
        """How many there are, where the iterable knows."""
        try:
            return len(self._batches)  # type: ignore[arg-type]
        except TypeError:
            return None

    @property
    def batch_size(self) -> None:
        """Not known."""
        return None

    @property
    def has_partial_batch(self) -> bool | None:
        """Not known."""
        return None

    @property
    def partial_batch_size(self) -> None:
        """Not known."""
        return None
