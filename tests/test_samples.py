"""A test of a name goes through all samples of it, and says which fails."""

import pytest

from tests.samples import Sample, for_each, samples_of

SAMPLES = samples_of({"b": (abs, lambda: [(1, {}), (2, {"x": 3})]), "a": (len, None)})


def test_samples_have_the_name_and_what_it_stands_for():
    assert SAMPLES == [Sample("b", 0, (abs, 1, {})), Sample("b", 1, (abs, 2, {"x": 3}))]


def going_through(samples, done, **ends):
    @for_each("function, number, attrs", samples)
    def test(function, number, attrs, done):
        done.append(number)
        if number in ends.get("skipped", ()):
            pytest.skip("not this one")
        assert number not in ends.get("failing", ()), "this one"

    (mark,) = test.pytestmark
    for group in mark.args[1]:
        test(*group.values, done=done)


def test_each_sample_is_gone_through():
    going_through(SAMPLES, done := [])
    assert done == [1, 2]


def test_a_failure_tells_its_sample_and_ends_the_test():
    with pytest.raises(AssertionError, match="this one") as caught:
        going_through(SAMPLES, done := [], failing=(1, 2))
    assert caught.value.__notes__ == ["with sample 0: (1, {})"] and done == [1]


def test_a_test_is_skipped_if_all_of_its_samples_are():
    going_through(SAMPLES, done := [], skipped=(1,))
    assert done == [1, 2]
    with pytest.raises(pytest.skip.Exception):
        going_through(SAMPLES, done, skipped=(1, 2))


@for_each("function, number, attrs", SAMPLES)
def test_fixtures_are_given_beside_the_samples(function, number, attrs, tmp_path):
    assert tmp_path.is_dir() and function is abs and number in (1, 2) and isinstance(attrs, dict)
