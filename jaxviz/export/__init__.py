"""A program or a log as a file. `files` has the table of forms, by the file's suffix."""
