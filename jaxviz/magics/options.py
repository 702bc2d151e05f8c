"""The options of `%jaxviz` and `%%jaxviz`: one table for each.

An option is declared once, here or beside the tool that it runs. Help, checks, completion, README
and reference follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    uses: Mapping[str, str]
    """Texts that may follow it, each with its help; empty if it takes no call."""
    tasks: Mapping[str, tuple[Option, ...]]
    """Its options by task."""

    @property
    def call(self) -> str:
        """The help on the call that it takes; empty if it takes none."""
        return " ".join(
            f"`{use}` {what}" if use else f"Without a call it {what}"
            for use, what in self.uses.items()
        )

    @property
    def options(self) -> tuple[Option, ...]:
        return tuple(option for options in self.tasks.values() for option in options)

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

    def of_task(self, task: str) -> list[Option]:
        """The options of a task, and those that need one of them."""
        options = self.tasks[task]
        return [one for one in listed(options) if one in options or one not in self.options]

    def short_help(self) -> str:
        """A line for each use and each option, by task."""
        uses = [(f"{self.name} {use}".rstrip(), what) for use, what in self.uses.items()]
        rows = {"": uses} if uses else {}
        for task in self.tasks:
            rows[task] = [(one.example, one.help) for one in self.of_task(task)]
        width = max(len(written) for some in rows.values() for written, _ in some) + 2
        lines: list[str] = []
        for task, some in rows.items():
            lines += ["", f"{task}:"] if task else []
            indent = "  " if task else ""
            lines += [f"{indent}{one:<{width}}{brief(what)}" for one, what in some]
        return "\n".join([*lines, "", f"{self.name}? explains each in full."]).lstrip()

    def documented(self, method: Method) -> Method:
        """Adds the options to the docstring of a method, as `@argument` does."""
        for task in reversed([*self.tasks]):
            for one in reversed(self.of_task(task)):
                how = {"metavar": one.metavar} if one.value else {"action": "store_true"}
                method = argument(one.name, *one.aliases, help=one.help, **how)(method)
            method = argument_group(task)(method)
        if self.call:
            method = argument("call", nargs="*", metavar="CALL", help=self.call)(method)
        return magic_arguments(self.name.removeprefix("%"))(method)


def brief(help: str) -> str:
    """The first sentence of a help."""
    return help.partition(". ")[0].removesuffix(".")


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
    help=f"Also save the program, in the format of the suffix. It is one of {', '.join(FORMS)}. "
    "jaxviz.load reads .json; .html is the view without a kernel or a network; .png needs `pip "
    "install 'jupyterlab-jaxviz[png]'`.",
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
    name="--predict", help="Count them, but first let you guess which calls were hits."
)
MAX_RETRACES = Option(
    name="--max-retraces",
    help="Let the cell fail if there are more retraces than this. The error has the reasons. The "
    "retraces of all functions count.",
    value=number(0, 0),
    python="jaxviz.watch(max_retraces=0)",
)
USES = {
    "loss(params, x)": "shows the program of a call. The outermost call is captured and not run; "
    "its function and arguments are evaluated in your namespace.",
    "step.lower(x)": "shows an object of JAX. It is a ClosedJaxpr, Traced, Lowered, Compiled or "
    "Exported, by its name, or made by a call of make_jaxpr(f), trace, lower or compile.",
    "on": "shows a line under each cell that retraces a function. The line opens to the reasons.",
    "off": "ends this, and JAX's objects no longer draw themselves. `on` undoes both.",
    "explain": "shows the card of the last exception.",
    "explain KIND": "shows the help page on a kind of error. `explain KIND ko` is in Korean.",
    "": "lists the captures of this session.",
}
"""Texts that may follow `%jaxviz`, each with its help."""

LINE = Magic(
    "%jaxviz",
    "%jaxviz loss(…)",
    USES,
    {
        "what is seen first": OPENING,
        "other machines": (PLATFORM, DEVICES),
        "the call": (*STATICS, *(option for option in LINE_OPTIONS if option.capture)),
        "the result": (SAVE, RETURN, HELP),
        "runs your program": tuple(option for option in LINE_OPTIONS if option.run),
    },
)
CELL = Magic(
    "%%jaxviz",
    "%%jaxviz",
    {},
    {
        "what is recorded": (HITS, PREDICT, *CELL_OPTIONS),
        "what happens": (MAX_RETRACES, HELP),
    },
)
MAGICS = LINE, CELL
