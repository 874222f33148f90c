"""The table of all forms of statements of random programs."""

from __future__ import annotations

from tests.random_programs import compound, containers, failures, functions, plain, positions
from tests.random_programs.statements import Form, Place, Statements


def _deep(s: Statements, place: Place) -> bool:
    """Blocks nest so far only, and cost."""
    return place.depth < 4 and s.budget > 0


def _loops(s: Statements, place: Place) -> bool:
    return _deep(s, place) and place.loops < 2


def _protected(s: Statements, place: Place) -> bool:
    """No `yield` stands in a `try` or `with`."""
    return _deep(s, place) and s.gives is None


def _in_loop(s: Statements, place: Place) -> bool:
    return place.in_loop


def _in_branch(s: Statements, place: Place) -> bool:
    return place.depth > 0 and not place.in_loop and not place.in_closure


def _outside(s: Statements, place: Place) -> bool:
    """Functions within functions stand in this one, at whatever depth, and in no other."""
    return not place.in_closure


def _printing(s: Statements, place: Place) -> bool:
    return not s.quiet


def _gives(s: Statements, place: Place) -> bool:
    return s.gives is not None and not place.in_closure


FORMS = (
    Form(plain.assign, 5),
    Form(plain.augment, 3),
    Form(plain.store, 4),
    Form(plain.swap, 1),
    Form(plain.chained, 1),
    Form(plain.in_place, 1),
    Form(plain.nested, 1),
    Form(plain.optional, 1),
    Form(plain.word, 1),
    Form(plain.bind, 1),
    Form(plain.flag, 1),
    Form(plain.view, 1),
    Form(plain.shared, 1),
    Form(plain.show, 2, _printing),
    Form(plain.jump, 4, _in_loop),
    Form(plain.skip, 1, _in_loop),
    Form(plain.leave, 1, _in_branch),
    Form(plain.give, 8, _gives),
    Form(containers.make, 1),
    Form(containers.alias, 1),
    Form(containers.unpack, 1),
    Form(containers.pack, 1),
    Form(containers.replaced, 1),
    Form(containers.grown, 1),
    Form(containers.set_row, 1),
    Form(containers.listed, 1),
    Form(containers.chosen, 1),
    Form(containers.change, 1),
    Form(containers.table, 1),
    Form(containers.several, 1),
    Form(positions.item, 2),
    Form(positions.swapped, 1),
    Form(positions.part, 1),
    Form(positions.arranged, 1),
    Form(positions.cell, 1),
    Form(positions.stretch, 1),
    Form(failures.check, 1),
    Form(failures.attempt, 3, _protected),
    Form(failures.with_, 1, _protected),
    Form(compound.branch, 5, _deep),
    Form(compound.match, 1, _deep),
    Form(compound.while_, 3, _loops),
    Form(compound.for_, 4, _loops),
    Form(compound.best, 1, _loops),
    Form(functions.function, 1, _outside),
    Form(functions.closure, 1, _outside),
    Form(functions.attempting, 1, _outside),
    Form(functions.accumulator, 1, _outside),
)
