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


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Each call of `sentence`, with where it stands."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="sentence")):
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def keys(call: ast.Call, where: str) -> set[str]:
    """The keys that a call may ask for: several where the key is put together."""
    match call.args:
        case [ast.Constant(value=str(key))]:
            return {key} & {*SENTENCES}
        case [ast.JoinedStr(values=values)]:
            fixed = (one.value if isinstance(one, ast.Constant) else "*" for one in values)
            return {*fnmatch.filter(SENTENCES, "".join(map(str, fixed)))}
        case _:
            return {*NAMED[where.partition(":")[0]]}


NAMED = {"analysis/findings/wide_requests.py": ["float64"]}
"""The keys that a file has a name for."""


def test_each_call_names_a_sentence_and_its_parts() -> None:
    for where, call in calls():
        found = keys(call, where)
        assert found, where
        given = {keyword.arg for keyword in call.keywords}
        if len(found) == 1 and None not in given:
            assert given == {*part_names(SENTENCES[found.pop()])}, where


def test_each_sentence_is_asked_for_and_has_one_key() -> None:
    assert {key for where, call in calls() for key in keys(call, where)} == {*SENTENCES}
    assert len(SENTENCES) == sum(map(len, TABLES))
    assert len({*SENTENCES.values()}) == len(SENTENCES)


def test_a_sentence_is_its_text_with_its_parts() -> None:
    one = sentence("constant, several", arrays=sentence("arrays", count=1200), bytes="2 {MiB}")
    assert str(one) == "the function closes over 1,200 arrays: 2 {MiB} that are part of the program"
    assert one.parts == (sentence("arrays", count=1200), "2 {MiB}")
    assert sentence("arrays", count=1).text == "1 array"
    assert literal("no") == literal("no") != one
