"""The base class of all records, the version of their format, and the MIME types of outputs."""

from __future__ import annotations

import importlib.metadata
from functools import cache

import msgspec

VERSION = 6
MIME = "application/vnd.jaxviz.v1+json"
"""The type of a notebook's output that holds a program."""
LOG_MIME = "application/vnd.jaxviz.log.v1+json"
"""The type of a notebook's output that holds a log."""


@cache
def release() -> str:
    """Give the version of this jaxviz; empty where it is not installed as a package."""
    try:
        return importlib.metadata.version("jupyterlab-jaxviz")
    except importlib.metadata.PackageNotFoundError:
        return ""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """An immutable record: equal when its fields are equal."""
