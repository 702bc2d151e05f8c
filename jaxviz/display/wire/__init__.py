"""The wire form: the compact form in which a program travels to the page and is saved in outputs.

It is deflated (zlib, RFC 1950). Inflated, it has three parts: the format's version and the length
of the strings, both in groups of seven bits; the distinct strings, as JSON; and a column of values
for each field of the records, in the order of `jaxviz/schema`.

`columns` writes columns of any records. `operands` and `text` leave out values that follow from the
rest of a program: the text of most eqns is one of a few patterns with the eqn's own names.
`js/src/facts/wire` reads the form. Logs and panels travel as deflated JSON.

A training step takes 3 to 10 bytes an eqn, 200 bodies of 200 eqns take 9 kB, and a random tangle
of 30,000 eqns takes 147 kB. So a page gets all of a stage at once, up to the 200 kB of an output.
The form is 2.8, 6.8 and 13.2 times smaller than msgpack with zlib at 164, 814 and 3,934 eqns, and
takes 5 times their CPU time.
"""

from __future__ import annotations

import zlib

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.wire import operands, text
from jaxviz.display.wire.columns import Reader, Writer, type_info
from jaxviz.schema.upgrade import complete

_PROGRAM = type_info(schema.Program)
MOST_BYTES = 1 << 28
"""The most bytes of a program in its wire form: a small file can inflate to any size."""


def encode(record: schema.Program) -> bytes:
    """The wire form of a program. Raises UnicodeEncodeError if a string contains half of a
    surrogate pair, which UTF-8 cannot encode."""
    writer = Writer({**operands.residues(record), **text.residues(record)})
    writer.values(_PROGRAM, [record])
    return zlib.compress(writer.data(record.version))


def decode(data: bytes) -> schema.Program:
    """The program whose wire form this is, written by this jaxviz or an earlier one. Raises
    ValueError for a later format, and for data that is cut off or has more than `MOST_BYTES`."""
    inflater = zlib.decompressobj()
    reader = Reader(inflater.decompress(data, MOST_BYTES))
    if not inflater.eof:
        raise ValueError("the data is cut off or too large")
    [record] = reader.values(_PROGRAM, 1)
    operands.restore(record)
    text.restore(record)
    complete(record, record.version)
    return replace(record, version=schema.VERSION)


def deflated(record: schema.Record) -> bytes:
    """The record as JSON, deflated (zlib, RFC 1950)."""
    return zlib.compress(msgspec.json.encode(record))
