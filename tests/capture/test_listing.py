"""A program has the user's own code that made it."""

from __future__ import annotations

import linecache

import jax.numpy as jnp
from programs import shaped
from test_capture_source import in_cell

import jaxviz
from jaxviz import schema
from jaxviz.capture.shown.source import note_cell

FUNCTION = "def f(x):\n    y = jnp.sin(x)\n    return y"


def listings(function, *args) -> list[schema.Listing]:
    return jaxviz.inspect(function)(*(args or (shaped(3),))).record.listings


def lines_met(function) -> list[str]:
    """The lines of the listings that the frames name, each once."""
    record = jaxviz.inspect(function)(shaped(3)).record
    lines = [
        listing.text.split("\n")[frame.line - listing.start].strip()
        for frame in record.stages[0].frames
        for listing in record.listings
        if (frame.file, frame.cell) == (listing.file, listing.cell)
        if 0 <= frame.line - listing.start <= listing.text.count("\n")
    ]
    return list(dict.fromkeys(lines))


def test_a_cell_is_listed_whole_as_it_is_written():
    source = "\n\n%jaxviz f(x)\n" + FUNCTION + "\n"
    file = "/tmp/ipykernel_4242/77.py"
    note_cell(file, source, "b7c1", 3)
    f = in_cell("int()\n" + FUNCTION, file, "f")
    (listing,) = listings(f)
    assert listing == schema.Listing(
        file="cell 3", cell="b7c1", count=3, start=1, text=source.rstrip("\n")
    )
    assert lines_met(f) == ["y = jnp.sin(x)"]


def test_of_a_file_the_functions_are_listed():
    far = "\n" * 50
    source = f"import jax\n\n{FUNCTION}\n{far}def unused():\n    pass\n{far}@jax.jit\ndef g(x):\n"
    source += "    # twice\n    return f(x) * 2\n"
    g = in_cell(source, "/home/someone/secret/net.py", "g")
    first, second = listings(g)
    assert (first.file, first.start, first.text) == ("secret/net.py", 3, FUNCTION)
    assert second.text.split("\n")[0] == "@jax.jit"
    assert "unused" not in first.text + second.text
    assert lines_met(g) == ["return f(x) * 2", "y = jnp.sin(x)"]


def test_packages_and_files_that_cannot_be_read_are_not_listed():
    package = in_cell(FUNCTION, "/usr/lib/python3/site-packages/nets/linear.py", "f")
    assert listings(package) == []
    linecache.cache.pop("/nowhere/lost.py", None)
    space: dict[str, object] = {"jnp": jnp}
    exec(compile(FUNCTION, "/nowhere/lost.py", "exec"), space)
    assert listings(space["f"]) == []


def test_a_listing_is_bounded():
    body = "".join(f"    x = x + {number} # {'w' * 700}\n" for number in range(600))
    long = in_cell(f"def f(x):\n{body}    return x\n", "/tmp/ipykernel_4242/78.py", "f")
    (listing,) = listings(long)
    assert len(listing.text) < 64_000
    assert listing.text.count("\n") < 400
    assert listing.start == 1


def test_hostile_text_is_plain_and_lines_keep_their_numbers():
    source = 'NOTE = "\x1b[31m\u202e\x0c\u2028"\n' + FUNCTION
    f = in_cell(source.replace("\x0c", ""), "/tmp/ipykernel_4242/79.py", "f")
    note_cell("/tmp/ipykernel_4242/79.py", source, "b7c2", 4)
    (listing,) = listings(f)
    assert listing.text.split("\n")[0] == 'NOTE = "\ufffd[31m\ufffd\ufffd\ufffd"'
    assert lines_met(f) == ["y = jnp.sin(x)"]
