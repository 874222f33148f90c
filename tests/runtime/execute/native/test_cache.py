"""Machine code that is kept in a folder between processes."""

import errno
import os
import stat
import subprocess
import sys
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import cache, engine, objects, processor
from runtime.execute.native.cache import Store

KEY = bytes(range(32))
OTHER = bytes(range(1, 33))


def key(number):
    """Keys of one shard."""
    return bytes([0]) + number.to_bytes(31, "big")


@pytest.fixture
def folder(tmp_path):
    """A folder that is the user's own, in use."""
    made = tmp_path / "own"
    made.mkdir(mode=0o700)
    with config.cache_dir.using(str(made)):
        cache._folder.cache_clear()
        yield made
    cache._folder.cache_clear()


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


# ---- one store -----------------------------------------------------------------------------------


def test_what_was_put_is_got(tmp_path):
    store = Store(str(tmp_path), 10**6)
    assert store.get(KEY) is None
    store.put(KEY, b"code")
    store.put(OTHER, b"")
    assert Store(str(tmp_path), 10**6).get(KEY) == b"code"
    assert store.get(OTHER) == b""
    store.put(KEY, b"newer")
    assert store.get(KEY) == b"newer"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files(tmp_path))


@pytest.mark.parametrize("damage", ["cut", "longer", "changed", "empty", "text"])
def test_a_file_that_is_not_whole_is_ignored_and_replaced(damage, tmp_path):
    store = Store(str(tmp_path), 10**6)
    store.put(KEY, b"some code" * 10)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    damaged = {
        "cut": [whole[:n] for n in range(len(whole))],
        "longer": [whole + b"\0"],
        "changed": [whole[:k] + bytes([b ^ 1]) + whole[k + 1 :] for k, b in enumerate(whole)],
        "empty": [b""],
        "text": [b"hello", b"x" * len(whole)],
    }
    for content in damaged[damage]:
        path.write_bytes(content)
        assert store.get(KEY) is None
    store.put(KEY, b"some code" * 10)
    assert store.get(KEY) == b"some code" * 10


def test_a_file_of_another_key_is_ignored(tmp_path):
    store = Store(str(tmp_path), 10**6)
    store.put(OTHER, b"other code")
    (path,) = files(tmp_path)
    wanted = store._path(KEY)
    os.makedirs(os.path.dirname(wanted), exist_ok=True)
    os.rename(path, wanted)
    assert store.get(KEY) is None


def test_a_folder_in_the_place_of_a_file_is_in_nobodys_way(tmp_path):
    store = Store(str(tmp_path), 10**6)
    os.makedirs(store._path(KEY))
    assert store.get(KEY) is None
    store.put(KEY, b"code")
    assert store.get(KEY) is None and not files(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to a device", "link to a folder"])
def test_what_is_no_file_is_skipped_unread(kind, tmp_path):
    store = Store(str(tmp_path), 10**6)
    store.put(OTHER, b"other")
    path = store._path(KEY)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "folder":
        os.mkdir(path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.symlink("/dev/zero" if "device" in kind else str(tmp_path), path)
    assert store.get(KEY) is None and not store.has(KEY)
    store.put(KEY, b"code")
    assert kind == "folder" or store.get(KEY) == b"code"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files(tmp_path))


def test_files_take_no_more_than_the_limit(tmp_path):
    store = Store(str(tmp_path), 16 * 10_000)
    for number in range(100):
        store.put(key(number), b"x" * 1000)
        assert sum(path.stat().st_size for path in files(tmp_path)) <= 10_000
    assert 5 <= len(files(tmp_path)) <= 10


def test_a_folder_is_looked_through_once_in_a_while(tmp_path, monkeypatch):
    looks, look = [], Store._make_room
    monkeypatch.setattr(Store, "_make_room", lambda *given: looks.append(given) or look(*given))
    store = Store(str(tmp_path), 16 * 160_000)  # again after 10,000 bytes
    for number in range(100):
        store.put(key(number), b"x" * 1000)
    assert 5 <= len(looks) <= 20 and len(files(tmp_path)) == 100


def test_what_was_used_is_kept_longest(tmp_path):
    store = Store(str(tmp_path), 16 * 10_000)
    for number in range(50):
        store.put(key(number), b"x" * 1000)
        path = store._path(key(number))
        os.utime(path, ns=(number, number))
        assert store.get(key(0)) is not None
    assert store.get(key(49)) is not None and store.get(key(1)) is None


def test_what_is_large_is_not_kept(tmp_path):
    store = Store(str(tmp_path), 16 * 1000)
    store.put(KEY, b"x" * 2000)
    assert store.get(KEY) is None and not files(tmp_path)


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_where_nothing_can_be_written_what_is_there_is_read(error, tmp_path, monkeypatch):
    store = Store(str(tmp_path), 10**6)
    store.put(KEY, b"code")

    def fail(*args, **kwargs):
        raise OSError(error, os.strerror(error))

    for name in ("open", "mkdir", "utime", "replace", "remove"):
        monkeypatch.setattr(os, name, fail)
    store.put(OTHER, b"more")
    assert store.get(KEY) == b"code"
    assert store.get(OTHER) is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_read(tmp_path):
    store = Store(str(tmp_path), 10**6)
    store.put(KEY, b"code")
    for path in [*files(tmp_path), *(p.parent for p in files(tmp_path)), tmp_path]:
        path.chmod(0o500)
    store.put(OTHER, b"more")
    assert (store.get(KEY), store.get(OTHER)) == (b"code", None)
    tmp_path.chmod(0o700)


WRITER = """
import sys
from runtime.execute.native.cache import Store
store, own = Store(sys.argv[1], 16 * 40_000), int(sys.argv[2])
for round in range(150):
    for k in range(8):
        key = bytes([0, k]) * 16
        code = bytes([k]) * (1000 + k)
        found = store.get(key)
        assert found is None or found == code, (k, found)
        if (round + k + own) % 3 == 0:
            store.put(key, code)
        store.put(bytes([0, 100 + own]) + round.to_bytes(30, "big"), b"x" * 3000)
print("done")
"""


def test_processes_write_and_read_at_once(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    children = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(own)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for own in range(4)
    ]
    said = [child.communicate(timeout=120) for child in children]
    assert said == [("done\n", "")] * 4
    names = [path.name for path in files(tmp_path)]
    assert names and all(len(name) == 64 for name in names)
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 2 * 40_000


# ---- what is compiled ----------------------------------------------------------------------------

TEXT = "define i64 @enter() {\n  ret i64 %s\n}"


def fresh(number):
    return TEXT % number


@pytest.fixture
def compiled(monkeypatch):
    """The texts that LLVM compiles."""
    texts = []
    compile_text = engine.compile_text

    def counted(text, level=engine.MAIN):
        texts.append(text)
        return compile_text(text, level)

    monkeypatch.setattr(engine, "compile_text", counted)
    cache._compiled.cache_clear()
    yield texts
    cache._compiled.cache_clear()


def again(text, level=engine.MAIN):
    """As another process would have it."""
    cache._compiled.cache_clear()
    return cache.compiled(text, level)


def test_a_text_is_compiled_once(folder, compiled):
    code = cache.compiled(fresh(1))
    assert cache.compiled(fresh(1)) == again(fresh(1)) == code
    assert compiled == [fresh(1)] and len(files(folder)) == 1


def test_whether_a_text_is_kept_is_known_without_compiling_it(folder, compiled):
    assert not cache.is_kept(fresh(1)) and not compiled
    again(fresh(1))
    assert cache.is_kept(fresh(1)) and not cache.is_kept(fresh(1), engine.QUICK)
    with config.cache_dir.using("off"):
        assert not cache.is_kept(fresh(1))


def test_another_text_level_or_machine_is_another_object(folder, compiled, monkeypatch):
    again(fresh(1)), again(fresh(2)), again(fresh(1), 0)
    monkeypatch.setattr(engine, "target", lambda: "another processor")
    again(fresh(1)), again(fresh(1))
    assert len(compiled) == len(files(folder)) == 4


def test_a_damaged_file_is_compiled_again(folder, compiled):
    code = again(fresh(1))
    (path,) = files(folder)
    path.write_bytes(path.read_bytes()[:-1])
    assert again(fresh(1)) == code and len(compiled) == 2
    assert again(fresh(1)) == code and len(compiled) == 2


@pytest.mark.parametrize("setting", ["dir off", "dir 0", "bytes"])
def test_nothing_is_kept_where_that_is_off(setting, folder, compiled):
    kind, _, value = setting.partition(" ")
    switch, value = (config.cache_bytes, 0) if kind == "bytes" else (config.cache_dir, value)
    with switch.using(value):
        again(fresh(1)), again(fresh(1))
    assert len(compiled) == 2 and not files(folder)


def test_the_target_says_what_code_depends_on():
    told = engine.target()
    for part in (sys.platform, np.__version__, "libllvmlite" if os.name == "posix" else "llvmlite"):
        assert part in told
    assert processor.key() in eval(told)


def test_code_for_a_level_is_another_object(folder, compiled):
    for cpu in ("native", *processor.levels()):
        with config.cpu.using(cpu):
            assert not cache.is_kept(fresh(1))
            assert cache.compiled(fresh(1)) == cache.compiled(fresh(1))
    assert len(compiled) == len(files(folder)) == 1 + len(processor.levels())


# ---- the folder ----------------------------------------------------------------------------------


def told(name):
    """The folder that is used, and what is warned of."""
    cache._folder.cache_clear()
    with warnings.catch_warnings(record=True) as heard, config.cache_dir.using(str(name)):
        warnings.simplefilter("always")
        found = [cache.store() for _ in range(3)]
    cache._folder.cache_clear()
    assert len({store and store.folder for store in found}) == 1
    return found[0], [str(warning.message) for warning in heard]


def test_the_folder_is_made_for_the_user_alone(tmp_path):
    store, heard = told(tmp_path / "a" / "b")
    assert store.folder == str(tmp_path / "a" / "b") and not heard
    assert stat.S_IMODE(os.stat(store.folder).st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o777])
def test_a_folder_that_others_can_use_is_not(mode, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    store, heard = told(shared)
    assert store is None
    assert len(heard) == 1 and "AUTOGRAPH_CACHE_DIR" in heard[0] and f"{mode:04o}" in heard[0]


def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    store, heard = told(folder)
    assert store is None and len(heard) == 1 and f"user {owner}" in heard[0]


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_text("text")
    store, (message,) = told(path)
    assert store is None and "cannot be made" in message
    assert told(path / "below")[0] is None


def test_the_folder_of_the_user_is_taken_where_none_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache._default_folder() == str(tmp_path / ".cache" / "autograph")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    store, heard = told("")
    assert store.folder == str(tmp_path / "xdg" / "autograph") and not heard
    (tmp_path / "file").write_text("text")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert told("") == (None, [])  # nobody asked for it, and programs run where there is no home
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache._default_folder() == str(tmp_path / "Library" / "Caches" / "autograph")


# ---- processes -----------------------------------------------------------------------------------

PROGRAM = """
import sys
import numpy as np
import autograph as ag
from runtime.execute.native import engine, library

@ag.convert
def root(a, x):
    while abs(a * a - x) > 1e-9:
        a = 0.5 * (a + x / a)
    return a

@ag.convert
def chain(x):
    return np.mean(np.exp(x) * x + np.tanh(x))

if "forbidden" in sys.argv:
    def forbidden(text, level=engine.MAIN):
        raise AssertionError("LLVM is asked to compile")
    engine.compile_text = forbidden
    sys.modules["runtime.lowering.lower"] = None  # cannot be imported
print(float(root(np.float64(1.0), np.float64(2.0))), float(chain(np.linspace(0, 1, 1001))))
print([c.execution for f in (root, chain) for c in f.traces()])
print(library.is_in_use())
"""


def run(tmp_path, folder, *arguments):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "AUTOGRAPH_CACHE_DIR": str(folder),
    }
    command = [sys.executable, str(path), *arguments]
    child = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert child.returncode == 0, child.stderr
    results, execution, llvm = child.stdout.splitlines()
    assert execution == "[[], []]" and child.stderr == ""
    return results, llvm == "True"


def test_a_second_process_compiles_nothing(tmp_path):
    first, with_llvm = run(tmp_path, tmp_path / "own")
    # Two graphs, their records and the entry; the two functions, converted; and what large graphs
    # need, as far as there was time for it.
    assert with_llvm and 7 <= len(files(tmp_path / "own")) <= 9
    second, with_llvm = run(tmp_path, tmp_path / "own", "forbidden")
    assert second == first
    assert with_llvm == (not objects.is_supported())


def test_a_process_survives_a_folder_of_rubbish(tmp_path):
    first, _ = run(tmp_path, tmp_path / "own")
    for path in files(tmp_path / "own"):
        path.write_bytes(os.urandom(path.stat().st_size))
    assert run(tmp_path, tmp_path / "own") == (first, True)
    assert run(tmp_path, tmp_path / "own", "forbidden")[0] == first


def test_processes_that_start_at_once_agree(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "AUTOGRAPH_CACHE_DIR": str(tmp_path / "own"),
    }
    children = [
        subprocess.Popen(
            [sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(3)
    ]
    said = [child.communicate(timeout=120)[0].splitlines() for child in children]
    results, _ = run(tmp_path, tmp_path / "own", "forbidden")
    assert [lines[:2] for lines in said] == [[results, "[[], []]"]] * 3


def test_a_call_is_the_same_with_and_without_the_folder(folder):
    def smooth(x):
        y = (x[1:] + x[:-1]) / 2
        return np.sum(y * y)

    x = np.random.default_rng(3).normal(size=1000)
    results = []
    for name in ("off", str(folder), str(folder)):
        cache._compiled.cache_clear()
        with config.cache_dir.using(name):
            results.append(ag.convert(smooth)(x))
    assert results == [smooth(x)] * 3 and files(folder)
