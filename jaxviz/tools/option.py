"""The record of an option of the magics. Each tool declares its own.

`magics/options.py` lists the options of each magic. Help, checks, completion and reference
are made from these records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Value(NamedTuple):
    """The value of an option."""

    takes: str
    """The allowed values in words, such as `a number of at least 1`."""
    example: str
    read: Callable[[str], Any] = str
    """Converts a text to the value. Raises ValueError for a wrong text."""
    metavar: str = ""
    words: tuple[str, ...] = ()
    """The completions of Tab."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """One option of a magic. Without a `value` it is a switch."""

    name: str
    help: str
    value: Value | None = None
    aliases: tuple[str, ...] = ()
    python: str = ""
    """The call that does the same in Python."""
    stage: str = ""
    """The stage that a program with this option shows first."""
    excludes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Options that exclude this one, by name, each with the sentence of the error."""
    run: Callable[..., Any] | None = None
    """Runs the call: `run(fun, **arguments)(*args, **kwargs)`. The magic returns its result, and
    refuses options that are not among its `arguments`."""
    capture: Callable[..., Any] | None = None
    """Captures the call instead of `inspected`, which has the same parameters."""
    arguments: tuple[Option, ...] = ()
    """The options that this one takes. An argument that is not in the magic's own list requires
    this option."""

    @property
    def key(self) -> str:
        """The option as a name in Python: `max_retraces`."""
        return self.name.lstrip("-").replace("-", "_")

    @property
    def metavar(self) -> str:
        return (self.value and self.value.metavar) or self.key.upper()

    @property
    def written(self) -> str:
        """The option as help shows it: `--depth DEPTH`."""
        return f"{self.name} {self.metavar}" if self.value else self.name

    @property
    def example(self) -> str:
        """The option as a user writes it: `--depth 1`."""
        return f"{self.name} {self.value.example}" if self.value else self.name

    def read(self, text: str) -> Any:
        """The value of a text; True for a switch. Raises ValueError, with one sentence."""
        if self.value is None:
            return True
        try:
            return self.value.read(text)
        except ValueError:
            raise ValueError(
                f"{self.name} takes {self.value.takes}, not {text!r}: write {self.example}."
            ) from None


def listed(options: tuple[Option, ...]) -> Iterator[Option]:
    """Each of these options once, and the arguments of each after it."""
    found: list[Option] = []
    for option in options:
        found += [one for one in (option, *option.arguments) if one not in found]
    return iter(found)


def values(written: Mapping[Option, Any], options: Iterable[Option]) -> dict[str, Any]:
    """The values of some of the options that the user wrote, as keyword arguments."""
    return {option.key: written[option] for option in options if option in written}


def number(least: int, example: int) -> Value:
    """A whole number."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ValueError
        return int(text)

    return Value(f"a number of at least {least}", str(example), read, "N")


def numbers(takes: str, example: str) -> Value:
    """Whole numbers, separated by commas."""
    read = number(0, 0).read
    return Value(takes, example, lambda text: [read(one) for one in text.split(",")])


def _names(text: str) -> tuple[str, ...] | None:
    return tuple(text.replace(",", " ").split()) or None


STATIC_ARGNAMES = Option(
    name="--static-argnames",
    help="Arguments that are static, by name: a,b. As in jax.jit.",
    value=Value("names of arguments", "mode", _names, "NAMES"),
)
STATIC_ARGNUMS = Option(
    name="--static-argnums",
    help="Arguments that are static, by position: 1,2. As in jax.jit.",
    value=Value(
        "positions of arguments", "1", lambda text: [*map(int, text.split(","))], "NUMBERS"
    ),
)
STATICS = STATIC_ARGNAMES, STATIC_ARGNUMS
"""The arguments that each tool takes."""
