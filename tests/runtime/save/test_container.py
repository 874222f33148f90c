"""The archive: JSON that people can read, arrays that NumPy can read, replaced in one step."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from runtime.errors import SavedProgramError
from runtime.save.container import Archive, array_bytes, json_text, pack


@pytest.mark.parametrize("dtype", ["?", "<f8", ">f8", "u1", "c16"])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (0, 4), (2, 1, 3)])
def test_arrays_are_in_the_format_of_numpy(dtype, shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    for array in (x, np.asfortranarray(x), x[..., ::-1] if shape else x):
        found = np.load(io.BytesIO(array_bytes(array)), allow_pickle=False)
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
        archive = Archive(io.BytesIO(pack({"format": "t"}, {"a.npy": array})), "t")
        own = archive.array("a.npy", array.dtype, array.shape)
        np.testing.assert_array_equal(own, array)
        assert own.flags.writeable and own.flags.fnc == array.flags.fnc


def test_arrays_that_numpy_wrote_can_be_read():
    stream, x = io.BytesIO(), np.arange(6.0).reshape(2, 3)
    with zipfile.ZipFile(stream, "w") as archive, archive.open("a.npy", "w") as entry:
        np.save(entry, x)
    found = Archive(stream, "t").array("a.npy", x.dtype, x.shape)
    np.testing.assert_array_equal(found, x)


def test_what_fits_on_a_line_is_on_a_line():
    document = {"nodes": [{"name": f"n{i}", "inputs": ["x" * 20] * 3} for i in range(5)]}
    text = json_text(document)
    assert json.loads(text) == document
    assert [line.strip()[:12] for line in text.splitlines()].count('{"name": "n3') == 1


def test_entries_carry_no_time():
    with zipfile.ZipFile(io.BytesIO(pack({}, {"a.npy": np.zeros(2)}))) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_truth_value_is_0_or_1():
    content = array_bytes(np.array([True, False])).replace(b"\x01\x00", b"\x01\x00")[:-1] + b"\x02"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(SavedProgramError, match="neither 0 nor 1"):
        Archive(stream, "t").array("a.npy", np.dtype("?"), (2,))
