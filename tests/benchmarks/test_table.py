"""Tests of the table: the workloads give what NumPy gives, and are native code as a whole."""

import sys

import numpy as np
import pytest

from benchmarks import table
from benchmarks.peers import Peer, installed
from benchmarks.rows import ROWS, VARIANTS, named
from runtime.execute.native.prepared import problem

# Of the others, one call takes seconds.
SMALL = [name for name in ROWS if "horse" not in name and name != "deep_model"]


CHANGED = [f"{name}:{kind}" for name in SMALL for kind in VARIANTS if ROWS[name].variant(kind)]


def arrays(result):
    if isinstance(result, (tuple, list)):
        return tuple(arrays(r) for r in result)
    return np.array(result)


@pytest.mark.broad(6)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*SMALL, *CHANGED])
def test_ours_gives_what_numpy_gives(name):
    row = named(name)
    ours = row.make("ours", None)
    other = row.make("numpy" if row.has_numpy else "plan", None)
    for _ in range(row.calls):
        assert row.agrees(arrays(ours()), arrays(other()))


@pytest.mark.broad(6)
@pytest.mark.skipif(problem() is not None, reason="there is no native code here")
@pytest.mark.parametrize("name", [*ROWS, *CHANGED])
def test_a_row_is_one_native_function(name):
    function, inputs = named(name).converted()
    function(*inputs)
    told = function.explain()
    # NumPy itself makes a generator of a seed, before the one part that draws from it.
    seeded = "1 part(s) are native code; the rest is not: op `host_call` has no native form"
    assert "plan of NumPy" not in told or ("default_rng" in told and seeded in told), told


def test_each_peer_is_measured_in_its_own_process():
    peers = [Peer(name) for name in ("ours", "numpy")]
    try:
        found = table.measure("collatz", peers, 1)
    finally:
        for peer in peers:
            peer.close()
    assert found.keys() == {"ours", "numpy"} and all(t > 0 for t, _ in found.values())
    assert set(installed(sys.executable)) >= {"ours", "plan", "numpy"}


def test_what_a_peer_cannot_do_is_left_out():
    peer = Peer("numpy")
    try:
        with pytest.raises(RuntimeError, match="KeyError"):
            peer.ask("prepare", "cnn_mnist_train_step")
        assert table.measure("cnn_mnist_train_step", [peer], 1) == {}
    finally:
        peer.close()


def test_a_variant_changes_what_it_says():
    row = ROWS["mse"]
    assert [x.dtype for x in named("mse:dtype").inputs()] == [np.dtype("f8")] * 2
    assert named("mse:size").inputs()[0].size != row.inputs()[0].size
    p, t = (x[:10] for x in row.inputs())
    assert named("mse:more").plain(p, t) == row.plain(p, t) * 3
    assert ROWS["mlp_train_step"].variant("more") is None
    with pytest.raises(KeyError):
        named("collatz:dtype")


def test_the_table_says_what_variants_keep(capsys):
    table.main(["call_tiny", "--variants", "more", "--rounds", "1", "--peers", "ours,numpy"])
    said = capsys.readouterr().out
    assert "call_tiny " in said and "call_tiny:more" in said
    with pytest.raises(SystemExit):
        table.main(["call_tiny", "--variants", "colour"])
