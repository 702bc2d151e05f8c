"""`jaxviz.profile`: the times of a program's runs by your lines, and those of a cell
(`cell.py`)."""
