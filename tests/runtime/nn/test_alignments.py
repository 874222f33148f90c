"""Connectionist temporal classification, next to a sum over all paths."""

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime import nn
from runtime.autodiff import check_gradients
from runtime.ops.declaration.samples import array

LOGITS = array((3, 4, 3), low=-3, high=3)
LABELS, COUNTS, TIMES = np.array([[1, 2, 1], [1, 1, 7], [2, -1, 0]]), [3, 2, 0], [4, 3, 4]
GIVEN = (LABELS, LOGITS, np.array(COUNTS), np.array(TIMES))


def labels_of(path, blank=0):
    before = (None, *path)
    return tuple(c for c, b in zip(path, before) if c not in (b, blank))


def probabilities(item, blank=0):
    """Of all labels that paths through one item of the batch have."""
    rows = np.exp(LOGITS[item, : TIMES[item]])
    rows = rows / rows.sum(-1, keepdims=True)
    found = {}
    for path in itertools.product(range(3), repeat=len(rows)):
        chance = np.prod([row[c] for row, c in zip(rows, path)])
        labels = labels_of(path, blank)
        found[labels] = found.get(labels, 0) + chance
    return found


EXPECTED = [-np.log(probabilities(i)[tuple(LABELS[i, : COUNTS[i]].tolist())]) for i in range(3)]


def test_the_loss_counts_all_paths():
    np.testing.assert_allclose(nn.ctc_loss(*GIVEN).numpy(), EXPECTED)
    check_gradients(lambda x: nn.ctc_loss(LABELS, x, *GIVEN[2:]), [LOGITS], rtol=1e-3)


def test_a_graph_of_unknown_sizes_has_one_loop_with_slopes():
    specs = [ag.TensorSpec([None, None], "i8"), ag.TensorSpec([None, None, 3]),
             ag.TensorSpec([None], "i8"), ag.TensorSpec([None], "i8")]  # fmt: skip
    staged = ag.convert(nn.ctc_loss, input_signature=specs)
    np.testing.assert_allclose(staged(*GIVEN), EXPECTED)
    nodes = [n.op.name for n in staged.get_concrete_function(*GIVEN).graph.walk()]
    assert nodes.count("while") == 1 and staged.trace_count == 1
    slopes = ag.grad(lambda x: ag.sum(staged(LABELS, x, *GIVEN[2:])))(LOGITS)
    eager = ag.grad(lambda x: ag.sum(nn.ctc_loss(LABELS, x, *GIVEN[2:])))(LOGITS)
    np.testing.assert_allclose(slopes, eager, atol=1e-14)


def test_labels_that_no_path_has_cost_infinity_without_slopes():
    given = np.array([[1, 1, 1]]), LOGITS[:1], np.array([3]), np.array([4])
    assert nn.ctc_loss(*given).tolist() == [np.inf]
    assert not ag.grad(lambda x: ag.sum(nn.ctc_loss(given[0], x, *given[2:])))(LOGITS[:1]).any()


@pytest.mark.parametrize("blank", [0, 2])
def test_a_wide_beam_finds_the_likeliest_labels(blank):
    labels, logarithms = nn.ctc_decode(LOGITS, np.array(TIMES), 60, 3, blank_index=blank)
    for item in range(3):
        chances = sorted(probabilities(item, blank).items(), key=lambda pair: -pair[1])[:3]
        for place, (expected, chance) in enumerate(chances):
            row = labels.numpy()[place, item]
            assert (*expected, *[-1] * (4 - len(expected))) == tuple(row.tolist())
            np.testing.assert_allclose(np.exp(logarithms.numpy()[item, place]), chance)


@pytest.mark.parametrize("merge", [True, False])
def test_the_likeliest_path_is_that_of_the_largest_logits(merge):
    staged = ag.convert(lambda x, n: nn.ctc_decode(x, n, merge_repeated=merge))
    labels, _ = staged(LOGITS, np.array(TIMES))
    for item in range(3):
        path = LOGITS[item, : TIMES[item]].argmax(-1).tolist()
        expected = labels_of(path) if merge else tuple(c for c in path if c)
        assert (*expected, *[-1] * (4 - len(expected))) == tuple(labels[0, item].tolist())


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.ctc_loss(LABELS[0], *GIVEN[1:]),
        lambda: nn.ctc_decode(LOGITS[0], np.array(TIMES)),
        lambda: nn.ctc_decode(LOGITS, np.array(TIMES), top_paths=2),
    ],
)
def test_other_shapes_and_numbers_are_refused(call):
    with pytest.raises(ValueError, match="ctc_"):
        call()
