"""The profile of a program is right, and changes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.experimental import io_callback

import jaxviz
from jaxviz.capture.stages.hlo.messages import profile_of
from jaxviz.tools.profile.capture.instruction_times import OwnTime, own_times, span
from jaxviz.tools.profile.capture.profiler_events import (
    Interval,
    all_ended,
    ends_in,
    events_in,
    instructions_in,
    intervals_of,
)

X = jnp.ones(8)
WIDE = jnp.ones((400, 400))
MS = 1_000_000_000
"""Picoseconds."""


def taken(
    *intervals: tuple[str, int, int], holders: tuple[str, ...] = ()
) -> dict[str, tuple[float, int]]:
    """Each instruction's own time in milliseconds, and the number of its runs on one device."""
    found = [
        Interval(0, name, start * MS, end * MS, run)
        for run, (name, start, end) in enumerate(intervals)
    ]
    times = own_times(found, holders)
    return {name: (round(1000 * own.seconds, 6), own.calls) for (_, name), own in times.items()}


def test_what_follows_one_another_has_its_own_time() -> None:
    assert taken(("a", 0, 2), ("b", 2, 5), ("a", 6, 7)) == {"a": (3, 2), "b": (3, 1)}


def test_what_runs_at_once_is_divided() -> None:
    assert taken(("a", 0, 4), ("b", 2, 6)) == {"a": (3, 1), "b": (3, 1)}


def test_a_loop_has_what_its_body_does_not_take() -> None:
    loops = ("outer", 0, 10), ("inner", 1, 9), ("a", 2, 4), ("a", 5, 8)
    found = taken(*loops, holders=("outer", "inner"))
    assert found == {"outer": (2, 1), "inner": (3, 1), "a": (5, 2)}


def test_what_took_no_time_is_counted() -> None:
    assert taken(("a", 0, 2), ("b", 1, 1)) == {"a": (2, 1), "b": (0, 1)}


def test_devices_are_apart() -> None:
    found = [Interval(0, "a", 0, 4 * MS, 0), Interval(1, "a", 2 * MS, 5 * MS, 1)]
    assert own_times(found, ()) == {(0, "a"): OwnTime(0.004, 1), (1, "a"): OwnTime(0.003, 1)}
    assert span(found).seconds == 0.004
    found.append(Interval(0, "b", 6 * MS, 7 * MS, 2))
    assert span(found) == (0.007, 0.002)


def test_what_another_thread_ends_is_over_where_that_goes_on() -> None:
    # Thread 1 ends `a`, runs what follows, and only then says that it ended `a`.
    profile = profile_of(b"")
    plane = profile.planes.add()
    for number, name in enumerate(("hlo_module", "hlo_op", "_p", "_c", "m", "a", "b", "end: a"), 1):
        plane.event_metadata[number].name = plane.stat_metadata[number].name = name
    threads = [plane.lines.add(), plane.lines.add()]

    def told(thread: int, name: int, start: int, end: int, **stats: int) -> None:
        event = threads[thread].events.add(metadata_id=name, offset_ps=start)
        event.duration_ps = end - start
        for key, value in stats.items():
            kind = "uint64_value" if key.startswith("_") else "ref_value"
            event.stats.add(metadata_id=STATS[key], **{kind: value})

    told(0, 6, 0, 2, hlo_module=5, hlo_op=6, _p=77)
    told(1, 7, 4, 8, hlo_module=5, hlo_op=7)
    told(1, 8, 9, 9, _c=77)
    told(1, 7, 12, 13, hlo_module=6, hlo_op=7)  # of another module
    events = [*events_in(profile)]
    begun = instructions_in(events, "m")
    found = [*intervals_of(events, begun)]
    assert found == [Interval(-1, "a", 0, 4, 0), Interval(-1, "b", 4, 8, 1)]
    # The end of `b` is missing: such a run is not used.
    assert not all_ended(begun, ends_in(events))
    assert all_ended(begun[:1], ends_in(events))


STATS = {"hlo_module": 1, "hlo_op": 2, "_p": 3, "_c": 4}


def costly(x):
    y = jnp.sin(x[0])
    z = lax.fori_loop(0, 10, lambda _, x: x @ x / 400, x)
    return z + jnp.cos(y)


def test_the_line_that_was_made_costly_is_first() -> None:
    found = jaxviz.profile(costly)(WIDE)
    first = found.lines[0]
    assert first.frame is not None
    assert first.frame.code.startswith("z = lax.fori_loop")
    assert first.ops[0] == "dot_general"
    assert first.share > 0.8
    place = f"tests/tools/profile/test_profile.py, line {first.frame.line} (z = lax.fori_loop"
    assert place in str(found).splitlines()[1]


def test_each_instruction_leads_to_its_eqns() -> None:
    found = jaxviz.profile(costly, repeats=3)(WIDE)
    graphs = found.program.stage("jaxpr").graphs
    parts = [part for row in found.rows for part in row.parts]
    assert {part.op for part in parts} >= {"sin", "cos", "dot_general"}
    assert all(graphs[part.graph].eqns[part.eqn].op == part.op for part in parts)
    assert all(row.op for row in found.rows)
    for row in found.rows:
        assert sum(part.share for part in row.parts) == pytest.approx(1 if row.parts else 0)


def test_what_is_fused_is_divided_by_its_arithmetic() -> None:
    # The square is 250,000 products, the sum 250,000 additions, and the scale a single one.
    found = jaxviz.profile(lambda x: x * x + jnp.float32(2) ** 3 + x, repeats=2)(
        jnp.ones((500, 500))
    )
    fused = max(found.rows, key=lambda row: len(row.parts))
    shares = {part.op: part.share for part in fused.parts}
    assert shares["mul"] == pytest.approx(1 / 3, abs=1e-3)
    assert shares["add"] == pytest.approx(1 / 3, abs=1e-3)


@jax.jit
def layer(x):
    return jnp.sin(x) @ x


def called_twice(x):
    return layer(layer(x)[:20, :20])


def test_each_stage_has_what_its_eqns_took_at_each_place() -> None:
    found = jaxviz.profile(called_twice, repeats=2)(WIDE)
    kinds: list[Any] = ["jaxpr", "stablehlo", "hlo"]
    of: dict[str, Any] = {kind: found.program.stage(kind).times for kind in kinds}
    # The two eqns of the layer are 3 and 4 for the large call, 5 and 6 for the small one.
    assert {*map(tuple, of["jaxpr"].chains)} == {(0, 3), (0, 4), (1,), (2, 5), (2, 6)}
    large, small = (
        sum(ns for chain, ns in zip(*took(of["jaxpr"]), strict=True) if chain[0] == call)
        for call in (0, 2)
    )
    assert large > 10 * small
    assert {*map(tuple, of["stablehlo"].chains)} == {(0, 3), (0, 4), (1,), (2, 5), (2, 6)}
    assert sum(of["hlo"].nanoseconds) == pytest.approx(of["hlo"].whole, abs=9)
    assert len({times.whole for times in of.values()}) == 1
    assert jaxviz.inspect(called_twice)(WIDE).stage("jaxpr").times is None


def took(times: Any) -> tuple[list[list[int]], list[int]]:
    return times.chains, times.nanoseconds


def test_the_lines_add_up_to_no_more_than_the_program_took() -> None:
    found = jaxviz.profile(costly, repeats=3)(WIDE)
    assert 2 <= len(found.wall) == len(found.inside) <= 3
    added = sum(line.seconds for line in found.lines)
    assert added == pytest.approx(sum(row["seconds"] for row in found.records()))
    assert 0 < added <= min(found.inside) + 1e-9
    # In each run the instructions and what lies between them are all that there is.
    assert all(0 <= idle < inside for idle, inside in zip(found.between, found.inside, strict=True))
    assert "of that time, no instruction ran." in str(found)
    assert sum(line.share for line in found.lines) == pytest.approx(1)


def test_what_would_happen_again_is_left_out_refused_or_said(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def prints(x):
        jax.debug.print("{}", x)
        return lax.fori_loop(
            0, 3, lambda _, x: (jax.debug.print("{}", x, ordered=True), x + 1)[1], x
        )

    found = jaxviz.profile(prints, repeats=2)(X)
    assert capfd.readouterr().out == ""
    assert "Not repeated, and not in these times: debug_" in str(found)

    def effect(x):
        io_callback(print, None, x)
        return jnp.log(x)

    with pytest.raises(jaxviz.CaptureError, match="io_callback, whose effect would happen once"):
        jaxviz.profile(effect)(X)

    ran: list[object] = []

    def pure(x):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(lambda x: (ran.append(x), x)[1], shape, x)

    assert "pure_callback ran in each run." in str(jaxviz.profile(pure, repeats=3)(X))
    assert len(ran) == 5  # two runs to warm up


def test_one_profile_at_a_time(tmp_path: Path) -> None:
    refused = pytest.raises(jaxviz.CaptureError, match="something else profiles this process")
    with jax.profiler.trace(str(tmp_path)), refused:
        jaxviz.profile(jnp.sin)(X)
    assert jaxviz.profile(jnp.sin, repeats=2)(X).rows


@pytest.mark.parametrize("repeats", [1, 0, -3, 2.5, "many", True])
def test_repeats_is_a_number_of_runs(repeats: Any) -> None:
    with pytest.raises(ValueError, match=r"repeats is a number of runs from 2 on"):
        jaxviz.profile(jnp.sin, repeats=repeats)


def test_it_leaves_no_file_and_the_function_s_cache_and_arguments_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    jitted: Any = jax.jit(jnp.log, donate_argnums=0)
    x = jnp.array(X)
    with jaxviz.watch() as log, jax.debug_nans(True):
        assert jaxviz.profile(jitted, repeats=2)(x - 2).rows
        assert jaxviz.profile(jitted, repeats=2)(x).rows
    assert jitted._cache_size() == 0
    assert not x.is_deleted()
    assert log.events == ()
    assert [*tmp_path.iterdir()] == []


def test_static_arguments() -> None:
    found = jaxviz.profile(lambda x, n: x**n, static_argnums=1, repeats=2)(X, 3)
    assert {part.op for row in found.rows for part in row.parts} == {"integer_pow"}


def test_an_output_has_the_program_and_a_row_for_each_line() -> None:
    found = jaxviz.profile(costly, repeats=3)(WIDE)
    bundle = found._repr_mimebundle_()
    times = bundle["application/vnd.jaxviz.v1+json"]["report"]
    assert times["runs"] == len(found.wall) in (2, 3)
    assert 0 < times["best"] <= times["median"]
    first = times["lines"][0]
    assert (first["ops"][0], first["frame"]["parent"]) == ("dot_general", None)
    graphs = jaxviz.inspect(costly)(WIDE).stage("jaxpr").graphs
    assert graphs[first["graph"]].eqns[first["eqn"]].op == "dot_general"
    assert bundle["text/plain"].startswith(f"costly, in {len(found.wall)} runs: ")
    assert bundle["text/html"].startswith("<pre ")


TELLS_DEVICES_APART = jax.__version_info__ >= (0, 7)
ON_DEVICES = """
import json, jax, jax.numpy as jnp, jaxviz
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import numpy as np
mesh = Mesh(np.array(jax.devices()), "d")
x = jax.device_put(jnp.ones((8, 64)), NamedSharding(mesh, PartitionSpec("d")))
found = jaxviz.profile(lambda x: jnp.tanh(x).sum(), repeats=2)(x)
tanh = {row.device for row in found.rows if any(part.op == "tanh" for part in row.parts)}
added = sum(line.seconds for line in found.lines)
print(json.dumps([sorted(tanh), added <= sum(row.seconds for row in found.rows) / 4 + 1e-9]))
"""


def test_devices_have_rows_of_their_own_where_jax_reports_them_apart() -> None:
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", ON_DEVICES],
        check=TELLS_DEVICES_APART,
        capture_output=True,
        text=True,
        env=flags,
    )
    if not TELLS_DEVICES_APART:
        assert "does not report what ran on which of its 4 devices" in ran.stderr
        return
    assert json.loads(ran.stdout) == [[0, 1, 2, 3], True]
