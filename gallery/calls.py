"""The programs of the gallery. Each file of `programs/` is a notebook cell: its last line is the
call that `%jaxviz` shows.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

Call = tuple[Any, tuple[Any, ...]]
"""A function, and the arguments of its call."""
PROGRAMS = Path(__file__).parent / "programs"


def call(path: Path) -> Call:
    """Runs a file except for its last line, and returns the function and arguments of this call."""
    tree = ast.parse(path.read_text("utf-8"))
    last = tree.body.pop()
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
        raise ValueError(f"{path}: the last line is no call.")
    module = ModuleType(f"gallery_{path.stem}")
    sys.modules[module.__name__] = module  # dataclasses look for their module there
    names = vars(module)
    exec(compile(tree, path, "exec"), names)
    parts = (last.value.func, ast.Tuple(last.value.args, ast.Load()))
    function, args = (eval(compile(_expression(part), path, "eval"), names) for part in parts)
    return function, args


def _expression(part: ast.expr) -> ast.Expression:
    return ast.fix_missing_locations(ast.Expression(part))


def installed() -> Iterator[tuple[str, Call]]:
    """The calls by name. Programs whose libraries are not installed are left out, and named."""
    for path in sorted(PROGRAMS.glob("*.py")):
        try:
            made = call(path)
        except ModuleNotFoundError as error:
            print(f"{path.stem}: left out, {error}", file=sys.stderr)
        else:
            yield path.stem, made


def as_cell(path: Path) -> str:
    """The text of a file as the cell that a reader runs."""
    lines = path.read_text("utf-8").rstrip().split("\n")
    start = ast.parse("\n".join(lines)).body[-1].lineno - 1
    if start != len(lines) - 1:
        raise ValueError(f"{path}: the last call is not on one line.")
    return "\n".join([*lines[:-1], f"%jaxviz {lines[-1]}"])
