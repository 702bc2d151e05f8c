"""Lines of the source texts that a program shows, as frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jaxviz.schema import Frame, Listing


def definitions(listings: Iterable[Listing], name: str) -> Iterator[Frame]:
    """Return the lines that define a function of that name."""
    begins = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(name)}\s*[(\[]")
    for listing in listings:
        for number, line in enumerate(listing.text.split("\n"), listing.start):
            if begins.match(line):
                yield frame_of_line(listing, number, name)


def frame_of_line(listing: Listing, number: int, function: str = "") -> Frame:
    """Return a line of a listing as a frame, without columns and callers."""
    return Frame(
        function=function,
        file=listing.file,
        line=number,
        column=0,
        end_line=0,
        end_column=0,
        code=listing.text.split("\n")[number - listing.start].strip(),
        cell=listing.cell,
        count=listing.count,
        library=False,
        parent=None,
    )
