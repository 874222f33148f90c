"""Functions in modules that are compiled alone."""

import numpy as np

import autograph as ag
from runtime import config
from runtime.execute.native import engine
from runtime.execute.native.engine import APART, SCALAR, SCHEDULED
from runtime.lowering.llvm.modules import Shared, modules_text


def function(name, lines, body=""):
    return f"define void @{name}() {{\n{body}" + "\n" * lines + "}"


HELPERS = [
    "@constant0 = internal constant i64 7",
    "define internal void @one() {\n  call void @two()\n}",
    "define internal void @two() {\n  call void @llvm.x()\n}",
]
SHARED = Shared(
    HELPERS,
    {"void @llvm.x()", "void @llvm.y()", "hidden void @part0(ptr, i64)"},
    ["!0 = !{!1}", "!1 = !{}", "!2 = distinct !{!2}"],
)


def test_small_functions_stay_together():
    text = modules_text([function("kernel", 5), function("part0", 5)], [], [], SHARED)
    assert APART not in text and SCHEDULED not in text
    assert "declare" not in text and "!" not in text and "constant" not in text


def test_a_module_has_what_it_names():
    body = "  call void @one()\n  br !0\n  load ptr, ptr @part0\n"
    text = modules_text([function("kernel", 300, body), function("part0", 300)], [], [], SHARED)
    kernel, part = text.split(APART)
    for needed in (
        "@one",
        "@two",
        "declare void @llvm.x()",
        "!0 = ",
        "!1 = ",
        "hidden void @part0",
    ):
        assert needed in kernel and needed not in part, needed
    for other in ("@constant0", "@llvm.y", "!2"):
        assert other not in kernel + part, other
    assert kernel.index("define internal") >= 0 and part.startswith("define void @part0")


def test_what_is_scheduled_comes_last():
    parts = [function(f"part{k}", 200) for k in range(3)]
    text = modules_text(parts, [], [function(f"contract{k}", 1000) for k in range(2)], SHARED)
    own, *scheduled = text.split(SCHEDULED)
    assert own.count(APART) == 2 and len(scheduled) == 2
    assert APART not in "".join(scheduled)


def test_what_has_no_loops_over_elements_comes_first():
    parts = [function(f"part{k}", 200) for k in range(2)]
    text = modules_text(parts, [], parts[:1], SHARED, [function("kernel", 50)])
    assert text.startswith(SCALAR + "define void @kernel()")
    assert text.count(SCALAR) == 1 and text.count(APART) == 2 and text.count(SCHEDULED) == 1
    assert text.index(APART) < text.index(SCHEDULED)
    kinds = [module.mark for module in engine._modules(text)]
    assert kinds == [SCALAR, APART, APART, SCHEDULED]


def test_no_module_is_of_few_lines_if_others_follow():
    parts = [function("kernel", 20), function("part0", 400), function("part1", 400)]
    assert modules_text(parts, [], [], SHARED).count(APART) == 1


# ---- programs ------------------------------------------------------------------------------------


def halved(n, k):
    steps = 0
    while n > 1:
        n = n // k if n % k == 0 else n + 1
        steps += 1
    return steps


def test_programs_of_scalars_are_compiled_by_few_passes():
    run = ag.convert(halved)
    given = np.int64(1000), np.int64(3)
    text = run.get_concrete_function(*given).lower("llvm")
    assert text.startswith(SCALAR) and APART not in text and "alwaysinline" in text
    assert "@divided" not in run.get_concrete_function(*given).lower("asm")
    assert run(*given) == halved(*given)
    looped = ag.convert(lambda x: x * 2).get_concrete_function(np.ones(100)).lower("llvm")
    assert SCALAR not in looped


def test_long_programs_of_scalars_are_several_modules_of_few_passes():
    lines = "\n".join(f"    x = x / {k}.5 + y\n    y = y / (x + {k})" for k in range(1, 1100))
    made = ag.convert_source(f"def f(x, y):\n{lines}\n    return x\n", "long").f
    x, y = np.float64(0.3), np.float64(0.7)
    text = ag.convert(made).get_concrete_function(x, y).lower("llvm")
    assert text.startswith(SCALAR) and text.count(SCALAR) > 1 and APART not in text
    np.testing.assert_array_equal(ag.convert(made)(x, y), made(x, y))


def network(x, w, v):
    y = np.tanh(x @ w)
    z = y @ v
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True), np.sum(y * np.sin(y), axis=0)


def arguments():
    rng = np.random.default_rng(3)
    return [rng.standard_normal(s).astype("f4") for s in ((600, 300), (300, 200), (200, 40))]


def test_a_network_is_several_modules_of_the_same_results_on_any_threads(traced, native_of):
    given = arguments()
    expected = network(*given)
    texts, objects, results = set(), set(), []
    for threads in (1, 2, 4):
        with config.threads.using(threads):
            run = native_of(traced(network, *given))
            texts.add(run.source)
            objects.add(engine.compile_text(run.source))
            results.append(run(*given))
    (text,) = texts
    assert APART in text and SCHEDULED in text and len(objects) == 1
    for found in results:
        for x, first, plain in zip(found, results[0], expected, strict=True):
            np.testing.assert_array_equal(x, first)
            np.testing.assert_allclose(x, plain, rtol=2e-4, atol=1e-5)


def test_what_llvm_links_is_the_same(traced, native_of, monkeypatch):
    given = arguments()
    expected = native_of(traced(network, *given))(*given)
    monkeypatch.setattr(engine.objects, "is_supported", lambda: False)
    found = native_of(traced(network, *given))(*given)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)


def test_the_instructions_of_all_modules_are_shown():
    asm = ag.convert(network).get_concrete_function(*arguments()).lower("asm")
    for name in ("enter:", "part0:", "contract0:"):
        assert name in asm, name
