"""Values that a function under way has on its stack only."""

import dis
import sys
from types import CodeType

import pytest

from autograph.pending import _Names, has_pending


class Operators:
    """Stands for what generated code calls."""

    @staticmethod
    def ld(value):
        return value

    @staticmethod
    def getattr_(thing, name):
        return getattr(thing, name)

    @staticmethod
    def call(function, args):
        return function(*args)


ag__ = Operators()


class Box:
    items = (1, 2)


def pair(a, b):
    return b


class Looking:
    """What `look` found of the frame that called it."""

    def __init__(self):
        self.pending = self.of_name = None

    def look(self, *args):
        frame = sys._getframe(1)
        frame = frame.f_back if frame.f_code is Operators.call.__code__ else frame
        self.pending, self.of_name = has_pending(frame), has_pending(frame, {"x"})
        return 1


def alone(x, box, look):
    ag__.call(ag__.ld(look), (ag__.ld(x),))


def after_a_name(x, box, look):
    return ag__.ld(x) + ag__.call(ag__.ld(look), (ag__.ld(box),))


def after_arithmetic(x, box, look):
    return 2 * (ag__.ld(box) is None) + ag__.call(ag__.ld(look), ())


def after_an_attribute(x, box, look):
    return ag__.call(pair, (ag__.getattr_(ag__.ld(box), "items"), ag__.call(look, ())))


def after_an_attribute_was_used(x, box, look):
    a = ag__.getattr_(ag__.ld(box), "items")
    return ag__.call(pair, (1, ag__.call(look, (a,))))


def operands_of_the_call_itself(x, box, look):
    return ag__.call(ag__.ld(look), (ag__.getattr_(ag__.ld(box), "items"),))


def in_a_context(x, box, look):
    with open("/dev/null") as file:
        ag__.call(ag__.ld(look), (file,))


def after_an_attribute_in_plain_code(x, box, look):
    return pair(box.items, look())


def after_an_item_in_plain_code(x, box, look):
    return pair(box.items[0], look())


def with_keywords(x, box, look):
    return pair(b=box.items, a=look(x))


def in_a_tuple(x, box, look):
    return (box.items, 1), look()


PENDING = {
    alone: (False, False), after_a_name: (False, True), after_arithmetic: (False, False),
    after_an_attribute: (True, False), after_an_attribute_was_used: (False, False),
    operands_of_the_call_itself: (False, False), in_a_context: (False, False),
    after_an_attribute_in_plain_code: (True, False), after_an_item_in_plain_code: (True, False),
    with_keywords: (True, False), in_a_tuple: (True, False),
}  # fmt: skip


@pytest.mark.parametrize("function", PENDING, ids=lambda f: f.__name__)
def test_what_is_on_the_stack_when_a_call_runs(function):
    looking = Looking()
    function(7, Box(), looking.look)
    assert (looking.pending, looking.of_name) == PENDING[function]


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def test_names_of_instructions_are_those_that_dis_tells():
    with open(dis.__file__) as file:
        codes = [*_codes(compile(file.read(), dis.__file__, "exec"))]
    told = 0
    for code in codes:
        names = _Names(code)
        for each in dis.get_instructions(code):
            if each.opname.startswith(("LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")):
                wanted = each.argval if isinstance(each.argval, tuple) else (each.argval,)
                assert names.of(each.opname, each.opcode, each.arg) == wanted, each
                told += 1
    assert told > 500
