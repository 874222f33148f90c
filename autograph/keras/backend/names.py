"""What Keras takes from a backend: all names of `keras.src.backend.autograph`."""

from autograph.keras.backend import core, image, linalg, math, nn, numpy, random
from autograph.keras.backend.core import (
    IS_THREAD_SAFE,
    SUPPORTS_COMPLEX_DTYPES,
    SUPPORTS_RAGGED_TENSORS,
    SUPPORTS_SPARSE_TENSORS,
    Variable,
    associative_scan,
    cast,
    compute_output_spec,
    cond,
    convert_to_numpy,
    convert_to_tensor,
    custom_gradient,
    device_scope,
    fori_loop,
    is_tensor,
    map,
    name_scope,
    random_seed_dtype,
    remat,
    scan,
    scatter,
    scatter_update,
    shape,
    slice,
    slice_update,
    stop_gradient,
    switch,
    unstack,
    vectorized_map,
    while_loop,
)  # fmt: skip
from autograph.keras.backend.rnn import (
    bidirectional_gru,
    bidirectional_lstm,
    cudnn_ok,
    gru,
    lstm,
    rnn,
)  # fmt: skip

# To Keras it is a package, whose modules the hook gives.
__path__: list[str] = []
