"""Traces a call for its program (`trace.py`), and makes the card of one that failed (`card.py`)."""
