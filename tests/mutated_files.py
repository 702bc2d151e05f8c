"""Mutations of saved files, each made from a number: what a bad disk or a hostile person makes of
them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from samples import HOSTILE

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
NAMES = "scan_with_cond while_newton grad_loss shared_jit layers custom_vjp_slope sharded hostile"
SOURCES = [
    *(GOLDEN / f"{name}.json" for name in NAMES.split()),
    *(GOLDEN / f"compared/{name}.json" for name in ("branch", "scan", "upcast")),
    *(GOLDEN / f"stages/{name}.json" for name in ("scan_products", "attention_step")),
    *sorted((HERE / "formats").glob("*/[!r]*.json")),
]
SENTENCE = re.compile(r"'[^'\n]+' [^\n\x00-\x1f\u2028\u202e]{10,400}\.")
"""A sentence that says why a file is refused."""
NUMBERS = [-1, 0, 1, 7, 99, 1 << 31, 1 << 53, 1 << 62, 1 << 63, -(1 << 63), 1 << 70, 10**400]
FLOATS = [0.5, -0.0, -1.0, 5e-324, 1e308]
STRINGS = [
    *(
        "",
        "\x00",
        "%s{0}",
        "../../etc/passwd",
        "NaN",
        "9" * 5000,
        "\n" * 99,
        "__proto__",
        "constructor",
    ),
    *(
        "[" * 5000,
        "a" * 1_000_000,
        "\u202e" * 99,
        "</svg><script>",
        "\u0600\uffff\U0010ffff",
        "hlo",
    ),
    HOSTILE.replace("\ud800", ""),
]
WILD = [float("nan"), float("inf"), "\ud83d", HOSTILE, {}, [[]], *NUMBERS, *FLOATS, *STRINGS]
NESTED = [("[" * n + "]" * n) for n in (60, 1_100, 100_000)]
NESTED += [('{"a":' * n + "1" + "}" * n) for n in (60, 1_100, 100_000)]
"""JSON as text: `json` itself writes none that is nested so deep."""
HERE_NESTED = "where the nested JSON stands"

Place = tuple[Any, ...]


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def places_of(path: Path) -> dict[str, list[Place]]:
    """The places of all values of a file, by the name of their field: rare ones are met as often as
    common ones."""
    found: dict[str, list[Place]] = defaultdict(list)
    for place in _places(json.loads(text_of(path)), ()):
        names = [key for key in place if isinstance(key, str)]
        found[f"{names[-1]} {isinstance(place[-1], int)}"].append(place)
    return found


def _places(data: Any, path: Place) -> Iterator[Place]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def mutated(seed: int, sources: Sequence[Path] = SOURCES) -> bytes:
    """A saved file with one to three mutations. Most fit the types of the records."""
    random = Random(seed)
    path = random.choice(sources)
    if random.random() < 0.1:
        return _bytes_changed(random, text_of(path).encode())
    data = json.loads(text_of(path))
    kinds = places_of(path)
    for _ in range(random.choice((1, 1, 2, 3))):
        alike = kinds[random.choice([*kinds])]
        _change(random, data, random.choice(alike), random.choice(alike))
    return json.dumps(data).replace(f'"{HERE_NESTED}"', random.choice(NESTED)).encode()


def _bytes_changed(random: Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(random.choice((1, 2, 8))):
        at = random.randrange(len(found))
        match random.randrange(4):
            case 0:
                found[at] ^= 1 << random.randrange(8)
            case 1:
                del found[at : at + random.choice((1, 9, len(found)))]
            case 2:
                found[at:at] = random.randbytes(random.choice((1, 9)))
            case _:
                found[at:at] = found[at : at + random.choice((1, 99))]
        if not found:
            break
    return bytes(found)


def _change(random: Random, data: Any, place: Place, other: Place) -> None:
    """Changes the value at one place; nothing if an earlier change took it away."""
    try:
        held, key, old = _at(data, place)
        another = _at(data, other)[2]
    except (LookupError, TypeError):
        return
    match random.randrange(20):
        case 0:
            del held[key]
        case 1 if isinstance(held, dict):
            held[random.choice(("more", *STRINGS))] = old
        case 2:
            held[key] = HERE_NESTED
        case 3:
            held[key] = random.choice(WILD)
        case 4 | 5 | 6:
            held[key] = deepcopy(another)
        case _:
            held[key] = _similar(random, old)


def _at(data: Any, place: Place) -> tuple[Any, Any, Any]:
    """The dict or list of a place, its key there, and the value."""
    for key in place[:-1]:
        data = data[key]
    return data, place[-1], data[place[-1]]


def _similar(random: Random, old: Any) -> Any:
    """Another value of the same type, or null."""
    match old:
        case bool():
            return not old
        case int():
            return random.choice((old - 1, old + 1, old + 5, random.choice(NUMBERS)))
        case str() | float():
            return random.choice(STRINGS if isinstance(old, str) else FLOATS)
        case list() if old:
            at = random.randrange(len(old))
            less, more = old[:at] + old[at + 1 :], old[:at] + old[at:] * 2
            return random.choice(([], less, more, old[::-1]))
        case dict():
            return None
        case _:
            return random.choice((0, "", [], old))


def mutated_text(seed: int, written: str) -> bytes:
    """A compiler's file with some words in the place of others, or some bytes changed."""
    random = Random(seed)
    if random.random() < 0.2:
        return _bytes_changed(random, written.encode())
    for _ in range(random.choice((1, 2, 3))):
        words = [*re.finditer(r"[%@#]?\w+", written)]
        kind = random.choice(sorted({found[0] for found in words}))
        place = random.choice([found for found in words if found[0] == kind])
        written = written[: place.start()] + random.choice(words)[0] + written[place.end() :]
    return written.encode()
