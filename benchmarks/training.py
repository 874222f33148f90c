"""Steps of Keras' `fit` on our runtime, beside TensorFlow's graphs and JAX.

The table is printed by `python -m benchmarks.training [ROW ...]`; `--python PATH` is the
interpreter of the peers that this one has not, `--rounds N` how often all have a turn.

Rows are models of the articles that `examples/seeds` are of, and ten others; a step is
`train_on_batch` of a batch, with Adam, or, if the row says so, a call. Each model is trained in a
process of its own, whose first step of `fit` is told in brackets, in milliseconds: it traces and
compiles, with nothing kept from other processes. The last columns tell how far our graph is ahead
of the better peer, and of our own eager steps.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import Peer, has_module, serve

__all__ = ["PEERS", "ROWS", "Model", "main", "measure"]

# What a peer runs on; "eager" is ours without graphs.
PEERS = {"ours": "autograph", "eager": "autograph", "tensorflow": "tensorflow", "jax": "jax"}
_COMPARED = ("tensorflow", "jax")
# Seconds of a turn, and how many steps are compared.
_TURN, _COMPARED_STEPS = 0.05, 3


class Model(NamedTuple):
    """Layers of a model, the shape of an example, how many classes there are, and examples.

    `words` is how many numbers there are where examples are such.
    """

    layers: Callable[[Any], list[Any]]
    shape: tuple[int, ...]
    classes: int = 10
    batch: int = 32
    words: int = 0
    is_call: bool = False
    draws: bool = False

    def data(self) -> tuple[Any, Any]:
        """A batch of examples and their classes."""
        rng = np.random.default_rng(0)
        x = rng.standard_normal((self.batch, *self.shape)).astype(np.float32)
        if self.words:
            x = rng.integers(0, self.words, (self.batch, *self.shape)).astype(np.int32)
        rows = self.shape[:1] if len(self.shape) == 2 and self.is_of_rows else ()
        return x, rng.integers(0, self.classes, (self.batch, *rows)).astype(np.int32)

    @property
    def is_of_rows(self) -> bool:
        """Whether each row of an example has a class."""
        return self.batch == _SHALLOW_BATCH


_SHALLOW_BATCH = 60


def _mlp(k: Any, *between: Any) -> list[Any]:
    found = []
    for _ in range(2):
        found += [k.Dense(128, activation="relu"), *(make() for make in between)]
    return [*found, k.Dense(10)]


def _pictures(k: Any) -> list[Any]:
    found = []
    for features, rate in ((16, 0.2), (32, 0.2), (64, 0.5)):
        found += [k.Conv2D(features, 4, activation="relu"), k.MaxPooling2D(2), k.Dropout(rate)]
    return [*found, k.Flatten(), k.Dense(512, activation="relu"), k.Dense(2)]


def _digits(k: Any) -> list[Any]:
    twice = [k.Conv2D(16, 3, activation="relu") for _ in range(2)]
    return [*twice, k.GlobalAveragePooling2D(), k.Dense(10)]


def _shallow(k: Any) -> list[Any]:
    return [k.Dense(10, activation="relu"), k.Dense(20, activation="relu"), k.Dense(30)]


class _Attending:
    """Rows that attend to each other."""

    def __init__(self, k: Any) -> None:
        self.layer = k.MultiHeadAttention(4, 16)

    def __call__(self, x: Any) -> Any:
        return self.layer(x, x) + x


ROWS = {
    "seed 000": Model(_shallow, (28, 28), 30, _SHALLOW_BATCH, draws=False),
    "seed 000, call": Model(_shallow, (28, 28), 30, _SHALLOW_BATCH, is_call=True),
    "seed 002": Model(_pictures, (224, 224, 3), 2, 8, draws=True),
    "seed 003": Model(_digits, (28, 28, 1)),
    "dense": Model(_mlp, (64,)),
    "convolutional": Model(
        lambda k: [k.Conv2D(16, 3, activation="relu"), k.MaxPooling2D(2), k.Flatten(), k.Dense(10)],
        (28, 28, 1),
    ),
    "dropout": Model(lambda k: _mlp(k, lambda: k.Dropout(0.3)), (64,), draws=True),
    "batch norm": Model(lambda k: _mlp(k, k.BatchNormalization), (64,)),
    "layer norm": Model(lambda k: _mlp(k, k.LayerNormalization), (64,)),
    "LSTM": Model(lambda k: [k.LSTM(32), k.Dense(10)], (20, 16)),
    "GRU": Model(lambda k: [k.GRU(32), k.Dense(10)], (20, 16)),
    "embedding, mask": Model(
        lambda k: [k.Embedding(500, 16, mask_zero=True), k.LSTM(16), k.Dense(10)], (20,), words=500
    ),
    "attention": Model(
        lambda k: [_Attending(k), k.LayerNormalization(), k.Flatten(), k.Dense(10)], (20, 16)
    ),
    "deep dense": Model(
        lambda k: [*(k.Dense(64, activation="relu") for _ in range(12)), k.Dense(10)], (64,)
    ),
}


def measure(row: str, peers: Sequence[str], python: str, rounds: int) -> dict[str, Any]:
    """Microseconds of a step, the least of turns, and milliseconds of the first, by peer."""
    first, losses, counts, running = {}, {}, {}, {}
    try:
        for name in peers:
            own = sys.executable if PEERS[name] == "autograph" else python
            running[name] = peer = Peer(name, own, "benchmarks.training")
            try:
                first[name], losses[name] = peer.ask("prepare", row.replace(" ", "_"))
                peer.ask("block", 2)
                counts[name] = max(1, int(1e6 * _TURN / peer.ask("block", 3)))
            except RuntimeError as error:
                print(f"  {row}: {error}", file=sys.stderr)
        times: dict[str, list[float]] = {name: [] for name in counts}
        for _ in range(rounds):
            for name, count in counts.items():
                times[name].append(running[name].ask("block", count))
    finally:
        for peer in running.values():
            peer.close()
    for name, found in losses.items():
        if not ROWS[row].draws and not np.allclose(found, losses[next(iter(losses))], rtol=1e-3):
            sys.exit(f"{row}: {name} trains otherwise: {losses}")
    return {name: (min(found), first[name]) for name, found in times.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=list(ROWS), metavar="ROW")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args(arguments)
    unknown = [name for name in given.rows if name not in ROWS]
    if unknown:
        parser.error(f"no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    peers = [
        name
        for name, backend in PEERS.items()
        if backend == "autograph" or has_module(backend, given.python)
    ]
    print(f"{'us per step (first, ms)':24}", *(f"{name:>17}" for name in peers), f"{'ahead':>8}")
    for name in given.rows:
        found = measure(name, peers, given.python, given.rounds)
        cells = [
            f"{found[p][0]:9.0f} ({found[p][1]:5.0f})" if p in found else f"{'-':>17}"
            for p in peers
        ]
        print(f"{name:24}", *cells, _ahead(found), flush=True)


def _ahead(found: dict[str, Any]) -> str:
    """How far our graph is ahead of the better peer, and of our own eager steps."""
    best = min((found[p][0] for p in _COMPARED if p in found), default=None)
    if "ours" not in found:
        return ""
    told = "" if best is None else f"{best / found['ours'][0]:7.2f}x"
    return told + (f" {found['eager'][0] / found['ours'][0]:7.2f}x" if "eager" in found else "")


# ---- in the process of a peer --------------------------------------------------------------------


class _Server:
    def __init__(self, name: str) -> None:
        self.is_eager = name == "eager"
        os.environ["KERAS_BACKEND"] = self.backend = PEERS[name]
        if self.backend == "autograph":
            os.environ["AUTOGRAPH_CACHE_DIR"] = tempfile.mkdtemp()
            importlib.import_module("autograph.keras")
        self.keras: Any = importlib.import_module("keras")
        self.step: Callable[[], Any] = lambda: None

    def prepare(self, row_name: str) -> Any:
        """Make a step of a row: milliseconds of the first, and the losses of some."""
        row = ROWS[row_name.replace("_", " ")]
        x, y = row.data()
        model = self._made(row)
        if row.is_call:
            function = self._graph_of(model)
            given = self.keras.ops.convert_to_tensor(x)
            self.step = lambda: function(given)
            return 1e3 * _seconds(self.step), []
        began = time.perf_counter()
        history = model.fit(x, y, batch_size=row.batch, verbose=0)
        first = 1e3 * (time.perf_counter() - began)
        self.step = lambda: model.train_on_batch(x, y)
        rest = [float(self.step()) for _ in range(_COMPARED_STEPS)]
        return first, [*map(float, history.history["loss"]), *rest]

    def _made(self, row: Model) -> Any:
        keras = self.keras
        dtype = "int32" if row.words else "float32"
        inputs = x = keras.Input(row.shape, dtype=dtype)
        for layer in row.layers(keras.layers):
            x = layer(x)
        model = keras.Model(inputs, x)
        rng = np.random.default_rng(1)
        model.set_weights([
            w if w.ndim < 2 or w.dtype != np.float32
            else rng.normal(0, w.shape[-2] ** -0.5 / 2, w.shape).astype(np.float32)
            for w in model.get_weights()
        ])  # fmt: skip
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.Adam(), loss, run_eagerly=self.is_eager)
        return model

    def _graph_of(self, model: Any) -> Callable[[Any], Any]:
        """A call of a model, as a graph."""
        if self.is_eager:
            return model  # type: ignore[no-any-return]
        if self.backend == "jax":
            state = [v.value for v in model.trainable_variables], []
            jit = importlib.import_module("jax").jit(model.stateless_call)
            return lambda x: jit(*state, x)[0].block_until_ready()
        module = importlib.import_module(self.backend)
        made = module.convert if self.backend == "autograph" else module.function
        return made(lambda x: model(x))  # type: ignore[no-any-return]

    def block(self, count: str) -> float:
        """Microseconds of the shortest of so many steps: others may use the machine meanwhile."""
        return 1e6 * min(_seconds(self.step) for _ in range(int(count)))


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in PEERS:
        serve(lambda: _Server(sys.argv[1]))
    else:
        main()
