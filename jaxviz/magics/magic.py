"""The magics `%jaxviz` and `%%jaxviz`.

`%jaxviz` shows, saves or returns the program of a call; `%%jaxviz` runs a cell and shows what JAX
did.
"""

from __future__ import annotations

from argparse import Namespace
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

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
from IPython.core.magic_arguments import argument, magic_arguments

from jaxviz.capture import kind_of_jax_object
from jaxviz.capture.calls.written_call import evaluate
from jaxviz.descriptors import NoDescriptorError
from jaxviz.display.running_cell import stored
from jaxviz.display.summary import eqns_of, harmless
from jaxviz.export import FORMS
from jaxviz.files import way_on
from jaxviz.inspecting import Target, inspected, program_of_object
from jaxviz.magics.call import parse, receiver, value_named
from jaxviz.magics.cards import show_explained
from jaxviz.magics.line import (
    EXPLAIN,
    HITS,
    PEAK,
    PROFILE,
    SWITCH,
    checked,
    heading,
    number_of,
    run_asked_for,
    separate,
    static_names,
)
from jaxviz.magics.progress import Progress
from jaxviz.magics.runs import Told, how_of, run_arguments, told
from jaxviz.magics.watching import Watching
from jaxviz.program import Program
from jaxviz.running.steps import Steps, stepped_program
from jaxviz.schema import Opening, Stage
from jaxviz.schema.opening import OPTIONS, chosen
from jaxviz.stages import first_made

REMEMBERED = 200
"""How many captures `%jaxviz` without a call lists."""

Method = TypeVar("Method", bound=Callable[..., Any])


class Captured(NamedTuple):
    """A capture as a line of that list."""

    name: str
    eqns: str
    cell: str


def opening_arguments(method: Method) -> Method:
    """Give a magic an option for each member of `Opening`."""
    for name, option in reversed([*OPTIONS.items()]):
        method = argument(f"--{name}", help=option.help)(method)
    return method


def opening_in(options: Namespace) -> Opening:
    """How the program is to open, from these options. Raises UsageError for a wrong value."""
    given = {name: getattr(options, name) for name in OPTIONS}
    chosen_here = (options.platform and "stablehlo") or (
        (options.devices or options.memory) and "hlo"
    )
    given["stage"] = given["stage"] or chosen_here
    try:
        return chosen(given, "--{} {}")
    except ValueError as error:
        raise UsageError(str(error)) from None


@magics_class
class JaxvizMagics(Magics):
    """`%jaxviz` and `%%jaxviz`."""

    def __init__(self, shell: InteractiveShell, watching: Watching) -> None:
        super().__init__(shell)
        self.ip = shell
        self.watching = watching
        self.captured: deque[Captured] = deque(maxlen=REMEMBERED)

    @magic_arguments()
    @argument(
        "call",
        nargs="*",
        metavar="CALL",
        help="Any call, such as loss(params, x). The outermost call is captured and not run; its "
        "function and arguments are evaluated in your namespace. Or the name of a ClosedJaxpr, "
        "Traced, Lowered, Compiled or Exported of JAX. Without a call, lists what was captured in "
        "this session. `on`, in place of a call: from now on a line under each cell that traces a "
        "function again says so and opens to the reasons; `off` ends that. `explain`: the card of "
        "the last exception; `explain KIND`: the page on a kind of error, `explain KIND ko` in "
        "Korean.",
    )
    @opening_arguments
    @argument(
        "--platform",
        help="Show StableHLO for tpu, cuda (or gpu), rocm or cpu, which need not be here.",
    )
    @argument(
        "--devices",
        metavar="N",
        help="Show HLO for N devices. Those of a jax.sharding.AbstractMesh need not be here: it is "
        "compiled for as many of the CPU.",
    )
    @argument(
        "--static-argnames",
        default="",
        help="Arguments that are static, by name: a,b. As in jax.jit.",
    )
    @argument(
        "--save",
        metavar="FILE",
        help=f"Also save the program, in the form that the suffix names: {', '.join(FORMS)}.",
    )
    @argument(
        "--steps",
        action="store_true",
        help="Trace the call line by line, which runs the function's Python once more, and show "
        "its steps with the program, forward and back.",
    )
    @argument("-o", action="store_true", help="Return the Program and display nothing.")
    @run_arguments
    @no_var_expand
    @needs_local_scope
    @line_magic
    def jaxviz(
        self, line: str, local_ns: dict[str, Any] | None = None
    ) -> Program | Steps | Told | None:
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
        call, words = separate(line)
        parser = self.jaxviz.parser  # pyright: ignore[reportAttributeAccessIssue]
        options = parser.parse_args(checked(words))
        if not call:
            if words:
                raise UsageError(f"there is no call: write %jaxviz loss(…) {' '.join(words)}.")
            print(self.listed())
            return None
        run = run_asked_for(words)
        if run is not None:
            return told(run, call, how_of(options), self.ip.user_ns, local_ns)
        shown = self.shown(call, options, local_ns)
        program = shown.program if isinstance(shown, Steps) else shown
        progress = Progress(self.ip)
        self.remember(program, made(program, progress))
        if options.save is not None:
            save(program, options.save)
        if options.o:
            progress.end("done")
            return shown
        progress.show(shown._repr_mimebundle_())
        return None

    def shown(
        self, call: str, options: Namespace, local_ns: dict[str, Any] | None
    ) -> Program | Steps:
        """Give what the text of a call stands for, with these options."""
        __tracebackhide__ = True
        opening = opening_in(options)
        names = static_names(options.static_argnames)
        target = Target(options.platform, number_of(options.devices))
        given = value_named(call, self.ip.user_ns, local_ns)
        if kind_of_jax_object(given):
            if options.steps:
                raise UsageError("--steps traces a call, and this is traced already: leave it out.")
            return program_of_object(given, names, opening=opening, target=target)
        parsed = parse(call)
        fun, args, kwargs = evaluate(parsed, self.ip.user_ns, local_ns)
        how = {"static_argnames": names, "receiver": receiver(parsed), "opening": opening}
        make = stepped_program if options.steps else partial(inspected, target=target)
        return make(fun, args, kwargs, **how)

    def is_done(self, words: list[str]) -> bool:
        """Do what words in place of a call ask for; False where they ask for nothing."""
        match words:
            case [word] if word in SWITCH:
                getattr(self.watching, word)()
            case [word, *rest] if word == EXPLAIN:
                show_explained(rest)
            case _:
                return False
        return True

    @magic_arguments("%jaxviz")
    @argument("--hits", action="store_true", help=HITS)
    @argument("--predict", action="store_true", help="The same, and first ask you what each was.")
    @argument("--profile", action="store_true", help=PROFILE)
    @argument("--peak", help=PEAK)
    @argument(
        "--max-retraces",
        metavar="N",
        help="Let the cell fail, with the reasons, if functions are retraced more often "
        "than this, all together.",
    )
    @no_var_expand
    @cell_magic("jaxviz")
    def jaxviz_cell(self, line: str, cell: str | None) -> None:
        """Run the cell as it stands, and show what JAX traced, lowered and compiled in it, and why.

        Examples::

            %%jaxviz --profile
            for batch in batches: params = step(params, batch)

            %%jaxviz --max-retraces 0
            step(params, batch)
        """
        __tracebackhide__ = True
        self.watching.begin(heading(line))
        if cell is not None:  # else it is the rest of the cell that this call begins
            self.ip.run_cell(cell).raise_error()

    def remember(self, program: Program, stage: Stage) -> None:
        """Add a capture to those that `%jaxviz` without a call lists."""
        number = stored(self.ip)
        cell = f"cell [{number}]" if number else ""
        eqns = eqns_of(stage) if stage.error is None else f"no {stage.kind}"
        self.captured.append(Captured(harmless(program.name), eqns, cell))

    def listed(self) -> str:
        """Give a line for each capture, and what was traced since `%jaxviz on`."""
        log = self.watching.log
        if log is not None:
            captured = [self.captures(), ""] if self.captured else []
            return "\n".join([*captured, f"Since %jaxviz on: {log!r}"])
        return self.captures()

    def captures(self) -> str:
        """Give a line for each capture."""
        if not self.captured:
            return "Nothing captured yet: %jaxviz loss(params, x) shows the program of that call."
        width = min(40, max(len(entry.name) for entry in self.captured))
        return "\n".join(f"{e.name:<{width}}  {e.cell}  {e.eqns}" for e in self.captured)


def made(program: Program, progress: Progress) -> Stage:
    """Make the stage that is to be seen first, and show progress meanwhile.

    Raises UsageError when the user interrupts it.
    """
    kind = program.opening.stage
    if kind is None:
        return first_made(program.record)
    try:
        return program.stage(kind, progress.tell)
    except KeyboardInterrupt:
        progress.end("interrupted")
        raise UsageError(
            f"interrupted before the stage {kind} was made: without --stage {kind} the jaxpr is "
            "shown at once."
        ) from None


def save(program: Program, file: str) -> None:
    """Save a program as `--save` says. Raises UsageError, with a sentence, where that fails."""
    try:
        program.save(Path(file).expanduser())
    except (ImportError, NoDescriptorError, RuntimeError, ValueError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(
            f"cannot save to {file!r}: {error.strerror or error}; {way_on(error)}."
        ) from None
