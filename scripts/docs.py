"""The site: lessons, executed, pages on kinds of errors, the reference, and `docs/`, which is in
English, in each language.

    python scripts/docs.py    writes .site/html; warnings are errors

Each language is a site of its own, from files in that language: `site/LANGUAGE`, lessons and pages.
Lessons are taken as the tests executed them (`executed.py`); others MyST-NB executes.
`reference.py` makes the reference, and `links.py` checks what came of all.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import executed
import gallery_pages
import links
import reference
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from ipykernel.compiler import get_file_name

from jaxviz.lessons import lessons
from jaxviz.pages import LANGUAGES

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / ".site"
EXECUTED = SITE / "html" / "jupyter_execute"
"""Where MyST-NB leaves the lessons of the language that was built last."""
FOLDER_OF_FILES = re.compile(rf"/[\w./-]*/site-packages/|{re.escape(str(ROOT))}/")
FILE_OF_CELL = re.compile(r"[\w./-]*/ipykernel_\d+/(\d+\.py)")


def main() -> None:
    for made in ("html", "known", "locale", "source"):
        shutil.rmtree(SITE / made, ignore_errors=True)
    translate_theme()
    for language in LANGUAGES:
        gather(language)
        build(language)
        name_files(language)
    shutil.rmtree(EXECUTED)
    shutil.copyfile(ROOT / "site" / "start.html", SITE / "html" / "index.html")
    shutil.copyfile(ROOT / "site" / "view.html", SITE / "html" / "view.html")
    links.check(SITE / "html")


def translate_theme() -> None:
    """Makes of `site/ko.po` the file that Sphinx reads."""
    for texts in (ROOT / "site").glob("*.po"):
        made = SITE / "locale" / texts.stem / "LC_MESSAGES" / "sphinx.mo"
        made.parent.mkdir(parents=True)
        with texts.open("rb") as source, made.open("wb") as target:
            write_mo(target, read_po(source, locale=texts.stem))


def gather(language: str) -> None:
    """Puts the sources of a language into one folder, as Sphinx wants them."""
    source = SITE / "source" / language
    shutil.copytree(ROOT / "site" / language, source)
    for part in ("lessons", "pages"):
        shutil.copytree(ROOT / "jaxviz" / part / language, source / part, dirs_exist_ok=True)
    documents = shutil.ignore_patterns("design", "*.png")
    shutil.copytree(ROOT / "docs", source / "develop", ignore=documents, dirs_exist_ok=True)
    for name in ("CITATION.cff", "LICENSE"):
        shutil.copyfile(ROOT / name, source / "develop" / name)
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")  # has each word that a search may be for
    (source / "develop" / "CHANGELOG.md").write_text(
        f"---\nno-search: true\n---\n{changes}", "utf-8"
    )
    reference.write(source / "reference", language)
    gallery_pages.write(source / "gallery", language)
    for lesson in lessons(language):
        executed.put(lesson, source / "lessons" / lesson.name)
        hide(source / "lessons" / lesson.name)


def hide(lesson: Path) -> None:
    """Takes code that JupyterLab shows collapsed, as it has the answers, out of a page."""
    book = json.loads(lesson.read_text("utf-8"))
    for cell in book["cells"]:
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            cell["metadata"].setdefault("tags", []).append("remove-input")
    lesson.write_text(json.dumps(book), "utf-8")


def build(language: str) -> None:
    """Executes what has no outputs and writes the pages; raises where Sphinx warns."""
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
    settings = ["-c", ROOT / "site", "-D", f"language={language}", "-d", SITE / "known" / language]
    folders = [SITE / "source" / language, SITE / "html" / language]
    command = [sys.executable, "-m", "sphinx", *options, *settings, *folders]
    subprocess.run(command, check=True)


def name_files(language: str) -> None:
    """Takes folders of this machine out of errors of JAX: `jax/_src/lax.py`, and `cell 3` for the
    file that the kernel compiled a cell as."""
    for lesson in (EXECUTED / "lessons").glob("*.ipynb"):
        page = SITE / "html" / language / "lessons" / f"{lesson.stem}.html"
        cells = names_of_cells(json.loads(lesson.read_text("utf-8")))
        pieces = FILE_OF_CELL.split(page.read_text("utf-8"))
        pieces[1::2] = [cells[file] for file in pieces[1::2]]
        page.write_text(FOLDER_OF_FILES.sub("", "".join(pieces)), "utf-8")


def names_of_cells(book: dict[str, Any]) -> dict[str, str]:
    """The cells of an executed notebook by the names of their files."""
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    return {
        Path(get_file_name("".join(cell["source"]))).name: f"cell {cell['execution_count']}"
        for cell in code
    }


if __name__ == "__main__":
    main()
