"""Questions of lessons: what is right, what each wrong answer explains, and what nobody sees."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import msgspec
import numpy as np
import pytest

from jaxviz import schema
from jaxviz.display.outputs import QuizAnswers
from jaxviz.display.page_requests import whole
from jaxviz.display.running_cell import WIDGET
from jaxviz.lessons import lessons, quiz, quizzes
from jaxviz.lessons.quizzes import Question, questions, same_answer, text_of
from jaxviz.pages import LANGUAGES

ALL = [(language, name) for language in LANGUAGES for name in questions()]
FORM = "Names have a lesson's number and a word: '1-prints'."
COMPARED = json.loads(Path("tests/lessons/compared.json").read_text("utf-8"))


def called(language: str, name: str) -> str:
    return name if language == "en" else f"{language}/{name}"


def bundle(language: str, name: str, *value: object) -> dict[str, Any]:
    return quiz(called(language, name), *value)._repr_mimebundle_()


def record(data: dict[str, Any]) -> schema.Quiz:
    sent = data[schema.QUIZ_MIME]["quiz"]
    return msgspec.json.decode(zlib.decompress(b64decode(sent)), type=schema.Quiz)


@pytest.mark.parametrize(("language", "name"), ALL)
def test_each_answer_has_its_own_verdict(language: str, name: str) -> None:
    one = questions()[name]
    assert [given.right for given in one.answers].count(True) == 1
    assert one.kind == "choice" or one.otherwise.of(language)
    assert (one.solution != "") == (one.kind == "value")
    explanations = [given.of(language) for given in one.answers]
    assert len({*explanations, one.otherwise.of(language)}) == len(explanations) + 1
    for given, because in zip(one.answers, explanations, strict=True):
        value = text_of(given.answer, language)
        answers = [given.answer, value.replace("`", '"')]
        for answer in answers if isinstance(given.answer, list | int) else answers[1:]:
            mark = "✓" if given.right else "✗"
            said = repr(quiz(called(language, name), answer)).splitlines()[-1]
            assert said == f"{mark} {because}".replace("`", ""), (answer, value)


@pytest.mark.parametrize(("language", "name"), ALL)
def test_nobody_sees_the_answer(language: str, name: str) -> None:
    """A page without our script has the question and its choices only."""
    one, data = questions()[name], bundle(language, name)
    seen = data["text/html"] + data["text/plain"]
    asked = one.question.of(language).replace("`", "")
    assert re.sub(r"\s+", " ", asked) in re.sub(r"\s+", " ", data["text/plain"])
    assert "✓" not in seen
    assert [x for x in one.answers if x.of(language).replace("`", "") in seen] == []
    shown = record(data)
    assert (shown.language, shown.kind, shown.given) == (language, one.kind, None)
    choices = re.findall("<li>(.*?)</li>", data["text/html"])
    assert len(choices) == (len(one.answers) if one.kind == "choice" else 0)
    assert len(json.dumps(data)) < 6_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", [path.stem.split("_")[0] for path in lessons("en")])
def test_a_lesson_asks_its_questions_and_has_no_answers(language: str, number: str) -> None:
    [path] = [path for path in lessons(language) if path.stem.startswith(f"{number}_")]
    book = json.loads(path.read_text("utf-8"))
    own = {name: one for name, one in questions().items() if name.startswith(f"{number}-")}
    texts = ["".join(cell["source"]) for cell in book["cells"]]
    asked = re.findall(r'^quiz\("([^"]*)"', "\n".join(texts), re.MULTILINE)
    assert asked == [called(language, name) for name in own]
    texts.append(json.dumps(book["cells"], ensure_ascii=False))
    secrets = [secret for one in own.values() for secret in secrets_of(one)]
    assert [secret for secret in secrets if any(secret in text for text in texts)] == []


def secrets_of(one: Question) -> list[str]:
    """The explanations of a question, and its solution."""
    texts = [text for given in one.answers for text in (given.en, given.ko)]
    return [*texts, one.solution.strip()] if one.solution else texts


@pytest.mark.parametrize(("kind", "given", "answer", "same"), COMPARED)
def test_answers_are_compared_kindly(kind: str, given: str, answer: str, same: bool) -> None:
    assert same_answer(given, answer, kind) == same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "2"),
        ([1, "a"], "(1, 'a')"),
        ((True, 2.0), "(True, 2.0)"),
        (np.float32(0.5), "0.5"),
        (jnp.arange(3), "(0, 1, 2)"),
        (jnp.int32(7), "7"),
        ((np.int64(3), np.True_), "(3, True)"),
        ("no `code`", "no `code`"),
    ],
)
def test_values_are_texts(value: object, text: str) -> None:
    assert text_of(value, "en") == text


@pytest.mark.parametrize("value", [None, ...])
def test_no_answer_is_no_verdict(value: object) -> None:
    assert repr(quiz("1-prints", value)) == repr(quiz("1-prints"))
    assert repr(quiz("5-fix", value)).splitlines()[-1].startswith("… ")


def test_a_strange_value_is_a_wrong_answer() -> None:
    hostile = "<img src=x>" + "x" * 1000
    data = bundle("en", "8-part", hostile)
    assert len(record(data).given or "") == 200
    assert "<img" not in data["text/html"]
    assert repr(quiz("2-eqns", 4096)).splitlines()[-1].startswith("✗ ")
    assert record(bundle("en", "1-prints", "\ud800")).given == "?"
    assert record(bundle("en", "1-prints", np.zeros(10_000))).given == str(np.zeros(10_000))[:200]


@pytest.mark.parametrize(
    ("name", "value", "reply"),
    [
        ("2-eqns", {}, "Write one number, such as 3."),
        ("2-eqns", "four", "Write one number, such as 3."),
        ("ko/2-eqns", "1 or 2", "3처럼 수 하나를 쓰세요."),
        ("2-allowed", "len", "Give one of the choices."),
        ("ko/2-allowed", 3, "보기 가운데 하나를 고르세요."),
    ],
)
def test_what_is_no_answer_is_not_wrong(name: str, value: object, reply: str) -> None:
    assert repr(quiz(name, value)).splitlines()[-1] == f"… {reply}"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("1-print", "There is no quiz '1-print'. Did you mean '1-prints'?"),
        ("pirnts", "There is no quiz 'pirnts'. Did you mean '2-prints'?"),
        ("ko/1-prnts", "There is no quiz 'ko/1-prnts'. Did you mean 'ko/1-prints'?"),
        ("de/1-prints", "There is no quiz 'de/1-prints'. Did you mean '1-prints'?"),
        ("xyz", f"There is no quiz 'xyz'. {FORM}"),
        (3, f"There is no quiz 3. {FORM}"),
        ("x" * 9999, f"There is no quiz '{'x' * 199}. {FORM}"),
    ],
)
def test_an_unknown_name_is_one_sentence(name: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        quiz(name)


def test_vs_code_colab_and_marimo_get_a_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WIDGET not in bundle("en", "1-prints")
    monkeypatch.setattr(quizzes, "needs_widget", lambda: True)
    assert "model_id" in bundle("en", "1-prints")[WIDGET]
    widget = quiz("1-prints")._display_()
    sent = msgspec.json.decode(zlib.decompress(widget.payload), type=schema.Quiz)
    assert (widget.what, sent) == ("quiz", record(bundle("en", "1-prints")))


def test_a_page_can_ask_for_the_question() -> None:
    """A page without our extension has the still form only."""
    asked = record(bundle("en", "1-prints"))
    assert (
        msgspec.json.decode(zlib.decompress(whole(QuizAnswers(asked))), type=schema.Quiz) == asked
    )


def test_a_question_is_saved_as_a_page(tmp_path: Path) -> None:
    quiz("2-allowed").save(tmp_path / "q.html")
    page = (tmp_path / "q.html").read_text("utf-8")
    assert 'data-what="quiz"' in page
    assert "<li><code>len(x)</code></li>" in page
    assert "part of the shape" not in page
    with pytest.raises(ValueError, match=r"must end in \.html"):
        quiz("2-allowed").save(tmp_path / "q.svg")
