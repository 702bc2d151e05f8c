"""What of the user's is shown, as text: names and other strings, values, lines of source. All
that leaves the kernel as text goes through it."""
