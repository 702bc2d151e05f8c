"""Adds up what several records count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def sums(records: Sequence[object], *fields: str) -> dict[str, Any]:
    """For each of the fields its sum over all records."""
    return {field: sum(getattr(record, field) for record in records) for field in fields}
