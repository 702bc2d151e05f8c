"""The operations of programs: one row for each, in the file of its family.

A row has the family (which sets the colour), the formula of the cost, the use of its bodies, one
sentence on its effect, the meanings of its params, and the first JAX that has it. Each JAX version
names params of operands and bodies in its own way; `capture/jaxprs/structure.py` reads them. An
operation without a row is of the family "other" and has no cost.

To add a primitive:

1. Add its row. Its sentence must be plain, and JAX's documentation must support it. `cost` names a
   function of `analysis/cost/flops.py`; leave it empty if no formula is known.
2. Run `python scripts/ops.py`, which writes the part that the page reads, and
   `node scripts/language.mjs`, and translate the sentence.
3. `pytest -s tests/capture/test_primitives.py` lists primitives of the installed JAX without a row.
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
"""Values of `Op.bodies` for operations that only run their bodies."""
DIALECTS = r"^(?:stablehlo|chlo|mhlo|func|sdy)\."
"""Prefixes of ops in StableHLO."""
PART = r"-(?:start|update|done)$"
"""The suffix of an instruction that is a part of one that XLA split."""


def plain_name(op: str) -> str:
    """An op's name in the style of JAX's primitives, for any stage: `dot_general` for
    `stablehlo.dot_general`, `all_reduce` for `all-reduce`, `all-reduce-start` and
    `all-reduce-done`."""
    return re.sub(PART, "", re.sub(DIALECTS, "", op)).replace("-", "_")


@lru_cache(maxsize=4096)
def row_of(op: str) -> Op:
    """The row of an op of any stage; empty if it has none. If XLA split an instruction, the first
    part has the row of the whole."""
    whole = re.sub(DIALECTS, "", op).replace("-", "_")
    name = whole if whole in _ROWS else plain_name(op)
    return _ROWS.get(name) or Op(name, "", cost=UNKNOWN)
