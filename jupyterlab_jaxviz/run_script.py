"""Runs a script as `python script.py` does; `python -m jaxviz run` starts it in a new interpreter.
jaxviz is imported only after a script that imported JAX has failed."""

from __future__ import annotations

import os
import sys
from types import ModuleType, TracebackType


def run(script: str, *arguments: str) -> None:
    """Run a script. Its exceptions leave this function, so Python ends as it does without it."""
    path = os.path.abspath(script)
    source = read(script)
    module = ModuleType("__main__")
    vars(module).update(__file__=path, __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = module
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    try:
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))
    finally:
        show_failures(path)


def read(script: str) -> bytes:
    try:
        with open(script, "rb") as file:
            return file.read()
    except OSError as error:
        print(f"python -m jaxviz: can't open file {script!r}: {error}", file=sys.stderr)
        sys.exit(2)


def show_failures(path: str) -> None:
    """Leave out of the traceback what is not of the script, and print the card below it."""
    shown = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        shown(kind, error.with_traceback(trace), trace)
        if "jax" in sys.modules:
            from jaxviz.explain import print_card

            print_card(error)

    sys.excepthook = hook


if __name__ == "__main__":
    run(*sys.argv[1:])
