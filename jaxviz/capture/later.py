"""The stages after the jaxpr, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable

from jaxviz.schema import Stage

KINDS = ("stablehlo", "hlo")


class Later:
    """What the later stages of one captured call are made from, and never its arguments."""

    def stage(self, kind: str, tell: Callable[[str], None]) -> Stage:
        """The stage `kind`, one of `stablehlo` and `hlo`; ValueError for another.

        `tell` is called with what is being done (`lowering`, `compiling`) when that may take
        long. What JAX or XLA refuses is a stage whose `error` says why.
        """
        if kind not in KINDS:
            raise ValueError(f"there is no later stage {kind!r}: there are {KINDS}.")
        return without(kind, f"The stage {kind} cannot be made yet.")


def without(kind: str, reason: str) -> Stage:
    """A stage that could not be made, and why, as one sentence."""
    return Stage(
        kind=kind,
        graphs=[],
        avals=[],
        frames=[],
        scopes=[],
        text="",
        notes=[],
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=reason,
    )
