"""The first view of a program: its limits, and the options that its author may choose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta

from jaxviz.schema.record import Record

FIRST_BOXES = 100
"""The most boxes of a first view and of a static picture. A drawing with more boxes does not fit
into a notebook's cell."""
MOST_REPEATS = 6
"""The most members of a repeat that are shown one by one; more members are one box."""
PICTURE_ITEMS = (40, 20, 10)
"""The most boxes in one place of a picture. If the picture is too large, the next number is
tried."""
SVG_BYTES = 40_000
"""The most bytes that a picture should have."""
BROADCASTS = ("broadcast", "broadcast_in_dim")
"""Operations of later stages that have no box if their operand is a constant. Instead, the
operations that use the result name the constant."""


class Opening(Record, frozen=True, omit_defaults=True):
    """The first view of a program, chosen by its author.

    The options of `%jaxviz` and of `Program.opened` set its members.

    For a member that is absent, the reader's settings in JupyterLab decide, and then our default.
    All members except `memory` are only about the first view: they do not undo what the reader
    opens or colours later.

    It is the only record whose members may be absent. Each member is an option of the same name.
    Its `description` is the option's help, and its `examples` are in the message about a wrong
    value.
    """

    stage: Annotated[
        Literal["jaxpr", "stablehlo", "hlo"] | None,
        Meta(
            description="The stage to show first: jaxpr, stablehlo or hlo. By default the jaxpr, "
            "or the stage in JupyterLab's settings.",
            examples=["hlo"],
        ),
    ] = None
    depth: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="The number of levels of groups, loops and calls that are open at first. 1 "
            "opens the outermost that are drawn, 0 none. By default the most informative ones are "
            "open, if there is room.",
            examples=[1],
        ),
    ] = None
    boxes: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="The most boxes to show at first. By default as many as the view has room "
            "for, or the number in JupyterLab's settings; with a depth, all of them.",
            examples=[40],
        ),
    ] = None
    colours: Annotated[
        Literal["family", "dtype", "scope", "flops", "bytes"] | None,
        Meta(
            description="The property that the colours of the boxes show at first. One of family, "
            "dtype, scope, flops and bytes. By default the family of each op, or in a comparison "
            "the changes.",
            examples=["dtype"],
        ),
    ] = None
    memory: Annotated[
        Annotated[float, Meta(ge=2**-30, le=2**30)] | None,
        Meta(
            description="The memory of a device, in GiB (16, 0.6) or with its unit (600MiB). With "
            "HLO, the view says whether the program fits into it, by how much, and which line "
            "makes the largest value, by XLA's estimate.",
            examples=[16],
        ),
    ] = None


_AMOUNT = re.compile(r"(\d+\.?\d*|\.\d+) ?(?:([KMGT])(i?)B?)?", re.IGNORECASE | re.ASCII)

UNCHOSEN = Opening()
"""An opening without any choice."""


class Option(NamedTuple):
    """The allowed values of a member of `Opening`, for help and error messages."""

    help: str
    example: str | int
    choices: tuple[str, ...]
    """The allowed words; empty for a number."""
    least: int | None
    """The smallest allowed whole number; None for words and for an amount of memory."""

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


def chosen(values: Mapping[str, Any]) -> Opening:
    """Make an opening with these members. A value may be None, and a number may be a text.

    Raises ValueError, with one sentence, for a value that is not allowed.
    """
    opening = UNCHOSEN
    for name, value in values.items():
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
                f"{name} takes {option.takes}, not {values[name]!r}: write {right}."
            ) from None
        opening = msgspec.structs.replace(opening, **{name: getattr(one, name)})
    return opening


def _gib_of(text: str) -> float | str:
    """Convert an amount of memory (`16`, `0.6`, `600MiB`, `40 GB`) to GiB; return other texts."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return text
    number, unit, binary = found.groups()
    base = 1000 if unit and not binary else 1024
    step = "KMGT".index(unit.upper()) + 1 if unit else 3
    return float(number) * base**step / 1024**3
