"""Tests of `runtime.effects.control`: nodes that hold graphs, and exceptions that are built anew."""

import numpy as np
import pytest

from runtime import ops, trace
from runtime.building import Builder, body
from runtime.effects import control
from runtime.effects.control import ExceptionTemplate, attributes_of, coerce
from runtime.execute import reference
from runtime.graph.check import check
from runtime.spec import TensorType, type_of_number
from runtime.structure.templates import Hole
from runtime.tensor import Tensor

FLOAT, INT, BOOL = map(type_of_number, (1.0, 1, True))
F4, F8 = TensorType(np.dtype("f4"), ()), TensorType(np.dtype("f8"), ())


class Failure(Exception):
    def __init__(self, code, *, detail):
        super().__init__(code)
        self.detail = detail


def test_an_exception_is_built_anew_and_its_init_is_not_called():
    template = ExceptionTemplate(Failure, (Hole(0),), {"detail": Hole(1)})
    made, other = template.fill([2.5, "why"]), template.fill([3.5, "why"])
    assert type(made) is Failure and made.args == (2.5,) and made.detail == "why"
    assert other is not made and other.args == (3.5,) and repr(template) == "Failure"


@pytest.mark.parametrize("error", [
    np.exceptions.AxisError(3, 1, "here"), OSError(2, "absent", "a.txt"), StopIteration(3),
    ImportError("absent", name="m"), SyntaxError("bad", ("a.py", 3, 4, "x =")), NameError("n", name="m"),
    UnicodeDecodeError("utf-8", b"ab", 0, 1, "bad"), UnicodeEncodeError("ascii", "ab", 0, 1, "bad"),
    UnicodeTranslateError("ab", 0, 1, "bad"), AttributeError("absent", name="m"),
])  # fmt: skip
def test_an_exception_keeps_what_its_init_took(error):
    made = ExceptionTemplate(type(error), error.args, attributes_of(error)).fill([])
    assert type(made) is type(error) and str(made) == str(error)
    names = "axis", "ndim", "filename", "errno", "value", "name", "lineno", "start", "object"
    for name in names:
        assert getattr(made, name, None) == getattr(error, name, None)


def test_causes_and_contexts_stay():
    cause, context = KeyError("k"), ValueError("a")
    made = ExceptionTemplate(KeyError, ("k",), {}, cause, context, True).fill([])
    assert made.__cause__ is cause and made.__context__ is context and made.__suppress_context__
    inner = ExceptionTemplate(ValueError, (Hole(0),))
    made = ExceptionTemplate(KeyError, ("k",), {}, inner).fill([2])
    assert type(made.__cause__) is ValueError and made.__cause__.args == (2,)


@pytest.mark.parametrize(("given", "wanted", "op"), [
    (F4, F4, None), (F4, F8, "astype"), (FLOAT, F8, "strengthen"), (F8, FLOAT, "as_weak"),
    (INT, FLOAT, "as_weak"),
])  # fmt: skip
def test_a_value_gets_the_dtype_and_weakness_of_a_type(given, wanted, op):
    builder = Builder()
    x = builder.tensor(builder.input(given))
    with trace.interpreting(builder):
        made = coerce(x, wanted)
    assert (made.type.dtype, made.type.weak) == (wanted.dtype, wanted.weak)
    assert [node.op.name for node in builder.graph.nodes] == ([] if op is None else [op])
    assert coerce("text", wanted) == "text"


def branch(parent, name, x):
    with body(name, parent) as made:
        made.graph.outputs = [made.value_of(Tensor(None, x) * 2.0 if x is not None else 1.5)]
    return made


def test_branches_have_the_same_captured_inputs():
    root = Builder()
    pred, x, y = root.input(BOOL), root.input(F8, "x"), root.input(F8, "y")
    bodies = branch(root, "true", x), branch(root, "false", y)
    with trace.interpreting(root):
        (result,) = control.emit_cond(root, pred, bodies, [F8])
    root.graph.outputs = [result._value]
    check(root.graph)
    node = root.graph.nodes[-1]
    assert node.inputs == [pred, x, y]
    assert [[v.name for v in graph.inputs] for graph in node.graphs] == [["x", "y"], ["x", "y"]]
    run = reference.prepare(root.graph)
    assert run(True, np.float64(3), np.float64(4)) == (6,)
    assert run(False, np.float64(3), np.float64(4)) == (8,)


@pytest.mark.parametrize(("maximum", "expected"), [(None, 32.0), (2, 8.0), (0, 2.0)])
def test_a_loop_runs_while_its_test_holds_and_at_most_so_often(maximum, expected):
    root = Builder()
    limit, start = root.input(F8, "limit"), root.input(F8, "x")
    test, step = (Builder(name, root) for name in ("test", "body"))
    own = [b.input(F8, "x") for b in (test, step)]
    with trace.interpreting(test):
        test.graph.outputs = [(Tensor(None, own[0]) < Tensor(None, limit))._value]
    with trace.interpreting(step):
        step.graph.outputs = [(Tensor(None, own[1]) * 2.0)._value]
    with trace.interpreting(root):
        (result,) = control.emit_while(root, test, step, [start], [F8], maximum)
    root.graph.outputs = [result._value]
    check(root.graph)
    assert root.graph.nodes[-1].attrs == {"captures": 1, "maximum": maximum}
    assert reference.prepare(root.graph)(np.float64(20), np.float64(2)) == (expected,)


def test_the_types_of_control_flow_are_those_of_its_graphs():
    for op in (control.COND, control.WHILE, control.CALL, control.TRY):
        with pytest.raises(TypeError, match="given by its graphs"):
            op.infer_all([], {})


@pytest.mark.parametrize("changes", [False, True])
def test_what_loops_and_branches_hand_on_is_found(changes):
    root = Builder()
    pred, x, y = root.input(BOOL), root.input(F8, "x"), root.input(F8, "y")
    test, step = (Builder(name, root) for name in ("test", "body"))
    own = [[b.input(F8), b.input(F8)] for b in (test, step)]
    with trace.interpreting(test):
        test.graph.outputs = [(Tensor(None, own[0][1]) < Tensor(None, y))._value]
    with trace.interpreting(step):
        more = Tensor(None, own[1][0]) * 2.0
        step.graph.outputs = [more._value if changes else own[1][0], own[1][1]]
    with trace.interpreting(root):
        loop = control.emit_while(root, test, step, [x, y], [F8, F8])
        bodies = []
        for name in ("true", "false"):
            with body(name, root) as made:
                made.graph.outputs = [made.value_of(loop[0]), made.value_of(loop[name == "true"])]
            bodies.append(made)
        both = control.emit_cond(root, pred, tuple(bodies), [F8, F8])
    before = loop[0]._value if changes else x
    assert control.passed_on(loop[1]._value) is y
    assert control.passed_on(both[0]._value) is before
    assert control.passed_on(both[1]._value) is both[1]._value
    assert control.is_made_of(both[1]._value, {y}) and control.is_made_of(both[1]._value, {x})
    assert not control.is_made_of(both[0]._value, {y})  # of which only the test of the loop is
    assert not control.is_made_of(both[0]._value, {pred})
    if changes:  # as far as what the loop makes counts as what it was
        assert control.passed_on(loop[0]._value, {more._value}) is x


def test_tapes_are_told_of_the_node():
    class Tape:
        seen = ()

        def record(self, op, inputs, attrs, outputs):
            self.seen = (*self.seen, op.name)

    root, tape = Builder(), Tape()
    pred, x = root.input(BOOL), root.input(F8)
    bodies = branch(root, "true", x), branch(root, "false", None)
    with trace.interpreting(root), trace.listening(tape):
        control.emit_cond(root, pred, bodies, [F8])
    assert tape.seen == ("cond",)


def test_effects_are_ordered_and_what_raises_says_so():
    assert control.PRINT.effect and control.RAISE.effect and control.STORE.effect
    for op in (control.RAISE, control.RERAISE, control.ERROR_PART):
        assert op.can_raise([], {})
    assert ops.add is not None and not control.IS_ERROR.can_raise([], {})


def test_text_goes_where_it_is_told(capsys):
    for file in (None, "stderr"):
        control.PRINT.kernel(None, 1, render="x = {}".format, file=file, flush=True)
    assert capsys.readouterr() == ("x = 1", "x = 1")
