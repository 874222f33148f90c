"""Generators that several test files go through."""


def counting(n):
    for i in range(n):
        print("gives", i)
        yield i
    print("ends")


def positive(x):
    for v in x:
        if v > 0:
            yield v


def cleaning():
    try:
        yield 1.0
        yield 2.0
    finally:
        print("cleans")
