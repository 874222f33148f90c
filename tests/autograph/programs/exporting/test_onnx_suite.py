"""The numeric programs of the language suite as ONNX: equal where they run, or refused with a line.

A program is numeric if it gives numbers and arrays of them. Of each file of the suite every third
program is exported; the files are `broad`, so that a run takes some of them.
"""

import collections
import copy
import importlib
import inspect
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, observe

pytest.importorskip("onnx", reason="needs the package onnx")
runtime = pytest.importorskip("onnxruntime", reason="needs the package onnxruntime")

FILES = sorted(Path(__file__).parents[3].joinpath("language").glob("test_*.py"))
EACH = 3
# Programs that ask for what ONNX does not promise, as docs/guide/export.md says.
LEFT_OUT = {"S15-signs_of_nan", "S4-signs_of_nan_in_copies"}
# What `check` is told beside the options of `convert`.
CHECKED = {"conds", "whiles", "traces", "joined", "tolerance", "eager", "tensors", "saved", "ways"}


def parts(x):
    """The numbers and arrays in a nest; TypeError where there is anything else."""
    if isinstance(x, dict):
        x = [*x.values()]
    if isinstance(x, (tuple, list)):
        return [leaf for part in x for leaf in parts(part)]
    array = np.asarray(x)
    if array.dtype.kind not in "biuf" or x is None:
        raise TypeError(type(x).__name__)
    return [array]


def rows_of(got, wanted):
    """The numbers that are compared, and whether each result is by itself.

    Of a list of arrays the model gives one array, of a list of pairs two columns: then all numbers
    are compared in order of their size.
    """
    if [np.size(x) for x in got] == [np.size(x) for x in wanted]:
        return [[np.ravel(x) for x in side] for side in (got, wanted)]
    whole = [np.concatenate([np.zeros(0), *map(np.ravel, side)]) for side in (got, wanted)]
    return [[row] for row in (whole if len(got) == 1 else map(np.sort, whole))]


def outcome(sample, cases, how, path):
    """What becomes of a program: "refused", "not numeric", "equal"; it must be one of these."""
    done = [(case, observe(sample, copy.deepcopy(case))) for case in cases]
    try:
        done = [(case, parts(d.value)) for case, d in done if d.error is None]
    except TypeError:
        return "not numeric"
    names = [*inspect.signature(sample).parameters]
    if not done or not all(isinstance(x, (np.ndarray, np.generic)) for x in done[0][0]):
        return "not numeric"
    options = {name: x for name, x in how.items() if name not in CHECKED}
    try:
        ag.export_onnx(ag.convert(sample, **options), path, [*copy.deepcopy(done[0][0])])
    except ag.UnsavableError:
        return "refused"
    settings = runtime.SessionOptions()
    settings.log_severity_level, settings.intra_op_num_threads = 4, 1
    session = runtime.InferenceSession(path, settings)
    shapes = [np.shape(x) for x in done[0][0]]
    for case, wanted in done:
        if [np.shape(x) for x in case] != shapes:
            continue
        given = dict(zip(names, map(np.asarray, case)))
        got = session.run(None, {x.name: given[x.name] for x in session.get_inputs()})
        for one, other in zip(*rows_of(got, wanted), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    return "equal"


@pytest.mark.broad(25)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_programs_of_the_suite_are_equal_in_onnx_or_refused(file, tmp_path):
    module = importlib.import_module(f"tests.language.{file.stem}")
    tables = [table for table in vars(module).values() if isinstance(table, Samples)]
    rows = [row for table in tables for row in table.rows if row.id not in LEFT_OUT]
    found = collections.Counter()
    for row in rows[::EACH]:
        try:
            found[outcome(*row.values, tmp_path / "f.onnx")] += 1
        except Exception as error:
            error.add_note(f"{file.stem}: {row.id}")
            raise
    if not rows or found["not numeric"] == len(rows[::EACH]):
        pytest.skip("no numeric programs")
    print(dict(found))
