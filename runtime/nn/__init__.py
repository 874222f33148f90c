"""Functional neural network operations: `autograph.nn`. They hold no weights.

Batches come first; channels come last unless `data_format` says otherwise.

>>> import autograph as ag
>>> ag.nn.relu(np.array([-1.0, 2.0])).numpy()
array([0., 2.])
"""

from __future__ import annotations

from runtime.nn.activations import (
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    logsumexp,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from runtime.nn.alignments import ctc_decode, ctc_loss
from runtime.nn.attention import scaled_dot_product_attention
from runtime.nn.convolution import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    depthwise_conv2d,
)
from runtime.nn.dropout import dropout
from runtime.nn.lookups import embedding_lookup, one_hot
from runtime.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from runtime.nn.normalization import (
    batch_normalization,
    group_norm,
    layer_norm,
    moments,
    rms_norm,
)
from runtime.nn.pooling import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    global_avg_pool,
    global_max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_normalization",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "ctc_decode",
    "ctc_loss",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "global_avg_pool",
    "global_max_pool",
    "group_norm",
    "layer_norm",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "logsumexp",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "mish",
    "moments",
    "one_hot",
    "relu",
    "relu6",
    "rms_norm",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
]
