"""All samples in every way, in the long tests; each run takes one of twelve so: see `Samples`."""

import pytest

from tests.devices import language
from tests.language.harness import check


@pytest.mark.long
@pytest.mark.parametrize(("sample", "cases", "how"), language.samples())
def test_samples_do_the_same_in_every_way(sample, cases, how):
    check(sample, *cases, **how)
