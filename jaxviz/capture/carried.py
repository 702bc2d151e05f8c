"""Explains loops whose carry changes its type and branches that return different types: what JAX
says of both sides, and what to write instead."""

from __future__ import annotations

import re

import jax.numpy as jnp

_TYPES = re.compile(
    r"The (?:output of )?(?P<one>.+?) has type (?P<before>\w+)\[.*? corresponding output"
    r"(?: of (?P<other>.+?)| carry component) has type (?P<after>\w+)\[.* "
    r"so the (?P<what>dtypes|shapes) do not match"
)
_CARRY = "carry input and carry output"


def reason(text: str) -> str:
    """The first line of JAX's message, completed by the line further down that says what
    differs."""
    named = re.sub(r"<class '(?:jax\._src\.core\.)?([\w.]+)'>", r"\1", text)
    first, *more = named.strip().splitlines() or [""]
    about = re.sub(r",? but they differ[.:]$", "", first.strip())
    if about == first.strip():
        listed = [line.strip().removeprefix("* ") for line in more if line.strip()[:2] == "* "]
        return about.rstrip(".:") + (f": {' '.join(listed)}" if listed else "")
    details = next((line for line in more if " so the" in line), "")
    details = details.strip().rstrip(".")
    return f"{about}: {details[:1].lower()}{details[1:]}" if details else about


def mend_of(text: str) -> str:
    """What to change in a loop's body, or in branches, from JAX's message."""
    found = _TYPES.search(text)
    if found is None:
        return _structure(text)
    if found["what"] == "dtypes":
        return _cast(found["one"], found["before"], found["other"], found["after"])
    if found["other"] is None:
        return "let the body return it in the shape that it gets, or start with the other shape"
    return "let each branch return arrays of one shape"


def _cast(one: str, before: str, other: str | None, after: str) -> str:
    """Which cast makes the dtypes equal without losing precision."""
    wider = str(jnp.promote_types(before, after))
    if other is None:
        if wider == after:
            return f"start with that dtype, as .astype(jnp.{after}) or jnp.{after}(…) makes it"
        return f"cast what the body returns: .astype(jnp.{before})"
    narrow = [name for name, dtype in ((one, before), (other, after)) if dtype != wider]
    return f"cast what {' and '.join(narrow)} returns: .astype(jnp.{wider})"


def _structure(text: str) -> str:
    if "PyTreeDef(None)" in text or "carry output is a <class 'NoneType'>" in text:
        return "the body returns None there: end it with return and the new state"
    if _CARRY in text:
        return "let the body return the same structure that it gets: the same keys and lengths"
    return "let each branch return the same structure: the same keys and lengths"
