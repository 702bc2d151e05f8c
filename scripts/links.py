"""Checks the built site: links lead somewhere, pages fetch nothing from elsewhere, and outputs of
lessons are live. `docs.py` calls it at its end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ASKED_FOR = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
"""Elements that a browser fetches something for, with the attribute that says what."""


class Page(HTMLParser):
    """Reads the anchors, links and requests of a page, and counts its jaxviz outputs."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.pictures = self.live = 0
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if "id" in has:
            self.anchors.add(has["id"])
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag in ASKED_FOR and ASKED_FOR[tag] in has:
            self.fetched.append(has[ASKED_FOR[tag]])
        classes = has.get("class", "").split()
        self.live += "jaxviz-data" in classes
        self.pictures += "jaxviz-output" in classes


read = cache(Page)


def check(site: Path) -> None:
    """Ends with all that is wrong, a line each."""
    paths = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    faults = [f"{path.relative_to(site)}: {fault}" for path in paths for fault in faults_of(path)]
    if faults:
        sys.exit("\n".join(faults))
    pages = [read(path) for path in paths]
    links, live = sum(len(page.links) for page in pages), sum(page.live for page in pages)
    print(f"{len(pages)} pages, {links} links, {live} live outputs")


def faults_of(path: Path) -> Iterator[str]:
    page = read(path)
    for address in page.links:
        if not leads_somewhere(path, address):
            yield f"the link {address} leads nowhere"
    for address in page.fetched:
        if is_elsewhere(address) or not leads_somewhere(path, address):
            yield f"{address} is not of this site"
    if page.live != page.pictures:
        yield f"of {page.pictures} pictures {page.live} are live"
    if path.parent.name == "lessons" and path.stem[0].isdigit() and not page.live:
        yield "nothing is live"


def is_elsewhere(address: str) -> bool:
    to = urlsplit(address)
    return bool(to.netloc) or to.scheme not in ("", "data")


def leads_somewhere(page: Path, address: str) -> bool:
    """True if an address is on another site, or in a file here that has its anchor."""
    to = urlsplit(address)
    if to.scheme or to.netloc:
        return True
    path = (page.parent / unquote(to.path)).resolve() if to.path else page
    if not path.is_file():
        return False
    return not to.fragment or path.suffix != ".html" or unquote(to.fragment) in read(path).anchors
