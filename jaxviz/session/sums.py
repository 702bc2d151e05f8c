"""Sums counts of several records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def sums(records: Sequence[object], *fields: str) -> dict[str, Any]:
    """The sum of each field over all records."""
    return {field: sum(getattr(record, field) for record in records) for field in fields}
