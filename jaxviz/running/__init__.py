"""The tool `steps.py`, which has JAX trace the user's function line by line, and the record of an
option of the magics (`option.py`). The other tools are in `jaxviz/tools`."""
