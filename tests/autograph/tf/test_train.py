"""`tf.train`: checkpoints."""

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
    assert checkpoint.restore(None) is None


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
