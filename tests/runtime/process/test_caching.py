"""Properties that are computed once."""

import threading

from runtime.process.caching import cached_property


class Thing:
    def __init__(self):
        self.count = 0

    @cached_property
    def number(self):
        """How often it was computed."""
        self.count += 1
        return self.count

    @cached_property
    def waiting(self):
        self.begun.set()
        self.go_on.wait(60)
        return self.count


def test_it_is_computed_once_for_each_object():
    one, other = Thing(), Thing()
    assert (one.number, one.number, other.number) == (1, 1, 1)
    del one.number
    assert one.number == 2 and vars(one)["number"] == 2
    assert Thing.number.__doc__ == "How often it was computed."


def test_threads_do_not_wait_for_those_of_other_objects():
    slow, quick = Thing(), Thing()
    slow.begun, slow.go_on = threading.Event(), threading.Event()
    quick.begun, quick.go_on = threading.Event(), threading.Event()
    quick.go_on.set()
    thread = threading.Thread(target=lambda: slow.waiting)
    thread.start()
    assert slow.begun.wait(60)
    asked = threading.Thread(target=lambda: quick.waiting, daemon=True)
    asked.start()
    asked.join(20)
    was_quick = not asked.is_alive()
    slow.go_on.set()
    thread.join()
    assert was_quick
