"""`%jaxviz loss(params, x)`: the call is captured, not run, and its program displayed."""

from __future__ import annotations

import ast
import linecache
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell
from IPython.core.magic import (
    Magics,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
)
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from jaxviz.capture.source import note_cell
from jaxviz.display.summary import eqns_of, harmless
from jaxviz.program import Program, inspect

STAGES = ("jaxpr",)
VALUED = ("--stage", "--static-argnames", "--save")
OPTIONS = (*VALUED, "-o")
OPTION = re.compile(r"(?<!\S)-(?:-[\w-]+|[A-Za-z])(?:=\S*)?(?!\S)")
FILE = "<%jaxviz>"
"""The file that the call is from, in tracebacks and source lines."""
REMEMBERED = 200
"""Captures that `%jaxviz` alone lists."""


class Captured(NamedTuple):
    """A capture, in words."""

    name: str
    eqns: str
    cell: str


@magics_class
class JaxvizMagics(Magics):
    """`%jaxviz`."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.ip = shell
        self.captured: deque[Captured] = deque(maxlen=REMEMBERED)

    @magic_arguments()
    @argument(
        "call",
        nargs="*",
        metavar="CALL",
        help="Any call, such as loss(params, x). The outermost call is captured and not run; its "
        "function and arguments are evaluated in your namespace. Without a call, lists what "
        "was captured in this session.",
    )
    @argument("--stage", default="jaxpr", help="The stage to show: jaxpr.")
    @argument(
        "--static-argnames",
        default="",
        help="Arguments that are static, by name: a,b. As in jax.jit.",
    )
    @argument("--save", metavar="FILE", help="Also save the program: p.json or p.svg.")
    @argument("-o", action="store_true", help="Return the Program and display nothing.")
    @no_var_expand
    @needs_local_scope
    @line_magic
    def jaxviz(self, line: str, local_ns: dict[str, Any] | None = None) -> Program | None:
        """Show the program that JAX made of a call.

        Examples::

            %jaxviz loss(params, x)
            %jaxviz jax.grad(loss)(params, x, mode="train") --static-argnames mode
            p = %jaxviz -o loss(params, x)
        """
        __tracebackhide__ = True
        call, words = separate(line)
        parser = self.jaxviz.parser  # pyright: ignore[reportAttributeAccessIssue]
        options = parser.parse_args(checked(words))
        if not call:
            if words:
                raise UsageError(f"there is no call: write %jaxviz loss(…) {words[0]}.")
            print(self.listed())
            return None
        if options.stage not in STAGES:
            raise UsageError(f"there is no stage {options.stage!r}: the stages are jaxpr.")
        parsed = parse(call)
        linecache.cache[FILE] = (len(call), None, [f"{call}\n"], FILE)
        fun, args, kwargs = evaluate(parsed, self.ip.user_ns, local_ns)
        names = tuple(part for part in re.split(r"[,\s]+", options.static_argnames) if part)
        program = inspect(fun, static_argnames=names or None)(*args, **kwargs)
        self.remember(program, options.stage)
        if options.save is not None:
            save(program, options.save)
        if options.o:
            return program
        display(program)
        return None

    def remember(self, program: Program, stage: str) -> None:
        number = stored(self.ip)
        cell = f"cell [{number}]" if number else ""
        self.captured.append(Captured(harmless(program.name), eqns_of(program.stage(stage)), cell))

    def listed(self) -> str:
        """What was captured, a line each."""
        if not self.captured:
            return "Nothing captured yet: %jaxviz loss(params, x) shows the program of that call."
        width = min(40, max(len(entry.name) for entry in self.captured))
        return "\n".join(f"{e.name:<{width}}  {e.cell}  {e.eqns}" for e in self.captured)


def separate(line: str) -> tuple[str, list[str]]:
    """The call and the words of the options, which may stand before or behind it."""
    bare = masked(line)
    words: list[str] = []
    call: list[str] = []
    at = 0
    for found in OPTION.finditer(bare):
        if found.start() < at:
            continue
        call.append(line[at : found.start()])
        stop = found.end()
        words.append(line[found.start() : stop])
        value = re.compile(r"\s+(\S+)").match(bare, stop)
        if found.group() in VALUED and value:
            stop = value.end()
            words.append(unquoted(line[value.start(1) : stop]))
        at = stop
    return "".join([*call, line[at:]]).strip().rstrip(";"), words


def masked(line: str) -> str:
    """The line with all that stands in brackets or quotes made one word."""
    bare: list[str] = []
    depth = 0
    quote = ""
    escaped = False
    for char in line:
        inside = depth > 0 or quote != ""
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "'\"":
            quote = char
            inside = True
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
            inside = depth > 0
        bare.append("x" if inside else char)
    return "".join(bare)


def unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


def checked(words: list[str]) -> list[str]:
    """The same words. Raises UsageError for an option that there is not."""
    for index, word in enumerate(words):
        name = word.partition("=")[0]
        if word.startswith("-") and name not in OPTIONS:
            raise UsageError(f"there is no option {name}: the options are {', '.join(OPTIONS)}.")
        if name in VALUED and "=" not in word and index + 1 == len(words):
            raise UsageError(f"{name} needs a value: write {name} {EXAMPLES[name]}.")
    return words


EXAMPLES = {"--stage": "jaxpr", "--static-argnames": "mode", "--save": "p.json"}


def parse(text: str) -> ast.Call:
    """The call. Raises UsageError where it is none."""
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(f"`{text}` is no call that Python can read: {reason}.") from None
    if not isinstance(expression, ast.Call):
        if isinstance(expression, ast.Name | ast.Attribute):
            raise UsageError(f"`{text}` is not a call: write the call: %jaxviz {text}(…)")
        raise UsageError(f"`{text}` is not a call: write the call, as in %jaxviz loss(params, x).")
    return expression


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def evaluate(call: ast.Call, user_ns: dict[str, Any], local_ns: dict[str, Any] | None) -> Call:
    """The function and the arguments of a call, evaluated in order; the call is not made."""
    __tracebackhide__ = True

    def collect(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Call:
        return fun, args, kwargs

    collector = ast.Name("jaxviz collect", ast.Load())
    changed = ast.Call(collector, [call.func, *call.args], call.keywords)
    tree = ast.fix_missing_locations(ast.copy_location(ast.Expression(changed), call))
    names = {**(local_ns or {}), "jaxviz collect": collect}
    return eval(compile(tree, FILE, "eval"), user_ns, names)


def save(program: Program, file: str) -> None:
    try:
        program.save(Path(file).expanduser())
    except ValueError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"cannot save to {file!r}: {error.strerror or error}.") from None


class Extension:
    """What loading adds to a shell, and unloading takes out."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        shell.register_magics(JaxvizMagics)
        self.matcher = completions(shell)
        shell.Completer.custom_matchers.append(self.matcher)
        shell.events.register("pre_run_cell", self.before)
        self.note_running()

    def remove(self) -> None:
        self.shell.events.unregister("pre_run_cell", self.before)
        self.shell.Completer.custom_matchers.remove(self.matcher)
        manager = self.shell.magics_manager
        manager.magics["line"].pop("jaxviz", None)
        manager.registry.pop("JaxvizMagics", None)

    def before(self, info: ExecutionInfo) -> None:
        """Notes which cell runs. Whatever fails here is no matter of the cell's."""
        try:
            cell = getattr(info, "cell_id", None) or self.parent().get("metadata", {}).get("cellId")
            self.note(
                info.raw_cell or "", cell, stored(self.shell) + 1 if info.store_history else None
            )
        except Exception:
            return

    def note_running(self) -> None:
        """Notes the cell that loads the extension, for which the hook comes too late."""
        try:
            parent = self.parent()
            if code := parent.get("content", {}).get("code"):
                self.note(code, parent["metadata"].get("cellId"), stored(self.shell))
        except Exception:
            return

    def parent(self) -> dict[str, Any]:
        """The request that the kernel is answering; empty where there is no kernel."""
        kernel = getattr(self.shell, "kernel", None)
        return kernel.get_parent() if kernel is not None else {}

    def note(self, raw: str, cell: str | None, count: int | None) -> None:
        shell = self.shell
        number = shell.execution_count if count is None else count
        file = shell.compile.get_code_name(raw, shell.transform_cell(raw), number)
        note_cell(file, raw, cell, count)


def stored(shell: InteractiveShell) -> int:
    """The number of the last cell in the history: that of the cell which runs.

    `shell.execution_count` is the same number up to IPython 9.0, and one more since.
    """
    history = shell.history_manager
    return 0 if history is None else len(history.input_hist_raw) - 1


def completions(shell: InteractiveShell) -> Any:
    """A matcher for what stands behind `%jaxviz`: the user's names, and the options."""

    @context_matcher(identifier="jaxviz")
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor.rpartition("\n")[2]
        if not re.match(r"\s*(?:[\w\s,]*=\s*)?%jaxviz\s", line):
            return SimpleMatcherResult(completions=[])
        token = context.token
        before = line[: len(line) - len(token)].split()
        if token.startswith("-"):
            found = [option for option in OPTIONS if option.startswith(token)]
        elif before[-1] == "--stage":
            found = [stage for stage in STAGES if stage.startswith(token)]
        elif "." in token:
            found = shell.Completer.attr_matches(token)
        else:
            found = shell.Completer.global_matches(token)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text) for text in found], suppress=bool(found)
        )

    return matcher


_extensions: WeakKeyDictionary[InteractiveShell, Extension] = WeakKeyDictionary()


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext jaxviz`. Loading twice is harmless."""
    if shell not in _extensions:
        _extensions[shell] = Extension(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """`%unload_ext jaxviz`."""
    extension = _extensions.pop(shell, None)
    if extension is not None:
        extension.remove()
