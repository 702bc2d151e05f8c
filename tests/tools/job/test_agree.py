"""The processes of a job compare their programs: a real job of three processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import jax.numpy as jnp
import pytest
from chains import frame

import jaxviz
from jaxviz import schema
from jaxviz.display.wire import decode
from jaxviz.schema import MIME
from jaxviz.sentences import sentence
from jaxviz.tools.job.record import ProcessProgram
from jaxviz.tools.job.report import Agreement, Difference
from jaxviz.tools.job.text import branch_of
from tests.jobs import run_job
from tests.shells import Run, fresh
from tests.tools.job.agreeing import CASES

SCRIPT = Path(__file__).with_name("agreeing.py")
OTHER = "Process 2 holds another program than the program of step that processes 0 and 1 have: "


@pytest.fixture(scope="module")
def says() -> dict[str, list[str]]:
    """For each case what the processes say."""
    return {case: [said for said, _ in told] for case, told in told_by(3).items()}


def told_by(count: int) -> dict[str, list[tuple[str, float]]]:
    """For each case the reports of `count` processes, and the seconds after the last one
    arrived."""
    told = run_job(SCRIPT, count)
    return {case: [one[case] for one in told if case in one] for case in told[0] | told[-1]}


@pytest.mark.parametrize("case", CASES)
def test_all_processes_say_the_same(says, case):
    assert len(says[case]) == (2 if case == "silent" else 3)
    assert len({*says[case]}) == 1


def test_equal_programs_are_the_same(says):
    assert says["same"][0] == "3 processes hold the same program of step."


def test_an_eqn_more_is_named_with_its_line(says):
    lines = says["op"][0].splitlines()
    [line] = [n for n, text in enumerate(SCRIPT.read_text().splitlines(), 1) if "* 3.0" in text]
    assert lines[0] == f"{OTHER}odd is True, not False."
    assert lines[1].endswith(f"agreeing.py, line {line} (y = y * 3.0), within: if odd.")
    assert lines[2] == "  step · processes 0 and 1 → step · process 2: 1 added, 5 the same"
    assert lines[4].split() == ["+", "e:f32[4,3]", "=", "mul", "d", "3.0:f32[]"]
    assert len(lines) == 5


def test_an_input_of_another_shape_is_named(says):
    assert says["shape"][0].splitlines()[0] == f"{OTHER}x is f32[5,3], not f32[4,3]."


def test_a_branch_of_a_process_is_named(says):
    lines = says["branch"][0].splitlines()
    assert lines[0] == f"{OTHER.replace('step', 'branching')}their eqns differ."
    within = "within: if jax.process_index() == jax.process_count() - 1."
    assert lines[1].endswith(f"(x = x * 5.0), {within}")


CODE = """def f(x):
    if jax.process_index() == 0:
        for turn in range(3):
            x = jnp.sin(
                x,
            )
    elif other:
        x = jnp.cos(x)
    else:

        # nothing
        x = jnp.tanh(x)
    for turn in range(2):
        x = x + 1
    else:
        x = x * 2
    if x is None:
        def g(x):
            return x
    return x
"""


@pytest.mark.parametrize(
    ("line", "branch"),
    [
        (5, "if jax.process_index() == 0"),
        (8, "elif other"),
        (12, "else of elif other"),
        (14, ""),
        (16, ""),
        (19, ""),
        (20, ""),
        (99, ""),
    ],
)
def test_the_branch_around_a_line(line, branch):
    listing = schema.Listing(file="m.py", cell=None, count=None, start=101, text=CODE)
    assert branch_of([listing], frame("f", 100 + line, None)) == branch


def test_another_order_is_named(says):
    said = f"{OTHER.replace('step', '<lambda>')}{sentence('eqns in another order')}."
    assert says["turned"][0].splitlines()[0] == said


def test_another_static_argument_is_named(says):
    lines = says["static"][0].splitlines()
    assert lines[0] == f"{OTHER}turns is 3, not 2."
    assert lines[1].endswith("(y = jnp.sin(y)).")
    assert lines[2] == "  step · processes 0 and 1 → step · process 2: 1 added, 5 the same"


def test_the_order_of_a_dict_makes_no_difference(says):
    assert says["order"][0] == "3 processes hold the same program of product."


def test_a_function_of_another_name_is_named(says):
    assert says["name"][0] == f"{OTHER}the function is another, not step."


def test_values_that_are_closed_over_are_no_part_of_the_program(says):
    assert says["constant"][0] == "3 processes hold the same program of <lambda>."


def test_who_comes_last_is_named(says):
    agreed, late = says["late"][0].splitlines()
    assert agreed == "3 processes hold the same program of step."
    found = re.fullmatch(
        r"Process 2 came last, \d+\.\d s after process [01] by the clocks of their hosts; "
        r"tracing had taken it (\d+\.\d) s and compiling \d+\.\d s, "
        r"and lowering took \d\.\d s more\.",
        late,
    )
    assert found
    assert 2.5 <= float(found[1]) < 60.0  # what made it late
    assert 2.0 <= float(late.split()[4]) < 60.0


def test_each_of_several_programs_is_compared(says):
    first, *_ = lines = [line for line in says["apart"][0].splitlines() if "holds" in line]
    held = "holds another program than the program of step that process 0 has: x is "
    assert first == f"Process 1 {held}f32[5,3], not f32[4,3]."
    assert lines[1:] == [f"Process 2 {held}f32[6,3], not f32[4,3]."]


def test_who_says_nothing_is_named_at_the_timeout(says):
    assert says["silent"][0] == (
        "Process 2 reported nothing within 3 s: not yet at this call of jaxviz.agree, or ended."
    )


def test_who_comes_when_the_others_went_on_hears_of_it(says):
    first = says["behind"][0].splitlines()[0]
    assert first == "Processes 0 and 1 had waited for process 2, and went on without it."


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4, 8])
def test_jobs_of_any_size(count):
    """All processes say the same, within 5 s after the last came; who is silent is named at the
    timeout."""
    told = told_by(count)
    odd = f"Process {count - 1} holds another program than the program of step that "
    first = {case: found[0][0].splitlines()[0] for case, found in told.items()}
    agreed = f"{count} processes hold the same program of"
    assert first["same"] == first["late"] == f"{agreed} step."
    assert first["order"] == f"{agreed} product."
    for case in ("op", "shape", "static", "name"):
        assert first[case].startswith(odd)
    assert first["shape"].endswith(": x is f32[5,3], not f32[4,3].")
    assert first["silent"].startswith(f"Process {count - 1} reported nothing within 3 s: ")
    assert told["apart"][0][0].count(", not f32[4,3].") == count - 1
    for case, found in told.items():
        assert len({said for said, _ in found}) == 1, case
    seconds = {case: max(after for _, after in found) for case, found in told.items()}
    print(f"\n{count} processes:", {case: round(after, 2) for case, after in seconds.items()})
    assert max(after for case, after in seconds.items() if case != "silent") < 5.0
    assert 3.0 <= seconds["silent"] < 8.0


SETS = """
import jax, numpy as np, jaxviz
from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P
from jaxviz.tools.job.agree import _of_this_process

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))
specs = {"in_specs": (P("x", "y"), P("y", None)), "out_specs": P("x", None)}
product = shard_map(lambda a, b: jax.lax.psum(a @ b, "y"), mesh=mesh, **specs)
program = jaxviz.inspect(jax.jit(product))(np.ones((8, 8)), np.ones((8, 8)))
print(_of_this_process(0, program, 0.0).jaxpr)
"""


def test_the_hashes_of_a_process_are_no_part_of_the_program():
    """Each process has its own hashes, and JAX 0.6 orders the axes of a mesh by them."""
    devices = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", SETS],
            env={**os.environ, **devices, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "1", "3")
    ]
    [told] = {process.communicate()[0] for process in started}
    assert re.fullmatch(r"[0-9a-f]{32}\n", told)


def test_one_process_agrees_with_itself():
    agreement = jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0))
    assert agreement.same
    assert str(agreement) == "There is 1 process, which has its program of sin alone."


def test_one_output_has_the_programs_of_all_processes():
    most, odd = jaxviz.inspect(jnp.sin)(1.0), jaxviz.inspect(jnp.cos)(1.0)
    compared = jaxviz.compare(most, odd)
    others = Difference((1,), compared, "their eqns differ"), Difference((3,), None, "why")
    told = [ProcessProgram(at, "f", "", "", "", 0.0, 0.0, 0.0, 0.0) for at in range(4)]
    [run] = [*fresh_with(Agreement((*told,), differences=others, program=most))]
    [data] = run.shown
    assert run.out.startswith("Out[1]: Process 1 holds another program than the program of f that ")
    assert decode(b64decode(data[MIME]["program"])) == compared.record
    first, second, third = data[MIME]["report"]["held"]
    assert decode(b64decode(first.pop("program"))).stages == most.record.stages
    assert first == {"processes": [0, 2], "differs": ""}
    assert second == {"processes": [1], "differs": "their eqns differ", "program": None}
    assert third == {"processes": [3], "differs": "why", "program": ""}


def fresh_with(agreement: Agreement) -> Iterator[Run]:
    """Runs that show the agreement in a shell."""
    for shell in fresh(""):
        shell.user_ns["agreement"] = agreement
        yield Run(shell, "agreement")


def test_what_is_no_program_is_refused():
    with pytest.raises(TypeError, match=r"^program must be a jaxviz\.Program, as jaxviz\.inspect"):
        jaxviz.agree(jnp.sin)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("timeout", [0.0, float("nan")])
def test_a_timeout_that_is_none_is_refused(timeout):
    with pytest.raises(ValueError, match=r"^timeout is in seconds and above 0, not "):
        jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0), timeout)
