"""`jaxviz.profile`: what runs of a program took, at your lines, and those of a cell (`cell.py`)."""
