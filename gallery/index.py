"""Writes the page of the gallery: for each program the things that a reader should see, its sheets,
and the faults that were found (`gallery/notes.toml`).

    python gallery/index.py WIRE SHEETS
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

NOTES = Path(__file__).parent / "notes.toml"

HEAD = """# Gallery

Real programs as the page shows them, written by `make gallery`. Each sheet has the wide and low
cell on its left, from top to bottom: what is seen at first, its middle at a zoom at which all text
reads, and all of it with everything open; on its right the narrow panel, the same three from left
to right. Of most programs of libraries the first view is enough. Below each sheet stands what is
weak in it.
"""


def main(wire: Path, sheets: Path) -> None:
    programs = json.loads((wire / "programs.json").read_text())
    notes = tomllib.loads(NOTES.read_text())
    parts = [HEAD, "\n", *(f"- {note}\n" for note in notes.get("all", []))]
    for program in programs:
        name = program["name"]
        parts.append(f"\n## {name}\n\n{program['about']}\n")
        if program["missing"]:
            parts.append(f"\nLeft out: {program['missing']}.\n")
            continue
        parts.append(f"\n![{name}]({name}.light.webp)\n\n[In the dark]({name}.dark.webp)\n\n")
        parts += [f"- {note}\n" for note in notes.get(name, [])]
    (sheets / "README.md").write_text("".join(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
