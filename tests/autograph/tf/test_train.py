"""`tf.train`: checkpoints."""

import copy

import pytest

import autograph.tf as tf


class Linear(tf.Module):
    def __init__(self, n):
        super().__init__(name="linear")
        self.w = tf.Variable(tf.ones([n, n]) * 2.0, name="w")
        self.inner = [tf.Variable(1.0, trainable=False)]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.inner[0]


def test_checkpoints(tmp_path):
    model = Linear(2)
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "c", max_to_keep=2)
    for value in (1.0, 2.0, 3.0):
        model.w.assign(tf.fill([2, 2], value))
        manager.save()
    model.w.assign(tf.zeros([2, 2]))
    assert len(manager.checkpoints) == 2
    checkpoint.restore(tf.train.latest_checkpoint(tmp_path / "c"))
    assert model.w.numpy().tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert checkpoint.restore(None).expect_partial().restored == ()


def test_a_manager_goes_on_where_the_last_one_ended(tmp_path):
    model = Linear(2)
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=None)
    assert manager.restore_or_initialize() is None and manager.latest_checkpoint is None
    assert manager.save(checkpoint_number=7).endswith("ckpt-7")
    model.w.assign(tf.zeros([2, 2]))
    again = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(again, tmp_path, max_to_keep=None)
    assert manager.restore_or_initialize() == manager.latest_checkpoint
    assert model.w.numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert manager.save().endswith("ckpt-8") and len(manager.checkpoints) == 2


def test_folders_to_a_checkpoint_are_made(tmp_path, monkeypatch):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    for prefix in (tmp_path / "some" / "where" / "ckpt", "here"):
        monkeypatch.chdir(tmp_path)
        path = checkpoint.save(prefix)
        v.assign(2.0)
        checkpoint.restore(path)
        assert float(v) == 1.0


def test_a_checkpoint_of_other_objects_is_read_as_far_as_it_goes(tmp_path):
    """What TensorFlow's status says: `assert_consumed` and its kin."""

    def both(**objects):
        return tf.train.Checkpoint(**{k: tf.Variable(float(x)) for k, x in objects.items()})

    path = both(a=1, b=2).save(tmp_path / "ckpt")
    for objects, wrong in (
        ({"a": 0, "b": 0}, ()),
        ({"a": 0}, ("assert_consumed",)),
        ({"a": 0, "b": 0, "c": 0}, ("assert_consumed", "assert_existing_objects_matched")),
        (
            {"c": 0},
            ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"),
        ),
    ):
        checkpoint = both(**objects)
        status = checkpoint.restore(path)
        if "a" in objects:
            assert float(checkpoint.variables()["a"]) == 1.0
        assert status.expect_partial() is status
        for name in (
            "assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match",
        ):  # fmt: skip
            if name in wrong:
                with pytest.raises(AssertionError, match=r"checkpoint"):
                    getattr(status, name)()
            else:
                assert getattr(status, name)() is status
    with pytest.raises(AssertionError, match="not in the checkpoint: a"):
        both(a=0).restore(None).assert_consumed()
    with pytest.raises(ValueError, match="nothing was changed"):
        tf.train.Checkpoint(a=tf.Variable([1.0])).restore(path)


def test_the_objects_of_a_checkpoint_are_its_attributes(tmp_path):
    checkpoint = tf.train.Checkpoint(step=tf.Variable(1))
    checkpoint.step.assign_add(1)
    checkpoint.rate = tf.Variable(0.5)
    path = checkpoint.save(tmp_path / "ckpt")
    checkpoint.step.assign(7)
    assert set(checkpoint.restore(path).assert_consumed().restored) == {"step", "rate"}
    assert int(checkpoint.step) == 2 and checkpoint.save_counter == 1
    assert not hasattr(checkpoint, "other") and copy.copy(checkpoint).step is checkpoint.step
