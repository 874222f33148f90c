"""The backend that Keras imports as `keras.src.backend.autograph`, laid out as its own are."""

from keras.src.backend.common.name_scope import name_scope

from autograph.keras.backend import image, linalg, math, nn, numpy, random
from autograph.keras.backend.core import (
    IS_THREAD_SAFE, SUPPORTS_COMPLEX_DTYPES, SUPPORTS_RAGGED_TENSORS, SUPPORTS_SPARSE_TENSORS,
    Variable, associative_scan, cast, compute_output_spec, cond, convert_to_numpy,
    convert_to_tensor, custom_gradient, device_scope, fori_loop, is_tensor, map, random_seed_dtype,
    remat, scan, scatter, scatter_update, shape, slice, slice_update, stop_gradient, switch,
    unstack, vectorized_map, while_loop,
)  # fmt: skip
from autograph.keras.backend.rnn import (
    bidirectional_gru, bidirectional_lstm, cudnn_ok, gru, lstm, rnn,
)  # fmt: skip
from autograph.keras.backend import core
