"""`tf.autograph`."""

import autograph as ag
import autograph.tf as tf


def test_to_code_and_features():
    code = tf.autograph.to_code(lambda x: x if x > 0 else -x)
    assert "if_exp(" in code
    assert tf.autograph.experimental.Feature.LISTS in tf.autograph.experimental.Feature.all()
    assert tf.autograph.to_graph(lambda x: x * 2)(tf.constant(2)).numpy() == 4


def test_the_rest_is_that_of_ag(capsys):
    assert tf.autograph.set_verbosity is ag.set_verbosity
    tf.autograph.trace("seen", 3)
    assert capsys.readouterr().out == "seen 3\n"
