"""Writes js/src/sentences.ts from the tables in jaxviz/sentences; `--check` only compares.

In a text `{name}` becomes `%1`, `%2`, … by the order of the parts, as translations have it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from string import Formatter

from jaxviz.sentences import SENTENCES, Texts, part_names

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "js/src/sentences.ts"
HEAD = """/** Written by scripts/sentences.py from jaxviz/sentences: edit there. */
import { N_, N_n } from './language';

/** The kernel's sentences by key: a text, or the texts for one and for more. */
export const SENTENCES: ReadonlyMap<string, readonly string[]> = new Map([
"""


def main() -> int:
    lines = [f"  [{quoted(key)}, {call(texts)}],\n" for key, texts in SENTENCES.items()]
    written = "".join([HEAD, *lines, "]);\n"])
    if "--check" not in sys.argv:
        TARGET.write_text(written, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == written:
        return 0
    print("js/src/sentences.ts differs from jaxviz/sentences: run `python scripts/sentences.py`.")
    return 1


def call(texts: Texts) -> str:
    names = part_names(texts)
    if isinstance(texts, str):
        return f"N_({quoted(numbered(texts, names))})"
    return f"N_n({', '.join(quoted(numbered(text, names)) for text in texts)})"


def numbered(text: str, names: list[str]) -> str:
    """A text with `%1` in place of the first name."""
    places = {name: f"%{number}" for number, name in enumerate(names, 1)}
    return "".join(
        before + (places[name] if name else "") for before, name, _, _ in Formatter().parse(text)
    )


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
