"""The fixes of calls of libraries: one file for each library, and `rules.py` chooses."""
