"""The house: each module has a test file of its own name, or one that is named here for it."""

import ast
import collections
import functools
import graphlib
import operator
import tomllib
from pathlib import Path

import autograph.operators  # noqa: F401 - declares ops, too
from runtime.ops.declaration.declare import REGISTRY
from runtime.process.later import LATER

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
MODULES = sorted(
    path.relative_to(ROOT)
    for package in ("autograph", "runtime")
    for path in (ROOT / package).rglob("*.py")
    if not path.name.startswith("__")
)


def in_folder(folder, names, test):
    return {f"{folder}/{name}.py": test for name in names.split()}


# Modules that are one subject with others, and are tested with them there.
TESTED_IN = {
    "runtime/lowering/rewrites/splitting.py": "runtime/lowering/scalars/test_complex_numbers.py",
    "autograph/derivative_graphs.py": "autograph/test_derivatives.py",
    "runtime/execute/native/planned.py": "runtime/lowering/test_partition.py",
    "runtime/lowering/llvm/drawing.py": "runtime/lowering/nodes/test_generator_draws.py",
    **in_folder(
        "autograph/operators/symbolic",
        "arrays choices ranges texts",
        "autograph/operators/symbolic/test_containers.py",
    ),
    **in_folder(
        "autograph/data", "elements host orders rows specs stages", "autograph/data/test_dataset.py"
    ),
    "autograph/library/feeding.py": "autograph/data/test_dataset.py",
    "autograph/operators/loops/feeds.py": "autograph/data/test_dataset.py",
    "runtime/effects/taken_ahead.py": "autograph/data/test_dataset.py",
    "runtime/effects/left_runs.py": "autograph/test_rules.py",
    "runtime/effects/held_results.py": "runtime/lowering/test_shared_variables.py",
    **in_folder(
        "runtime/lowering/kernels", "contents sharing", "runtime/lowering/test_shared_variables.py"
    ),
    **in_folder(
        "runtime/lowering/nodes",
        "contents held_results",
        "runtime/lowering/test_shared_variables.py",
    ),
    "runtime/lowering/rewrites/intervals.py": "runtime/lowering/rewrites/test_ranges.py",
    # The records of a trace are what its operators make of them.
    **in_folder(
        "autograph/operators/captured",
        "attempt containers effects inputs outside scopes",
        "autograph/operators/captured/test_captures.py",
    ),
    "autograph/operators/captured/code_seen.py": "autograph/tracing/test_code_guards.py",
    "autograph/operators/captured/context.py": "autograph/operators/captured/test_methods.py",
    "autograph/tracing/context.py": "autograph/tracing/test_trace.py",
    "runtime/process/later.py": "docs/test_house.py",
    "autograph/operators/values/numbers_or_arrays.py": "language/test_numbers_or_arrays.py",
    "autograph/operators/values/kinds.py": "language/test_kinds_within_the_graph.py",
    "autograph/operators/branches/text_calls.py": "language/test_texts_of_data.py",
    "autograph/operators/branches/long_chains.py": "language/test_deep_expressions.py",
    "autograph/operators/values/path_conditions.py": "language/test_kinds_within_the_graph.py",
    "autograph/operators/branches/merged_arrays.py": "autograph/operators/branches/test_merging.py",
    "autograph/operators/branches/written_items.py": "language/test_writes_to_items.py",
    "autograph/operators/values/heaps.py": "language/test_made_objects.py",
    "autograph/operators/expressions/heap_objects.py": "language/test_made_objects.py",
    "autograph/tracing/assembling.py": "language/test_growing_lists_of_objects.py",
    "autograph/operators/results/heap_results.py": "language/test_made_objects.py",
    "autograph/operators/results/container_outputs.py": "language/test_growing_lists_in_results.py",
    "runtime/graph/html.py": "language/test_notebook.py",
    "autograph/tracing/findings.py": "language/test_writes_to_chosen_objects.py",
    "autograph/operators/containers/partial_dicts.py": "language/test_keys_on_one_path.py",
    "autograph/library/entries.py": "language/test_keys_on_one_path.py",
    "autograph/operators/branches/chosen_objects.py": "language/test_writes_to_chosen_objects.py",
    "runtime/execute/native/stateful.py": "runtime/lowering/kernels/test_state.py",
    "runtime/lowering/nodes/frame_forms.py": "runtime/lowering/nodes/test_recursion.py",
    "runtime/lowering/nodes/frames.py": "runtime/lowering/nodes/test_recursion.py",
    "runtime/lowering/llvm/recursive_text.py": "runtime/lowering/nodes/test_recursion.py",
    "runtime/lowering/nodes/creation.py": "runtime/lowering/nodes/test_joining.py",
    "runtime/lowering/scalars/formulas.py": "runtime/lowering/nodes/test_draws.py",
    **dict.fromkeys(
        (
            f"runtime/lowering/nodes/{n}.py"
            for n in ("drawn_integers", "random_bits", "random_orders", "rejected_draws")
        ),
        "runtime/lowering/nodes/test_draws.py",
    ),
    **dict.fromkeys(
        (f"runtime/lowering/scalars/{n}.py" for n in ("exponentials", "powers", "trigonometry")),
        "runtime/lowering/scalars/test_mathematics.py",
    ),
    # The front end is run by the conversion that needs it; what both agree on has no behaviour.
    "autograph/frontend/one_function.py": "autograph/frontend/test_conversion.py",
    "autograph/frontend/rewriting.py": "autograph/frontend/test_conversion.py",
    "autograph/syntax/make.py": "autograph/syntax/test_load.py",
    "autograph/generated.py": "autograph/frontend/test_conversion.py",
    "autograph/converters/raises.py": "language/test_orderings.py",
    "autograph/library/counters.py": "language/test_whole_dicts.py",
    "autograph/operators/builtins/counts.py": "language/test_counts.py",
    "autograph/operators/branches/chosen_errors.py": "language/test_orderings.py",
    "autograph/operators/containers/compared_dicts.py": "language/test_whole_dicts.py",
    "autograph/operators/values/grown_text.py": "language/test_text_in_loops.py",
    "autograph/operators/branches/joined_functions.py": "language/test_joined_functions.py",
    "autograph/operators/captured/raised_parts.py": "language/test_parts_of_caught_exceptions.py",
    "autograph/operators/catching/caught_parts.py": "language/test_parts_of_caught_exceptions.py",
    "autograph/operators/expressions/logical.py": "language/test_conditions_that_write.py",
    "autograph/operators/expressions/orderings.py": "language/test_orderings.py",
    "autograph/operators/builtins/interleaved_extend.py": "language/test_put_in_turn.py",
    "autograph/operators/loops/own_iterators.py": "language/test_orderings.py",
    "autograph/operators/containers/last_turns.py": "language/test_changed_sizes.py",
    "autograph/operators/loops/changed_sizes.py": "language/test_changed_sizes.py",
    "autograph/operators/expressions/spread_arguments.py": "language/test_growing_tuples.py",
    # What TensorFlow's functions give is recorded, and compared in eager code and in graphs.
    **in_folder(
        "autograph/tf",
        "bitwise blocks creation defaults indexing joining shapes sorting",
        "autograph/tf/test_table.py",
    ),
    **in_folder(
        "autograph/tf/image", "boxes chance colours geometry measures", "autograph/tf/test_table.py"
    ),
    **in_folder(
        "autograph/tf/linalg",
        "decompositions diagonals norms products",
        "autograph/tf/test_table.py",
    ),
    **in_folder(
        "autograph/tf/math",
        "elementwise reductions segments functions",
        "autograph/tf/test_table.py",
    ),
    **in_folder(
        "autograph/tf/nn",
        "activations convolution lookups losses normalization pooling",
        "autograph/tf/test_table.py",
    ),
    **in_folder(
        "autograph/tf/signal", "bands frames transforms windows", "autograph/tf/test_table.py"
    ),
    "autograph/tf/autodiff.py": "autograph/tf/test_derivatives.py",
    **in_folder(
        "autograph/tf/config",
        "devices experimental optimizer threading",
        "autograph/tf/test_config.py",
    ),
    "autograph/tf/errors.py": "autograph/tf/test_debugging.py",
    "autograph/tf/nn/dropout.py": "autograph/tf/test_random.py",
    "autograph/tf/references.py": "autograph/tf/test_variables.py",
    "autograph/tf/unserved.py": "autograph/tf/test_names.py",
    "autograph/tf/types.py": "autograph/tf/test_function.py",
    # What a trace serves is told by the function that is written for it, and what that gives.
    "autograph/tracing/likening.py": "autograph/tracing/test_likeness.py",
    "autograph/operators/captured/standing.py": "autograph/tracing/test_likeness.py",
    # A saved program is what its writer and its reader make of it together.
    "autograph/tracing/concrete.py": "autograph/programs/test_saving.py",
    # What is exported is what its languages make of it.
    **in_folder(
        "autograph/programs/importing",
        "images layers models operations pooling quantization signals table",
        "autograph/programs/importing/test_onnx.py",
    ),
    "autograph/cli/export.py": "autograph/programs/exporting/test_python.py",
    **in_folder(
        "autograph/programs/exporting",
        "arguments programs results",
        "autograph/programs/exporting/test_python.py",
    ),
    **in_folder(
        "runtime/export/c", "expressions files programs", "autograph/programs/exporting/test_c.py"
    ),
    **in_folder(
        "runtime/export/onnx",
        "elementwise emitter indexing products random reductions shaping table",
        "runtime/export/onnx/test_graphs.py",
    ),
    **in_folder(
        "runtime/export/onnx", "distributions rounds", "autograph/programs/exporting/test_onnx.py"
    ),
    **in_folder(
        "runtime/export/python",
        "functions on_host texts",
        "autograph/programs/exporting/test_python.py",
    ),
    # Who reads what was decided is the one to ask.
    "autograph/operators/branches/copied_in.py": "language/test_growing_lists.py",
    "autograph/operators/values/contents.py": "language/test_captured_containers.py",
    "autograph/operators/containers/list_iterators.py": "language/test_lists_set_by_data.py",
    "autograph/operators/containers/growing.py": "language/test_growing_lists.py",
    "autograph/operators/patterns.py": "language/test_patterns.py",
    "autograph/operators/containers/growing_arrays.py": "language/test_growing_lists.py",
    "autograph/operators/containers/growing_methods.py": "language/test_growing_lists.py",
    "autograph/operators/builtins/growing_sorts.py": "language/test_growing_slices.py",
    "autograph/operators/builtins/comprehensions.py": "language/test_comprehensions_by_data.py",
    "autograph/operators/builtins/gathering.py": "language/test_generators_used_up.py",
    "autograph/operators/branches/choosing.py": "language/test_keys_of_data.py",
    "autograph/operators/containers/keyed.py": "language/test_keys_of_data.py",
    "autograph/operators/containers/tables.py": "language/test_tables_of_lists.py",
    "autograph/operators/containers/written_arrays.py": "language/test_writes_to_array_items.py",
    "autograph/operators/containers/taken_items.py": "language/test_writes_to_chosen_arrays.py",
    "autograph/operators/results/expanding.py": "language/test_tables_of_lists.py",
    "autograph/operators/containers/joining.py": "language/test_tables_of_lists.py",
    "autograph/operators/expressions/nests.py": "language/test_compared_nests.py",
    "autograph/operators/containers/open_dicts.py": "language/test_open_dicts.py",
    "autograph/operators/builtins/counting.py": "language/test_open_dicts.py",
    "autograph/operators/containers/open_sets.py": "language/test_sets_of_data.py",
    "autograph/operators/containers/key_rows.py": "language/test_hashed_keys.py",
    "autograph/library/sets.py": "language/test_hashed_keys.py",
    "autograph/operators/containers/open_deques.py": "language/test_open_deques.py",
    "autograph/operators/values/one_of.py": "language/test_objects_chosen_by_data.py",
    "autograph/operators/values/identity.py": "language/test_identity.py",
    "autograph/operators/values/lengths.py": "language/test_what_python_asks.py",
    "autograph/operators/builtins/library_calls.py": "language/test_library_on_data.py",
    "autograph/operators/values/ranges.py": "language/test_ranges.py",
    "autograph/operators/symbolic/rows.py": "language/test_growing_lists.py",
    "autograph/operators/values/runs.py": "language/test_growing_lists.py",
    "autograph/operators/captured/decisions.py": "autograph/tools/test_explaining.py",
    "autograph/tools/trace_facts.py": "autograph/tools/test_explaining.py",
    "autograph/operators/captured/hints.py": "language/test_wrong_programs.py",
    # A function that calls itself is seen in what it computes.
    "autograph/operators/calls/remembering.py": "language/test_remembered_results.py",
    "autograph/operators/calls/recursion.py": "language/test_recursion.py",
    "autograph/operators/calls/recursive_functions.py": "language/test_recursion.py",
    "autograph/operators/calls/given_arrays.py": "language/test_recursion.py",
    "autograph/operators/calls/own_arrays.py": "language/test_protocols.py",
    **in_folder(
        "autograph/tools/checking",
        "gradients outcomes report",
        "autograph/tools/checking/test_ways.py",
    ),
    # What a trace is made of, and found by, is seen in what a Function does.
    "autograph/tracing/described.py": "autograph/test_functions.py",
    "autograph/tracing/results.py": "autograph/tracing/test_trace.py",
    "autograph/tracing/traced.py": "autograph/tracing/test_trace.py",
    "autograph/tracing/traces.py": "autograph/test_functions.py",
    "runtime/effects/size_decisions.py": "autograph/tracing/test_open_sizes.py",
    "autograph/programs/loading.py": "autograph/programs/test_saving.py",
    # Keras' own tests ask for each of its functions.
    **in_folder("autograph/keras/backend", "image linalg math names random", "keras/test_keras.py"),
    "autograph/keras/backend/export.py": "autograph/keras/backend/test_layer.py",
    "autograph/keras/backend/iterables.py": "autograph/keras/backend/test_trainer.py",
    "autograph/keras/backend/rnn.py": "autograph/keras/backend/test_layer.py",
    "autograph/programs/program.py": "autograph/programs/test_saving.py",
    "runtime/save/exceptions.py": "runtime/save/test_values.py",
    "runtime/save/graphs.py": "autograph/programs/test_saving.py",
    "runtime/save/state.py": "autograph/programs/test_saving.py",
    "runtime/save/structures.py": "runtime/save/test_values.py",
    "runtime/structure/templates.py": "autograph/operators/values/test_templates.py",
    # The rules of gradients, and of batches, are tested by what they make of each op and program.
    "runtime/autodiff/attempts.py": "language/test_try.py",
    "runtime/autodiff/adjoints.py": "runtime/autodiff/test_sweep.py",
    **in_folder("runtime/autodiff", "guards presence", "language/test_untaken_paths.py"),
    "runtime/autodiff/branches.py": "runtime/autodiff/test_linearize.py",
    "runtime/autodiff/cotangents.py": "runtime/autodiff/test_sweep.py",
    "runtime/autodiff/emission.py": "runtime/autodiff/test_loops.py",
    "runtime/autodiff/transpose.py": "runtime/autodiff/test_linearize.py",
    **in_folder("runtime/batching", "rules subscripts", "runtime/batching/test_ops.py"),
    **in_folder("runtime/batching", "lanes masked transform", "autograph/test_vectorization.py"),
    # One rewrite each, all on graphs of one shape.
    "runtime/passes/algebra.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/common_subexpressions.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/inlining.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/layout.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/loop_invariants.py": "runtime/passes/test_rewrites.py",
    "runtime/passes/rerolling.py": "runtime/passes/test_rewrites.py",
    "autograph/operators/branches/chosen_text.py": "language/test_chosen_text.py",
    "runtime/execute/block.py": "runtime/execute/test_plan.py",
    "runtime/execute/control_flow.py": "runtime/execute/test_plan.py",
    "runtime/execute/failures.py": "runtime/execute/test_plan.py",
    "runtime/execute/operations.py": "runtime/execute/test_plan.py",
    # Native code is called by its entries; what it computes is compared with NumPy and the plan.
    **in_folder(
        "runtime/execute/native",
        "calling context engine entry failing giving miss signature taking",
        "runtime/execute/native/test_prepared.py",
    ),
    "runtime/execute/native/plain_loops.py": "autograph/tracing/test_leaving.py",
    "runtime/execute/native/gathering.py": "runtime/execute/native/test_reading.py",
    "runtime/execute/native/plain_values.py": "autograph/tracing/test_left_calls.py",
    "runtime/lowering/kernels/arrays.py": "runtime/lowering/nodes/test_shaping.py",
    "runtime/lowering/kernels/builder.py": "runtime/lowering/nodes/test_control.py",
    "runtime/lowering/nodes/elements.py": "runtime/lowering/scalars/test_meaning.py",
    "runtime/lowering/nodes/elementwise.py": "runtime/lowering/scalars/test_meaning.py",
    "runtime/lowering/entry.py": "runtime/execute/native/test_prepared.py",
    "runtime/lowering/kernels/kernel.py": "runtime/lowering/kernels/test_show.py",
    "runtime/lowering/kernels/llvm_types.py": "runtime/lowering/nodes/test_control.py",
    **in_folder(
        "runtime/lowering/llvm", "lines places programs", "runtime/lowering/nodes/test_control.py"
    ),
    "runtime/lowering/llvm/memory.py": "runtime/lowering/nodes/test_stacks.py",
    "runtime/lowering/llvm/sums.py": "runtime/lowering/nodes/test_reductions.py",
    "runtime/lowering/llvm/values.py": "runtime/lowering/scalars/test_meaning.py",
    "runtime/lowering/lower.py": "runtime/lowering/nodes/test_control.py",
    "runtime/lowering/kernels/record.py": "runtime/lowering/kernels/test_show.py",
    "runtime/lowering/kernels/refusal.py": "runtime/lowering/test_partition.py",
    "runtime/lowering/kernels/scalar.py": "runtime/lowering/scalars/test_meaning.py",
    # Draws are told from one another by their distributions.
    **in_folder("runtime/random", "draws functions generator", "runtime/test_random.py"),
    # Functions of NumPy's names, by families: next to NumPy, in graphs, with their gradients.
    **in_folder("runtime/ops/signals", "calculus", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops/python", "data_types", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops", "fft linalg", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops/declaration", "inference samples", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops/arrays", "interchange padding", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops/matrices", "linear_forms", "runtime/ops/test_generic.py"),
    **in_folder("runtime/ops/elementwise", "predicates", "runtime/ops/test_generic.py"),
    "runtime/nn/rounds.py": "runtime/nn/test_alignments.py",
    "runtime/ops/special_functions/exact.py": "runtime/ops/random/test_draws.py",
    "runtime/ops/indexing/keys.py": "runtime/ops/indexing/test_indexing.py",
    "runtime/ops/declaration/operands.py": "runtime/ops/test_numpy_names.py",
    "runtime/ops/signals/patches.py": "runtime/ops/signals/test_convolution.py",
    "runtime/ops/random/philox.py": "runtime/ops/random/test_draws.py",
    "runtime/ops/special_functions/special_types.py": "runtime/ops/test_special.py",
    # A card is tested with a CuPy that is made up, and with CuPy where it is (`-m gpu`).
    "runtime/devices/cuda.py": "runtime/devices/test_kinds.py",
    **in_folder(
        "runtime/lowering/llvm", "contractions vectors", "runtime/lowering/nodes/test_products.py"
    ),
    "runtime/lowering/nodes/windows.py": "runtime/lowering/nodes/test_convolutions.py",
    "runtime/lowering/llvm/parts.py": "runtime/execute/native/test_pool.py",
    "runtime/namespace.py": "autograph/test_array_api.py",
}


def mirror(module):
    """Where the test file of a module is: `a/b.py` is tested in `tests/a/test_b.py`."""
    return TESTS / module.parent / f"test_{module.name}"


@functools.cache
def modules_of_ops():
    """Modules that declare ops, each of which the generic tests run in every way."""
    names = {primitive.op.kernel.__module__ for primitive in REGISTRY.values()}
    return {Path(*name.split(".")).with_suffix(".py") for name in names}


def test_a_module_has_its_tests():
    own = [m for m in MODULES if mirror(m).exists() or m in modules_of_ops()]
    lacking = {*map(str, MODULES)} - {*map(str, own)} - TESTED_IN.keys()
    assert not lacking, "write a test file of each, or name the one that tests it in TESTED_IN"
    assert all((TESTS / file).is_file() for file in TESTED_IN.values())
    assert all((ROOT / module).is_file() for module in TESTED_IN)
    # The generic tests run what modules of ops declare.
    assert not TESTED_IN.keys() & {*map(str, own)}


# ---- the size of the house -----------------------------------------------------------------------

# What may only fall. A question is a call of `isinstance`, or of `type` of one thing.
LINES_OF_OPERATORS, QUESTIONS, LONGEST_FUNCTION = 42_132, 2_618, 78

OPERATORS = [module for module in MODULES if module.is_relative_to("autograph/operators")]


def name_of(module):
    return ".".join(module.with_suffix("").parts)


NAMES = {name_of(module): module for module in MODULES}
# Every file, packages' own included.
FILES = sorted(
    path.relative_to(ROOT)
    for package in ("autograph", "runtime")
    for path in (ROOT / package).rglob("*.py")
)
OURS = {name_of(file).removesuffix(".__init__") for file in FILES}


@functools.cache
def nodes_of(file):
    """The tree of a file, and all that is below it; parsed for a test, not for who collects them."""
    return [*ast.walk(ast.parse((ROOT / file).read_text()))]


def imported(nodes):
    """The modules that a module imports, also by `import_module("...")`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield from (x.value for x in node.args if isinstance(x, ast.Constant))


def test_no_module_comes_back_to_itself_by_what_it_imports():
    graph = {
        module: {NAMES[name] for name in imported(nodes_of(module)) if name in NAMES} - {module}
        for module in MODULES
    }
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def is_question(node):
    asked = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
    return asked == "isinstance" or (asked == "type" and len(node.args) == 1)


def test_the_house_grows_no_larger():
    lines = sum((ROOT / module).read_text().count("\n") for module in OPERATORS)
    questions = sum(is_question(node) for m in OPERATORS for node in nodes_of(m))
    functions = [n for m in MODULES for n in nodes_of(m) if isinstance(n, ast.FunctionDef)]
    longest = max(f.end_lineno - f.lineno + 1 for f in functions)
    found = lines, questions, longest
    allowed = LINES_OF_OPERATORS, QUESTIONS, LONGEST_FUNCTION
    assert all(map(operator.le, found, allowed)), f"{found} where {allowed} is allowed"


# ---- what modules do to one another --------------------------------------------------------------

# Records of more fields than this are named, with as many as they may have: it may only fall.
MOST_FIELDS, OF_MORE = 20, {"Scope": 25, "Traced": 42}

# By file: how often modules are imported by a name, with a function, and why.
IMPORT_BY_NAME = {
    "runtime/process/later.py": (1, "what waits for its first use: LATER says for what"),
    "runtime/process/forks.py": (1, "public names that wait; no fork comes between"),
    "autograph/__init__.py": (4, "public names that wait, in its tables; Keras, if it is there"),
    "autograph/tf/names.py": (3, "public names of `autograph.tf` that wait, by its tables"),
    "autograph/keras/__init__.py": (1, "Keras, which may be absent"),
    "autograph/keras/hook.py": (1, "the backend, for which Keras asks in an order of its own"),
    "autograph/programs/exporting/onnx.py": (1, "ONNX, which may be absent"),
    "autograph/cli/targets.py": (1, "a module of the user's"),
    "autograph/data/host.py": (1, "threads of the standard library, which bring `logging`"),
    "runtime/devices/cuda.py": (1, "CuPy, which may be absent"),
    "runtime/dtypes.py": (1, "ml_dtypes, which may be absent"),
    "runtime/execute/native/cache.py": (1, "hashes of the standard library, quick ones first"),
    "runtime/execute/native/library.py": (3, "llvmlite, which may be absent"),
    "runtime/process/debuggers.py": (1, "pdb, for who debugs"),
    "runtime/process/interrupts.py": (2, "C parts of the standard library"),
    "runtime/process/pickling.py": (1, "what is unpickled, by its name"),
    "runtime/process/ranks.py": (1, "MPI, which may be absent"),
}
# Names of modules that functions bind anew: none of them is a function.
REBOUND = {
    "autograph/rules.py": ["_rules", "_decisions"],  # of the user's, which may come at any time
    "runtime/random/generator.py": ["_base"],  # the seed of the process
    "runtime/trace.py": ["_default"],  # the interpreter where no trace is open
}
# Attributes of what another module defines, set by: why.
SET_FROM_OUTSIDE = {
    "autograph/functions.py": (2, "how often this thread may trace: a number"),
    "autograph/operators/branches/chosen_objects.py": (
        2,
        "operators of `OneOf`, a class of `values`",
    ),
    "autograph/operators/containers/open_sets.py": (
        5,
        "operators of `OpenSet`, a class of `values`",
    ),
    "runtime/process/ranks.py": (1, "`sys.excepthook`, for programs of several processes"),
}
# Functions of other modules that are called when a module is imported, but for ops, and why.
CALLED_ON_IMPORT = {
    "autograph/frontend/__init__.py": ("serve_process", "the composition root: it says why"),
    "autograph/functions.py": ("hide_frames_of", "frames of ours are not shown to users"),
    "autograph/keras/__init__.py": ("_install", "Keras finds the backend"),
    "autograph/keras/backend/trainer.py": ("warm_up.begin", "a thread brings in the compiler"),
    "autograph/__init__.py": ("_publish", "the namespace of the array API standard"),
    "runtime/eager.py": ("trace.set_default", "what operations do where no trace is open"),
}


def resolved(nodes):
    """What names of a file stand for that it imports."""
    found = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {
                alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names
            }
    return found


def by_name(nodes):
    """The calls that import a module by its name."""
    names = {n for n, of in resolved(nodes).items() if of.endswith((".import_module", ".imported"))}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in (*names, "importlib.import_module", "__import__"):
                yield node


def test_imports_by_name_have_a_reason():
    found = collections.Counter(str(file) for file in FILES for _ in by_name(nodes_of(file)))
    allowed = {file: count for file, (count, _) in IMPORT_BY_NAME.items()}
    assert found == allowed, "import it where the module begins, or see `runtime.process.later`"
    assert LATER.keys() <= OURS


def test_imports_stand_where_a_module_begins():
    for file in FILES:
        nodes = nodes_of(file)
        if any(isinstance(x, ast.Import | ast.ImportFrom) and x.col_offset for x in nodes):
            functions = [x for x in nodes if isinstance(x, ast.FunctionDef)]
            within = [x for f in functions for x in ast.walk(f)]
            assert not any(isinstance(x, ast.Import | ast.ImportFrom) for x in within), file


def test_what_waits_for_its_first_use_is_asked_for():
    """Each module of LATER, by `later`, and no other; a name that a file has for it counts."""
    texts = "\n".join((ROOT / file).read_text() for file in FILES if file.name != "later.py")
    for name in LATER:
        package = name.rpartition(".")[0]
        assert f'"{name}"' in texts or f'"{package}"' in texts, name


def test_no_module_sets_a_hook():
    rebound = {
        str(file): [name for n in nodes_of(file) if isinstance(n, ast.Global) for name in n.names]
        for file in FILES
    }
    assert {file: names for file, names in rebound.items() if names} == REBOUND
    found = collections.Counter()
    for file in FILES:
        theirs = resolved(nodes_of(file))
        for node in nodes_of(file):
            if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Call):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", 0)]
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr":
                targets = [ast.Attribute(node.args[0], "")]
            each = [x for t in targets for x in (t.elts if isinstance(t, ast.Tuple) else [t])]
            owners = [x.value for x in each if isinstance(x, ast.Attribute)]
            found[str(file)] += sum(isinstance(x, ast.Name) and x.id in theirs for x in owners)
    allowed = {file: count for file, (count, _) in SET_FROM_OUTSIDE.items()}
    assert {file: n for file, n in found.items() if n} == allowed, "pass it down, in a context"


def test_importing_a_module_fills_nothing_elsewhere():
    """What declares ops, and the names of `autograph.tf`, is called on import; the rest is named."""
    found = {}
    for file in FILES:
        theirs, (tree, *_) = resolved(nodes_of(file)), nodes_of(file)
        for node in tree.body:
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
                continue
            called = ast.unparse(node.value.func)
            is_ours = str(theirs.get(called.split(".")[0], "")).startswith(("autograph", "runtime"))
            if is_ours and not theirs[called.split(".")[0]].endswith("tf.names.serve"):
                found[str(file)] = called
    assert found == {file: called for file, (called, _) in CALLED_ON_IMPORT.items()}


def is_record(node):
    bases = [*map(ast.unparse, node.decorator_list), *map(ast.unparse, node.bases)]
    return any("dataclass" in base or base == "NamedTuple" for base in bases)


def test_a_record_has_few_fields():
    classes = [n for file in FILES for n in nodes_of(file) if isinstance(n, ast.ClassDef)]
    records = {
        n.name: sum(isinstance(x, ast.AnnAssign) for x in n.body) for n in classes if is_record(n)
    }
    large = {name: fields for name, fields in records.items() if fields > MOST_FIELDS}
    assert large == OF_MORE, "make records of one concern"


def test_import_contracts_name_every_folder():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    named = {c for one in settings["contracts"] for c in one.get("containers", ())}
    folders = {
        name_of(file).removesuffix(".__init__") for file in FILES if file.name == "__init__.py"
    }
    assert {folder.rpartition(".")[0] for folder in folders} - {""} <= named
