"""Data and texts of a jaxviz output in a page of a site. `sphinx.py` needs Sphinx; this file does
not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KINDS = {
    "application/vnd.jaxviz.v1+json": "program",
    "application/vnd.jaxviz.log.v1+json": "log",
    "application/vnd.jaxviz.quiz.v1+json": "quiz",
}

LOCALES = Path(__file__).parent / "locale"


def texts(language: str) -> dict[str, list[str]] | None:
    """Translations of the page's texts by their English texts; None if a language has none."""
    files = [*LOCALES.glob(f"{language}_*/LC_MESSAGES/*.json")]
    return json.loads(files[0].read_text("utf-8")) if files else None


def element(mime_type: str, content: dict[str, Any] | str) -> str | None:
    """The output as a script element, which may be empty; None of what is not ours."""
    kind = KINDS.get(mime_type)
    if kind is None:
        return None
    shown = content if isinstance(content, dict) else json.loads(content)
    if kind not in shown:
        return ""
    text = json.dumps({"what": kind, **shown}).replace("<", "\\u003c")
    return f'<script type="application/json" class="jaxviz-data">{text}</script>'
