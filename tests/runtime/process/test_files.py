"""Files that appear whole, and those that are read without trust."""

import errno
import os
import signal
import socket
import subprocess
import sys

import pytest

from runtime.process.files import is_regular, put_file, read_regular, replace_file

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def test_a_file_is_replaced_with_its_mode(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["f"]


def test_a_new_file_has_the_mode_of_any_or_the_given_one(tmp_path):
    (tmp_path / "any").touch()
    replace_file(os.fsencode(tmp_path / "new"), b"new")
    put_file(str(tmp_path / "own"), b"own", mode=0o600)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes["new"] == modes["any"] and modes["own"] == 0o600


def test_a_replacement_that_fails_leaves_all_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["f"]


def test_a_folder_that_is_missing_is_said_by_the_name_of_the_file(tmp_path):
    path = str(tmp_path / "missing" / "program.agz")
    with pytest.raises(FileNotFoundError) as caught:
        replace_file(path, b"new")
    assert caught.value.filename == path


def of_kind(kind, path):
    """Something that is no file with a content of its own, at a path."""
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            here = os.getcwd()
            os.chdir(path.parent)  # names of sockets are short
            try:
                made.bind(path.name)
            finally:
                os.chdir(here)


OTHERS = ["folder", "pipe", "device", "socket"]


@posix
@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("through_a_link", [False, True])
def test_what_is_no_file_is_not_replaced(kind, through_a_link, tmp_path):
    path = tmp_path / "thing"
    of_kind(kind, path)
    before = path.stat()
    named = path
    if through_a_link:
        named = tmp_path / "link"
        named.symlink_to("thing")
    with pytest.raises(OSError, match="not a regular file|directory") as caught:
        replace_file(named, b"new")
    expected = errno.EISDIR if kind == "folder" else errno.EINVAL
    assert caught.value.errno == expected and caught.value.filename == str(named)
    assert os.path.samestat(path.stat(), before)
    assert set(os.listdir(tmp_path)) == {"thing", named.name}


@posix
@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed_as_open_follows_them(exists, tmp_path):
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "file"
    if exists:
        target.write_bytes(b"old")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(os.path.join("folder", "file"))
    replace_file(tmp_path / "one", b"new")
    assert target.read_bytes() == b"new" and not target.is_symlink()
    assert (tmp_path / "one").is_symlink() and (tmp_path / "two").is_symlink()


@posix
@pytest.mark.parametrize("name", ["ring", "to_nowhere", "", "absent/", "file/x"])
def test_names_that_open_refuses_are_refused_alike(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring").symlink_to("ring")
    (tmp_path / "to_nowhere").symlink_to(os.path.join("missing", "file"))
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as expected:
        open(name, "w")  # noqa: SIM115
    with pytest.raises(OSError) as caught:
        replace_file(name, b"new")
    assert (type(caught.value), caught.value.errno) == (type(expected.value), expected.value.errno)
    assert set(os.listdir(tmp_path)) == {"ring", "to_nowhere", "file"}


KILLED = """
import os, sys
from runtime.process.files import replace_file
os.replace = lambda *names: (print("written", flush=True), sys.stdin.read())
replace_file(sys.argv[1], b"killed")
"""


@posix
def test_what_a_killed_process_left_is_removed_by_the_next_and_not_before(tmp_path):
    path = tmp_path / "f"
    command = [sys.executable, "-c", KILLED, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as writer:
        assert writer.stdout.readline() == "written\n"
        (unfinished,) = os.listdir(tmp_path)
        replace_file(path, b"meanwhile")
        assert set(os.listdir(tmp_path)) == {"f", unfinished}  # it is being written
        writer.send_signal(signal.SIGKILL)
    assert set(os.listdir(tmp_path)) == {"f", unfinished}
    own = tmp_path / ".autograph-mine.unfinished"
    own.touch()
    replace_file(tmp_path / "other", b"new")
    assert set(os.listdir(tmp_path)) == {"f", "other", own.name}
    assert path.read_bytes() == b"meanwhile"


@posix
@pytest.mark.parametrize("kind", [*OTHERS, "link", "absent"])
def test_what_is_no_file_is_not_read(kind, tmp_path):
    path = tmp_path / "thing"
    if kind == "link":
        (tmp_path / "file").write_bytes(b"content")
        path.symlink_to("file")
    elif kind != "absent":
        of_kind(kind, path)
    assert read_regular(str(path), 10**6) is None and not is_regular(str(path))


def test_a_file_is_read_if_it_is_not_too_large(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    name = str(tmp_path / "file")
    assert is_regular(name)
    assert read_regular(name, 7) == b"content" and read_regular(name, 6) is None
