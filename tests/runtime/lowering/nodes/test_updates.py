"""`x[...] = v` overwrites memory of its own, and copies what others read."""

import numpy as np
import pytest

import autograph as ag


def kernels(sample, *arguments):
    return ag.convert(sample).get_concrete_function(*arguments).lower("kernels")


def fill(x, n):
    y = x * 1
    for i in range(n):
        y[i] = y[i] + 1
    return y


def fill_and_keep(x, n):
    y = x * 1
    z = y
    for i in range(n):
        y = y * 1
        z = y
        y[i] = 0
    return y, z + 1


ARGUMENTS = np.ones(100), np.int64(3)


def test_a_loop_that_writes_elements_copies_no_array():
    text = kernels(fill, *ARGUMENTS)
    assert "copy" not in text and "allocate" in text


def test_what_is_read_later_is_copied():
    y, z = ag.convert(fill_and_keep)(*ARGUMENTS)
    expected = fill_and_keep(*ARGUMENTS)
    np.testing.assert_array_equal(y, expected[0])
    np.testing.assert_array_equal(z, expected[1])


def test_an_argument_is_copied_once():
    def written(x, n):
        x = x.copy()
        x[n] = 5
        return x

    x = np.ones(100)
    assert ag.convert(written)(x, np.int64(3))[3] == 5 and x[3] == 1


# ---- values that wait for their place ------------------------------------------------------------

LONG = np.sin(np.arange(40.0))


def of_another(x, y):
    y = y + 1.0
    y[3:] = np.exp(x[3:]) * x[:-3]
    return y


def halved(x, y):
    y = y + 1.0
    y[:] = y * 0.5
    return y


def of_its_neighbours(x, y):
    y = y + 1.0
    y[1:-1] = (y[2:] + y[:-2]) * x[1:-1]
    return y


def of_its_own_reversed(x, y):
    y = y + 1.0
    y[:] = y[::-1] * x
    return y


def one_for_all(x, y):
    y = y + 1.0
    y[5:] = np.exp(np.sum(x, keepdims=True))
    return y


def one_for_each_row(x, y):
    y = np.stack([y, y * 2.0])
    y[:, 1:] = np.exp(x[1:])
    return y


def read_again(x, y):
    y = y + 1.0
    v = np.sqrt(np.abs(x))
    y[:] = v
    return y + v


def twice(x, y):
    y = y + 1.0
    y[2:] = x[2:] * 3.0
    y[:-2] = y[2:] - x[:-2]
    return y


@pytest.mark.parametrize(
    "function",
    [of_another, halved, of_its_neighbours, of_its_own_reversed, one_for_all, one_for_each_row, read_again,
     twice],
)  # fmt: skip
@pytest.mark.parametrize("n", [12, 40])
def test_values_that_are_computed_where_they_are_written(function, n):
    x, y = LONG[:n], LONG[::-1][:n].copy()
    found = ag.convert(function, native=True)
    for _ in range(2):
        np.testing.assert_allclose(found(x, y), function(x, y), rtol=4e-16)
    assert found.traces()[0].execution == []


def test_what_reads_no_memory_that_is_written_is_not_stored_first():
    def text(function):
        return ag.convert(function).get_concrete_function(LONG, LONG).lower("kernels")

    assert "written" not in text(of_another) and "written" in text(of_its_neighbours)
    assert text(halved).count("allocate") == text(halved).count("for each") == 1


def rows_from_rows(x):
    for i in range(1, x.shape[0] - 1):
        x[i, :] = 0.5 * (x[i - 1, :] + x[i, :])
    return x


def columns_from_columns(x):
    for j in range(1, x.shape[1]):
        x[:, j] = x[:, j] + 0.5 * x[:, j - 1]
    return x


def columns_added(x):
    for j in range(1, x.shape[1]):
        x[:, j] += x[:, j - 1] * 2 + x[:, 0]
    return x


def normalized_columns(x):
    for j in range(x.shape[1]):
        column = x[:, j] - x[:, j].mean()
        x[:, j] = column / (np.abs(column).max() + 1)
    return x


def sums_and_differences(x):
    for i in range(0, x.shape[0], 2):
        one = x[i].copy()
        twice = one * 2
        other = x[i + 1] * 0.5
        x[i] = one + other
        x[i + 1] = one - other
        x[i, 1:] += twice[:-1]
    return x


def parts_whose_sizes_the_run_tells(x):
    for i in range(1, 20):
        n = i + int(x[i, 0] > 0)
        one = x[:n, 1].copy()
        x[:n, 1] = one + x[:n, 2]
        x[:n, 2] = x[:n, 2] - one
    return x


@pytest.mark.parametrize(
    "function",
    [
        rows_from_rows,
        columns_from_columns,
        columns_added,
        normalized_columns,
        sums_and_differences,
        parts_whose_sizes_the_run_tells,
    ],
)
def test_what_was_read_before_needs_no_copy(function):
    x = np.random.default_rng(0).standard_normal((30, 40))
    f = ag.convert(function)
    text = f.get_concrete_function(x).lower("kernels")
    assert not any(" copy " in line for line in text.partition("loop:")[2].splitlines()[:-3])
    np.testing.assert_array_equal(f(x.copy()), function(x.copy()))


def old_column_after_a_write(x):
    for j in range(1, x.shape[1]):
        old = x[:, j]
        sums = old + x[:, j - 1]
        x[:, j] = sums * 2
        x[:, 0] = sums + x[:, j]
    return x


def view_given_back(x):
    first = x[:, 0] * 3
    for j in range(1, x.shape[1]):
        x[:, 0] = x[:, j] + first
        x[:, j] = first - x[:, 0]
    return x, first


def rows_exchanged(x):
    for i in range(x.shape[0] - 1):
        kept = x[i] + 0
        x[i] = x[i + 1]
        x[i + 1] = kept
    return x


def shifted_in_itself(x):
    for _ in range(3):
        x[1:] = x[:-1] + 1
        x[:, 1:] = np.concatenate((x[:, 2:], x[:, :1]), axis=1)
    return x


def positions_from_itself(x):
    for i in range(3):
        x[(x[:3, i] > 0).astype(int) + i] = x[i] * 2
    return x


@pytest.mark.parametrize(
    "function",
    [
        old_column_after_a_write,
        view_given_back,
        rows_exchanged,
        shifted_in_itself,
        positions_from_itself,
    ],
)
def test_what_is_read_before_and_after_a_write_is_what_it_was(function):
    x = np.random.default_rng(0).standard_normal((30, 40))
    found, expected = ag.convert(function)(x.copy()), function(x.copy())
    for a, e in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, expected)), strict=True):
        np.testing.assert_array_equal(a, e)


# ---- parts that overlap what is written into them ------------------------------------------------

WRITTEN = {
    "line": [
        lambda x: x[2],
        lambda x: x[:, 0],
        lambda x: x[::-1, 1],
        lambda x: x.T[1][::-1],
    ],
    "block": [lambda x: x[1:], lambda x: x[:-1][::-1], lambda x: x.T[:, 1:].T, lambda x: x.T[1:]],
}
READ = {
    "a row": ("line", lambda x: x[1]),
    "a column": ("line", lambda x: x[:, 2]),
    "a column reversed": ("line", lambda x: x[::-1, 2]),
    "the diagonal": ("line", lambda x: x.diagonal()),
    "computed of a column": ("line", lambda x: x[:, 2] + x[:, 2]),
    "a row and a column": ("line", lambda x: x[0] + x[:, -1]),
    "at positions": ("line", lambda x: x[np.arange(x.shape[0])[::-1], 1]),
    "chosen": ("line", lambda x: np.where(x[0] == x[:, 1], x[1], x[:, 0])),
    "rolled": ("line", lambda x: np.roll(x[:, 1], 2)),
    "the first rows": ("block", lambda x: x[:-1]),
    "the last rows reversed": ("block", lambda x: x[:0:-1]),
    "transposed": ("block", lambda x: x.T[:-1]),
    "computed of neighbours": ("block", lambda x: x[1:] + x[:-1]),
    "a row for all": ("block", lambda x: x[-1]),
    "a column for all": ("block", lambda x: x[1:, :1]),
}
KINDS = [("f8", 12), ("f4", 3), ("i8", 12), ("i4", 3), ("u1", 12), ("c16", 12), ("?", 12)]


def is_as_plain(function, x):
    found = ag.convert(function, native=True)
    for rounds in np.int64(2), np.int64(3):
        expected = function(x.copy(), rounds)
        np.testing.assert_array_equal(found(x.copy(), rounds), expected)
    assert found.trace_count == 1 and found.traces()[0].execution == []


@pytest.mark.parametrize(("dtype", "n"), KINDS)
@pytest.mark.parametrize("read", READ)
@pytest.mark.broad(6)
def test_parts_are_written_with_what_was_read_of_others_before(read, dtype, n):
    shape, source = READ[read]

    # Copied first: of two lines that cross, NumPy itself reads what it has written.
    def function(x, rounds):
        for part in WRITTEN[shape]:
            part(x)[...] = source(x).copy()
        for _ in range(rounds):
            for part in WRITTEN[shape]:
                part(x)[...] += source(x)
                part(x)[...] = source(x).copy()
        return x

    is_as_plain(function, np.random.default_rng(n).integers(0, 5, (n, n)).astype(dtype))


OF_A_COPY = {
    "reversed": lambda y: y[::-1].copy(),
    "transposed": lambda y: y.T.copy(),
    "a part": lambda y: y[1:].copy(),
    "at positions": lambda y: y[np.arange(len(y))[::-1]],
    "twice": lambda y: y[::-1].copy().T.copy(),
}


@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.parametrize("made", OF_A_COPY)
def test_what_was_made_of_a_value_stays_when_the_value_is_written(made, dtype):
    def function(x, rounds):
        for _ in range(rounds):
            y = x[:, 1:].copy()
            z = OF_A_COPY[made](y)
            x[:, :-1] = y
            x[: z.shape[0], : z.shape[1]] += z
        return x

    is_as_plain(function, np.arange(144).reshape(12, 12).astype(dtype))
