"""Neural operations and images in converted functions: equal to eager, sizes known or not."""

import numpy as np
import pytest

import autograph as ag

RNG = np.random.default_rng(0)


def random(*shape):
    return RNG.standard_normal(shape)


TABLE, IMAGE, KERNEL = random(3, 4), random(2, 7, 6, 4), random(3, 2, 4, 4)
NUMBERS = np.array([2, 0, 3])

CASES = {
    **{
        name: (getattr(ag.nn, name), TABLE)
        for name in (
            "relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "sigmoid",
            "log_sigmoid", "softplus", "softsign", "softmax", "log_softmax", "logsumexp",
            "layer_norm", "rms_norm",
        )
    },
    "gelu_tanh": (lambda x: ag.nn.gelu(x, approximate=True), TABLE),
    "sparse": (ag.nn.sparse_softmax_cross_entropy_with_logits, NUMBERS, TABLE),
    "dense": (ag.nn.softmax_cross_entropy_with_logits, np.abs(TABLE), TABLE),
    "binary": (ag.nn.sigmoid_cross_entropy_with_logits, np.abs(TABLE), TABLE),
    "one_hot": (lambda i: ag.nn.one_hot(i, 4), NUMBERS),
    "embedding": (ag.nn.embedding_lookup, random(5, 2), NUMBERS),
    "batch_norm": (
        lambda x: ag.nn.batch_normalization(x, *ag.nn.moments(x, (0, 1, 2))), IMAGE
    ),
    "group_norm": (lambda x: ag.nn.group_norm(x, 2), IMAGE),
    "attention": (
        lambda q, k, v: ag.nn.scaled_dot_product_attention(q, k, v, causal=True),
        random(2, 3, 4), random(2, 5, 4), random(2, 5, 3),
    ),
    "conv1d": (ag.nn.conv1d, random(2, 5, 3), random(2, 3, 4)),
    "conv2d": (lambda x, k: ag.nn.conv2d(x, k, 2, "same"), IMAGE, KERNEL),
    "conv2d_padded": (lambda x, k: ag.nn.conv2d(x, k, 1, [(1, 0), 2]), IMAGE, KERNEL),
    "conv2d_first": (
        lambda x, k: ag.nn.conv2d(x, k, data_format="channels_first"),
        np.moveaxis(IMAGE, -1, 1), KERNEL,
    ),
    "conv3d": (ag.nn.conv3d, random(1, 3, 4, 3, 2), random(2, 2, 2, 2, 3)),
    "grouped": (lambda x, k: ag.nn.conv2d(x, k, groups=2), IMAGE, random(2, 2, 2, 4)),
    "transposed": (lambda x: ag.nn.conv2d_transpose(x, KERNEL, 2, "same"), IMAGE),
    "depthwise": (lambda x: ag.nn.depthwise_conv2d(x, KERNEL), IMAGE),
    "max_pool": (lambda x: ag.nn.max_pool2d(x, 2), IMAGE),
    "max_pool_same": (lambda x: ag.nn.max_pool2d(x, 3, 2, "same"), IMAGE),
    "avg_pool_same": (lambda x: ag.nn.avg_pool2d(x, 3, 2, "same"), IMAGE),
    "global_avg_pool": (ag.nn.global_avg_pool, IMAGE),
    "global_max_pool": (ag.nn.global_max_pool, IMAGE),
    "erf": (ag.erf, TABLE),
    "bilinear": (lambda x: ag.image.resize(x, (3, 9)), IMAGE),
    "bicubic": (lambda x: ag.image.resize(x, (3, 9), "bicubic"), IMAGE),
    "nearest": (lambda x: ag.image.resize(x, (3, 9), "nearest"), IMAGE),
    "antialiased": (lambda x: ag.image.resize(x, (3, 9), antialias=True), IMAGE),
}  # fmt: skip
each = pytest.mark.parametrize(
    ("function", "args"), [(f, a) for f, *a in CASES.values()], ids=CASES
)


def with_unknown_sizes(function, args):
    specs = [ag.TensorSpec([None] * x.ndim, x.dtype) for x in args]
    return ag.convert(function, input_signature=specs)


def assert_equal(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-13, atol=1e-14)


@each
def test_a_graph_gives_what_eager_gives(function, args):
    assert_equal(ag.convert(function)(*args), function(*args))


@each
def test_a_graph_with_unknown_sizes_gives_what_eager_gives(function, args):
    assert_equal(with_unknown_sizes(function, args)(*args), function(*args))


def squares(function, count):
    """A scalar of each result: an input_signature wants its arguments named."""
    one = lambda a: ag.sum(function(a) ** 2)
    two = lambda a, b: ag.sum(function(a, b) ** 2)
    three = lambda a, b, c: ag.sum(function(a, b, c) ** 2)
    return (one, two, three)[count - 1]


@pytest.mark.broad(3)
@each
def test_gradients_of_graphs_are_those_of_eager(function, args):
    varied = tuple(i for i, x in enumerate(args) if x.dtype.kind == "f")
    if not varied:
        return
    total = squares(function, len(args))
    expected = ag.grad(total, argnums=varied)(*args)
    for graph in (ag.convert(total), with_unknown_sizes(total, args)):
        for found, value in zip(ag.grad(graph, argnums=varied)(*args), expected, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-10, atol=1e-12)


# ---- what depends on data ----------------------------------------------------------------------


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "nearest"])
def test_the_size_of_an_image_may_depend_on_data(method, antialias):
    @ag.convert
    def half(x, count):
        return ag.image.resize(x, (x.shape[0] // 2, count * 3), method, antialias)

    x = IMAGE[0].astype(np.float32)
    found = half(x, np.int64(3))
    expected = ag.image.resize(x, (3, 9), method, antialias).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_layers_in_a_loop():
    def deep(x, kernel, count):
        for _ in range(count):
            x = ag.nn.relu(ag.nn.conv2d(x, kernel, padding="same"))
        return ag.nn.max_pool2d(x, 2)

    graph = ag.convert(deep)
    assert_equal(graph(IMAGE, KERNEL, np.int64(3)), deep(IMAGE, KERNEL, 3))
    found = ag.grad(lambda k: ag.sum(graph(IMAGE, k, np.int64(3))))(KERNEL)
    expected = ag.grad(lambda k: ag.sum(deep(IMAGE, k, 3)))(KERNEL)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_dropout_without_training_leaves_no_node():
    def layer(x, training=False):
        return ag.nn.dropout(ag.nn.relu(x), 0.5, training=training)

    graph = ag.convert(layer)
    kinds = [op.type for op in graph.get_concrete_function(TABLE).graph.operations]
    assert kinds.count("relu") == 1 and not any("random" in k or "where" in k for k in kinds)
    assert_equal(graph(TABLE), np.maximum(TABLE, 0))


def test_dropout_draws_anew_at_each_call():
    graph = ag.convert(lambda x: ag.nn.dropout(x, 0.5))
    first, second = graph(np.ones(200)).numpy(), graph(np.ones(200)).numpy()
    assert set(np.unique(first)) == {0.0, 2.0}
    assert (first != second).any()


def test_a_kernel_that_does_not_fit_is_refused_at_the_line_of_the_call():
    @ag.convert
    def wrong(x):
        return ag.nn.conv2d(x, np.zeros((3, 3, 5, 1)))

    with pytest.raises(ValueError, match="has 4 channels, the kernel .* expects 5"):
        wrong(IMAGE)


def test_one_classifier_learns():
    """A small network, trained by its gradient, tells two kinds of pictures apart."""
    labels = np.arange(20) % 2
    pictures = RNG.standard_normal((20, 8, 8, 1)) * 0.1
    pictures[labels == 1, 2:5, 2:5] += 1.0

    @ag.convert
    def loss(kernel, weights):
        hidden = ag.nn.max_pool2d(ag.nn.relu(ag.nn.conv2d(pictures, kernel)), 2)
        logits = ag.reshape(hidden, (20, -1)) @ weights
        return ag.mean(ag.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    kernel, weights = random(3, 3, 1, 4) * 0.3, random(36, 2) * 0.1
    step = ag.value_and_grad(loss, argnums=(0, 1))
    losses = []
    for _ in range(40):
        value, (dk, dw) = step(kernel, weights)
        losses.append(float(value))
        kernel, weights = kernel - dk, weights - dw
    assert losses[-1] < 0.05 < losses[0]
