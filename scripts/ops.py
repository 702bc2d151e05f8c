"""Writes what the page reads of jaxviz/ops to TypeScript; `--check` only compares.

`js/src/ops.ts` has what every view needs: families, bodies, names of operands. The sentences are a
file of their own, since a picture says none of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import get_args

from jaxviz.ops import DIALECTS, OPS, PART
from jaxviz.ops.row import Bodies, Family, Meaning, Op, Params
from jaxviz.ops.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent
HEADER = "/** Written by scripts/ops.py from {}: edit there. */"
OF_OPS = HEADER.format("jaxviz/ops")


def main() -> int:
    written = {
        ROOT / "js/src/ops.ts": tables(),
        ROOT / "js/src/words/params/op-words.ts": words(),
    }
    if "--check" not in sys.argv:
        for path, text in written.items():
            path.write_text(text, encoding="utf-8")
        return 0
    old = [path for path, text in written.items() if path.read_text(encoding="utf-8") != text]
    for path in old:
        print(
            f"{path.relative_to(ROOT)} is not what it is written from: run `python scripts/ops.py`."
        )
    return 1 if old else 0


def tables() -> str:
    lines = [OF_OPS, "", *families(), "", *bodies(), "", *operands(), "", *other_names()]
    return "\n".join([*lines, ""])


def families() -> list[str]:
    names = " | ".join(f"'{family}'" for family in get_args(Family))
    return [
        "/** The kind of work of an operation, which decides its colour. */",
        f"export type Family = {names};",
        "",
        "/** The operations of each family, by their names as JAX writes its primitives. */",
        "export const OPS_OF_FAMILY: Record<Family, string> = {",
        *(f"  {name}: {of_family(name)}," for name in get_args(Family)),
        "};",
    ]


def bodies() -> list[str]:
    return [
        "/** Operations by the use of their bodies: they run each once, run them repeatedly, run",
        " * one of them, or apply one to their elements. */",
        "export const OPS_OF_BODIES = {",
        *(f"  {kind}: {of_bodies(kind)}," for kind in get_args(Bodies) if kind),
        "};",
        "",
        "/** Nothing is done when they run: they name, or hold together, what is there. */",
        f"export const IDLE = {named(lambda op: op.idle)};",
        "",
        "/** Calls, loops and choices that show only the name of a function. */",
        f"export const TITLED = {named(lambda op: op.titled)};",
        "",
        "/** Their results are their operands by another name, and live as long. */",
        f"export const ALIASES = {named(lambda op: op.alias)};",
    ]


def operands() -> list[str]:
    return [
        "/** Names of operands; the one before `…` is that of all further ones. */",
        "export const OPERANDS: Record<string, string> = {",
        *(f"  {op.name}: {string(op.operands)}," for op in OPS if op.operands),
        "};",
    ]


def other_names() -> list[str]:
    return [
        "/** Targets of custom calls: a pattern for the beginning of their names. */",
        "export const TARGETS: readonly (readonly [RegExp, Family])[] = [",
        *(f"  [/^(?:{one.names})/, '{one.family}']," for one in TARGETS),
        "];",
        "",
        "/** Prefixes of ops in StableHLO. */",
        f"export const DIALECTS = /{DIALECTS}/;",
        "/** The suffix in the name of an instruction that XLA split. */",
        f"export const PART = /{PART}/;",
    ]


def of_family(family: str) -> str:
    return named(lambda op: op.family == family)


def of_bodies(kind: str) -> str:
    return named(lambda op: op.bodies == kind)


def named(holds: Callable[[Op], bool]) -> str:
    return string(" ".join(op.name for op in OPS if holds(op)))


def words() -> str:
    said = [op for op in OPS if op.does]
    meanings = [meaning for op in OPS for meaning in op.params.values()]
    used = {meaning.form for meaning in meanings if isinstance(meaning, Meaning)}
    lines = [
        OF_OPS,
        "import { __, _n } from '../../language';",
        f"import {{ {', '.join(sorted(used))}, type Table }} from './forms';",
        "",
        "/** One sentence for each primitive. */",
        "export const DOES: Record<string, () => string> = {",
        *(f"  {op.name}: () => __({string(op.does)})," for op in said),
        "};",
        "",
        "/** Meanings of the params of primitives. */",
        "export const PARAMS: Table = [",
        *(f"  [{string(names)}, {{ {params} }}]," for names, params in explained(OPS)),
        "];",
    ]
    return "\n".join([*lines, ""])


def explained(ops: Iterable[Op]) -> list[tuple[str, str]]:
    """Names of primitives, parted by blanks, that say the same of the same params."""
    texts = sorted((written(op.params), op.name) for op in ops if op.params)
    groups = groupby(texts, key=lambda pair: pair[0])
    return [(" ".join(name for _, name in group), params) for params, group in groups]


def written(params: Params) -> str:
    return ", ".join(f"{name}: {function(meaning)}" for name, meaning in params.items())


def function(meaning: str | Meaning) -> str:
    """Writes a meaning as a function of the param's value."""
    if isinstance(meaning, str):
        return f"() => __({string(meaning)})"
    said = [string(sentence) for sentence in meaning.sentences]
    match meaning.form:
        case "when" | "unless":
            return f"{meaning.form}({string(meaning.arguments[0])}, () => __({said[0]}))"
        case "along":
            return f"along((where) => __({said[0]}, where))"
        case "counted":
            return f"counted((count) => _n({said[0]}, {said[1]}, count))"
        case "choice":
            cases = zip(meaning.arguments, said, strict=True)
            return f"choice({{ {', '.join(f'{v}: () => __({s})' for v, s in cases)} }})"
        case "spread":
            return f"spread(() => __({said[0]}))"
        case _:
            return meaning.form


def string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
