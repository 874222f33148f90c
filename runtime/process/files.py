"""Files that appear whole: their content is written under another name, which is then theirs.

Who is killed meanwhile leaves a file under such a name. It is locked as long as it is being
written, so the next who writes into the folder knows it from those of others at work, and removes
it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from typing import IO

if sys.platform != "win32":  # where files that are open cannot be removed
    import fcntl

__all__ = ["is_regular", "put_file", "read_regular", "replace_file"]

_BEGIN, _END = ".autograph-", ".unfinished"
# How many bytes a name of ours has in hexadecimal digits.
_RANDOM = 8
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Put `content` in the place of the file at `path`, wholly or not at all.

    Links are followed, as by `open(path, "w")`. Raises OSError, as that does, for a folder and
    where there is none for the file; and for what is no file with a content of its own, such as a
    device or a pipe.
    """
    put_file(_target(os.fsdecode(path)), content, is_lasting=True)


def _target(path: str) -> str:
    """Where the file is to be that `path` names, through all links."""
    with contextlib.suppress(FileNotFoundError):
        _refuse_others(os.stat(path).st_mode, path)
    target = os.path.realpath(path)
    if not path or not os.path.isdir(os.path.dirname(target)):  # else an error names another file
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if not os.path.basename(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return target


def _refuse_others(mode: int, path: str) -> None:
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFDIR:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if kind != stat.S_IFREG:
        what = f"it is {_KINDS.get(kind, 'something else')}, not a regular file"
        raise OSError(errno.EINVAL, what, path)


def put_file(
    target: str, content: bytes, *, mode: int | None = None, is_lasting: bool = False
) -> None:
    """Write a file that is seen at `target` when it is whole, in the place of what is there.

    Without `mode` it has the one of the file that it replaces, or that of any new file. What
    `is_lasting` survives a power failure. Raises OSError.
    """
    folder = os.path.dirname(target)
    _remove_unfinished(folder)
    file, name = _begun(folder, 0o666 if mode is None else mode)
    try:
        with file:
            file.write(content)
            if is_lasting:
                file.flush()
                os.fsync(file.fileno())
            if mode is None:
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(name, stat.S_IMODE(os.stat(target).st_mode))
            if sys.platform == "win32":
                file.close()
            os.replace(name, target)
    except BaseException:
        _remove(name)
        raise
    if is_lasting:
        _sync_folder(folder)


def is_regular(path: str) -> bool:
    """Whether there is a file with a content of its own at a path, which is no link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def read_regular(path: str, most: int) -> bytes | None:
    """The content of a file of at most so many bytes; None of anything else, which is not read.

    Links are not followed.
    """
    if not is_regular(path):
        return None
    try:
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            return file.read(size + 1) if size <= most else None
    except OSError:
        return None


# ---- what is unfinished ------------------------------------------------------------------------


def _begun(folder: str, mode: int) -> tuple[IO[bytes], str]:
    """A new file, locked, and its name."""
    while True:
        name = os.path.join(folder, f"{_BEGIN}{os.urandom(_RANDOM).hex()}{_END}")
        file = open(name, "xb", opener=lambda path, flags: os.open(path, flags, mode))  # noqa: SIM115
        try:
            if not _is_taken(file.fileno()):
                return file, name
        except BaseException:
            file.close()
            _remove(name)
            raise
        file.close()


def _is_taken(descriptor: int) -> bool:
    """Lock a new file: whether another process saw it before that, and removes it."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # the file system has no locks
        return False
    return not os.fstat(descriptor).st_nlink


def _remove_unfinished(folder: str) -> None:
    """Remove what those who were killed have left."""
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            name = entry.name
            is_named_so = name.startswith(_BEGIN) and _is_unfinished(name)
            if not is_named_so or not entry.is_file(follow_symlinks=False):
                continue
            with contextlib.suppress(OSError), open(entry.path, "rb") as file:
                if sys.platform == "win32":
                    file.close()
                else:
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.remove(entry.path)


def _is_unfinished(name: str) -> bool:
    digits = name.removeprefix(_BEGIN).removesuffix(_END)
    is_ours = len(name) == len(_BEGIN) + 2 * _RANDOM + len(_END) and len(digits) == 2 * _RANDOM
    return is_ours and set(digits) <= set("0123456789abcdef")


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)


def _sync_folder(folder: str) -> None:
    """Let the new name survive a power failure, where the system can do that."""
    with contextlib.suppress(OSError, AttributeError):
        descriptor = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
