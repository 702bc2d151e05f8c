"""The page's texts in other languages, for Jupyter's server: it imports what holds them as it starts,
and `jaxviz` would bring JAX into that process."""
