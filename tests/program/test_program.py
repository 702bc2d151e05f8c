"""Methods and properties of a `Program`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.extend.core import Primitive
from jax.interpreters import mlir
from programs import CALLS, shaped
from programs.plain import lesson

import jaxviz
from jaxviz import schema
from jaxviz.capture.shown.strings import NAME_LIMIT, name, plain


@pytest.fixture
def program() -> jaxviz.Program:
    return jaxviz.inspect(lesson)(shaped(4))


def test_it_says_what_it_is(program):
    assert repr(program) == "<jaxviz.Program lesson: 4 eqns>"
    assert program.name == "lesson"
    assert [(leaf.path, leaf.aval.text) for leaf in program.args] == [("x", "f32[4]")]
    assert [(leaf.path, leaf.aval.text) for leaf in program.results] == [("result", "f32[]")]


def test_print_gives_the_summary_and_a_cell_the_picture(program):
    assert str(program).startswith("lesson(")
    bundle = program._repr_mimebundle_()
    assert bundle["text/plain"] == str(program)
    assert schema.MIME in bundle


def test_a_program_that_cannot_be_grouped_is_shown_without_groups(monkeypatch):
    def failing(stage, **others):
        raise KeyError(stage.kind)

    monkeypatch.setattr("jaxviz.stages.with_groups", failing)
    stage = jaxviz.inspect(lesson)(shaped(4)).stage("jaxpr")
    assert len(stage.graphs[0].eqns) == 4
    assert [*map(str, stage.notes)] == [
        "The eqns are not grouped: jaxviz failed to group them (KeyError)."
    ]


def test_it_is_immutable(program):
    with pytest.raises(AttributeError, match="immutable"):
        program.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del program.record
    program.args.clear()
    assert len(program.args) == 1


def test_a_stage_that_there_is_not(program):
    stages = "the stages are 'jaxpr', 'stablehlo', 'hlo'"
    with pytest.raises(ValueError, match=f"there is no stage 'llvm': {stages}"):
        program.stage("llvm")


def test_later_stages_are_made_once_and_kept_in_their_order(program):
    assert [stage.kind for stage in program.record.stages] == ["jaxpr"]
    hlo = program.stage("hlo")
    assert hlo.error is None
    assert program.stage("hlo") is hlo
    program.stage("stablehlo")
    assert [stage.kind for stage in program.record.stages] == ["jaxpr", "stablehlo", "hlo"]
    assert program == jaxviz.inspect(lesson)(shaped(4))


def test_two_threads_share_one_making(program):
    with ThreadPoolExecutor() as pool:
        first, *others = pool.map(program.stage, ["hlo"] * 4)
    assert all(other is first for other in others)


@pytest.fixture
def refused() -> tuple[Primitive, jaxviz.Program]:
    """A primitive that JAX cannot lower, and a program that uses it."""
    odd = Primitive("odd")
    odd.def_abstract_eval(lambda x: x)
    return odd, jaxviz.inspect(lambda x: odd.bind(x))(shaped(4))


def test_what_failed_is_tried_again(refused):
    odd, program = refused
    assert "odd" in program.stage("hlo").error
    assert program.stage("jaxpr").error is None
    mlir.register_lowering(odd, lambda context, x: [x])
    assert program.stage("hlo").error is None
    assert [stage.kind for stage in program.record.stages] == ["jaxpr", "hlo"]


def test_a_stage_that_was_not_saved(program, tmp_path):
    program.stage("stablehlo")
    program.save(tmp_path / "p.json")
    loaded = jaxviz.load(tmp_path / "p.json")
    assert loaded.stage("stablehlo") == program.stage("stablehlo")
    with pytest.raises(ValueError, match="'hlo' can not be made: this program was saved with"):
        loaded.stage("hlo")


@pytest.mark.parametrize(
    ("suffix", "kind", "start"),
    [
        (".jaxpr", "jaxpr", "{ lambda ; a:f32[4]. let"),
        (".mlir", "stablehlo", "module @jit_lesson"),
        (".hlo", "hlo", "HloModule jit_lesson"),
    ],
)
def test_the_text_of_a_stage_is_saved(program, suffix, kind, start, tmp_path):
    file = tmp_path / f"p{suffix}"
    program.save(file)
    assert file.read_text().startswith(start)
    assert file.read_text() == program.stage(kind).text + "\n"


def test_a_stage_that_is_refused_is_not_saved(refused, tmp_path):
    _, program = refused
    with pytest.raises(ValueError, match="there is no hlo to save: JAX could not lower"):
        program.save(tmp_path / "p.hlo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["train_step", "pallas_double", "hostile", "nothing"])
def test_it_is_saved_and_loaded(call, tmp_path):
    program = jaxviz.inspect(CALLS[call].function)(*CALLS[call].args)
    program.save(tmp_path / "p.json")
    loaded = jaxviz.load(tmp_path / "p.json")
    assert loaded == program
    assert hash(loaded) == hash(program)


def test_the_file_is_readable(program, tmp_path):
    program.save(str(tmp_path / "p.JSON"))
    text = (tmp_path / "p.JSON").read_text()
    assert text.startswith(f'{{\n "version": {schema.VERSION},\n "jax": ')
    assert '"op": "reduce_sum"' in text


def test_the_picture_is_saved(program, tmp_path):
    program.save(tmp_path / "p.svg")
    root = ElementTree.fromstring((tmp_path / "p.svg").read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_suffix_that_is_not_known(program, tmp_path):
    with pytest.raises(ValueError, match=r"save to '.*p\.docx': .* in \.json, .*\.mlir or \.hlo\."):
        program.save(tmp_path / "p.docx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"version": 1}', b'{"version": 0}', b"\xff\xfe", b"[1]"]
)
def test_a_file_that_is_no_program(content, tmp_path):
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"p\.json' is no program saved by jaxviz"):
        jaxviz.load(tmp_path / "p.json")


def test_a_file_of_a_later_format(program, tmp_path):
    program.save(tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text()
    now, later = schema.VERSION, schema.VERSION + 1
    text = text.replace(f'"version": {now}', f'"version": {later}, "more": 1', 1)
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(
        ValueError,
        match=rf"p\.json' is of format {later}, and this jaxviz reads formats up to {now}: update "
        "jaxviz, or save it with this one\\.$",
    ):
        jaxviz.load(tmp_path / "p.json")


@given(st.text(st.characters(codec=None)))
@settings(max_examples=300)
def test_any_string_becomes_one_that_json_and_a_page_can_hold(text):
    shown = plain(text)
    assert len(shown) == len(text)
    shown.encode()
    assert plain(shown) == shown
    assert not set(shown) & {"\x00", "\x1b", "\u202e"}
    assert len(name(text * 50)) <= NAME_LIMIT
    assert "\n" not in name(text)


def test_threads_that_look_at_once_see_the_same_records():
    program = jaxviz.inspect(lambda x: jnp.sin(x) * 2.0)(shaped(3))
    with ThreadPoolExecutor(4) as threads:
        looked = [*threads.map(lambda _: program.stage("jaxpr"), range(4))]
    assert all(stage is looked[0] for stage in looked)
