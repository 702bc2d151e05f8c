"""Passes of XLA agree with the optimized HLO, and leave no file."""

from __future__ import annotations

import _thread
import signal
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import models
import numpy as np
import pytest
from jax import lax
from records import eqns_of, loose_ends

import jaxviz
from jaxviz.sentences import sentence
from jaxviz.tools.passes.stages import lost, passes_of


def there_and_back(x):
    return jnp.sin(lax.rev(lax.rev(x, (0,)), (0,)))


def twice_the_same(x):
    return jnp.sin(x) + jnp.sin(x)


def loop(w, x):
    def step(carry, t):
        carry = jnp.tanh(carry @ w) * 1.0 + t
        return carry, carry.sum()

    carry, sums = lax.scan(step, x, jnp.arange(5.0))
    return (carry * 2.0 / 2.0).sum() + sums.sum()


def chosen(x):
    return lax.cond(x.sum() > 0, jnp.sin, lambda x: x * 1.0, x)


X, SQUARE = jnp.ones(3), jnp.ones((8, 8))
PROGRAMS = {
    "there and back": (there_and_back, (X,)),
    "twice the same": (twice_the_same, (X,)),
    "a loop's gradient": (jax.grad(loop), (SQUARE, SQUARE)),
    "a choice": (chosen, (X,)),
    "a training step": models.plain_step(),
}


@cache
def passed(name: str) -> jaxviz.Passes:
    return jaxviz.passes(program_of(name))


def program_of(name: str) -> jaxviz.Program:
    fun, args = PROGRAMS[name]
    return jaxviz.inspect(fun)(*args)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_last_is_the_optimized_hlo_and_the_fates_are_its_own(name: str) -> None:
    found = passed(name)
    hlo = found.program.stage("hlo")
    last = found.stage(len(found.rows))
    assert (last.text, last.graphs) == (hlo.text, hlo.graphs)
    left = {number for eqn in eqns_of(hlo) for number in eqn.origin}
    gone = [number for row in found.rows for number in row.gone]
    unnamed = found.record.unnamed
    every = range(len(eqns_of(found.program.stage("jaxpr"))))
    assert sorted([*left, *gone, *unnamed]) == [*every]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_module_is_whole_and_has_what_its_pass_leaves(name: str) -> None:
    found = passed(name)
    for number, row in enumerate(found.rows, 1):
        stage = found.stage(number)
        assert (stage.kind, stage.error, loose_ends(stage)) == ("hlo", None, [])
        assert len(eqns_of(stage)) == row.instructions
        named = {number for eqn in eqns_of(stage) if not eqn.guess for number in eqn.origin}
        assert named.isdisjoint(row.gone)
        assert sum(op.after - op.before for op in row.ops) == row.instructions - (
            found.rows[number - 2].instructions if number > 1 else found.record.before
        )


@pytest.mark.parametrize(
    ("name", "op", "by"), [("there and back", "rev", "algsimp"), ("twice the same", "sin", "cse")]
)
def test_a_pass_that_is_known_to_take_an_eqn(name: str, op: str, by: str) -> None:
    found = passed(name)
    jaxpr = eqns_of(found.program.stage("jaxpr"))
    rows = [row for row in found.rows if any(jaxpr[one].op == op for one in row.gone)]
    assert [row.name for row in rows] == [by]
    assert f"{by}  (folded, removed or renamed: {op}" in str(found)
    [record] = [one for one in found.records() if one["gone"]]
    assert record["pass"] == by


def test_what_a_pass_changed_is_a_comparison() -> None:
    found = passed("there and back")
    [number] = [n for n, row in enumerate(found.rows, 1) if row.name == "algsimp" and row.gone]
    compared = found.compare(number).record.compared
    assert compared is not None
    stage = found.compare(number).record.stages[0]
    ops = [(eqns_of(stage)[mark.eqn].op, mark.kind) for mark in compared.marks]
    assert ("reverse", "removed") in ops
    assert ("sine", "removed") not in ops
    assert compared.after.endswith("algsimp")


def test_an_eqn_goes_where_it_is_last_named() -> None:
    present = [frozenset({0, 1, 2}), frozenset({0, 1}), frozenset({0, 2}), frozenset({0})]
    assert lost(present, left={0}) == [[], [1], [2]]
    assert lost(present, left={0, 2}) == [[], [1], []]


def test_constants_are_written_only_where_the_reader_agrees(folder: Path) -> None:
    canary = np.arange(300, dtype=np.float32) + 12345.5
    program = jaxviz.inspect(lambda x: x * jnp.asarray(canary)[3] + canary)(jnp.ones(300))
    with pytest.raises(ValueError, match="XLA would write 1,200 bytes of the program's constants"):
        jaxviz.passes(program)
    found = jaxviz.passes(program, constants=True)
    assert [*folder.iterdir()] == []
    texts = [found.stage(number).text for number in range(len(found.rows) + 1)]
    assert "1234" not in "".join([str(found), repr(found.records()), *texts])
    assert jaxviz.passes(program).rows == found.rows


def test_the_folder_goes_where_xla_refuses_the_program(folder: Path) -> None:
    def refused(x):
        return jax.ffi.ffi_call("nobody_registered_this", jax.ShapeDtypeStruct((3,), "float32"))(x)

    program = jaxviz.inspect(refused)(X)
    with pytest.raises(ValueError, match="XLA could not compile the program for cpu"):
        jaxviz.passes(program)
    assert [*folder.iterdir()] == []
    with pytest.raises(ValueError, match="XLA could not compile"):  # it is tried again
        jaxviz.passes(program)


def test_an_interrupt_ends_the_wait_and_the_folder_goes(folder: Path) -> None:
    program = program_of("a loop's gradient")
    program.stage("stablehlo")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored

    job = passes_of(program._stages)
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            _thread.interrupt_main()
            job.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    job.future.result()
    assert [*folder.iterdir()] == []


def test_the_folder_is_the_user_s_alone(folder: Path) -> None:
    made: list[int] = []

    def look(event: str, args: tuple[Any, ...]) -> None:
        if event == "os.mkdir" and str(args[0]).startswith(str(folder)):
            made.append(args[1])

    sys.addaudithook(look)
    jaxviz.passes(program_of("there and back"))
    assert made == [0o700]


def test_a_program_that_was_loaded_says_why_it_has_none(tmp_path: Path) -> None:
    program = program_of("there and back")
    program.save(tmp_path / "f.json")
    with pytest.raises(ValueError, match="are no longer available") as raised:
        jaxviz.passes(jaxviz.load(tmp_path / "f.json"))
    assert raised.value.args == (sentence("passes gone"),)


def test_a_lowered_program_says_what_to_give_instead() -> None:
    with pytest.raises(ValueError, match=r"Pass the function, or f\.trace"):
        jaxviz.passes(jaxviz.inspect(jax.jit(jnp.sin).lower(1.0)))


def test_they_can_be_reported_once_all_stages_are_there() -> None:
    program = program_of("there and back")
    for kind in ("stablehlo", "hlo"):
        program.stage(kind)
    assert len(jaxviz.passes(program).rows) > 0
    assert program._stages._later is None
