"""`tf.config` and `tf.device` (A60)."""

import pytest

import autograph as ag
import autograph.tf as tf
from runtime import config
from runtime.passes import optimize


@pytest.mark.parametrize("name", ["/cpu:0", "CPU:0", "/device:CPU:0", "cpu", None])
def test_a60_names_of_the_cpu(name):
    with tf.device(name):
        assert tf.zeros([2]).device.lower().endswith("cpu:0")


@pytest.mark.skipif(len(ag.list_devices()) > 1, reason="there is a GPU")
def test_s20_a60_a_gpu_that_is_not_there():
    with pytest.raises(RuntimeError, match="pip install"):
        with tf.device("/gpu:0"):
            pass
    tf.config.set_soft_device_placement(True)
    try:
        with tf.device("/gpu:0"):
            assert tf.zeros([2]).device == "/cpu:0"
    finally:
        tf.config.set_soft_device_placement(False)


def test_an_unknown_device_is_refused():
    with pytest.raises(ValueError, match="device"):
        with tf.device("/toaster:0"):
            pass


def test_devices_are_listed_by_kind():
    kinds = {d.device_type for d in tf.config.list_physical_devices()}
    assert "CPU" in kinds and ("GPU" in kinds) is (len(ag.list_devices()) > 1)
    [cpu] = tf.config.list_physical_devices("CPU")
    assert cpu == tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    [cpu] = tf.config.list_logical_devices("CPU")
    assert cpu == tf.config.LogicalDevice("/device:CPU:0", "CPU")
    with tf.device(cpu.name):
        assert tf.zeros([2]).device == "/cpu:0"


def test_soft_placement_is_told_and_asked():
    assert tf.config.get_soft_device_placement() is False
    tf.config.set_soft_device_placement(True)
    assert tf.config.get_soft_device_placement() is True
    tf.config.set_soft_device_placement(False)


@pytest.mark.parametrize(
    ("run", "asked"),
    [
        (tf.config.run_functions_eagerly, tf.config.functions_run_eagerly),
        (
            tf.config.experimental_run_functions_eagerly,
            tf.config.experimental_functions_run_eagerly,
        ),
    ],
)
def test_functions_run_eagerly(run, asked):
    f = tf.function(lambda x: x * tf.constant(tf.executing_eagerly(), tf.int32))
    run(True)
    try:
        assert asked() and f(tf.constant(3)).numpy() == 3
    finally:
        run(False)
    assert not asked() and f(tf.constant(3)).numpy() == 0


PASSES = {
    "constant_folding": {"fold_constants"},
    "loop_optimization": {"hoist_loop_invariants", "roll_repetitions"},
    "function_optimization": {"inline_calls"},
    "layout_optimizer": {"merge_layout_changes"},
    "remapping": set(),
}


@pytest.fixture
def passes_as_before():
    yield
    tf.config.optimizer.set_experimental_options(
        dict.fromkeys([*PASSES, "arithmetic_optimization"], True)
        | dict.fromkeys(["disable_model_pruning", "disable_meta_optimizer"], False)
    )
    config.disable_passes.reset()


@pytest.mark.parametrize("option", PASSES)
def test_b6_18_an_option_of_the_optimizer_leaves_passes_out(option, passes_as_before):
    assert config.disable_passes.value == set()
    tf.config.optimizer.set_experimental_options({option: False})
    assert config.disable_passes.value == PASSES[option]
    assert tf.config.optimizer.get_experimental_options()[option] is False
    tf.config.optimizer.set_experimental_options({option: True})
    assert config.disable_passes.value == set()


def test_b6_18_without_a_pass_the_graph_that_runs_is_another(passes_as_before):
    def f(x):
        return tf.sin(x) * tf.sin(x)

    def sines():
        graph = optimize(tf.function(f).get_concrete_function(tf.constant(2.0)).graph)
        return sum(node.op.name == "sin" for node in graph.walk())

    assert sines() == 1
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    assert sines() == 2
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})
    assert sines() == 2 and float(tf.function(f)(2.0)) == float(f(tf.constant(2.0)))


def test_passes_that_others_left_out_stay_out(passes_as_before):
    config.disable_passes.set("inline_calls")
    tf.config.optimizer.set_experimental_options({"constant_folding": False})
    tf.config.optimizer.set_experimental_options({"constant_folding": True})
    assert config.disable_passes.value == {"inline_calls"}


def test_options_that_there_are_not_and_that_change_results_are_refused():
    with pytest.raises(ValueError, match="no option 'constant_foldin'; there are arithmetic_opt"):
        tf.config.optimizer.set_experimental_options({"constant_foldin": False})
    with pytest.raises(ValueError, match="debug_stripper cannot be switched on: checks stay"):
        tf.config.optimizer.set_experimental_options({"debug_stripper": True})
    assert "debug_stripper" not in tf.config.optimizer.get_experimental_options()
    with pytest.raises(ValueError, match="not 'explicit'"):
        tf.config.optimizer.set_jit("explicit")


def test_what_is_told_is_kept():
    tf.config.optimizer.set_jit("autoclustering")
    assert tf.config.optimizer.get_jit() == "autoclustering"
    tf.config.optimizer.set_jit(False)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    tf.config.threading.set_intra_op_parallelism_threads(2)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 2
    assert tf.config.threading.get_intra_op_parallelism_threads() == 2 == config.threads.value
    tf.config.threading.set_inter_op_parallelism_threads(0)
    config.threads.reset()


def test_visible_devices_are_all_that_there_are():
    [cpu] = tf.config.get_visible_devices("CPU")
    tf.config.set_visible_devices(cpu, "CPU")
    tf.config.experimental.set_visible_devices([], "TPU")
    with pytest.raises(ValueError, match="CPU:0 cannot be hidden"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="there is no device"):
        tf.config.set_visible_devices([cpu], "GPU")
    tf.config.experimental.enable_op_determinism()
    tf.config.experimental.set_memory_growth(cpu, True)
    assert tf.config.experimental.get_memory_growth(cpu)
    with pytest.raises(ValueError, match="as it is needed"):
        tf.config.experimental.set_memory_growth(cpu, False)
