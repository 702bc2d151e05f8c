"""Recognizes strings that must not be shown: keys and tokens, by their look or by their name."""

from __future__ import annotations

import re
from itertools import pairwise

LONGEST_STRING = 32
"""Longer strings are not shown."""

_BEGINNINGS = re.compile(
    r"(?:\b[sp]k-|\b[srp]k_(?:live|test)_|\bgh[a-z]_|\bgithub_pat_|\bglpat-|\bxox[a-z]-|\bxapp-"
    r"|\bhf_|\bnpm_|\bpypi-|\bAIza|\bya29\.|\beyJ|\bA[KS]IA|\bdop_v1_|\bshpat_|\bSG\."
    r"|-----BEGIN |(?i:\bbearer ))[\w+/=-]{4}"
)
"""How keys of well-known services begin, and what stands before a key in a header."""
_PIECE = re.compile(r"[A-Za-z0-9]+")
_CHARACTER_RUNS = re.compile(r"[A-Z]+|[a-z]+|[0-9]+")
_HEX = re.compile(r"(?=.*\d)(?:[0-9a-f]{16,}|[0-9A-F]{16,})")
_MIXED = 13
"""A word of at least this many characters is taken for a key if its letters and digits are mixed.
`resnet50` and `BatchNormalization` are not."""
_CHANGES, _CHANGES_OF_SMALL = 4, 6
"""How often such a word changes between small letters, capitals and digits at least. A word without
capitals must change more often, since `conv3x3bnrelu6` is no key."""
_NAMES = re.compile(
    r"(?:^|[^a-z])(?:keys?|tokens?|secrets?|passwords?|passwd|passphrase|credentials?)$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def looks_secret(text: str) -> bool:
    """Whether a string looks like a key or token."""
    if _BEGINNINGS.search(text):
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
    """Whether what has this name is a key, token, secret or password: `api_key`, `hfToken`."""
    return _NAMES.search(_CAMEL.sub("_", name).lower()) is not None
