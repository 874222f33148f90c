"""`tf.debugging`: each check lets right values pass, and raises for others, in graphs too."""

import numpy as np
import pytest

import autograph.tf as tf

ERROR = tf.errors.InvalidArgumentError
COMPARISONS = {
    tf.debugging.assert_equal: (([1, 2], [1, 2]), ([1, 2], [1, 3]), "x == y"),
    tf.debugging.assert_none_equal: (([1, 2], [2, 1]), ([1, 2], [3, 2]), "x != y"),
    tf.debugging.assert_greater: (([2, 3], 1), ([2, 1], 1), "x > y"),
    tf.debugging.assert_greater_equal: (([2, 1], 1), ([2, 0], 1), "x >= y"),
    tf.debugging.assert_less: (([0, 0], 1), ([0, 1], 1), "x < y"),
    tf.debugging.assert_less_equal: (([0, 1], 1), ([0, 2], 1), "x <= y"),
    tf.debugging.assert_near: (([1.0], [1.0 + 1e-7]), ([1.0], [1.1]), "tolerance"),
    tf.debugging.assert_positive: (([1, 2],), ([1, 0],), "x > 0"),
    tf.debugging.assert_negative: (([-1, -2],), ([-1, 0],), "x < 0"),
    tf.debugging.assert_non_negative: (([0, 1],), ([0, -1],), "x >= 0"),
    tf.debugging.assert_non_positive: (([0, -1],), ([0, 1],), "x <= 0"),
}


@pytest.mark.parametrize("check", COMPARISONS, ids=lambda check: check.__name__)
def test_a_comparison_holds_or_says_what_did_not(check):
    right, wrong, fact = COMPARISONS[check]
    assert check(*right) is None
    with pytest.raises(ERROR) as caught:
        check(*wrong, message="so it is")
    text = str(caught.value)
    assert text.startswith("so it is\n") and fact in text and "\nx: " in text


@pytest.mark.parametrize("check", COMPARISONS, ids=lambda check: check.__name__)
def test_a_comparison_in_a_graph_raises_when_it_runs(check):
    right, wrong, fact = COMPARISONS[check]

    @tf.function
    def f(*values):
        check(*values)
        return values[0]

    for _ in range(2):
        f(*map(tf.constant, right))
        with pytest.raises(ERROR, match=fact.replace("=", "[=]")) as caught:
            f(*map(tf.constant, wrong))
        for name, value in zip("xy", wrong, strict=False):
            assert f"\n{name}: {tf.constant(value).numpy()}" in str(caught.value)
    assert f.trace_count == 1


@pytest.mark.parametrize(
    ("values", "rtol", "atol", "holds"),
    [
        ([1.0, 100.0], 0.0, 0.5, False),
        ([1.0, 100.0], 0.0, 1.5, True),
        ([1.0, 100.0], 0.02, 0.0, False),
        ([50.0, 100.0], 0.02, 0.0, True),
    ],
)
def test_tolerances(values, rtol, atol, holds):
    others = np.array(values) + [1.0, 0.0]
    if holds:
        tf.debugging.assert_near(values, others, rtol=rtol, atol=atol)
    else:
        with pytest.raises(ERROR):
            tf.debugging.assert_near(values, others, rtol=rtol, atol=atol)


def test_numbers_that_are_none():
    assert tf.debugging.check_numerics([1.0], "loss").numpy().tolist() == [1.0]
    assert tf.debugging.assert_all_finite([1.0], "loss").numpy().tolist() == [1.0]
    for check in (tf.debugging.check_numerics, tf.debugging.assert_all_finite):
        for bad in (np.nan, np.inf):
            with pytest.raises(ERROR, match="loss : Tensor had NaN or Inf"):
                check([1.0, bad], "loss")


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_first_infinity_is_found():
    tf.debugging.enable_check_numerics()
    try:
        for f in (tf.math.log, tf.function(lambda x: tf.math.log(x) * 0.0)):
            with pytest.raises(FloatingPointError, match="`log`"):
                f(tf.constant(0.0))
    finally:
        tf.debugging.disable_check_numerics()
    assert tf.math.log(tf.constant(0.0)).numpy() == -np.inf


def test_assert_shows_its_data():
    assert tf.Assert(True, ["unseen"]) is None
    with pytest.raises(ERROR, match=r"assertion failed: x is \[1 2\]"):
        tf.Assert(tf.constant([True, False]), ["x is", tf.constant([1, 2])])


def test_assert_shows_in_a_graph_what_its_data_are_then():
    @tf.function
    def f(x, y):
        tf.Assert(tf.reduce_all(x < y), ["x is", x, "and y is", y, 3])
        return x

    for y in (1, 2):
        with pytest.raises(ERROR, match=rf"assertion failed: x is \[1 5\] and y is {y} 3"):
            f(tf.constant([1, 5]), tf.constant(y))
    assert f(tf.constant([1, 5]), tf.constant(6)).numpy().tolist() == [1, 5]
    assert f.trace_count == 1


def test_ranks():
    tf.debugging.assert_rank([[1]], 2, message="here")
    tf.debugging.assert_rank_at_least([[1]], 1)
    tf.debugging.assert_rank_in([[1]], (1, 2))
    assert tf.debugging.assert_scalar(3).numpy() == 3
    for check, wanted in (
        (tf.debugging.assert_rank, 1),
        (tf.debugging.assert_rank_at_least, 3),
        (tf.debugging.assert_rank_in, (0, 1)),
    ):
        with pytest.raises(ValueError, match="here.* x must have rank .*, but has 2"):
            check([[1]], wanted, message="here")
    with pytest.raises(ValueError, match="rank 0"):
        tf.debugging.assert_scalar([3])


def test_types():
    tf.debugging.assert_type(tf.constant(1), tf.int32)
    tf.debugging.assert_integer(tf.constant(1))
    assert tf.debugging.assert_same_float_dtype([tf.constant(1.0)], tf.float32) == tf.float32
    assert tf.debugging.is_numeric_tensor(tf.constant(1)) and not tf.debugging.is_numeric_tensor(1)
    assert not tf.debugging.is_numeric_tensor(tf.constant(True))
    with pytest.raises(TypeError, match="here tensor must be of float32, not int32"):
        tf.debugging.assert_type(tf.constant(1), tf.float32, message="here")
    with pytest.raises(TypeError, match="an integer tensor is wanted, not float32"):
        tf.debugging.assert_integer(tf.constant(1.0))
    with pytest.raises(ValueError, match="one floating dtype is wanted"):
        tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)])


def test_shapes_with_names_for_sizes():
    tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", 3)), (tf.zeros([2]), ("N",))])
    with pytest.raises(ValueError, match="does not have 1 axes"):
        tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N",))])
    with pytest.raises(ValueError, match="the size of axis 'N' must be 2, but is 4"):
        tf.debugging.assert_shapes([(tf.zeros([2]), ("N",)), (tf.zeros([4]), ("N",))])


def test_an_error_has_its_message():
    with pytest.raises(tf.errors.OpError) as caught:
        tf.debugging.assert_equal(1, 2, message="unlike")
    assert caught.value.message.startswith("unlike") and isinstance(caught.value, AssertionError)


def test_errors_have_their_classes_and_messages():
    for name in tf.errors.__all__:
        if name != "OperatorNotAllowedInGraphError":
            error = getattr(tf.errors, name)(None, None, "why")
            assert isinstance(error, tf.errors.OpError) and error.message == str(error) == "why"
    for names in (
        (tf.errors.AbortedError, tf.errors.AlreadyExistsError, tf.errors.CancelledError),
        (tf.errors.DataLossError, tf.errors.DeadlineExceededError, tf.errors.InternalError),
        (tf.errors.FailedPreconditionError, tf.errors.NotFoundError, tf.errors.OutOfRangeError),
        (tf.errors.PermissionDeniedError, tf.errors.ResourceExhaustedError),
        (tf.errors.UnauthenticatedError, tf.errors.UnavailableError, tf.errors.UnknownError),
        (tf.errors.UnimplementedError, tf.errors.OperatorNotAllowedInGraphError),
    ):
        with pytest.raises(names):
            raise names[0](None, None, "why")


def test_checks_at_the_top_are_those_of_debugging():
    assert tf.assert_equal is tf.debugging.assert_equal
    assert tf.assert_greater is tf.debugging.assert_greater
    assert tf.assert_less is tf.debugging.assert_less
    assert tf.assert_rank is tf.debugging.assert_rank
