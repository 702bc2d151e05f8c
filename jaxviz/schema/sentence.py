"""The record of a sentence of the kernel, which a page finds by its key in its own language."""

from __future__ import annotations

from jaxviz.schema.record import Record


class Sentence(Record, frozen=True):
    """One sentence, with what varies in it."""

    key: str
    """Its name in the tables of sentences (`jaxviz/sentences`). Empty for a text that is in none: a
    message of JAX, or a sentence of a format before 6."""
    parts: tuple[str | int | Sentence, ...]
    """What varies, in the order of its first places in the text; a count of things first."""
    text: str
    """The whole sentence in English."""

    def __str__(self) -> str:
        return self.text

    def __format__(self, form: str) -> str:
        return format(self.text, form)

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __eq__(self, other: object) -> bool:
        """A sentence equals its English text."""
        if isinstance(other, Sentence):
            return (self.key, self.parts, self.text) == (other.key, other.parts, other.text)
        return self.text == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        """False for an empty text, where there is nothing to say."""
        return self.text != ""


Words = str | Sentence
"""A text of a program, or words that a page translates."""


def literal(text: str) -> Sentence:
    """A text that no page translates."""
    return Sentence(key="", parts=(), text=text)


NOTHING = literal("")
