"""The site's page on limits has those of the code, in both languages."""

from __future__ import annotations

import re

import pytest
from planted import ROOT

from jaxviz.capture.jaxprs.constants import RETAINED_BYTES
from jaxviz.capture.stages.refusal import DEEPEST, LONGEST_RUN, MOST_ELSEWHERE, MOST_EQNS
from jaxviz.display.bundle import BUNDLE_BYTES
from jaxviz.pages import LANGUAGES
from jaxviz.session.log import EVENTS_SHOWN, EVENTS_STORED
from jaxviz.tools.steps.capture.recorder import MOST_STEPS

LIMITS = [
    "200 kB",
    f"{DEEPEST}",
    f"{LONGEST_RUN:,}",
    f"{MOST_EQNS:,}",
    f"{RETAINED_BYTES >> 20} MiB",
    f"{MOST_STEPS:,}",
    f"{EVENTS_STORED:,}",
]


def test_an_output_has_room_below_what_is_reported() -> None:
    assert 190_000 < BUNDLE_BYTES <= 200_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_has_the_limits_of_the_code(language: str) -> None:
    page = (ROOT / "site" / language / "about" / "limits.md").read_text("utf-8")
    _head, *rows = re.findall(r"^\| .+ \| (.+) \| (.+) \|$", page, re.MULTILINE)
    assert [limit for limit, _ in rows] == LIMITS
    assert f"{MOST_ELSEWHERE:,}" in rows[3][1]
    assert f"{EVENTS_SHOWN}" in rows[6][1]
