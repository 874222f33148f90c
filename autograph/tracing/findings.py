"""What the traces of a call found that the next trace of it must know from its beginning.

Most calls are traced once. A trace that comes upon something which should have been held in another
way from the start raises, having noted it; the function is traced again, told what was found.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from autograph.operators.captured.attempt import Attempt, Known
from autograph.operators.captured.captures import Trace
from autograph.operators.values.heaps import Heap, Plan, reference_to
from autograph.operators.values.one_of import can_be_referred_to
from runtime.errors import StagingError

__all__ = ["Findings"]


@dataclass(frozen=True)
class Findings(Known):
    """What is known, and the errors for which it is."""

    # The error of the first trace that wanted choices told by a number; None: none did.
    first: StagingError | None = None
    # The heaps, and the error for which there are any.
    heaps: tuple[Plan, ...] = ()
    before_heaps: StagingError | None = None

    def attempt(self, *, prefers_logs: bool) -> Attempt:
        """What a trace is told when it begins."""
        return Attempt(
            **{each.name: getattr(self, each.name) for each in fields(Known)},
            prefers_logs=prefers_logs,
            chooses_by_number=self.first is not None,
            heaps={plan.cls: Heap(plan) for plan in self.heaps},
        )

    def joined(self, facts: Trace, error: StagingError) -> Findings:
        """What is known after a trace that raised `error`."""
        known = replace(
            self,
            logs={**self.logs, **facts.found.logs},
            keeps_entries=self.keeps_entries or facts.found.kinds,
            keeps_names=self.keeps_names or facts.found.names,
            keeps_lengths=self.keeps_lengths or facts.found.lengths,
            tells_errors=self.tells_errors or facts.found.asks_errors,
        )
        if not facts.found.refused_choices:
            return known
        objects = list(filter(can_be_referred_to, facts.found.refused_items))
        kinds = frozenset(map(type, objects)) if self.refers_to_items else frozenset()
        return replace(
            known,
            first=self.first or error,
            refers_to_items=self.refers_to_items or bool(objects),
            written_items=self.written_items | kinds,
        )

    def told(self, facts: Trace, error: StagingError) -> StagingError:
        """The error to raise after a trace that raised `error`, which led no further."""
        first = self.before_heaps or self.first
        is_known = self.heaps or self.keeps_names or facts.found.refused_choices
        return first if first is not None and is_known else error

    def with_heaps(self, facts: Trace, error: StagingError) -> Findings | None:
        """What to begin with after a trace that raised `error`, as the last way; None: no way.

        Objects that bodies made are on a heap then.
        """
        more = facts.found.attributes
        heaps = [plan._replace(names=(*plan.names, *more.get(plan.cls, ()))) for plan in self.heaps]
        # A class that the function makes is another one in each trace: none has its objects.
        known = {(plan.cls.__module__, plan.cls.__qualname__) for plan in self.heaps}
        for made in (facts.found.made_in_bodies, facts.found.classes):
            if tuple(heaps) == self.heaps:
                heaps += [
                    Plan(cls, reference_to(cls), names)
                    for cls, names in made.items()
                    if (cls.__module__, cls.__qualname__) not in known
                ]
        if tuple(heaps) == self.heaps:
            return None
        told = self.before_heaps or self.told(facts, error)
        return Findings(logs=self.logs, heaps=tuple(heaps), before_heaps=told)

    def is_worth_another(self, before: Findings, has_created: bool) -> bool:
        """Whether another trace would find more than one that began with `before` did.

        A function that created Variables is traced again for its errors only.
        """
        if self.tells_errors and not before.tells_errors:
            return True
        return not has_created and self != before
