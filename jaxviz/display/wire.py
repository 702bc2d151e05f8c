"""The form in which a program travels to the page: its JSON, deflated (zlib, RFC 1950)."""

from __future__ import annotations

import zlib

import msgspec

from jaxviz import schema


def encode(record: schema.Program) -> bytes:
    return zlib.compress(msgspec.json.encode(record))


def decode(data: bytes) -> schema.Program:
    """Raises `zlib.error` or `msgspec.DecodeError` for what `encode` did not make."""
    return msgspec.json.decode(zlib.decompress(data), type=schema.Program)
