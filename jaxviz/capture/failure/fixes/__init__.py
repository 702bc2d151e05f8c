"""Rules for the fixes of calls that failed: a file for each subject; `by_kind.py` chooses."""
