"""A program that could end the kernel is compiled by another process, which ends with the wait."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from programs import shaped
from test_capture import in_another_process

import jaxviz
from jaxviz.capture.stages import compiling, refusal
from jaxviz.capture.stages.compiling import COMPILING_ELSEWHERE
from jaxviz.safety import background
from jaxviz.schema import Stage
from jaxviz.sentences import sentence


def rnn(steps: int):
    def run(h, xs):
        for step in range(steps):
            h = jnp.tanh(0.5 * h + xs[step % 8])
        return h

    return run


def program(steps: int = 30) -> jaxviz.Program:
    return jaxviz.inspect(rnn(steps))(shaped(8), shaped(8, 8))


def ops(stage: Stage) -> Counter[tuple[str, tuple[int, ...]]]:
    return Counter((eqn.op, tuple(eqn.origin)) for graph in stage.graphs for eqn in graph.eqns)


@pytest.fixture
def dangerous(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes ten ops in a row too long for the kernel. Progress is reported before another process
    can end."""
    monkeypatch.setattr(refusal, "LONGEST_RUN", 10)
    monkeypatch.setattr(background, "SECONDS_BETWEEN_REPORTS", 0.01)


def test_the_stage_is_as_if_the_kernel_had_made_it(monkeypatch: pytest.MonkeyPatch):
    here = program().stage("hlo")
    monkeypatch.setattr(refusal, "LONGEST_RUN", 10)
    there = program().stage("hlo")
    assert there.error is None
    assert there.notes == [*here.notes, sentence("compiled elsewhere")]
    assert ops(there) == ops(here)
    assert (there.reported, there.memory, there.cost) == (here.reported, here.memory, here.cost)


def test_what_the_user_lowered_is_compiled_there_too(dangerous):
    stage = jaxviz.inspect(jax.jit(rnn(30)).lower(shaped(8), shaped(8, 8))).stage("hlo")
    assert stage.error is None
    assert sentence("compiled elsewhere") in stage.notes


SHARDED = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax, jaxviz
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jaxviz.capture.stages import refusal
mesh = Mesh(jax.devices(), "d")
f = jax.jit(lambda x, y: (x @ y).sum(), in_shardings=NamedSharding(mesh, P("d")))
x = jax.ShapeDtypeStruct((8, 8), "float32")
def ops():
    stage = jaxviz.inspect(f)(x, x).stage("hlo")
    return [eqn.op for graph in stage.graphs for eqn in graph.eqns], len(stage.notes)
here, count = ops()
refusal.LONGEST_RUN = 0
there, more = ops()
print(here == there, more - count, any("all-" in op for op in there))
"""


def test_it_has_the_devices_of_the_kernel():
    assert in_another_process(SHARDED) == "True 1 True"


def test_its_end_is_one_sentence(dangerous):
    def tell(doing: str, seconds: float) -> None:
        for child in children() if doing == COMPILING_ELSEWHERE else ():
            os.kill(int(child), signal.SIGSEGV)  # as where its stack is full

    assert str(program().stage("hlo", tell).error) == (
        "XLA could not compile the program for cpu (the process that did it was ended: SIGSEGV). "
        "Write the repeated part as a lax.scan."
    )


def test_it_is_ended_after_a_while(dangerous, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "LONGEST_COMPILING", 0.01)
    error = program().stage("hlo").error
    assert error is not None
    assert "it was not done within 0.01 seconds" in error
    assert children() == []


def test_where_nobody_waits_it_is_ended_and_asking_again_makes_it(dangerous):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    seen = program()

    def tell(doing: str, seconds: float) -> None:
        for child in children() if doing == COMPILING_ELSEWHERE else ():
            os.kill(int(child), signal.SIGSTOP)  # so it is not done before it is ended
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        seen.stage("hlo", tell)
    signal.signal(signal.SIGINT, before)
    for thread in threading.enumerate():
        if thread.name == "jaxviz":
            thread.join()
    assert children() == []
    assert [stage.kind for stage in seen.record.stages] == ["jaxpr"]
    assert seen.stage("hlo").error is None


def children() -> list[str]:
    """The interpreters that this one began and that still run."""
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that has ended meanwhile
            found += (task / "children").read_text().split()
    return [child for child in found if is_interpreter(child)]


def is_interpreter(child: str) -> bool:
    """True if a process compiles or will compile. One that just began is still a copy of this
    one."""
    try:
        return b"jaxviz.capture" in Path("/proc", child, "cmdline").read_bytes()
    except FileNotFoundError:
        return False


def test_it_ends_when_the_kernel_is_gone():
    command = [sys.executable, "-m", "jaxviz.capture", "compile", str(os.getppid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.wait() == 2


@pytest.mark.slow
def test_a_long_loop_that_was_written_out_has_all_stages_linked():
    stage = program(6_000).stage("hlo")
    assert stage.error is None
    assert sentence("compiled elsewhere") in stage.notes
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    assert sum(eqn.op == "tanh" for eqn in eqns) == 6_000
    assert sum(bool(eqn.origin or eqn.guess) for eqn in eqns) > 0.95 * len(eqns)
