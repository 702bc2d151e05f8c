"""Traces a call, once for its program (`trace.py`) and once more for what each line of it did
(`steps.py`)."""
