"""Writes README's tables of the magics' options, from `jaxviz/magics/options.py`; `--check` only
compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from jaxviz.magics.options import MAGICS, Magic
from jaxviz.tools.option import Option

README = Path(__file__).resolve().parent.parent / "README.md"


def main() -> int:
    before = README.read_text(encoding="utf-8")
    after = before
    for magic in MAGICS:
        after = with_table(after, magic)
    if "--check" not in sys.argv:
        README.write_text(after, encoding="utf-8")
        return 0
    if before == after:
        return 0
    print("README.md has other options than the magics: run `python scripts/options.py`.")
    return 1


def with_table(text: str, magic: Magic) -> str:
    """The text with the table of this magic between its two comments."""
    begin, end = f"<!-- options of {magic.name}, by scripts/options.py -->", "<!-- end -->"
    table = "\n".join(["| | |", "|---|---|", *(row(magic, one) for one in magic.every)])
    found = re.compile(f"{re.escape(begin)}.*?{end}", re.DOTALL)
    if not found.search(text):
        raise SystemExit(f"README.md has no `{begin}` … `{end}`.")
    return found.sub(lambda _: f"{begin}\n{table}\n{end}", text, count=1)


def row(magic: Magic, option: Option) -> str:
    return f"| `{magic.example_of(option)}` | {explained(option)} |"


def explained(option: Option) -> str:
    """The help of an option, and the call that does the same in Python."""
    same = f" In Python: `{option.python}`." if option.python else ""
    return f"{option.help}{same}"


if __name__ == "__main__":
    sys.exit(main())
