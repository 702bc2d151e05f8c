"""The page's texts in other languages. Jupyter's server imports what holds them as it starts, and
`jaxviz` would bring JAX into that process."""
