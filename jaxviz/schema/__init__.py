"""The records that jaxviz shows, sends and saves: born here, read everywhere.

`scripts/schema.py` writes `js/src/schema.ts` from these classes, and `make check` fails when
the two differ. Names are JAX's own. Every index is into a list of the same record: an eqn's
operands index its graph's `vars`; avals, frames and scopes are interned once per stage.

No field has a default, but those of `Opening`, and unknown fields are refused, so that a record
means one thing.
"""

from jaxviz.schema.log import (
    Cause,
    Event,
    Function,
    Log,
    LogDisplay,
    Op,
    Totals,
    Variant,
)
from jaxviz.schema.opening import UNCHOSEN, Opening
from jaxviz.schema.panel import Capture, Panel
from jaxviz.schema.program import (
    Aval,
    Body,
    Change,
    Compared,
    Cost,
    Display,
    Eqn,
    Fixed,
    Frame,
    Graph,
    Group,
    Leaf,
    Listing,
    Mark,
    Memory,
    Param,
    Program,
    Stage,
    Var,
)
from jaxviz.schema.record import LOG_MIME, MIME, VERSION, Record, release

__all__ = [
    "LOG_MIME",
    "MIME",
    "UNCHOSEN",
    "VERSION",
    "Aval",
    "Body",
    "Capture",
    "Cause",
    "Change",
    "Compared",
    "Cost",
    "Display",
    "Eqn",
    "Event",
    "Fixed",
    "Frame",
    "Function",
    "Graph",
    "Group",
    "Leaf",
    "Listing",
    "Log",
    "LogDisplay",
    "Mark",
    "Memory",
    "Op",
    "Opening",
    "Panel",
    "Param",
    "Program",
    "Record",
    "Stage",
    "Totals",
    "Var",
    "Variant",
    "release",
]
