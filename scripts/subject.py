"""Checks the messages of commits: a subject that fits everywhere, and a body apart from it.

python scripts/subject.py FILE       the message in a file (pre-commit's `commit-msg` hook)
python scripts/subject.py A..B       the messages of these commits (on a pull request)
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST = 60
"""Characters."""
PLACE_AND_VERB = re.compile(r"[a-z][\w./-]*: [a-z]")
"""The beginning of a subject such as `layout: keep edges clear of closed groups`."""


def main(given: str) -> int:
    said = [fault for message in messages(given) for fault in faults(message)]
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


def messages(given: str) -> list[str]:
    if ".." not in given:
        return [Path(given).read_text(encoding="utf-8")]
    command = ["git", "log", "--no-merges", "--format=%B%x00", given]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [message.strip() for message in log.split("\0") if message.strip()]


def faults(message: str) -> Iterator[str]:
    """Faults of a message, as sentences. Lines that git leaves out are ignored."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if not subject.strip():
        yield "The first line is empty. Write `place: verb object`."
    elif not PLACE_AND_VERB.match(subject):
        yield f"“{subject}” names no place, or no verb after it. Write `place: verb object`."
    if len(subject) > LONGEST:
        yield (
            f"“{subject}” has {len(subject)} characters, more than {LONGEST}: "
            "the reason belongs in the body."
        )
    if len(lines) > 1 and lines[1].strip():
        yield f"“{lines[1]}” follows “{subject}”: leave a line between subject and body."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
