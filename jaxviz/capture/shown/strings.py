"""Makes strings of a program safe to show, and recognizes those that must not be shown: keys,
tokens.

Every name, path and text of a program is the user's and may contain anything: control characters,
characters that change the direction of writing, halves of surrogate pairs that UTF-8 cannot encode.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

import numpy as np

NAME_LIMIT = 200

_REFUSED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line separators, direction of writing
    "\ud800-\udfff]"  # surrogates
)
_ADDRESS = re.compile(r" at 0x([0-9a-fA-FX]+)")


def exact(text: str) -> str:
    """The text as a plain `str`, without the methods of a user's class."""
    return text if type(text) is str else str.__str__(text)


def plain(text: str) -> str:
    """The text with one U+FFFD for each character that cannot be shown, so that positions in it
    stay the same."""
    text = exact(text)
    if text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()):
        return text
    return _REFUSED.sub("\ufffd", text)


def name(text: str) -> str:
    """A name on one line, of at most `NAME_LIMIT` characters."""
    text = exact(text)
    if len(text) > NAME_LIMIT:
        text = text[: NAME_LIMIT - 1] + "…"
    elif text.isascii() and text.isprintable():
        return text
    return plain(text).replace("\n", " ")


def without_addresses(text: str) -> str:
    """The text without memory addresses, which differ from run to run."""
    return _ADDRESS.sub("", text)


def masked(text: str) -> str:
    """The text with `X` for each digit of a memory address, so that positions stay the same."""
    return _ADDRESS.sub(lambda found: " at 0x" + "X" * len(found[1]), text)


def without_values() -> AbstractContextManager[Any]:
    """Within this context arrays print `…` for each value. JAX prints partials, data of pytrees and
    attributes as they are, and these may contain arrays."""
    return np.printoptions(formatter={"all": lambda value: "…"}, threshold=1, edgeitems=1)


LONGEST_STRING = 32
"""Longer strings are not shown."""

_BEGINNINGS = re.compile(
    r"(?:\b[sp]k-|\b[srp]k_(?:live|test)_|\bgh[a-z]_|\bgithub_pat_|\bglpat-|\bxox[a-z]-|\bxapp-"
    r"|\bhf_|\bnpm_|\bpypi-|\bAIza|\bya29\.|\beyJ|\bA[KS]IA|\bdop_v1_|\bshpat_|\bSG\."
    r"|-----BEGIN |(?i:\bbearer ))[\w+/=-]{4}"
)
"""The beginnings of keys of well-known services, and the text before a key in a header."""
_CREDENTIALS = re.compile(r"://[^/\s:@]*:[^/\s@]+@")
"""A user and password in an address: `postgres://user:password@host`."""
_PIECE = re.compile(r"[A-Za-z0-9]+")
_CHARACTER_RUNS = re.compile(r"[A-Z]+|[a-z]+|[0-9]+")
_HEX = re.compile(r"(?=.*\d)(?:[0-9a-f]{16,}|[0-9A-F]{16,})")
_MIXED = 13
"""A word of at least this length counts as a key if its letters and digits are mixed. `resnet50`
and `BatchNormalization` are no keys."""
_CHANGES, _CHANGES_OF_SMALL = 4, 6
"""The least number of changes between small letters, capitals and digits in such a word. A word
without capitals needs more changes, since `conv3x3bnrelu6` is no key."""
_NAMES = re.compile(
    r"(?:^|[^a-z])(?:keys?|tokens?|secrets?|passwords?|passwd|passphrase|credentials?)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def looks_secret(text: str) -> bool:
    """True if a string looks like a key or token."""
    if _BEGINNINGS.search(text) or _CREDENTIALS.search(text):
        return True
    return any(_is_key(piece) for piece in _PIECE.findall(text))


def _is_key(piece: str) -> bool:
    if len(piece) < _MIXED:
        return False
    kinds = _CHARACTER_RUNS.findall(piece)
    words = sum(a.isupper() and len(a) == 1 and b.islower() for a, b in pairwise(kinds))
    capitals = any(kind.isupper() for kind in kinds)
    changes = len(kinds) - 1 - words
    return changes >= (_CHANGES if capitals else _CHANGES_OF_SMALL) or bool(_HEX.fullmatch(piece))


def names_secret(name: str) -> bool:
    """True for names of keys, tokens, secrets and passwords: `api_key`, `hfToken`."""
    return _NAMES.search(_CAMEL.sub("_", name).lower()) is not None
