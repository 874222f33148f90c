"""What stands in the place of what TensorFlow has and this spelling does not, by meaning."""

from __future__ import annotations

__all__ = ["MEANINGS", "RENAMED"]

_KERAS = "Keras has them: tf.keras.layers, tf.keras.optimizers and so on"
_CALLS = (
    "plain Python calls in a tf.function run at each call as they are written; where the graph "
    "computes with what they give, use ag.py_call (import autograph as ag)"
)
_GRADIENTS = (
    "there are no types of operations to give a gradient to: tf.custom_gradient gives a function "
    "its gradient, tf.stop_gradient none"
)
_DENSE = (
    "tensors are dense; segments of rows are summed by tf.math.segment_sum and its kin, "
    "tf.scatter_nd makes a dense tensor of indices and values"
)
_TEXT = "tensors hold numbers, not text: text stays Python's, tf.print shows tensors in it"
_GRAPH = "graphs are made by tf.function; f.get_concrete_function(...).graph is one"
_FILES = (
    "files are read and written by Python and NumPy (open, np.load, np.save); tf.saved_model keeps "
    "programs, tf.train.Checkpoint variables"
)
_PICTURES = "files of pictures are read and written by other packages (Pillow, imageio): as arrays"
_DEVICES = (
    "a program runs in one process, with tf.device on one device at a time; several processes are "
    "Python's matter (multiprocessing, joblib)"
)
_NO_STATE = "variables have their values when they are made, and belong to objects (tf.Module)"
_SAMPLED = (
    "losses over samples of classes are not there; tf.nn.softmax_cross_entropy_with_logits is"
)
_CTC = "losses and decoders of sequences without an alignment are not there"
_LARGE_NUMBERS = "NumPy has no such dtype; use tf.float16 or tf.float32"
_QUANTIZED = "there are no quantised numbers; tf.saturate_cast rounds to small integers"
_PARAMETERS = (
    "there are no such settings: graphs are compiled as well as we can (docs/guide/speed.md)"
)
_BANDS = "matrices are dense: build them (tf.linalg.diag, tf.linalg.band_part), and solve those"

_BY_MEANING = {
    _KERAS: "layers losses metrics optimizers initializers regularizers activations "
    "train.Optimizer train.AdamOptimizer train.GradientDescentOptimizer train.MomentumOptimizer "
    "nn.compute_average_loss nn.scale_regularization_loss nn.RNNCellDeviceWrapper",
    "estimators are not there; TensorFlow 2.16 has removed them too": "estimator feature_column",
    _TEXT: "string strings as_string edit_distance fingerprint",
    "there are no sessions: call functions": "Session InteractiveSession ConfigProto",
    "there are no placeholders: arguments of a tf.function are inputs of its graph": "placeholder "
    "placeholder_with_default",
    "nothing of TensorFlow 1 is there: this is the spelling of TensorFlow 2": "compat "
    "contrib app flags",
    _CALLS: "py_function py_func numpy_function load_library load_op_library",
    _GRADIENTS: "RegisterGradient no_gradient NotDifferentiable NoGradient AggregationMethod",
    "ask a tf.GradientTape, or ag.grad": "gradients",
    "ask a tf.GradientTape twice, or ag.hessian": "hessians",
    _GRAPH: "Graph Operation get_default_graph reset_default_graph graph_util is_symbolic_tensor "
    "TypeSpec type_spec_from_value wrap_function import_graph_def",
    _DENSE: "SparseTensor SparseTensorSpec sparse RaggedTensor RaggedTensorSpec ragged "
    "IndexedSlices IndexedSlicesSpec nn.embedding_lookup_sparse nn.safe_embedding_lookup_sparse",
    "operations have the names of tf and its namespaces": "raw_ops",
    _LARGE_NUMBERS: "bfloat16 float8_e4m3fn float8_e5m2 int4 uint4 dtypes.bfloat16",
    _QUANTIZED: "qint8 qint16 qint32 quint8 quint16 quantization quantize_and_dequantize_v4",
    "tensors hold numbers: objects stay Python's": "variant resource dtypes.variant dtypes.string",
    "nothing is written for TensorBoard: print values, keep them in lists, or plot them with "
    "matplotlib; f.profile(...) and ag.explain(f) tell of graphs": "summary",
    _FILES: "io gfile train.Example train.Features train.Feature train.BytesList train.FloatList "
    "train.Int64List train.load_checkpoint train.load_variable train.list_variables",
    "lines and records of files come from a generator: tf.data.Dataset.from_generator": (
        "data.TextLineDataset data.TFRecordDataset data.FixedLengthRecordDataset"
    ),
    "tf.data.Dataset has what is served, `cardinality` and `prefetch` among it": (
        "data.experimental data.Options"
    ),
    "iterators are Python's: next(iter(dataset))": "data.Iterator data.NumpyIterator",
    _PICTURES: "image.decode_png image.decode_jpeg image.decode_image image.decode_gif "
    "image.decode_bmp image.decode_and_crop_jpeg image.encode_png image.encode_jpeg image.is_jpeg "
    "image.adjust_jpeg_quality image.random_jpeg_quality image.stateless_random_jpeg_quality "
    "image.extract_jpeg_shape",
    "sound is read by other packages (scipy.io.wavfile); tf.signal has the rest": "audio",
    "programs are kept and run without their source by tf.saved_model, or ag.save and ag.load": (
        "lite"
    ),
    _DEVICES: "distribute tpu VariableAggregation VariableSynchronization CriticalSection "
    "config.experimental_connect_to_cluster config.experimental_connect_to_host "
    "config.LogicalDeviceConfiguration config.set_logical_device_configuration "
    "config.get_logical_device_configuration train.ClusterSpec train.Coordinator",
    "look numbers up with tf.gather, text with a dict outside of the graph": "lookup",
    "queues are Python's (queue.Queue), outside of the graph": "queue",
    "`f.profile(...)` and `f.profile_kernels(...)` tell what lines and kernels cost": "profiler",
    "test with pytest and np.testing.assert_allclose; tf.debugging has checks in graphs": "test",
    "sets of numbers are arrays: ag.union1d, ag.intersect1d, ag.setdiff1d": "sets",
    "this is not TensorFlow, but its spelling": "version sysconfig experimental",
    _PARAMETERS: "xla mlir",
    _NO_STATE: "get_variable variable_scope global_variables_initializer "
    "local_variables_initializer initialize_all_variables trainable_variables global_variables "
    "variable_creator_scope get_collection add_to_collection",
    _CTC: "nn.ctc_loss nn.ctc_greedy_decoder nn.ctc_beam_search_decoder nn.ctc_unique_labels "
    "nn.collapse_repeated",
    _SAMPLED: "nn.nce_loss nn.sampled_softmax_loss nn.all_candidate_sampler "
    "nn.fixed_unigram_candidate_sampler nn.learned_unigram_candidate_sampler "
    "nn.log_uniform_candidate_sampler nn.uniform_candidate_sampler nn.compute_accidental_hits",
    _BANDS: "linalg.LinearOperator linalg.LinearOperatorDiag linalg.LinearOperatorFullMatrix "
    "linalg.banded_triangular_solve linalg.eigh_tridiagonal linalg.tridiagonal_matmul "
    "linalg.tridiagonal_solve",
    "an average that decays is two lines: `average = d * average + (1 - d) * x`": (
        "train.ExponentialMovingAverage"
    ),
    "`dilations=` of tf.nn.conv2d gives a convolution holes": "nn.atrous_conv2d "
    "nn.atrous_conv2d_transpose nn.with_space_to_batch",
    "tf.nn.max_pool and tf.nn.avg_pool take any rank": "nn.pool nn.fractional_avg_pool "
    "nn.fractional_max_pool nn.max_pool_with_argmax",
    "tf.nn.moments gives mean and variance": "nn.weighted_moments nn.sufficient_statistics "
    "nn.normalize_moments",
    "tf.math.top_k finds the exact ones": "approx_top_k math.approx_max_k math.approx_min_k "
    "nn.approx_max_k nn.approx_min_k",
    "special functions of SciPy are in ag.special": "math.special math.bessel_j0 math.bessel_j1",
}
# By the name as it is written after `tf.`.
MEANINGS = {name: text for text, names in _BY_MEANING.items() for name in names.split()}

# What older releases call it, and what is made of others.
RENAMED = {
    "to_float": "tf.cast(x, tf.float32)",
    "to_double": "tf.cast(x, tf.float64)",
    "to_int32": "tf.cast(x, tf.int32)",
    "to_int64": "tf.cast(x, tf.int64)",
    "random_uniform": "tf.random.uniform",
    "random_normal": "tf.random.normal",
    "set_random_seed": "tf.random.set_seed",
    "assign": "variable.assign",
    "assign_add": "variable.assign_add",
    "assign_sub": "variable.assign_sub",
    "sub": "tf.subtract",
    "mul": "tf.multiply",
    "neg": "tf.negative",
    "div": "tf.divide",
    "pack": "tf.stack",
    "unpack": "tf.unstack",
    "select": "tf.where",
    "arg_max": "tf.argmax",
    "arg_min": "tf.argmin",
    "batch_matmul": "tf.matmul",
    "matrix_inverse": "tf.linalg.inv",
    "matrix_determinant": "tf.linalg.det",
    "matrix_solve": "tf.linalg.solve",
    "self_adjoint_eig": "tf.linalg.eigh",
    "math.atan_2": "tf.math.atan2",
    "parallel_stack": "tf.stack",
    "logging": "tf.autograph.set_verbosity",
    "contains": "tf.reduce_any(x == value)",
}
