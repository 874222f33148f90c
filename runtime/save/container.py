"""The zip file that programs and checkpoints are kept in.

An archive holds one JSON document, which says what the file is, and arrays in NumPy's format. It is
read without trust: sizes are checked before anything is unpacked.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from runtime import config
from runtime.dtypes import stored_as
from runtime.errors import SavedProgramError
from runtime.save.dtypes import dtype_named
from runtime.save.reading import Malformed

__all__ = ["Archive", "array_bytes", "json_text", "pack", "read"]

MANIFEST = "program.json"
_ENTRY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*", re.ASCII)
_HEADER = re.compile(
    rb"\{'descr': '(?P<dtype>[<>|][a-z]\d{1,2})', 'fortran_order': (?P<fortran>True|False), "
    rb"'shape': \((?P<shape>[\d, ]*)\), \} *\n"
)
_MAGIC = b"\x93NUMPY\x01\x00"
# The same content gives the same file: no entry knows when it was written.
_EPOCH = (1980, 1, 1, 0, 0, 0)
# What one byte of deflated data can become, at most.
_DEFLATE_LIMIT = 1032
_MOST_ENTRIES = 100_000
# Parsed JSON takes up to this many times the memory of its text.
_JSON_FACTOR = 32
_WIDTH = 160
_FAILURES = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, OSError,
    NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError, KeyError, TypeError,
)  # fmt: skip


# ---- writing ---------------------------------------------------------------------------------


def pack(document: Any, arrays: Mapping[str, Any]) -> bytes:
    """An archive with a JSON document and an entry for each array."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        text = json_text(document).encode("utf-8", "surrogatepass")
        archive.writestr(_info(MANIFEST, zipfile.ZIP_DEFLATED), text)
        for name, array in arrays.items():
            # Stored as they are: a reader can map them, and no size is to be believed.
            archive.writestr(_info(name, zipfile.ZIP_STORED), array_bytes(array))
    return stream.getvalue()


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def array_bytes(array: Any) -> bytes:
    """An array in version 1.0 of NumPy's format, in C or Fortran order as it lies in memory.

    Floats that NumPy has not are stored as the integers of their bits.
    """
    array = array.view(stored_as(array.dtype))
    fortran = array.flags.fnc
    shape = "".join(f"{n}, " for n in array.shape) if array.ndim != 1 else f"{array.shape[0]},"
    head = f"{{'descr': '{array.dtype.str}', 'fortran_order': {fortran}, 'shape': "
    head += f"({shape.removesuffix(', ')}), }}"
    length = len(_MAGIC) + 2 + len(head) + 1
    head += " " * (-length % 64) + "\n"
    prefix = _MAGIC + struct.pack("<H", len(head)) + head.encode("ascii")
    return prefix + bytes(array.tobytes("F" if fortran else "C"))


# ---- reading ---------------------------------------------------------------------------------


class Archive:
    """An archive whose entries are known to be of sane names and sizes.

    Raises SavedProgramError for anything else, and in all its methods for damaged content.
    """

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self.path = path
        self._unread: set[str] = set()
        self._arrays: dict[str, Any] = {}
        with self.reading(""):
            self._size = _size(stream)
            if not zipfile.is_zipfile(stream):
                raise Malformed("it is not a zip file")
            self._zip = zipfile.ZipFile(stream)
            self._infos = self._checked(self._zip.infolist())
            self._unread = set(self._infos)

    def _checked(self, infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        if len(infos) > _MOST_ENTRIES:
            raise Malformed(f"it has {len(infos)} entries; at most {_MOST_ENTRIES} are expected")
        found: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            problem = _problem(info) or ("it is there twice" if info.filename in found else "")
            if problem:
                raise SavedProgramError(self.path, _shown(info.filename), problem)
            found[info.filename] = info
        packed = sum(info.compress_size for info in infos)
        if packed > self._size:
            raise Malformed(f"its entries claim {packed} bytes of a file of {self._size}")
        self._check_memory(infos)
        return found

    def _check_memory(self, infos: list[zipfile.ZipInfo]) -> None:
        limit = config.max_saved_bytes.value
        factors = [_JSON_FACTOR if info.filename == MANIFEST else 1 for info in infos]
        needed = sum(info.file_size * factor for info, factor in zip(infos, factors, strict=True))
        if needed > limit:
            raise Malformed(
                f"loading it takes about {needed} bytes, more than the limit of {limit} "
                f"({config.max_saved_bytes.variable})"
            )

    def manifest(self, kind: str) -> dict[str, Any]:
        """The JSON document, which must say that the file is a `kind`."""
        with self.reading(MANIFEST):
            text = self._bytes(MANIFEST).decode("utf-8", "surrogatepass")
            document = json.loads(
                text, parse_constant=_refused_constant, object_pairs_hook=_without_repeats
            )
            if not isinstance(document, dict) or not isinstance(document.get("format"), str):
                raise Malformed("it does not say what the file is: `format` is missing")
            if document["format"] != kind:
                raise Malformed(
                    f"it is of the format {_shown(document['format'])}, not {_shown(kind)}"
                )
            return document

    def array(self, entry: str, dtype: Any, shape: tuple[int, ...]) -> Any:
        """The array of an entry, which must have this dtype and shape; it can be written.

        It is read once: who asks again is given the same array.
        """
        with self.reading(entry):
            known = self._arrays.get(entry)
            if known is None:
                stored = _array(self._bytes(entry), stored_as(dtype), shape)
                known = self._arrays[entry] = stored.view(dtype)
            if known.dtype != dtype or known.shape != shape:
                raise Malformed(f"it is an array of {known.dtype} {known.shape}")
            return known

    def check_all_read(self) -> None:
        """Raise when there are entries that the document does not speak of."""
        with self.reading(""):
            if self._unread:
                raise Malformed(f"nothing refers to its entry {_shown(min(self._unread))}")

    @contextlib.contextmanager
    def reading(self, entry: str) -> Any:
        """Give a failure within this context the file and the entry."""
        try:
            yield
        except SavedProgramError:
            raise
        except Malformed as error:
            raise SavedProgramError(self.path, _shown(entry), str(error)) from None
        except RecursionError:
            raise SavedProgramError(self.path, _shown(entry), "it is nested too deeply") from None
        except MemoryError:
            raise SavedProgramError(self.path, _shown(entry), "it needs too much memory") from None
        except _FAILURES as error:
            reason = str(error) or type(error).__name__
            raise SavedProgramError(self.path, _shown(entry), reason) from error

    def _bytes(self, name: str) -> bytes:
        info = self._infos.get(name)
        if info is None:
            raise Malformed("there is no such entry")
        with self._zip.open(info) as file:
            content = file.read(info.file_size + 1)
        if len(content) != info.file_size:
            raise Malformed(f"it has {len(content)} bytes; {info.file_size} are declared")
        self._unread.discard(name)
        return content


def read(path: str, make: Callable[[Archive], Any]) -> Any:
    """What `make` makes of the archive at `path`.

    Raises OSError where the file cannot be opened, SavedProgramError where it is not sound.
    """
    # Opening a pipe would wait for who writes into it; of a folder, `open` says what it is.
    if not stat.S_ISREG(mode := os.stat(path).st_mode) and not stat.S_ISDIR(mode):
        raise SavedProgramError(path, "", "it is not a regular file")
    with open(path, "rb") as file:
        return make(Archive(file, path))


def _size(stream: IO[bytes]) -> int:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size


def _problem(info: zipfile.ZipInfo) -> str:
    """What is wrong with an entry, before it is opened."""
    if not _ENTRY.fullmatch(info.filename) or len(info.filename) > 200:
        return "it has a name that no entry has"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.compress_type == zipfile.ZIP_STORED:
        honest = info.file_size == info.compress_size
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        honest = info.file_size <= _DEFLATE_LIMIT * info.compress_size
    else:
        return "it is compressed in a way that is not used here"
    return "" if honest else f"its size cannot be {info.file_size} bytes"


def _shown(name: str) -> str:
    """A name out of a file in a message."""
    is_plain = not name or (_ENTRY.fullmatch(name) and len(name) <= 200)
    return name if is_plain else ascii(name[:80])


def _refused_constant(name: str) -> Any:
    raise Malformed(f"{name} is no JSON")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("an object has the same key twice")
    return found


def _array(content: bytes, dtype: Any, shape: tuple[int, ...]) -> Any:
    start = len(_MAGIC) + 2
    if content[: len(_MAGIC)] != _MAGIC or len(content) < start:
        raise Malformed("it is no array in version 1.0 of NumPy's format")
    end = start + struct.unpack("<H", content[len(_MAGIC) : start])[0]
    head = _HEADER.fullmatch(content[start:end])
    if head is None:
        raise Malformed("the header of the array is damaged")
    found = tuple(int(n) for n in head["shape"].decode().replace(" ", "").split(",") if n)
    own = dtype_named(head["dtype"].decode())
    if found != shape or own != dtype:
        raise Malformed(f"expected an array of {dtype} {shape}, found one of {own} {found}")
    size = dtype.itemsize
    for n in shape:
        size *= n
    if len(content) - end != size:
        raise Malformed(f"expected {size} bytes of an array, found {len(content) - end}")
    count = size // dtype.itemsize
    flat = np.frombuffer(content, dtype, count, end)
    if dtype.kind == "b" and count and flat.view(np.uint8).max() > 1:
        raise Malformed("a truth value is neither 0 nor 1")
    if head["fortran"] == b"True":
        return flat.reshape(shape, order="F").copy(order="F")
    return flat.reshape(shape).copy()


# ---- JSON that can be read -------------------------------------------------------------------


def json_text(document: Any) -> str:
    """JSON with what fits on a line on one line, so that a graph has a line per node."""
    return "".join(_lines(document, 0)) + "\n"


def _lines(part: Any, depth: int) -> Iterator[str]:
    short = json.dumps(part, ensure_ascii=False, allow_nan=False)
    if len(short) + depth <= _WIDTH or not isinstance(part, (dict, list)):
        yield short
        return
    rows: list[tuple[str, Any]] = [("", item) for item in part]
    if isinstance(part, dict):
        rows = [(f"{json.dumps(key, ensure_ascii=False)}: ", part[key]) for key in part]
    opening, closing = "{}" if isinstance(part, dict) else "[]"
    yield opening
    for number, (title, item) in enumerate(rows):
        yield f"{',' if number else ''}\n{' ' * (depth + 1)}{title}"
        yield from _lines(item, depth + 1)
    yield f"\n{' ' * depth}{closing}"
