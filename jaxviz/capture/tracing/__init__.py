"""Traces a call to get its program (`trace.py`), and makes the card of a call that failed
(`card.py`)."""
