"""A double of the runtime in which every operator has its Python meaning and nothing else."""

from __future__ import annotations

import contextlib
import operator
import re
import sys


class StagingError(Exception):
    """Never raised here."""


class Undefined:
    """The mark of a name that is not bound."""

    def __init__(self, name):
        self.name = name


class UndefinedReturnValue:
    """The value of a function that did not return."""


class ConversionOptions:
    def __init__(self, recursive, user_requested, optional_features, internal_convert_user_code):
        self.recursive = recursive


class FunctionScope:
    """Reads captured names and gives back return values; checks that cells are real cells."""

    def __init__(self, function_name, scope_name, options, cells=None, shared=None):
        self.name = function_name
        assert isinstance(options, ConversionOptions)
        if cells is not None:
            code = cells.__code__
            assert len(code.co_freevars) == len(cells.__closure__)
        if shared is not None:
            get_shared, set_shared, names = shared
            values = get_shared()
            assert len(values) == len(names)
            set_shared(values)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def read(self, name, value):
        if isinstance(value, Undefined):
            raise NameError(
                f"cannot access free variable {name!r} where it is not associated with a value"
                " in enclosing scope"
            )
        return value

    def ret(self, value, did_return):
        assert isinstance(did_return, bool)
        return value if did_return else None


class GeneratorScope(FunctionScope):
    """Sees that a generator is left and goes on in turns."""

    def __enter__(self):
        self.is_left = False
        return self

    def suspended(self, value, is_protected):
        assert not self.is_left and isinstance(is_protected, bool)
        self.is_left = True
        return value

    def resumed(self, sent):
        assert self.is_left
        self.is_left = False
        return sent

    def regain(self):
        self.is_left = False

    def delegated(self, iterable, is_protected):
        return iterable

    def known(self, test):
        return test

    def items(self, iterable):
        return iterable


def fresh(made):
    return made


def ld(value):
    if isinstance(value, Undefined):
        raise UnboundLocalError(
            f"cannot access local variable {value.name!r} where it is not associated with a value"
        )
    return value


def is_none(value):
    return ld(value) is None


def is_not_none(value):
    return ld(value) is not None


def imported(path, name, value):
    return value


def ld_free(value):
    if isinstance(value, Undefined):
        raise NameError(
            f"cannot access free variable {value.name!r} where it is not associated with a value"
            " in enclosing scope"
        )
    return value


def read_or_undefined(read, name):
    try:
        return read()
    except NameError:
        return Undefined(name)


def is_undefined(value):
    return isinstance(value, Undefined)


def _round_trip(get_state, set_state, names):
    values = get_state()
    assert isinstance(values, tuple) and len(values) == len(names)
    set_state(values)


def if_stmt(test, body, orelse, get_state, set_state, names, outputs):
    assert 0 <= outputs <= len(names)
    chosen = body if test else orelse
    _round_trip(get_state, set_state, names)
    chosen()
    _round_trip(get_state, set_state, names)


def while_stmt(test, body, get_state, set_state, names, options):
    _round_trip(get_state, set_state, names)
    while test():
        _round_trip(get_state, set_state, names)
        body()
        _round_trip(get_state, set_state, names)


def for_stmt(iterable, extra_test, body, get_state, set_state, names, options):
    assert "iterate_names" in options
    iterator = iter(iterable)
    _round_trip(get_state, set_state, names)
    while extra_test is None or extra_test():
        try:
            item = next(iterator)
        except StopIteration:
            break
        body(item)
        _round_trip(get_state, set_state, names)


def if_exp(test, body, orelse, text):
    assert isinstance(text, str)
    return body() if test else orelse()


result_exp = if_exp


def and_(*operands):
    value = True
    for operand in operands:
        value = operand()
        if not value:
            return value
    return value


def both(*operands, again=False):
    return bool(and_(*operands))


def either(*operands, again=False):
    return bool(or_(*operands))


def or_(*operands):
    value = False
    for operand in operands:
        value = operand()
        if value:
            return value
    return value


asked_and, asked_or = and_, or_
not_ = operator.not_


def truth(value):
    return bool(value)


def taken_apart(match, pattern, subject, names):
    pattern()
    return match(subject)


SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def compare(left, *rest):
    result = True
    for sign, operand in rest:
        right = operand()
        result = SIGNS[sign](left, right)
        if not result:
            return result
        left = right
    return result


def holds(left, *rest):
    return bool(compare(left, *rest))


def equal(left, right):
    return left == right


def not_equal(left, right):
    return left != right


def in_(left, right):
    return left in right


def is_(left, right):
    return left is right


def is_not(left, right):
    return left is not right


def not_in(left, right):
    return left not in right


is_ = operator.is_
is_not = operator.is_not
getattr_ = getattr
setattr_ = setattr
delattr_ = delattr
getitem = operator.getitem
setitem = operator.setitem
delitem = operator.delitem
slice_ = slice
iterate = spread = iter


class Going:
    """What the second form of a comprehension calls."""

    def __init__(self, put):
        self.put = put

    def over(self, iterable, items):
        items(iter(iterable))

    def when(self, test, then):
        if test():
            then()


def list_comp(iterable, plain, staged=None):
    """The second form, if there is one, does what the first does."""
    if staged is None:
        return plain(iter(iterable))
    made = []
    staged(iter(iterable), Going(made.append))
    return made


def set_comp(iterable, plain, staged=None):
    return plain(iter(iterable)) if staged is None else set(list_comp(iterable, plain, staged))


def dict_comp(iterable, plain, staged=None):
    return plain(iter(iterable)) if staged is None else dict(list_comp(iterable, plain, staged))


def generator_exp(iterable, plain, staged=None):
    return plain(iter(iterable))


for (
    _name
) in "iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior".split():
    globals()[_name] = getattr(operator, _name)


def unpack(value, count):
    parts = []
    try:
        iterator = iter(value)
    except TypeError:
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    for part in iterator:
        parts.append(part)
        if len(parts) > count:
            raise ValueError(f"too many values to unpack (expected {count})")
    if len(parts) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(parts)})")
    return tuple(parts)


def unpack_ex(value, before, after):
    parts = tuple(value)
    if len(parts) < before + after:
        raise ValueError(
            f"not enough values to unpack (expected at least {before + after}, got {len(parts)})"
        )
    return parts


def dict_display(*pairs):
    made = {}
    for pair in pairs:
        made |= dict([pair]) if len(pair) == 2 else {**pair[0]}
    return made


def spread(iterable):
    return iterable


def union(left, right):
    return left | right


def raised(error, *cause):
    return error


def cause(x, is_raised=False):
    return x


def display(*items):
    return set(items)


def repeated(left, right):
    return left * right


def joined(left, right):
    return left + right


def percent(text, values):
    return text % values


def fstring(*pieces):
    text = []
    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
            continue
        value, conversion, spec = piece
        value = {-1: lambda v: v, 114: repr, 115: str, 97: ascii}[conversion](value)
        text.append(format(value, "" if spec is None else spec))
    return "".join(text)


def named(x):
    return x


def converted_call(function, arguments, keywords, fscope):
    assert isinstance(fscope, FunctionScope)
    return function(*arguments) if keywords is None else function(*arguments, **keywords)


def decorator(function, fscope):
    assert isinstance(fscope, FunctionScope)
    return function


def frame_call(function, arguments, keywords, fscope, visible):
    names = {}
    for name, read in visible.items():
        value = read_or_undefined(read, name)
        if not is_undefined(value):
            names[name] = value
    if function is locals or (function is vars and not arguments):
        return names
    if function is dir and not arguments:
        return sorted(names)
    if len(arguments) == 1:
        arguments = (*arguments, sys._getframe(1).f_globals, names)
    return function(*arguments, **(keywords or {}))


GENERATED = re.compile(r"(?<=\.)(if_body|else_body|loop_body|loop_test|thunk)(_\d+)?\.<locals>\.")


def converted_lambda(function):
    function.__qualname__ = GENERATED.sub("", function.__qualname__)
    return function


def local_class(cls):
    return cls


def autograph_artifact(function):
    """Gives a nested function the qualified name that the user wrote."""
    function.__qualname__ = GENERATED.sub("", function.__qualname__)
    function.is_converted = True
    return function


def assert_stmt(test, message):
    if not test:
        raise AssertionError(*([] if message is None else [message()]))


def note_names(bound, shared):
    pass


def new_names(bound):
    pass


def context(manager):
    return manager


def with_stmt(manager, body, get_state, set_state, symbol_names):
    _round_trip(get_state, set_state, symbol_names)
    with manager as entered:
        body(entered)
    _round_trip(get_state, set_state, symbol_names)


@contextlib.contextmanager
def try_body(parts):
    assert set(parts) <= {"except*", "yield"}
    yield


def at_end(block):
    return block


def try_stmt(body, handlers, orelse, finalbody, get_state, set_state, symbol_names):
    assert len(get_state()) == len(symbol_names)
    set_state(get_state())
    try:
        try:
            body()
        except BaseException as error:
            for kinds, handler in handlers:
                if isinstance(error, BaseException if kinds is None else kinds()):
                    handler(error)
                    break
            else:
                raise
        else:
            if orelse is not None:
                orelse()
    finally:
        if finalbody is not None:
            finalbody()
