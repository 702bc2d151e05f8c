"""Requests of a page over a comm, and the answers while cells run."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import jax.numpy as jnp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook import Comm, Kernel, kernel_fixture, started, view_of

import jaxviz
from jaxviz import schema
from jaxviz.display import decode
from jaxviz.display.outputs import MOST_OUTSIDE_CELLS, register, shown_under
from jaxviz.display.page_requests import MOST_REQUESTS, PageRequests
from jaxviz.sentences import sentence
from jaxviz.stages import Stages

SETUP = """
%load_ext jaxviz
import threading, warnings
import jax, jax.numpy as jnp, numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
ran = []
gate, done, loud = threading.Event(), threading.Event(), False
slow = Primitive("slow")
slow.def_abstract_eval(lambda x: x)
def lower_slow(context, x):
    gate.wait()
    if loud:
        print("lowered")
        warnings.warn("lowered")
        done.set()
    return [x]
mlir.register_lowering(slow, lower_slow)
def gated(x):
    ran.append("gated")
    return slow.bind(jnp.sin(x))
def quick(x):
    ran.append("quick")
    return jnp.cos(x) * 2
"""
kernel = kernel_fixture(SETUP)


def shown(kernel: Kernel, cell: str, call: str) -> Comm:
    """A view of the program of a call that a cell shows."""
    [output] = kernel.run(cell, f"%jaxviz {call}")
    return view_of(kernel, output)


def printed(kernel: Kernel, code: str) -> str:
    return "".join(output["text"] for output in kernel.run("printing", code))


@pytest.mark.parametrize("kind", ["stablehlo", "hlo", "jaxpr"])
def test_a_stage_is_made_when_it_is_asked_for(kernel: Kernel, kind: str) -> None:
    view = shown(kernel, "a", "quick(1.0)")
    assert "jaxviz" in kernel.comms("jaxviz")
    view.send({"ask": 1, "stage": kind})
    told, stage = view.answer(1)
    assert told == {"ask": 1, "done": True}
    assert stage is not None
    assert (stage.kind, stage.error) == (kind, None)
    assert any(eqn.op.endswith(("cos", "cosine")) for graph in stage.graphs for eqn in graph.eqns)


def test_while_a_stage_is_made_the_page_gets_progress_and_cells_run(kernel: Kernel) -> None:
    view = shown(kernel, "slow", "gated(1.0)")
    view.send({"ask": 7, "stage": "hlo"})
    heard = (message["content"]["data"] for message in view.heard())
    first, second = next(heard), next(heard)
    assert first["doing"] == second["doing"] == "lowering"
    assert 0.4 < first["seconds"] < second["seconds"]
    assert printed(kernel, "print(gate.is_set(), *ran[-1:])") == "False gated\n"
    view.send({"stop": 7})
    assert view.error(7) == "Stopped."
    view.send({"ask": 8, "stage": "hlo"})
    other = view_of(kernel, "unknown")
    other.send({"ask": 1, "stage": "hlo"})
    assert other.error(1) == str(sentence("nothing to ask"))
    kernel.begin("open", "gate.set()")
    told, stage = view.answer(8)
    assert told["done"]
    assert stage is not None
    assert stage.error is None
    assert printed(kernel, "print(ran.count('gated'))") == "1\n"


def test_a_widget_asks_by_its_own_messages(kernel: Kernel) -> None:
    [output] = kernel.run("vscode-notebook-cell:/one.ipynb#X1", "%jaxviz quick(3.0)")
    widget = output["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    question = {"method": "custom", "content": {"ask": 1, "stage": "hlo"}}
    kernel.send("comm_msg", {"comm_id": widget, "data": question})
    content = {"ask": 1, "done": True}
    answer = next(
        message
        for message in kernel.messages()
        if message["content"].get("data") == {"method": "custom", "content": content}
    )
    assert answer["content"]["comm_id"] == widget
    [stage] = decode(bytes(answer["buffers"][0])).stages
    assert stage.kind == "hlo"


def test_of_many_questions_at_once_some_are_refused(kernel: Kernel) -> None:
    kernel.run("close", "gate.clear()")
    view = shown(kernel, "many", "gated(jnp.ones(6))")
    for ask in range(MOST_REQUESTS + 1):
        view.send({"ask": ask, "stage": "hlo"})
    assert "Too many requests" in view.error(MOST_REQUESTS)
    kernel.begin("open", "gate.set()")
    assert {view.answer(ask)[0]["done"] for ask in [MOST_REQUESTS - 1]} == {True}


def test_what_is_printed_meanwhile_lands_in_no_cell(kernel: Kernel) -> None:
    kernel.run("close", "gate.clear(); loud = True")
    view = shown(kernel, "loud", "gated(jnp.ones(7))")
    view.send({"ask": 1, "stage": "hlo"})
    next(view.heard())
    request = kernel.begin("open", "gate.set(); done.wait()")
    outputs = [m for m in kernel.until_idle(request) if m["msg_type"] == "stream"]
    assert outputs == []
    assert kernel.run("quiet", "loud = False; done.clear()") == []


def test_a_closed_view_hears_nothing_more(kernel: Kernel) -> None:
    kernel.run("close", "gate.clear()")
    view = shown(kernel, "closed", "gated(jnp.ones(2))")
    view.send({"ask": 1, "stage": "hlo"})
    next(view.heard())
    view.close()
    request = kernel.begin("open", "gate.set()")
    assert all("comm_id" not in message["content"] for message in kernel.until_idle(request))


def test_messages_that_are_none_are_ignored(kernel: Kernel) -> None:
    assert kernel.run("before", "") == []
    view = shown(kernel, "b", "quick(1.0)")
    for message in (None, [], "x" * 10_000, {}, {"ask": "1", "stage": "hlo"}, {"ask": 1},
                    {"stop": 99}, {"stop": []}, {"ask": 2, "stage": {"a": 1}}):  # fmt: skip
        view.send(message)
    view.send({"ask": 3, "stage": "__proto__"})
    assert view.error(3) == "jaxviz has no such stage."
    view.send({"ask": 4, "stage": "hlo"})
    assert view.answer(4)[0] == {"ask": 4, "done": True}


@pytest.mark.parametrize("data", [None, [], {"version": 0, "key": "k"}, {"version": 1}])
def test_a_page_of_an_older_format_gets_the_current_one(kernel: Kernel, data: Any) -> None:
    [message] = Comm(kernel, data).heard()
    assert message["msg_type"] == "comm_close"
    told = {"version": schema.VERSION, "jaxviz": importlib.metadata.version("jupyterlab-jaxviz")}
    assert message["content"]["data"] == told


def test_a_page_of_a_newer_format_reads_this_one_too(kernel: Kernel) -> None:
    [output] = kernel.run("newer", "%jaxviz quick(1.0)")
    key = output["data"][schema.MIME]["key"]
    view = Comm(kernel, {"version": schema.VERSION + 1, "key": key})
    view.send({"ask": 1, "stage": "stablehlo"})
    assert view.answer(1)[0]["done"]


def test_a_cell_that_runs_again_lets_its_program_go(kernel: Kernel) -> None:
    first = shown(kernel, "again", "quick(1.0)")
    first.send({"ask": 1, "stage": "stablehlo"})
    assert first.answer(1)[0]["done"]
    kernel.run("again", "1 + 1")
    first.send({"ask": 2, "stage": "hlo"})
    assert first.error(2) == str(sentence("nothing to ask"))
    count = (
        "import gc; gc.collect(); from jaxviz.display import outputs; print(len(outputs._shown))"
    )
    before = printed(kernel, count)
    for _ in range(3):
        shown(kernel, "again", "quick(2.0)")
    assert int(printed(kernel, count)) == int(before) + 1


def test_an_interrupt_leaves_and_asking_again_goes_on(kernel: Kernel) -> None:
    kernel.run("c", "gate.clear(); p = %jaxviz -o gated(jnp.ones(3))")
    kernel.run("c", "told = threading.Event()")
    request = kernel.begin("d", "p.stage('hlo', lambda doing, seconds: print(doing, flush=True))")
    messages = kernel.until_idle(request)
    assert any(message["content"].get("text", "").startswith("lowering") for message in messages)
    kernel.manager.interrupt_kernel()
    [error] = [m["content"] for m in messages if m["msg_type"] == "error"]
    assert error["ename"] == "KeyboardInterrupt"
    kernel.run("e", "gate.set()")
    assert printed(kernel, "print(p.stage('hlo').error)") == "None\n"


def test_an_interrupted_magic_says_one_sentence(kernel: Kernel) -> None:
    kernel.run("c", "gate.clear()")
    request = kernel.begin("d", "%jaxviz gated(jnp.ones(4)) --stage hlo")
    messages = kernel.until_idle(request)
    line = next(m["content"]["data"] for m in messages if m["msg_type"] == "display_data")
    assert line == {"text/plain": "jaxviz: lowering, 1 s"} or line["text/plain"].endswith("0 s")
    kernel.manager.interrupt_kernel()
    rest = [m["content"] for m in messages if m["msg_type"] in ("stream", "error")]
    kernel.run("e", "gate.set()")
    assert [one["text"] for one in rest] == [
        (
            "UsageError: interrupted before the stage hlo was made: without --stage hlo the "
            "jaxpr is shown at once.\n"
        )
    ]


def test_the_magic_shows_the_asked_stage_in_place_of_its_progress(kernel: Kernel) -> None:
    kernel.run("c", "gate.clear(); threading.Timer(1.5, gate.set).start()")
    outputs = kernel.run("d", "%jaxviz gated(jnp.ones(5)) --stage hlo")
    [line, *_, last] = outputs
    assert line["data"]["text/plain"].startswith("jaxviz: lowering")
    assert last["data"][schema.MIME]["opening"] == {"stage": "hlo"}
    assert last["transient"] == line["transient"]


PALLAS = """
from jax.experimental import pallas as pl
def kernel(x_ref, o_ref): o_ref[...] = x_ref[...] * 2
def pallas(x): return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
"""


def test_a_stage_that_is_refused_says_why_and_leaves_the_others_whole(kernel: Kernel) -> None:
    kernel.run("f", PALLAS)
    view = shown(kernel, "g", "pallas(jnp.ones((8, 128)))")
    for ask, kind in enumerate(["hlo", "stablehlo"]):
        view.send({"ask": ask, "stage": kind})
        told, stage = view.answer(ask)
        assert told["done"]
        assert stage is not None
        assert stage.error is not None
        assert "Only interpret mode is supported on CPU backend" in stage.error
        assert stage.graphs == []
    view.send({"ask": 9, "stage": "jaxpr"})
    _, stage = view.answer(9)
    assert stage is not None
    assert stage.graphs


def test_asking_changes_nothing_of_the_users(kernel: Kernel) -> None:
    state = (
        "print(sorted(n for n in dir() if not n.startswith('_')), jax.config.values, "
        "np.random.get_state()[1][:4], f._cache_size(), ran, warnings.filters)"
    )
    kernel.run("h", "f = jax.jit(quick); ran.clear(); np.random.seed(3); key = jax.random.key(0)")
    view = shown(kernel, "i", "f(jnp.ones(9))")
    before = printed(kernel, state)
    for ask, kind in enumerate(["stablehlo", "hlo"]):
        view.send({"ask": ask, "stage": kind})
        assert view.answer(ask)[0]["done"]
    assert printed(kernel, state) == before
    assert printed(kernel, "f(jnp.ones(9)); print(ran)") == "['quick']\n"


def test_a_kernel_listens_once_jaxviz_is_loaded() -> None:
    with started() as fresh:
        assert fresh.comms("jaxviz") == []
        fresh.run("a", "%load_ext jaxviz")
        assert fresh.comms("jaxviz") == ["jaxviz"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["ask", "stop", "stage", "trace", "compare"]), inner)
    ),
)


@given(JSON)
def test_no_message_disturbs_the_kernel(message: Any) -> None:
    replies: list[dict[str, Any]] = []
    PageRequests("", lambda content, _: replies.append(content)).receive(message)
    assert all(set(reply) <= {"ask", "error"} for reply in replies)


def test_of_programs_that_no_cell_shows_the_newest_are_registered() -> None:
    stages = Stages(jaxviz.inspect(jnp.sin)(1.0).record, None)
    first, *others = [register(stages) for _ in range(MOST_OUTSIDE_CELLS + 1)]
    assert shown_under(first) is None
    assert all(shown_under(key) is stages for key in others)
