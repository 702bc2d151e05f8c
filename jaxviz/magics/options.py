"""The options of `%jaxviz` and `%%jaxviz`: one table for each.

An option is declared once, here or beside the tool that it runs. Help, checks, completion, README
and reference follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, argument_group, magic_arguments

from jaxviz.capture import PLATFORMS
from jaxviz.export import FORMS
from jaxviz.schema.opening import OPTIONS as MEMBERS
from jaxviz.schema.opening import chosen
from jaxviz.tools.option import STATICS, Option, Value, listed, number
from jaxviz.tools.registry import CELL_OPTIONS, LINE_OPTIONS

Method = TypeVar("Method", bound=Callable[..., Any])


class Magic(NamedTuple):
    """A magic with its options."""

    name: str
    example: str
    """The beginning of a line with this magic."""
    call: str
    """The help on the call that it takes; empty if it takes none."""
    options: tuple[Option, ...]

    @property
    def every(self) -> list[Option]:
        """Its options, and those that need one of them."""
        return [*listed(self.options)]

    @property
    def names(self) -> list[str]:
        return [option.name for option in self.every]

    def named(self, word: str) -> Option | None:
        """The option of this name, in which `_` may replace `-`, in any case."""
        name = word.replace("_", "-")
        name = name.lower() if name.startswith("--") else name
        return next((one for one in self.every if name in (one.name, *one.aliases)), None)

    def needed_by(self, option: Option) -> Option | None:
        """The option that this one requires; None if it requires none."""
        if option in self.options:
            return None
        return next(one for one in self.options if option in one.arguments)

    def example_of(self, option: Option) -> str:
        """An option as a user writes it, after the one that it requires."""
        needed = self.needed_by(option)
        return f"{needed.example} {option.example}" if needed else option.example

    def read(self, written: Iterable[tuple[str, str | None]]) -> dict[Option, Any]:
        """The value of each option, from its word and the text after it. Raises UsageError, with
        one sentence, for a wrong option or value."""
        texts = {self.checked(word, text): text or "" for word, text in written}
        self.check(texts)
        try:
            return {option: option.read(text) for option, text in texts.items()}
        except ValueError as error:
            raise UsageError(str(error)) from None

    def checked(self, word: str, text: str | None) -> Option:
        option = self.named(word)
        if option is None:
            near = " or ".join(self.near(word))
            advice = f"write {near}" if near else f"the options are {', '.join(self.names)}"
            raise UsageError(f"there is no option {word}: {advice}; {self.name}? explains each.")
        if option.value is None and text is not None:
            raise UsageError(f"{option.name} takes no value: leave out {text!r}.")
        if option.value is not None and text is None:
            raise UsageError(f"{option.name} needs a value: write {option.example}.")
        return option

    def near(self, word: str) -> list[str]:
        """The options that begin with this word, or take it as their value; else the one with the
        most similar spelling."""
        names = {name.lstrip("-"): name for name in self.names}
        asked = word.lstrip("-").replace("_", "-").lower()
        begun = [names[name] for name in names if name.startswith(asked)]
        taken = [
            f"{one.name} {asked}" for one in self.every if one.value and asked in one.value.words
        ]
        return begun or taken or [names[name] for name in get_close_matches(asked, names, 1)]

    def check(self, options: Iterable[Option]) -> None:
        """Raises UsageError for options that exclude each other."""
        options = [*options]
        names = [option.name for option in options]
        for option in options:
            for other, sentence in option.excludes.items():
                if other in names:
                    raise UsageError(sentence)
            needed = self.needed_by(option)
            if needed is not None and needed not in options:
                line = f"{self.example} {self.example_of(option)}"
                raise UsageError(f"{option.name} goes with {needed.name}: write {line}.")
        for option in options:
            others = [one.name for one in options if one not in (option, *option.arguments)]
            if option.run is not None and others:
                raise UsageError(f"{option.name} stands alone: leave out {', '.join(others)}.")

    def documented(self, method: Method) -> Method:
        """Adds the options to the docstring of a method, as `@argument` does."""
        ran = [one for one in self.every if (self.needed_by(one) or one).run]
        others = [one for one in self.every if one not in ran]
        for options in (ran, others):
            for one in reversed(options):
                how = {"metavar": one.metavar} if one.value else {"action": "store_true"}
                method = argument(one.name, *one.aliases, help=one.help, **how)(method)
            if ran and options is ran:
                method = argument_group("runs your program")(method)
        if self.call:
            method = argument("call", nargs="*", metavar="CALL", help=self.call)(method)
        return magic_arguments(self.name.removeprefix("%"))(method)


def _member(name: str, text: str) -> Any:
    return getattr(chosen({name: text}), name)


def _opening(name: str) -> Option:
    """The option for a member of `Opening`."""
    member = MEMBERS[name]
    return Option(
        name=f"--{name}",
        help=member.help,
        value=Value(member.takes, str(member.example), partial(_member, name), "", member.choices),
        aliases=("--colors",) if name == "colours" else (),
        python=f"program.opened({name}={member.example!r})",
        stage="hlo" if name == "memory" else "",
    )


OPENING = tuple(map(_opening, MEMBERS))
"""The options of the first view."""
PLATFORM = Option(
    name="--platform",
    help="Show StableHLO for tpu, cuda (or gpu), rocm or cpu. Neither this platform nor the "
    "devices of a jax.sharding.AbstractMesh need be here. If JAX cannot lower an operation for it, "
    "the error has its line.",
    value=Value("a platform", "tpu", words=PLATFORMS),
    python='jaxviz.inspect(f, platform="tpu")(x)',
    stage="stablehlo",
    excludes={
        "--steps": "--steps shows the trace, which has no platform or devices: leave one out.",
        "--devices": "--devices compiles for the CPU, and --platform may lower for another: leave "
        "one out.",
        "--memory": "--memory is of what XLA compiles, and --platform only lowers: leave one out.",
    },
)
DEVICES = Option(
    name="--devices",
    help="Show the HLO that each of N devices runs, with their communication. The devices of a "
    "jax.sharding.AbstractMesh need not be here: XLA compiles for as many devices of the CPU.",
    value=number(1, 256),
    python="jaxviz.inspect(f, devices=256)(x)",
    stage="hlo",
    excludes={"--steps": PLATFORM.excludes["--steps"]},
)
SAVE = Option(
    name="--save",
    help=f"Also save the program, in the format of the suffix: {', '.join(FORMS)}. jaxviz.load "
    "reads .json; .html is the view without a kernel or a network; .png needs `pip install "
    "'jupyterlab-jaxviz[png]'`.",
    value=Value("the name of a file", "f.svg", metavar="FILE"),
    python='program.save("f.svg")',
)
RETURN = Option(name="-o", help="Return the Program, or the Steps, and display nothing.")
HELP = Option(name="--help", aliases=("-h",), help="Print this help.")
HITS = Option(
    name="--hits",
    help="Also count the calls that JAX's caches answer. Each of them takes a little longer.",
    python="jaxviz.watch(hits=True)",
)
PREDICT = Option(
    name="--predict", help="Count them, and first let you guess for each call if it was a hit."
)
MAX_RETRACES = Option(
    name="--max-retraces",
    help="Let the cell fail, with the reasons, if there are more retraces than this, of all "
    "functions together.",
    value=number(0, 0),
    python="jaxviz.watch(max_retraces=0)",
)
CALL = (
    "Any call, such as loss(params, x). The outermost call is captured and not run; its function "
    "and arguments are evaluated in your namespace. Or the name of a ClosedJaxpr, Traced, Lowered, "
    "Compiled or Exported of JAX. Without a call, lists the captures of this session. Instead of a "
    "call: `on` shows a line under each cell that retraces a function, which opens to the reasons; "
    "`off` ends this. `explain` shows the card of the last exception, `explain KIND` the help page "
    "on a kind of error, and `explain KIND ko` the page in Korean."
)

LINE = Magic(
    "%jaxviz",
    "%jaxviz loss(…)",
    CALL,
    (
        *OPENING,
        PLATFORM,
        DEVICES,
        *STATICS,
        *(option for option in LINE_OPTIONS if option.capture),
        SAVE,
        RETURN,
        HELP,
        *(option for option in LINE_OPTIONS if option.run),
    ),
)
CELL = Magic("%%jaxviz", "%%jaxviz", "", (HITS, PREDICT, *CELL_OPTIONS, MAX_RETRACES, HELP))
MAGICS = LINE, CELL
