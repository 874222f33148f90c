"""Compiled code, kept in memory and in a folder: a second process does not compile again.

An object file is what LLVM makes of a text for a processor, so its key is both, and nothing of the
process. Loading an object is executing it: the folder must be the user's own, with mode 0700, and
a file counts only if it holds its key and the digest of its content. Files are written under
another name first, and so appear whole. What was not used for the longest time is removed where
files take more than `config.cache_bytes`.
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from runtime import config
from runtime.execute.native import engine, processor
from runtime.process.files import is_regular, put_file, read_regular

__all__ = ["Store", "compiled", "digest", "is_kept", "key_of", "store"]

_MAGIC = b"autograph object 2\n"
_DIGEST = 32
# The files are in folders of their own by the first digit of their keys; each has its part of the
# bytes, so that only one needs to be looked through.
_SHARDS = 16
# A process looks through one when it first puts something there, and again when it has put so much
# of what the files may take: to look each time would take longer than to compile a small kernel.
_PART = 16
_put: dict[str, int] = {}  # how many bytes since then, by the folder
_OFF = ("off", "0")


@cache
def _blake2() -> Callable[..., Any]:
    """The hash, without OpenSSL where Python has its own: importing that takes milliseconds.

    Python's SHA-256 takes four times as long: a millisecond for a large kernel.
    """
    for name in ("_blake2", "hashlib"):
        try:
            return import_module(name).blake2b  # type: ignore[no-any-return]
        except (ImportError, AttributeError):
            continue
    raise ImportError("Python has no BLAKE2")


def digest(content: bytes) -> bytes:
    """What stands for some content: two that have the same are the same."""
    return bytes(_blake2()(content, digest_size=_DIGEST).digest())


class Store:
    """Object files in a folder; `limit` is about how many bytes they may take."""

    def __init__(self, folder: str, limit: int) -> None:
        self.folder = folder
        self.limit = limit

    def get(self, key: bytes) -> bytes | None:
        """The object of a key; None if there is none, or none that is whole."""
        path = self._path(key)
        content = read_regular(path, self.limit)
        if content is None:
            return None
        code = content[len(_MAGIC) + len(key) + _DIGEST :]
        if content != _framed(key, code):
            return None
        with suppress(OSError):  # nothing is written where the folder is read-only
            os.utime(path)
        return code

    def has(self, key: bytes) -> bool:
        """Whether there is a file for a key; what is in it counts when it is read."""
        return is_regular(self._path(key))

    def put(self, key: bytes, code: bytes) -> None:
        """Keep an object; where that cannot be, nothing is kept."""
        content = _framed(key, code)
        if len(content) > self.limit // _SHARDS:
            return
        path = self._path(key)
        shard = os.path.dirname(path)
        with suppress(OSError):
            with suppress(FileExistsError):
                os.mkdir(shard, 0o700)
            put_file(path, content, mode=0o600)
            _put[shard] = _put.get(shard, self.limit) + len(content)
            if _put[shard] > self.limit // _SHARDS // _PART:
                self._make_room(shard)
                _put[shard] = 0

    def _path(self, key: bytes) -> str:
        name = key.hex()
        return os.path.join(self.folder, name[0], name)

    def _make_room(self, shard: str) -> None:
        """Remove what was not used for the longest time, if the files of a shard are too many."""
        files = []
        with os.scandir(shard) as entries:  # closed, whatever interrupts the loop
            for entry in entries:
                with suppress(FileNotFoundError):
                    found = entry.stat(follow_symlinks=False)
                    files.append((found.st_mtime_ns, found.st_size, entry.path))
        total = sum(size for _, size, _ in files)
        room = self.limit // _SHARDS
        for _, size, path in sorted(files) if total > room else ():
            if total <= room - room // 4:
                break
            _remove(path)
            total -= size


def _framed(key: bytes, code: bytes) -> bytes:
    """The content of the file of an object."""
    return _MAGIC + key + digest(key + code) + code


def _remove(path: str) -> None:
    with suppress(OSError):  # another process removed it, or nothing can be written
        os.remove(path)


# ---- the user's folder ---------------------------------------------------------------------------


def store() -> Store | None:
    """The objects that are kept between processes; None where nothing is."""
    name = config.cache_dir.value
    if name in _OFF or not config.cache_bytes.value:
        return None
    folder = _folder(os.path.expanduser(name))
    return None if folder is None else Store(folder, config.cache_bytes.value)


@lru_cache(maxsize=16)
def _folder(name: str) -> str | None:
    """The folder to use, made if it is not there; None, with one warning, where it is not safe."""
    folder = name or _default_folder()
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError as error:
        if name:
            _warn(folder, f"it cannot be made ({error.strerror})")
        return None
    if not stat.S_ISDIR(found.st_mode):
        _warn(folder, "it is no folder")
        return None
    if sys.platform == "win32":  # folders of users are their own there
        return folder
    if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
        owner = "you" if found.st_uid == os.getuid() else f"user {found.st_uid}"
        _warn(folder, f"it belongs to {owner}, with mode {stat.S_IMODE(found.st_mode):04o}")
        return None
    return folder


def _default_folder() -> str:
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "autograph")


def _warn(folder: str, why: str) -> None:
    warnings.warn(
        f"compiled code is not kept in {folder}: {why}. It must be a folder of yours that nobody "
        f"else can use (mode 0700); {config.cache_dir.variable} names another, or is `off`",
        RuntimeWarning,
        stacklevel=2,
    )


# ---- what is compiled ----------------------------------------------------------------------------


def key_of(content: bytes, level: int = engine.MAIN) -> bytes:
    """The key of what is made of some content for this machine; raises Unavailable without LLVM."""
    return digest(f"{engine.target()}\n{level}\n".encode() + content)


def compiled(text: str, level: int = engine.MAIN) -> bytes:
    """IR text as an object file for this machine, after LLVM's passes of a level.

    The same text is compiled once: it takes milliseconds, and llvmlite's pass managers keep some
    kilobytes for each module that went through them. Raises Unavailable where there is no LLVM.
    """
    return _compiled(text, level, processor.key())


@lru_cache(maxsize=1024)
def _compiled(text: str, level: int, processor: str) -> bytes:
    kept = store()
    if kept is None:
        return engine.compile_text(text, level)
    key = key_of(text.encode(), level)
    code = kept.get(key)
    if code is None:
        code = engine.compile_text(text, level)
        kept.put(key, code)
    return code


def is_kept(text: str, level: int = engine.MAIN) -> bool:
    """Whether another process seems to have compiled a text; raises Unavailable without LLVM."""
    kept = store()
    return kept is not None and kept.has(key_of(text.encode(), level))
