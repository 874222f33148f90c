"""A test of a name goes through all samples of it, and says which fails."""

import pytest

from tests.samples import Sample, for_each, leave_to_long_tests, samples_of

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


class Item:
    def __init__(self, nodeid, **marks):
        self.nodeid = nodeid
        self.marks = {
            name: pytest.mark.__getattr__(name)(*given).mark for name, given in marks.items()
        }

    def get_closest_marker(self, name):
        return self.marks.get(name)

    def add_marker(self, name):
        self.marks[name] = name


def run_of(function, count, n):
    """Of the tests of a broad function, those that are run, by their numbers."""
    tests = [Item(f"a.py::{function}[{k}-[x]]", broad=(n,)) for k in range(count)]
    leave_to_long_tests(tests)
    return [k for k, item in enumerate(tests) if "long" not in item.marks]


def test_of_broad_tests_one_of_some_is_run():
    assert 80 < len(run := run_of("f", 300, 3)) < 120
    assert run_of("f", 300, 3) == run and run_of("f", 100, 3) == [k for k in run if k < 100]
    assert {k % 3 for k in run} == {0, 1, 2}, "a parameter of three values has all of them"
    assert all(0 in run_of(name, 2, 100) for name in "fgh"), "the first is always run"
    assert len(run_of("f", 300, 2)) > 120


def test_what_is_long_or_not_broad_stays_what_it_is():
    long, others = (
        Item("a.py::f[0]", broad=(3,), long=()),
        [Item(f"a.py::h[{k}]") for k in range(9)],
    )
    leave_to_long_tests([long, *others])
    assert not any("long" in item.marks for item in others) and long.marks["long"] != "long"
