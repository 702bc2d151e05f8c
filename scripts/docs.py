"""The site: lessons, executed, pages on kinds of errors, the reference, and `docs/`, which is in
English, in each language.

    python scripts/docs.py    writes .site/html; warnings are errors

Each language is a site of its own, from files in that language: `site/LANGUAGE`, lessons and pages.
`reference.py` makes its reference.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import reference

from jaxviz.pages import LANGUAGES

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / ".site"


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    for language in LANGUAGES:
        gather(language)
        build(language)
    shutil.copyfile(ROOT / "site" / "start.html", SITE / "html" / "index.html")


def gather(language: str) -> None:
    """Puts the sources of a language into one folder, as Sphinx wants them."""
    source = SITE / "source" / language
    shutil.copytree(ROOT / "site" / language, source)
    for part in ("lessons", "pages"):
        shutil.copytree(ROOT / "jaxviz" / part / language, source / part, dirs_exist_ok=True)
    documents = shutil.ignore_patterns("gallery", "*.png")
    shutil.copytree(ROOT / "docs", source / "about", ignore=documents, dirs_exist_ok=True)
    reference.write(source / "reference", language)
    for lesson in (source / "lessons").glob("*.ipynb"):
        hide(lesson)


def hide(lesson: Path) -> None:
    """Takes code that JupyterLab shows collapsed, as it has the answers, out of a page."""
    book = json.loads(lesson.read_text("utf-8"))
    for cell in book["cells"]:
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"].setdefault("tags", []).append("remove-input")
    lesson.write_text(json.dumps(book), "utf-8")


def build(language: str) -> None:
    """Executes the lessons and writes the pages; raises where Sphinx warns."""
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
    settings = ["-c", ROOT / "site", "-D", f"language={language}", "-d", SITE / "known" / language]
    folders = [SITE / "source" / language, SITE / "html" / language]
    command = [sys.executable, "-m", "sphinx", *options, *settings, *folders]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
