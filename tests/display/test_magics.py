"""`%jaxviz` in a real IPython shell."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture

import jaxviz
from jaxviz import schema
from jaxviz.capture.shown.source import _cells
from jaxviz.magics import load_ipython_extension, unload_ipython_extension
from jaxviz.magics.line import read
from jaxviz.magics.options import CELL, HELP, MAGICS, Magic
from jaxviz.magics.watching import Heading
from jaxviz.tools.option import Option

SETUP = """
import jax, jax.numpy as jnp
ran = []
def loss(params, x, *, power=2):
    ran.append(1)
    return jnp.sum((x @ params["w"]) ** power)
params, x = {"w": jnp.ones((3, 2))}, jnp.ones((4, 3))
class Model:
    weights = params
    def forward(self, x): return x * 2
model = Model()
"""
shell = shell_fixture(SETUP, "function")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("loss(params, x)", "loss"),
        ("loss( params , x = x,   power = 3 )", "loss"),
        ("loss(*[params, x], **{'power': 2})", "loss"),
        ("loss({'w': params['w']}, x=x)", "loss"),
        ("jax.grad(loss)(params, x)", "grad(loss)"),
        ("jax.jit(loss)(params, x)", "loss"),
        ("model.forward(x[:2] -1)", "forward"),
        ("(lambda a: a * 2)(x)", "<lambda>"),
        ("loss(params, [x][-1] if 'a  -o b' else x);", "loss"),
        ("loss(params, x) --stage jaxpr", "loss"),
        ("--stage=jaxpr loss(params, x)", "loss"),
        ("loss(params, x, power=2) --static-argnames power", "loss"),
        ("--static-argnames 'power, x2' loss(params, x)", None),
    ],
)
def test_the_outermost_call_is_shown_and_not_run(
    shell: InteractiveShell, call: str, name: str | None
) -> None:
    run = Run(shell, f"%jaxviz {call}")
    if name is None:
        assert not run.result.success
        return
    assert run.result.success, run.err
    assert run.result.result is None
    [shown] = run.shown
    assert shown["text/plain"].startswith(f"{name}(")
    assert schema.MIME in shown
    assert run.out == run.err == ""


def test_the_body_is_traced_once(shell: InteractiveShell) -> None:
    Run(shell, "%jaxviz loss(params, x)")
    assert shell.user_ns["ran"] == [1]


def test_o_returns_the_program_and_shows_nothing(shell: InteractiveShell) -> None:
    run = Run(shell, "p = %jaxviz -o loss(params, x)")
    assert run.result.success
    assert run.shown == []
    assert run.out == ""
    assert isinstance(shell.user_ns["p"], jaxviz.Program)


@pytest.mark.parametrize(
    ("call", "name", "arguments", "fixed"),
    [
        ("x.sum(axis=0)", "sum", ["x"], ["axis"]),
        ("params['w'].sum()", "sum", ["params['w']"], []),
        ("x.at[0].set(1.0)", "set", ["x"], ["index", "values"]),
        ("(x + 1).sum()", "sum", ["self"], []),
        ("jax.lax.fori_loop(0, 100, lambda i, v: v * 2, 1.0)", "fori_loop", [], ...),
        ("jnp.sum(x, axis=0)", "sum", ["a"], ["axis"]),
    ],
)
def test_calls_of_jax_s_own_functions(
    shell: InteractiveShell, call: str, name: str, arguments: list[str], fixed: list[str]
) -> None:
    run = Run(shell, f"p = %jaxviz -o {call}")
    assert run.result.success, run.err
    program = shell.user_ns["p"]
    assert program.name == name
    assert [leaf.path for leaf in program.args] == arguments
    if fixed is not ...:
        assert [one.path for one in program.fixed] == fixed


def test_names_of_a_function_that_uses_the_magic(shell: InteractiveShell) -> None:
    run = Run(
        shell,
        "def inside():\n    y = x + 1\n    return get_ipython().run_line_magic("
        "'jaxviz', '-o loss(params, y)')\nprint(inside().name)",
    )
    assert run.out == "loss\n"


def test_options_say_how_the_program_opens(shell: InteractiveShell) -> None:
    line = "loss(params, x) --stage stablehlo --depth 2 --boxes=30 --colours dtype"
    [shown] = Run(shell, f"%jaxviz {line}").shown
    wanted = {"stage": "stablehlo", "depth": 2, "boxes": 30, "colours": "dtype"}
    assert shown[schema.MIME]["opening"] == wanted
    Run(shell, f"p = %jaxviz -o {line}")
    assert msgspec.to_builtins(shell.user_ns["p"].opening) == wanted
    [plain] = Run(shell, "%jaxviz loss(params, x)").shown
    assert plain[schema.MIME]["opening"] == {}


@pytest.mark.parametrize(
    ("options", "opening"),
    [
        ("--stage HLO", {"stage": "hlo"}),
        ("--stage=StableHLO", {"stage": "stablehlo"}),
        ("--Stage hlo", {"stage": "hlo"}),
        ("--colors dtype", {"colours": "dtype"}),
        ("--depth 1 --depth 2", {"depth": 2}),
    ],
)
def test_other_spellings(shell: InteractiveShell, options: str, opening: dict[str, object]) -> None:
    Run(shell, f"p = %jaxviz -o loss(params, x) {options}")
    assert msgspec.to_builtins(shell.user_ns["p"].opening) == opening


@pytest.mark.parametrize(
    "options",
    [
        "-o --static-argnums 1",
        "-o --static_argnums=1",
        "-o --static_argnames n",
        "-o --static-argnames='n, m'",
        "--static-argnums 1 --find-nan",
    ],
)
def test_static_arguments(shell: InteractiveShell, options: str) -> None:
    shell.run_cell("def times(x, n, m=1):\n    assert type(n) is int\n    return x * n")
    run = Run(shell, f"p = %jaxviz times(x, 3) {options}")
    assert run.result.success, run.out


@pytest.mark.parametrize("jitted", ["static_argnums=1", "static_argnames=('n', 'm')"])
@pytest.mark.parametrize(
    "options", ["--static-argnames n", "--static-argnums 1", "--static-argnames n --steps"]
)
def test_those_of_jit_may_be_repeated(shell: InteractiveShell, jitted: str, options: str) -> None:
    shell.run_cell("def times(x, n, m=1):\n    assert type(n) is int\n    return x * n * m")
    shell.run_cell(f"times = jax.jit(times, {jitted})").raise_error()
    run = Run(shell, f"%jaxviz times(x, 3) {options}")
    assert run.result.success, run.out
    assert "n=3" in run.shown[-1]["text/plain"].replace(" ", "")


@pytest.mark.parametrize("options", ["--static-argnames x", "--static-argnames n,x"])
def test_others_are_refused(shell: InteractiveShell, options: str) -> None:
    shell.run_cell("times = jax.jit(lambda x, n: x * n, static_argnames='n')").raise_error()
    run = Run(shell, f"%jaxviz times(x, 3) {options}")
    assert "is jitted already" in str(run.result.error_in_exec)


def test_help_is_printed(shell: InteractiveShell) -> None:
    for option in ("--help", "-h", "loss(params, x) --help"):
        run = Run(shell, f"%jaxviz {option}")
        assert "\n  --static-argnums 1 " in run.out
        assert run.out.endswith("\n%jaxviz? explains each in full.\n")
        assert len(run.out.splitlines()) < 40
        assert max(map(len, run.out.splitlines())) <= 100
        assert run.shown == []
    assert shell.user_ns["ran"] == []


def test_save(shell: InteractiveShell, tmp_path: Path) -> None:
    file = tmp_path / "p q.json"
    assert Run(shell, f"%jaxviz loss(params, x) --save '{file}'").result.success
    assert jaxviz.load(file).name == "loss"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("loss", "`loss` is not a call: write the call: %jaxviz loss(…)"),
        ("1 + 2", "`1 + 2` is not a call: write the call, as in %jaxviz loss(params, x)."),
        (
            "loss(params,",
            (
                "`loss(params,` is no call that Python can read: '(' was never closed; "
                "write it as in %jaxviz loss(params, x)."
            ),
        ),
        (
            "loss(params, x) --stage llvm",
            "--stage takes jaxpr, stablehlo or hlo, not 'llvm': write --stage hlo.",
        ),
        (
            "loss(params, x) --depth two",
            "--depth takes a whole number of at least 0, not 'two': write --depth 1.",
        ),
        (
            "--depth=-1 loss(params, x)",
            "--depth takes a whole number of at least 0, not '-1': write --depth 1.",
        ),
        (
            "loss(params, x) --depth -1",
            "--depth takes a whole number of at least 0, not '-1': write --depth 1.",
        ),
        (
            "loss(params, x) --boxes 0",
            "--boxes takes a whole number of at least 1, not '0': write --boxes 40.",
        ),
        (
            "loss(params, x) --colours red",
            (
                "--colours takes family, dtype, scope, flops or bytes, not 'red': "
                "write --colours dtype."
            ),
        ),
        ("loss(params, x) --depth", "--depth needs a value: write --depth 1."),
        ("loss(params, x) --stage", "--stage needs a value: write --stage hlo."),
        (
            "loss(params, x) --level 3",
            (
                "there is no option --level: the options are --stage, --depth, --boxes, "
                "--colours, --memory, --platform, --devices, --static-argnames, --static-argnums, "
                "--steps, --save, -o, --help, --find-nan, --statistics, --lines, --profile, "
                "--peak, --timeit; %jaxviz? explains each."
            ),
        ),
        (
            "loss(params, x) --hlo",
            "there is no option --hlo: write --stage hlo; %jaxviz? explains each.",
        ),
        (
            "loss(params, x) --find_nans",
            "there is no option --find_nans: write --find-nan; %jaxviz? explains each.",
        ),
        (
            "loss(params, x) --static power",
            (
                "there is no option --static: write --static-argnames or --static-argnums; "
                "%jaxviz? explains each."
            ),
        ),
        ("loss(params, x) -o=p", "-o takes no value: leave out 'p'."),
        (
            "loss(params, x) --static-argnums x",
            "--static-argnums takes positions of arguments, not 'x': write --static-argnums 1.",
        ),
        ("--stage jaxpr", "there is no call: write %jaxviz loss(…) --stage jaxpr."),
        (
            "loss(params, x) --save p.txt",
            (
                "cannot save to 'p.txt': the file's name must end in .json, .svg, .png, .dot, "
                ".html, .jaxpr, .mlir or .hlo."
            ),
        ),
    ],
)
def test_usage_errors_are_one_sentence(shell: InteractiveShell, line: str, message: str) -> None:
    run = Run(shell, f"%jaxviz {line}")
    assert run.err.strip() == f"UsageError: {message}"
    assert run.shown == []


@pytest.mark.parametrize(
    ("magic", "option"),
    [pytest.param(one, of, id=f"{one.name} {of.name}") for one in MAGICS for of in one.every],
)
def test_the_example_of_each_option_and_what_tab_offers_is_allowed(
    magic: Magic, option: Option
) -> None:
    call, given = read(magic, magic.example_of(option))
    assert call == ""
    assert option in given
    for word in option.value.words if option.value else ():
        option.read(word)


def test_each_option_of_a_cell_is_heard() -> None:
    assert {option.key for option in CELL.every if option != HELP} == {*Heading._fields}


def test_the_users_own_errors_stay_their_own(shell: InteractiveShell) -> None:
    run = Run(shell, "%jaxviz loss(parms, x)")
    assert isinstance(run.result.error_in_exec, NameError)
    assert "name 'parms' is not defined" in run.out
    assert "jaxviz/magics" not in run.out.replace("\\", "/")
    assert "----> 1 loss(parms, x)" in run.out
    run = Run(shell, "%jaxviz (lambda a: a if a > 0 else -a)(1.0)")
    assert isinstance(run.result.error_in_exec, jaxviz.CaptureError)


def test_alone_it_lists_what_was_captured(shell: InteractiveShell) -> None:
    assert "Nothing captured yet" in Run(shell, "%jaxviz").out
    Run(shell, "%jaxviz loss(params, x)")
    Run(shell, "%jaxviz jax.grad(loss)(params, x)")
    lines = Run(shell, "%jaxviz").out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["loss", "grad(loss)"]
    assert "cell [3]" in lines[0]
    assert "eqns" in lines[0]


def test_help(shell: InteractiveShell) -> None:
    shown = shell.object_inspect_text("%jaxviz")
    for text in (
        "CALL",
        "--stage",
        "--depth",
        "--boxes",
        "--colours",
        "--platform",
        "--static-argnames",
        "--save",
        "p = %jaxviz -o",
    ):
        assert text in shown
    runs = shown.partition("runs your program:")[2]
    assert "--find-nan" in runs
    assert "--statistics" in runs
    assert "--profile" in runs
    assert "--timeit" in runs


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%jaxviz los", "loss"),
        ("%jaxviz loss(par", "params"),
        ("p = %jaxviz -o los", "loss"),
        ("%jaxviz model.for", "model.forward"),
        ("%jaxviz loss(params, x) --st", "--stage"),
        ("%jaxviz loss(params, x) --stage j", "jaxpr"),
        ("%jaxviz loss(params, x) --platform t", "tpu"),
        ("%jaxviz loss(params, x) --fi", "--find-nan"),
        ("%jaxviz loss(params, x) --stati", "--statistics"),
        ("%jaxviz loss(params, x) --prof", "--profile"),
        ("%jaxviz loss(params, x) --profile --peak m", "measured"),
        ("%jaxviz loss(params, x) --depth 2 --colours dt", "dtype"),
        ("%jaxviz explain condition-of", "condition-of-many"),
    ],
)
def test_completion(shell: InteractiveShell, line: str, expected: str) -> None:
    with provisionalcompleter():
        found = [line[: c.start] + c.text for c in shell.Completer.completions(line, len(line))]
    start = max(line.rfind(char) for char in " (") + 1
    assert line[:start] + expected in found


def test_the_hook_notes_cells_and_never_disturbs_them(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(_cells)
    Run(shell, "\n\n1 + 1")
    [file] = set(_cells) - before
    assert _cells[file].offset == 2

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("jaxviz.magics.watching.note_cell", fail)
    run = Run(shell, "2 + 2")
    assert run.result.result == 4
    assert run.err == ""


def test_loading_twice_and_unloading(shell: InteractiveShell) -> None:
    load_ipython_extension(shell)
    shell.run_cell("%jaxviz on")
    callbacks = shell.events.callbacks
    added = [
        callbacks["pre_run_cell"],
        callbacks["post_run_cell"],
        shell.Completer.custom_matchers,
        shell.input_transformers_cleanup,
    ]
    before = [2, 1, 1, 1 + len(TransformerManager().cleanup_transforms)]
    assert [len(one) for one in added] == before
    unload_ipython_extension(shell)
    unload_ipython_extension(shell)
    after = [0, 0, 0, len(TransformerManager().cleanup_transforms)]
    assert [len(one) for one in added] == after
    assert all("jaxviz" not in shell.magics_manager.magics[kind] for kind in ("line", "cell"))
