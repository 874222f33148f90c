"""The house: each module has a test file of its own name, or one that is named here for it."""

from pathlib import Path

import pytest

from runtime.ops.declare import REGISTRY

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
MODULES = sorted(
    path.relative_to(ROOT)
    for package in ("autograph", "runtime")
    for path in (ROOT / package).rglob("*.py")
    if not path.name.startswith("__")
)

# Modules that are one subject with others, and are tested with them there; a folder stands for all
# that is in it and has no test file of its own.
TESTED_IN = {
    # The front end is run by the conversion that needs it; what both agree on has no behaviour.
    "autograph/front_end.py": "autograph/test_conversion.py",
    "autograph/generated.py": "autograph/test_conversion.py",
    "autograph/operators/kinship.py": "language/test_containers_chosen_by_data.py",
    # Every name of the table runs on each backend, next to TensorFlow's recorded results.
    "autograph/tf": "autograph/tf/test_table.py",
    # A saved program is what its writer and its reader make of it together.
    "autograph/concrete.py": "autograph/test_saving.py",
    "autograph/loading.py": "autograph/test_saving.py",
    "autograph/program.py": "autograph/test_saving.py",
    "runtime/save/exceptions.py": "runtime/save/test_values.py",
    "runtime/save/graphs.py": "autograph/test_saving.py",
    "runtime/save/state.py": "autograph/test_saving.py",
    "runtime/save/structures.py": "runtime/save/test_values.py",
    "runtime/templates.py": "autograph/operators/test_templates.py",
    # The rules of gradients, and of batches, are tested by what they make of each op and program.
    "runtime/autodiff/attempts.py": "language/test_try.py",
    "runtime/autodiff/branches.py": "runtime/autodiff/test_linearize.py",
    "runtime/autodiff/cotangents.py": "runtime/autodiff/test_sweep.py",
    "runtime/autodiff/emission.py": "runtime/autodiff/test_loops.py",
    "runtime/autodiff/transpose.py": "runtime/autodiff/test_linearize.py",
    "runtime/batching": "runtime/batching/test_ops.py",
    # One rewrite each, all on graphs of one shape.
    "runtime/passes/algebra.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/common_subexpressions.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/inlining.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/layout.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/loop_invariants.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/rerolling.py": "runtime/passes/test_rewrites.py",
    "runtime/execute/block.py": "runtime/execute/test_plan.py",
    # Native code is called by its entries; what it computes is compared with NumPy and the plan.
    "runtime/execute/native": "runtime/execute/native/test_prepared.py",
    "runtime/lowering/arrays.py": "runtime/lowering/test_shaping.py",
    "runtime/lowering/builder.py": "runtime/lowering/test_control.py",
    "runtime/lowering/elements.py": "runtime/lowering/test_meaning.py",
    "runtime/lowering/elementwise.py": "runtime/lowering/test_meaning.py",
    "runtime/lowering/entry.py": "runtime/execute/native/test_prepared.py",
    "runtime/lowering/kernel.py": "runtime/lowering/test_show.py",
    "runtime/lowering/llvm.py": "runtime/lowering/test_control.py",
    "runtime/lowering/lower.py": "runtime/lowering/test_control.py",
    "runtime/lowering/refusal.py": "runtime/lowering/test_partition.py",
    "runtime/lowering/scalar.py": "runtime/lowering/test_meaning.py",
    # Draws are told from one another by their distributions.
    "runtime/random": "runtime/test_random.py",
    # Functions of NumPy's names, by families: next to NumPy, in graphs, with their gradients.
    "runtime/ops": "runtime/ops/test_numpy_names.py",
    # Devices are tested with arrays that claim to be on one, and with CuPy where it is.
    "runtime/devices": "devices/test_disguised.py",
    "runtime/namespace.py": "autograph/test_array_api.py",
}


def mirror(module):
    """Where the test file of a module is: `a/b.py` is tested in `tests/a/test_b.py`."""
    return TESTS / module.parent / f"test_{module.name}"


def modules_of_ops():
    """Modules that declare ops, each of which the generic tests run in every way."""
    names = {primitive.op.kernel.__module__ for primitive in REGISTRY.values()}
    return {Path(*name.split(".")).with_suffix(".py") for name in names}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_has_its_tests(module):
    if mirror(module).exists() or module in modules_of_ops():
        return
    found = [TESTED_IN.get(str(part)) for part in (module, module.parent)]
    elsewhere = next((test for test in found if test is not None), None)
    assert elsewhere is not None, (
        f"{module} has no test file: write {mirror(module).relative_to(ROOT)}"
    )
    assert (TESTS / elsewhere).is_file()


@pytest.mark.parametrize("named", TESTED_IN)
def test_what_is_tested_elsewhere_is_there_and_has_no_tests_of_its_own(named):
    path = ROOT / named
    covered = [m for m in MODULES if m == Path(named) or m.parent == Path(named)]
    assert path.exists() and any(not mirror(module).exists() for module in covered)
