"""`tf.print` writes TensorFlow's digits and brackets (A20, A32, A43, H05 to H08)."""

import io
import os
import sys

import numpy as np
import pytest

import autograph as ag
import autograph.tf as tf

T = tf.constant


def printed(*values, **options):
    stream = io.StringIO()
    tf.print(*values, output_stream=stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (T(1.0), "1"),
        (T(1.5), "1.5"),
        (T(1 / 3), "0.333333343"),
        (T(1e-7), "1e-07"),
        (T(1e10), "1e+10"),
        (T(123456789.0), "123456792"),
        (T([float("nan"), float("inf"), -0.0, -float("inf")]), "[nan inf -0 -inf]"),
        (T(True), "1"),
        (T([True, False]), "[1 0]"),
        (T(1 / 3, tf.float64), "0.33333333333333331"),
        (T(0.1, tf.float64), "0.1"),
        (T(1 / 3, tf.float16), "0.333251953"),
        (T(200, tf.uint8), "200"),
        (T([0.1, 0.25, 1e-5]), "[0.1 0.25 1e-05]"),
        ("ab", "ab"),
        (1 / 3, "0.3333333333333333"),
        (["a", "b", 1.5, None, True], "['a', 'b', 1.5, None, True]"),
        (np.array([1, 2.5]), "array([1. , 2.5])"),
        (tf.Variable([1.0, 2.0]), "[1 2]"),
        (tf.zeros([0]), "[]"),
        ([], "[]"),
    ],
)
def test_h05_one_value(value, text):
    assert printed(value) == text + "\n"


def test_h06_the_ends_of_a_long_axis():
    """H06."""
    assert printed(tf.range(10)) == "[0 1 2 ... 7 8 9]\n"
    assert printed(tf.range(10), summarize=-1) == "[0 1 2 3 4 5 6 7 8 9]\n"
    assert printed(tf.range(10), summarize=1) == "[0 ... 9]\n"
    assert printed(tf.range(6)) == "[0 1 2 3 4 5]\n"
    assert printed(tf.range(7)) == "[0 1 2 ... 4 5 6]\n"


def test_h07_nests_separators_and_ends():
    """H07."""
    assert printed([T(1), T([1.0, 2.0])], {"b": (T(2), 3), "a": T(1)}) == (
        "[1, [1 2]] {'a': 1, 'b': (2, 3)}\n"
    )
    assert printed("a", "b", sep=";", end="!\n") == "a;b!\n"
    assert printed("{} braces", T(1)) == "{} braces 1\n"
    assert printed() == "\n"
    assert printed((T(1),)) == "(1,)\n"


def test_h08_a_matrix():
    assert printed(tf.reshape(tf.range(64), [8, 8])) == (
        "[[0 1 2 ... 5 6 7]\n [8 9 10 ... 13 14 15]\n [16 17 18 ... 21 22 23]\n ...\n"
        " [40 41 42 ... 45 46 47]\n [48 49 50 ... 53 54 55]\n [56 57 58 ... 61 62 63]]\n"
    )
    assert printed(tf.reshape(tf.range(8), [2, 2, 2])) == (
        "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"
    )
    assert printed(tf.reshape(tf.range(14), [7, 1, 2])).count("\n\n ...\n\n") == 1


def test_a43_a_line_of_a_training_loop():
    line = printed(
        "Step", 137, ": train loss", T(0.000154053108), "; train accuracy", T(0.975502133)
    )
    assert line == "Step 137 : train loss 0.000154053108 ; train accuracy 0.975502133\n"


def test_it_goes_to_standard_error_unless_told(capsys):
    tf.print("x", T(1))
    assert tuple(capsys.readouterr()) == ("", "x 1\n")
    tf.print("x", T(1), output_stream=sys.stdout)
    assert tuple(capsys.readouterr()) == ("x 1\n", "")


def test_a_file_by_name(tmp_path):
    path = tmp_path / "log.txt"
    for i in range(2):
        tf.print(i, output_stream=f"file://{path}")
    assert path.read_text() == "0\n1\n"
    with pytest.raises(ValueError, match="output_stream"):
        tf.print(1, output_stream="stdout")


def test_a20_in_a_graph_each_call_prints_in_program_order(capsys):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        tf.print("before", v, [x, {"k": x}], 1.5)
        v.assign_add(1.0)
        tf.print("after", v)
        for i in tf.range(2):
            tf.print(i)

    f(T([1.0, 1 / 3]))
    f(T([2.0, 0.5]))
    assert capsys.readouterr().err == (
        "before 1 [[1 0.333333343], {'k': [1 0.333333343]}] 1.5\nafter 2\n0\n1\n"
        "before 2 [[2 0.5], {'k': [2 0.5]}] 1.5\nafter 3\n0\n1\n"
    )


def test_a32_print_once_and_tf_print_always(capsys):
    @tf.function
    def print_test():
        tf.print("with tf.print", output_stream=sys.stdout)
        print("with print")

    for _ in range(5):
        print_test()
    assert capsys.readouterr().out == "with print\n" + 5 * "with tf.print\n"


def test_the_stream_of_the_moment_is_written_to(monkeypatch):
    @tf.function
    def f(x):
        tf.print(x)

    f(T(1))
    other = io.StringIO()
    monkeypatch.setattr(sys, "stderr", other)
    f(T(2))
    assert other.getvalue() == "2\n"


def test_it_is_saved_with_the_graph(tmp_path, capsys):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        tf.print("x:", x, summarize=1)
        return x

    f(T([1.0, 2.0, 3.0]))
    ag.save(f, tmp_path / "f.agz", [tf.TensorSpec([None])])
    capsys.readouterr()
    ag.load(tmp_path / "f.agz")(T([1.0, 2.0, 1 / 3]))
    assert capsys.readouterr().err == "x: [1 ... 0.333333343]\n"
    assert os.listdir(tmp_path) == ["f.agz"]
