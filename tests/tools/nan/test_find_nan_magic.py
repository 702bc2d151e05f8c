"""`%jaxviz f(x) --find-nan` in a real IPython shell."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from msgspec.structs import replace
from shells import Run, fresh

import jaxviz
from jaxviz.tools.nan.record import NanOrigins as NanOriginsRecord

SETUP = """
import jax, jaxviz, jax.numpy as jnp
from jax.experimental import io_callback
def ratio(x, y, scale=1.0):
    return (x / y).sum() * scale
def root(x, kind):
    return jnp.sqrt(x) if kind == "root" else x
def counted(x):
    return io_callback(lambda: 1.0, jnp.float32(0)) + x
made = jax.make_jaxpr(root, static_argnums=1)(1.0, "root")
compiled = jax.jit(ratio).lower(1.0, 1.0).compile()
zeros = jnp.zeros(3)
"""


@pytest.fixture(scope="module")
def shell() -> Iterator[InteractiveShell]:
    yield from fresh(SETUP)
    jax.config.update("jax_debug_nans", False)


@pytest.mark.parametrize(
    ("fun", "arguments"),
    [
        ("ratio", "zeros, zeros"),
        ("ratio", "zeros, y=zeros, scale=2.0"),
        ("ratio", "*[zeros], zeros"),
        ("jax.grad(ratio)", "zeros, zeros"),
        ("jax.jit(ratio)", "zeros, zeros"),
        ("ratio", "zeros, zeros + 1"),
        ("zeros.sum", ""),
        ("jax.lax.fori_loop", "0, 3, lambda i, v: v / v, zeros"),
    ],
)
def test_the_cell_s_result_is_what_find_nan_gives(
    shell: InteractiveShell, fun: str, arguments: str
) -> None:
    wanted = origins(shell, f"jaxviz.find_nan({fun})({arguments})")
    for line in (f"{fun}({arguments}) --find-nan", f"--find-nan {fun}({arguments})"):
        assert without_lines(origins(shell, f"%jaxviz {line}")) == without_lines(wanted)


def origins(shell: InteractiveShell, line: str) -> jaxviz.NanOrigins:
    """The result of a cell."""
    run = Run(shell, line)
    found: object = run.result.result
    assert isinstance(found, jaxviz.NanOrigins), run.err
    return found


def without_lines(found: jaxviz.NanOrigins) -> NanOriginsRecord:
    """Its record without the user's line, which differs where the call itself has a lambda."""
    origins = [replace(one, frame=None) for one in found.record.origins]
    return replace(found.record, origins=origins)


def test_the_sentence_stands_below_the_cell(shell: InteractiveShell) -> None:
    run = Run(shell, "%jaxviz ratio(zeros, zeros) --find-nan")
    assert run.out.startswith("Out[")
    assert "A NaN comes from div in " in run.out
    assert str(origins(shell, "jaxviz.find_nan(ratio)(zeros, zeros)")) in run.out
    assert run.shown == []
    assert run.err == ""


def test_it_may_be_given_a_name(shell: InteractiveShell) -> None:
    run = Run(shell, "born = %jaxviz ratio(zeros, zeros) --find-nan")
    assert run.out == ""
    assert shell.user_ns["born"].nan.op == "div"


def test_static_arguments(shell: InteractiveShell) -> None:
    line = "%jaxviz root(jnp.float32(-1), kind='root') --static-argnames kind --find-nan"
    assert "comes from sqrt" in str(origins(shell, line))
    assert not origins(shell, line.replace("'root'", "'none'"))


def test_it_works_while_jax_looks_for_nans_itself(shell: InteractiveShell) -> None:
    with jax.debug_nans(True):
        found = origins(shell, "%jaxviz ratio(zeros, zeros) --find-nan")
    assert "comes from div" in str(found)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ratio(zeros, zeros) -o", "--find-nan stands alone: leave out -o."),
        (
            "ratio(zeros, zeros) --stage=hlo --save p.json",
            "--find-nan stands alone: leave out --stage, --save.",
        ),
        ("--steps ratio(zeros, zeros)", "--find-nan stands alone: leave out --steps."),
        ("made", "--find-nan runs a call, and `made` is none: write %jaxviz loss(…) --find-nan."),
        (
            "compiled",
            "--find-nan runs a call, and `compiled` is none: write %jaxviz loss(…) --find-nan.",
        ),
        ("ratio", "`ratio` is not a call: write the call: %jaxviz ratio(…)"),
        ("", "there is no call: write %jaxviz loss(…) --find-nan."),
    ],
)
def test_usage_errors_are_one_sentence(shell: InteractiveShell, line: str, message: str) -> None:
    run = Run(shell, f"%jaxviz {line} --find-nan")
    assert run.err.strip() == f"UsageError: {message}"
    assert run.out == ""


@pytest.mark.parametrize(
    "call",
    [
        "ratio(zeros, missing)",
        "ratio(zeros, jnp.zeros(2))",
        "(lambda a: a if a > 0 else -a)(1.0)",
        "ratio(zeros)",
    ],
)
def test_errors_are_those_without_the_option(shell: InteractiveShell, call: str) -> None:
    plain = Run(shell, f"%jaxviz {call}")
    run = Run(shell, f"%jaxviz {call} --find-nan")
    error, expected = run.result.error_in_exec, plain.result.error_in_exec
    assert expected is not None
    assert type(error) is type(expected)
    assert str(error) == str(expected)
    assert "jaxviz/magics" not in run.out.replace("\\", "/")
    assert len(run.shown) == len(plain.shown)


def test_an_io_callback_is_refused_with_the_reason(shell: InteractiveShell) -> None:
    run = Run(shell, "%jaxviz counted(1.0) --find-nan")
    assert isinstance(run.result.error_in_exec, jaxviz.CaptureError)
    assert "io_callback, whose effect would happen once more" in str(run.result.error_in_exec)


def failed(shell: InteractiveShell, code: str) -> BaseException:
    error = Run(shell, code).result.error_in_exec
    assert error is not None
    return error


def test_the_origin_of_a_nan_is_found_by_one_more_run(shell: InteractiveShell) -> None:
    code = """
def g(x):
    return jnp.log(x).sum()
three = jnp.array([1.0, -1.0, 2.0])
with jax.debug_nans(True):
    found = jax.jit(g)(three)"""
    found = jaxviz.explain(failed(shell, code))
    assert found.card.fixes[0].tries
    tried = found.try_fix(0)
    assert isinstance(tried, jaxviz.NanOrigins)
    assert tried.nan is not None
    assert (tried.nan.op, tried.nan.index) == ("log", (1,))
    shown = found._tried(0)
    assert isinstance(shown.report, NanOriginsRecord)
    assert [origin.op for origin in shown.report.origins] == ["log"]
    failed(shell, "del three\n1 / 0")
    with pytest.raises(ValueError, match=r"cannot be evaluated any more \(NameError\)"):
        found.try_fix(0)


def test_no_run_is_offered_where_the_call_would_do_more(shell: InteractiveShell) -> None:
    code = """
batches = iter([jnp.array([-1.0])])
with jax.debug_nans(True):
    jax.jit(jnp.log)(next(batches))"""
    found = jaxviz.explain(failed(shell, code))
    assert found.card.kind == "nan"
    assert not found.card.fixes[0].tries
