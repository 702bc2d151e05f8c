"""Writes js/src/schema.ts from the records in jaxviz/schema; `--check` only compares.

The records become JSON Schema (msgspec), and that becomes TypeScript (json-schema-to-typescript).
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from release import version_of

from jaxviz import schema
from jaxviz.schema import opening
from jaxviz.schema.upgrade import (
    ADDED,
    DOTS,
    PATTERNS,
    RENAMED,
    REPORTS_OF_FORMAT_5,
    RESULTS,
    ROLES,
    SIDES,
)

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "js/src/schema.ts"
HEADER = "/** Written by scripts/schema.py from jaxviz/schema: edit there. */"
TABLE = (
    "/** The fields of each record as JSON Schema: all are required but those with a default, "
    "and no others allowed. */"
)

FIRST_VIEW = "/** Limits of the first view: `jaxviz/schema/opening.py` describes them. */"
CONSTANTS = (*("FIRST_BOXES", "MOST_REPEATS", "PICTURE_ITEMS", "SVG_BYTES", "BROADCASTS"),)
UPGRADE = (
    "/** By format, the fields that came with it, and their values in records older than it. */"
)
ROLES_OF_FORMAT_1 = (
    "/** By op, how many operands have which role: rules of `jaxviz/schema/upgrade.py`. */"
)


def main() -> int:
    text = typescript(components())
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("js/src/schema.ts differs from jaxviz/schema: run `python scripts/schema.py`.")
    return 1


def components() -> dict[str, Any]:
    """The JSON Schema of every record, with the fields' docstrings as descriptions."""
    records = schema.Record.__subclasses__()
    _, found = msgspec.json.schema_components(records, ref_template="#/definitions/{name}")
    for record in found.values():
        record["description"] = inspect.cleandoc(record["description"])
    for name, fields in docstrings().items():
        for field, text in fields.items():
            found[name]["properties"][field]["description"] = text
    return found


def docstrings() -> dict[str, dict[str, str]]:
    """The string that follows each field, by class and field."""
    names = {record.__name__: record for record in schema.Record.__subclasses__()}
    modules = dict.fromkeys(map(inspect.getmodule, names.values()))
    trees = [ast.parse(inspect.getsource(module)) for module in modules if module]
    nodes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {node.name: dict(field_docs(node)) for node in nodes if node.name in names}


def field_docs(node: ast.ClassDef) -> list[tuple[str, str]]:
    docs: list[tuple[str, str]] = []
    for field, after in zip(node.body, node.body[1:], strict=False):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs.append((name, inspect.cleandoc(text)))
            case _:
                pass
    return docs


def homepage() -> str:
    package = json.loads((ROOT / "package.json").read_text("utf-8"))
    address = package.get("homepage", "")
    return address and f"{address.rstrip('/')}/"


def typescript(records: dict[str, Any]) -> str:
    named = {name: with_names(record) for name, record in records.items()}
    root = {**named["Program"], "definitions": without(named, "Program")}
    command = [ROOT / "node_modules/.bin/json2ts", "--unreachableDefinitions", "--maxItems=0"]
    style = ["--bannerComment", HEADER, "--style.singleQuote", "--style.printWidth=100"]
    result = subprocess.run(
        [*command, *style], input=json.dumps(root), capture_output=True, text=True, check=True
    )
    head, body = tidy(result.stdout).split("\n", 1)
    constants = [
        "/** The report of a tool; `tool` is the function's name. */",
        "export type Report = NonNullable<Display['report']>;",
        f"export const VERSION = {schema.VERSION};",
        "/** The version of jaxviz that this page has. */",
        f"export const RELEASE = '{version_of(ROOT)}';",
        "/** The address of the site, from package.json; empty before the first release. */",
        f"export const SITE: string = '{homepage()}';",
        f"export const MIME = '{schema.MIME}';",
        f"export const LOG_MIME = '{schema.LOG_MIME}';",
        f"export const QUIZ_MIME = '{schema.QUIZ_MIME}';",
        "",
        FIRST_VIEW,
        *(f"export const {name} = {json.dumps(getattr(opening, name))};" for name in CONSTANTS),
        "",
        UPGRADE,
        f"export const ADDED = {json.dumps(ADDED, indent=2)} as const;",
        "",
        "/** Fields of formats before 6, by their full name, and what they are called now. */",
        f"export const RENAMED: {{ readonly [field: string]: string }} = {json.dumps(RENAMED)};",
        "/** The fields of displays of format 5 for reports, and the record of each. */",
        f"export const REPORTS_OF_FORMAT_5 = {json.dumps(REPORTS_OF_FORMAT_5)} as const;",
        "",
        ROLES_OF_FORMAT_1,
        f"export const RESULTS = '{RESULTS}';",
        "export const ROLES = {",
        *(f"  {json.dumps(op)}: {json.dumps(rules)}," for op, rules in ROLES.items()),
        "} as const;",
        "",
        "/** Patterns of params up to format 5: `jaxviz/schema/upgrade.py`. */",
        f"export const PATTERNS = {json.dumps(PATTERNS, indent=2)} as const;",
        f"export const DOTS: readonly string[] = {json.dumps(DOTS)};",
        f"export const SIDES = {json.dumps(SIDES)} as const;",
    ]
    return "\n".join([head, "", *constants, body + table(records)])


def with_names(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose fields name other records. A reference with a description would become an
    interface of its own."""
    fields = {
        key: {**without(field, "$ref"), "tsType": field["$ref"].rpartition("/")[2]}
        if "$ref" in field
        else field
        for key, field in record["properties"].items()
    }
    return {**record, "properties": fields}


def table(records: dict[str, Any]) -> str:
    """The records as JSON Schema, one a line, for the page to check what a file brings."""
    fields = {
        name: {
            key: without(without(field, "description"), "examples")
            for key, field in record["properties"].items()
        }
        for name, record in records.items()
    }
    lines = [f"  {name}: {short(record)}," for name, record in fields.items()]
    plain = [f"const {kind.upper()} = {{ type: '{kind}' }} as const;" for kind in PLAIN]
    return "\n".join(
        [
            *("", *plain, *CALLS, "", TABLE, "export const RECORDS = {", *lines, "} as const;", ""),
            *fillers(fields),
        ]
    )


def fillers(fields: dict[str, Any]) -> list[str]:
    """The functions that make the most frequent records out of their columns."""
    given = "rows: unknown[], from: number, to: number, of: (field: string) => readonly unknown[]"
    lines = [FILLERS, "export const FILLERS = {"]
    for name in MOST_FREQUENT:
        columns = [f"    const {key} = of('{key}');" for key in fields[name]]
        row = ", ".join(f"{key}: {key}[at]" for key in fields[name])
        loop = f"    for (let at = from; at < to; at += 1) rows[at] = {{ {row} }};"
        lines += [f"  {name}: ({given}) => {{", *columns, loop, "  },"]
    return [*lines, "} as const;", ""]


MOST_FREQUENT = ("Eqn", "Var")
FILLERS = (
    "/** For each of the most frequent records, what makes some of them from the columns of their\n"
    " * fields. With a loop over the fields, reading 5,122 or 50,009 eqns takes 25 % longer. */"
)
PLAIN = ("boolean", "integer", "null", "number", "string")
NO_EFFECTS = "/* @__NO_SIDE_EFFECTS__ */"
"""So that a script that does not check files is made without the records' fields."""
CALLS = (
    f"const ref = {NO_EFFECTS} (name: string) => ({{ $ref: `#/definitions/${{name}}` }});",
    f"const list = {NO_EFFECTS} <T>(items: T) => ({{ type: 'array', items }}) as const;",
    f"const maybe = {NO_EFFECTS} <T>(one: T) => ({{ anyOf: [one, NULL] }}) as const;",
)


def short(schema: Any) -> str:
    """A record's fields, with a name for each plain type and a call for each reference, list and
    choice of null, so that a page has less to read."""
    match schema:
        case {"type": str(kind), **rest} if not rest:
            return kind.upper()
        case {"$ref": str(path), **rest} if not rest:
            return f"ref({json.dumps(path.rpartition('/')[2])})"
        case {"type": "array", "items": items, **rest} if not rest:
            return f"list({short(items)})"
        case {"anyOf": choices, "discriminator": _}:
            return short({"anyOf": choices})
        case {"anyOf": [one, {"type": "null"}], **rest} if not rest:
            return f"maybe({short(one)})"
        case dict():
            fields = (f"{json.dumps(key)}: {short(one)}" for key, one in schema.items())
            return f"{{{', '.join(fields)}}}"
        case list():
            return f"[{', '.join(map(short, schema))}]"
    return json.dumps(schema)


def without(records: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in records.items() if key != name}


def tidy(text: str) -> str:
    """Without json2ts's remarks on who refers to what, and with short comments on one line."""
    text = re.sub(r"\n \*\n \* This interface was referenced by .*\n \* via .*", "", text)
    text = re.sub(r"/\*\*\n *\* (.*)\n *\*/", r"/** \1 */", text)
    return re.sub(r"\n}\n(?=.)", "\n}\n\n", text)


if __name__ == "__main__":
    sys.exit(main())
