"""Decides how values, names and source lines of the user appear as text. All text that leaves the
kernel goes through this folder.

`shown_values.py` has the rule, `strings.py` finds strings that look like keys, `likeness.py`
compares two values, and `callables.py` names functions. No code of the user runs for it, no
`__hash__`, property or metaclass either (`objects.py`). `tests/capture/test_canaries.py` puts
objects that record every such call into every place and through every tool.
"""
