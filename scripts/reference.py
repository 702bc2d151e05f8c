"""The site's reference, from what the code says of itself: docstrings, the help of the magics, and
the schema of the settings. `site/LANGUAGE/reference` has how each of its pages begins."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc, isclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import jaxviz
from jaxviz import schema
from jaxviz.magics.magic import JaxvizMagics
from jaxviz.magics.options import MAGICS, Magic
from jaxviz.schema import Record
from jaxviz.tools.option import Option
from jupyterlab_jaxviz.page_data import texts

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "schema" / "panel.json"
CODE = re.compile(r"(%|--)[a-z_-]+( on| jaxviz)?")
"""Magics and options in texts that JupyterLab shows as they are."""


def write(folder: Path, language: str) -> None:
    """Ends each page of the reference in what it is about."""
    pages = {
        "functions": functions((folder / "functions.md").read_text("utf-8")),
        "classes": classes(),
        "records": records(),
        "magics": magics(),
        "settings": settings(language),
    }
    for name, text in pages.items():
        with (folder / f"{name}.md").open("a", encoding="utf-8") as page:
            page.write(f"\n{text}")


def functions(page: str) -> str:
    """Functions that the page, which is sorted by task, does not have yet."""
    names = [name for name in jaxviz.__all__ if not isclass(getattr(jaxviz, name))]
    directives = [f".. autofunction:: jaxviz.{name}" for name in names]
    return rst(one for one in directives if f"{one}\n" not in page)


def classes() -> str:
    """Public classes that are no records: results of functions, and exceptions."""
    found = {name: getattr(jaxviz, name) for name in jaxviz.__all__}
    names = [name for name, one in found.items() if isclass(one) and not is_record(one)]
    bases = "object, tuple, BaseException, Generic, Displayed, Log"
    return rst(f"{autoclass(name)}\n   :inherited-members: {bases}" for name in names)


def records() -> str:
    """Records of programs and logs, with all records in them, and public records of tools."""
    found = {one.__name__: f"schema.{one.__name__}" for one in held([schema.Program, schema.Event])}
    public = (name for name in jaxviz.__all__ if is_record(getattr(jaxviz, name)))
    names = {name: name for name in public} | found
    return rst(f"{autoclass(names[name])}\n   :undoc-members:" for name in sorted(names))


def held(records: Iterable[type[Record]]) -> set[type[Record]]:
    """These records and those within them."""
    known, found = set[type[Record]](), [*records]
    while found:
        record = found.pop()
        if record not in known:
            known.add(record)
            found += records_in(get_type_hints(record).values())
    return known


def records_in(types: Iterable[Any]) -> Iterator[type[Record]]:
    for one in types:
        if is_record(one):
            yield one
        yield from records_in(get_args(one))


def is_record(one: Any) -> bool:
    return isclass(one) and issubclass(one, Record)


def autoclass(name: str) -> str:
    return f".. autoclass:: jaxviz.{name}\n   :members:\n   :exclude-members: __init__"


def rst(directives: Iterable[str]) -> str:
    return "```{eval-rst}\n" + "\n\n".join(directives) + "\n```\n"


def magics() -> str:
    methods = JaxvizMagics.jaxviz, JaxvizMagics.jaxviz_cell
    return "\n".join(section(*both) for both in zip(MAGICS, methods, strict=True))


def section(magic: Magic, method: Any) -> str:
    """A section on a magic: what it does, its examples and its options."""
    said, examples = cleandoc(method.parser.description).split("\n\nExamples::\n\n")
    return "\n\n".join(
        [
            f"## `{magic.name}`",
            said,
            f"```ipython\n{textwrap.dedent(examples)}\n```",
            *([f"`CALL`\n: {magic.call}"] if magic.call else []),
            *(f"`{one.written}`\n: {explained(one)}" for one in magic.every),
            "",
        ]
    )


def explained(option: Option) -> str:
    """The help of an option, and the call that does the same in Python."""
    same = f" In Python: `{option.python}`." if option.python else ""
    return f"{option.help}{same}"


def settings(language: str) -> str:
    """Each setting with its name in JupyterLab's JSON, its values and its default."""
    said = translation(language)
    properties = json.loads(SETTINGS.read_text("utf-8"))["properties"]
    return "\n\n".join(
        f"## {said(one['title'])}\n\n{said(one['description'])}\n\n{values(name, one, said)}"
        for name, one in properties.items()
    )


def values(name: str, setting: dict[str, Any], said: Callable[[str], str]) -> str:
    """A setting as a file of settings has it, and what else it may be."""
    first = json.dumps({name: setting["default"]})[1:-1]
    choices = setting.get("oneOf", [])
    listed = [f"- `{json.dumps(one['const'])}`: {said(one['title'])}" for one in choices]
    return "\n".join([f"```json\n{first}\n```", "", *listed])


def translation(language: str) -> Callable[[str], str]:
    """A function that gives a text of the settings in a language, as Markdown."""
    known = texts(language) or {}
    return lambda text: CODE.sub(r"`\g<0>`", known.get(f"settings\x04{text}", [text])[0])
