"""Turns the params of an eqn into text that is the same in every run and never has an array's
values."""

from __future__ import annotations

import re
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxviz.capture.secrets import names_secret
from jaxviz.capture.shown import readable
from jaxviz.capture.strings import name, plain
from jaxviz.capture.structure import is_structural
from jaxviz.schema import Param

VALUE_LIMIT = 400

_PLAIN_JIT = re.compile(r"\(?((UnspecifiedValue|False|None|\w*Mesh\(\))( × \d+)?(, |,)?)*\)?")


def params_of(eqn: JaxprEqn, bodies: bool) -> list[Param]:
    """The params of an eqn, sorted by name. Left out are its bodies, what only says which operands
    these take, and params of a jit that say nothing, which JAX does not print either."""
    held = {key: value for key, value in eqn.params.items() if not is_structural(eqn, key)}
    params = [
        _param(key, held[key]) for key in sorted(held) if not (bodies and _is_body(held[key]))
    ]
    if eqn.primitive.name in ("jit", "pjit"):
        return [param for param in params if not _PLAIN_JIT.fullmatch(param.value)]
    return params


def _param(key: str, value: Any) -> Param:
    text = plain(readable(value, hidden=names_secret(key)))
    size = len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def _is_body(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(part is None or _is_body(part) for part in value)
    return isinstance(value, Jaxpr | ClosedJaxpr)
