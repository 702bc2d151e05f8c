"""What is written on the boxes of its users: constants of later stages that are scalars.

As `js/src/facts/literals.ts`. StableHLO and HLO have no literals: a `2.0` in a jaxpr is an eqn of
its own there, and mostly a second one that broadcasts it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from jaxviz import schema
from jaxviz.picture.model.family import plain_name

_SPECIAL = {
    "inf": "7F800000 7F80 7C00 7FF0000000000000",
    "-inf": "FF800000 FF80 FC00 FFF0000000000000",
    "nan": "7FC00000 7FC0 7E00 7FF8000000000000",
}
_BITS = {f"0x{bits}": name for name, all_ in _SPECIAL.items() for bits in all_.split()}
"""What bits of floats are that have no digits."""
LONGEST = 12
_DENSE = re.compile(r"dense<([^<>]*)>")
_FLOAT = re.compile(r"(-?)([0-9])\.([0-9]+)[eE]([+-][0-9]+)")
_PLAIN = re.compile(r"[-\w.+]*\w[-\w.+]*", re.ASCII)


def literal_of(eqn: schema.Eqn) -> str:
    """The value of a constant that is a scalar, or the same everywhere: `2.0`; empty for any
    other."""
    values = (param.value for param in eqn.params if param.name in ("value", "literal"))
    whole = next(values, "")
    dense = _DENSE.match(whole)
    inner = dense[1] if dense else whole
    text = _BITS.get(inner) or _plain_number(inner)
    return text if len(text) <= LONGEST and _PLAIN.fullmatch(text) else ""


def _plain_number(text: str) -> str:
    """`3.0` of `3.000000e+00`, `1.5e-8` of `1.500000e-08`."""
    match = _FLOAT.fullmatch(text)
    if not match:
        return text
    sign, first, rest, power = match.groups()
    digits = (first + rest).rstrip("0") or "0"
    by = int(power)
    if by > 6 or by < -4:
        return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{by}"
    if by < 0:
        return f"{sign}0.{'0' * (-by - 1)}{digits}"
    padded = digits.ljust(by + 2, "0")
    return f"{sign}{padded[: by + 1]}.{padded[by + 1 :]}"


def literals_in(graph: schema.Graph, users: list[list[int]], spread: bool) -> Mapping[int, str]:
    """For each var of a graph that is written on its users the text.

    `spread`: a constant that is broadcast is nothing in memory, as in StableHLO and in a fusion.
    """
    found: dict[int, str] = {}
    returned = set(graph.outvars)
    for eqn in graph.eqns:
        if not eqn.outvars or eqn.outvars[0] in returned or not users[eqn.outvars[0]]:
            continue
        plain = plain_name(eqn.op)
        text = ""
        if plain == "constant":
            text = literal_of(eqn)
        elif spread and plain in ("broadcast", "broadcast_in_dim") and eqn.invars:
            text = found.get(eqn.invars[0], "")
        if text:
            found[eqn.outvars[0]] = text
    return found
