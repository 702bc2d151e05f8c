"""Makes strings of a program safe for JSON and for a page.

Every name, path and text of a program is the user's and may hold anything: control characters,
characters that change the direction of writing, halves of surrogate pairs that UTF-8 cannot hold.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

NAME_LIMIT = 200

_REFUSED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line separators, direction of writing
    "\ud800-\udfff]"  # surrogates
)
_ADDRESS = re.compile(r" at 0x([0-9a-fA-FX]+)")


def plain(text: str) -> str:
    """The text with each character that cannot be shown replaced by one U+FFFD, so that
    places in it stay as they were."""
    if text.isascii() and text.isprintable():
        return text
    return _REFUSED.sub("\ufffd", text)


def name(text: str) -> str:
    """A name on one line, of at most `NAME_LIMIT` characters."""
    if len(text) > NAME_LIMIT:
        text = text[: NAME_LIMIT - 1] + "…"
    return plain(text).replace("\n", " ")


def without_addresses(text: str) -> str:
    """The text without memory addresses, which differ from run to run."""
    return _ADDRESS.sub("", text)


def masked(text: str) -> str:
    """The text with `X` for each digit of a memory address, so that places stay as they were."""
    return _ADDRESS.sub(lambda found: " at 0x" + "X" * len(found[1]), text)


def without_values() -> AbstractContextManager[Any]:
    """While the context lasts, arrays print `…` for each of their values. Needed since JAX prints
    partials, data of pytrees and attributes as they are, and these may hold arrays."""
    return np.printoptions(formatter={"all": lambda value: "…"}, threshold=1, edgeitems=1)
