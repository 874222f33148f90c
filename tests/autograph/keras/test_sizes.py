"""Keras' layers with sizes that the graph does not know: all of them, by a table."""

import functools
import inspect

import numpy as np
import pytest

pytest.importorskip("autograph.keras", exc_type=ImportError, reason="needs the extra `keras`")

import keras
from keras import layers, ops

import autograph as ag

RNG = np.random.default_rng(0)


def floats(*shape):
    return RNG.random(shape, np.float32)


ROWS, SERIES, IMAGES = floats(4, 6), floats(3, 7, 4), floats(2, 9, 8, 3)
VOLUMES, PICTURES, WORDS = floats(2, 6, 7, 6, 2), IMAGES * 255, RNG.integers(1, 9, (3, 6))
OF_RANK = {"1D": SERIES, "2D": IMAGES, "3D": VOLUMES}
SOUND = floats(2, 512)


class Together(layers.Layer):
    """A layer of several inputs as one of a list of them."""

    def __init__(self, inner, **options):
        super().__init__()
        self.inner, self.options = inner, options

    def build(self, shapes):
        self.inner.build(*shapes)

    def call(self, xs):
        return self.inner(*xs, **self.options)


def adapted(layer, x):
    layer.adapt(x)
    return layer


def case(name, *xs, make=None, known=1, training=None, built=False, **options):
    """`known`: how many of the last axes; `built`: the layer has weights of unknown size."""
    made = make or functools.partial(getattr(layers, name.split()[0]), **options)
    return pytest.param(made, xs, known, training, built, id=name)


def cases():
    for n, x in OF_RANK.items():
        for kind in ("Average", "Max"):
            yield case(f"{kind}Pooling{n}", x, pool_size=3, strides=2, padding="same")
            yield case(f"{kind}Pooling{n} valid", x, pool_size=2)
            yield case(f"Global{kind}Pooling{n}", x)
            yield case(f"Adaptive{kind}Pooling{n}", x, output_size=3)
        yield case(f"Conv{n}", x, filters=4, kernel_size=3, strides=2, padding="same")
        yield case(f"Conv{n} dilated", x, filters=4, kernel_size=2, dilation_rate=2)
        yield case(f"Conv{n}Transpose", x, filters=4, kernel_size=3, strides=2, padding="same")
        yield case(f"Conv{n}Transpose valid", x, filters=4, kernel_size=3, strides=2)
        yield case(f"Cropping{n}", x, cropping=1)
        yield case(f"ZeroPadding{n}", x, padding=1)
        yield case(f"UpSampling{n}", x, size=2)
        yield case(f"SpatialDropout{n}", x, rate=0.5, training=True)
        if n != "3D":
            yield case(f"SeparableConv{n}", x, filters=4, kernel_size=3)
            yield case(f"DepthwiseConv{n}", x, kernel_size=3)
    yield case("Conv1D causal", SERIES, filters=4, kernel_size=3, padding="causal")
    yield case("ConvLSTM2D", floats(2, 3, 5, 5, 2), filters=2, kernel_size=3, known=3)
    for how in ("bilinear", "nearest", "bicubic", "lanczos3"):
        yield case(f"UpSampling2D {how}", IMAGES, size=(2, 3), interpolation=how)
        yield case(f"Resizing {how}", IMAGES, height=5, width=7, interpolation=how)
    yield case("Resizing crop", IMAGES, height=5, width=7, crop_to_aspect_ratio=True)
    yield case("Resizing pad", IMAGES, height=5, width=7, pad_to_aspect_ratio=True)
    yield case("CenterCrop", IMAGES, height=4, width=5)
    for name in ("ReLU", "LeakyReLU", "ELU", "Softmax", "Identity", "UnitNormalization"):
        yield case(name, SERIES)
    yield case("PReLU", IMAGES, shared_axes=[1, 2])
    yield case("Activation", SERIES, activation="glu")
    yield case("ActivityRegularization", SERIES, l1=0.1)
    for name in ("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract", "Concatenate"):
        yield case(name, SERIES, SERIES + 1)
    yield case("Concatenate time", SERIES, SERIES + 1, axis=1)
    yield case("Dot", SERIES, SERIES + 1, axes=2)
    yield case("Dot time", SERIES, SERIES + 1, axes=1, normalize=True)
    yield case("Attention", SERIES, SERIES + 1)
    yield case("AdditiveAttention", SERIES, SERIES + 1)
    for name, inner in (
        ("MultiHeadAttention", lambda: layers.MultiHeadAttention(2, 4)),
        ("GroupQueryAttention", lambda: layers.GroupQueryAttention(4, 4, 2)),
    ):
        make = functools.partial(lambda inner: Together(inner(), use_causal_mask=True), inner)
        yield case(name, SERIES, SERIES + 1, make=make)
    yield case("BatchNormalization", IMAGES)
    yield case("BatchNormalization training", IMAGES, training=True)
    yield case("LayerNormalization", IMAGES)
    yield case("LayerNormalization time", SERIES, axis=1, built=True)
    yield case("LayerNormalization both", SERIES, axis=(1, 2), built=True)
    yield case("RMSNormalization", IMAGES)
    yield case("GroupNormalization", IMAGES, groups=3)
    given = {"mean": [1.0, 2, 3, 4], "variance": [4.0, 3, 2, 1]}
    yield case("Normalization", SERIES, **given)
    yield case("Normalization invert", SERIES, invert=True, **given)
    yield case("Normalization one", SERIES, axis=None, mean=1.0, variance=2.0)
    yield case(
        "Normalization adapted", SERIES, make=lambda: adapted(layers.Normalization(), SERIES)
    )
    make = lambda: layers.SpectralNormalization(layers.Dense(3))  # noqa: E731
    yield case("SpectralNormalization", SERIES, make=make)
    yield case("Dense", SERIES, units=3)
    yield case("EinsumDense", SERIES, equation="abc,cd->abd", output_shape=(None, 5), bias_axes="d")
    yield case("Embedding", WORDS, input_dim=10, output_dim=3, known=0)
    yield case("ReversibleEmbedding", WORDS, input_dim=10, output_dim=3, known=0)
    yield case("Lambda", SERIES, function=lambda x: ops.reshape(x, (ops.shape(x)[0], -1)))
    make = lambda: keras.Sequential([layers.Masking(), layers.LSTM(3)])  # noqa: E731
    yield case("Masking", SERIES, make=make)
    for name in ("LSTM", "GRU", "SimpleRNN"):
        yield case(name, SERIES, units=3, return_sequences=True, go_backwards=True)
    cells = [layers.LSTMCell(3), layers.GRUCell(2), layers.SimpleRNNCell(2)]
    yield case("RNN", SERIES, make=lambda: layers.RNN(layers.StackedRNNCells(cells)))
    yield case("Bidirectional", SERIES, make=lambda: layers.Bidirectional(layers.GRU(3)))
    yield case("TimeDistributed", SERIES, make=lambda: layers.TimeDistributed(layers.Dense(3)))
    make = lambda: layers.TimeDistributed(layers.Conv2D(3, 3))  # noqa: E731
    yield case("TimeDistributed pictures", floats(2, 5, 6, 6, 3), make=make)
    parts = [layers.Masking, lambda: layers.TimeDistributed(layers.LSTM(2))]
    make = lambda: keras.Sequential([part() for part in parts])  # noqa: E731
    yield case("TimeDistributed masked", floats(2, 5, 4, 3), make=make)
    yield case("RepeatVector", ROWS, n=3)
    yield case("Reshape", SERIES, target_shape=(-1, 2))
    yield case("Flatten", IMAGES)
    yield case("Permute", IMAGES, dims=(2, 1, 3))
    yield case("Rescaling", PICTURES, scale=1 / 255, offset=-1)
    make = lambda: layers.Pipeline([layers.Rescaling(0.5), layers.CenterCrop(4, 4)])  # noqa: E731
    yield case("Pipeline", PICTURES, make=make)
    for name in ("Dropout", "GaussianDropout", "AlphaDropout"):
        yield case(name, SERIES, rate=0.3, training=True)
    yield case("GaussianNoise", SERIES, stddev=0.3, training=True)
    yield case("CategoryEncoding", WORDS, num_tokens=10, known=0)
    yield case("CategoryEncoding count", WORDS, num_tokens=10, output_mode="count", known=0)
    yield case("Discretization", SERIES, bin_boundaries=[0.2, 0.5])
    sizes = {"fft_length": 64, "sequence_stride": 32}
    mel = {"sampling_rate": 1000, "num_mel_bins": 8, "max_freq": 400}
    yield case("MelSpectrogram", SOUND, known=0, **sizes, **mel)
    yield case("STFTSpectrogram", SOUND[..., None], frame_length=64, frame_step=32, fft_length=64)
    for name in ("AutoContrast", "Equalization", "Solarization"):
        yield case(name, PICTURES)
    yield case("ContrastLimitedAdaptiveHistogramEqualization", PICTURES, tile_grid_size=(2, 3))


def chance():
    """Layers whose results are random: what is known of them is their shape."""
    yield from (case(n, PICTURES, training=True) for n in ("AugMix", "RandAugment"))
    yield from (case(n, PICTURES, training=True) for n in ("CutMix", "MixUp"))
    plain = ("Erasing", "Flip", "GaussianBlur", "Grayscale", "Invert")
    yield from (case(f"Random{name}", PICTURES, training=True) for name in plain)
    parts = ("brightness", "contrast", "saturation", "hue")
    jitter = {f"{part}_factor": 0.2 for part in parts}
    yield case("RandomColorJitter", PICTURES, training=True, **jitter)
    for name in "Brightness ColorDegeneration Contrast Hue Rotation Saturation Sharpness".split():
        yield case(f"Random{name}", PICTURES, training=True, factor=0.3)
    yield case("RandomPosterization", PICTURES, training=True, factor=4)
    yield case("RandomCrop", PICTURES, training=True, height=4, width=5, known=3)
    yield case("RandomShear", PICTURES, training=True, x_factor=0.2, y_factor=0.2)
    yield case("RandomTranslation", PICTURES, training=True, height_factor=0.2, width_factor=0.2)
    yield case("RandomZoom", PICTURES, training=True, height_factor=0.2)
    yield case("RandomPerspective", PICTURES, training=True, known=3)
    yield case("RandomElasticTransform", PICTURES, training=True, known=3)


CASES, CHANCE = list(cases()), list(chance())
# Of which there is no case: bases, what wraps or is part of others, text and the like, which asks
# for TensorFlow, and what is of other backends.
OTHERS = set(
    "Layer Wrapper InputLayer LSTMCell GRUCell SimpleRNNCell StackedRNNCells ConvLSTM1D ConvLSTM3D "
    "MaxNumBoundingBoxes Hashing HashedCrossing IntegerLookup StringLookup TextVectorization "
    "FlaxLayer JaxLayer TorchModuleWrapper TFSMLayer".split()
)
of_each = pytest.mark.parametrize(("make", "xs", "known", "training", "built"), CASES)
of_all = pytest.mark.parametrize(("make", "xs", "known", "training", "built"), [*CASES, *CHANCE])


def test_every_layer_of_keras_has_its_place_in_the_table():
    there = {
        cls.__name__
        for _, cls in inspect.getmembers(layers, inspect.isclass)
        if issubclass(cls, layers.Layer)
    }
    named = {param.id.split()[0] for param in (*CASES, *CHANCE)}
    assert there - OTHERS == {getattr(layers, name).__name__ for name in named}


def call(layer, xs, training):
    options = {} if training is None else {"training": training}
    return layer(list(xs) if len(xs) > 1 else xs[0], **options)


def open_specs(xs, known):
    return [
        ag.TensorSpec([*[None] * (x.ndim - known), *x.shape[x.ndim - known :]], x.dtype) for x in xs
    ]


def smaller(xs, known):
    """The same with every open size one less."""
    keys = [(*[slice(-1)] * (x.ndim - known), ...) for x in xs]
    return [x[key] for x, key in zip(xs, keys, strict=True)]


def assert_alike(found, expected, is_random):
    pairs = zip(keras.tree.flatten(found), keras.tree.flatten(expected), strict=True)
    for one, other in pairs:
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape and one.dtype == other.dtype
        if not is_random:
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def compare(make, xs, known, training, built, **options):
    """A layer that a graph calls first, of open sizes, and eagerly."""
    keras.utils.set_random_seed(0)
    layer = make()
    if built:
        call(layer, xs, training)
    graph = ag.convert(
        lambda *xs: call(layer, xs, training), input_signature=open_specs(xs, known), **options
    )
    for given in (xs, xs if built else smaller(xs, known)):
        assert_alike(graph(*given), call(layer, given, training), training)
    assert graph.trace_count == 1


@of_each
def test_a_graph_of_open_sizes_gives_what_the_layer_gives(make, xs, known, training, built):
    compare(make, xs, known, training, built, native=False)


@pytest.mark.long
@of_all
def test_so_does_native_code(make, xs, known, training, built):
    compare(make, xs, known, training, built)


def functional(layer, xs, known, training):
    inputs = [
        keras.Input(spec.shape[1:], dtype=x.dtype)
        for spec, x in zip(open_specs(xs, known), xs, strict=True)
    ]
    return keras.Model(inputs if len(xs) > 1 else inputs[0], call(layer, inputs, training))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:The model does not have any trainable weights")
@of_all
def test_models_of_open_sizes_predict_and_train_and_are_exported(
    make, xs, known, training, built, tmp_path
):
    if built:
        pytest.skip("Keras makes no weights of unknown size")
    layer = make()
    model = functional(layer, xs, known, training)
    for given in (xs, smaller(xs, known)):
        given = list(given) if len(given) > 1 else given[0]
        expected = call(layer, given if isinstance(given, list) else [given], training)
        assert_alike(model.predict(given, verbose=0), expected, training)
    model.export(tmp_path / "model.agz", verbose=False)
    assert_alike(ag.load(tmp_path / "model.agz")(given), expected, training)
    model.compile("sgd", loss=lambda y, made: ops.mean(ops.cast(made, "float32"), axis=-1))
    first = keras.tree.flatten(given)[0]
    model.fit(given, np.zeros(len(first), np.float32), batch_size=2, verbose=0)


@pytest.mark.long
@of_all
def test_a_staged_loop_over_a_data_set_has_a_shorter_last_batch(make, xs, known, training, built):
    layer = make()
    call(layer, xs, training)
    batches = ag.data.Dataset.from_tensor_slices(tuple(xs)).batch(max(len(xs[0]) - 1, 1))

    @ag.convert
    def total():
        found = np.float32(0)
        for parts in batches:
            parts = parts if isinstance(parts, tuple) else (parts,)
            for leaf in keras.tree.flatten(call(layer, parts, training)):
                found = found + ops.sum(ops.cast(leaf, "float32"))
        return found

    assert np.isfinite(total())
    assert total.trace_count == 1


REFUSED = {
    "ConvLSTM2D": (functools.partial(layers.ConvLSTM2D, 2, 3), floats(2, 3, 5, 5, 2)),
    "BatchNormalization": (functools.partial(layers.BatchNormalization, axis=1), IMAGES),
}


@pytest.mark.parametrize(("make", "x"), REFUSED.values(), ids=REFUSED)
def test_what_keras_asks_to_be_known_is_refused_as_keras_does(make, x):
    layer = make()
    graph = ag.convert(lambda x: layer(x), input_signature=open_specs([x], 1))
    with pytest.raises(ValueError, match="static input shapes|must be fully-defined"):
        graph(x)


def test_a_model_for_pictures_of_any_size_is_native_code():
    parts = [
        layers.Conv2D(4, 3, padding="same", strides=2),
        layers.MaxPooling2D(),
        layers.Conv2D(4, 2),
    ]
    last = [layers.AveragePooling2D(2), layers.GlobalAveragePooling2D(), layers.Dense(2)]
    model = keras.Sequential([keras.Input((None, None, 3)), *parts, *last])
    loss = lambda x: ops.mean(ops.square(model(x)))  # noqa: E731

    def slopes(x):
        with ag.GradientTape() as tape:
            value = loss(x)
        return value, tape.gradient(value, model.trainable_variables)

    graph = ag.convert(slopes, input_signature=open_specs([IMAGES], 1))
    for size in (16, 17, 23):
        x = floats(2, size, size + 1, 3)
        found, expected = keras.tree.flatten(graph(x)), keras.tree.flatten(slopes(x))
        assert_alike(found, expected, False)
    assert "not natively" not in graph.explain() and graph.trace_count == 1
