"""The records that jaxviz shows, sends and saves. They are defined here alone.

`scripts/schema.py` writes `js/src/schema.ts` from these classes, and `make check` fails when
the two differ. Names are JAX's own. An index always leads into a list of an enclosing record: an
eqn's operands are indices into its graph's `vars`, and avals, frames and scopes are stored once per
stage.

So that a record can be read in one way only, unknown fields are refused, and no field has a
default, except those of `Opening`.
"""

from jaxviz.schema.births import Births, Born, Hidden
from jaxviz.schema.cache import CacheCall, CacheColumn, CacheRow, CacheTable
from jaxviz.schema.card import Card, Largest, Mend, Page, Side, Step, Tree, TreeRow
from jaxviz.schema.finding import Finding
from jaxviz.schema.graph import (
    Aval,
    Body,
    Cost,
    Eqn,
    Frame,
    Graph,
    Group,
    Leaf,
    Var,
    eqns_held,
)
from jaxviz.schema.log import (
    Capture,
    Cause,
    Event,
    Function,
    Log,
    LogDisplay,
    Op,
    Panel,
    Totals,
    Variant,
    Variety,
)
from jaxviz.schema.opening import UNCHOSEN, Opening
from jaxviz.schema.params import (
    Attributes,
    Convolution,
    Dimensions,
    Dot,
    Groups,
    Manual,
    MeshAxis,
    Pairs,
    Param,
    Sizes,
)
from jaxviz.schema.passes import OpCount, Pass, Passes
from jaxviz.schema.program import (
    Call,
    Change,
    Collective,
    Compared,
    Display,
    Fixed,
    Listing,
    Mark,
    Memory,
    Program,
    Stage,
    Stray,
    first_made,
)
from jaxviz.schema.record import LOG_MIME, MIME, VERSION, Record, empty, release
from jaxviz.schema.report import Report
from jaxviz.schema.sentence import Sentence, literal
from jaxviz.schema.steps import Bound, Steps, TraceStep
from jaxviz.schema.times import (
    CellTimes,
    CommandBuffers,
    Peak,
    RanProgram,
    StageTimes,
    TimedLine,
    TimedLoop,
    Times,
)
from jaxviz.schema.values import Bars, EqnValues, LineValues, PartValues, ValueDistribution, Values

__all__ = [
    "LOG_MIME",
    "MIME",
    "UNCHOSEN",
    "VERSION",
    "Attributes",
    "Aval",
    "Bars",
    "Births",
    "Body",
    "Born",
    "Bound",
    "CacheCall",
    "CacheColumn",
    "CacheRow",
    "CacheTable",
    "Call",
    "Capture",
    "Card",
    "Cause",
    "CellTimes",
    "Change",
    "Collective",
    "CommandBuffers",
    "Compared",
    "Convolution",
    "Cost",
    "Dimensions",
    "Display",
    "Dot",
    "Eqn",
    "EqnValues",
    "Event",
    "Finding",
    "Fixed",
    "Frame",
    "Function",
    "Graph",
    "Group",
    "Groups",
    "Hidden",
    "Largest",
    "Leaf",
    "LineValues",
    "Listing",
    "Log",
    "LogDisplay",
    "Manual",
    "Mark",
    "Memory",
    "Mend",
    "MeshAxis",
    "Op",
    "OpCount",
    "Opening",
    "Page",
    "Pairs",
    "Panel",
    "Param",
    "PartValues",
    "Pass",
    "Passes",
    "Peak",
    "Program",
    "RanProgram",
    "Record",
    "Report",
    "Sentence",
    "Side",
    "Sizes",
    "Stage",
    "StageTimes",
    "Step",
    "Steps",
    "Stray",
    "TimedLine",
    "TimedLoop",
    "Times",
    "Totals",
    "TraceStep",
    "Tree",
    "TreeRow",
    "ValueDistribution",
    "Values",
    "Var",
    "Variant",
    "Variety",
    "empty",
    "eqns_held",
    "first_made",
    "literal",
    "release",
]
