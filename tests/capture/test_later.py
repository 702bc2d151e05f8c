"""Later stages are made only when asked for, and the user's program is as if they were not."""

from __future__ import annotations

import _thread
import gc
import itertools
import signal
import sys
import threading
import warnings
import weakref

import jax
import jax.experimental
import jax.extend.core
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from programs import shaped
from test_capture import in_another_process
from test_capture_text import nested

from jaxviz.capture import capture
from jaxviz.capture.stages.lowering import warnings_repeated
from jaxviz.capture.stages.refusal import could_end_the_kernel, refusal
from jaxviz.safety.background import result_of
from jaxviz.sentences import sentence

KINDS = ("stablehlo", "hlo")


class Stages:
    """The later stages of a call."""

    def __init__(self, function, *args):
        self.captured = capture(function, args, {})
        self.jaxpr = self.captured.jaxpr()

    def stage(self, kind, tell=lambda doing: None):
        return self.captured.later.stage(kind, self.jaxpr, tell)


def made(function, *args, kind="stablehlo"):
    return Stages(function, *args).stage(kind)


def test_the_body_runs_once_and_the_user_s_next_call_traces_nothing():
    runs: list[object] = []

    @jax.jit
    def f(x):
        runs.append(x)
        return jnp.sin(x)

    stages = Stages(f, 1.0)
    assert [stages.stage(kind).error for kind in KINDS] == [None, None]
    f(1.0)
    assert f._cache_size() == 1  # pyright: ignore[reportAttributeAccessIssue]
    assert len(runs) == 1
    assert f.lower(1.0).as_text(debug_info=True).count("jv0") == 0


def test_what_is_done_is_reported_and_lowering_is_done_once():
    stages = Stages(jnp.sin, 1.0)
    told: list[str] = []
    stages.stage("hlo", told.append)
    assert told == ["lowering", "compiling", "reading the executable"]
    told.clear()
    stages.stage("stablehlo", told.append)
    assert told == ["reading the module"]


def test_a_kind_that_there_is_not():
    with pytest.raises(ValueError, match="no later stage 'jaxpr'"):
        made(jnp.sin, 1.0, kind="jaxpr")


def test_arguments_are_not_kept():
    argument = jnp.arange(4.0)
    gone = weakref.ref(argument)
    stages = Stages(lambda x: x * 2, argument)
    del argument
    gc.collect()
    assert gone() is None
    assert stages.stage("stablehlo").error is None


def on_a_tpu(x_ref, y_ref):
    y_ref[...] = x_ref[...] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_for_another_device_is_refused_with_its_reason(kind):
    def double(x):
        return pl.pallas_call(on_a_tpu, out_shape=jax.ShapeDtypeStruct((8,), "float32"))(x)

    stage = made(double, shaped(8), kind=kind)
    assert stage.error is not None
    assert str(stage.error).startswith(
        "JAX could not lower the program for cpu (ValueError: Only inter"
    )
    assert stage.graphs == stage.frames == stage.scopes == stage.notes == []


def test_a_program_that_is_nested_too_deep_is_refused_with_a_way_on():
    def f(x):
        return jax.extend.core.jaxpr_as_fun(nested(700))(x)[0]

    stage = made(f, 1.0)
    assert stage.error is not None
    assert "RecursionError" in stage.error
    assert "write the nesting as a lax.scan" in stage.error


def test_what_could_end_the_kernel_is_compiled_by_another_process():
    deep = jax.extend.core.jaxpr_as_fun(nested(70))
    program = capture(deep, (1.0,), {}).program
    assert str(could_end_the_kernel(program.stages[0])) == (
        "The program is nested 70 levels deep, and compiling it could crash the kernel: write the "
        "nesting as a lax.scan. jaxviz compiles up to 64 levels."
    )
    stage = made(deep, 1.0, kind="hlo")
    assert stage.error is None
    assert sentence("compiled elsewhere") in stage.notes


def test_refusals_are_one_line_of_plain_text():
    error = RuntimeError("RESOURCE_EXHAUSTED: \x1b[31m<b>Out\u202e of memory\nat /home/someone")
    text = refusal("compiling", error)
    assert str(text) == (
        "XLA could not compile the program for cpu (RuntimeError: RESOURCE_EXHAUSTED: "
        "\ufffd[31m<b>Out\ufffd of memory). It does not fit into memory: capture it with smaller "
        "shapes."
    )
    assert "MemoryError: no reason given" in refusal("lowering", MemoryError())


def test_an_interrupt_ends_the_wait_at_once():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    release = threading.Event()

    def work() -> None:
        _thread.interrupt_main()
        release.wait()

    with pytest.raises(KeyboardInterrupt):
        result_of(work)
    release.set()
    signal.signal(signal.SIGINT, before)


def test_what_a_thread_raises_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        result_of(lambda: 1 / 0)


def test_where_jax_keeps_a_call_elsewhere_it_is_lowered_from_its_jaxpr():
    stages = Stages(lambda x, y: jax.lax.cumsum(jnp.sin(x) * y), shaped(3), shaped(3))
    stages.captured.later._program.traced = None
    for kind in KINDS:
        stage = stages.stage(kind)
        assert stage.error is None
        assert any(eqn.origin for graph in stage.graphs for eqn in graph.eqns)
        assert stage.notes[0].text.startswith("This version of JAX")


x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # pyright: ignore[reportAttributeAccessIssue]


def double(x):
    return jax.lax.cumsum(x * 2.5)


def test_settings_of_the_capture_hold_later_and_in_other_threads():
    with x64(True):
        stages = Stages(double, np.ones(3))
        plain = jax.jit(double).lower(np.ones(3)).as_text()
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(stages.stage("stablehlo").text))
    thread.start()
    thread.join()
    assert found == [plain.rstrip("\n") + "\n"]
    assert "f64" in plain
    assert stages.stage("hlo").error is None
    assert not jax.config.jax_enable_x64  # pyright: ignore[reportAttributeAccessIssue]


CACHED = """
import os, sys, tempfile
import jax, jax.numpy as jnp
from jaxviz.capture import capture
folder = tempfile.mkdtemp()
jax.config.update("jax_compilation_cache_dir", folder)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
f = jax.jit(lambda x: jnp.sin(x) @ x)
x = jax.ShapeDtypeStruct((8, 8), "float32")
def linked():
    captured = capture(f, (x,), {})
    stage = captured.later.stage("hlo", captured.jaxpr(), lambda doing: None)
    return sum(bool(eqn.origin) for graph in stage.graphs for eqn in graph.eqns)
before = linked()
written = os.listdir(folder)
f.lower(x).compile()
print(before > 0, written, len(os.listdir(folder)) > 0, linked() == before)
"""


def test_the_cache_on_disk_is_neither_written_nor_read():
    assert in_another_process(CACHED) == "True [] True True"


def test_what_jax_warns_of_it_warns_of_again_in_the_users_own_call():
    f = jax.jit(lambda x: x.sum(), donate_argnums=0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        assert made(f, jnp.ones(5)).error is None
        warned.clear()
        f(jnp.ones(5))
    assert ["Some donated buffers were not" in str(one.message) for one in warned] == [True]


def test_a_module_that_is_imported_meanwhile_changes_nothing(monkeypatch):
    """A cell imports in one thread while a view's request is lowered in another. Python changes
    threads where its garbage collector calls JAX."""
    numbers = itertools.count()

    def imports(phase, info):
        monkeypatch.setitem(sys.modules, f"jaxviz_imported_{next(numbers)}", gc)

    threshold = gc.get_threshold()
    gc.callbacks.append(imports)
    gc.set_threshold(1)
    try:
        with warnings_repeated():
            pass
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(imports)
    assert next(numbers) > 0
