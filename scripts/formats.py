"""The formats that were released: one folder of `tests/formats` for each, by its number.

    python scripts/formats.py --check     the records fit what was released (`make check`)
    python scripts/formats.py --release   what this version of the format is from now on

A folder holds `records.json`, the fields of all records of that format, and what that version of
jaxviz saved, which every later one must open. Neither changes any more.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jaxviz import schema
from jaxviz.schema.upgrade import ADDED, GONE
from jaxviz.schema.upgrade import RENAMED as FIELDS

ROOT = Path(__file__).resolve().parent.parent
FORMATS = ROOT / "tests/formats"
ROOM = 300_000
"""Bytes of the samples of one format."""

CELLS = [
    """%load_ext jaxviz
from base64 import b64decode
import jax, jax.numpy as jnp, jaxviz, msgspec
from jaxviz.display import decode, encode, fit
from jaxviz.schema import Opening""",
    """def step(w, xs, flag):
    def body(carry, x):
        carry = jnp.tanh(carry @ w + x)
        return carry, jnp.sum(carry)

    carry, sums = jax.lax.scan(body, xs[0], xs)
    return jax.lax.cond(flag, lambda: jnp.mean(sums), lambda: jnp.max(carry))

w, xs = jnp.ones((8, 8)), jnp.ones((5, 3, 8))
program = jaxviz.inspect(step)(w, xs, True)
program.stage("stablehlo"), program.stage("hlo")
program.save(FOLDER + "/program.json")""",
    "program",
    """before = jaxviz.inspect(step)(w, xs, True)
after = jaxviz.inspect(step)(w.astype(jnp.bfloat16), xs[:3], True)
compared = jaxviz.compare(before, after)
compared.save(FOLDER + "/compared.json")
compared""",
    """def deep(params, x):
    for w in params:
        x = jax.nn.gelu(x @ w)
    return jnp.sum(x)

deep = jaxviz.inspect(deep)([w] * 6, xs[0]).record
wire = encode(deep)
part = fit.fit(deep, wire, Opening(), "", len(wire) * 5 // 4)  # base64 of the whole: a third more
jaxviz.Program(decode(b64decode(part.program))).save(FOLDER + "/part.json")
display({jaxviz.schema.MIME: msgspec.to_builtins(part)}, raw=True)""",
    """%%jaxviz --hits
@jax.jit
def loss(params, x, scale=2.0):
    return jnp.sum(jnp.tanh(x @ params["w"]) * scale)

for rows in (3, 3, 4):
    loss({"w": w}, jnp.ones((rows, 8))).block_until_ready()
loss({"w": w}, jnp.ones((4, 8), jnp.bfloat16))""",
    "%jaxviz on",
    "loss({'w': w}, jnp.ones((9, 8)))",
]
"""A notebook whose outputs are of every kind: a whole program, two compared, a part of one, the
log of a cell, and one as a line."""


REPORTS = [
    """%load_ext jaxviz
import jax, jax.numpy as jnp, jaxviz
def loss(w, x):
    h = jnp.log(x @ w)
    return jnp.sum(h * 2.0)

w, x = jnp.eye(3), jnp.array([[1.0, 2.0, -3.0]])""",
    "jaxviz.find_nan(loss)(w, x)",
    "jaxviz.statistics(loss)(w, x)",
    "jaxviz.profile(loss, repeats=2)(w, x)",
    "jaxviz.timeit([loss, jax.grad(loss)], seconds=0)(w, x)",
    "jaxviz.steps(loss)(w, x)",
    """try:
    jax.jit(lambda x: x if x > 0 else -x)(1.0)
except Exception as error:
    shown = jaxviz.explain(error)
shown""",
]
"""A notebook with an output of each tool that reports on a program, from format 5 on."""

LIVE = ("Panel", "Capture")
"""Records that no file holds: they live as long as a kernel and its page."""
RENAMED = {"Held": "JobProgram", "Mend": "Fix", "Stray": "Outlier", "TimedLine": "LineTime"}
"""Records that have another name since the latest format. No file contains these names."""


def main() -> int:
    if "--release" in sys.argv:
        release(FORMATS / str(schema.VERSION))
        return 0
    faults = [*misfits(schema.VERSION, listing(), *released())]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


def released() -> tuple[int, dict[str, Any]]:
    """The latest format that was released, and its records."""
    number = max(int(folder.name) for folder in FORMATS.iterdir())
    records = (FORMATS / str(number) / "records.json").read_text()
    for before, now in RENAMED.items():
        records = re.sub(rf"\b{before}\b", now, records)
    found = json.loads(records)
    for full, field in FIELDS.items():
        name, _, before = full.partition(".")
        if before in found.get(name, {}):
            found[name][field] = found[name].pop(before)
    return number, found


def misfits(
    version: int, records: dict[str, Any], last: int, before: dict[str, Any]
) -> Iterator[str]:
    """Faults of the records of this version after those of the last released one, as
    sentences."""
    if records == before and version == last:
        return
    if version != last + 1:
        yield (
            f"The records differ from format {last}, which is released, so VERSION in "
            f"jaxviz/schema/record.py must be {last + 1}; it is {version}."
        )
        return
    added, gone = ADDED.get(version, {}), GONE.get(version, {})
    for name in sorted(records.keys() - LIVE):
        now, then = records[name], before.get(name, {})
        for field in {**now, **then} if name in before else ():
            full = f"{name}.{field}"
            if field not in then and full not in added and "default" not in now[field]:
                yield f"{full} is new: its value in older records must stand in ADDED[{version}]."
            elif (
                field in then
                and full not in gone
                and not is_read(now.get(field), then[field], added)
            ):
                yield f"{full} was of format {last}: it must keep its type, or be a new field."
    for full in added:
        name, field = full.split(".")
        if field not in records.get(name, {}) or field in before.get(name, {}):
            yield f"{full} stands in ADDED[{version}] in jaxviz/schema/upgrade.py, and is not new."


def is_read(now: Any, then: Any, added: Mapping[str, Any]) -> bool:
    """True if a field of an earlier format is read unchanged. Once, texts became sentences, or may
    be either."""
    if "Sentence.key" in added:
        of_text = '"type": "string"'
        text = json.dumps(now).replace('"$ref": "#/definitions/Sentence"', of_text)
        text = text.replace(f'"anyOf": [{{{of_text}}}, {{{of_text}}}]', of_text)
        return json.loads(text) == then
    return now == then


def release(folder: Path) -> None:
    """Writes the records of this format, and what it saves of each kind."""
    folder.mkdir(parents=True)
    records = "".join(
        f"  {json.dumps(name)}: {json.dumps(one)},\n" for name, one in listing().items()
    )
    (folder / "records.json").write_text("{\n" + records[:-2] + "\n}\n")
    run(CELLS, folder, "notebook.ipynb")
    run(REPORTS, folder, "reports.ipynb")
    size = sum(path.stat().st_size for path in folder.iterdir())
    if size > ROOM:
        raise SystemExit(f"{folder} holds {size:,} bytes, more than {ROOM:,}.")


def run(cells: list[str], folder: Path, name: str) -> None:
    """Runs these cells as a notebook, and writes it without what shows no record."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
    )
    head = nbformat.v4.new_code_cell(f"FOLDER = {str(folder)!r}")
    notebook.cells.insert(0, head)
    NotebookClient(notebook, store_widget_state=False, record_timing=False).execute()
    notebook.cells.remove(head)
    for cell in notebook.cells:
        for output in cell.outputs:
            output.get("data", {}).pop("text/html", None)
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    nbformat.write(notebook, folder / name)


def listing() -> dict[str, Any]:
    """The fields of each record, by its name, as they were generated for the page."""
    text = (ROOT / "js/src/schema.ts").read_text()
    table = re.sub(
        r"\b(BOOLEAN|INTEGER|NULL|NUMBER|STRING)\b",
        lambda found: json.dumps({"type": found[0].lower()}),
        text.partition("export const RECORDS")[2],
    )
    lines = re.findall(r"^  (\w+): (\{.*\}),$", table, re.M)
    return {name: json.loads(whole(fields)) for name, fields in lines}


_CALL = re.compile(r'\b(?:(ref)\("(\w+)"\)|(list|maybe)\(([^()]*)\))')
_CALLS = {
    "ref": '{"$ref": "#/definitions/%s"}',
    "list": '{"type": "array", "items": %s}',
    "maybe": '{"anyOf": [%s, {"type": "null"}]}',
}


def whole(fields: str) -> str:
    """A record's fields as JSON: the page's table has a call for each reference, list and choice of
    null."""
    while True:
        written = _CALL.sub(lambda call: _CALLS[call[1] or call[3]] % (call[2] or call[4]), fields)
        if written == fields:
            return fields
        fields = written


if __name__ == "__main__":
    sys.exit(main())
