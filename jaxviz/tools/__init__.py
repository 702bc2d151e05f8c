"""What runs or measures a program: a folder for each tool, and `registry.py`, which lists them.

`record.py` is what a page and a file get, `capture.py` runs JAX, `report.py` has the function that
the user calls and what it returns, `text.py` writes it in words, and `option.py` is its option of
the magics. The page's part of a tool is in `js/src/tools/`.
"""
