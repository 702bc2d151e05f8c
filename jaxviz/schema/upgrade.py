"""Reads records of earlier formats. Fields that did not exist then get a value from a table.

So jaxviz reads a file or a notebook's output of an earlier version like one of its own. Programs of
format 1 have no roles of operands (`Eqn.roles`): they follow from counts in JAX's params. Up to
format 5 params are only text: `Eqn.attributes` is parsed from it, here and nowhere else.
`scripts/schema.py` writes the tables and patterns for the page, which reads such outputs, too
(`js/src/facts/wire/records.ts`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import inspect
from msgspec.structs import force_setattr

from jaxviz.schema.graph import Eqn
from jaxviz.schema.params import Dot, Groups, Pairs
from jaxviz.schema.program import Program
from jaxviz.schema.record import VERSION, Record, Sentence

ADDED: Mapping[int, Mapping[str, Any]] = {
    2: {
        "Program.fixed": [],
        "Event.looked": False,
        "Event.failed": None,
        "Eqn.roles": (),
        "Cause.values": [],
        "Cause.others": 0,
        "Log.ops": [],
        "Display.jaxviz": "",
        "LogDisplay.jaxviz": "",
    },
    3: {
        "Display.opening": {},
    },
    4: {
        "Cost.transcendentals": None,
        "Eqn.own": "",
    },
    5: {
        "Born.hidden": None,
        "Born.one_of": 1,
        "Call.mesh": [],
        "Collective.cause": "",
        "Compared.unknown": [],
        "Display.can_step": False,
        "Display.since": "",
        "EqnValues.spread": [],
        "Event.library": False,
        "Event.saved": None,
        "Frame.end_line": 0,
        "Frame.end_column": 0,
        "Function.library": False,
        "Group.loop": "",
        "Group.loop_line": 0,
        "LineValues.distribution": None,
        "Log.caches": [],
        "Log.predict": False,
        "Log.profile": None,
        "Op.reason": [],
        "Program.findings": [],
        "Stage.call": None,
        "Stage.collectives": [],
        "Stage.strays": [],
        "Stage.times": None,
        "Stage.values": [],
        "TraceStep.notes": [],
    },
    6: {
        "Eqn.attributes": None,
        "Call.lost": (),
        "CellTimes.loops": (),
        "Eqn.was": (),
        "Finding.is_note": False,
        "Log.findings": [],
        "Program.drawn": (),
        "Program.frozen": (),
        "Sentence.key": "",
        "Sentence.parts": (),
        "Card.tool": "explain",
        "Display.report": None,
        "EqnValues.written": [],
        "Group.unlike": {"key": "", "parts": [], "text": ""},
        "Frame.rules": "",
        "Group.named_by": "",
        "Job.agreement": None,
        "Job.text": "",
        "Job.tool": "agree",
        "LineTime.graph": 0,
        "LineValues.result": 0,
        "NanOrigin.eqn": -1,
        "NanOrigin.graph": -1,
        "NanOrigins.tool": "find_nan",
        "Passes.tool": "passes",
        "Statistics.tool": "statistics",
        "Steps.tool": "steps",
        "Timed.tool": "timeit",
        "Times.measured": None,
        "Times.tool": "profile",
        "Var.named": "",
    },
}
"""For each format its new fields, by their full name (`Eqn.trips`), with their values, as JSON, in
records of earlier formats. `complete` replaces a value that follows from the rest of the record.
Before format 6 a sentence was only its English text, and `LineTime.eqn` was counted from the first
graph on."""

REPORTS_OF_FORMAT_5: Mapping[str, str] = {
    "births": "NanOrigins",
    "card": "Card",
    "job": "Job",
    "steps": "Steps",
    "timed": "Timed",
    "times": "Times",
    "values": "Statistics",
}
"""The fields of `Display` in format 5 that contained reports, and the record of each. At most one
of them is not null. Today it is `Display.report`."""

RENAMED: Mapping[str, str] = {
    "Card.mends": "fixes",
    "Finding.mend": "fix",
    "NanOrigins.born": "origins",
}
"""Fields of formats before 6, by their full name, and their names of today."""

GONE: Mapping[int, Mapping[str, str]] = {
    3: {"Display.stage": "Display.opening"},
    6: {f"Display.{field}": "Display.report" for field in REPORTS_OF_FORMAT_5},
}
"""For each format the fields that it removed, and the fields that replace them. Only displays may
lose fields, since only the page reads them (`js/src/hosts/lab/display.ts`)."""

_MOST = 10**6
"""The largest number that is accepted as a format."""

Saved = TypeVar("Saved", bound=Record)


class NewerFormatError(ValueError):
    """The data has a later format than this jaxviz knows."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"is of format {version}, and this jaxviz reads formats up to {VERSION}: update "
            "jaxviz, or save it with this one"
        )


def missing(version: int) -> dict[str, Any]:
    """The values of all fields that a record of format `version` does not have, by full name.

    Raises NewerFormatError if this jaxviz does not know the format."""
    if version > VERSION:
        raise NewerFormatError(version)
    return {
        field: value
        for number in ADDED
        if number > version
        for field, value in ADDED[number].items()
    }


_INVALID_UTF_8 = "Invalid UTF-8 encoded string"
"""The DecodeError of msgspec 0.23; earlier versions raise UnicodeDecodeError."""


class _Versioned(msgspec.Struct):
    version: int


def read(text: bytes, kind: type[Saved]) -> Saved:
    """The record of type `kind` from JSON, in this format or an earlier one.

    Raises NewerFormatError for a later format, and msgspec.DecodeError for anything else."""
    try:
        return _read(text, kind)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deep") from None
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        if isinstance(error, msgspec.DecodeError) and str(error) != _INVALID_UTF_8:
            raise
        raise msgspec.DecodeError("a text in it is not UTF-8") from None


def _read(text: bytes, kind: type[Saved]) -> Saved:
    version = msgspec.json.decode(text, type=_Versioned).version
    if not 1 <= version <= _MOST:
        raise msgspec.ValidationError(f"formats are numbered from 1, and to {_MOST} at most")
    if version == VERSION:
        return msgspec.json.decode(text, type=kind)
    absent = missing(version)
    data = msgspec.json.decode(text)
    record = msgspec.convert(
        {**_filled(inspect.type_info(kind), data, absent), "version": VERSION}, kind
    )
    if isinstance(record, Program):
        complete(record, version)
    return record


def complete(program: Program, version: int) -> None:
    """Sets the fields that follow from the rest of a program of format `version`. Changes it in
    place."""
    if version < 2:
        give_roles(program)
    if version < 6:
        give_attributes(program)


_NESTING = inspect.StructType | inspect.ListType | inspect.VarTupleType


def _filled(kind: inspect.Type, data: Any, absent: Mapping[str, Any]) -> Any:
    """The JSON value of a type, with the fields that it lacks. A value of another type stays
    unchanged."""
    match kind, data:
        case inspect.StructType(cls=cls), str() if cls is Sentence and "Sentence.key" in absent:
            return _filled(kind, {"text": data}, absent)
        case inspect.StructType(cls=cls, fields=fields), dict():
            data = {RENAMED.get(f"{cls.__name__}.{key}", key): data[key] for key in data}
            full = {one.name: f"{cls.__name__}.{one.name}" for one in fields}
            values = {name: absent[full[name]] for name in full if full[name] in absent}
            types = {one.name: one.type for one in fields}
            filled = {key: _filled(types[key], data[key], absent) for key in data if key in types}
            return values | data | filled
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item), list():
            return [_filled(item, one, absent) for one in data]
        case inspect.UnionType(types=types), str() if inspect.StrType() in types:
            return data
        case inspect.UnionType(types=types), dict() | list() | str():
            nested = [one for one in types if isinstance(one, _NESTING)]
            fitting = [one for one in nested if _has_tag(one, data)]
            return _filled([*fitting, *nested, kind.types[0]][0], data, absent)
        case _:
            return data


def _has_tag(kind: inspect.Type, data: Any) -> bool:
    """True if a report's tag names this record."""
    tag = (kind.tag_field, kind.tag) if isinstance(kind, inspect.StructType) else (None, None)
    return isinstance(data, dict) and tag in data.items()


Rule = Sequence[tuple[str, str]]
"""Pairs of a count and a role, in the order of the operands. A count is a number, the name of a
param, `RESULTS`, or empty for all remaining operands."""

RESULTS = "results"
"""The number of the eqn's results."""
ROLES: Mapping[str, Sequence[Rule]] = {
    "scan": [[("num_consts", "const"), ("num_carry", "carry"), ("", "xs")]],
    "while": [
        [("cond_nconsts", "cond const"), ("body_nconsts", "body const"), ("", "carry")],
        [(RESULTS, "carry"), ("", "const")],
    ],
    "stablehlo.while": [[(RESULTS, "carry"), ("", "const")]],
    "cond": [[("1", "index"), ("", "")]],
    "custom_jvp_call": [[("num_consts", "const"), ("", "")]],
    "custom_vjp_call": [[("num_consts", "const"), ("", "")]],
}
"""The rules of each op in format 1. The first rule whose counts are all known applies."""


def give_roles(program: Program) -> None:
    """Sets the roles in a program of format 1, and removes the params with their counts. Changes
    the program in place."""
    for stage in program.stages:
        for graph in stage.graphs:
            for eqn in graph.eqns:
                rule = rule_of(eqn)
                if rule is not None:
                    counts = {name for name, _ in rule}
                    force_setattr(eqn, "roles", roles_of(eqn, rule))
                    others = tuple(one for one in eqn.params if one.name not in counts)
                    force_setattr(eqn, "params", others)


def rule_of(eqn: Eqn) -> Rule | None:
    """The rule that applies to an eqn. None if its params have no counts, as from JAX 0.11 on."""
    for rule in ROLES.get(eqn.op, ()):
        counts = counts_of(eqn, rule)
        if len(counts) == len(rule) and counts[-1] >= 0:
            return rule
    return None


def counts_of(eqn: Eqn, rule: Rule) -> list[int]:
    """The number of operands of each role. Counts that the eqn does not have are left out; the last
    is the number of remaining operands."""
    params = {param.name: param.value for param in eqn.params}
    params[RESULTS] = str(len(eqn.outvars))
    texts = [params.get(name, name) for name, _ in rule[:-1]]
    counts = [int(text) for text in texts if text.isascii() and text.isdigit()]
    return [*counts, len(eqn.invars) - sum(counts)]


def roles_of(eqn: Eqn, rule: Rule) -> tuple[str, ...]:
    pairs = zip(counts_of(eqn, rule), rule, strict=True)
    roles = tuple(role for count, (_, role) in pairs for _ in range(count))
    return roles if any(roles) else ()


PATTERNS: Mapping[str, str] = {
    "list": r"[\[({]((?:\d{1,9},\s*)*\d{0,9})[\])}]",
    "named_list": r"(\w+)_dimensions = \[([\d, ]*)\]",
    "shape": r"(?:^\[|tensor<)(\d{1,9})[,x](\d{1,9})(?:\]<=|x)",
    "mesh": r"^mesh\[([^\]]*)\][^{]*\{([^}]*)\}",
    "axis": r"'([^']*)'(?:=(\d{1,9}))?",
    "number": r"\d{1,9}",
}
"""The syntax of params up to format 5: lists of numbers; those of `#stablehlo.dot`; the number of
groups and their size in `[2,4]<=[8]` and `dense<…> : tensor<2x4xi64>`; groups along axes of a mesh,
`mesh['a'=2,'b'=4] {'b'}`, and the axes in it."""
DOTS = ("dot_general", "stablehlo.dot_general", "dot")
SIDES = (
    ("lhs_contracting", "lhs_contracting_dims"),
    ("rhs_contracting", "rhs_contracting_dims"),
    ("lhs_batching", "lhs_batch_dims"),
    ("rhs_batching", "rhs_batch_dims"),
)
"""The names of the fields of a `Dot` in StableHLO and HLO."""


def give_attributes(program: Program) -> None:
    """Sets the attributes of matrix products and collectives in a program up to format 5. Changes
    the program in place."""
    for stage in program.stages:
        for graph in stage.graphs:
            for eqn in graph.eqns:
                params = {one.name: one.value for one in eqn.params if one.size <= len(one.value)}
                found = dot_of(params) if eqn.op in DOTS else None
                if stage.kind != "jaxpr" and "source_target_pairs" in params:
                    found = pairs_of(params["source_target_pairs"])
                elif stage.kind != "jaxpr" and "replica_groups" in params:
                    found = groups_of(params["replica_groups"])
                force_setattr(eqn, "attributes", found)


def dot_of(params: Mapping[str, str]) -> Dot | None:
    lists = re.findall(PATTERNS["list"], params.get("dimension_numbers", ""))
    if "dot_dimension_numbers" in params:
        named = dict(re.findall(PATTERNS["named_list"], params["dot_dimension_numbers"]))
        lists = [named.get(name, "") for name, _ in SIDES]
    elif "lhs_contracting_dims" in params:
        lists = [params.get(name, "") for _, name in SIDES]
    if len(lists) != len(SIDES):
        return None
    lhs, rhs, lhs_batch, rhs_batch = map(numbers_in, lists)
    return Dot(lhs=lhs, rhs=rhs, lhs_batch=lhs_batch, rhs_batch=rhs_batch)


def groups_of(text: str) -> Groups:
    """The number of groups and their size, from a text."""
    count = size = 0
    if found := re.search(PATTERNS["mesh"], text):
        sizes = {axis: int(each or 0) for axis, each in re.findall(PATTERNS["axis"], found[1])}
        used = [sizes.get(axis, 0) for axis, _ in re.findall(PATTERNS["axis"], found[2])]
        size = 0 if ":" in found[2] else math.prod(used)
        count = math.prod(sizes.values()) // size if size else 0
    elif found := re.search(PATTERNS["shape"], text):
        count, size = int(found[1]), int(found[2])
    else:
        lists = [numbers_in(one) for one in re.findall(PATTERNS["list"], text)]
        groups = [one for one in lists if one]
        count, size = len(groups), max(map(len, groups), default=0)
    return Groups(axes=(), count=count, size=size, devices=(), dims=(), order=(), dimensions=())


def pairs_of(text: str) -> Pairs:
    found = [numbers_in(one) for one in re.findall(PATTERNS["list"], text)]
    pairs = [one for one in found if len(one) == 2]
    sources, targets = tuple(one[0] for one in pairs), tuple(one[1] for one in pairs)
    return Pairs(axes=(), sources=sources, targets=targets)


def numbers_in(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(PATTERNS["number"], text)))
