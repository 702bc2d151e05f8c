"""The command line of jaxviz.

`python -m jaxviz run script.py` runs a script as `python script.py` does, and prints a card below
the traceback if it fails. `python -m jaxviz explain KIND` prints the help page on a kind of error.
`python -m jaxviz demos` copies the lessons into the current folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jaxviz.lessons import copy_lessons
from jaxviz.pages import LANGUAGES, page
from jaxviz.safety.files import advice

SCRIPT = Path(__file__).parents[1] / "jupyterlab_jaxviz" / "run_script.py"
USAGE = (
    "usage: python -m jaxviz run SCRIPT [ARGUMENT ...]\n"
    "       python -m jaxviz explain KIND [ko]\n"
    "       python -m jaxviz demos [ko]"
)
IN_A_LANGUAGE = ([], *([language] for language in LANGUAGES))


def main() -> None:
    match sys.argv[1:]:
        case ["run", _, *_]:
            run(sys.argv[2:])
        case ["explain", kind, *language] if language in IN_A_LANGUAGE:
            try:
                print(getattr(page(kind), *language or LANGUAGES[:1]), end="")
            except ValueError as error:
                sys.exit(str(error))
        case ["demos", *language] if language in IN_A_LANGUAGE:
            demos(*language or LANGUAGES[:1])
        case _:
            print(USAGE, file=sys.stderr)
            sys.exit(2)


def demos(language: str) -> None:
    try:
        print(*copy_lessons(Path("jaxviz-lessons"), language), sep="\n")
    except OSError as error:
        sys.exit(f"cannot write {error.filename!r}: {error.strerror}; {advice(error)}.")


def run(arguments: list[str]) -> None:
    """Run a script in an interpreter that has not imported JAX.

    So JAX reads all settings that the script makes before it imports JAX.
    """
    flags = subprocess._args_from_interpreter_flags()  # pyright: ignore[reportAttributeAccessIssue]
    command = [sys.executable, *flags, str(SCRIPT), *arguments]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
