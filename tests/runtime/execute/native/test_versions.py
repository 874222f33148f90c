"""What tells one version of some files from another."""

import os
import zipfile

import pytest

from runtime.execute.native.versions import version


def is_source(name):
    return name.endswith(".py")


@pytest.fixture
def package(tmp_path):
    (tmp_path / "part").mkdir()
    for name in ("one.py", "part/two.py", "part/notes.txt"):
        (tmp_path / name).write_text("text")
    return tmp_path


def changed(package, change):
    before = version(str(package), is_source)
    assert version(str(package), is_source) == before
    change()
    return version(str(package), is_source) != before


def test_files_that_are_new_gone_or_of_another_size_are_another_version(package):
    assert changed(package, lambda: (package / "part" / "three.py").write_text(""))
    assert changed(package, lambda: (package / "one.py").unlink())
    assert changed(package, lambda: (package / "part" / "two.py").write_text("texts"))


def test_a_file_written_again_under_its_old_date_is_another_version(package):
    path = package / "one.py"
    old = path.stat()

    def write():
        path.write_text("next")
        os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))

    assert changed(package, write) and path.stat().st_mtime_ns == old.st_mtime_ns


def test_files_that_do_not_count_are_of_no_matter(package):
    assert not changed(package, lambda: (package / "part" / "notes.txt").write_text("other"))


def test_where_no_file_counts_there_is_no_version(package, tmp_path):
    with pytest.raises(OSError, match="no file"):
        version(str(package), lambda name: name.endswith(".so"))
    with pytest.raises(OSError):
        version(str(package / "gone"), is_source)
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("package/one.py", "text")
    with pytest.raises(OSError):
        version(str(archive / "package"), is_source)
