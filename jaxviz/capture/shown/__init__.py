"""Decides how the user's values, names and source lines appear as text. All text that leaves the
kernel goes through this folder.

`shown_values.py` has the rules for values, `strings.py` finds strings that look like keys,
`digests.py` compares two values, and `callables.py` reads functions. No user code runs for this,
not even a `__hash__`, a property or a metaclass (`objects.py`). `tests/capture/test_canaries.py`
puts objects that record every such call into every place and through every tool.
"""
