"""Files of StableHLO and HLO, as JAX and XLA write them, are programs; others do no harm."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from golden_jax import part
from jax import export

import jaxviz
from jaxviz.capture.artifacts import module_files
from jaxviz.schema import Stage


def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w))


JITTED = jax.jit(loss)
SHAPES = jax.ShapeDtypeStruct((4, 8), "float32"), jax.ShapeDtypeStruct((3, 4), "float32")


def bytecode() -> bytes:
    written = io.BytesIO()
    module: Any = JITTED.lower(*SHAPES).compiler_ir("stablehlo")
    module.operation.write_bytecode(written)
    return written.getvalue()


def optimized() -> Any:
    executable: Any = JITTED.lower(*SHAPES).compile().runtime_executable()
    return executable.hlo_modules()[0]


FILES = {
    "text.mlir": lambda: JITTED.lower(*SHAPES).as_text(debug_info=True).encode(),
    "bytecode.mlirbc": bytecode,
    "exported.bin": lambda: export.export(JITTED)(*SHAPES).mlir_module_serialized,
    "optimized.txt": lambda: optimized().to_string().encode(),
    "optimized.pb": lambda: optimized().as_serialized_hlo_module_proto(),
}
STABLEHLO = {"text.mlir", "bytecode.mlirbc", "exported.bin"}


@pytest.mark.parametrize("file", [*FILES])
def test_a_file_of_a_compiler_is_a_program_with_its_stage_alone(file, tmp_path: Path):
    (tmp_path / file).write_bytes(FILES[file]())
    program = jaxviz.load(tmp_path / file)
    assert program.name == "loss"
    assert [(leaf.path, leaf.aval.text) for leaf in program.args] == [
        ("w", "f32[4,8]"),
        ("x", "f32[3,4]"),
    ]
    made = [stage for stage in program.record.stages if stage.error is None]
    kind, held = (
        ("stablehlo", "StableHLO ops") if file in STABLEHLO else ("hlo", "HLO instructions")
    )
    assert [stage.kind for stage in made] == [kind]
    assert ops_of(made[0]) >= {"tanh", "dot_general" if kind == "stablehlo" else "dot"}
    assert made[0].cost is not None
    for stage in program.record.stages:
        if stage.kind != kind:
            only = f"it has only {held.split()[0]}."
            assert str(stage.error) == f"The file does not contain it: {only}"
    program.save(tmp_path / "p.svg")
    assert f"{held}<" in (tmp_path / "p.svg").read_text()


def ops_of(stage: Stage) -> set[str]:
    return {eqn.op.rpartition(".")[2] for graph in stage.graphs for eqn in graph.eqns}


@pytest.mark.parametrize("kind", ["stablehlo", "hlo"])
def test_the_text_that_we_save_is_read_again(kind, tmp_path: Path):
    file = tmp_path / ("p.mlir" if kind == "stablehlo" else "p.hlo")
    program = jaxviz.inspect(JITTED)(*SHAPES)
    program.save(file)
    again = jaxviz.load(file)
    assert ops_of(again.stage(kind)) == ops_of(program.stage(kind))


@pytest.mark.slow
def test_what_xla_dumps_is_read_before_and_after_its_optimizations(tmp_path: Path):
    code = (
        "import jax, jax.numpy as jnp\n"
        "def loss(w, x): return jnp.sum(jnp.tanh(x @ w))\n"
        "jax.jit(loss).lower(jnp.ones((4, 8)), jnp.ones((3, 4))).compile()"
    )
    flags = f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_proto --xla_dump_hlo_as_text"
    env = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    files = [
        *tmp_path.glob("*.jit_loss.before_optimizations.txt"),
        *tmp_path.glob("*.jit_loss.*after_optimizations.txt"),
        *tmp_path.glob("*.jit_loss.before_optimizations.hlo.pb"),
        *tmp_path.glob("*.jit_loss.*after_optimizations.hlo.pb"),
    ]
    assert len(files) == 4
    for file in files:
        program = jaxviz.load(file)
        assert program.name == "loss", file
        assert ops_of(program.stage("hlo")) >= {"tanh", "dot"}, file


def test_values_of_arrays_are_not_read(tmp_path: Path):
    table = jnp.arange(1000, 1064, dtype="float32")
    lowered = jax.jit(lambda x: x + table).lower(table)
    (tmp_path / "f.mlir").write_text(lowered.as_text())
    executable: Any = lowered.compile().runtime_executable()
    (tmp_path / "f.pb").write_bytes(executable.hlo_modules()[0].as_serialized_hlo_module_proto())
    for file in ("f.mlir", "f.pb"):
        jaxviz.load(tmp_path / file).save(tmp_path / "p.json")
        assert "1037" not in (tmp_path / "p.json").read_text()


HOSTILE = {
    "words.txt": b"hello",
    "broken.mlir": b"module { func.func @main( }",
    "empty.mlir": b"module {}",
    "circle.mlir": b"module { func.func @main(%a: tensor<i32>) -> tensor<i32> "
    b"{ %0 = func.call @main(%a) : (tensor<i32>) -> tensor<i32>\n return %0 : tensor<i32> } }",
    "broken.mlirbc": b"ML\xefR" + bytes(range(256)),
    "broken.txt": b"HloModule f\n\nENTRY %main {\n  foo\n}",
    "noise.pb": bytes(range(256)) * 8,
    "pickle.pb": b"\x80\x04cposix\nsystem\n(S'touch harmed'\ntR.",
    "deep.mlir": b"module { func.func @main(%a: tensor<i32>) {\n" + b'"a.b"() ({\n' * 100_000,
    "deep.txt": b"HloModule f\nENTRY %main (a: " + b"(" * 1_000_000,
}


@pytest.mark.parametrize("file", part(HOSTILE, of=3))
def test_a_file_that_is_none_is_refused_in_one_sentence(file, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_bytes(HOSTILE[file])
    with pytest.raises(ValueError, match="is no program: ") as refused:
        jaxviz.load(file)
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert ("['main'" in sentence, "out of range" in sentence) == (False, False)
    assert sentence.endswith(
        "; name a .json file that Program.save wrote, or one of StableHLO or HLO."
    )
    assert len(sentence) < 400
    assert not (tmp_path / "harmed").exists()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module_files, "LARGEST_FILE", 1 << 20)
    (tmp_path / "large.mlir").write_bytes(b"module {}" + b" " * (2 << 20))
    with pytest.raises(ValueError, match="it has 2 MiB, and at most 1 are read"):
        jaxviz.load(tmp_path / "large.mlir")


def test_a_reading_that_does_not_end_is_given_up(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module_files, "LONGEST_READING", 0.01)
    (tmp_path / "f.mlir").write_text(JITTED.lower(*SHAPES).as_text())
    with pytest.raises(ValueError, match="it was not done within"):
        jaxviz.load(tmp_path / "f.mlir")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        jaxviz.load(tmp_path / "nothing.mlir")


def test_a_module_beside_the_notebook_is_not_run(tmp_path: Path, monkeypatch):
    """The folder of the notebook is not on the interpreter's path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jax.py").write_text("open('harmed', 'w')")
    (tmp_path / "f.mlir").write_text(JITTED.lower(*SHAPES).as_text())
    assert jaxviz.load("f.mlir").name == "loss"
    assert not (tmp_path / "harmed").exists()
