"""An object of JAX that is the last value of a cell is drawn, and stays text where it should."""

from __future__ import annotations

from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from notebook import Kernel, kernel_fixture, view_of
from shells import Run, shell_fixture

from jaxviz import schema
from jaxviz.magics import load_ipython_extension, objects, unload_ipython_extension

SETUP = """
import jax, jax.numpy as jnp
from jax import export
def loss(w, x): return jnp.sum(jnp.tanh(x @ w) * 2.0)
w, x = jnp.ones((4, 8)), jnp.ones((3, 4))
step = jax.jit(loss)
def long(x):
    for _ in range(60): x = jnp.sin(x)
    return x
class Drawn(type(jax.make_jaxpr(loss)(w, x))):
    def _repr_html_(self): return "<b>own</b>"
class Hidden(type(jax.make_jaxpr(loss)(w, x))):
    def __repr__(self): raise RuntimeError("no text")
    def _repr_pretty_(self, p, cycle): raise RuntimeError("no text")
made = jax.make_jaxpr(loss)(w, x)
"""
JAXPR = "jax.make_jaxpr(loss)(w, x)"
OBJECTS = (
    JAXPR,
    "step.trace(w, x)",
    "step.lower(w, x)",
    "step.lower(w, x).compile()",
    "export.export(step)(w, x)",
)
shell = shell_fixture(SETUP, "function")
kernel = kernel_fixture("%load_ext jaxviz\n" + SETUP)


def shown(shell: InteractiveShell, code: str) -> dict[str, Any]:
    """The bundle of a cell's last value, as the kernel sends it."""
    display: Any = shell.display_formatter
    return display.format(shell.ev(code))[0]


@pytest.mark.parametrize("code", OBJECTS)
def test_it_is_drawn_with_the_text_that_it_has(shell, code):
    bundle = shown(shell, code)
    assert {schema.MIME, "text/html", "text/plain"} == {*bundle}
    assert "<img" in bundle["text/html"]
    Run(shell, "%jaxviz off")
    own = shown(shell, code)
    assert {*own} == {"text/plain"}
    if code == JAXPR:
        assert bundle["text/plain"] == own["text/plain"]
    else:  # an address, or the bytes of a module
        assert bundle["text/plain"].startswith("loss(w, x) → f32[]: ")
    Run(shell, "%jaxviz on")
    assert schema.MIME in shown(shell, code)


def test_the_setting_and_the_magic_are_one(shell):
    Run(shell, "%config JaxvizMagics.draws_objects = False")
    assert {*shown(shell, JAXPR)} == {"text/plain"}
    Run(shell, "%jaxviz on")
    assert schema.MIME in shown(shell, JAXPR)
    assert "draws_objects=<Bool>" in Run(shell, "%config JaxvizMagics").out


def test_unloading_takes_the_formatters_away(shell):
    assert schema.MIME in shown(shell, JAXPR)  # so IPython has found the class
    unload_ipython_extension(shell)
    assert all({*shown(shell, code)} == {"text/plain"} for code in OBJECTS)
    load_ipython_extension(shell)
    assert schema.MIME in shown(shell, JAXPR)
    Run(shell, "%config JaxvizMagics.draws_objects = False")
    assert {*shown(shell, JAXPR)} == {"text/plain"}


def test_a_formatter_of_the_user_comes_back():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    display: Any = shell.display_formatter
    bundles = display.mimebundle_formatter
    (named, *_) = objects.object_classes()
    bundles.for_type(named, lambda value: {"text/html": "mine"})
    shell.run_cell(SETUP).raise_error()
    load_ipython_extension(shell)
    assert schema.MIME in shown(shell, JAXPR)
    unload_ipython_extension(shell)
    assert shown(shell, JAXPR)["text/html"] == "mine"
    InteractiveShell.clear_instance()


def test_what_the_user_has_drawn_stays_as_it_is(shell):
    assert shown(shell, "Drawn(made.jaxpr, made.consts)")["text/html"] == "<b>own</b>"
    assert schema.MIME not in shown(shell, "Drawn(made.jaxpr, made.consts)")


def test_a_subclass_is_drawn_and_one_without_a_text_does_not_fail(shell):
    run = Run(shell, "Hidden(made.jaxpr, made.consts)")
    assert run.result.success
    assert schema.MIME in shell.display_formatter.format(run.result.result)[0]


def test_a_part_of_a_jaxpr_stays_text(shell):
    bundle = shown(shell, "made.jaxpr.eqns[0]")
    assert {*bundle} == {"text/plain"}


def test_a_terminal_has_the_text_alone(shell):
    shell.display_formatter.active_types = ["text/plain"]
    for code in OBJECTS:
        assert {*shown(shell, code)} == {"text/plain"}


@pytest.mark.parametrize(
    ("code", "counted"),
    [
        ("jax.make_jaxpr(long)(x)", "60 eqns"),
        ("jax.jit(long).trace(x)", "60 eqns"),
        ("jax.jit(long).lower(x)", "63 ops"),
        ("export.export(jax.jit(long))(x)", "63 ops"),
        ("jax.jit(long).lower(x).compile()", "instructions"),
    ],
)
def test_a_huge_one_is_text_and_one_line(shell, code, counted, monkeypatch):
    monkeypatch.setattr(objects, "MOST_EQNS", 59)
    bundle = shown(shell, code)
    assert {*bundle} == {"text/plain"}
    *own, line = bundle["text/plain"].splitlines()
    assert counted in line
    assert line.startswith("jaxviz: ")
    assert line.endswith("at most 59 are drawn without a request: jaxviz.show(…) draws it.")
    Run(shell, "%jaxviz off")
    plain = shown(shell, code)["text/plain"]
    assert " at 0x" in plain or own == [*plain.splitlines(), ""]


def test_a_long_one_has_a_summary_as_its_text(shell, monkeypatch):
    monkeypatch.setattr(objects, "MOST_EQNS_OF_TEXT", 59)
    assert shown(shell, "jax.make_jaxpr(long)(x)")["text/plain"].startswith("long(x) → ")


def test_a_failure_leaves_the_text_and_is_reported_once(shell, monkeypatch):
    def fails(*_: Any) -> None:
        raise RuntimeError("<b>secret</b>")

    monkeypatch.setattr(objects, "whole_bundle", fails)
    first, second = shown(shell, JAXPR), shown(shell, JAXPR)
    assert {*first} == {*second} == {"text/plain"}
    *own, line = first["text/plain"].splitlines()
    assert line == "jaxviz: this is not drawn: RuntimeError"
    assert own == [*second["text/plain"].splitlines(), ""]


def test_hostile_names_are_harmless(shell):
    shell.run_cell(
        "def f(p): return p['<script>'] * 2\n"
        "f.__name__ = f.__qualname__ = '</pre><img src=x onerror=alert(1)>\\x1b[31m'"
    ).raise_error()
    html = shown(shell, "jax.make_jaxpr(f)({'<script>': x})")["text/html"]
    assert "<script" not in html
    assert "<img src=x" not in html
    assert "\x1b" not in html


def test_nothing_is_traced_lowered_or_compiled_for_it(shell):
    shell.run_cell("import jaxviz; t = step.trace(w, x); c = t.lower().compile()").raise_error()
    run = Run(shell, "with jaxviz.watch() as log:\n    display(t, c, made)")
    assert run.result.success
    assert list(shell.user_ns["log"].events) == []


@pytest.mark.parametrize(
    ("code", "later"),
    [
        (JAXPR, "hlo"),
        ("step.trace(w, x)", "hlo"),
        ("step.lower(w, x)", "hlo"),
        ("step.lower(w, x).compile()", None),
        ("export.export(step)(w, x)", None),
    ],
)
def test_a_page_asks_for_the_later_stages(kernel: Kernel, code: str, later: str | None):
    (output,) = kernel.run("drawn", code)
    assert "execution_count" in output  # it is the cell's result, not a display beside it
    assert {"text/plain", "text/html", schema.MIME} <= {*output["data"]}
    if later is not None:
        view = view_of(kernel, output)
        view.send({"ask": 1, "stage": later})
        _, stage = view.answer(1)
        assert stage is not None
        assert stage.error is None
        view.close()
    (value,) = kernel.run("same", "type(_)")
    assert {*value["data"]} == {"text/plain"}


def test_a_page_sees_text_after_off(kernel: Kernel):
    kernel.run("off", "%jaxviz off")
    (output,) = kernel.run("drawn", JAXPR)
    assert {*output["data"]} == {"text/plain"}
    kernel.run("on", "%jaxviz on")
    (output, *_) = kernel.run("drawn", JAXPR)
    assert schema.MIME in output["data"]
