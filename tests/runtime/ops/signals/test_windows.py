"""Windows over axes, against counting them one by one."""

from itertools import product

import pytest

from runtime.ops.signals.windows import Windows, normal_padding, per_axis, window_counts


def covered(n, size, stride, before, dilation, count):
    """The pairs (window, element number, position) that exist, one by one."""
    for o, t in product(range(count), range(size)):
        place = o * stride + t * dilation - before
        if 0 <= place < n:
            yield o, t, place


@pytest.mark.parametrize("padding", ["valid", "same", ((0, 0),), ((2, 1),), ((0, 3),)])
@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 4])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("n", [5, 8])
def test_slices_meet_the_elements_that_windows_cover(n, size, stride, dilation, padding):
    if (size - 1) * dilation + 1 > n:
        return
    windows = Windows.over((n,), (size,), (stride,), padding, (dilation,))
    (count,), (before,) = windows.counts, windows.before
    found = [
        (o, t, place)
        for t in range(size)
        for o, place in zip(
            range(count)[windows.along(0, t)[0]], range(n)[windows.along(0, t)[1]], strict=True
        )
    ]
    assert sorted(found) == sorted(covered(n, size, stride, before, dilation, count))


@pytest.mark.parametrize(("n", "stride", "count"), [(7, 2, 4), (8, 2, 4), (8, 3, 3), (0, 2, 0)])
def test_same_padding_has_a_window_for_each_stride_begun(n, stride, count):
    assert window_counts((n,), (3,), (stride,), "same", (1,)) == (count,)


def test_the_odd_element_of_same_padding_is_at_the_end():
    assert Windows.over((4,), (2,), (1,), "same", (1,)).before == (0,)


def test_a_window_that_does_not_fit_is_refused():
    with pytest.raises(
        ValueError, match="length 5 .*size 3, dilation 2.* axis 1, which has size 4"
    ):
        window_counts((9, 4), (3, 3), (1, 1), "valid", (1, 2))


def test_padding_is_counted_when_a_window_does_not_fit():
    with pytest.raises(ValueError, match="size 1, 3 with its padding"):
        window_counts((1,), (4,), (1,), ((1, 1),), (1,))


def test_sizes_that_are_not_known_stay_so():
    assert window_counts((None, 8), (3, 3), (1, 2), "valid", (1, 1)) == (None, 3)


@pytest.mark.parametrize(
    ("padding", "error", "words"),
    [
        ("full", ValueError, "'valid', 'same' or numbers, not 'full'"),
        ((1, 2, 3), ValueError, "for 2 axes"),
        (((1, 2, 3), 1), ValueError, "a number or two"),
        ((1.5, 1), TypeError, "must be an int"),
        ((1, -1), ValueError, "at least 0"),
    ],
)
def test_padding_that_is_none_is_refused(padding, error, words):
    with pytest.raises(error, match=words):
        normal_padding(padding, 2)


@pytest.mark.parametrize(
    ("value", "error"), [((1, 2, 3), ValueError), (0, ValueError), ("2", TypeError)]
)
def test_strides_that_are_none_are_refused(value, error):
    with pytest.raises(error, match="strides must be"):
        per_axis("strides", value, 2)
