"""The operations that programs are made of: one row for each, in the file of its family.

A row says what an operation is as such: its colour, the formula of its cost, what it does with
its bodies, what it does in a sentence, what its params mean. `scripts/ops.py` writes to TypeScript
what the page reads of it. To add a primitive, add its row: nothing else names it, unless its cost
needs a formula of its own.
What has no row is of the family "other", and its cost is not reported: nothing is guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jaxviz.ops import (
    collective,
    contraction,
    control,
    elementwise,
    later,
    movement,
    other,
    random,
    reduction,
    state,
)
from jaxviz.ops.row import UNKNOWN, Op

_FILES = (
    elementwise,
    contraction,
    reduction,
    movement,
    state,
    control,
    random,
    collective,
    other,
    later,
)
OPS = tuple(op for file in _FILES for op in file.OPS)
"""All rows."""
_ROWS = {op.name: op for op in OPS}

RUN = ("called", "looped", "chosen")
"""What `Op.bodies` is of an operation that runs its bodies, and does nothing else."""
DIALECTS = r"^(?:stablehlo|chlo|mhlo|func|sdy)\."
"""What StableHLO writes before its ops."""
PART = r"-(?:start|update|done)$"
"""What XLA adds to the name of an instruction that it parts."""


def plain_name(op: str) -> str:
    """A name as JAX writes its primitives, of any stage: `dot_general` of
    `stablehlo.dot_general`, `all_reduce` of `all-reduce` and of `all-reduce-start`, whose end is
    `all-reduce-done`."""
    return re.sub(PART, "", re.sub(DIALECTS, "", op)).replace("-", "_")


@lru_cache(maxsize=4096)
def row_of(op: str) -> Op:
    """The row of an op of any stage; of what begins an instruction that XLA parts, that of the
    whole. Where there is none, one that says nothing."""
    whole = re.sub(DIALECTS, "", op).replace("-", "_")
    name = whole if whole in _ROWS else plain_name(op)
    return _ROWS.get(name) or Op(name, "", cost=UNKNOWN)
