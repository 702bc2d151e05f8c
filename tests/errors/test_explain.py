"""The card of each program in `truth/errors/` says what its author says."""

from __future__ import annotations

import gc
import os
import re
import runpy
import subprocess
import sys
import traceback
import warnings
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import msgspec
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from records import marked
from shells import SETUP, Run, left_as_before, shell_fixture
from truth.errors.cases import CASES, DEVICES, HERE, Case, Truth

import jaxviz
from jaxviz.explain import explanation_of
from jaxviz.schema import Card
from jaxviz.sentences.amounts import bytes_text

shell = shell_fixture(SETUP)


@pytest.fixture(autouse=True)
def _names_and_config_as_before(shell: InteractiveShell) -> Iterator[None]:
    yield from left_as_before(shell)


def raised(shell: InteractiveShell, code: str) -> BaseException:
    with capture_output(), warnings.catch_warnings(action="ignore"):
        error = shell.run_cell(code, store_history=True).error_in_exec
    assert error is not None
    return error


def explained(shell: InteractiveShell, case: Case) -> jaxviz.Explanation:
    return jaxviz.explain(raised(shell, case.source))


def told(card: Card, program: jaxviz.Program) -> dict[str, str]:
    """The content of a card, in the words of the cases."""
    graph = program.record.stages[0].graphs[0]
    sides = card.sides
    return {
        "function": card.at.function.rpartition(".")[2],
        "line": str(card.at.line),
        "story": " → ".join([card.root.text, *(f"{s.op}, line {s.line}" for s in card.story)]),
        "recorded": " ".join(eqn.op for eqn in graph.eqns),
        "sides": " · ".join(f"{side.name} {side.type}" for side in sides),
        "differ": " · ".join(" ".join(map(str, side.differ)) for side in sides),
        "leaves": " · ".join(
            f"{one.name} {one.type} → {other.type}"
            for one, other in zip(sides[::2], sides[1::2], strict=False)
        ),
        "roles": " · ".join(f"{side.name} {side.role}".strip() for side in sides),
        "tree": tree(card),
        "largest": largest(card),
        "born": f"line {card.born.line}, {card.born.function}" if card.born else "",
    }


def largest(card: Card) -> str:
    one = card.largest
    if one is None or one.at is None or one.asked is None:
        return ""
    return f"{one.type} {bytes_text(one.bytes)}, line {one.at.line}, asked {bytes_text(one.asked)}"


def tree(card: Card) -> str:
    if card.tree is None:
        return ""
    rows = [
        f"{'.' * one.depth}{one.key or 'result'} "
        + " → ".join(text or "–" for text in dict.fromkeys(one.types) if any(one.types))
        for one in card.tree.rows
    ]
    others = [f"{card.tree.others} others fit"] if card.tree.others else []
    return " · ".join(map(str.strip, [*rows, *others]))


@pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)
def test_a_card_says_what_is_true(shell: InteractiveShell, case: Case) -> None:
    if case.kind == "memory":
        jax.clear_caches()  # else the largest value has the line of a test that made it before
    error = raised(shell, case.source)
    if case.kind == "none":
        assert_no_card(error, case)
        return
    found = jaxviz.explain(error)
    check_card(case, error, found)


def check_card(case: Case, error: BaseException, found: jaxviz.Explanation) -> None:
    """Compares a card with what its case says."""
    card = found.card
    said = told(card, found.program)
    known = {name: fact for name, fact in case.facts.items() if name in said}
    assert type(error).__name__ in (*case.error.split("|"), case.error.replace("Jax", "Xla"))
    assert card.kind == case.kind
    assert marked(case.source.split("\n"), card.at) == case.expression
    assert {name: said[name] for name in known} == known
    assert case.fix is None or _first_fix(card, case) == case.fix
    for fix in card.fixes:
        assert fix.promise != "other result" or fix.differs, "it does not say what differs"
    assert case.facts.get("differs", "") in "".join(fix.differs.text for fix in card.fixes[:1])
    assert str(found).startswith(card.title)


def assert_no_card(error: BaseException, case: Case) -> None:
    assert type(error).__name__ in (case.error, case.error.replace("Jax", "Xla"))
    assert explanation_of(error) is None
    with pytest.raises(ValueError, match=rf"^this {type(error).__name__} has no card: .*\.$"):
        jaxviz.explain(error)


@pytest.mark.parametrize("case", HERE, ids=lambda case: case.name)
def test_a_card_has_the_same_page_in_plain_python(case: Case, tmp_path: Path) -> None:
    """JAX removes its frames there."""
    file = tmp_path / "program.py"
    file.write_text(f"{SETUP}\n{case.source}".replace("%jaxviz ", "# "))
    with warnings.catch_warnings(action="ignore"):
        error = error_of(partial(runpy.run_path, str(file), run_name="__main__"))
    if case.kind == "none":
        assert_no_card(error, case)
        return
    found = jaxviz.explain(error)
    assert found.card.kind == case.kind
    assert marked(file.read_text().split("\n"), found.card.at) == case.expression
    above = SETUP.count("\n") + 1
    story = re.sub(
        r"line (\d+)",
        lambda n: f"line {int(n[1]) - above}",
        told(found.card, found.program)["story"],
    )
    assert case.facts.get("story", story).startswith(story), "a part of the story, or all of it"
    if case.kind == "shape-by-value" and found.card.asked:
        assert story == case.facts.get("story", story)


def _first_fix(card: Card, case: Case) -> Truth:
    """The first fix, as the case writes it."""
    if not card.fixes:
        return Truth("no fix", "", [])
    fix = card.fixes[0]
    where = f"{fix.first}-{fix.last}"
    if fix.promise == "sketch":
        known = case.fix is not None and case.fix.where in fix.title.text
        where = case.fix.where if case.fix is not None and known else fix.title.text
    return Truth(fix.promise, where, fix.lines)


@pytest.mark.skipif(DEVICES > 1, reason="these are the cases of several devices")
def test_cards_and_fixes_of_several_devices() -> None:
    """The cases that need several devices, in a process that has four."""
    of_four = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    others = ("test_fixes.py", "test_guards.py")
    files = [__file__, *(str(Path(__file__).with_name(name)) for name in others)]
    wanted = "a_card_says or same_page or what_was_meant or _RULES"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", wanted, *files]
    ran = subprocess.run(command, env=of_four, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]


def test_a_program_ends_in_the_value_that_was_needed(shell: InteractiveShell) -> None:
    """The flag of lesson 3 is an input. What is not used yet is not free: no flops are said."""
    case = next(case for case in CASES if case.name == "a flag that was passed as a Python value")
    stage = explained(shell, case).program.stage("jaxpr")
    graph = stage.graphs[0]
    assert [graph.args[graph.invars.index(out)] for out in graph.outvars] == ["use_bias"]
    assert (stage.cost, [eqn.cost for eqn in graph.eqns]) == (None, [None])


TAKEN = """import jaxviz
halve = jax.jit(lambda w: w / 2, donate_argnums=0)
double = jax.jit(lambda w: w * 2, donate_argnums=0)

def epoch(w):
    return double(w)

x = jnp.ones(8)
with jaxviz.watch():
    y = epoch(x)
x + 1"""


def test_a_donated_array_names_the_call_that_a_watch_saw(shell: InteractiveShell) -> None:
    """The source passes it under another name. Without a watch, the card says who donates."""
    (fix,) = jaxviz.explain(raised(shell, TAKEN)).card.fixes
    assert fix.title.text.endswith("double took x (line 6)")
    code = TAKEN.replace("jaxviz.watch()", "jax.disable_jit(False)")
    (fix,) = jaxviz.explain(raised(shell, code)).card.fixes
    assert "these donate: halve, double" in fix.title.text


def test_an_array_of_another_name_that_is_deleted_is_not_the_reason(
    shell: InteractiveShell,
) -> None:
    Run(shell, "take = jax.jit(lambda w: w * 2, donate_argnums=0)\nx = jnp.ones(8)")
    Run(shell, "y = take(x)")
    found = jaxviz.explain(raised(shell, "other = jnp.ones(3)\nother.delete()\nx + 1"))
    assert found.card.fixes[0].title.text.startswith("use y from here on: take donates x (cell ")


def test_a_watch_distinguishes_cells_with_the_same_line(shell: InteractiveShell) -> None:
    with jaxviz.watch():
        Run(shell, "step = jax.jit(lambda w: w * 2, donate_argnums=0)\nx = jnp.ones(8)")
        Run(shell, "y = step(x)")
        found = jaxviz.explain(raised(shell, "z = step(x)"))
    fix = found.card.fixes[0]
    assert (fix.promise, fix.lines) == ("other result", ["z = step(y)"])
    assert fix.title.text.startswith("use y from here on: step donates x (cell ")


@jax.jit
def halved(x: Any) -> Any:
    while x > 1:
        x = x / 2
    return x


def error_of(call: Any) -> BaseException:
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("it should have failed")


def test_nothing_of_the_exception_is_kept() -> None:
    error = error_of(lambda: halved(8.0))
    found = jaxviz.explain(error)
    kept = weakref.ref(error)
    del error
    gc.collect()
    assert kept() is None
    assert found.card.kind == "condition"
    assert msgspec.json.decode(msgspec.json.encode(found.card), type=Card) == found.card


def test_the_exception_stays_as_it_is() -> None:
    error = error_of(lambda: halved(8.0))
    before = "".join(traceback.format_exception(error)), vars(error).copy(), error.args
    jaxviz.explain(error)
    assert ("".join(traceback.format_exception(error)), vars(error), error.args) == before


def test_what_has_no_line_of_the_users_is_refused() -> None:
    with pytest.raises(ValueError, match="no line of your code took part in this TypeError"):
        jaxviz.explain(TypeError("never raised"))


def test_the_magic_explains_the_last_exception(shell: InteractiveShell) -> None:
    raised(shell, next(case.source for case in CASES if case.name == "a while"))
    shown = Run(shell, "%jaxviz explain").shown
    assert shown[0]["text/plain"].startswith("if or while on a traced value")


HANDLED = """
@jax.jit
def f(x):
    return x if x > 0 else -x

def explained(what):
    try:
        f(1.0)
    except Exception:
        return what()
"""


@pytest.mark.parametrize("before", ["", "jnp.ones((4, 3)) @ jnp.ones((4, 2))"])
@pytest.mark.parametrize(
    "what", ["display(jaxviz.explain())", "get_ipython().run_line_magic('jaxviz', 'explain')"]
)
def test_within_except_it_explains_what_is_handled(
    shell: InteractiveShell, before: str, what: str
) -> None:
    """Even if another exception was shown before."""
    Run(shell, f"import jax, jax.numpy as jnp, jaxviz\n{HANDLED}")
    if before:
        raised(shell, before)
    shown = Run(shell, f"explained(lambda: {what})").shown
    assert [one["text/plain"][:29] for one in shown] == ["if or while on a traced value"]


def test_in_finally_it_explains_what_goes_on(shell: InteractiveShell) -> None:
    code = "try:\n    f(1.0)\nfinally:\n    found = jaxviz.explain()"
    Run(shell, f"import jax, jaxviz\n{HANDLED}")
    Run(shell, code)
    assert shell.user_ns["found"].card.kind == "condition"


@pytest.mark.parametrize(("terms", "promise"), [(60, "same result"), (400, "sketch")])
def test_a_line_of_a_fix_is_whole_or_is_none(
    shell: InteractiveShell, terms: int, promise: str
) -> None:
    """An edit of the user's cell is never cut."""
    long = " + ".join(["x"] * terms)
    code = f"@jax.jit\ndef f(x):\n    return x if x > 0 else {long}\n\nf(1.0)"
    (fix,) = jaxviz.explain(raised(shell, code)).card.fixes
    assert fix.promise == promise
    whole = [f"    return jnp.where(x > 0, x, {long})"]
    assert fix.lines == (whole if promise == "same result" else [])
    assert fix.before == ([code.splitlines()[2]] if fix.lines else [])


def first_ops(found: Any) -> list[str]:
    assert isinstance(found, jaxviz.Program)
    return [eqn.op for eqn in found.stage("jaxpr").graphs[0].eqns]


def test_a_fix_is_tried_where_nothing_is_written(shell: InteractiveShell) -> None:
    code = "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n\nf(1.0)"
    found = jaxviz.explain(raised(shell, code))
    kept = shell.user_ns["f"]
    assert found.card.fixes[0].tries
    assert first_ops(found.try_fix(0))[:2] == ["gt", "neg"]
    assert shell.user_ns["f"] is kept
    with pytest.raises(jax.errors.TracerBoolConversionError):
        kept(2.0)


def test_a_fix_that_makes_an_argument_static_is_tried(shell: InteractiveShell) -> None:
    code = (
        "@jax.jit\ndef f(x, twice):\n    if twice:\n        x = x * 2\n    return x\n\nf(1.0, True)"
    )
    program = jaxviz.explain(raised(shell, code)).try_fix(0)
    assert first_ops(program) == ["mul"]


def test_a_try_shows_what_fails_next(shell: InteractiveShell) -> None:
    code = """
def h(x):
    y = x if x.sum() > 0 else -x
    return y[y > 0]

jax.jit(h)(jnp.ones(3))"""
    found = jaxviz.explain(raised(shell, code))
    following = found.try_fix(0)
    assert isinstance(following, jaxviz.Explanation)
    assert (following.card.kind, following.card.at.line) == ("mask", 4)
    assert (
        following.card.code[following.card.at.line - following.card.start] == "    return y[y > 0]"
    )


def test_a_try_runs_functions_alone_and_fixes_what_they_call(shell: InteractiveShell) -> None:
    code = """
runs = globals().get("runs", 0) + 1
def block(x):
    return x if x > 0 else -x
@jax.jit
def model(x):
    return block(x) * 2
model(1.0)"""
    found = jaxviz.explain(raised(shell, code))
    assert first_ops(found.try_fix(0))[-1] == "mul"
    assert shell.user_ns["runs"] == 1


def test_a_fix_of_the_call_itself_is_not_tried(shell: InteractiveShell) -> None:
    case = next(case for case in CASES if case.name == "a list as static argument")
    found = explained(shell, case)
    assert not found.card.fixes[0].tries
    with pytest.raises(ValueError, match="this fix cannot be tried"):
        found.try_fix(0)


@pytest.mark.parametrize("number", [99, -1, "0"])
def test_a_fix_that_the_card_does_not_have_is_refused(shell: InteractiveShell, number: Any) -> None:
    case = next(case for case in CASES if case.name == "a list as static argument")
    found = explained(shell, case)
    last = len(found.card.fixes) - 1
    said = re.escape(
        f"number cannot be {number!r} for this card: the numbers of its fixes are 0 to"
    )
    with pytest.raises(ValueError, match=f"{said} {last}[.]"):
        found.try_fix(number)


def test_a_function_that_is_gone_cannot_be_tried(shell: InteractiveShell) -> None:
    code = "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n\nf(1.0)"
    found = jaxviz.explain(raised(shell, code))
    assert found.card.fixes[0].tries
    raised(shell, "del f\n1 / 0")  # until then IPython holds the last traceback
    gc.collect()
    with pytest.raises(ValueError, match="run the cell again"):
        found.try_fix(0)


MODEL = """
class Model:
    def __init__(self, w): self.w = w
    def __call__(self, x): return jnp.tanh(x @ self.w)

jax.tree_util.register_pytree_node(Model, lambda m: ([m.w], None), lambda _, w: Model(*w))
model, batch = Model(jnp.ones((3, 2))), {"x": np.ones((4, 3)), "y": None}

@jax.jit
def loss(model, batch):
    h = model(batch["x"]).sum()
    return h if h > 0 else -h

loss(model, batch)"""


def test_a_fix_is_tried_with_a_model_that_is_there(shell: InteractiveShell) -> None:
    found = jaxviz.explain(raised(shell, MODEL))
    made = found.try_fix(0)
    assert isinstance(made, jaxviz.Program)
    assert [leaf.aval.text for leaf in made.args] == ["f32[3,2]", "f32[4,3]"]
    weights = weakref.ref(shell.user_ns["model"].w)
    raised(shell, "del model\n1 / 0")  # until then IPython holds the last traceback
    gc.collect()
    assert weights() is None
    with pytest.raises(ValueError, match="An argument of the call is gone"):
        found.try_fix(0)


def test_values_in_a_message_are_not_in_the_card(shell: InteractiveShell) -> None:
    code = "@partial(jax.jit, static_argnums=0)\ndef f(x): return 1\nf([271828] * 2 + [314159])"
    card = jaxviz.explain(raised(shell, f"secret = [161803]\n{code[:-1]} + secret)")).card
    assert b"161803" not in msgspec.json.encode(card).replace(b"secret = [161803]", b"")
