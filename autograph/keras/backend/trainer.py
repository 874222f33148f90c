"""Training, evaluation and prediction: a step is one graph, traced once per shape of a batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from keras.src import callbacks as callbacks_module
from keras.src import optimizers, tree
from keras.src.backend import config
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import autograph as ag
from autograph import convert
from autograph.keras.backend.core import convert_to_numpy
from autograph.keras.backend.iterables import Epochs, adapted
from runtime import warm_up

__all__ = ["AutographTrainer"]

# Who has models wants graphs: a thread brings in what the first one needs while Keras is imported.
warm_up.begin()


class AutographTrainer(base_trainer.Trainer):
    """The part of a Keras model that runs steps."""

    def __init__(self) -> None:
        super().__init__()
        self.train_function: Any = None
        self.test_function: Any = None
        self.predict_function: Any = None

    # ---- steps -------------------------------------------------------------------------------

    def train_step(self, data: Any) -> Any:
        """Forward, backward and the optimizer's step on a batch; gives the metrics so far."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        sources = [v._value for v in self.trainable_weights]
        with ag.GradientTape(watch_accessed_variables=False) as tape:
            for source in sources:
                tape.watch(source)
            y_pred = self._forward(x, True)
            loss = self._compute_loss(x, y, y_pred, sample_weight, training=True)
            self._loss_tracker.update_state(loss, sample_weight=_rows_of(x))
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        if sources:
            gradients = tape.gradient(loss, sources)
            self.optimizer.apply(gradients, self.trainable_weights)
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """The metrics after a batch, without training."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self._forward(x, False)
        loss = self._compute_loss(x, y, y_pred, sample_weight, training=False)
        self._loss_tracker.update_state(loss, sample_weight=_rows_of(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """What the model gives for a batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self._forward(x, False)

    def _forward(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_has_training_arg else self(x)

    def make_train_function(self, force: bool = False) -> None:
        """Make what `fit` calls with the batches of a step."""
        if self.train_function is None or force:
            self.train_function = _Steps(self._as_graph(lambda data: self.train_step(data)))

    def make_test_function(self, force: bool = False) -> None:
        """Make what `evaluate` calls with the batches of a step."""
        if self.test_function is None or force:
            self.test_function = _Steps(self._as_graph(lambda data: self.test_step(data)))

    def make_predict_function(self, force: bool = False) -> None:
        """Make what `predict` calls with the batches of a step."""
        if self.predict_function is None or force:
            self.predict_function = _Predictions(
                self._as_graph(lambda data: self.predict_step(data))
            )

    def _as_graph(self, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A step as a graph; as it is with `run_eagerly`."""
        if self.run_eagerly:
            return step
        made: Callable[[Any], Any] = convert(step, autograph=False, returns="tensor")
        return made

    # ---- loops -------------------------------------------------------------------------------

    @traceback_utils.filter_traceback
    def fit(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, epochs: int = 1,
        verbose: Any = "auto", callbacks: Any = None, validation_split: float = 0.0,
        validation_data: Any = None, shuffle: bool = True, class_weight: Any = None,
        sample_weight: Any = None, initial_epoch: int = 0, steps_per_epoch: int | None = None,
        validation_steps: int | None = None, validation_batch_size: int | None = None,
        validation_freq: Any = 1,
    ) -> Any:  # fmt: skip
        """Train for a number of epochs; gives the history. See `keras.Model.fit`."""
        self._assert_compile_called("fit")
        epochs = _limited(epochs)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        batches = Epochs(
            x=adapted(x, y, sample_weight, class_weight), y=y, sample_weight=sample_weight,
            batch_size=batch_size, steps_per_epoch=steps_per_epoch, shuffle=shuffle,
            class_weight=class_weight, steps_per_execution=self.steps_per_execution,
        )  # fmt: skip
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callback_list(
            callbacks, verbose, batches, epochs=epochs, add_history=True
        )
        validate = self._validation(
            validation_data, validation_batch_size or batch_size, validation_steps, callbacks
        )
        self._eval_epoch_iterator: Any = None
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs: dict[str, Any] = {}
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            may_validate = validate if self._should_eval(epoch, validation_freq) else None
            logs = self._run_epoch(epoch, batches, callbacks, may_validate)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=logs)
        return self.history

    def _run_epoch(
        self, epoch: int, batches: Any, callbacks: Any, validate: Callable[[], Any] | None
    ) -> dict[str, Any]:
        """Train on each batch once; gives the metrics, those of the validation among them."""
        self.reset_metrics()
        callbacks.on_epoch_begin(epoch)
        logs: Any = {}
        for begin, end, data in batches:
            callbacks.on_train_batch_begin(begin)
            logs = self.train_function(data)
            callbacks.on_train_batch_end(end, logs)
            if self.stop_training:
                break
        logs = dict(self._get_metrics_result_or_logs(logs))
        if validate is not None:
            logs.update({f"val_{name}": value for name, value in validate().items()})
        callbacks.on_epoch_end(epoch, logs)
        return logs

    def _validation(
        self, data: Any, batch_size: Any, steps: Any, callbacks: Any
    ) -> Callable[[], dict[str, Any]] | None:
        """What evaluates the model on the validation data, whose batches are made once."""
        if data is None:
            return None
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)

        def validate() -> dict[str, Any]:
            if self._eval_epoch_iterator is None:
                self._eval_epoch_iterator = self._batches(x, y, sample_weight, batch_size, steps)
            made: dict[str, Any] = self.evaluate(
                x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps=steps,
                callbacks=callbacks, return_dict=True, _use_cached_eval_dataset=True,
            )  # fmt: skip
            return made

        return validate

    def _batches(
        self, x: Any, y: Any = None, sample_weight: Any = None, batch_size: Any = None,
        steps: Any = None,
    ) -> Any:  # fmt: skip
        """Batches in their order."""
        return Epochs(
            x=adapted(x, y, sample_weight), y=y, sample_weight=sample_weight, batch_size=batch_size,
            steps_per_epoch=steps, shuffle=False, steps_per_execution=self.steps_per_execution,
        )  # fmt: skip

    def _callback_list(
        self, callbacks: Any, verbose: Any, batches: Any, epochs: int = 1, add_history: bool = False
    ) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return callbacks_module.CallbackList(
            callbacks, add_history=add_history, add_progbar=verbose != 0, verbose=verbose,
            epochs=epochs, steps=batches.num_batches, model=self,
        )  # fmt: skip

    @traceback_utils.filter_traceback
    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int | None = None, verbose: Any = "auto",
        sample_weight: Any = None, steps: int | None = None, callbacks: Any = None,
        return_dict: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Loss and metrics on data. See `keras.Model.evaluate`."""
        self._assert_compile_called("evaluate")
        is_cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches = self._eval_epoch_iterator if is_cached else None
        if batches is None:
            batches = self._batches(x, y, sample_weight, batch_size, steps)
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callback_list(callbacks, verbose, batches)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        logs: Any = {}
        self.reset_metrics()
        for begin, end, data in batches:
            callbacks.on_test_batch_begin(begin)
            logs = self.test_function(data)
            callbacks.on_test_batch_end(end, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(
        self, x: Any, batch_size: int | None = None, verbose: Any = "auto",
        steps: int | None = None, callbacks: Any = None,
    ) -> Any:  # fmt: skip
        """What the model gives, as arrays. See `keras.Model.predict`."""
        batches = self._batches(x, batch_size=batch_size, steps=steps)
        callbacks = self._callback_list(callbacks, verbose, batches)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        made: list[Any] = []
        for begin, end, data in batches:
            callbacks.on_predict_batch_begin(begin)
            made.append(tree.map_structure(convert_to_numpy, self.predict_function(data)))
            callbacks.on_predict_batch_end(end, {"outputs": made[-1]})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        return tree.map_structure(lambda *parts: np.concatenate(parts), *made)

    # ---- one batch ---------------------------------------------------------------------------

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None,
        return_dict: bool = False,
    ) -> Any:  # fmt: skip
        """One step on a batch; gives loss and metrics. See `keras.Model.train_on_batch`."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same "
                    f"time. Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        data = _arrays((x, y, sample_weight))
        self._symbolic_build(data_batch=data)
        self.reset_metrics()
        self.make_train_function()
        return self._results(self.train_function([data]), return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False
    ) -> Any:
        """Loss and metrics of a batch. See `keras.Model.test_on_batch`."""
        self._assert_compile_called("test_on_batch")
        data = _arrays((x, y, sample_weight))
        self._symbolic_build(data_batch=data)
        self.reset_metrics()
        self.make_test_function()
        return self._results(self.test_function([data]), return_dict)

    def _results(self, logs: Any, return_dict: bool) -> Any:
        logs = pythonify_logs(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """What the model gives for a batch, as arrays. See `keras.Model.predict_on_batch`."""
        self.make_predict_function()
        return tree.map_structure(convert_to_numpy, self.predict_function([_arrays((x,))]))


class _Steps:
    """Takes as many batches as `steps_per_execution` says, and gives the last result.

    `step` is the graph function: `model.train_function.step.explain()` tells of its graphs.
    """

    def __init__(self, step: Callable[[Any], Any]) -> None:
        self.step = step

    def __call__(self, batches: list[Any]) -> Any:
        for data in batches:
            result = self.step(data)
        return result


class _Predictions(_Steps):
    """Gives all results, joined."""

    def __call__(self, batches: list[Any]) -> Any:
        made = [self.step(data) for data in batches]
        if len(made) == 1:
            return made[0]
        return tree.map_structure(lambda *ys: ag.concat(ys), *made)


def _limited(epochs: int) -> int:
    """How many epochs Keras' configuration allows."""
    limit: int | None = config.max_epochs()
    if not limit or limit >= epochs:
        return epochs
    warnings.warn(f"Limiting epochs to {limit}", stacklevel=3)
    return limit


def _rows_of(x: Any) -> Any:
    """How many rows a batch has."""
    return next(part for part in tree.flatten(x) if part is not None).shape[0]


def _arrays(data: Iterable[Any]) -> Any:
    """A batch in which numbers and lists are arrays, as `fit` and `predict` have it."""

    def as_array(x: Any) -> Any:
        if x is None or not isinstance(x, np.ndarray) and hasattr(x, "shape"):
            return x
        array = np.asarray(x)
        return array.astype(config.floatx(), copy=False) if array.dtype.kind == "f" else array

    parts = (None if part is None else tree.map_structure(as_array, part) for part in data)
    return data_adapter_utils.pack_x_y_sample_weight(*parts)
