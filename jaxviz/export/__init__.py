"""A program as a file for other tools, or for a browser alone."""
