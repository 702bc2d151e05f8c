"""Compares reports on traces with the truth: hundreds of small programs with known traces, lowerings
and compilations, and with their lines and reasons.

    python -m tests.truth.retraces                        all programs, and the score by library
    python -m tests.truth.retraces --library nnx          those of one library
    python -m tests.truth.retraces --case 'shape'         those whose name has these letters
    python -m tests.truth.retraces --case 'shape' --show  their text, with the truth in it
    make reliability          all of them on three versions of JAX, and docs/reliability.md

A program is the text of a user's cell. Its comments are the truth: `#= step` stands where `step`
is written, and `#> step: shape x` at the line whose call traces it again because the shape of `x`
changed (`program.py` has the grammar). Programs are made of parts, every kind of change with every
way to write a function and every order of looking (`grammar.py`), or written out where the parts
do not fit. Each body counts its own runs, so that the truth itself is checked.
"""
