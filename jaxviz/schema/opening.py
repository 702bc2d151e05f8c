"""How a program is first seen, and what of that its author may choose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta

from jaxviz.schema.record import Record

FIRST_BOXES = 60
"""The most boxes that show at first, as many as one takes in at a glance."""
PICTURE_BOXES = 100
"""The most boxes of a static picture. Beyond it not even a body that holds only another one is
opened."""
MOST_REPEATS = 6
"""The most members of a repeat that are shown one by one: more are one box."""
PICTURE_ITEMS = (40, 20, 10)
"""How many boxes one place of a picture may show. The next number is tried where a picture is too
large."""
SVG_BYTES = 40_000
"""How many bytes a picture should have at most."""
BROADCASTS = ("broadcast", "broadcast_in_dim")
"""Operations of later stages that have no box where they spread a constant: those that use it name
it."""


class Opening(Record, frozen=True, omit_defaults=True):
    """How a program is first seen, as its author chose it.

    The options of `%jaxviz` and `Program.opened` choose.

    A member that is absent was not chosen. Then the reader's preference decides, from the settings
    of JupyterLab, and without one our default. All but `memory` is about the first sight alone:
    what the reader opens or colours afterwards stays.

    It is the one record whose members may be absent. Each member is an option of the same name: its
    `description` is the option's help, and its `examples` stand in the message about a wrong value.
    """

    stage: Annotated[
        Literal["jaxpr", "stablehlo", "hlo"] | None,
        Meta(
            description="The stage to show first, which is made for it: jaxpr, stablehlo or hlo. "
            "By default the jaxpr, or what the settings of JupyterLab say.",
            examples=["hlo"],
        ),
    ] = None
    depth: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="Down to how many levels groups, loops and calls are open at first, as "
            "they are drawn: 1 opens those that are seen first, 0 none. By default those that "
            "tell most, as far as there is room.",
            examples=[1],
        ),
    ] = None
    boxes: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="How many boxes show at first, at most. By default as many as the view "
            "has room for, or what the settings of JupyterLab say; all of them where a depth is "
            "chosen.",
            examples=[40],
        ),
    ] = None
    colours: Annotated[
        Literal["family", "dtype", "scope", "flops", "bytes"] | None,
        Meta(
            description="What the colours of the boxes tell at first: family, dtype, scope, flops "
            "or bytes. By default the family of each op, or in a comparison what changed.",
            examples=["dtype"],
        ),
    ] = None
    memory: Annotated[
        Annotated[float, Meta(ge=2**-30, le=2**30)] | None,
        Meta(
            description="The memory of a device, in GiB (16, 0.6) or with its unit (600MiB). With "
            "HLO, the view says whether the program fits into it, by how much, and which line "
            "makes the largest value: by XLA's estimate.",
            examples=[16],
        ),
    ] = None


_AMOUNT = re.compile(r"(\d+\.?\d*|\.\d+) ?(?:([KMGT])(i?)B?)?", re.IGNORECASE | re.ASCII)

UNCHOSEN = Opening()
"""Nothing is chosen: all is left to the reader."""


class Option(NamedTuple):
    """What values a member of `Opening` takes, as help and error messages say it."""

    help: str
    example: str | int
    choices: tuple[str, ...]
    """The words that it may be; empty where it is a number."""
    least: int | None
    """The smallest whole number that it may be; None of words and of an amount of memory."""

    @property
    def takes_amount(self) -> bool:
        """True if the option is an amount of memory."""
        return self.least is None and not self.choices

    @property
    def takes(self) -> str:
        """The allowed values in words, such as `a whole number of at least 0`."""
        if self.least is not None:
            return f"a whole number of at least {self.least}"
        if self.takes_amount:
            return "a number of GiB above 0 (16, 0.6) or an amount with its unit (600MiB)"
        *others, last = self.choices
        return f"{', '.join(others)} or {last}"


def _option(hint: Any) -> Option:
    type_, meta = get_args(hint)
    kind = get_args(type_)[0]
    example = meta.examples[0]
    if not hasattr(kind, "__metadata__"):
        return Option(meta.description, example, get_args(kind), None)
    number, bounds = get_args(kind)
    return Option(meta.description, example, (), bounds.ge if number is int else None)


OPTIONS: Mapping[str, Option] = {
    name: _option(hint) for name, hint in get_type_hints(Opening, include_extras=True).items()
}
"""The option for each member of `Opening`, by its name and in the same order."""


def chosen(given: Mapping[str, Any]) -> Opening:
    """Make an opening with these members. A value may be None, and a number may be given as text.

    Raises ValueError, with one sentence, for a value that a member may not have.
    """
    opening = UNCHOSEN
    for name, value in given.items():
        option = OPTIONS[name]
        strict = option.takes_amount or not isinstance(value, str)
        if option.takes_amount and isinstance(value, str):
            value = _gib_of(value)
        elif option.choices and isinstance(value, str):
            value = value.lower()
        try:
            one = msgspec.convert({name: value}, Opening, strict=strict)
        except msgspec.ValidationError:
            right = f"{name}={option.example!r}"
            raise ValueError(
                f"{name} takes {option.takes}, not {given[name]!r}: write {right}."
            ) from None
        opening = msgspec.structs.replace(opening, **{name: getattr(one, name)})
    return opening


def _gib_of(text: str) -> float | str:
    """Give the GiB of an amount of memory (`16`, `0.6`, `600MiB`, `40 GB`), else the text."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return text
    number, unit, binary = found.groups()
    base = 1000 if unit and not binary else 1024
    step = "KMGT".index(unit.upper()) + 1 if unit else 3
    return float(number) * base**step / 1024**3
