"""What is fixed in a program, in its heading: `closed over: lower=0, upper=100`."""

from __future__ import annotations

from jaxviz import schema

KINDS = ("static", "closed over")


def fixed_text(record: schema.Program) -> str:
    """What was passed and is no input, by kind; empty where there is nothing."""
    parts = ((kind, [one for one in record.fixed if one.kind == kind]) for kind in KINDS)
    return " · ".join(
        f"{kind}: {', '.join(f'{one.path}={one.text}' for one in found)}"
        for kind, found in parts
        if found
    )
