"""The reports of all tools, as one union: the field `tool` names the function that makes it.

Outputs, widgets and files contain a report as one value. A new tool adds its record here. A page
has a view for each report (`js/src/tools/registry.tsx`).
"""

from __future__ import annotations

from jaxviz.schema.card import Card
from jaxviz.schema.record import Record
from jaxviz.tools.job.record import Job
from jaxviz.tools.nan.record import NanOrigins
from jaxviz.tools.passes.record import Passes
from jaxviz.tools.profile.record import Times
from jaxviz.tools.statistics.record import Statistics
from jaxviz.tools.steps.record import Steps
from jaxviz.tools.timeit.record import Timed


class FindingsAlone(Record, frozen=True, tag_field="tool", tag="findings"):
    """The view shows the program's findings, without the program: `program.findings`."""


Report = Card | FindingsAlone | Job | NanOrigins | Passes | Statistics | Steps | Timed | Times
