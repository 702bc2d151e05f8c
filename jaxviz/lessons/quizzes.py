"""Questions of lessons, whose answers a page compares without a kernel.

`answers/N_name.toml` has the questions of a lesson, in each language of `pages`. A question is a
table; the quiz of table `prints` in `answers/1_what_jit_does.toml` is `quiz("1-prints")`:

    [prints]
    kind = "number"                      # or "choice", "text", "value"
    question.en = "How often does it print?"
    question.ko = "몇 번 출력될까요?"
    otherwise.en = "Count the lines."    # a hint for any other answer
    otherwise.ko = "줄을 세어 보세요."

    [[prints.answers]]                   # choices: in this order
    answer = 2                           # or answer.en, answer.ko
    right = true
    en = "Once for each shape."          # the explanation
    ko = "shape마다 한 번입니다."

- `choice`: each answer is a button.
- `number`, `text`: the reader types; the answers are the right one and the wrong ones people give.
- `value`: only Python can check the answer, by `quiz("1-prints", value)`. An array is a tuple.
- `solution` is code for the cell whose id is the table's name: the tests run it.

Texts may contain `code` in backticks. `js/src/quiz/mounted-quiz.tsx` compares answers in the same
way as `same_answer`; `tests/lessons/compared.json` has examples for both.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from collections.abc import Container, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Literal

import msgspec

from jaxviz import schema
from jaxviz.display import wire
from jaxviz.display.bundle import chosen, key_for, small, still
from jaxviz.display.outputs import QuizAnswers
from jaxviz.display.running_cell import WIDGET, needs_widget
from jaxviz.safety.files import write_file

ANSWERS = Path(__file__).parent / "answers"
LONGEST = 200
"""The most characters of a value that are shown."""
COLOURS = {"✓": "success", "✗": "error", "…": "border"}
HERE = {
    "en": "To answer here, write your answer in place of the dots: {}.",
    "ko": "여기서 답하려면 점 세 개 자리에 답을 써서 실행하세요: {}.",
}
"""The sentence of a page without our script, by language."""
UNREADABLE = {
    "number": {"en": "Write one number, such as 3.", "ko": "3처럼 수 하나를 쓰세요."},
    "choice": {"en": "Give one of the choices.", "ko": "보기 가운데 하나를 고르세요."},
}
"""The reply to an answer that is none, by kind of question and by language."""


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text in each language."""

    en: str
    ko: str

    def of(self, language: str) -> str:
        return {"en": self.en, "ko": self.ko}[language]


class Given(Texts, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An answer that readers give, and its explanation in each language."""

    answer: bool | int | float | str | list[Any] | Texts
    right: bool = False


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """A table of `answers/*.toml`."""

    kind: Literal["choice", "number", "text", "value"]
    question: Texts
    answers: list[Given]
    otherwise: Texts = Texts(en="", ko="")
    solution: str = ""


@cache
def questions() -> Mapping[str, Question]:
    """All questions by their names, such as `1-prints`."""
    found: dict[str, Question] = {}
    for path in sorted(ANSWERS.glob("*.toml")):
        tables = msgspec.toml.decode(path.read_bytes(), type=dict[str, Question])
        found |= {f"{path.stem.split('_')[0]}-{name}": one for name, one in tables.items()}
    return found


class Quiz:
    """A question, as the last value of a cell. `save` writes it as a page."""

    def __init__(self, record: schema.Quiz) -> None:
        self._record = record

    def __repr__(self) -> str:
        one = self._record
        choices = [f"  - {plain(choice)}" for choice in choices_of(one)]
        return "\n".join([plain(one.question), *choices, *map(plain, below(one))])

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        payload = wire.deflated(self._record)
        by, sent = schema.release(), b64encode(payload).decode()
        display = schema.QuizDisplay(version=schema.VERSION, jaxviz=by, quiz=sent)
        key = key_for(QuizAnswers(self._record))
        data: dict[str, Any] = {
            schema.QUIZ_MIME: msgspec.to_builtins(display),
            "text/plain": repr(self),
            "text/html": still(still_html(self._record), key, "quiz", hint=False),
        }
        if needs_widget():
            with suppress(Exception):
                data[WIDGET] = self._display_().view
        return chosen(data, include, exclude)

    def _display_(self) -> Any:
        """The widget, for marimo."""
        from jaxviz.display.widget import View

        return View("", what="quiz", payload=wire.deflated(self._record))

    def save(self, path: str | Path) -> None:
        """Write the question as a page (`.html`), on which it can be answered without a kernel.

        Raises ValueError for another suffix.
        """
        from jaxviz.export.html import page

        if Path(path).suffix.lower() != ".html":
            raise ValueError(f"cannot save to {str(path)!r}: the file's name must end in .html.")
        one = self._record
        shown = still_html(one)
        data = wire.deflated(one)
        text = page(f"{one.name} · jaxviz", "quiz", data, schema.UNCHOSEN, shown)
        write_file(path, text.encode())


def quiz(name: str, value: object = ...) -> Quiz:
    """Show a question of a lesson, and compare an answer with the right one.

    The page compares what the reader chooses or types; no kernel is needed. If there is a `value`,
    Python compares it, too. Blanks, case and brackets make no difference.

    Parameters
    ----------
    name : str
        The number of a lesson and the name of a question, such as `"1-prints"`. For Korean, it
        begins with `ko/`.
    value : object, optional
        The answer. `...` is no answer.

    Returns
    -------
    Quiz
        As the last value of a cell, the question, and the verdict on the answer.

    Raises
    ------
    ValueError
        If no question has this name.

    Examples
    --------
    >>> quiz("1-prints", 2)
    How often does it print?
    ✓ Once for five numbers and once for ten. The other two calls found a program that fits.
    """
    language, _, short = str(name).rpartition("/")
    language = language or "en"
    one = questions().get(short)
    if one is None or language not in HERE:
        raise ValueError(f"There is no quiz {repr(name)[:LONGEST]}.{nearest(short, language)}")
    record = schema.Quiz(
        version=schema.VERSION,
        name=str(name),
        language=language,
        kind=one.kind,
        question=one.question.of(language),
        answers=[
            schema.QuizAnswer(
                text=text_of(given.answer, language),
                right=given.right,
                because=given.of(language),
            )
            for given in one.answers
        ],
        otherwise=one.otherwise.of(language),
        given=None if value is ... or value is None else given_text(value, language),
    )
    return Quiz(record)


def nearest(short: str, language: str) -> str:
    """The nearest name, or the form of names, as the end of a sentence."""
    names = {name.partition("-")[2]: name for name in questions()}
    names |= {name: name for name in questions()}
    found = get_close_matches(short, names, n=1, cutoff=0.5)
    prefix = "ko/" if language == "ko" else ""
    if not found:
        return " Names have a lesson's number and a word: '1-prints'."
    return f" Did you mean {prefix + names[found[0]]!r}?"


def given_text(value: object, language: str) -> str:
    """The beginning of an answer, as text that can be sent and written."""
    text = text_of(value, language)[:LONGEST]
    return text.encode("utf-8", "replace").decode()


def text_of(value: object, language: str) -> str:
    """An answer as its text. Lists and arrays are written as tuples."""
    if isinstance(value, Texts):
        return value.of(language)
    value = of_python(value)
    return str(tuple(value) if isinstance(value, list) else value)


def of_python(value: object) -> object:
    """A value with Python's numbers in place of those of NumPy and JAX. Large arrays stay."""
    if isinstance(value, tuple):
        return tuple(map(of_python, value))
    with suppress(Exception):
        if value.size <= LONGEST:  # pyright: ignore[reportAttributeAccessIssue]
            return value.tolist()  # pyright: ignore[reportAttributeAccessIssue]
    return value


def verdict(one: schema.Quiz) -> tuple[str, str] | None:
    """The mark of the given answer, and its explanation. None if there is no answer."""
    if one.given is None:
        return ("…", one.otherwise) if one.kind == "value" else None
    equal = [answer for answer in one.answers if answer.text == one.given]
    equal += [answer for answer in one.answers if same_answer(one.given, answer.text, one.kind)]
    if not equal and is_unreadable(one):
        return "…", UNREADABLE[one.kind][one.language]
    if not equal:
        return "✗", one.otherwise
    return "✓" if equal[0].right else "✗", equal[0].because


def is_unreadable(one: schema.Quiz) -> bool:
    """True if a wrong answer is not a choice of the question, or not one number."""
    numbers = _NUMBER.findall(unicodedata.normalize("NFKC", one.given or ""))
    return one.kind == "choice" or (one.kind == "number" and len(numbers) != 1)


def same_answer(given: str, answer: str, kind: str) -> bool:
    """True if two answers mean the same: `(2.0, "A b")` and `[2, 'ab']`."""
    return key_of(given, kind) == key_of(answer, kind)


_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?", re.ASCII)
_BETWEEN = re.compile(r"(?<=[0-9])(?:\s*[x×]\s*|\s+)(?=[0-9])")
"""Signs between the numbers of a shape."""
_UNIMPORTANT = re.compile(r"[\s\"'`“”‘’()\[\]{}]")
_AT_END = re.compile(r"[.,;!?]+$")
_POINT_ZERO = re.compile(r"(?<=\d)\.0*(?=\D|$)")


def key_of(text: str, kind: str) -> str:
    """The text that two equal answers share: of `number` the one number in it, else the text
    without blanks, quotes, brackets and case."""
    plain = unicodedata.normalize("NFKC", text).lower()
    numbers = _NUMBER.findall(plain)
    if kind == "number" and len(numbers) == 1:
        plain = numbers[0]
    plain = _BETWEEN.sub(",", plain)
    return _POINT_ZERO.sub("", _AT_END.sub("", _UNIMPORTANT.sub("", plain)))


def choices_of(one: schema.Quiz) -> list[str]:
    return [answer.text for answer in one.answers] if one.kind == "choice" else []


def below(one: schema.Quiz) -> list[str]:
    """The line below a question and its choices: the verdict, or how to answer in Python."""
    found = verdict(one)
    if found is not None:
        return [" ".join(found)]
    return [HERE[one.language].format(f"`quiz({one.name!r}, ...)`".replace("'", '"'))]


def still_html(one: schema.Quiz) -> str:
    """The question for a page without our script. It has no answer but the one that was given."""
    choices = "".join(f"<li>{html_of(choice)}</li>" for choice in choices_of(one))
    shown = f"<p>{html_of(one.question)}</p>" + (f"<ul>{choices}</ul>" if choices else "")
    found = verdict(one)
    if found is None:
        return f'<div lang="{one.language}">{shown}{small(html_of(below(one)[0]))}</div>'
    colour = f"var(--jp-{COLOURS[found[0]]}-color1, currentColor)"
    style = f"border-left: 4px solid {colour}; padding: 4px 12px; margin: 0"
    said = f'<p style="{style}"><b>{found[0]}</b>&ensp;{html_of(found[1])}</p>'
    return f'<div lang="{one.language}">{shown}{said}</div>'


def html_of(text: str) -> str:
    """A text as HTML, with the parts between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def plain(text: str) -> str:
    return text.replace("`", "")
