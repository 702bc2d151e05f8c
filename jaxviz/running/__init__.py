"""The record of an option of the magics (`option.py`)."""
