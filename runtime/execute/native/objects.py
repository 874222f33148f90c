"""Object files of LLVM, put into memory and linked, so that cached code needs no LLVM to run.

Several, which name functions of each other, are kept as one.

Done for ELF on x86-64 Linux, after the System V ABI (gitlab.com/x86-psABIs/x86-64-ABI): sections
that are read or executed are laid out one after the other, and places that name symbols are filled
in. Functions of the C library are called through a row of jumps behind the sections, since they may
be farther away than an instruction can reach. Anything else raises Unsupported.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

__all__ = ["Linked", "Unsupported", "is_supported", "joined", "parts"]

_MAGIC = b"\x7fELF\x02\x01\x01"
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOLS, _RELOCATIONS, _EMPTY = 2, 4, 8
_WRITTEN, _LOADED = 1, 2
_UNDEFINED = 0
_LOCAL = 0
_READ_EXECUTE = 5
# How places are filled in: the address; how far the symbol is, or a word with its address.
_ABSOLUTE, _RELATIVE, _BY_WORD = (1,), (2, 4), (9, 41, 42)
# `jmp [rip]` and the address to go to.
_JUMP = b"\xff\x25\x00\x00\x00\x00"
_ROOM = 16
# What several object files begin with; then comes how many there are, and before each, how many
# bytes it has.
_SEVERAL = b"objects\n"


class Unsupported(Exception):
    """The object file needs more than is done here."""


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int
    is_local: bool


def joined(files: Sequence[bytes]) -> bytes:
    """Object files as one; `parts` gives them back."""
    if len(files) == 1:
        return files[0]
    whole = [_SEVERAL, struct.pack("<Q", len(files))]
    for file in files:
        whole += [struct.pack("<Q", len(file)), file]
    return b"".join(whole)


def parts(data: bytes) -> list[bytes]:
    """The object files of what may be several; struct.error where one is not there."""
    if not data.startswith(_SEVERAL):
        return [data]
    (count,) = struct.unpack_from("<Q", data, len(_SEVERAL))
    found, at = [], len(_SEVERAL) + 8
    for _ in range(count):
        (size,) = struct.unpack_from("<Q", data, at)
        found.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return found


def is_supported() -> bool:
    """Whether object files of this machine are understood."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize == 2**63 - 1


class Linked:
    """Object files in executable memory; they are there as long as this is.

    Raises Unsupported for what is no object file of this machine, or needs more than is done here.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._link([_Object(part) for part in parts(data)])
        except (struct.error, IndexError, ValueError, OSError) as error:
            raise Unsupported(str(error)) from error

    def address(self, function: str) -> int:
        """The address of a function, 0 if there is none of the name."""
        return self._functions.get(function, 0)

    def _link(self, files: list[_Object]) -> None:
        end = 0
        for file in files:
            end = file.lay_out(end)
        functions = {name: at for file in files for name, at in file.functions()}
        outside = {name for file in files for name in file.missing()} - functions.keys()
        jumps = {name: end + _ROOM * k for k, name in enumerate(sorted(outside))}
        size = max(end + _ROOM * len(jumps), 1)
        self._memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for name, at in jumps.items():
            self._memory[at : at + 14] = _JUMP + struct.pack("<Q", _function(name))
        for file in files:
            file.put(self._memory, base, functions, jumps)
        _make_executable(base, len(self._memory))
        self._functions = {name: base + at for name, at in functions.items()}


class _Object:
    """An object file: its sections, and their places once it is laid out."""

    def __init__(self, data: bytes) -> None:
        kind, machine = struct.unpack_from("<HH", data, 16)
        if data[: len(_MAGIC)] != _MAGIC or (kind, machine) != (_RELOCATABLE, _X86_64):
            raise Unsupported("no object file of this machine")
        self.data = data
        self.sections = _sections(data)
        names = self.sections[struct.unpack_from("<H", data, 62)[0]]
        self.loaded = {
            number: section
            for number, section in enumerate(self.sections)
            if section.flags & _LOADED and section.size and not _is_unwinding(data, names, section)
        }
        if any(s.flags & _WRITTEN or s.type == _EMPTY for s in self.loaded.values()):
            raise Unsupported("it has data that can be written")
        self.symbols = _symbols(data, self.sections)
        self.places: dict[int, int] = {}

    def lay_out(self, start: int) -> int:
        """Give each section its place, from `start` on; where the last one ends."""
        self.places, end = _layout(self.loaded, start)
        return end

    def functions(self) -> Iterator[tuple[str, int]]:
        """What others may name, and where it is."""
        for s in self.symbols:
            if s.section in self.places and not s.is_local:
                yield s.name, self.places[s.section] + s.value

    def missing(self) -> Iterator[str]:
        """What it names and has not."""
        return (s.name for s in self.symbols if s.section == _UNDEFINED and s.name)

    def put(
        self, memory: mmap.mmap, base: int, functions: dict[str, int], jumps: dict[str, int]
    ) -> None:
        """Write the sections into memory, which begins at an address."""
        for number, section in self.loaded.items():
            start = self.places[number]
            memory[start : start + section.size] = _content(self.data, section)
        for section in self.sections:
            if section.type == _RELOCATIONS and section.info in self.loaded:
                self._fill(section, memory, base, functions, jumps)

    def _fill(
        self,
        section: _Section,
        memory: mmap.mmap,
        base: int,
        functions: dict[str, int],
        jumps: dict[str, int],
    ) -> None:
        """Fill in the places of one section that name symbols."""
        start = self.places[section.info]
        for offset, info, addend in struct.iter_unpack("<QQq", _content(self.data, section)):
            symbol, how = self.symbols[info >> 32], info & 0xFFFFFFFF
            at = start + offset
            is_named = symbol.section == _UNDEFINED
            is_outside = is_named and symbol.name in jumps
            if is_outside:
                target = jumps[symbol.name]
            elif is_named and symbol.name in functions:
                target = functions[symbol.name]
            elif symbol.section in self.places:
                target = self.places[symbol.section] + symbol.value
            else:
                raise Unsupported(f"symbol `{symbol.name}` is in no section")
            if how in _RELATIVE:
                struct.pack_into("<i", memory, at, target + addend - at)
            elif how in _BY_WORD and is_outside:
                word = target + len(_JUMP)
                struct.pack_into("<i", memory, at, word + addend - at)
            elif how in _ABSOLUTE and not is_outside:
                struct.pack_into("<Q", memory, at, base + target + addend)
            else:
                raise Unsupported(f"relocation {how}")


def _sections(data: bytes) -> list[_Section]:
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    found = [struct.unpack_from("<IIQQQQIIQQ", data, start + k * size) for k in range(count)]
    return [_Section(*fields) for fields in found]


def _content(data: bytes, section: _Section) -> bytes:
    content = data[section.offset : section.offset + section.size]
    if len(content) != section.size:
        raise Unsupported("it ends too early")
    return content


def _text(data: bytes, strings: _Section, at: int) -> str:
    start = strings.offset + at
    return data[start : data.index(b"\0", start)].decode()


def _is_unwinding(data: bytes, names: _Section, section: _Section) -> bool:
    """Whether a section tells how to unwind the stack, which nobody does with native code."""
    return _text(data, names, section.name) == ".eh_frame"


def _symbols(data: bytes, sections: list[_Section]) -> list[_Symbol]:
    def found() -> Iterator[_Symbol]:
        for section in sections:
            if section.type != _SYMBOLS:
                continue
            strings = sections[section.link]
            for name, info, _, number, value, _ in struct.iter_unpack(
                "<IBBHQQ", _content(data, section)
            ):
                yield _Symbol(_text(data, strings, name), number, value, info >> 4 == _LOCAL)

    return list(found())


def _layout(loaded: dict[int, _Section], start: int) -> tuple[dict[int, int], int]:
    """Where each section begins, and the end of all."""
    places, end = {}, start
    for number, section in loaded.items():
        alignment = max(section.alignment, 1)
        if alignment > mmap.PAGESIZE:
            raise Unsupported("a section of a large alignment")
        places[number] = -(-end // alignment) * alignment
        end = places[number] + section.size
    return places, -(-end // _ROOM) * _ROOM


@cache
def _libraries() -> list[Any]:
    """The program and what it was linked with; then the mathematical library."""
    found = [ctypes.CDLL(None)]
    with suppress(OSError):  # where it is no part of the C library
        found.append(ctypes.CDLL("libm.so.6"))
    return found


@cache
def _function(name: str) -> int:
    """The address of a function of the C library."""
    for library in _libraries():
        try:
            address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        except AttributeError:
            continue
        if address:
            return address
    raise Unsupported(f"there is no function `{name}`")


def _make_executable(address: int, size: int) -> None:
    protect = _libraries()[0].mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(address, size, _READ_EXECUTE) != 0:
        raise Unsupported("memory cannot be made executable")
