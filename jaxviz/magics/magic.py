"""The magics `%jaxviz` and `%%jaxviz`.

`%jaxviz` shows, saves or returns the program of a call, with its progress while it is compiled;
`%%jaxviz` runs a cell and shows what JAX did.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import (
    Magics,
    cell_magic,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
)
from IPython.display import display
from traitlets import Bool

from jaxviz.capture import JaxObject, kind_of_jax_object, returns_jax_object
from jaxviz.capture.calls.evaluate import evaluate
from jaxviz.display.running_cell import stored_count, takes_updates
from jaxviz.display.text.summary import eqns_of, harmless
from jaxviz.displayed import Report
from jaxviz.inspecting import Target, inspected, program_of_object
from jaxviz.magics.cards import show_explained
from jaxviz.magics.line import EXPLAIN, SWITCH, parse, read, receiver, value_named
from jaxviz.magics.options import CELL, DEVICES, HELP, LINE, OPENING, PLATFORM, RETURN, SAVE
from jaxviz.magics.watching import Heading, Watching
from jaxviz.program import Program
from jaxviz.safety.files import NoDescriptorError, advice
from jaxviz.schema import Opening, Stage, first_made
from jaxviz.tools.option import STATICS, Option, values

REMEMBERED = 200
"""The most captures that `%jaxviz` without a call lists."""

Options = Mapping[Option, Any]
Names = dict[str, Any]


class Captured(NamedTuple):
    """A line of that list."""

    name: str
    eqns: str
    cell: str


class Asked(NamedTuple):
    """A call, not yet made."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    receiver: str
    """The text before the dot, for `inspected`."""


@magics_class
class JaxvizMagics(Magics):
    """`%jaxviz` and `%%jaxviz`."""

    draws_objects = Bool(
        True,
        help="Draw a ClosedJaxpr, Traced, Lowered, Compiled or Exported that is the last value of "
        "a cell. `%jaxviz off` and `on` set it.",
    ).tag(config=True)

    def __init__(self, shell: InteractiveShell, watching: Watching) -> None:
        super().__init__(shell)
        self.ip = shell
        self.watching = watching
        self.captured: deque[Captured] = deque(maxlen=REMEMBERED)

    @LINE.documented
    @no_var_expand
    @needs_local_scope
    @line_magic
    def jaxviz(self, line: str, local_ns: Names | None = None) -> Any:
        """Show the program that JAX made of a call.

        Examples::

            %jaxviz loss(params, x)
            %jaxviz jax.grad(loss)(params, x, mode="train") --static-argnames mode
            p = %jaxviz -o loss(params, x)
            %jaxviz loss(params, x) --find-nan
            %jaxviz on
            %jaxviz explain
            %jaxviz explain condition
        """
        __tracebackhide__ = True
        if self.is_done(line.split()):
            return None
        call, options = read(LINE, line)
        if HELP in options:
            print(LINE.short_help())
            return None
        if not call:
            if options:
                raise UsageError(f"there is no call: write {LINE.example} {line.strip()}.")
            print(self.listed())
            return None
        run = next((option for option in options if option.run), None)
        if run is not None:
            return self.ran(run, call, options, local_ns)
        shown = self.shown(call, options, local_ns)
        program: Any = getattr(shown, "program", shown)
        progress = Progress(self.ip)
        self.remember(program, made(program, progress))
        if SAVE in options:
            save(shown, options[SAVE])
        if RETURN in options:
            progress.end("done")
            return shown
        progress.show(shown._repr_mimebundle_())
        return None

    def ran(self, run: Option, call: str, options: Options, local_ns: Names | None) -> Any:
        """Run a call or its program for an option, and return the tool's report."""
        __tracebackhide__ = True
        asked = self.evaluated(call, local_ns)
        if not isinstance(asked, Asked) or returns_jax_object(asked.fun):
            raise UsageError(
                f"{run.name} runs a call, and `{call}` is none: write {LINE.example} {run.name}."
            )
        assert run.run is not None
        return run.run(asked.fun, **values(options, run.arguments))(*asked.args, **asked.kwargs)

    def shown(self, call: str, options: Options, local_ns: Names | None) -> Program | Report:
        """Capture the call in a text, or the JAX object that it names, with these options.

        A call of JAX's own that returns such an object is made.
        """
        __tracebackhide__ = True
        first = next((option.stage for option in options if option.stage), None)
        opening = Opening(**{"stage": first, **values(options, OPENING)})
        target = Target(options.get(PLATFORM), options.get(DEVICES))
        statics = values(options, STATICS)
        capture = next((option for option in options if option.capture), None)
        asked = self.evaluated(call, local_ns)
        if isinstance(asked, Asked) and returns_jax_object(asked.fun):
            asked = object_returned(asked)
        if not isinstance(asked, Asked):
            if capture is not None:
                raise UsageError(
                    f"{capture.name} traces a call, and this is traced already: leave it out."
                )
            static = next(iter(statics.values()), None)
            return program_of_object(asked, static, opening=opening, target=target)
        how = {**statics, "receiver": asked.receiver, "opening": opening}
        make = (capture and capture.capture) or partial(inspected, target=target)
        return make(asked.fun, asked.args, asked.kwargs, **how)

    def evaluated(self, call: str, local_ns: Names | None) -> Asked | JaxObject:
        """Evaluate the name of a JAX object, or the function and the arguments of a call."""
        __tracebackhide__ = True
        named = value_named(call, self.ip.user_ns, local_ns)
        if kind_of_jax_object(named):
            return named
        parsed = parse(call)
        return Asked(*evaluate(parsed, self.ip.user_ns, local_ns), receiver(parsed))

    def is_done(self, words: list[str]) -> bool:
        """Run `on`, `off` or `explain`, which replace a call; False for any other words."""
        match words:
            case [word] if word in SWITCH:
                getattr(self.watching, word)()
                self.draws_objects = word == "on"
            case [word, *rest] if word == EXPLAIN:
                show_explained(rest)
            case _:
                return False
        return True

    @CELL.documented
    @no_var_expand
    @cell_magic("jaxviz")
    def jaxviz_cell(self, line: str, cell: str | None) -> None:
        """Run the cell unchanged, and show what JAX traced, lowered and compiled in it, and why.

        Examples::

            %%jaxviz --profile
            for batch in batches: params = step(params, batch)

            %%jaxviz --max-retraces 0
            step(params, batch)
        """
        __tracebackhide__ = True
        call, options = read(CELL, line)
        if HELP in options:
            print(CELL.short_help())
            return
        if call:
            raise UsageError(
                f"%%jaxviz runs the cell below it and takes no call: write %jaxviz {line}, "
                "with one %, to see the program of a call."
            )
        self.watching.begin(Heading(**values(options, CELL.every)))
        if cell is not None:  # else it is the rest of the cell that this call begins
            self.ip.run_cell(cell).raise_error()

    def remember(self, program: Program, stage: Stage) -> None:
        """Add a capture to the list of `%jaxviz` without a call."""
        number = stored_count(self.ip)
        cell = f"cell [{number}]" if number else ""
        eqns = eqns_of(stage) if stage.error is None else f"no {stage.kind}"
        self.captured.append(Captured(harmless(program.name), eqns, cell))

    def listed(self) -> str:
        """List the captures, and the log since `%jaxviz on`."""
        log = self.watching.log
        if log is not None:
            captured = [self.captures(), ""] if self.captured else []
            return "\n".join([*captured, f"Since %jaxviz on: {log!r}"])
        return self.captures()

    def captures(self) -> str:
        """List the captures."""
        if not self.captured:
            return "Nothing captured yet: %jaxviz loss(params, x) shows the program of that call."
        width = min(40, max(len(entry.name) for entry in self.captured))
        return "\n".join(f"{e.name:<{width}}  {e.cell}  {e.eqns}" for e in self.captured)


def object_returned(asked: Asked) -> Any:
    """Make a call that returns a JAX object: with `return_shape`, `make_jaxpr` returns a pair."""
    __tracebackhide__ = True
    found = asked.fun(*asked.args, **asked.kwargs)
    return found[0] if type(found) is tuple else found


def made(program: Program, progress: Progress) -> Stage:
    """Make the stage that is shown first, and show progress meanwhile.

    Raises UsageError when the user interrupts it.
    """
    kind = program.opening.stage
    if kind is None:
        return first_made(program.record)
    try:
        return program.stage(kind, progress.show_step)
    except KeyboardInterrupt:
        progress.end("interrupted")
        raise UsageError(
            f"interrupted before the stage {kind} was made: without --stage {kind} the jaxpr is "
            "shown at once."
        ) from None


def save(shown: Program | Report, file: str) -> None:
    """Save a program or a report for `--save`. Raises UsageError, with a sentence, if it fails."""
    try:
        shown.save(Path(file).expanduser())
    except (ImportError, NoDescriptorError, RuntimeError, ValueError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(
            f"cannot save to {file!r}: {error.strerror or error}; {advice(error)}."
        ) from None


class Progress:
    """One line with the current step of a long compilation and its seconds.

    It is renewed about twice a second, and the result replaces it in the end. In a notebook it is
    an output, in a terminal the current line. Other hosts, and those that cannot renew an output,
    show nothing.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._kernel = getattr(shell, "kernel", None) is not None
        self._renewed = self._kernel and takes_updates()
        self._terminal = not self._kernel and sys.stderr.isatty()
        self._output: Any = None
        self._text = ""

    def show_step(self, doing: str, seconds: float) -> None:
        """Show the current step and its seconds so far."""
        text = f"jaxviz: {doing}, {seconds:.0f} s"
        if text == self._text:
            return
        self._text = text
        if self._renewed:
            self._put({"text/plain": text})
        self._line(text)

    def show(self, bundle: dict[str, Any]) -> None:
        """Show a MIME bundle instead of the line."""
        self._line("")
        self._put(bundle)

    def end(self, how: str) -> None:
        """End without a result. If a line was shown, `how` replaces its end."""
        self._line("")
        if self._output is not None:
            self._put({"text/plain": f"{self._text}: {how}."})

    def _put(self, bundle: dict[str, Any]) -> None:
        if self._output is None:
            self._output = display(bundle, raw=True, display_id=True)
        else:
            self._output.update(bundle, raw=True)

    def _line(self, text: str) -> None:
        if self._terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
