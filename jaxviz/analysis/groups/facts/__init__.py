"""Facts on each eqn: its call stack, name stack, parameters and source line."""
