"""The form in which a program travels to the page: columns of what does not follow from the rest.

Inflated (zlib, RFC 1950) it is the version and the length of what comes next, each in groups of
seven bits; the distinct strings, as JSON; and a column for each field of the records, in the order
of `jaxviz/schema`. `columns` writes them, whatever the records are; `operands` and `text` know
what of a program follows from the rest of it. `js/src/facts/wire` reads it.
"""

from __future__ import annotations

import zlib

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.wire import operands, text
from jaxviz.display.wire.columns import Reader, Writer, type_info
from jaxviz.schema.upgrade import complete

_PROGRAM = type_info(schema.Program)


def encode(record: schema.Program) -> bytes:
    """Raises UnicodeEncodeError for half of a surrogate pair, which no UTF-8 can hold."""
    writer = Writer({**operands.residues(record), **text.residues(record)})
    writer.values(_PROGRAM, [record])
    return zlib.compress(writer.data(record.version))


def decode(data: bytes) -> schema.Program:
    """The program that `encode` was given, in this format or an earlier one. Raises ValueError for
    one of a later format."""
    reader = Reader(zlib.decompress(data))
    [record] = reader.values(_PROGRAM, 1)
    operands.restore(record)
    text.restore(record)
    complete(record, record.version)
    return replace(record, version=schema.VERSION)
