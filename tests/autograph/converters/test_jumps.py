"""Jumps become flags, and what they skip is guarded."""

import pytest

from tests.autograph.converters.running import converted_by

CASES = {
    "break": (
        """
while x:
    if y: break
    x = y
""",
        """
break_ = False
while not break_ and x:
    if y:
        break_ = True
    else:
        x = y
""",
    ),
    "continue": (
        """
for i in x:
    if y: continue
    print(i)
""",
        """
for i in x:
    if y:
        pass
    else:
        print(i)
""",
    ),
    "guarded rest": (
        """
for i in x:
    if y:
        if i: continue
    print(i)
""",
        """
for i in x:
    continue_ = False
    if y:
        if i:
            continue_ = True
    if not continue_:
        print(i)
""",
    ),
    "loop else": (
        """
while x:
    if y: break
else: x = 0
""",
        """
break_ = False
while not break_ and x:
    if y:
        break_ = True
if not break_:
    x = 0
""",
    ),
    "else without jump": (
        """
while x: y
else: x = 0
""",
        """
while x:
    y
x = 0
""",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_before_and_after(before, after):
    assert converted_by("jumps", before) == after.strip()
