"""Tools that run or measure a program: a folder for each tool. `registry.py` lists them.

- `record.py`: the report that a page and a file get.
- `capture.py`: runs JAX.
- `report.py`: the user's function and its result.
- `text.py`: the report in words.
- `option.py`: the tool's option of the magics.

The page's part of a tool is in `js/src/tools/`.
"""
