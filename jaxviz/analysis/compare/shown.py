"""Which params of a merged eqn are written in the text."""

from __future__ import annotations

from collections.abc import Set

from jaxviz import schema


def shown(text: tuple[str, str], before: schema.Eqn | None, after: schema.Eqn | None) -> Set[str]:
    """Those that JAX wrote of either eqn in its stage's `text`, and those that differ."""
    found: set[str] = set()
    for whole, eqn in zip(text, (before, after), strict=True):
        if eqn is not None:
            found |= written(whole, eqn)
    if before is not None and after is not None and before.params != after.params:
        old, new = ({param.name: param.value for param in eqn.params} for eqn in (before, after))
        found |= {name for name in {**old, **new} if old.get(name) != new.get(name)}
    return found


def written(text: str, eqn: schema.Eqn) -> Set[str]:
    """Of an eqn that holds bodies, or has no place in the text, all."""
    names = {param.name for param in eqn.params}
    if eqn.span is None or eqn.bodies or not names:
        return names
    start, stop = eqn.span
    if text.find("[", text.find("=", start, stop), stop) < 0:
        return set()
    return {name for name in names if text.find(f"{name}=", start, stop) >= 0}
