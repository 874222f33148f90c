"""The processor that code is made for."""

import platform

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.execute.native import library, processor

pytest.importorskip("llvmlite", exc_type=ImportError)
is_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="only x86-64 has these levels"
)
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
VECTORS = dict(zip(LEVELS, (16, 32, 64)))


def has(monkeypatch, level):
    """Have the machine be one of a level."""
    monkeypatch.setattr(processor, "_own_instructions", lambda: processor._LEVELS[level])


@is_x86
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_and_what_is_below_it_are_there(level, monkeypatch):
    has(monkeypatch, level)
    assert list(processor.levels()) == LEVELS[: LEVELS.index(level) + 1]
    for cpu in processor.levels():
        with config.cpu.using(cpu):
            assert processor.vector_bytes() == VECTORS[cpu]
            assert processor.has_fma() == (cpu != "x86-64-v2")
            assert processor.for_llvm().name == cpu


@is_x86
def test_code_for_a_level_depends_on_nothing_else_of_the_machine(monkeypatch):
    found = []
    for maker in ("GenuineIntel", "AuthenticAMD"):
        monkeypatch.setattr(processor, "_described", lambda maker=maker: f"vendor_id\t: {maker}")
        has(monkeypatch, "x86-64-v3")
        with config.cpu.using("x86-64-v3"):
            found.append((processor.key(), processor.for_llvm()))
            assert not processor.has_slow_subnormals() and not processor.has_whole_products()
        with config.cpu.using("native"):
            found.append(processor.key())
            assert processor.has_slow_subnormals() == (maker == "GenuineIntel")
            assert processor.has_whole_products() == (maker == "AuthenticAMD")
    assert found[0] == found[2] and found[1] != found[3]


def converted(x):
    return ag.convert(lambda x: np.tanh(x) * x + 1)(x)


@is_x86
def test_a_level_above_the_machines_is_an_error_of_each_call(monkeypatch):
    has(monkeypatch, "x86-64-v2")
    with config.cpu.using("x86-64-v3"):
        for _ in range(2):
            with pytest.raises(ValueError, match="processor has no avx, avx2, bmi, .*, movbe") as e:
                converted(np.arange(9.0))
    assert "'x86-64-v3'" in str(e.value)
    assert str(e.value).endswith("set AUTOGRAPH_CPU to native or x86-64-v2")


def test_another_kind_of_machine_is_native_alone(monkeypatch):
    monkeypatch.setattr(processor, "_IS_X86", False)
    assert processor.levels() == {}
    with config.cpu.using("x86-64-v2"), pytest.raises(ValueError, match="of another kind") as error:
        converted(np.arange(9.0))
    assert str(error.value).endswith("set AUTOGRAPH_CPU to native")
    x = np.arange(9.0)
    with config.cpu.using("native"):
        assert processor.has_fma()
        np.testing.assert_array_max_ulp(converted(x), np.tanh(x) * x + 1, 2)


def test_short_names_are_names():
    with config.cpu.using("v3"):
        assert config.cpu.value == "x86-64-v3"
    for wrong in ("x86-64-v1", "v5", "znver3", "", 3):
        with pytest.raises(ValueError, match="native, x86-64-v2, x86-64-v3, x86-64-v4"):
            config.cpu.set(wrong)


@is_x86
def test_a_function_is_compiled_for_the_processor_of_its_first_call():
    x = np.random.default_rng(2).normal(size=(7, 60)) * 3
    found = {}
    for cpu in ("native", *processor.levels()):
        function = ag.convert(lambda x: np.sin(x) @ np.exp(x).T + np.cbrt(x[:, :7]))
        with config.cpu.using(cpu), config.cache_dir.using("off"):
            found[cpu] = function(x)
            text = function.get_concrete_function(x).lower("llvm")
            assert ("llvm.fma" in text) == processor.has_fma()
            assert ("zmm" in function.get_concrete_function(x).lower("asm")) == (
                processor.vector_bytes() == 64
            )
        np.testing.assert_array_equal(function(x), found[cpu])
        np.testing.assert_allclose(found[cpu], found["native"], rtol=1e-13)


@pytest.mark.skipif(not processor.levels(), reason="the system does not tell the processor")
def test_the_system_tells_what_llvm_tells():
    theirs = {x[1:] for x in processor._host()[1].split(",") if x.startswith("+")}
    known = processor._LEVELS["x86-64-v4"]
    assert processor._own_instructions() & known == theirs & known


def test_where_the_system_does_not_tell_the_processor_llvm_does(monkeypatch):
    monkeypatch.setattr(processor, "_lines", lambda path: ["model\t: 17"])
    assert processor._host()[0] in processor._described.__wrapped__()
    monkeypatch.setattr(processor, "_described", processor._described.__wrapped__)
    assert "+" + min(processor._own_instructions.__wrapped__()) in processor._host()[1]
    monkeypatch.undo()
    assert processor._lines("/no/such/file") == []
    assert library.is_in_use()
