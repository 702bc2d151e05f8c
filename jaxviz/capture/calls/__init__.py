"""A call as its user wrote it: which function, under which names, with which arguments, and what
of it holds no array."""
