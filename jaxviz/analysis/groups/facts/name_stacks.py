"""The names in JAX's name stack of an eqn, and the eqn's role in a training step.

A name stack is printed as `transpose(jvp(layer0))/attn`. A transformation wraps the first name
below it, which may be empty (`jvp()`). `jvp` marks the forward pass of a derivative, `transpose`
the backward pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxviz import schema
from jaxviz.schema.graph import outside_in

FORWARD = "forward"
BACKWARD = "backward"
RECOMPUTE = "recompute"
LOSS = "loss"
OPTIMIZER = "optimizer"
ROLE_MARKS = {BACKWARD: "⟵", RECOMPUTE: "↻"}
"""The mark behind the name of a run with that role."""
REMATTED = "rematted_computation"
"""JAX's name for computations that `jax.checkpoint` repeats."""
TRANSFORMS = frozenset({"jvp", "transpose", "vmap", "pmap", "remat", "checkpoint", REMATTED})

NO_NAMES = TRANSFORMS | {"compile_loss"}
"""Names that are no user's: Keras 3 puts `compile_loss` around the loss that the user chose."""

FORMULA = "->"
"""Part of the name of a scope that `jnp.einsum` named by its formula."""

PART_OF_A_BLOCK = re.compile(r"(.*?\d[a-z]?)_[A-Za-z]")
"""A name that begins with that of a block: `block_7_expand`, as in Keras' applications."""
PARTS_OF_A_BLOCK = 3
"""The fewest names that begin with the name of a block."""

Names = tuple[str, ...]
"""The names of a stack, outermost first."""


class NameStack(NamedTuple):
    """A parsed name stack."""

    names: Names
    """The names that users and libraries gave, without those of transformations."""
    role: str
    """`forward`, `backward`, `recompute`, or empty outside of derivatives."""


def parse(stack: str) -> NameStack:
    """Parses one printed name stack."""
    names: list[str] = []
    role = ""
    for part in split(stack):
        wrappers, name = unwrap(part)
        if REMATTED in wrappers or name == REMATTED:
            role = RECOMPUTE
        elif not role and "transpose" in wrappers:
            role = BACKWARD
        elif not role and "jvp" in wrappers:
            role = FORWARD
        if name and name not in NO_NAMES and not name.isdigit():
            names.append(name)
    return NameStack(tuple(names), role)


def in_blocks(stacks: list[NameStack]) -> list[NameStack]:
    """The stacks, with `block_7` around its parts `block_7_expand`, `block_7_norm` and others."""
    parts: dict[Names, set[str]] = {}
    for stack in stacks:
        for depth, name in enumerate(stack.names):
            if found := PART_OF_A_BLOCK.match(name):
                parts.setdefault((*stack.names[:depth], found[1]), set()).add(name)
    blocks = {block for block, names in parts.items() if len(names) >= PARTS_OF_A_BLOCK}

    def nested(names: Names) -> Iterator[str]:
        for depth, name in enumerate(names):
            found = PART_OF_A_BLOCK.match(name)
            if found and (*names[:depth], found[1]) in blocks:
                yield found[1]
            yield name

    return [stack._replace(names=tuple(nested(stack.names))) for stack in stacks]


def split(stack: str) -> list[str]:
    """The parts between the slashes outside parentheses."""
    parts: list[str] = []
    depth = 0
    for piece in stack.split("/"):
        if depth > 0:
            parts[-1] += f"/{piece}"
        else:
            parts.append(piece)
            depth = 0
        depth += piece.count("(") - piece.count(")")
    return [part for part in parts if part]


def unwrap(part: str) -> tuple[list[str], str]:
    """`transpose(jvp(layer0))` as `["transpose", "jvp"]` and `layer0`."""
    wrappers: list[str] = []
    while part.endswith(")"):
        head, _, rest = part.partition("(")
        if head not in TRANSFORMS:
            break
        wrappers.append(head)
        part = rest[:-1]
    return wrappers, part


def roles_of(stage: schema.Stage, parsed: list[NameStack]) -> list[list[str]]:
    """The role of each eqn of each graph.

    `parsed` has the stage's parsed scopes. A body whose eqns have no role takes the role of its
    callers. If nothing runs backward, no eqn has a role.
    """
    roles = [[parsed[eqn.scope].role for eqn in graph.eqns] for graph in stage.graphs]
    if not any(BACKWARD in of or RECOMPUTE in of for of in roles):
        return [[""] * len(of) for of in roles]
    roles = [fill_gaps(of) for of in roles]
    caller_roles: list[set[str]] = [set() for _ in stage.graphs]
    for index in outside_in(stage.graphs):
        if len(caller_roles[index]) == 1 and not any(roles[index]):
            roles[index] = list(caller_roles[index]) * len(roles[index])
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            for body in eqn.bodies:
                caller_roles[body.graph].add(role)
    return roles


def fill_gaps(roles: list[str]) -> list[str]:
    """The roles of a graph's eqns, completed from their neighbours.

    An eqn without a role gets that of the eqns on both sides. In a body that recomputes values, all
    other eqns run backward.
    """
    if RECOMPUTE in roles and FORWARD not in roles:
        return [role or BACKWARD for role in roles]
    filled = list(roles)
    before, start = "", 0
    for index, role in enumerate(roles):
        if not role:
            continue
        if role == before or (role == RECOMPUTE and before == BACKWARD):
            filled[start:index] = [before] * (index - start)
        before, start = BACKWARD if role == RECOMPUTE else role, index + 1
    return filled
