"""The language suite within `with ag.device(...)`, on the disguised device.

One of 45 samples in a run; the long tests run all. On a graphics card all are always run.
"""

from __future__ import annotations

import pytest

from tests.devices import language
from tests.devices.disguised import disguised


@pytest.fixture(scope="module", autouse=True)
def far_devices():
    with disguised():
        yield


# Which of the caller's arrays a result is depends on data there: it comes back as a copy.
_COPIES = (
    "kinds_within_the_graph-S1-of_loops",
    "keys_on_one_path-E2-in_an_order_by_data",
    "objects_chosen_by_data-E2-one_or_none",
    "permuted_arrays-S7-out_of_range",
    "results_of_several_kinds-S1-in_conditional_expressions",
    "results_of_several_kinds-S1-of_nested_branches",
    "try-B2.17-an_argument_or_another_array_is_written_after_it",
    "try-B2.17-items_of_lists_and_dicts",
    "try-B2.17-write_through_either",
)
_SAMPLES = [row for row in language.samples() if row.id not in _COPIES]


@pytest.mark.parametrize(("sample", "cases", "how"), _SAMPLES[::45])
def test_samples_do_the_same_on_another_device(sample, cases, how):
    language.check_within(sample, cases, how, "/far:1")


@pytest.mark.long
@pytest.mark.parametrize(("sample", "cases", "how"), _SAMPLES)
def test_all_samples_do_the_same_on_another_device(sample, cases, how):
    language.check_within(sample, cases, how, "/far:1")
