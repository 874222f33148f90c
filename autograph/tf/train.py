"""`tf.train`: checkpoints."""

from __future__ import annotations

import os
import re
from typing import Any

import autograph as ag
from autograph.tf.names import serve
from runtime.save.checkpoint import Restored

__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint"]

_SUFFIX = ".agc"


class LoadStatus(Restored):
    """What `restore` did, and TensorFlow's ways to ask whether that was all.

    >>> import tempfile
    >>> import autograph.tf as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(f"{folder}/ckpt")
    ...     status = tf.train.Checkpoint(v=tf.Variable(0.0), w=tf.Variable(0.0)).restore(path)
    >>> status.expect_partial().restored
    ('v',)
    >>> status.assert_consumed()
    Traceback (most recent call last):
    AssertionError: not in the checkpoint: w
    """

    def assert_consumed(self) -> LoadStatus:
        """Raise AssertionError where a variable or a value of the file is left over."""
        if self.unexpected:
            raise AssertionError(f"only in the checkpoint: {', '.join(self.unexpected)}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Raise AssertionError where a variable got no value."""
        if self.missing:
            raise AssertionError(f"not in the checkpoint: {', '.join(self.missing)}")
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Raise AssertionError where no variable got a value."""
        if not self.restored:
            raise AssertionError("no variable got a value of the checkpoint")
        return self

    def expect_partial(self) -> LoadStatus:
        """This object: nobody warns of what is left over."""
        return self


class Checkpoint(ag.Checkpoint):
    """The variables in some objects, to be written to files and read back.

    The objects are its attributes, and what is made an attribute is one of them.

    >>> import tempfile
    >>> import autograph.tf as tf
    >>> v = tf.Variable(1.0)
    >>> checkpoint = tf.train.Checkpoint(v=v)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = checkpoint.save(f"{folder}/ckpt")
    ...     _ = v.assign(5.0)
    ...     _ = checkpoint.restore(path)
    >>> v.numpy(), path.endswith("ckpt-1")
    (np.float32(1.0), True)
    """

    def __init__(self, root: Any = None, **objects: Any) -> None:
        super().__init__(**({} if root is None else {"root": root}), **objects)
        self.save_counter = 0

    def __getattr__(self, name: str) -> Any:
        try:
            return vars(self)["_objects"][name]
        except KeyError:
            raise AttributeError(f"a checkpoint without {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_objects", "save_counter"):
            super().__setattr__(name, value)
        else:
            self._objects[name] = value

    def save(self, file_prefix: str | os.PathLike[str], options: Any = None) -> str:  # type: ignore[override]
        """Write a numbered file; gives its name, which `restore` takes."""
        self.save_counter += 1
        return self.write(f"{os.fspath(file_prefix)}-{self.save_counter}")

    def write(self, file_prefix: str | os.PathLike[str], options: Any = None) -> str:  # type: ignore[override]
        """Write a file, and the folders to it; gives its name."""
        path = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        super().save(f"{path}{_SUFFIX}")
        return path

    def restore(self, save_path: Any, options: Any = None) -> Any:  # type: ignore[override]
        """Read back the variables that are in the file; the status tells of others.

        With None, as `latest_checkpoint` gives it, nothing is read. Raises ValueError where a
        variable has another shape or dtype in the file.
        """
        if save_path is None:
            return LoadStatus((), tuple(self.variables()), ())
        return self.read(save_path)

    def read(self, save_path: str | os.PathLike[str], options: Any = None) -> Any:  # type: ignore[override]
        """As `restore`."""
        return LoadStatus(*super().restore(f"{os.fspath(save_path)}{_SUFFIX}", partial=True))


def latest_checkpoint(checkpoint_dir: str | os.PathLike[str]) -> str | None:
    """The name of the checkpoint with the largest number in a folder, None where there is none.

    >>> import tempfile
    >>> import autograph.tf as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.train.latest_checkpoint(folder) is None
    True
    """
    found = _numbered(checkpoint_dir)
    return found[-1] if found else None


def _numbered(folder: str | os.PathLike[str]) -> list[str]:
    if not os.path.isdir(folder):
        return []
    names = (re.fullmatch(rf"(.*)-(\d+){re.escape(_SUFFIX)}", n) for n in os.listdir(folder))
    rows = sorted((int(m[2]), m[1]) for m in names if m is not None)
    return [os.path.join(folder, f"{prefix}-{number}") for number, prefix in rows]


class CheckpointManager:
    """Keeps the last `max_to_keep` checkpoints of a folder.

    >>> import tempfile
    >>> import autograph.tf as tf
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    ...     for _ in range(3):
    ...         _ = manager.save()
    ...     [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self, checkpoint: Checkpoint, directory: str | os.PathLike[str], max_to_keep: int | None,
        checkpoint_name: str = "ckpt",
    ) -> None:  # fmt: skip
        self._checkpoint, self._name = checkpoint, checkpoint_name
        self._directory, self._most = os.fspath(directory), max_to_keep
        numbers = [int(path.rpartition("-")[2]) for path in self.checkpoints]
        checkpoint.save_counter = max([checkpoint.save_counter, *numbers])

    @property
    def checkpoints(self) -> list[str]:
        """Names of the checkpoints, oldest first."""
        return _numbered(self._directory)

    @property
    def latest_checkpoint(self) -> str | None:
        """Name of the last one."""
        return latest_checkpoint(self._directory)

    def save(self, checkpoint_number: int | None = None) -> str:
        """Write one, and remove those that are too many."""
        if checkpoint_number is not None:
            self._checkpoint.save_counter = checkpoint_number - 1
        path = self._checkpoint.save(os.path.join(self._directory, self._name))
        for old in self.checkpoints[: -self._most] if self._most else ():
            os.remove(f"{old}{_SUFFIX}")
        return path

    def restore_or_initialize(self) -> str | None:
        """Read the last one back, if there is one; gives its name."""
        path = self.latest_checkpoint
        self._checkpoint.restore(path)
        return path


serve(globals())
