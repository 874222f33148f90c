"""`tf.nn`: functional operations of neural networks."""

from autograph.tf.math.elementwise import log_sigmoid, sigmoid, softplus, softsign, tanh
from autograph.tf.math.reductions import l2_normalize, zero_fraction
from autograph.tf.names import serve as _serve
from autograph.tf.nn.activations import (
    crelu, elu, gelu, leaky_relu, log_softmax, relu, relu6, selu, silu, softmax, swish,
)  # fmt: skip
from autograph.tf.nn.convolution import (
    bias_add, conv1d, conv1d_transpose, conv2d, conv2d_transpose, conv3d, conv3d_transpose,
    convolution, depth_to_space, depthwise_conv2d, separable_conv2d, space_to_depth,
)  # fmt: skip
from autograph.tf.nn.dropout import dropout
from autograph.tf.nn.lookups import embedding_lookup
from autograph.tf.nn.losses import (
    l2_loss, log_poisson_loss, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits, weighted_cross_entropy_with_logits,
)  # fmt: skip
from autograph.tf.nn.normalization import (
    batch_normalization, local_response_normalization, lrn, moments,
)  # fmt: skip
from autograph.tf.nn.pooling import (
    avg_pool, avg_pool1d, avg_pool2d, avg_pool3d, max_pool, max_pool1d, max_pool2d, max_pool3d,
)  # fmt: skip
from autograph.tf.sorting import in_top_k, top_k

__all__ = [
    "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_normalization", "bias_add",
    "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "convolution", "crelu", "depth_to_space", "depthwise_conv2d", "dropout", "elu",
    "embedding_lookup", "gelu", "in_top_k", "l2_loss", "l2_normalize", "leaky_relu",
    "local_response_normalization", "log_poisson_loss", "log_sigmoid", "log_softmax", "lrn",
    "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "moments", "relu", "relu6", "selu",
    "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
    "softmax_cross_entropy_with_logits", "softplus", "softsign", "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "zero_fraction",
]  # fmt: skip

_serve(globals())
