"""What can be read off a program without JAX: the groups that make a long graph readable."""
