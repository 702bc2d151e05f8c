"""`jaxviz.passes`: what each pass of XLA changed."""
