"""The tools: their options of the magics, and the names that `jaxviz` offers to users.

A new tool adds its lines here, its record to `schema/report.py`, its view to
`js/src/tools/registry.tsx` and its marks to `js/src/tools/marks.ts`.
"""

from __future__ import annotations

from jaxviz import program
from jaxviz.display import page_requests
from jaxviz.picture import draw
from jaxviz.tools.job.agree import AgreementError, agree
from jaxviz.tools.job.gather import GatheredLog, gather
from jaxviz.tools.job.record import ProcessProgram
from jaxviz.tools.job.report import Agreement, Difference
from jaxviz.tools.nan import option as nan_option
from jaxviz.tools.nan.record import NanOrigin
from jaxviz.tools.nan.report import NanOrigins, find_nan
from jaxviz.tools.passes import stages as pass_stages
from jaxviz.tools.passes.report import Passes, passes
from jaxviz.tools.profile import cell as cell_profiles
from jaxviz.tools.profile import option as profile_option
from jaxviz.tools.profile import report as profiles
from jaxviz.tools.profile.cell import CellProfile
from jaxviz.tools.profile.record import EqnShare, InstructionTime, LineTime, LoopTime
from jaxviz.tools.profile.report import Profile, profile
from jaxviz.tools.statistics import option as statistics_option
from jaxviz.tools.statistics import report as value_statistics
from jaxviz.tools.statistics.report import Statistics, statistics
from jaxviz.tools.statistics.rows import Distribution, ValueStatistics
from jaxviz.tools.steps import option as steps_option
from jaxviz.tools.steps import report as steps_report
from jaxviz.tools.steps.report import Steps, steps
from jaxviz.tools.timeit import option as timeit_option
from jaxviz.tools.timeit.report import Timings, timeit

LINE_OPTIONS = (
    steps_option.OPTION,
    nan_option.OPTION,
    statistics_option.OPTION,
    profile_option.OPTION,
    timeit_option.OPTION,
)
"""The options of `%jaxviz` that ask for a tool."""
CELL_OPTIONS = (profile_option.CELL_OPTION,)
"""The options of `%%jaxviz` that ask for a tool."""

page_requests.QUESTIONS |= (
    cell_profiles.QUESTIONS
    | pass_stages.QUESTIONS
    | value_statistics.QUESTIONS
    | steps_report.QUESTIONS
)
draw.MARKING |= {"find_nan", "passes", "profile", "steps"}
program.TOOLS |= {
    "profile": profiles.profile_of_program,
    "statistics": value_statistics.statistics_of_program,
}

__all__ = [
    "Agreement",
    "AgreementError",
    "CellProfile",
    "Difference",
    "Distribution",
    "EqnShare",
    "GatheredLog",
    "InstructionTime",
    "LineTime",
    "LoopTime",
    "NanOrigin",
    "NanOrigins",
    "Passes",
    "ProcessProgram",
    "Profile",
    "Statistics",
    "Steps",
    "Timings",
    "ValueStatistics",
    "agree",
    "find_nan",
    "gather",
    "passes",
    "profile",
    "statistics",
    "steps",
    "timeit",
]
