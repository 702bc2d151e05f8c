"""The records that jaxviz shows, sends and saves.

`scripts/schema.py` writes `js/src/schema.ts` from these classes, and `make check` fails if the two
differ. Names are JAX's own. An index refers to a list of an enclosing record: an eqn's operands are
indices into its graph's `vars`, and avals, frames and scopes are stored once per stage. A record
contains only strings and numbers. Lists of an eqn are tuples, which Python's garbage collector does
not need to visit.

A reader refuses unknown fields. A field that format 5 lacks may have a default: `upgrade.py` has
the same one.

- `program.py`: a `Program` has stages, a stage has graphs (`graph.py`), and a graph has eqns with
  `params.py`.
- `log.py`: a `Log` has events and counts. A `Panel` has the log and the captures of a kernel.
- `card.py`: the card of an error, and a question of a lesson. `report.py`: the reports of all
  tools, as one union.
- `opening.py`: the first view of a program. Each field makes an option of `%jaxviz`.
- `signature.py`: records for the analysis of retraces, which are not saved.
- `upgrade.py`: fields that older formats lack. `check.py`: refuses files with wrong indices.
- `smaller.py`: leaves out parts of a program that an output or a picture does not need.

A change of the records
-----------------------
Outputs and files of any earlier format open in every later one. `tests/formats/` has a folder for
each released format, with its records and with saved files that tests open. It never changes.

1. Records only gain fields. Edit the record, and write in `upgrade.py`, in one line, the value
   that the new field has in older records. Run `python scripts/schema.py`. That is all: the kernel
   and the page read older files, outputs and logs with that value.
2. The first change after a release raises `VERSION` by one. Later changes before the next release
   keep this number.
3. `make check` fails if the records differ from the released ones of the same number, if a field
   has no value for older records, or if a field is missing or has another type. Keep such a field,
   and add a new one. Only a `Display`, which only pages read, may lose one (`upgrade.GONE`).
4. `python scripts/formats.py --release` writes the new folder of `tests/formats/`. Run it with the
   last change of a piece of work that raised `VERSION`.
"""

from jaxviz.schema.card import (
    Card,
    Fix,
    Largest,
    Page,
    Quiz,
    QuizAnswer,
    QuizDisplay,
    Side,
    Step,
    Tree,
    TreeRow,
)
from jaxviz.schema.graph import (
    Aval,
    Body,
    Cost,
    Eqn,
    EqnValues,
    Frame,
    Graph,
    Group,
    Leaf,
    Peak,
    StageTimes,
    Var,
    count_eqns,
)
from jaxviz.schema.log import (
    CacheCall,
    CacheColumn,
    CacheRow,
    CacheTable,
    Capture,
    Cause,
    CellTimes,
    Event,
    Function,
    Log,
    LogDisplay,
    Op,
    Panel,
    PythonLoop,
    RanProgram,
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
    Sharding,
    Sizes,
)
from jaxviz.schema.program import (
    Call,
    Change,
    Collective,
    Compared,
    Display,
    Drawn,
    Finding,
    Fixed,
    FrozenValue,
    Listing,
    Mark,
    Memory,
    Outlier,
    Program,
    SavedReport,
    Stage,
    first_made,
)
from jaxviz.schema.record import (
    LOG_MIME,
    MIME,
    QUIZ_MIME,
    VERSION,
    Record,
    Sentence,
    Words,
    empty,
    literal,
    release,
)
from jaxviz.schema.report import FindingsAlone, Report

__all__ = [
    "LOG_MIME",
    "MIME",
    "QUIZ_MIME",
    "UNCHOSEN",
    "VERSION",
    "Attributes",
    "Aval",
    "Body",
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
    "Compared",
    "Convolution",
    "Cost",
    "Dimensions",
    "Display",
    "Dot",
    "Drawn",
    "Eqn",
    "EqnValues",
    "Event",
    "Finding",
    "FindingsAlone",
    "Fix",
    "Fixed",
    "Frame",
    "FrozenValue",
    "Function",
    "Graph",
    "Group",
    "Groups",
    "Largest",
    "Leaf",
    "Listing",
    "Log",
    "LogDisplay",
    "Manual",
    "Mark",
    "Memory",
    "MeshAxis",
    "Op",
    "Opening",
    "Outlier",
    "Page",
    "Pairs",
    "Panel",
    "Param",
    "Peak",
    "Program",
    "PythonLoop",
    "Quiz",
    "QuizAnswer",
    "QuizDisplay",
    "RanProgram",
    "Record",
    "Report",
    "SavedReport",
    "Sentence",
    "Sharding",
    "Side",
    "Sizes",
    "Stage",
    "StageTimes",
    "Step",
    "Totals",
    "Tree",
    "TreeRow",
    "Var",
    "Variant",
    "Variety",
    "Words",
    "count_eqns",
    "empty",
    "first_made",
    "literal",
    "release",
]
