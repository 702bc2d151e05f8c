"""The code asks for all sentences of the tables, and for no others, each with all its parts."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterator
from pathlib import Path

import jaxviz
from jaxviz.schema import literal
from jaxviz.sentences import SENTENCES, TABLES, part_names, sentence

SOURCE = Path(jaxviz.__file__).parent


def trees() -> Iterator[tuple[str, ast.Module]]:
    """The modules of the kernel but for the tables."""
    for path in SOURCE.rglob("*.py"):
        if path.parent.name != "sentences":
            yield str(path.relative_to(SOURCE)), ast.parse(path.read_text(encoding="utf-8"))


def named(node: ast.AST) -> Iterator[str]:
    """The keys that a string of the code may be; several where it is put together."""
    match node:
        case ast.Constant(value=str(key)) if key in SENTENCES:
            yield key
        case ast.JoinedStr(values=values):
            fixed = (one.value if isinstance(one, ast.Constant) else "*" for one in values)
            pattern = "".join(map(str, fixed))
            yield from fnmatch.filter(SENTENCES, pattern) if pattern.strip("*") else ()
        case _:
            pass


def test_a_call_that_names_a_sentence_gives_its_parts() -> None:
    for where, tree in trees():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Name(id="sentence"),
                    args=[ast.Constant(value=str(key))],
                    keywords=words,
                ):
                    given = {word.arg for word in words}
                    assert key in SENTENCES, where
                    names = part_names(SENTENCES[key])
                    assert None in given or given == {*names}, (where, key)
                case _:
                    pass


TITLES = {"fix", "sketch", "otherwise", "advice", "with_line", "swapped"}
"""Functions that take a sentence, or the key of one without parts, as the first argument."""


def test_a_title_that_is_a_key_names_a_sentence_without_parts() -> None:
    found = list[str]()
    for _, tree in trees():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=func, args=[ast.Constant(value=str(key)), *_]):
                    if getattr(func, "attr", getattr(func, "id", "")) in TITLES:
                        found.append(key)
                case _:
                    pass
    assert [key for key in found if key not in SENTENCES or part_names(SENTENCES[key])] == []
    assert len(found) > 100


def test_each_sentence_is_named_in_the_code_and_has_one_key() -> None:
    found = {key for _, tree in trees() for node in ast.walk(tree) for key in named(node)}
    assert {*SENTENCES} - found <= {"joined", *WITH_ENDINGS}
    assert len(SENTENCES) == sum(map(len, TABLES))
    assert len({*SENTENCES.values()}) == len(SENTENCES)


WITH_ENDINGS = {key for key in SENTENCES if key.startswith(("made anew, ", "defined anew, "))}
"""Keys that are put together from more than one text."""


def test_a_sentence_is_its_text_with_its_parts() -> None:
    one = sentence("constant, several", arrays=sentence("arrays", count=1200), bytes="2 {MiB}")
    assert str(one) == "the function closes over 1,200 arrays: 2 {MiB} that are part of the program"
    assert one.parts == (sentence("arrays", count=1200), "2 {MiB}")
    assert sentence("arrays", count=1).text == "1 array"
    assert literal("no") == literal("no") != one
