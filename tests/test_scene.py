"""The scenes of golden programs. The TypeScript tests read the same files, so that the page and the
static picture put everything at the same places."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from jaxviz import schema
from jaxviz.picture.layout.scene import Box, Edge, Mention, Scene, scene_of
from jaxviz.picture.layout.shape import EVEN, NARROW, WIDE
from jaxviz.picture.model.budget import everything, first_view
from jaxviz.picture.model.outline import Outline

HERE = Path(__file__).parent
SCENES = sorted((HERE / "layouts" / "scenes").glob("*.txt"))
OPEN = {"first view": first_view, "everything": everything}
SHAPES = {"wide": WIDE, "even": EVEN, "narrow": NARROW}


def drawn(head: str) -> Scene:
    """The scene of the first line of a golden file: `lesson, everything, wide`, or
    `stages/mlp hlo, first view, even`."""
    program, opened, shape = head.split(", ")
    name, _, kind = program.partition(" ")
    text = (HERE / "golden" / f"{name}.json").read_bytes()
    record = msgspec.json.decode(text, type=schema.Program)
    stages = {stage.kind: stage for stage in record.stages}
    outline = Outline(stages[kind or "jaxpr"])
    return scene_of(outline, OPEN[opened](outline), SHAPES[shape])


def written(head: str, scene: Scene) -> str:
    """A scene as a person reads it, all lengths to the 64th of a px."""
    names = [box.item.id for box in scene.boxes]
    lines = [head, f"{px(scene.width)} × {px(scene.height)}", ""]
    lines += map(box_line, scene.boxes)
    lines += ["", *(edge_line(edge, names) for edge in scene.edges)]
    lines += (mention_line(mention, names) for mention in scene.mentions)
    return "\n".join(lines) + "\n"


def box_line(box: Box) -> str:
    mark = "▾ " if box.open else "▸ " if box.item.foldable else ""
    count = f"({box.count})" if box.count else ""
    texts = " ".join(filter(None, [box.label, box.note, count]))
    place = f"{px(box.x)},{px(box.y)} {px(box.w)}×{px(box.h)}"
    type_ = f", {box.type} at {px(box.type_x)},{px(box.type_y)}" if box.type else ""
    return f"{'  ' * box.depth}{box.item.id}: {mark}{texts} at {place}{type_}"


def edge_line(edge: Edge, names: list[str]) -> str:
    kind = "cut" if edge.cut else "returns" if edge.returns else edge.way
    ends = f"{end(edge.source, names)} {'→' if edge.arrow else '—'} {end(edge.target, names)}"
    points = " ".join(f"{px(x)},{px(y)}" for x, y in edge.points)
    label = ", ".join(filter(None, [edge.label, edge.note]))
    label = f' "{label}" at {px(edge.label_x)},{px(edge.label_y)}' if label else ""
    return f"{ends} {kind} [{','.join(map(str, edge.vars))}] {points}{label}"


def mention_line(one: Mention, names: list[str]) -> str:
    place = f"{px(one.x)},{px(one.y)} {px(one.w)}×{px(one.h)}"
    return f'"{one.text}" of {end(one.source, names)} before {end(one.target, names)} at {place}'


def end(box: int, names: list[str]) -> str:
    return names[box] if box >= 0 else "border"


def px(length: float) -> str:
    whole = int(length * 64 + 0.5 if length >= 0 else length * 64 - 0.5)
    return f"{whole / 64:.6f}".rstrip("0").rstrip(".")


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    expected = path.read_text()
    head = expected.partition("\n")[0]
    found = written(head, drawn(head))
    if update_golden:
        path.write_text(found)
    else:
        assert found == expected


def test_a_thousand_levels_need_no_stack() -> None:
    levels = 1_000
    aval = schema.Aval(
        text="f32[]",
        kind="array",
        shape=[],
        dtype="float32",
        weak_type=False,
        sharding=None,
        memory=None,
        layout=None,
        bytes=4,
    )
    stage = schema.Stage(
        kind="jaxpr",
        graphs=[level(at, at + 1 if at < levels else None) for at in range(levels + 1)],
        avals=[aval],
        frames=[],
        scopes=[""],
        text="",
        notes=[],
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=None,
    )
    outline = Outline(stage)
    scene = scene_of(outline, set(everything(outline)))
    assert max(box.depth for box in scene.boxes) == levels
    assert len(scene.edges) == 2 * levels + 2


def level(at: int, body: int | None) -> schema.Graph:
    """One eqn, which holds the next level."""
    bodies = [schema.Body(label="", graph=body, inputs=[0], outputs=[0])] if body else []
    eqn = schema.Eqn(
        op="jit" if body else "sin",
        name="",
        invars=[0],
        outvars=[1],
        roles=[],
        params=[],
        bodies=bodies,
        effects=[],
        frame=None,
        call=None,
        inherited=True,
        scope=0,
        span=None,
        origin=[],
        guess=False,
        trips=None,
        cost=None,
    )
    return schema.Graph(
        name=f"f{at}",
        vars=[schema.Var(name=name, aval=0, literal=False) for name in "ab"],
        constvars=[],
        invars=[0],
        outvars=[1],
        args=["a"],
        results=["b"],
        eqns=[eqn],
        groups=[],
        effects=[],
    )
