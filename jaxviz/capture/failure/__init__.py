"""Reads an exception while it lives, and makes the parts of its card.

In the order of the steps:

1. `expression.py` finds the user's line in the traceback, and its expression in the syntax tree.
2. `kinds.py` chooses the help page: by the exception's class, by the function of JAX or of a
   library that raised (`_raising.py`), or by the public function on the line (`code.py`).
3. `failure.py` makes the `Failure`: the page, the expression, the value that was needed, and the
   program that JAX had recorded (`_frames.py`).
4. `failed_call.py` has the parts for fixes: the source, the values of its names, and `fix`, which
   edits the source. `types.py` infers the types of expressions, and writes them with other types.
5. `by_kind.py` chooses the fixes. Rules for calls of JAX are in `fixes/`, those for calls of
   libraries in `libraries/`: a rule reads the failed call and yields fixes, or else advice.
6. `sides.py` shows two values that do not fit side by side. `attempt.py` tries a fix.
   `capture/tracing/card.py` makes the card, and `errors.py` a sentence with the same fixes.

Only strings and numbers leave this folder: no exception, frame, tracer or array is retained. For a
new kind of error add a row in `kinds.py`, its help page, a rule in `fixes/` with a row in
`by_kind.py`, and a case in `tests/truth/errors`.
"""
