"""What tells one version of a package's files from another, without reading them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

__all__ = ["version"]


def version(folder: str, counts: Callable[[str], bool]) -> str:
    """The files below a folder whose names count, their sizes and when they were written, as text.

    The time that nobody can set is among them: some installers give all files the same other one.
    Raises OSError where the files cannot be looked at, or none counts, as in an archive.
    """
    found = sorted(_files(folder, counts))
    if not found:
        raise FileNotFoundError(f"no file in {folder} tells its version")
    return repr(found)


def _files(folder: str, counts: Callable[[str], bool]) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, counts)
            elif counts(entry.name):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns, found.st_ctime_ns
