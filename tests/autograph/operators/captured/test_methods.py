"""The converted methods of the user's classes."""

import contextlib

import pytest

from autograph.operators.captured import methods


class Base:
    def size(self):
        return 3

    def __len__(self):
        return 5


class Derived(Base):
    @staticmethod
    def plain():
        return 1


class Manager(contextlib.AbstractContextManager):
    def __exit__(self, *details):
        return None


class Odd(type):
    def __getattr__(cls, name):
        raise AssertionError("the class was asked")


class Silent(metaclass=Odd):
    value = 1


def test_an_attribute_is_found_without_asking_the_class():
    assert methods.attribute(Derived, "size") is vars(Base)["size"]
    assert methods.attribute(Derived, "missing") is None
    assert methods.attribute(int, "__add__") is int.__add__
    assert methods.attribute(Silent, "value") == 1
    assert methods.attribute(Silent, "missing") is None


def test_a_method_of_the_users_is_converted_and_bound():
    found = methods.method(Derived(), "size")
    assert found.func is not Base.size and methods.is_marked(found.func)
    assert found() == 3


@pytest.mark.parametrize(
    ("thing", "name"), [([1], "__len__"), (3, "__add__"), (Derived(), "plain"), (Derived(), "none")]
)
def test_what_is_not_a_method_of_the_users_is_none(thing, name):
    assert methods.method(thing, name) is None


def test_the_enter_of_the_abstract_class_gives_the_manager():
    manager = Manager()
    assert methods.method(manager, "__enter__")() is manager


def test_a_stand_in_is_converted_as_the_method_it_stands_for():
    def stand_in(self):
        raise AssertionError("not this one")

    methods.ORIGINALS[stand_in] = Base.size
    try:
        assert methods.convert(stand_in) is methods.convert(Base.size)
    finally:
        del methods.ORIGINALS[stand_in]


def test_a_generator_can_be_one_that_calls_its_consumer():
    def numbers(n):
        for i in range(n):
            yield i

    got = []
    methods.for_consumer(numbers)(got.append, 3)
    assert got == [0, 1, 2]
