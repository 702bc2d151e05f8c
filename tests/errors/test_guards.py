"""A step that fails is empty, and the rest of a card, a reason, a name or the findings stands.

The steps are read from the code: each call of `guarded` and `as_far` in `jaxviz`. In each of them a
failure is planted, one after another, and what is made then is held against what is made without.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from flax import nnx
from IPython.core.interactiveshell import InteractiveShell
from shells import SETUP, Run, shell_fixture
from truth.errors.cases import CASES, HERE, Case

import jaxviz
from jaxviz import schema
from jaxviz.analysis.findings import findings_of_frozen, findings_of_log
from jaxviz.capture.failure.by_kind import _RULES
from jaxviz.capture.failure.libraries.rules import LIBRARIES
from jaxviz.explain import explanation_of
from jaxviz.session.session import Session

SOURCE = Path(jaxviz.__file__).parent
OF_KIND = (
    *("kind", "title", "why", "page", "fixes", "sides", "story", "root", "asked", "largest"),
)
"""Fields that follow from the kind of an error. An error without a kind is `general`."""
EMPTY: tuple[Any, ...] = ("", [], None, {}, 0, "other", "unknown")
"""Values of a step that failed."""
shell = shell_fixture(SETUP)


class Step(NamedTuple):
    """A step that is guarded."""

    module: str
    name: str
    """The name; a method has its class: `History._why_traced`."""

    @property
    def area(self) -> str:
        return next(area for area in AREAS if self.module.startswith(area))


def steps() -> Iterator[Step]:
    """The steps of all files."""
    for file in sorted(SOURCE.rglob("*.py")):
        path = file.relative_to(SOURCE.parent).with_suffix("")
        module = ".".join(path.parts).removesuffix(".__init__")
        tree = ast.parse(file.read_text(encoding="utf-8"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = {"guarded": 1, "as_far": 0}.get(node.func.id)
                if place is not None:
                    owners = [one.name for one in classes if node in [*ast.walk(one)]]
                    yield from steps_of(module, node.args[place], owners)


def steps_of(module: str, node: ast.expr, owners: list[str]) -> Iterator[Step]:
    match node:
        case ast.Name(id="rule"):  # one of a table
            here = {case.kind for case in HERE}  # a process of several devices has the others
            yield from (Step(module, f"_RULES.{kind}") for kind in _RULES if kind in here)
        case ast.Name(id=name):
            yield Step(module, name)
        case ast.Attribute(value=ast.Attribute(attr="_programs" | "programs"), attr=name):
            yield Step("jaxviz.capture.events.programs", f"Programs.{name}")
        case ast.Attribute(value=ast.Attribute(attr="frozen"), attr=name):
            yield Step("jaxviz.capture.events.frozen.frozen_traces", f"FrozenTraces.{name}")
        case ast.Attribute(value=ast.Name(id="before"), attr=name):
            yield Step(module, f"Before.{name}")
        case ast.Attribute(value=ast.Name(id=owner), attr=name):
            yield Step(module, f"{owners[0] if owner == 'self' else owner}.{name}")
        case _:
            raise AssertionError(f"{module}: {ast.unparse(node)} has no name")


def planted(monkeypatch: pytest.MonkeyPatch, step: Step) -> list[Step]:
    """Plants a failure in a step, and returns a list that has the step once it ran."""
    ran: list[Step] = []

    def fail(*args: Any, **kwargs: Any) -> Any:
        ran.append(step)
        raise ZeroDivisionError("planted")

    owner, _, name = step.name.rpartition(".")
    module = importlib.import_module(step.module)
    place = getattr(module, owner) if owner else module
    if isinstance(place, dict):
        monkeypatch.setitem(place, name, fail)
    else:
        monkeypatch.setattr(place, name, fail)
    return ran


def differences(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """The places where something else stands than before, and is not empty."""
    if before == after or after in EMPTY:
        return
    if isinstance(after, dict) and after.get("text") == "":  # a sentence
        return
    key = at.rpartition(".")[2]
    if key == "fixes":
        before, after = ([one["lines"] for one in side if one["lines"]] for side in (before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        less = OF_KIND if after.get("kind") == "general" else ()
        for name in (before | after).keys() - {*less}:
            yield from differences(before.get(name), after.get(name), f"{at}.{name}")
    elif isinstance(before, list) and isinstance(after, list):
        if is_part(after, before) or (key == "code" and is_part(before, after)):
            return
        if len(before) != len(after):
            yield f"{at}: {before} → {after}"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{at}[{number}]")
    else:
        yield f"{at}: {before} → {after}"


def is_part(some: list[Any], whole: list[Any]) -> bool:
    """True if some elements are left out, and the others are as before."""
    rest = iter(whole)
    return all(any(one == other for other in rest) for one in some)


def events(_: InteractiveShell) -> Any:
    """A function that is traced for three reasons."""

    @jax.jit
    def step(x: Any, y: Any = 1.0) -> Any:
        return jnp.sum(x) * y

    with jaxviz.watch() as log:
        for size in (3, 4):
            for y in (1.0, jnp.float32(1)):
                step(jnp.ones(size), y)
        step.clear_cache()  # pyright: ignore[reportAttributeAccessIssue]
        step(jnp.ones(3))
        jax.clear_caches()
        step(jnp.ones(3))
        for size in (3, 4):
            jax.grad(step)(jnp.ones(size))
        step(jax.device_put(jnp.ones(3), jax.devices()[0]))
        for size in (3, 4):
            jax.jit(jax.grad(step))(jnp.ones(size))
    told = [msgspec.to_builtins(event) for event in log.events if event.name == "step"]
    return [{key: one[key] for key in ("kind", "name", "again", "reason", "hint")} for one in told]


def announcements(_: InteractiveShell) -> Any:
    """Events of JAX: a module that is traced for two of its static attributes and for the
    shape of an array, a function that fails, one that jaxviz traced first, an op outside jit."""

    @nnx.jit
    def step(module: nnx.Dropout, x: Any) -> Any:
        return module(x)

    @jax.jit
    def failing(x: Any) -> Any:
        return x if x > 0 else -x

    @jax.jit
    def shown(x: Any) -> Any:
        return x * 2

    with jaxviz.watch() as log:
        for rate, size in ((0.5, 3), (0.1, 3), (0.1, 4)):
            step(nnx.Dropout(rate, rngs=nnx.Rngs(0)), jnp.ones(size))
        with pytest.raises(jax.errors.TracerBoolConversionError):
            failing(1.0)
        jaxviz.inspect(shown)(jnp.ones(3))
        shown(jnp.ones(3))
        jax.clear_caches()
        jnp.cos(jnp.ones(3))
    return [
        [event.name, event.again]
        for event in log.events
        if event.name in ("step", "failing", "shown")
    ]


def findings_of_a_log(_: InteractiveShell) -> Any:
    @jax.jit
    def step(x: Any, y: Any = 1.0) -> Any:
        return jnp.sum(x) * y

    with jaxviz.watch() as log:
        for y in (1.0, jnp.float32(1)):
            step(jnp.ones(3), y)
        for size in range(4, 9):
            step(jnp.ones(size))
    site = schema.empty(schema.Frame, code="for x in xs:")
    loop = schema.empty(schema.PythonLoop, site=site, programs=100)
    frozen = schema.empty(schema.FrozenValue, kind="value", at=site, path="scale", function="step")
    found = [*findings_of_log([], [], [], [loop]), *findings_of_frozen([frozen])]
    return sorted(one.kind for one in (*log.findings, *found))


def names(_: InteractiveShell) -> Any:
    """The groups of a model of several layers."""

    def layer(p: Any, x: Any) -> Any:
        return jnp.tanh(x @ p["w"] + p["b"])

    def loss(params: Any, x: Any) -> Any:
        for p in params:
            x = layer(p, x)
        return (x**2).mean()

    def step(params: Any, x: Any) -> Any:
        grads = jax.grad(loss)(params, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    params = [{"w": jnp.ones((4, 4)), "b": jnp.ones(4)} for _ in range(3)]
    stage = jaxviz.inspect(step)(params, jnp.ones((2, 4))).stage("jaxpr")
    return [[group.start, group.stop, group.kind] for group in stage.graphs[0].groups]


def captures(_: InteractiveShell) -> Any:
    """Calls that are captured, and calls that fail: with CaptureError alone."""
    said = []
    for fun, args in (
        (jnp.sin, (1.0,)),
        (lambda x: x if x > 0 else -x, (1.0,)),
        (lambda x: x @ x.T, (jnp.ones((2, 3, 4)),)),
    ):
        try:
            said.append(jaxviz.inspect(fun)(*args).name)
        except jaxviz.CaptureError as error:
            said.append(type(error).__name__)
    return said


EXPLAINED = [
    case
    for case in CASES
    if case.name
    in (
        "a ternary",
        "a leak into a list",
        "one leaf of a nested carry",
        "a product of shapes that do not fit",
        "a table that does not fit",
        "a donated buffer used again",
        "a flag that was passed as a Python value",
        "a scalar that is iterated",
        "Equinox: a batch of another size than the labels",
    )
]
"""Their cards have all that a card may have."""


RAISED: dict[str, BaseException] = {}
BEFORE: dict[str, Any] = {}
"""Results without a failure."""


def cards(shell: InteractiveShell) -> Any:
    return [card(shell, case) for case in EXPLAINED]


def card(shell: InteractiveShell, case: Case) -> Any:
    if case.name not in RAISED:
        error = Run(shell, case.source).result.error_in_exec
        assert error is not None
        RAISED[case.name] = error
        jax.config.update("jax_debug_nans", False)
        jax.config.update("jax_debug_key_reuse", False)
    found = explanation_of(RAISED[case.name])
    if found is None:
        return []
    assert found.card.error in str(found)
    told = msgspec.to_builtins(found.card)
    for place in (told["at"], told["born"], (told["largest"] or {}).get("at")):
        for key in ("file", "count", "column", "end_line", "end_column"):
            (place or {}).pop(key, None)
    told["title"] = told["title"].replace(told["error"], "")
    ops = [eqn.op for eqn in found.program.record.stages[0].graphs[0].eqns]
    return [{**told, "start": 0}, ops]


def uses_library(case: Case) -> bool:
    """True if the fixes of a library come before those of the kind."""
    return any(f"{word} {name}" in case.source for name in LIBRARIES for word in ("import", "from"))


def draws(_: InteractiveShell) -> Any:
    """A program with a number that NumPy drew."""

    def noisy(x: Any) -> Any:
        return x + np.random.normal()

    return [one.kind for one in jaxviz.inspect(noisy)(jnp.ones(3)).findings]


AREAS: dict[str, Callable[[InteractiveShell], Any]] = {
    "jaxviz.capture.tracing.trace": captures,
    "jaxviz.capture.failure.errors": captures,
    "jaxviz.capture.tracing.card": cards,
    "jaxviz.capture.tracing.drawn": draws,
    "jaxviz.capture.failure": cards,
    "jaxviz.display.text.reports": cards,
    "jaxviz.capture.events": announcements,
    "jaxviz.analysis.retraces": events,
    "jaxviz.analysis.findings": findings_of_a_log,
    "jaxviz.analysis.groups": names,
}
"""For each place in the code what is made there."""


@pytest.mark.parametrize("step", sorted({*steps()}), ids=lambda step: f"{step.module}.{step.name}")
def test_a_step_that_fails_is_empty_and_the_rest_stands(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    make = AREAS[step.area]
    if step.name.startswith("_RULES."):
        kind = step.name.partition(".")[2]
        of_kind = (case for case in HERE if case.kind == kind and not uses_library(case))
        make = partial(card, case=next(of_kind))
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    key = step.name if isinstance(make, partial) else make.__name__
    if key not in BEFORE:
        BEFORE[key] = make(shell)
    before = BEFORE[key]
    ran = planted(monkeypatch, step)
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    after = make(shell)
    assert ran, "nothing here runs this step"
    assert not [*differences(before, after)]
