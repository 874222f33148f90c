"""`tf.config` and `tf.device` (A60)."""

import pytest

import autograph as ag
import autograph.tf as tf


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
