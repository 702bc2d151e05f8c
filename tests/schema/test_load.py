"""`jaxviz.load` refuses a file that is not consistent, in one sentence that says where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect

import jaxviz
from jaxviz import schema
from jaxviz.display import decode, encode
from jaxviz.export.html import html
from jaxviz.picture.draw import NotDrawn, dot, picture
from jaxviz.schema.check import INDICES
from jaxviz.schema.opening import chosen

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = [
    *(GOLDEN / f"{name}.json" for name in ("scan_with_cond", "while_newton", "grad_loss")),
    *(GOLDEN / f"{name}.json" for name in ("shared_jit", "layers", "custom_vjp_slope", "sharded")),
    *(GOLDEN / f"compared/{name}.json" for name in ("branch", "scan", "upcast")),
    GOLDEN / "stages/scan_products.json",
    GOLDEN / "steps/mlp_adam.json",
    GOLDEN / "lesson.json",
]
TEXTS = {path.stem: path.read_text() for path in FILES}
SENTENCE = re.compile(
    r"'.*p\.json' (does not fit together: [^\n]+; capture the program again, and save it"
    r"|is no program saved by jaxviz: [^\n]+)\."
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the whole numbers and the lists of JSON are."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(value, (*path, key))
    if type(data) in (int, list) and path != ("version",):
        yield path


PLACES = {name: [*places(json.loads(text))] for name, text in TEXTS.items()}


def altered(name: str, changes: list[tuple[Any, int]]) -> bytes:
    """A number becomes another; a list loses an item, or has one twice."""
    data = json.loads(TEXTS[name])
    for path, value in changes:
        held: Any = data
        with suppress(LookupError):  # an earlier change may have taken it away
            for key in path[:-1]:
                held = held[key]
            if type(held[path[-1]]) is int:
                held[path[-1]] = value
            elif held[path[-1]]:
                items = held[path[-1]]
                at = value % len(items)
                items[at : at + 1] = [items[at]] * (2 if value % 3 == 0 else 0)
    return json.dumps(data).encode()


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A saved program with some of its numbers and lists altered, mostly by little."""
    name = draw(st.sampled_from([*TEXTS]))
    value = st.one_of(st.integers(-3, 40), st.sampled_from([10**6, 1 << 40, 1 << 70, -(1 << 70)]))
    changes = st.tuples(st.sampled_from(PLACES[name]), value)
    return altered(name, draw(st.lists(changes, min_size=1, max_size=3)))


def loaded(path: Path) -> jaxviz.Program | str:
    """The program, or why it is refused."""
    try:
        return jaxviz.load(path)
    except ValueError as error:
        return str(error)


def used(program: jaxviz.Program) -> None:
    """All that can be done with a program."""
    record = program.record
    assert str(program)
    assert schema.MIME in program._repr_mimebundle_()
    for stage in record.stages:
        with suppress(NotDrawn):  # the summary is shown instead
            assert picture(record, chosen({"stage": stage.kind}))
    with suppress(NotDrawn):
        assert dot(record)
    assert html(record, schema.UNCHOSEN)
    assert decode(encode(record)) == record
    if record.compared is None:
        assert str(jaxviz.compare(program, program))


@given(files())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_numbers_altered_are_refused_or_harmless(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(data)
    found = loaded(path)
    if isinstance(found, str):
        assert SENTENCE.fullmatch(found)
    else:
        used(found)


def inner(kind: inspect.Type) -> Iterator[inspect.Type]:
    match kind:
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from inner(item)
        case inspect.UnionType(types=types):
            for one in types:
                yield from inner(one)
        case _:
            yield kind


COUNTS = {
    *("Aval.shape", "Aval.bytes", "Param.size", "Cost.flops", "Cost.bytes", "Eqn.span"),
    *(
        "Cost.transcendentals",
        "Call.donated",
        "Call.lost",
        "Finding.eqns",
        "Drawn.eqns",
        "Finding.bytes",
    ),
    "Group.loop_line",
    "Sentence.parts",
    *("Eqn.origin", "Eqn.trips", "Group.alike", "Group.start", "Group.stop", "Frame.line"),
    *(
        "Frame.column",
        "Frame.end_line",
        "Frame.end_column",
        "Frame.count",
        "Memory.arguments",
        "Memory.outputs",
        "Memory.temporaries",
    ),
    *("Memory.aliased", "Memory.code", "Memory.peak", "Stage.took", "Listing.count"),
    *("Listing.start", "Mark.eqn", "Program.version"),
    *("Collective.eqn", "Collective.devices", "Collective.sent", "MeshAxis.size"),
    *("Peak.bytes", "Peak.flops"),
    *("Outlier.eqn", "Outlier.siblings"),
    *("StageTimes.chains", "StageTimes.nanoseconds", "StageTimes.whole"),
    *("EqnValues.eqn", "EqnValues.nan", "EqnValues.inf", "EqnValues.written"),
    *("Dot.lhs", "Dot.rhs", "Dot.lhs_batch", "Dot.rhs_batch", "Sizes.sizes"),
    *("Dimensions.dimensions", "Convolution.strides", "Convolution.padding"),
    *("Convolution.lhs_dilation", "Convolution.rhs_dilation"),
    *("Groups.count", "Groups.size", "Groups.devices", "Groups.dims", "Groups.order"),
    *("Groups.dimensions", "Pairs.sources", "Pairs.targets"),
}
"""Numbers that count, or are held to others by a rule of their own."""


def numbers_of_a_program() -> set[str]:
    """All fields of a program's records that hold whole numbers."""
    found: set[str] = set()
    waiting: list[Any] = [inspect.type_info(schema.Program)]
    for kind in waiting:
        for field in kind.fields:
            for one in inner(field.type):
                if isinstance(one, inspect.StructType) and one not in waiting:
                    waiting.append(one)
                if isinstance(one, inspect.IntType):
                    found.add(f"{kind.cls.__name__}.{field.name}")
    return found


def test_it_is_known_of_every_number_where_it_leads() -> None:
    """A new field is an index, in `INDICES`, or a count: say so here."""
    assert numbers_of_a_program() == {*INDICES, *COUNTS}


def change(name: str, *path: Any, to: Any) -> bytes:
    data = json.loads(TEXTS[name])
    held: Any = data
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = to
    return json.dumps(data).encode()


GRAPH = ("stages", 0, "graphs", 0)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (
            change("while_newton", *GRAPH, "eqns", 0, "invars", 0, to=99),
            r"stages\[0\].graphs\[0\].eqns\[0\].invars\[0\] is 99, and there are \d+ vars",
        ),
        (
            change("while_newton", *GRAPH, "eqns", 0, "scope", to=-1),
            r"stages\[0\].graphs\[0\].eqns\[0\].scope is -1",
        ),
        (change("while_newton", "stages", to=[]), "stages is empty"),
        (
            change("while_newton", "stages", 0, "frames", 0, "parent", to=0),
            r"stages\[0\].frames\[0\].parent is not before it",
        ),
        (
            change("while_newton", *GRAPH, "args", to=[]),
            r"stages\[0\].graphs\[0\] names 0 of 2 inputs or results",
        ),
        (
            change("mlp_adam", *GRAPH, "groups", 1, "stop", to=10**6),
            r"stages\[0\].graphs\[0\].groups\[1\] is not within eqns \d+ to \d+",
        ),
        (
            change("scan_products", "stages", 1, "graphs", 0, "eqns", 0, "origin", to=[999]),
            (
                r"stages\[1\].graphs\[0\].eqns\[0\].origin is \[999\], "
                r"and the first stage has \d+ eqns"
            ),
        ),
        (
            change("grad_loss", *GRAPH, "eqns", 4, "outvars", to=[]),
            r"stages\[0\].graphs\[0\].eqns\[\d+\].invars has what nothing before it makes",
        ),
        (
            change("while_newton", *GRAPH, "eqns", 0, "scope", to=-(10**400)),
            r"stages\[0\].graphs\[0\].eqns\[0\].scope is out of range",
        ),
        (
            change("lesson", *GRAPH, "eqns", 3, "outvars", to=[]),
            r"stages\[0\].graphs\[0\].outvars has what no eqn makes",
        ),
        (
            change("sharded", "stages", 0, "collectives", 0, "eqn", to=999),
            r"stages\[0\].collectives are not of the \d+ eqns in their order",
        ),
        (
            change("upcast", "compared", "marks", 0, "eqn", to=999),
            r"compared.marks are not of the \d+ eqns in their order",
        ),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(data: bytes, where: str, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(data)
    sentence = (
        rf"p\.json' does not fit together: {where}; capture the program again, and save it\.$"
    )
    with pytest.raises(ValueError, match=sentence):
        jaxviz.load(path)


def test_a_graph_within_itself_is_refused(tmp_path: Path) -> None:
    record = jaxviz.load(GOLDEN / "while_newton.json").record
    data = json.loads(msgspec.json.encode(record))
    [graph, *_] = data["stages"][0]["graphs"]
    eqn = next(eqn for eqn in graph["eqns"] if eqn["bodies"])
    eqn["bodies"][0] |= {"graph": 0, "inputs": [-1] * len(graph["invars"])}
    eqn["bodies"][0]["outputs"] = [-1] * len(graph["outvars"])
    (tmp_path / "p.json").write_bytes(json.dumps(data).encode())
    with pytest.raises(ValueError, match=r"stages\[0\].graphs hold one another in a circle"):
        jaxviz.load(tmp_path / "p.json")


NESTED = [b"[" * 1_100 + b"]" * 1_100, b'{"a":' * 100_000 + b"1" + b"}" * 100_000]


@pytest.mark.parametrize("nested", NESTED, ids=["lists", "objects"])
@pytest.mark.parametrize("form", [b'{"a": %s, "version": %d}', b'{"version": %d, "args": %s}'])
@pytest.mark.parametrize("version", [1, schema.VERSION])
def test_a_file_that_is_nested_too_deep_is_refused(
    nested: bytes, form: bytes, version: int, tmp_path: Path
) -> None:
    values = (nested, version) if form.index(b"%s") < form.index(b"%d") else (version, nested)
    (tmp_path / "p.json").write_bytes(form % values)
    with pytest.raises(ValueError, match=SENTENCE) as refused:
        jaxviz.load(tmp_path / "p.json")
    assert "it is nested too deep" in str(refused.value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Input data was truncated"),
        (b'{"version": 0}', "formats are numbered from 1, and to 1000000 at most"),
        (b'{"version": 1%s}' % (b"0" * 400), "formats are numbered from 1, and to 1000000 at most"),
        (b'{"version": 6, "\xff": 1}', "a text in it is not UTF-8"),
        (b'{"version": 6, "jax": "\xff"}', "a text in it is not UTF-8"),
        (b'{"version": 6, "\\n\\u001b[2J%s": 1}' % (b"a" * 9999), "unknown field `[^\x00-\x1f]*…"),
    ],
)
def test_data_that_is_no_program_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_bytes(data)
    with pytest.raises(ValueError, match=reason) as refused:
        jaxviz.load(tmp_path / "p.json")
    assert SENTENCE.fullmatch(str(refused.value))
    assert len(str(refused.value)) < 400
