"""Notebooks run with and without jaxviz: their cells print, return and raise the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
from notebook import Kernel, Message, log_of, page, started

from jaxviz.schema import MIME

FILES = sorted((Path(__file__).parents[1] / "notebooks").glob("*.txt"))
PART = ("how often is it traced", "what is forbidden on tracers")
"""Notebooks of every run of the tests; the others run with `make test-all`."""
LIBRARIES = ("equinox", "flax", "haiku", "optax")
IMPORTS = "import numpy as np, jax, jax.numpy as jnp\nfrom jax import lax"
"""The first cell of each notebook."""
numbers = count()


class Notebook(NamedTuple):
    name: str
    cells: tuple[tuple[str, bool], ...]
    """The code of each, and whether it only looks."""


def notebooks() -> Iterator[Notebook]:
    for file in FILES:
        for text in file.read_text().split("#### ")[1:]:
            name, _, code = text.partition("\n")
            parts = re.split(r"^# (---|look)\n", "# ---\n" + code, flags=re.MULTILINE)[1:]
            pairs = zip(parts[::2], parts[1::2], strict=True)
            yield Notebook(name, tuple((cell.strip(), kind == "look") for kind, cell in pairs))


def lacks(notebook: Notebook) -> bool:
    """True if it needs a library that is not installed here."""
    text = "\n".join(code for code, _ in notebook.cells)
    return any(f"import {one}" in text and not find_spec(one) for one in LIBRARIES)


@contextmanager
def kernel(setup: str) -> Iterator[Kernel]:
    with started() as running:
        assert running.run("setup", setup) == []
        yield running


def outputs(running: Kernel, notebook: Notebook, *, looks: bool) -> list[list[Message]]:
    """The user's own outputs of each cell. Other outputs contain no error."""
    running.run("imports", f"%reset -f\n{IMPORTS}")
    found: list[list[Message]] = []
    for code, is_look in notebook.cells:
        if is_look and not looks:
            continue
        request = running.begin(f"cell-{next(numbers)}", code)
        shown = page(running.until_idle(request))
        if is_look:
            errors = [one.get("evalue", one.get("text")) for one in shown if is_failure(one)]
            assert errors == [], f"{notebook.name}: {code}: {errors}"
        else:
            found.append(joined([plain(one) for one in shown if not is_ours(one)]))
    return found


def joined(shown: list[Message]) -> list[Message]:
    """Texts of one stream that follow one another as one: a strip may have stood between."""
    found: list[Message] = []
    for one in shown:
        [(kind, text)] = one.items() if len(one) == 1 else [("", "")]
        if found and kind in ("stdout", "stderr") and kind in found[-1]:
            found[-1] = {kind: found[-1][kind] + text}
        else:
            found.append(one)
    return found


def is_ours(output: Message) -> bool:
    """True if an output is a log, or the card of an error."""
    display = output.get("data", {}).get(MIME, {})
    return log_of(output) is not None or (display.get("report") or {}).get("tool") == "explain"


def is_failure(output: Message) -> bool:
    return "ename" in output or output.get("name") == "stderr"


def plain(output: Message) -> Message:
    """An output without what differs from run to run: addresses, times, counts of cells."""
    if "ename" in output:
        return {"error": output["ename"], "value": settled(output["evalue"])}
    if "text" in output:
        return {output["name"]: settled(output["text"])}
    return {kind: settled(str(data)) for kind, data in output["data"].items()}


def settled(text: str) -> str:
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"ipykernel_\d+/\d+\.py|Cell In ?\[\d+\]", "cell", text)
    return re.sub(r"\d+(\.\d+)? ?(ns|µs|μs|us|ms|s)\b", "time", text)


ON = "%load_ext jaxviz\n%jaxviz on"


def check(chosen: list[Notebook]) -> None:
    with ExitStack() as stack:
        without = stack.enter_context(kernel("1;"))
        watched = stack.enter_context(kernel(ON))
        looked = stack.enter_context(kernel(ON))
        for notebook in chosen:
            expected = outputs(without, notebook, looks=False)
            assert outputs(watched, notebook, looks=False) == expected, notebook.name
            assert outputs(looked, notebook, looks=True) == expected, notebook.name


def test_a_part_of_the_notebooks() -> None:
    check([one for one in notebooks() if one.name in PART and not lacks(one)])


@pytest.mark.slow
def test_all_notebooks() -> None:
    chosen = list(notebooks())
    lacking = [one.name for one in chosen if lacks(one)]
    print(f"{len(chosen)} notebooks, without a library that they need: {lacking or 'none'}")
    check([one for one in chosen if not lacks(one)])


def test_there_are_forty() -> None:
    assert len({one.name for one in notebooks()}) == 40
