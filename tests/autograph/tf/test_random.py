"""`tf.random` (A08, A61)."""

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf


def test_a08_uniform():
    x = tf.random.uniform([60, 28, 28])
    assert x.shape == (60, 28, 28) and x.dtype == np.float32
    assert x.numpy().min() >= 0 and x.numpy().max() < 1


def test_a_seed_begins_anew():
    tf.random.set_seed(5)
    first = tf.random.normal([3])
    tf.random.set_seed(5)
    np.testing.assert_array_equal(first, tf.random.normal([3]))
    tf.random.set_seed(5)
    np.testing.assert_array_equal(first, ag.random.normal((3,), dtype=np.float32))


def test_draws_in_a_graph_differ_from_call_to_call():
    f = tf.function(lambda: tf.random.uniform([4]))
    assert f().numpy().tolist() != f().numpy().tolist()
    g = tf.random.Generator.from_seed(1)
    h = tf.function(lambda: g.normal([4]))
    assert h().numpy().tolist() != h().numpy().tolist() and h().dtype == np.float32


def test_stateless_draws_are_functions_of_their_seed():
    for draw in (
        lambda s: tf.random.stateless_uniform([5], seed=s),
        lambda s: tf.random.stateless_normal([5], seed=s),
        lambda s: tf.random.stateless_uniform([5], s, 0, 100, tf.int32),
    ):
        np.testing.assert_array_equal(draw([1, 2]), draw(tf.constant([1, 2])))
        assert draw([1, 2]).numpy().tolist() != draw([1, 3]).numpy().tolist()


def test_integers_need_a_bound():
    with pytest.raises(ValueError, match="maxval"):
        tf.random.uniform([2], dtype=tf.int32)


def test_numbers_are_within_two_deviations():
    x = tf.random.truncated_normal([2000], mean=1.0, stddev=2.0).numpy()
    assert -3.0 <= x.min() < -1.0 and 3.0 < x.max() <= 5.0 and x.dtype == np.float32
    y = tf.random.stateless_truncated_normal([2000], [1, 2], mean=1.0, stddev=2.0).numpy()
    assert -3.0 <= y.min() < -1.0 and 3.0 < y.max() <= 5.0


def test_distributions_come_for_each_parameter():
    tf.random.set_seed(3)
    x = tf.random.gamma([4000], [1.0, 9.0], beta=[[1.0], [3.0]])
    assert x.shape == (4000, 2, 2)
    np.testing.assert_allclose(x.numpy().mean(0), [[1, 9], [1 / 3, 3]], rtol=0.1)
    y = tf.random.poisson([4000], [2.0, 30.0])
    assert y.shape == (4000, 2) and y.dtype == np.float32
    np.testing.assert_allclose(y.numpy().mean(0), [2, 30], rtol=0.1)
    z = tf.random.stateless_gamma([4000], seed=[1, 2], alpha=[9.0], beta=3.0)
    np.testing.assert_allclose(z.numpy().mean(), 3.0, rtol=0.1)


def test_indices_come_as_often_as_their_probabilities_say():
    logits = np.log([[0.25, 0.75], [1.0, 1e-30]])
    for x in (
        tf.random.categorical(logits, 4000),
        tf.random.stateless_categorical(logits, 4000, seed=[1, 2]),
    ):
        assert x.shape == (2, 4000) and x.dtype == np.int64
        np.testing.assert_allclose(x.numpy().mean(1), [0.75, 0.0], atol=0.03)


def test_rows_are_put_in_another_order():
    rows = tf.reshape(tf.range(20), [10, 2])
    drawn = tf.random.experimental.stateless_shuffle(rows, seed=[1, 2])
    np.testing.assert_array_equal(drawn, tf.random.stateless_shuffle(rows, seed=[1, 2]))
    for x in (tf.random.shuffle(rows), drawn):
        assert sorted(x.numpy().tolist()) == rows.numpy().tolist()


def test_a_generator_begins_anew_and_splits():
    g = tf.random.Generator.from_seed(1)
    first = [g.uniform([3]).numpy().tolist(), g.truncated_normal([3]).numpy().tolist()]
    g.reset_from_seed(1)
    assert [g.uniform([3]).numpy().tolist(), g.truncated_normal([3]).numpy().tolist()] == first
    parts = g.split(2)
    drawn = [tuple(p.normal([3]).numpy().tolist()) for p in (g, *parts)]
    assert len({*drawn}) == 3 and all(type(p) is tf.random.Generator for p in parts)
    other = tf.random.Generator.from_non_deterministic_state()
    assert other.uniform([3]).numpy().tolist() != first[0]
    assert tf.random.get_global_generator() is tf.random.experimental.get_global_generator()


def test_seeds_are_made_of_seeds():
    pairs = tf.random.experimental.stateless_split([1, 2], 3)
    assert pairs.shape == (3, 2) and pairs.dtype == np.int32
    assert len({tuple(p) for p in pairs.numpy().tolist()}) == 3
    folded = [tf.random.experimental.stateless_fold_in([1, 2], k).numpy().tolist() for k in (3, 4)]
    assert folded[0] != folded[1] != [1, 2]


def test_dropout_keeps_the_mean():
    tf.random.set_seed(4)
    x = tf.nn.dropout(tf.ones([2000, 3]), rate=0.75)
    assert {*x.numpy().ravel().tolist()} == {0.0, 4.0} and abs(x.numpy().mean() - 1.0) < 0.1
    rows = tf.nn.dropout(tf.ones([100, 3]), rate=0.5, noise_shape=[100, 1]).numpy()
    assert (rows == rows[:, :1]).all()


def test_seeds_are_split_and_counted():
    assert tf.random.split([1, 2], 3).shape == (3, 2)
    assert tf.random.split([1, 2]).dtype == tf.random.fold_in([1, 2], 3).dtype == np.int32
    pairs = [tf.random.fold_in([1, 2], n).numpy().tolist() for n in (3, 3, 4)]
    assert pairs[0] == pairs[1] != pairs[2]
    drawn = tf.random.stateless_poisson([1000], [1, 2], 2.0)
    assert (
        drawn.dtype == np.int32 and abs(float(tf.reduce_mean(tf.cast(drawn, tf.float32))) - 2) < 0.2
    )
    assert (drawn.numpy() == tf.random.stateless_poisson([1000], [1, 2], 2.0).numpy()).all()


@pytest.mark.parametrize("staged", [False, True])
def test_images_are_changed_at_random(staged):
    run = tf.function if staged else (lambda f: f)
    images = tf.reshape(tf.range(8.0), [4, 1, 2, 1])
    tf.random.set_seed(3)
    flips = [run(tf.image.random_flip_left_right)(images).numpy() for _ in range(20)]
    assert {x.tobytes() for f in flips for x in f} == {
        x.tobytes() for x in [*images.numpy(), *images.numpy()[:, :, ::-1]]
    }
    up = run(tf.image.random_flip_up_down)(tf.reshape(images, [4, 2, 1, 1])).numpy()
    assert sorted(up.ravel()) == list(range(8))
    shifts = [
        float((run(lambda x: tf.image.random_brightness(x, 0.5))(images) - images)[0, 0, 0, 0])
        for _ in range(50)
    ]
    assert -0.5 <= min(shifts) < 0 < max(shifts) < 0.5
    spread = run(lambda x: tf.image.random_contrast(x, 0.5, 1.5))(images).numpy()
    np.testing.assert_allclose(spread.mean((1, 2, 3)), images.numpy().mean((1, 2, 3)), rtol=1e-6)
    rows = tf.reshape(tf.range(12), [4, 3])
    cuts = {
        tuple(run(lambda x: tf.image.random_crop(x, [2, 3]))(rows)[:, 0].numpy()) for _ in range(40)
    }
    assert cuts == {(0, 3), (3, 6), (6, 9)}
    with pytest.raises(ValueError, match="no part of shape"):
        tf.image.random_crop(rows, [5, 3])


IMAGE = tf.reshape(tf.range(24.0) / 24.0, [1, 2, 4, 3])
STATELESS = {
    "brightness": (lambda x, seed: tf.image.stateless_random_brightness(x, 0.3, seed)),
    "contrast": (lambda x, seed: tf.image.stateless_random_contrast(x, 0.5, 1.5, seed)),
    "hue": (lambda x, seed: tf.image.stateless_random_hue(x, 0.3, seed)),
    "saturation": (lambda x, seed: tf.image.stateless_random_saturation(x, 0.5, 1.5, seed)),
    "left right": (lambda x, seed: tf.image.stateless_random_flip_left_right(x, seed)),
    "up down": (lambda x, seed: tf.image.stateless_random_flip_up_down(x, seed)),
    "crop": (lambda x, seed: tf.image.stateless_random_crop(x, [1, 1, 2, 3], seed)),
}


@pytest.mark.parametrize("name", STATELESS)
def test_images_are_changed_by_a_seed_alone(name):
    change = STATELESS[name]
    staged = tf.function(lambda x, seed: change(x, seed))
    seeds = [tf.constant([i, 7]) for i in range(12)]
    found = [change(IMAGE, seed).numpy() for seed in seeds]
    assert len({x.tobytes() for x in found}) > 1
    for seed, expected in zip(seeds, found, strict=True):
        np.testing.assert_array_equal(change(IMAGE, seed).numpy(), expected)
        np.testing.assert_array_equal(staged(IMAGE, seed).numpy(), expected)


@pytest.mark.parametrize("staged", [False, True])
def test_hues_and_saturations_are_changed_at_random(staged):
    run = tf.function if staged else (lambda f: f)
    tf.random.set_seed(5)
    turned = run(lambda x: tf.image.random_hue(x, 0.4))(IMAGE)
    values = [tf.image.rgb_to_hsv(x).numpy() for x in (IMAGE, turned)]
    np.testing.assert_allclose(values[0][..., 1:], values[1][..., 1:], rtol=1e-5)
    turns = (values[1] - values[0])[..., 0] % 1
    np.testing.assert_allclose(turns, turns[0, 0, 0], atol=1e-5)
    paler = run(lambda x: tf.image.random_saturation(x, 0.5, 0.9))(IMAGE)
    ratios = tf.image.rgb_to_hsv(paler).numpy()[..., 1] / values[0][..., 1]
    np.testing.assert_allclose(ratios, ratios[0, 0, 0], rtol=1e-4)
    assert 0.5 <= ratios[0, 0, 0] < 0.9
