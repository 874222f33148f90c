"""Comprehensions and generator expressions stay what they are, with a second form for the graph.

[f(x) for x in xs]         ag__.list_comp(xs, lambda itr: [f(x) for x in itr])
{f(x) for x in xs}         ag__.set_comp(xs, lambda itr: {f(x) for x in itr},
                               lambda itr, go: [go.put(f(x)) for x in itr])
[f(x) for x in xs if c]    ag__.list_comp(xs, lambda itr: [f(x) for x in itr if ag__.truth(c)],
                               lambda itr, go: [go.when(lambda: c, lambda: go.put(f(x)))
                                                for x in itr])

The first form makes all items at once, by Python. The second says for each item what is to be done
if a condition holds that only the graph knows; iterables after the first are `go.over(ys, ...)` in
it. A name that `:=` binds is one of the function around, which no lambda can bind:

[y for x in xs if (y := x) > 0]     def bind(value): nonlocal y; y = value; return value
                                    ag__.list_comp(xs, lambda itr: ... if bind(x) > 0 ...)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import THUNK, Conversion, walrus_names
from autograph.converters.displays import FRESH, ITERATE
from autograph.converters.logic import BOTH
from autograph.syntax.template import Template, constant, make, name, tuple_of
from autograph.syntax.walk import place_of, transform_children

TRUTH = Template("ag__.truth(test)")
WHEN = Template("go.when(lambda: test, lambda: then)")
OVER = Template("go.over(iterable, lambda itr: made)")
PUT = Template("go.put(value)")
BOUND = Template("bind(value)")
BIND = Template("""
def bind(value):
    nonlocal local
    global shared
    ag__.note_names(lambda: bound, symbols)
    target = value
    return value
""")

KINDS = {
    gast.ListComp: "list_comp",
    gast.SetComp: "set_comp",
    gast.DictComp: "dict_comp",
    gast.GeneratorExp: "generator_exp",
}
SIMPLE = {
    kind: Template(f"ag__.{operator}(iterable, lambda itr: made)")
    for kind, operator in KINDS.items()
}
IN_PARTS = {
    kind: Template(f"ag__.{operator}(iterable, lambda itr: made, lambda itr, go: parts)")
    for kind, operator in KINDS.items()
}


def convert_comprehension(node: Any, conversion: Conversion) -> gast.expr:
    """The first iterable is computed in the scope around, everything else in its own."""
    first = node.generators[0]
    iterable = conversion.expression(first.iter)
    names = walrus_names(node, into_lambdas=True) if conversion.function.has_walrus else set()
    is_lazy = isinstance(node, gast.GeneratorExp)
    calls = conversion.may_hoist and not is_lazy and bool(names) and not _binds_in_lambda(node)
    stays = bool(names) and not calls and not conversion.binding_by_calls
    scope = conversion.lowering.scopes[node]
    conversion.binding_by_calls |= calls
    conversion.inline(scope, lambda: _convert_parts(node, conversion), lazy=not stays or is_lazy)
    conversion.binding_by_calls &= not calls
    if stays:
        first.iter = iterable
        return FRESH.expression(node, made=_plain(node, node.generators, first=0))
    if calls:
        _bind_by_calls(node, names, conversion)
    return _made(node, iterable, conversion)


def _binds_in_lambda(node: gast.AST) -> bool:
    """Whether a lambda in a comprehension binds a name of its own by `:=`."""
    return any(
        isinstance(part, gast.Lambda) and walrus_names(part.body, into_lambdas=True)
        for part in gast.walk(node)
    )


def _convert_parts(node: Any, conversion: Conversion) -> None:
    for number, generator in enumerate(node.generators):
        if number:
            generator.iter = conversion.expression(generator.iter)
        generator.ifs = list(map(conversion.test, generator.ifs))
    for field in ("key", "value", "elt"):
        if getattr(node, field, None) is not None:
            setattr(node, field, conversion.expression(getattr(node, field)))


def _made(node: Any, iterable: gast.expr, conversion: Conversion) -> gast.expr:
    itr, go = conversion.namer.fresh("itr"), conversion.namer.fresh("go")
    first, *rest = node.generators
    plain = _plain(node, [_over(itr, first), *rest])
    given: dict[str, Any] = {"iterable": iterable, "itr": itr}
    has_keys = isinstance(node, gast.SetComp | gast.DictComp)  # which may depend on data
    if not first.ifs and not rest and not has_keys:
        return SIMPLE[type(node)].expression(node, made=plain, **given)
    parts = _parts(node, 0, itr, go, conversion)
    return IN_PARTS[type(node)].expression(node, made=plain, go=go, parts=parts, **given)


def _over(itr: str, generator: Any) -> Any:
    iterable = name(itr, generator.iter)
    return make(gast.comprehension, {**generator.__dict__, "iter": iterable})


def _plain(node: Any, generators: list[Any], first: int = 1) -> gast.expr:
    """A comprehension of the same kind, whose conditions are known while tracing.

    The runtime goes through the iterables from number `first` on.
    """
    made = [
        make(
            gast.comprehension,
            {
                **each.__dict__,
                "iter": ITERATE.expression(each.iter, iterable=each.iter)
                if number >= first
                else each.iter,
                "ifs": [TRUTH.expression(test, test=test) for test in each.ifs],
            },
        )
        for number, each in enumerate(generators)
    ]
    comprehension: gast.expr = make(type(node), {**node.__dict__, "generators": made})
    return comprehension


def _parts(node: Any, number: int, itr: str, go: str, conversion: Conversion) -> gast.expr:
    """What the second form does from a generator on: a list, of no use, over its items."""
    each = node.generators[number]
    then = _then(node, number + 1, go, conversion)
    if each.ifs:
        test = each.ifs[0] if len(each.ifs) == 1 else _all_of(each.ifs)
        then = WHEN.expression(test, go=go, test=test, then=then)
    items = make(
        gast.comprehension,
        {"target": each.target, "iter": name(itr, each.iter), "ifs": [], "is_async": 0},
    )
    over: gast.expr = make(gast.ListComp, {"elt": then, "generators": [items], **place_of(node)})
    return over


def _all_of(tests: list[gast.expr]) -> gast.expr:
    call: Any = BOTH.expression(tests[0])
    call.args = [THUNK.expression(test, value=test) for test in tests]
    made: gast.expr = call
    return made


def _then(node: Any, number: int, go: str, conversion: Conversion) -> gast.expr:
    if number == len(node.generators):
        pair = isinstance(node, gast.DictComp)
        value = tuple_of([node.key, node.value], node.value) if pair else node.elt
        return PUT.expression(value, go=go, value=value)
    itr, iterable = conversion.namer.fresh("itr"), node.generators[number].iter
    made = _parts(node, number, itr, go, conversion)
    return OVER.expression(iterable, go=go, iterable=iterable, itr=itr, made=made)


# ---- names that `:=` binds ---------------------------------------------------------------------


def _bind_by_calls(node: Any, names: set[str], conversion: Conversion) -> None:
    """Puts calls of functions, which stand before the statement, in the place of each `:=`."""
    functions = {}
    for bound in sorted(names):
        functions[bound] = conversion.namer.fresh("bind")
        conversion.bind_by_operand(bound)
        is_shared = bound in conversion.function.globals
        conversion.hoisted += BIND.statements(
            node,
            bind=functions[bound],
            local=[] if is_shared else [bound],
            shared=[bound] if is_shared else [],
            bound=tuple_of([] if is_shared else [name(bound, node)], node),
            symbols=tuple_of([constant(bound, node)] if is_shared else [], node),
            target=bound,
        )
    for generator in node.generators:
        generator.ifs = [_with_calls(test, functions) for test in generator.ifs]
    for field in ("key", "value", "elt"):
        if getattr(node, field, None) is not None:
            setattr(node, field, _with_calls(getattr(node, field), functions))


def _with_calls(node: Any, functions: dict[str, str]) -> Any:
    made = transform_children(node, lambda part: _with_calls(part, functions))
    if not isinstance(made, gast.NamedExpr):
        return made
    return BOUND.expression(made, bind=functions[made.target.id], value=made.value)


EXPRESSIONS = dict.fromkeys(KINDS, convert_comprehension)
