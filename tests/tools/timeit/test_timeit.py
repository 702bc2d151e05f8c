"""Times of a call are right, and timing changes nothing."""

from __future__ import annotations

import gc
import json
import math
from base64 import b64decode

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import jaxviz
from jaxviz.display import wire
from jaxviz.schema import MIME
from jaxviz.tools.timeit.capture import spread
from jaxviz.tools.timeit.record import Spread, Timing
from jaxviz.tools.timeit.text import gain

FEWEST = 5
OP_BY_OP = "Op by op it takes"
PAYS_OFF = "Tracing, lowering and compiling pay off after about"


def timing(jitted, eager, made=0.03):
    return Timing(
        function="f",
        size=None,
        eqns=3,
        trace=made / 3,
        lower=made / 3,
        compile=made / 3,
        first_run=0.001,
        jitted=jitted,
        eager=eager,
    )


def even(median):
    return Spread(low=median * 0.9, median=median, high=median * 1.1, runs=10)


@pytest.mark.parametrize(
    ("jitted", "eager", "told"),
    [
        (even(1e-3), even(4e-3), f"{OP_BY_OP} 4.0 × as long as with jit. {PAYS_OFF} 10 calls."),
        (even(1e-3), even(1.0), f"{OP_BY_OP} 1000 × as long as with jit. {PAYS_OFF} 1 call."),
        (even(3.6e-3), even(1e-3), "With jit it takes 3.6 × as long as op by op."),
        (
            even(1.0e-3),
            even(1.1e-3),
            "It takes about as long with jit as without: the quartiles overlap.",
        ),
        (even(1e-3), None, "It fails without jit, so there is nothing to compare."),
    ],
)
def test_no_more_is_reported_than_was_measured(jitted, eager, told):
    assert str(gain(timing(jitted, eager))) == told


@given(st.lists(st.floats(1e-7, 10), min_size=2))
def test_quartiles_lie_around_the_median(runs):
    found = spread(runs)
    assert min(runs) <= found.low <= found.median <= found.high <= max(runs)
    assert found.median == pytest.approx(np.median(runs))
    assert found.runs == len(runs)


def test_both_paths_run_equally_often_and_give_rows():
    calls = []

    def f(x):
        calls.append(type(x).__name__)
        return jnp.sin(x) * 2.0

    (row,) = jaxviz.timeit(f, seconds=0)(jnp.ones(3)).records()
    assert (row["function"], row["size"], row["eqns"]) == ("f", None, 2)
    assert row["jitted_runs"] == row["eager_runs"] == FEWEST
    assert all(row[step] > 0 for step in ("trace", "lower", "compile", "first_run", "jitted"))
    assert calls.count("ArrayImpl") == FEWEST + 1
    assert len(calls) == FEWEST + 3, "traced twice: to be captured, and in time"


@given(st.lists(st.sampled_from([jnp.sin, jnp.cos, jnp.tanh]), min_size=1, max_size=6))
@settings(max_examples=5, deadline=None)
def test_of_any_program_all_is_timed(ops):
    def f(x):
        for op in ops:
            x = op(x)
        return x

    (row,) = jaxviz.timeit(f, seconds=0)(jnp.ones(3)).records()
    assert row["eqns"] == len(jax.make_jaxpr(f)(jnp.ones(3)).eqns)
    assert all(row[step] > 0 for step in ("trace", "lower", "compile", "first_run"))
    for runs in ("jitted", "eager"):
        assert 0 < row[f"{runs}_low"] <= row[runs] <= row[f"{runs}_high"]
        assert row[f"{runs}_runs"] == FEWEST


def test_sizes_are_rows():
    found = jaxviz.timeit(jnp.cumsum, sizes=(2, 3), seconds=0)(lambda n: (jnp.ones(n),))
    assert [timing.size for timing in found.timings] == [2, 3]
    text = str(found)
    assert "cumsum, size 2: " in text
    assert "cumsum, size 3: " in text


def test_a_jitted_function_keeps_its_statics_its_cache_and_its_arguments():
    traces = []

    def f(x, mode):
        traces.append(mode)
        return x + 1.0 if mode == "up" else x - 1.0

    jitted = jax.jit(f, static_argnames="mode", donate_argnums=0)
    x = jnp.ones(3)
    for found in (jaxviz.timeit(jitted, seconds=0)(x, mode="up"), jaxviz.timeit(f)(x, "down")):
        assert found.timings[0].eager is not None
    assert set(traces) == {"up", "down"}
    assert getattr(jitted, "_cache_size")() == 0  # noqa: B009
    assert not x.is_deleted()


def test_a_function_of_equinox_is_timed_by_what_is_inside():
    model = eqx.nn.MLP(2, 2, 4, 1, key=jax.random.key(0))
    found = jaxviz.timeit(lambda m, x: m(x), seconds=0)(model, jnp.ones(2))
    assert found.timings[0].eager is not None
    with pytest.raises(jaxviz.CaptureError, match="wrapped by another library"):
        jaxviz.timeit(eqx.filter_jit(lambda m, x: m(x)))(model, jnp.ones(2))


def test_modules_whose_state_would_change_are_refused():
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    with pytest.raises(jaxviz.CaptureError, match="the argument model holds a Flax NNX module"):
        jaxviz.timeit(lambda model, x: model(x))(model, jnp.ones(2))
    with pytest.raises(jaxviz.CaptureError, match="wrapped by another library"):
        jaxviz.timeit(nnx.jit(lambda x: x))(jnp.ones(2))


def test_what_fails_without_jit_is_reported():
    def traced_alone(x):
        if type(x).__name__ == "ArrayImpl":
            raise TypeError
        return x + 1.0

    found = jaxviz.timeit(traced_alone, seconds=0)(jnp.ones(3))
    assert found.timings[0].eager is None
    assert math.isnan(found.records()[0]["eager"])
    assert "fails" in str(found)


def test_an_error_of_the_function_passes_and_collecting_goes_on():
    def bad(x):
        raise KeyError("k")

    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.timeit(bad)(jnp.ones(3))
    assert isinstance(caught.value.__cause__, KeyError)
    assert gc.isenabled()


def test_functions_stand_side_by_side_with_their_programs():
    def unrolled(x, n):
        for _ in range(n):
            x = jnp.sin(x)
        return x

    def scanned(x, n):
        return jax.lax.fori_loop(0, n, lambda _, y: jnp.sin(y), x)

    both = jaxviz.timeit([unrolled, scanned], 1, sizes=(3, 5), seconds=0)
    found = both(lambda n: (1.0, n))
    rows = [(row["function"], row["size"], row["eqns"]) for row in found.records()]
    assert rows == [("unrolled", 3, 3), ("scanned", 3, 3), ("unrolled", 5, 5), ("scanned", 5, 3)]
    assert [program.name for program in found.programs] == ["unrolled", "scanned"] * 2
    shown = found._repr_mimebundle_()[MIME]["report"]
    assert [one["text"] for one in shown["said"]] == [str(gain(timing)) for timing in found.timings]
    programs = [wire.decode(b64decode(saved)) for saved in shown["programs"]]
    assert programs == [program.record for program in found.programs]
    with pytest.raises(ValueError, match="at least one"):
        jaxviz.timeit([])


def test_many_rows_have_a_live_view():
    found = jaxviz.timeit(lambda x: x, sizes=(1,), seconds=0)(lambda n: (jnp.ones(n),))
    [row], [program] = found.timings, found.programs
    many = type(found)((replace(row, size=size), program) for size in range(300))
    shown = many._repr_mimebundle_()
    assert len(json.dumps(shown)) <= 200_000
    assert len(shown[MIME]["report"]["timings"]) == 300
    assert "Rows that are not listed: 280." in shown["text/plain"]
    assert len(str(many).split("\n")) > 500


def test_names_are_text_in_the_page():
    def f(x):
        return x

    f.__name__ = "<b>f"
    html = jaxviz.timeit(f, seconds=0)(jnp.ones(3))._repr_mimebundle_()["text/html"]
    assert "<b>" not in html
    assert "&lt;b&gt;f" in html
