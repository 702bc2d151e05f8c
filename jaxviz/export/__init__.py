"""Saves programs and logs as files. `files` has the table of forms, by the file's suffix."""
