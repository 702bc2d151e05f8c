"""Writes the version into package.json and into each file that needs a copy of it.

    python scripts/release.py 0.2.0            sets the version, dates *Unreleased* of CHANGELOG
    python scripts/release.py --check [0.2.0]  reports files with another version (`make check`)

The wheel (hatch) and the extension (jupyter-builder) read it from package.json.

To release 0.2.0:

1. `make release VERSION=0.2.0`; commit that alone.
2. `git tag v0.2.0 && git push origin main v0.2.0`. The workflow `release.yml` builds, checks,
   attests and publishes.

An owner sets up once: on PyPI a trusted publisher for `jupyterlab-jaxviz` (workflow `release.yml`,
environment `pypi`); on the forge that environment with a reviewer, and private vulnerability
reporting; the addresses in package.json: `"homepage"` of the site, and
`"repository": {"type": "git", "url": "https://…"}`, as a browser opens it. The package's metadata,
the pictures of its README on PyPI, and the site read them there. No workflow has run yet: the
project has not been on a forge. Actions are pinned by commit, and Dependabot renews them.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?")
"""A version in npm's form. In Python `0.2.0-rc.1` is `0.2.0rc1`."""
COPIES = {
    "package.json": r'^  "version": "(.+)"',
    "package-lock.json": r'^(?:  |      )"version": "(.+)"',
    "js/src/schema.ts": r"^export const RELEASE = '(.+)'",
    "jupyterlab_jaxviz/locale/ko_KR/LC_MESSAGES/jupyterlab_jaxviz.json": r'^    "version": "(.+)"',
    "CITATION.cff": r"^version: (.+)",
}
"""Where the version stands in a line; in package-lock.json the first two such lines count."""
UNRELEASED = "## Unreleased\n"


def main(arguments: list[str]) -> int:
    match arguments:
        case ["--check", *expected]:
            said = [*strangers(ROOT, *expected)]
        case [version] if VERSION.fullmatch(version):
            said = [*release(ROOT, version, datetime.date.today().isoformat())]
        case _:
            said = [str(__doc__)]
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


def version_of(root: Path) -> str:
    return str(json.loads((root / "package.json").read_text(encoding="utf-8"))["version"])


def strangers(root: Path, expected: str = "") -> Iterator[str]:
    """A sentence for each line with another version than package.json's, or than the one that is
    expected."""
    version = expected or version_of(root)
    for path in COPIES:
        for found in copies(path, (root / path).read_text(encoding="utf-8")):
            if found[1] != version:
                yield f"{path} has version {found[1]} and not {version}."


def copies(path: str, text: str) -> list[re.Match[str]]:
    """Where a file's text has the version."""
    return [*re.finditer(COPIES[path], text, re.MULTILINE)][:2]


def release(root: Path, version: str, day: str) -> Iterator[str]:
    """Writes a version everywhere, and the day; what hinders that is said, and nothing written."""
    package = json.loads((root / "package.json").read_text(encoding="utf-8"))
    if not {"homepage", "repository"} <= package.keys():
        yield 'package.json has no "homepage" or no "repository": see scripts/release.py.'
        return
    address = package["repository"]["url"]
    if not address.startswith("https://") or address.endswith(".git"):
        yield f"package.json has the repository {address!r}, which no browser opens: https://…"
        return
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if UNRELEASED not in changes:
        yield f"CHANGELOG.md has no line {UNRELEASED.strip()!r}: it says what is released."
        return
    dated = f"{UNRELEASED}\n## {version} ({day})\n"
    (root / "CHANGELOG.md").write_text(changes.replace(UNRELEASED, dated, 1), encoding="utf-8")
    for path in COPIES:
        text = (root / path).read_text(encoding="utf-8")
        for found in reversed(copies(path, text)):
            text = text[: found.start(1)] + version + text[found.end(1) :]
        (root / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
