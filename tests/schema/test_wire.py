"""Both sides decode the wire form to what was encoded, and it is small."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import library_models
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display import decode, encode

GOLDEN = Path(__file__).parents[1] / "golden"
WIRE = GOLDEN / "wire"
"""A few golden programs as they travel, and one that JAX would not make, for the page's tests."""
NAMES = [
    "hostile",
    "lesson",
    "linear_solve",
    "nested_jit",
    "nothing",
    "shared_jit",
    "train_step",
    "while_newton",
]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_a_program_is_what_it_was(path: Path) -> None:
    record = jaxviz.load(path).record
    assert decode(encode(record)) == record


def odd() -> schema.Program:
    """All that a record may hold and no program of JAX does: spans that cross, a text of marks and
    of wide characters, names that are not JAX's, variables out of turn, large numbers."""
    lesson = jaxviz.load(GOLDEN / "lesson.json").record
    stage = lesson.stages[0]
    graph = stage.graphs[0]
    names = ["", "=", "z", "ba", "_", "😀", "\1", "zzzzzzzz", "baaaaaaaa"]
    spans = [(2, 12), (0, 8), (8, 8), None]
    text = "😀:f32 ba\0\1 = z\4 😀, (=) _ \n zz"
    aval = replace(stage.avals[0], bytes=1 << 60, shape=["n", 3, "n"])
    eqns = [replace(eqn, span=span) for eqn, span in zip(graph.eqns, spans, strict=True)]
    variables = [*graph.vars, *graph.vars][: len(names)]
    graph = replace(
        graph,
        vars=[
            replace(var, name=name, literal=name == names[8])
            for var, name in zip(variables, names, strict=True)
        ],
        eqns=[replace(eqns[0], invars=(8, 0)), *eqns[1:]],
    )
    stage = replace(stage, graphs=[graph], text=text, avals=[aval, *stage.avals[1:]])
    return replace(lesson, stages=[stage])


def test_the_page_reads_the_same(update_golden: bool) -> None:
    wanted = {name: jaxviz.load(GOLDEN / f"{name}.json").record for name in NAMES}
    wanted["odd"] = odd()
    programs = WIRE / "programs.txt"
    if update_golden:
        jaxviz.Program(wanted["odd"]).save(WIRE / "odd.json")
        lines = [f"{name} {b64encode(encode(record)).decode()}" for name, record in wanted.items()]
        programs.write_text("\n".join(lines) + "\n")
    lines = [line.split(" ") for line in programs.read_text().splitlines()]
    assert {name: decode(b64decode(data)) for name, data in lines} == wanted
    assert jaxviz.load(WIRE / "odd.json").record == wanted["odd"]


def chain(eqns: int) -> schema.Program:
    """The chain of the benchmark."""

    def program(x: Any, w: Any) -> Any:
        for _ in range(eqns // 5):
            x = x + 0.5 * jnp.tanh(jax.lax.dot(x, w) + 1.0)
        return x

    return jaxviz.inspect(program)(jnp.ones((8, 8)), jnp.ones((8, 8))).record


def many_bodies(bodies: int, eqns: int) -> schema.Program:
    def program(x: Any) -> Any:
        for body in range(bodies):
            x = jax.jit(lambda x, body=body: repeat(x, float(body)))(x)
        return x

    def repeat(x: Any, scale: float) -> Any:
        for _ in range(eqns // 2):
            x = jnp.sin(x) * scale
        return x

    return jaxviz.inspect(program)(1.0).record


def step() -> schema.Program:
    function, args = library_models.nnx_step()
    return jaxviz.inspect(function)(*args).record


@pytest.mark.parametrize(
    ("program", "most"),
    [
        (lambda: chain(5), 660),
        (lambda: chain(5_000), 6_000),
        (lambda: many_bodies(50, 100), 6_000),
        (step, 16_000),
    ],
    ids=["5", "5,000", "50 bodies of 100", "a training step of 1,266"],
)
def test_few_bytes(program: Any, most: int) -> None:
    record = program()
    data = encode(record)
    assert len(data) <= most
    assert decode(data) == record


def test_a_program_of_another_version_is_refused() -> None:
    record = jaxviz.load(GOLDEN / "lesson.json").record
    with pytest.raises(ValueError, match="of format 99"):
        decode(encode(replace(record, version=99)))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.one_of(st.sampled_from(["", "_", "=", "a", "b", "c", "z", "ba", "2.0:f32[]"]), words)
"""Names of variables and words of texts: mostly equal, so that many words are names."""


@st.composite
def texts(draw: st.DrawFn, eqns: int) -> tuple[str, list[tuple[int, ...] | None]]:
    """A text of words that may be names, and spans anywhere in it."""
    pieces = st.one_of(names, st.sampled_from([" ", ":", ",", "\n", "\0", "\1", "\2", "\4", "😀"]))
    text = "".join(draw(st.lists(pieces, max_size=40)))
    ends = st.tuples(*[st.integers(0, len(text))] * 2)
    span = st.one_of(st.none(), ends.map(lambda pair: tuple(sorted(pair))))
    return text, draw(st.lists(span, min_size=eqns, max_size=eqns))


@st.composite
def graphs(draw: st.DrawFn) -> schema.Graph:
    """Eqns of variables that are there already, in any order; bodies of graphs that may not be."""
    variables = draw(st.lists(st.builds(schema.Var, name=names), min_size=1, max_size=12))
    indices = st.lists(st.integers(0, len(variables) - 1), max_size=4).map(tuple)
    eqn = st.builds(
        schema.Eqn,
        op=words,
        name=words,
        invars=indices,
        outvars=indices,
        bodies=st.just(()),
        span=st.none(),
        params=st.lists(st.builds(schema.Param, name=words, value=words), max_size=2).map(tuple),
        effects=st.lists(words, max_size=2).map(tuple),
    )
    return draw(
        st.builds(
            schema.Graph,
            name=words,
            vars=st.just(variables),
            constvars=indices,
            invars=indices,
            outvars=indices,
            eqns=st.lists(eqn, max_size=6),
        )
    )


@st.composite
def stages(draw: st.DrawFn) -> schema.Stage:
    found = draw(st.lists(graphs(), max_size=3))
    eqns = [eqn for graph in found for eqn in graph.eqns]
    text, spans = draw(texts(len(eqns)))
    placed = iter(spans)
    body = st.builds(schema.Body, label=words, graph=st.integers(0, max(0, len(found) - 1)))
    bodies = st.lists(body, max_size=2).map(tuple)
    found = [
        replace(
            graph,
            eqns=[
                replace(eqn, span=next(placed), bodies=draw(bodies) if graph is found[0] else ())
                for eqn in graph.eqns
            ],
        )
        for graph in found
    ]
    return replace(draw(st.builds(schema.Stage, text=st.just(text))), graphs=found)


SENTENCES = st.builds(
    schema.Sentence,
    key=words,
    parts=st.lists(st.one_of(words, st.integers()), max_size=3).map(tuple),
    text=words,
)
FINDINGS = st.builds(
    schema.Finding,
    what=SENTENCES,
    cost=SENTENCES,
    fix=SENTENCES,
    at=st.none(),
    is_note=st.booleans(),
)


@given(
    st.builds(
        schema.Program,
        version=st.just(schema.VERSION),
        stages=st.lists(stages(), max_size=2),
        findings=st.lists(FINDINGS, max_size=2),
    )
)
def test_any_program_is_what_it_was(record: schema.Program) -> None:
    assert decode(encode(record)) == record
